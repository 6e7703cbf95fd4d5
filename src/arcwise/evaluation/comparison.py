"""Which of two systems is better, where, and whether that could be chance.

The test is a paired randomisation over sentences (Noreen 1989; Yeh 2000): if the systems were alike, each
sentence's two analyses might as well be swapped. The share of all ways to swap them after which the scores
lie as far apart as they do is p. It needs no drawing: a difference in words that are right is a sum of whole
numbers with random signs, whose distribution is found exactly. Intervals are drawn: bootstrap over sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arcwise.errors import OptionError
from arcwise.evaluation.arcs import ARC_NAMES, LENGTH_BINS, Arcs, Bools, Ints
from arcwise.evaluation.classes import CLASSES, classes_of
from arcwise.evaluation.pairing import AnnotatedWords, Punctuation, paired

RESAMPLES = 2000
LEAST_P = 1e-12
_MOST_RESAMPLES = 1_000_000
_DRAWS_AT_ONCE = 4_000_000

_Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Difference:
    """Two scores over the same words (or sentences), in percent."""

    count: int
    a: float
    b: float
    difference: float
    """`a` less `b`: positive where the first is better."""
    p: float
    """How probable a difference as large is by chance; in tables, with Holm's correction for their rows."""
    interval: tuple[float, float] | None = None
    """Where the difference lies with 95 % confidence, were the sentences drawn anew; None in tables."""


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two systems on the same gold trees. Differences are the first system's scores less the second's."""

    gold: str
    a: str
    b: str
    scores: Mapping[str, Difference]
    """`uas`, `las`, `label_accuracy`, `uem`, `lem` over all words, `uas_no_punct` and `las_no_punct`."""
    by_relation: Mapping[str, Difference]
    """LAS of the words of each gold label."""
    by_arc: Mapping[str, Difference]
    """LAS by where the gold head stands."""
    by_length: Mapping[str, Difference]
    """LAS by the length of sentences."""
    by_upos: Mapping[str, Difference]
    """LAS by gold tag."""
    by_class: Mapping[str, Difference]
    """What each class of errors costs in LAS (so that less is better): `arcwise.evaluation.error_classes`."""
    only_a: tuple[int, ...]
    """The sentences, counted from 0, that only the first has wholly right; most errors of the other first."""
    only_b: tuple[int, ...]

    def __repr__(self) -> str:
        las = self.scores["las"]
        return f"<Comparison of {self.a!r} and {self.b!r}: LAS {las.a:.2f}, {las.b:.2f}; p = {las.p:.2g}>"

    def to_dict(self) -> dict[str, Any]:
        """Everything there is to say, ready for JSON."""
        found: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Mapping):
                value = {name: asdict(difference) for name, difference in value.items()}
            found[field.name] = list(value) if isinstance(value, tuple) else value
        return found


def compare(
    gold: AnnotatedWords,
    a: AnnotatedWords,
    b: AnnotatedWords,
    *,
    punctuation: Punctuation = "upos",
    resamples: int = RESAMPLES,
    seed: int = 1,
    names: tuple[str, str] | None = None,
) -> Comparison:
    """Compares two annotations of the same words with the gold one.

    Args:
        gold: The gold trees.
        a: Those of the first system.
        b: Those of the second.
        punctuation: Tell punctuation by the gold tags (`upos`) or the forms (`form`).
        resamples: How often the sentences are drawn anew for the intervals; 0: there are none.
        seed: Of these draws.
        names: What the systems are called; by default, what they were read from.

    Raises:
        EvaluationError: The words differ.
    """
    if not 0 <= resamples <= _MOST_RESAMPLES:
        raise OptionError(f"Sentences are drawn anew up to {_MOST_RESAMPLES:,} times: choose (resamples).")
    one, other = paired(gold, a, punctuation), paired(gold, b, punctuation)
    sides = one, other
    sentences = len(gold.first_words) - 1

    def words(right: Callable[[Arcs], Bools], counted: Bools) -> _Paired:
        a, b = (_per_sentence(one, right(side) & counted, sentences) for side in sides)
        return _Paired(a, b, _per_sentence(one, counted, sentences))

    def whole(right: Callable[[Arcs], Bools], counted: Bools) -> _Paired:
        some = _per_sentence(one, counted, sentences) > 0
        a, b = (some & (_per_sentence(one, counted & ~right(side), sentences) == 0) for side in sides)
        return _Paired(a.astype(np.int64), b.astype(np.int64), some.astype(np.int64))

    def table(kinds: Ints, named: Sequence[str]) -> dict[str, Difference]:
        return _table(one, kinds, named, [side.arc_right for side in sides])

    upos = gold.column("upos")
    tags = list(dict.fromkeys(upos))
    tag_ids = {tag: number for number, tag in enumerate(tags)}
    scores = {
        "uas": words(lambda arcs: arcs.head_right, one.counted),
        "las": words(lambda arcs: arcs.arc_right, one.labelled),
        "uas_no_punct": words(lambda arcs: arcs.head_right, one.counted & ~one.punct),
        "las_no_punct": words(lambda arcs: arcs.arc_right, one.labelled & ~one.punct),
        "label_accuracy": words(lambda arcs: arcs.label_right, one.labelled),
        "uem": whole(lambda arcs: arcs.head_right, one.counted),
        "lem": whole(lambda arcs: arcs.arc_right, one.labelled),
    }
    missed = [_per_sentence(one, side.labelled & ~side.arc_right, sentences) for side in sides]
    return Comparison(
        gold.source,
        *(names or (a.source, b.source)),
        scores=_with_intervals(scores, resamples, seed),
        by_relation=_by_size(table(one.gold_labels, one.label_names)),
        by_arc=table(one.arc_kind(one.gold_heads), ARC_NAMES),
        by_length=table(one.length_bin, list(LENGTH_BINS)),
        by_upos=_by_size(table(np.array([tag_ids[tag] for tag in upos], dtype=np.int64), tags)),
        by_class=_classes(sides, upos, sentences),
        only_a=_missed_alone(missed[1], missed[0]),
        only_b=_missed_alone(missed[0], missed[1]),
    )


def randomisation_p(differences: npt.ArrayLike) -> float:
    """How probable it is that whole numbers with random signs add up to as much as these do, or more.

    Exact, over all ways to choose the signs, down to `LEAST_P`.

    >>> [round(randomisation_p(differences), 9) for differences in ([1, 1, 1, -1], [0, 0], [2, 2])]
    [0.625, 1.0, 0.5]
    """
    given = np.asarray(differences, dtype=np.int64)
    sizes, counts = np.unique(np.abs(given[given != 0]), return_counts=True)
    if not len(sizes):
        return 1.0
    most = int((sizes * counts).sum())
    # The characteristic function of a random sign of size v is cos(v t): their product, turned back, is the
    # distribution of the sum. It is real and even, so half of it is enough.
    angles = 2 * np.pi * np.arange(most + 1) / (2 * most + 1)
    transformed = np.ones(most + 1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        transformed *= np.cos(size * angles) ** count
    probs = np.maximum(np.fft.irfft(transformed, 2 * most + 1), 0)
    observed = abs(int(given.sum()))
    tail = float(probs[observed : most + 1].sum() + probs[most + 1 : 2 * most + 2 - max(observed, 1)].sum())
    # What lies below is rounding.
    return min(1.0, max(tail, LEAST_P))


class _Paired(NamedTuple):
    """What is right of both systems, and what is counted, in each sentence."""

    a: _Counts
    b: _Counts
    counted: _Counts


def _with_intervals(scores: Mapping[str, _Paired], resamples: int, seed: int) -> dict[str, Difference]:
    """With the span that holds each difference in 95 % of as many draws of sentences, with replacement."""
    found = {name: _difference(*pair) for name, pair in scores.items()}
    sentences = len(scores["las"].counted)
    if not resamples or not sentences:
        return found
    chance = np.random.default_rng(seed)
    pairs = scores.values()
    columns = np.column_stack([*(p.a - p.b for p in pairs), *(p.counted for p in pairs)]).astype(np.float64)
    step = max(1, _DRAWS_AT_ONCE // sentences)
    drawn = []
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        chosen = chance.integers(sentences, size=(rows, sentences))
        chosen += np.arange(0, rows * sentences, sentences)[:, None]
        times = np.bincount(chosen.ravel(), minlength=rows * sentences).reshape(rows, sentences)
        sums, words = np.split(times @ columns, 2, axis=1)
        drawn.append(100 * sums / np.maximum(words, 1))
    spans = np.quantile(np.concatenate(drawn), (0.025, 0.975), axis=0).T.tolist()
    return {
        name: replace(difference, interval=(low, high))
        for (name, difference), (low, high) in zip(found.items(), spans, strict=True)
    }


def _per_sentence(arcs: Arcs, words: Bools, sentences: int) -> _Counts:
    return np.bincount(arcs.sentence[words], minlength=sentences)


def _difference(a: _Counts, b: _Counts, counted: _Counts) -> Difference:
    count = int(counted.sum())
    first, second = (100 * int(side.sum()) / count if count else 0.0 for side in (a, b))
    return Difference(count, first, second, first - second, randomisation_p(a - b))


def _table(arcs: Arcs, kinds: Ints, names: Sequence[str], rights: Sequence[Bools]) -> dict[str, Difference]:
    """LAS of the words of each kind."""
    words = np.flatnonzero(arcs.labelled)
    words = words[np.argsort(kinds[words], kind="stable")]
    found = {}
    # A slice for each kind, so that thousands of them take no longer than a few.
    for own in np.split(words, np.flatnonzero(np.diff(kinds[words])) + 1):
        if len(own):
            _, place = np.unique(arcs.sentence[own], return_inverse=True)
            a, b = (np.bincount(place[right[own]], minlength=place[-1] + 1) for right in rights)
            found[int(kinds[own[0]])] = _difference(a, b, np.bincount(place))
    return _holm({names[kind]: found[kind] for kind in sorted(found)})


def _classes(sides: Sequence[Arcs], upos: Sequence[str], sentences: int) -> dict[str, Difference]:
    of_sides = [classes_of(side, upos) for side in sides]
    counted = _per_sentence(sides[0], sides[0].labelled, sentences)
    found = {}
    for kind, name in enumerate(CLASSES):
        a, b = (
            _per_sentence(side, classes == kind, sentences)
            for side, classes in zip(sides, of_sides, strict=True)
        )
        if a.any() or b.any():
            found[name] = _difference(a, b, counted)
    ordered = sorted(_holm(found).items(), key=lambda item: -(item[1].a + item[1].b))
    return dict(ordered)


def _holm(rows: Mapping[str, Difference]) -> dict[str, Difference]:
    """With p as Holm (1979) corrects it: of twenty rows, one would be below 0.05 by chance."""
    corrected: dict[str, float] = {}
    least = 0.0
    for rank, name in enumerate(sorted(rows, key=lambda name: rows[name].p)):
        least = max(least, min(1.0, (len(rows) - rank) * rows[name].p))
        corrected[name] = least
    return {name: replace(row, p=corrected[name]) for name, row in rows.items()}


def _by_size(rows: Mapping[str, Difference]) -> dict[str, Difference]:
    return dict(sorted(rows.items(), key=lambda item: (-item[1].count, item[0])))


def _missed_alone(missed: _Counts, by_the_other: _Counts) -> tuple[int, ...]:
    """The sentences that one has errors in and the other none: first those with the most."""
    found = np.flatnonzero((missed > 0) & (by_the_other == 0))
    return tuple(found[np.argsort(-missed[found], kind="stable")].tolist())
