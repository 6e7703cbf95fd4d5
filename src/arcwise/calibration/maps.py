"""Monotone maps from what a parser says to how often it is right, fitted to held-out data.

Every map is a line of straight pieces between knots on the scale of log-odds: one piece for `temperature`
(p → σ(a · logit p)) and `platt` (p → σ(a · logit p + b), Platt 1999), several for `beta` (p → σ(a · log p -
b · log(1 - p) + c), Kull et al. 2017) and `isotonic` (Zadrozny & Elkan 2002).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from arcwise._numpy import np
from arcwise.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# The nearest to 0 and to 1 that a probability is told from them; single precision has little more.
LEAST = 1e-6
FOLDS = 5
_MOST_BLOCKS = 40
_LEAST_BLOCK = 20

Floats: TypeAlias = "NDArray[np.float64]"
Bools: TypeAlias = "NDArray[np.bool_]"


@dataclass(frozen=True)
class Map:
    """A monotone map from probabilities to probabilities, none of which is 0 or 1."""

    kind: str
    knots: tuple[tuple[float, float], ...]
    """Log-odds and what becomes of them, in ascending order; straight between, flat beyond."""

    def __call__(self, probs: ArrayLike) -> Floats:
        """
        >>> halve = Map("temperature", ((-10.0, -5.0), (10.0, 5.0)))
        >>> halve([0.5, 0.9]).round(3).tolist()
        [0.5, 0.75]
        """
        given, becomes = np.array(self.knots).T
        return to_probs(np.interp(to_log_odds(probs), given, becomes))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "knots": [list(knot) for knot in self.knots]}

    @classmethod
    def from_dict(cls, stored: Any) -> Map:
        """Refuses what is not a monotone map."""
        try:
            kind, knots = stored["kind"], tuple((float(x), float(y)) for x, y in stored["knots"])
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError("The model is damaged: a map of probabilities cannot be read.") from error
        is_map = kind in KINDS and knots and all(map(math.isfinite, chain(*knots)))
        if not (is_map and all(x < next_x and y <= next_y for (x, y), (next_x, next_y) in pairwise(knots))):
            raise ModelError("The model is damaged: a map of probabilities is not monotone.")
        return cls(kind, knots)


def to_log_odds(probs: ArrayLike) -> Floats:
    p = np.clip(np.asarray(probs, dtype=float), LEAST, 1 - LEAST)
    return np.asarray(np.log(p) - np.log1p(-p))


def _ends() -> Floats:
    """The least log-odds that there are, and the most."""
    return to_log_odds([0, 1])


def to_probs(log_odds: Floats) -> Floats:
    most = float(to_log_odds(1.0))
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -most, most))))


def log_loss(probs: ArrayLike, right: ArrayLike) -> float:
    """The mean of -log p of what was the case."""
    p = np.clip(np.asarray(probs, dtype=float), LEAST, 1 - LEAST)
    return float(-np.mean(np.where(right, np.log(p), np.log1p(-p))))


def isotonic(values: ArrayLike, weights: ArrayLike) -> Floats:
    """The non-decreasing sequence with the least squared distance: pool adjacent violators.

    >>> isotonic([1, 3, 2, 4], [1, 1, 1, 1]).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    blocks: list[tuple[float, float, int]] = []  # the mean, the weight, how many
    pairs = zip(np.asarray(values, dtype=float).tolist(), np.asarray(weights).tolist(), strict=True)
    for mean, weight in pairs:
        count = 1
        while blocks and blocks[-1][0] >= mean:
            other, its_weight, its_count = blocks.pop()
            mean = (mean * weight + other * its_weight) / (weight + its_weight)
            weight, count = weight + its_weight, count + its_count
        blocks.append((mean, weight, count))
    return np.repeat([mean for mean, _, _ in blocks], [count for _, _, count in blocks])


def _fit_isotonic(probs: ArrayLike, right: ArrayLike) -> Map:
    """Knots are where blocks of equal accuracy lie; small ones are joined with a neighbour.

    Each accuracy is that of a block and of one observation more that is half right, so that none is 0 or 1.
    """
    x, places = np.unique(to_log_odds(probs), return_inverse=True)
    counts = np.bincount(places).astype(float)
    rights = np.bincount(places, weights=np.asarray(right, dtype=float))
    accuracies = isotonic(rights / counts, counts)
    ends = np.flatnonzero(np.diff(accuracies, append=np.inf))
    sizes = np.cumsum(counts)[ends]
    least = max(_LEAST_BLOCK, sizes[-1] / _MOST_BLOCKS)
    starts, begin = [0], 0.0
    for end, size in zip(ends.tolist(), sizes.tolist(), strict=True):
        if size - begin >= least and sizes[-1] - size >= least:
            starts.append(end + 1)
            begin = size
    block_counts = np.add.reduceat(counts, starts)
    middles = np.add.reduceat(counts * x, starts) / block_counts
    shares = (np.add.reduceat(rights, starts) + 0.5) / (block_counts + 1)
    log_odds = np.maximum.accumulate(to_log_odds(shares))
    return Map("isotonic", tuple(zip(middles.tolist(), log_odds.tolist(), strict=True)))


def _fit_nothing(probs: ArrayLike, right: ArrayLike) -> Map:
    return _curve("identity", lambda x: x, _ends())


def _fit_temperature(probs: ArrayLike, right: ArrayLike) -> Map:
    (a,) = _logistic(to_log_odds(probs)[None, :], right)
    return _curve("temperature", lambda x: max(0.0, a) * x, _ends())


def _fit_platt(probs: ArrayLike, right: ArrayLike) -> Map:
    x = to_log_odds(probs)
    a, b = _logistic(np.stack([x, np.ones_like(x)]), right)
    return _curve("platt", lambda x: max(0.0, a) * x + b, _ends())


def _fit_beta(probs: ArrayLike, right: ArrayLike) -> Map:
    columns = _of_beta(to_log_odds(probs))
    # A slope below 0 would not be monotone: the other one does without it.
    for used in ([0, 1, 2], [0, 2], [1, 2], [2]):
        weights = np.zeros(3)
        weights[used] = _logistic(columns[used], right)
        if (weights[:2] >= 0).all():
            break
    least, most = _ends()
    return _curve("beta", lambda x: weights @ _of_beta(x), np.linspace(least, most, _BETA_KNOTS))


def _of_beta(x: Floats) -> Floats:
    """log p, -log(1 - p) and 1 of log-odds."""
    return np.stack([-np.logaddexp(0, -x), np.logaddexp(0, x), np.ones_like(x)])


def _curve(kind: str, becomes: Callable[[Floats], Floats], given: Floats) -> Map:
    return Map(kind, tuple(zip(given.tolist(), becomes(given).tolist(), strict=True)))


def _logistic(columns: Floats, right: ArrayLike) -> Floats:
    """The weights of columns with the least log loss, by Newton's method.

    Targets are a little less than 1 and more than 0, as Platt has them: where nothing is wrong, a slope would
    grow without end.
    """
    correct = np.asarray(right, dtype=bool)
    positives = int(correct.sum())
    targets = np.where(correct, (positives + 1) / (positives + 2), 1 / (len(correct) - positives + 2))

    def loss(w: Floats) -> float:
        z = w @ columns
        return float(np.sum(np.logaddexp(0, z) - targets * z))

    w = np.zeros(len(columns))
    for _ in range(_MOST_STEPS):
        p = to_probs(w @ columns)
        gradient = columns @ (p - targets)
        hessian = (columns * (p * (1 - p))) @ columns.T + _RIDGE * np.eye(len(columns))
        step = np.linalg.solve(hessian, gradient)
        before, size = loss(w), 1.0
        while loss(w - size * step) > before and size > _LEAST_STEP:
            size /= 2
        w = w - size * step
        if np.abs(size * step).max() < _LEAST_STEP:
            break
    return w


_BETA_KNOTS = 57  # half a unit of log-odds apart: no closer is needed to follow the curve
_RIDGE = 1e-9
_MOST_STEPS = 50
_LEAST_STEP = 1e-9

_FITS: dict[str, Callable[[ArrayLike, ArrayLike], Map]] = {
    "identity": _fit_nothing,
    "temperature": _fit_temperature,
    "platt": _fit_platt,
    "beta": _fit_beta,
    "isotonic": _fit_isotonic,
}
KINDS = tuple(_FITS)


def fit(kind: str, probs: ArrayLike, right: ArrayLike) -> Map:
    """The map of this kind that is truest to these probabilities of what was right, or not."""
    return _FITS[kind](probs, right)


def choose(
    probs: ArrayLike, right: ArrayLike, folds: ArrayLike, kinds: Sequence[str] = KINDS
) -> tuple[Map, dict[str, float]]:
    """The map of the kind that has the least log loss on folds that it was not fitted to, fitted to all; and
    these losses.
    """
    p, correct, fold = np.asarray(probs), np.asarray(right, dtype=bool), np.asarray(folds)

    def held_out(kind: str) -> float:
        total = 0.0
        for held in np.unique(fold):
            out = fold == held
            total += log_loss(fit(kind, p[~out], correct[~out])(p[out]), correct[out]) * out.sum()
        return total / len(fold)

    losses = {kind: held_out(kind) for kind in kinds}
    return fit(min(losses, key=lambda kind: losses[kind]), p, correct), losses
