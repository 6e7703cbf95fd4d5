"""What arcwise raises: every exception of the package is an `ArcwiseError`."""

from __future__ import annotations


class ArcwiseError(Exception):
    """Something went wrong that a person can put right; the message says how."""


class TreebankError(ArcwiseError, ValueError):
    """A treebank cannot be read: the message names the file, the line and the reason."""


class EvaluationError(ArcwiseError, ValueError):
    """Two annotations cannot be compared: the message says where they part."""
