"""The papers' scores: how many words have the right head and label, on the same tokenisation.

Labels are compared in full (`nmod:poss` is not `nmod`), unlike the CoNLL 2018 metrics of the same
names (`arcwise.evaluation.conll18`). All scores are percentages; where there is nothing to count,
they are 0.

What is not annotated in the gold standard is not counted: a word with an unknown head nowhere, a
word with an unknown label not where labels are scored. What the system leaves unknown is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arcwise._terminal import counted
from arcwise.evaluation.arcs import ARC_NAMES, LENGTH_BINS, UNKNOWN, Arcs, Bools, Ints


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


@dataclass(frozen=True, repr=False)
class AttachmentBreakdown(Attachment):
    """The five scores, and where they come from.

    `relations` has an entry for every relation that gold or system uses, the most frequent first;
    `by_length` for every bin of sentence lengths (punctuation included) that holds a counted word;
    `by_arc` for the root, and for how many words before or after a word its head stands.
    """

    relations: Mapping[str, ArcScores]
    by_length: Mapping[str, Attachment]
    by_arc: Mapping[str, ArcScores]

    @property
    def in_brief(self) -> str:
        """The scores that people ask for first."""
        words, sentences = counted(self.words, "word"), counted(self.sentences, "sentence")
        return f"UAS {self.uas:.2f}, LAS {self.las:.2f}; {words} in {sentences}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.in_brief}>"


@dataclass(frozen=True, repr=False)
class AttachmentScores(AttachmentBreakdown):
    """The scores over all words, and in `no_punct` the same without punctuation."""

    no_punct: AttachmentBreakdown

    def to_dict(self) -> dict[str, Any]:
        """Everything there is to say, ready for JSON."""
        return asdict(self)


def attachment_scores(
    gold_heads: npt.ArrayLike,
    gold_labels: Sequence[str] | Ints,
    system_heads: npt.ArrayLike,
    system_labels: Sequence[str] | Ints,
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
    return scores_of(
        Arcs.checked(gold_heads, gold_labels, system_heads, system_labels, first_words, punct, label_names)
    )


def scores_of(arcs: Arcs) -> AttachmentScores:
    """The same of arcs that are side by side already."""
    everything = _breakdown(arcs, arcs.counted)
    no_punct = _breakdown(arcs, arcs.counted & ~arcs.punct)
    return AttachmentScores(**vars(everything), no_punct=no_punct)


def _breakdown(arcs: Arcs, chosen: Bools) -> AttachmentBreakdown:
    labelled = chosen & (arcs.gold_labels != UNKNOWN)
    return AttachmentBreakdown(
        **vars(_attachment(arcs, chosen)),
        relations=_relations(arcs, labelled),
        by_length={
            name: _attachment(arcs, in_bin)
            for index, name in enumerate(LENGTH_BINS)
            if (in_bin := chosen & (arcs.length_bin == index)).any()
        },
        by_arc=_by_kind(
            arcs.arc_kind(arcs.gold_heads)[labelled],
            arcs.arc_kind(arcs.system_heads)[labelled],
            ARC_NAMES,
            arcs.head_right[labelled],
            arcs.arc_right[labelled],
        ),
    )


def _attachment(arcs: Arcs, chosen: Bools) -> Attachment:
    labelled = chosen & (arcs.gold_labels != UNKNOWN)
    return Attachment(
        words=int(chosen.sum()),
        sentences=len(np.unique(arcs.sentence[chosen])),
        uas=_share(arcs.head_right[chosen]),
        las=_share(arcs.arc_right[labelled]),
        label_accuracy=_share(arcs.label_right[labelled]),
        uem=_exact_match(arcs, arcs.head_right, chosen),
        lem=_exact_match(arcs, arcs.arc_right, labelled),
    )


def _exact_match(arcs: Arcs, right: Bools, chosen: Bools) -> float:
    # A sentence without a counted word is neither matched nor missed.
    sentences = np.unique(arcs.sentence[chosen])
    missed = np.unique(arcs.sentence[chosen & ~right])
    return _percentage(len(sentences) - len(missed), len(sentences))


def _relations(arcs: Arcs, labelled: Bools) -> dict[str, ArcScores]:
    relations = _by_kind(
        arcs.gold_labels[labelled],
        arcs.system_labels[labelled],
        arcs.label_names,
        arcs.head_right[labelled],
        arcs.arc_right[labelled],
    )
    return dict(sorted(relations.items(), key=lambda item: (-item[1].gold, item[0])))


def _by_kind(
    gold_kind: Ints,
    system_kind: Ints,
    names: Sequence[str],
    head_right: Bools,
    arc_right: Bools,
) -> dict[str, ArcScores]:
    def count(kinds: Ints) -> list[int]:
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


def _share(right: Bools) -> float:
    return _percentage(int(right.sum()), len(right))


def _percentage(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _harmonic_mean(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
