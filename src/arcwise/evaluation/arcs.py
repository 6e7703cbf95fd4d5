"""Gold and system arcs side by side: what every score and every table of errors is counted from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arcwise.errors import EvaluationError

UNKNOWN = -1

Ints: TypeAlias = npt.NDArray[np.integer[Any]]
Bools: TypeAlias = npt.NDArray[np.bool_]

# The lengths of sentences are those of the papers' figures; the distances are McDonald & Nivre's
# (2007), coarser where arcs are rare. Both are the first value of each bin.
LENGTH_BINS = {"1-10": 1, "11-20": 11, "21-30": 21, "31-40": 31, "41+": 41}
DISTANCE_BINS = {"1": 1, "2": 2, "3-6": 3, "7+": 7}

ARC_NAMES = (
    "root",
    *(f"before {distance}" for distance in DISTANCE_BINS),
    *(f"after {distance}" for distance in DISTANCE_BINS),
)


@dataclass(frozen=True)
class Arcs:
    """Gold and system arcs side by side, an element a word."""

    gold_heads: Ints
    gold_labels: Ints
    system_heads: Ints
    system_labels: Ints
    label_names: Sequence[str]
    sentence: Ints
    sentence_length: Ints
    position: Ints  # within the sentence, from 1
    punct: Bools

    @classmethod
    def checked(
        cls,
        gold_heads: npt.ArrayLike,
        gold_labels: Sequence[str] | Ints,
        system_heads: npt.ArrayLike,
        system_labels: Sequence[str] | Ints,
        first_words: npt.ArrayLike,
        punct: npt.ArrayLike,
        label_names: Sequence[str] | None,
    ) -> Arcs:
        first = np.asarray(first_words, dtype=np.int64)
        if first.ndim != 1 or not len(first) or first[0] != 0 or (np.diff(first) < 0).any():
            raise EvaluationError(
                "first_words has to start at 0 and never to fall: one number a sentence, and the "
                "number of all words at the end."
            )
        words = int(first[-1])
        gold_ids, system_ids, names = _label_ids(gold_labels, system_labels, label_names)
        lengths = np.diff(first)
        sentence_length = np.repeat(lengths, lengths)
        arcs = cls(
            gold_heads=np.asarray(gold_heads, dtype=np.int64),
            gold_labels=gold_ids,
            system_heads=np.asarray(system_heads, dtype=np.int64),
            system_labels=system_ids,
            label_names=names,
            sentence=np.repeat(np.arange(len(lengths)), lengths),
            sentence_length=sentence_length,
            position=np.arange(words) - np.repeat(first[:-1], lengths) + 1,
            punct=np.asarray(punct, dtype=bool),
        )
        for name in ("gold_heads", "gold_labels", "system_heads", "system_labels", "punct"):
            values: Ints | Bools = getattr(arcs, name)
            if values.shape != (words,):
                raise EvaluationError(
                    f"{name} has the shape {values.shape}, but first_words ends with {words} words."
                    " Give one value a word."
                )
        for name in ("gold_heads", "system_heads"):
            heads: Ints = getattr(arcs, name)
            outside = np.flatnonzero((heads < UNKNOWN) | (heads > sentence_length))
            if len(outside):
                word = outside[0]
                raise EvaluationError(
                    f"{name} has {heads[word]} for word {arcs.position[word]} of sentence "
                    f"{arcs.sentence[word] + 1}, which has {sentence_length[word]} words. Heads "
                    "count from 1 within the sentence; 0 is ROOT and -1 unknown."
                )
        return arcs

    @cached_property
    def head_right(self) -> Bools:
        return np.asarray(self.gold_heads == self.system_heads, dtype=bool)

    @cached_property
    def label_right(self) -> Bools:
        return np.asarray(self.gold_labels == self.system_labels, dtype=bool)

    @cached_property
    def arc_right(self) -> Bools:
        return self.head_right & self.label_right

    @cached_property
    def counted(self) -> Bools:
        """The words whose gold head is known."""
        return np.asarray(self.gold_heads != UNKNOWN, dtype=bool)

    @cached_property
    def labelled(self) -> Bools:
        """Those whose gold label is known too."""
        return np.asarray(self.counted & (self.gold_labels != UNKNOWN), dtype=bool)

    @cached_property
    def length_bin(self) -> Ints:
        """An index into `LENGTH_BINS` a word: how long its sentence is."""
        return np.searchsorted(list(LENGTH_BINS.values()), self.sentence_length, side="right") - 1

    def arc_kind(self, heads: Ints) -> Ints:
        """An index into `ARC_NAMES` a word."""
        distance = np.abs(heads - self.position)
        bins = np.searchsorted(list(DISTANCE_BINS.values()), distance, side="right")
        kind = np.where(heads < self.position, bins, bins + len(DISTANCE_BINS))
        return np.where(heads == UNKNOWN, UNKNOWN, np.where(heads == 0, 0, kind))


def _label_ids(
    gold: Sequence[str] | Ints, system: Sequence[str] | Ints, names: Sequence[str] | None
) -> tuple[Ints, Ints, Sequence[str]]:
    if names is not None:
        gold_ids, system_ids = np.asarray(gold), np.asarray(system)
        for ids in (gold_ids, system_ids):
            if ids.size and not np.issubdtype(ids.dtype, np.integer):
                raise EvaluationError(
                    "With label_names, labels are indices into them. Give integers, or leave label_names out."
                )
            if ids.size and (ids.min() < UNKNOWN or ids.max() >= len(names)):
                raise EvaluationError(
                    f"A label is outside label_names, which has {len(names)} names. Index both "
                    "sides' labels by the same names; -1 is unknown."
                )
        return gold_ids.astype(np.int64), system_ids.astype(np.int64), names

    index: dict[str, int] = {"_": UNKNOWN}
    found: list[str] = []
    sides = []
    for labels in (gold, system):
        ids = np.empty(len(labels), dtype=np.int64)
        for word, label in enumerate(labels):
            if not isinstance(label, str):
                raise EvaluationError("Labels are integers, but label_names is missing. Give both.")
            if label not in index:
                index[label] = len(found)
                found.append(label)
            ids[word] = index[label]
        sides.append(ids)
    return sides[0], sides[1], found
