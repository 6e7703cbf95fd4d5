"""Pictures of trees for the page, laid out for the width of its window; and trees as files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.columns import COLUMNS
from arcwise.document import Document
from arcwise.errors import OptionError
from arcwise.pages import stacked
from arcwise.picture import WIDTH, Picture, picture
from arcwise.sentence import Sentence
from arcwise.svg import to_svg
from arcwise.treebank import Treebank

ANSWERS = ("sentences", "drawings", "svg", "conllu")
"""What `/api/v1/draw` gives."""
LEAST_WIDTH, MOST_WIDTH = 100, 20_000
MOST_COLUMNS = 6
_BELOW = [name for name in COLUMNS if name not in ("id", "form", "head")]


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """How trees are drawn: `drawing` of a request."""

    width: float | None = WIDTH
    columns: tuple[str, ...] = ("upos",)
    probabilities: bool = True
    """Whether labels tell them."""
    marks: bool = False
    """Leave room for marks in labels, which the page sets."""
    min_confidence: float | None = None
    """Mark what is less probable."""

    @classmethod
    def from_json(cls, given: Any) -> Drawing:
        """From a request's object, which is checked."""
        if not isinstance(given, Mapping):
            raise OptionError(f'“drawing” must be an object, such as {{"width": {WIDTH}}}.')
        known = ("width", "columns", "probabilities", "marks", "min_confidence")
        if unknown := [str(name) for name in given if name not in known]:
            raise OptionError(f"“drawing” has no “{unknown[0]}”, but {', '.join(known)}.")
        width = given.get("width", WIDTH)
        if width is not None and not (_is_number(width) and LEAST_WIDTH <= width <= MOST_WIDTH):
            raise OptionError(
                f"The width of drawings must be from {LEAST_WIDTH} to {MOST_WIDTH} pixels, or null."
            )
        columns = given.get("columns", ["upos"])
        if (
            not isinstance(columns, list)
            or len(columns) > MOST_COLUMNS
            or any(c not in _BELOW for c in columns)
        ):
            raise OptionError(f"“columns” must be a list of at most {MOST_COLUMNS} of {', '.join(_BELOW)}.")
        for name in ("probabilities", "marks"):
            if not isinstance(given.get(name, False), bool):
                raise OptionError(f"“{name}” of “drawing” must be true or false.")
        least = given.get("min_confidence")
        if least is not None and not (_is_number(least) and 0 <= least <= 1):
            raise OptionError("“min_confidence” must be from 0 to 1.")
        return cls(
            width=width,
            columns=tuple(columns),
            probabilities=given.get("probabilities", True),
            marks=given.get("marks", False),
            min_confidence=least,
        )

    def of(self, sentence: Sentence) -> Picture:
        return picture(
            sentence,
            columns=self.columns,
            width=self.width,
            probabilities=self.probabilities,
            room_for_marks=self.marks,
        )

    def all(self, document: Document) -> list[Picture]:
        """The pictures, with marks where the parser is less sure than it should be."""
        treebank = document.treebank
        if self.min_confidence is not None and has_probabilities(treebank):
            treebank = treebank.with_min_confidence(self.min_confidence)
        return [self.of(sentence) for sentence in treebank]


def draw(body: Mapping[str, Any]) -> dict[str, Any]:
    """`/api/v1/draw`: pictures of trees as they are given, in CoNLL-U or as JSON; nothing is parsed."""
    wanted = body.get("answer", ["sentences", "drawings"])
    if not isinstance(wanted, list) or not wanted or any(name not in ANSWERS for name in wanted):
        raise OptionError(f"“answer” must be a list of {', '.join(ANSWERS)}.")
    drawing = Drawing.from_json(body.get("drawing", {}))
    document = Document(_with_probabilities(_treebank(body)))
    answer: dict[str, Any] = {}
    if "sentences" in wanted:
        answer["sentences"] = json.loads(document.to_json())["sentences"]
    if "drawings" in wanted:
        answer["drawings"] = [drawn.to_json() for drawn in drawing.all(document)]
    if "svg" in wanted:
        pictures = [to_svg(drawn) for drawn in drawing.all(document)]
        answer["svg"] = pictures[0] + "\n" if len(pictures) == 1 else stacked(pictures)
    if "conllu" in wanted:
        answer["conllu"] = document.to_conllu()
    return answer


def has_probabilities(treebank: Treebank) -> bool:
    return len(treebank.deprel_probs) > 0 and not np.isnan(treebank.deprel_probs).any()


def _with_probabilities(treebank: Treebank) -> Treebank:
    """Those that were read stand in MISC alone: they become the treebank's own."""
    probs = [(word.head_prob, word.deprel_prob) for sentence in treebank for word in sentence]
    known = [pair for pair in probs if None not in pair]
    if not probs or len(known) < len(probs):
        return treebank
    return treebank.with_probabilities(*np.transpose(np.array(known, np.float32)))


def _treebank(body: Mapping[str, Any]) -> Treebank:
    conllu, sentences = body.get("conllu"), body.get("sentences")
    if isinstance(conllu, str) and sentences is None:
        return Treebank.from_string(conllu, check_trees=False, source="the text")
    if isinstance(sentences, list) and conllu is None:
        return Document.from_json(json.dumps(sentences), check_trees=False, source="“sentences”").treebank
    raise OptionError("Give the trees as “conllu”, a text, or as “sentences”, a list of objects.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
