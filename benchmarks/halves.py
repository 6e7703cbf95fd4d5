"""Annotated English in two halves, of which the second is for figures alone, and how a model parses it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from arcwise import Pipeline, Sentence, Treebank
from arcwise.text import rebuild, word_spans

FOLDER = Path(__file__).resolve().parent
PARTS = ("dev", "test")
GOLD_TOKENS = "gold tokens"
BLANK_LINES = "a blank line between"
LINES = "a line each"

Place = tuple[int, int]


def gold_of(files: str, part: str) -> Treebank:
    """A half of some files, such as 'web/web' or 'english/hand'."""
    return Treebank.read(FOLDER / f"{files}-{part}.conllu")


def text_of(gold: Treebank, start: str) -> str:
    """The raw text: each paragraph ends with a blank line or, if that is the start, with a line end alone."""
    text = rebuild(gold)
    return text.replace("\n\n", "\n") if start == LINES else text


def parsed_by(nlp: Pipeline, gold: Treebank, start: str) -> Treebank:
    """What a model makes of the gold tokens, or of the raw text."""
    return nlp.parse(gold, tags="new") if start == GOLD_TOKENS else nlp(text_of(gold, start)).treebank


def places(treebank: Treebank) -> Iterator[tuple[Sentence, list[Place]]]:
    """Where the words of each sentence stand, counted in characters that are not white space.

    So they are the same however the text is cut. Words of a multiword token share its place."""
    before = [0, *accumulate(not character.isspace() for character in rebuild(treebank))]
    spans = iter(word_spans(treebank))
    for sentence in treebank:
        yield sentence, [(before[start], before[end]) for start, end in (next(spans) for _ in sentence)]
