"""The exceptions that arcwise raises: each says what is wrong and what to do."""

from __future__ import annotations


class ArcwiseError(Exception):
    """Whatever arcwise refuses to do."""


class TreebankError(ArcwiseError, ValueError):
    """A treebank cannot be read, written or put together as asked."""
