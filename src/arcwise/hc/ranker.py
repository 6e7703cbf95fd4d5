"""The C-step: a ranker learns which of the candidates is best, and how much the beam's own scores count."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ModelError, OptionError
from arcwise.hc import features
from arcwise.hc.candidates import Candidates, Floats
from arcwise.options.ranking import RankingOptions
from arcwise.parser import columns_of

SENTENCES_A_STEP = 200
"""How many sentences are learnt from between two looks at the clock, the keyboard and the progress bar."""
HELD_OUT = 10
"""Without dev, one sentence in so many chooses the epoch and alpha, and is not learnt from."""
ALPHAS = np.linspace(0, 1, 201)


@dataclass(frozen=True)
class Mixture:
    """What was chosen on some candidates: how much H counts, and what comes of it, as UAS and LAS."""

    alpha: float
    uas: float
    las: float


@dataclass(frozen=True)
class RankingEpoch:
    """What one epoch of a ranker's training came to."""

    number: int
    pairs: int
    updates: int
    """Of pairs of groups, how many were not in order by the margin."""
    mixture: Mixture


@dataclass(frozen=True)
class Ranker:
    """Scores whole trees: C(x, y) = w · Φ(x, y). Immutable, and safe to use from several threads."""

    options: RankingOptions
    templates: list[str]
    weights: NDArray[np.int16]
    scale: float
    training: dict[str, Any]
    """Where the ranker comes from: candidates, scores by epoch."""

    @classmethod
    def train(
        cls, candidates: Candidates, *, dev: Candidates | None = None, **options: Any
    ) -> tuple[Ranker, float]:
        """A ranker of these candidates, and the alpha that suits it best.

        The candidates must come from parsers that were not trained on their sentences, such as
        `cross_validate` gives. `dev` chooses the epoch and alpha; without, a tenth of the candidates
        does, and is not learnt from.
        """
        training = RankerTraining(candidates, dev=dev, options=RankingOptions(**options))
        for _ in training.epochs():
            pass
        return training.best()

    def core(self, label_names: list[str]) -> _core.Ranker:
        """The ranker for trees with these labels."""
        try:
            return _core.Ranker(
                templates=self.templates, labels=label_names, weights=self.weights, scale=self.scale
            )
        except (ValueError, TypeError) as error:
            raise ModelError(str(error)) from error

    def scores(self, candidates: Candidates, *, threads: int = 1) -> Floats:
        """C of each tree."""
        core = self.core(list(candidates.label_names))
        return core.scores(
            candidates.treebank._core, candidates.counts, candidates.heads, candidates.labels, threads
        )

    def to_header(self) -> dict[str, Any]:
        return {
            "options": self.options.to_dict(),
            "templates": self.templates,
            "scale": self.scale,
            "training": self.training,
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any], weights: NDArray[Any]) -> Ranker:
        if weights.dtype != np.int16 or weights.ndim != 1:
            raise ModelError("The ranker is damaged: its weights are no list of 16-bit numbers.")
        try:
            return cls(
                RankingOptions.from_dict(header["options"]),
                [str(line) for line in header["templates"]],
                weights,
                float(header["scale"]),
                dict(header["training"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"The ranker is damaged: {error}.") from error


class RankerTraining:
    """A ranker's training, an epoch at a time."""

    def __init__(
        self,
        candidates: Candidates,
        *,
        dev: Candidates | None = None,
        options: RankingOptions | None = None,
        threads: int = 1,
    ) -> None:
        self.options = o = options or RankingOptions()
        self.threads = threads
        self.history: list[RankingEpoch] = []
        self._best: tuple[Ranker, Mixture] | None = None
        has_dev = dev is not None
        if dev is None:
            sentences = np.arange(len(candidates.treebank))
            held_out = sentences % HELD_OUT == HELD_OUT - 1
            if not held_out.any():
                raise OptionError(
                    f"Fewer than {HELD_OUT} sentences are too few to choose the epoch and alpha with: give "
                    "a dev set."
                )
            dev = candidates.select(sentences[held_out].tolist())
            candidates = candidates.select(sentences[~held_out].tolist())
        self.dev = dev
        columns = [c for c in columns_of(candidates.treebank) if c not in candidates.leave_out]
        self.templates = features.choose(o.features, columns)
        try:
            self._core = _core.RankTrainer(
                candidates.treebank._core,
                counts=candidates.counts,
                heads=candidates.heads,
                labels=candidates.labels,
                losses=candidates.losses(o.loss),
                label_names=list(candidates.label_names),
                templates=self.templates,
                bits=o.bits,
                fine=o.groups == "fine",
                aggressiveness=np.inf if o.aggressiveness is None else o.aggressiveness,
                seed=o.seed,
            )
        except ValueError as error:
            raise OptionError(str(error)) from error
        self._about = {
            "sentences": len(candidates.treebank),
            "trees": len(candidates.scores),
            "dev": has_dev,
        }

    @property
    def sentences(self) -> int:
        """Sentences in an epoch: those whose trees are not all as good as each other."""
        return self._core.sentences

    def beam_alone(self) -> Mixture:
        """What comes of the beam's first trees, on the candidates that choose the epoch and alpha."""
        return tune(self.dev, self.dev.scores, np.ones(1))

    def epochs(self, on_step: Callable[[int, int], None] | None = None) -> Iterator[RankingEpoch]:
        """Trains an epoch at a time, calling `on_step(epoch, sentences so far)`."""
        while len(self.history) < self.options.epochs:
            number, done, pairs, updates = len(self.history) + 1, 0, 0, 0
            while done == 0 or not self._core.epoch_is_done:
                progress = self._core.run(SENTENCES_A_STEP)
                done += progress.sentences
                pairs += progress.pairs
                updates += progress.updates
                if on_step is not None:
                    on_step(number, done)
            weights, scale = self._core.frozen()
            ranker = Ranker(self.options, self.templates, weights, scale, {})
            mixture = tune(self.dev, ranker.scores(self.dev, threads=self.threads))
            if self._best is None or mixture.las > self._best[1].las:
                self._best = ranker, mixture
            self.history.append(RankingEpoch(number, pairs, updates, mixture))
            yield self.history[-1]

    def best(self) -> tuple[Ranker, float]:
        """The ranker of the epoch with the best mixture, and its alpha."""
        if self._best is None:
            raise OptionError("There is no ranker before the end of the first epoch.")
        ranker, mixture = self._best
        about = {
            **self._about,
            "epoch": 1 + next(i for i, e in enumerate(self.history) if e.mixture is mixture),
            "epochs": [{"pairs": e.pairs, "updates": e.updates, **vars(e.mixture)} for e in self.history],
        }
        return Ranker(self.options, self.templates, ranker.weights, ranker.scale, about), mixture.alpha


def tune(candidates: Candidates, scores: Floats, alphas: Floats = ALPHAS) -> Mixture:
    """The alpha with the best LAS of those to choose from, where α H' + (1 - α) C' chooses the tree.

    `scores` are C of the candidates; H' and C' are rescaled to [0, 1] over the trees of a sentence. Of
    several the one in the middle is taken.
    """
    h, c = candidates.rescaled(candidates.scores), candidates.rescaled(scores)
    wrong_heads, wrong = candidates.losses("heads"), candidates.losses("labels")
    chosen = [candidates.best(alpha * h + (1 - alpha) * c) for alpha in alphas]
    errors = np.array([wrong[trees].sum() for trees in chosen])
    best = np.flatnonzero(errors == errors.min())
    middle = int(best[len(best) // 2])
    words = max(1, int((candidates.treebank.heads >= 0).sum()))
    return Mixture(
        alpha=float(alphas[middle]),
        uas=100 - 100 * int(wrong_heads[chosen[middle]].sum()) / words,
        las=100 - 100 * int(errors[middle]) / words,
    )
