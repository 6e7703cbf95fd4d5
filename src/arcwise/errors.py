"""The exceptions that arcwise raises: each says what is wrong and what to do."""

from __future__ import annotations

from arcwise._terminal import visible


class ArcwiseError(Exception):
    """Whatever arcwise refuses to do."""

    def __str__(self) -> str:
        # Messages have names and values from files in them, and end on someone's terminal.
        return visible(super().__str__())


class TreebankError(ArcwiseError, ValueError):
    """A treebank cannot be read, written or put together as asked."""


class LongSentenceWarning(UserWarning):
    """A sentence of raw text was too long and was cut: the message says which, and how."""

    def __str__(self) -> str:
        return visible(super().__str__())


class SkippedTextWarning(UserWarning):
    """A text was left out because it could not be read: the message says which, and why."""

    def __str__(self) -> str:
        return visible(super().__str__())


class TextError(ArcwiseError, ValueError):
    """Raw text cannot be read: the message says where it is wrong."""


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


class TransitionError(ArcwiseError, ValueError):
    """A transition system that was written in Python does what it must not: the message says which move in
    which state, and what is wrong."""


class EvaluationError(ArcwiseError, ValueError):
    """Two annotations cannot be compared: the message says where they part."""


def says_by_itself(error: Exception) -> bool:
    """Whether what a call of the core has raised is to reach the caller as it is.

    That is an error of the package's own, or one of Python code that the core has called, which left a trace.
    """
    trace = error.__traceback__
    return isinstance(error, ArcwiseError) or (trace is not None and trace.tb_next is not None)
