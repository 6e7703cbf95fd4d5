"""Treebanks by name, and how parsers are scored on them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import click

import arcwise
from arcwise import Parser, Treebank
from arcwise.evaluation import AttachmentScores

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
WITHOUT_PUNCTUATION = ("udt2_sv", "udt2_ko")
"""Treebanks that the papers score without punctuation."""

Part = Literal["train", "dev", "test"]
PARTS: tuple[Part, ...] = ("train", "dev", "test")
SCORED: tuple[Part, ...] = ("dev", "test")


def treebank_names(data: Path) -> list[str]:
    """The treebanks of a folder that have all three parts."""
    if not data.is_dir():
        raise click.ClickException(f"There is no folder {data}: name that of the treebanks with --data.")
    return sorted(folder.name for folder in data.iterdir() if len(_files(folder)) == 3)


def conllu_names(data: Path) -> list[str]:
    """Those in CoNLL-U, which have raw text and lemmas."""
    return [name for name in treebank_names(data) if treebank_path(data, name, "dev").suffix == ".conllu"]


def treebank_path(data: Path, name: str, part: Part) -> Path:
    """The file of a part of a treebank."""
    files = _files(data / name)
    if part not in files:
        known = ", ".join(treebank_names(data)) or "none"
        raise click.ClickException(
            f"There is no treebank '{name}' with a {part} file in {data}. Those there: {known}. "
            "Name another folder with --data."
        )
    return files[part]


@cache
def load(data: Path, name: str, part: Part) -> Treebank:
    """A part of a treebank, read once in each process."""
    return Treebank.read(treebank_path(data, name, part))


def _files(folder: Path) -> dict[Part, Path]:
    return {part: path for part in PARTS for path in sorted(folder.glob(f"*-{part}.conll*"))[:1]}


def score(parser: Parser, gold: Treebank) -> AttachmentScores:
    """UAS and LAS as the papers count them: full labels, over all words and without punctuation."""
    return arcwise.evaluate(gold, parser.parse(gold), conll18=False).attachment


def scores(gold: Treebank, parsed: Treebank) -> dict[str, Any]:
    """UAS and LAS over all words, without punctuation, and of the words whose gold arcs cross others."""
    found = arcwise.evaluate(gold, parsed, conll18=False).attachment
    crossing = [
        (right.head == left.head, (right.head, right.deprel) == (left.head, left.deprel))
        for gold_sentence, own in zip(gold, parsed, strict=True)
        for left, right, crosses in zip(gold_sentence, own, crossing_arcs(gold_sentence.heads), strict=True)
        if crosses
    ]
    uas, las = [100 * statistics.fmean(column) for column in zip(*crossing, strict=True)] or [0.0, 0.0]
    return {
        "uas": found.uas,
        "las": found.las,
        "no_punct": {"uas": found.no_punct.uas, "las": found.no_punct.las},
        "crossing": {"uas": uas, "las": las, "words": len(crossing)},
    }


def counted(treebank: str) -> tuple[str, ...]:
    """Where in `scores` those stand that are quoted of a treebank."""
    return ("no_punct",) if treebank in WITHOUT_PUNCTUATION else ()


def crossing_arcs(heads: Sequence[int]) -> list[bool]:
    """Of each word, whether the arc to it crosses another.

    >>> crossing_arcs([3, 4, 0, 3])
    [True, True, True, False]
    """
    arcs = [(min(head, word), max(head, word)) for word, head in enumerate(heads, 1)]
    return [any(a < c < b < d or c < a < d < b for c, d in arcs) for a, b in arcs]
