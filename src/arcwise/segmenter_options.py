"""How a segmenter is trained: one frozen set of options, kept word for word in the model file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from arcwise._kinds import stored_options
from arcwise.errors import OptionError


@dataclass(frozen=True, kw_only=True)
class SegmenterOptions:
    """How a segmenter is trained. Defaults make a good one.

    Attributes:
        epochs: Passes over the treebank; with dev the best one is kept.
        seed: Of shuffling, sampling and line breaks; the same seed gives the same segmenter.
        k: Epochs before training goes on from boundaries that the model chose.
        rewrapped: The share of the text that training sees a second time with other line ends: wrapped at
            some width, or a sentence or a paragraph a line, so that line ends alone decide nothing.
        alpha, rho, cutoff: AdaGrad-RDA's learning rate, ridge and the size under which gradients are not
            stored.
        penalty: What its L1 penalty grows by in an epoch: the more, the smaller the segmenter.
        prune: Weights nearer to 0 than this do not come into the model.
    """

    epochs: int = 5
    seed: int = 1
    k: int = 1
    rewrapped: float = 0.5
    alpha: float = 0.3
    rho: float = 0.01
    cutoff: float = 0.001
    penalty: float = 0.2
    prune: float = 0.08

    def __post_init__(self) -> None:
        for holds, sentence in self._what_must_hold():
            if not holds:
                raise OptionError(sentence)

    def _what_must_hold(self) -> Iterator[tuple[bool, str]]:
        yield 1 <= self.epochs < 2**31, "Training takes from 1 to 2^31 - 1 epochs."
        yield 0 <= self.seed < 2**63, "The seed must be a number from 0 to 2^63 - 1."
        yield 0 <= self.k < 2**31, "The number of epochs before exploration (k) goes from 0 to 2^31 - 1."
        yield (
            0 <= self.rewrapped <= 1,
            "The share of text with other line ends (rewrapped) is from 0 to 1.",
        )
        yield 0 < self.alpha < math.inf, "The learning rate (alpha) must be a positive number."
        yield 0 < self.rho < math.inf, "The ridge (rho) must be a positive number."
        yield 0 <= self.cutoff < 1, "The gradient cutoff must be at least 0 and below 1."
        yield 0 <= self.penalty < math.inf, "The penalty must be 0 or a positive number."
        yield 0 <= self.prune < math.inf, "Weights are pruned below a size that is not negative."

    def to_dict(self) -> dict[str, Any]:
        """All of them, as JSON has them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> SegmenterOptions:
        """Reads what `to_dict` gave; what this version does not know is an error."""
        return stored_options(cls, values)
