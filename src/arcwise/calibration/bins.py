"""How far probabilities can be trusted: how often what is said to be so probable is the case."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.calibration.maps import log_loss
from arcwise.errors import EvaluationError

BINS = 10


@dataclass(frozen=True)
class Bin:
    """Probabilities from `low` on, below the next bin's; the last has 1 in it."""

    low: float
    high: float
    count: int
    accuracy: float | None
    """The share that is right; None if there is nothing in the bin."""
    confidence: float | None
    """The mean of the probabilities."""


@dataclass(frozen=True)
class Reliability:
    """Ten bins as in Table 4 of Goldberg 2013, and what they come to.

    Calibration errors are means over all items of how far the accuracy of an item's bin is from the mean
    probability in it: `ece` over bins of equal width, `ece_equal_mass` over bins of equally many items.
    """

    count: int
    accuracy: float
    confidence: float
    bins: tuple[Bin, ...]
    ece: float
    ece_equal_mass: float
    brier: float
    """The mean squared distance of a probability from 1, where it was right, or 0."""
    log_loss: float
    errors_in_lowest_tenth: float | None
    """Of all errors, the share in the tenth of items with the lowest probabilities; None without errors."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def reliability(probs: ArrayLike, right: ArrayLike, bins: int = BINS) -> Reliability:
    """Probabilities against whether what they are of was the case.

    >>> result = reliability([0.95, 0.85, 0.85, 0.3], [True, True, False, False])
    >>> [(bin.low, bin.count, bin.accuracy) for bin in result.bins if bin.count]
    [(0.3, 1, 0.0), (0.8, 2, 0.5), (0.9, 1, 1.0)]
    >>> f"{result.ece:.4f} {result.brier:.4f}"
    '0.2625 0.2094'
    """
    p, correct = np.asarray(probs, dtype=float), np.asarray(right, dtype=bool)
    if p.shape != correct.shape or p.ndim != 1:
        raise EvaluationError("Give as many probabilities as there are answers whether it was so.")
    if not len(p):
        raise EvaluationError("There is no probability to check: give at least one.")
    if not ((p >= 0) & (p <= 1)).all():
        raise EvaluationError("A probability is from 0 to 1: check what was given.")
    places = np.minimum((p * bins + _ROUNDING).astype(int), bins - 1)
    order = np.argsort(p, kind="stable")
    equal_mass = np.empty(len(p), dtype=int)
    equal_mass[order] = np.arange(len(p)) * bins // len(p)
    return Reliability(
        count=len(p),
        accuracy=float(correct.mean()),
        confidence=float(p.mean()),
        bins=tuple(_bin(i, bins, p[places == i], correct[places == i]) for i in range(bins)),
        ece=_calibration_error(p, correct, places),
        ece_equal_mass=_calibration_error(p, correct, equal_mass),
        brier=float(np.mean((p - correct) ** 2)),
        log_loss=log_loss(p, correct),
        errors_in_lowest_tenth=_errors_in_lowest_tenth(order, correct),
    )


# 0.7 in single precision is a little less, and belongs to the bin from 0.7 on all the same.
_ROUNDING = 1e-6


def _bin(number: int, bins: int, probs: NDArray[np.float64], right: NDArray[np.bool_]) -> Bin:
    some = len(probs) > 0
    return Bin(
        low=number / bins,
        high=(number + 1) / bins,
        count=len(probs),
        accuracy=float(right.mean()) if some else None,
        confidence=float(probs.mean()) if some else None,
    )


def _calibration_error(
    probs: NDArray[np.float64], right: NDArray[np.bool_], places: NDArray[np.int_]
) -> float:
    return float(np.abs(np.bincount(places, weights=probs - right)).sum() / len(probs))


def _errors_in_lowest_tenth(order: NDArray[np.int_], right: NDArray[np.bool_]) -> float | None:
    errors = int((~right).sum())
    if not errors:
        return None
    lowest = order[: max(1, round(len(right) / 10))]
    return int((~right[lowest]).sum()) / errors
