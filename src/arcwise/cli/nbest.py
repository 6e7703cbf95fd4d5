"""What `arcwise parse --nbest` writes: the best trees of each sentence, told apart by comments."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.parser import Candidate

KEYS = ("rank", "prob", "score")


def to_bytes(best: Iterable[list[Candidate]], probabilistic: bool, format: str) -> bytes:
    """The trees in order, each with `# rank = 1` and `# prob = 0.8312` (`# score` if there are none)."""
    if format != "conllu":
        raise OptionError("CoNLL-X has no comments to tell several trees apart: write CoNLL-U, --to conllu.")
    texts = []
    for candidates in best:
        for rank, (sentence, score) in enumerate(candidates, 1):
            value = f"# prob = {math.exp(score):.4f}" if probabilistic else f"# score = {score:.4f}"
            texts.append(_with_comments(sentence.to_string("conllu"), f"# rank = {rank}", value))
    return "".join(texts).encode()


def _with_comments(text: str, *comments: str) -> str:
    """Puts comments after those that a sentence has, in place of earlier ones of their kind."""
    lines = text.split("\n")
    end = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    carriage_return = "\r" if lines[end].endswith("\r") else ""
    kept = [line for line in lines[:end] if line[1:].partition("=")[0].strip() not in KEYS]
    return "\n".join([*kept, *(comment + carriage_return for comment in comments), *lines[end:]])
