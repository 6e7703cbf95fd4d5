"""The papers' scores: how many words have the right head and label, on the same tokenisation.

Labels are compared in full (`nmod:poss` is not `nmod`), unlike the CoNLL 2018 metrics of the same
names (`arcwise.evaluation.conll18`). All scores are percentages; where there is nothing to count,
they are 0.

What is not annotated in the gold standard is not counted: a word with an unknown head nowhere, a
word with an unknown label not where labels are scored. What the system leaves unknown is wrong.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from arcwise.errors import EvaluationError

UNKNOWN = -1

Punctuation = Literal["upos", "form"]

# UD's tag, the universal tag set's (and Penn's full stop), Penn Chinese's, and Penn's other four
# that English papers leave out. None of them means anything but punctuation elsewhere.
PUNCTUATION_TAGS = frozenset(("PUNCT", ".", "PU", ",", ":", "``", "''"))

# The lengths of sentences are those of the papers' figures; the distances are McDonald & Nivre's
# (2007), coarser where arcs are rare. Both are the first value of each bin.
_LENGTH_BINS = {"1-10": 1, "11-20": 11, "21-30": 21, "31-40": 31, "41+": 41}
_DISTANCE_BINS = {"1": 1, "2": 2, "3-6": 3, "7+": 7}

_ARC_NAMES = (
    "root",
    *(f"before {distance}" for distance in _DISTANCE_BINS),
    *(f"after {distance}" for distance in _DISTANCE_BINS),
)

_Ints = npt.NDArray[np.integer[Any]]
_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Attachment:
    """The five scores, over `words` words of `sentences` sentences."""

    words: int
    sentences: int
    uas: float  # words with the right head
    las: float  # words with the right head and label
    label_accuracy: float  # words with the right label, whatever the head
    uem: float  # sentences in which every word has the right head
    lem: float  # sentences in which every word has the right head and label


@dataclass(frozen=True)
class ArcScores:
    """The scores of one kind of arc, such as those of a relation.

    `precision` is over the arcs that the system says are of this kind, `recall` over those that
    are, and an arc is right if its head and its label are. The `head_` scores forgive the label.
    """

    gold: int
    predicted: int
    precision: float
    recall: float
    f1: float
    head_precision: float
    head_recall: float
    head_f1: float


@dataclass(frozen=True)
class AttachmentBreakdown(Attachment):
    """The five scores, and where they come from.

    `relations` has an entry for every relation that gold or system uses, the most frequent first;
    `by_length` for every bin of sentence lengths (punctuation included) that holds a counted word;
    `by_arc` for the root, and for how many words before or after a word its head stands.
    """

    relations: Mapping[str, ArcScores]
    by_length: Mapping[str, Attachment]
    by_arc: Mapping[str, ArcScores]


@dataclass(frozen=True)
class AttachmentScores(AttachmentBreakdown):
    """The scores over all words, and in `no_punct` the same without punctuation."""

    no_punct: AttachmentBreakdown

    def to_dict(self) -> dict[str, Any]:
        """Everything there is to say, ready for JSON."""
        return asdict(self)


def attachment_scores(
    gold_heads: npt.ArrayLike,
    gold_labels: Sequence[str] | _Ints,
    system_heads: npt.ArrayLike,
    system_labels: Sequence[str] | _Ints,
    *,
    first_words: npt.ArrayLike,
    punct: npt.ArrayLike,
    label_names: Sequence[str] | None = None,
) -> AttachmentScores:
    """Scores the system's arcs against the gold arcs, word by word.

    Heads count from 1 within the sentence; 0 is ROOT and -1 unknown. Labels are strings, `_` for
    unknown, or indices into `label_names`, -1 for unknown. Sentence i is made of the words
    `first_words[i]` to `first_words[i + 1] - 1`, and `punct` says which words are punctuation.

    >>> scores = attachment_scores(
    ...     [2, 0, 2], ["nsubj", "root", "punct"], [2, 0, 1], ["obj", "root", "punct"],
    ...     first_words=[0, 3], punct=[False, False, True],
    ... )
    >>> round(scores.uas, 1), round(scores.las, 1), scores.no_punct.uas, scores.no_punct.las
    (66.7, 33.3, 100.0, 50.0)
    """
    arcs = _Arcs.checked(
        gold_heads, gold_labels, system_heads, system_labels, first_words, punct, label_names
    )
    everything = arcs.breakdown(arcs.gold_heads != UNKNOWN)
    no_punct = arcs.breakdown((arcs.gold_heads != UNKNOWN) & ~arcs.punct)
    return AttachmentScores(**vars(everything), no_punct=no_punct)


def punctuation_mask(
    upos: Sequence[str], forms: Sequence[str], by: Punctuation = "upos"
) -> npt.NDArray[np.bool_]:
    """Which words are punctuation.

    By `"upos"`, words whose tag is in `PUNCTUATION_TAGS`; by `"form"`, words all of whose
    characters are of a Unicode category P*, which needs no tags but leaves out symbols such as `$`
    and `+`.
    """
    if by == "upos":
        tags = list(upos)
        return np.fromiter((tag in PUNCTUATION_TAGS for tag in tags), dtype=bool, count=len(tags))
    if by == "form":
        is_punctuation = {form: _is_punctuation(form) for form in set(forms)}
        return np.fromiter((is_punctuation[form] for form in forms), dtype=bool, count=len(forms))
    raise EvaluationError(
        f"Punctuation cannot be told by {by!r}. Choose one of: {', '.join(get_args(Punctuation))}."
    )


def _is_punctuation(form: str) -> bool:
    return bool(form) and all(unicodedata.category(character)[0] == "P" for character in form)


@dataclass(frozen=True)
class _Arcs:
    """Gold and system arcs side by side, an element a word."""

    gold_heads: _Ints
    gold_labels: _Ints
    system_heads: _Ints
    system_labels: _Ints
    label_names: Sequence[str]
    sentence: _Ints
    sentence_length: _Ints
    position: _Ints  # within the sentence, from 1
    punct: _Bools

    @classmethod
    def checked(
        cls,
        gold_heads: npt.ArrayLike,
        gold_labels: Sequence[str] | _Ints,
        system_heads: npt.ArrayLike,
        system_labels: Sequence[str] | _Ints,
        first_words: npt.ArrayLike,
        punct: npt.ArrayLike,
        label_names: Sequence[str] | None,
    ) -> _Arcs:
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
            values: _Ints | _Bools = getattr(arcs, name)
            if values.shape != (words,):
                raise EvaluationError(
                    f"{name} has the shape {values.shape}, but first_words ends with {words} words."
                    " Give one value a word."
                )
        for name in ("gold_heads", "system_heads"):
            heads: _Ints = getattr(arcs, name)
            outside = np.flatnonzero((heads < UNKNOWN) | (heads > sentence_length))
            if len(outside):
                word = outside[0]
                raise EvaluationError(
                    f"{name} has {heads[word]} for word {arcs.position[word]} of sentence "
                    f"{arcs.sentence[word] + 1}, which has {sentence_length[word]} words. Heads "
                    "count from 1 within the sentence; 0 is ROOT and -1 unknown."
                )
        return arcs

    def breakdown(self, counted: _Bools) -> AttachmentBreakdown:
        labelled = counted & (self.gold_labels != UNKNOWN)
        bins = np.searchsorted(list(_LENGTH_BINS.values()), self.sentence_length, side="right") - 1
        return AttachmentBreakdown(
            **vars(self._attachment(counted)),
            relations=self._relations(labelled),
            by_length={
                name: self._attachment(in_bin)
                for index, name in enumerate(_LENGTH_BINS)
                if (in_bin := counted & (bins == index)).any()
            },
            by_arc=_by_kind(
                self._arc_kind(self.gold_heads)[labelled],
                self._arc_kind(self.system_heads)[labelled],
                _ARC_NAMES,
                self._head_right[labelled],
                self._arc_right[labelled],
            ),
        )

    @cached_property
    def _head_right(self) -> _Bools:
        return np.asarray(self.gold_heads == self.system_heads, dtype=bool)

    @cached_property
    def _label_right(self) -> _Bools:
        return np.asarray(self.gold_labels == self.system_labels, dtype=bool)

    @cached_property
    def _arc_right(self) -> _Bools:
        return self._head_right & self._label_right

    def _attachment(self, counted: _Bools) -> Attachment:
        labelled = counted & (self.gold_labels != UNKNOWN)
        return Attachment(
            words=int(counted.sum()),
            sentences=len(np.unique(self.sentence[counted])),
            uas=_share(self._head_right[counted]),
            las=_share(self._arc_right[labelled]),
            label_accuracy=_share(self._label_right[labelled]),
            uem=self._exact_match(self._head_right, counted),
            lem=self._exact_match(self._arc_right, labelled),
        )

    def _exact_match(self, right: _Bools, counted: _Bools) -> float:
        # A sentence without a counted word is neither matched nor missed.
        sentences = np.unique(self.sentence[counted])
        missed = np.unique(self.sentence[counted & ~right])
        return _percentage(len(sentences) - len(missed), len(sentences))

    def _relations(self, labelled: _Bools) -> dict[str, ArcScores]:
        relations = _by_kind(
            self.gold_labels[labelled],
            self.system_labels[labelled],
            self.label_names,
            self._head_right[labelled],
            self._arc_right[labelled],
        )
        return dict(sorted(relations.items(), key=lambda item: (-item[1].gold, item[0])))

    def _arc_kind(self, heads: _Ints) -> _Ints:
        """An index into `_ARC_NAMES` a word."""
        distance = np.abs(heads - self.position)
        bins = np.searchsorted(list(_DISTANCE_BINS.values()), distance, side="right")
        kind = np.where(heads < self.position, bins, bins + len(_DISTANCE_BINS))
        return np.where(heads == UNKNOWN, UNKNOWN, np.where(heads == 0, 0, kind))


def _by_kind(
    gold_kind: _Ints,
    system_kind: _Ints,
    names: Sequence[str],
    head_right: _Bools,
    arc_right: _Bools,
) -> dict[str, ArcScores]:
    def count(kinds: _Ints) -> list[int]:
        counts: list[int] = np.bincount(kinds[kinds != UNKNOWN], minlength=len(names)).tolist()
        return counts

    gold, predicted, right = count(gold_kind), count(system_kind), count(gold_kind[arc_right])
    gold_heads, system_heads = count(gold_kind[head_right]), count(system_kind[head_right])
    scores = {}
    for kind, name in enumerate(names):
        if gold[kind] or predicted[kind]:
            precision = _percentage(right[kind], predicted[kind])
            recall = _percentage(right[kind], gold[kind])
            head_precision = _percentage(system_heads[kind], predicted[kind])
            head_recall = _percentage(gold_heads[kind], gold[kind])
            scores[name] = ArcScores(
                gold=gold[kind],
                predicted=predicted[kind],
                precision=precision,
                recall=recall,
                f1=_harmonic_mean(precision, recall),
                head_precision=head_precision,
                head_recall=head_recall,
                head_f1=_harmonic_mean(head_precision, head_recall),
            )
    return scores


def _label_ids(
    gold: Sequence[str] | _Ints, system: Sequence[str] | _Ints, names: Sequence[str] | None
) -> tuple[_Ints, _Ints, Sequence[str]]:
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


def _share(right: _Bools) -> float:
    return _percentage(int(right.sum()), len(right))


def _percentage(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _harmonic_mean(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
