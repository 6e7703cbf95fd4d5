"""Scores of one annotation against another: the papers' and the CoNLL 2018 shared task's.

`evaluate` compares two treebanks with the same words. Beneath it, `attachment_scores` works on
arrays of heads and labels, and `conll18_scores` on CoNLL-U whose tokenisation may differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.evaluation.attachment import (
    ArcScores,
    Attachment,
    AttachmentBreakdown,
    AttachmentScores,
    attachment_scores,
    punctuation_mask,
)
from arcwise.evaluation.conll18 import Conll18Scores, Score, conll18_scores
from arcwise.evaluation.treebanks import AnnotatedWords, Evaluation, evaluate

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "AnnotatedWords",
    "ArcScores",
    "Attachment",
    "AttachmentBreakdown",
    "AttachmentScores",
    "Conll18Scores",
    "Evaluation",
    "Score",
    "attachment_scores",
    "conll18_scores",
    "evaluate",
    "punctuation_mask",
    "render",
]


def render(evaluation: Evaluation, console: Console | None = None) -> None:
    """Prints `evaluation` to `console` (standard output, unless another is given)."""
    from arcwise.evaluation.tables import render  # here, since parsers have no use for tables

    render(evaluation, console)
