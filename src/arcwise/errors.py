"""The exceptions that arcwise raises: each says what is wrong and what to do."""

from __future__ import annotations


class ArcwiseError(Exception):
    """Whatever arcwise refuses to do."""


class TreebankError(ArcwiseError, ValueError):
    """A treebank cannot be read, written or put together as asked."""


class OptionError(ArcwiseError, ValueError):
    """An option has no such value, or does not go with another."""


class ConstraintError(ArcwiseError, ValueError):
    """Constraints contradict each other, or do not fit their sentence: the message says which."""


class FeatureError(ArcwiseError, ValueError):
    """A feature set cannot be read, or does not fit the transition system."""


class VectorsError(ArcwiseError, ValueError):
    """A file of word vectors cannot be read: the message says where it is wrong."""


class ModelError(ArcwiseError, ValueError):
    """A model file is damaged, foreign, or not what it is used for."""


class SearchError(ArcwiseError, ValueError):
    """A task of learning to search does what it must not: the message says where, and what to do."""


class EvaluationError(ArcwiseError, ValueError):
    """Two annotations cannot be compared: the message says where they part."""
