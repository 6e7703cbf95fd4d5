"""The best trees of each sentence as text, told apart by their ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.parser import Candidate
    from arcwise.text import Cursor
    from arcwise.treebank import Sentence, Treebank

_NAMES = {"conllx": "CoNLL-X", "svg": "SVG"}
KEYS = ("rank", "prob", "score")


class RankedTree(NamedTuple):
    """One of the best trees of a sentence, and what is said of it."""

    sentence: Sentence
    rank: int
    measure: str
    value: float

    @property
    def comments(self) -> tuple[str, str]:
        return f"# rank = {self.rank}", f"# {self.measure} = {self.value:.4f}"


def to_bytes(
    treebank: Treebank,
    best: Sequence[list[Candidate]],
    to: str,
    *,
    probabilistic: bool,
    color: bool = False,
    cursor: Cursor | None = None,
) -> bytes:
    """The trees in order, each with `# rank = 1` and `# prob = 0.8312` (`# score` if there are none)."""
    if to in ("conllx", "svg"):
        raise OptionError(
            f"{_NAMES[to]} has no comments to tell several trees apart: write CoNLL-U (--to conllu), JSON "
            "(--to json), drawn trees (--to tree) or a page (--to html)."
        )
    ranked = [ranked_trees(candidates, probabilistic) for candidates in best]
    if to == "json":
        from arcwise.json_output import candidates_to_json

        trees = (
            [(one.sentence, {"rank": one.rank, one.measure: round(one.value, 6)}) for one in group]
            for group in ranked
        )
        return "".join(f"{line}\n" for line in candidates_to_json(treebank, trees, cursor)).encode()
    if to == "tree":
        from arcwise.draw import draw_titled

        drawn = (draw_titled(one.sentence, *one.comments, color=color) for group in ranked for one in group)
        return "".join(drawn).encode("utf-8", "backslashreplace")
    if to == "html":
        from arcwise.pages import figure

        notes = (
            (one.sentence, f"rank {one.rank}, {one.measure} {one.value:.4f}")
            for group in ranked
            for one in group
        )
        return "".join(figure(*note) for note in notes).encode("utf-8", "backslashreplace")
    return "".join(
        _with_comments(one.sentence.to_string("conllu"), *one.comments) for group in ranked for one in group
    ).encode()


def ranked_trees(candidates: Iterable[Candidate], probabilistic: bool) -> list[RankedTree]:
    """The trees of a sentence with their ranks and probabilities, or scores."""
    ranked = ((rank, *candidate) for rank, candidate in enumerate(candidates, 1))
    if probabilistic:
        return [RankedTree(sentence, rank, "prob", math.exp(score)) for rank, sentence, score in ranked]
    return [RankedTree(sentence, rank, "score", score) for rank, sentence, score in ranked]


def _with_comments(text: str, *comments: str) -> str:
    """Puts comments after those that a sentence has, in place of earlier ones of their kind."""
    lines = text.split("\n")
    end = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    carriage_return = "\r" if lines[end].endswith("\r") else ""
    kept = [line for line in lines[:end] if line[1:].partition("=")[0].strip() not in KEYS]
    return "\n".join([*kept, *(comment + carriage_return for comment in comments), *lines[end:]])
