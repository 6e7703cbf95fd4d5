"""The sentences that cost most: which, and what is wrong in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from arcwise.evaluation.arcs import UNKNOWN, Arcs
from arcwise.evaluation.classes import CLASSES, classes_of
from arcwise.evaluation.pairing import AnnotatedWords, Punctuation, paired

_NAMES = [*CLASSES, None]  # where -1, no error, leads


@dataclass(frozen=True)
class SentenceErrors:
    """What is wrong in a sentence."""

    index: int
    """Which sentence, counted from 0."""
    words: int
    """How many are scored."""
    errors: int
    classes: tuple[str | None, ...]
    """The class of each word's error; None of words that are right or not scored."""

    @property
    def las(self) -> float:
        return 100 * (1 - self.errors / self.words) if self.words else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "classes": list(self.classes), "las": self.las}


def worst(
    gold: AnnotatedWords, system: AnnotatedWords, count: int, *, punctuation: Punctuation = "upos"
) -> list[SentenceErrors]:
    """The sentences with the most wrong words, and of those with as many, the shortest first.

    They are those that cost most LAS. Sentences without an error are not among them.
    """
    arcs = paired(gold, system, punctuation)
    wrong = np.bincount(arcs.sentence[arcs.labelled & ~arcs.arc_right], minlength=len(gold.first_words) - 1)
    lengths = np.diff(gold.first_words)
    order = np.lexsort((np.arange(len(wrong)), lengths, -wrong))
    return errors_in(arcs, gold, [index for index in order[:count].tolist() if wrong[index]])


def errors_in(arcs: Arcs, gold: AnnotatedWords, sentences: Iterable[int]) -> list[SentenceErrors]:
    """What is wrong in these sentences."""
    classes = classes_of(arcs, gold.column("upos"))
    found = []
    for index in sentences:
        own = slice(*gold.first_words[index : index + 2].tolist())
        found.append(
            SentenceErrors(
                index,
                words=int(arcs.labelled[own].sum()),
                errors=int((classes[own] != UNKNOWN).sum()),
                classes=tuple(_NAMES[kind] for kind in classes[own].tolist()),
            )
        )
    return found
