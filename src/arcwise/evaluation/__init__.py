"""Scores of one annotation against another: the papers' and the CoNLL 2018 shared task's.

`evaluate` compares two treebanks with the same words. Beneath it, `attachment_scores` works on
arrays of heads and labels, and `conll18_scores` on CoNLL-U whose tokenisation may differ;
`vocabulary_scores` has known and unknown words apart.

`error_classes`, `confusion` and `worst` say what is wrong, and `compare` which of two systems is
better, where, and whether that could be chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.evaluation.attachment import (
    ArcScores,
    Attachment,
    AttachmentBreakdown,
    AttachmentScores,
    attachment_scores,
)
from arcwise.evaluation.classes import ErrorClass, error_classes
from arcwise.evaluation.comparison import Comparison, Difference, compare, randomisation_p
from arcwise.evaluation.confusions import Confusion, confusion
from arcwise.evaluation.conll18 import Conll18Scores, Score, conll18_scores, vocabulary_scores
from arcwise.evaluation.pairing import AnnotatedWords, punctuation_mask
from arcwise.evaluation.tags import TagsUsed, tags_used
from arcwise.evaluation.treebanks import Evaluation, evaluate
from arcwise.evaluation.worst_sentences import SentenceErrors, worst

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "AnnotatedWords",
    "ArcScores",
    "Attachment",
    "AttachmentBreakdown",
    "AttachmentScores",
    "Comparison",
    "Confusion",
    "Conll18Scores",
    "Difference",
    "ErrorClass",
    "Evaluation",
    "Score",
    "SentenceErrors",
    "TagsUsed",
    "attachment_scores",
    "compare",
    "confusion",
    "conll18_scores",
    "error_classes",
    "evaluate",
    "punctuation_mask",
    "randomisation_p",
    "render",
    "tags_used",
    "vocabulary_scores",
    "worst",
]


def render(evaluation: Evaluation, console: Console | None = None, *, in_brief: bool = False) -> None:
    """Prints `evaluation` to `console` (standard output, unless another is given), maybe in brief."""
    from arcwise.evaluation.tables import render  # here, since parsers have no use for tables

    render(evaluation, console, in_brief=in_brief)
