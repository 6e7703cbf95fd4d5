"""Linear models: feature templates and their weights, by a perceptron or another learner that is online."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from arcwise import _core, features
from arcwise._terminal import counted
from arcwise.learners.base import Frozen, Inputs, Learner, Learnt, Run

if TYPE_CHECKING:
    from arcwise.encoder import Encoder
    from arcwise.model_file import Array
    from arcwise.options import TrainingOptions
    from arcwise.parser import ModelInfo

ARRAYS = ("lines", "lists", "dense", "wide", "columns")
_TITLES = {"perceptron": "averaged perceptron", "adagrad": "AdaGrad-RDA"}


class Templates(Learner):
    """Whatever looks at feature templates."""

    def inputs(self, options: TrainingOptions, columns: Collection[str]) -> Inputs:
        return Inputs(features.choose(options.features, options.system, columns))

    def facts(self, info: ModelInfo) -> dict[str, str]:
        return {
            "features": f"{info.options.features}, {counted(len(info.templates), 'template')}",
            "weights": f"{info.weights:,} for {info.features:,} features",
        }

    def to_be_trained(self, inputs: Inputs, weights: int | None) -> list[str]:
        return [counted(len(inputs.templates), "template")]


class Linear(Templates):
    """A linear model, whose learner is one of the core's."""

    epochs = 15
    epochs_of_update = 5

    def __init__(self, facts: _core.LearnerFacts) -> None:
        self.name = facts.name
        self.title = _TITLES.get(facts.name, facts.name)
        self.probabilistic = facts.probabilistic
        self.trains_beams = facts.trains_beams
        if facts.probabilistic:
            self.policy = "sample"
        if facts.name == "perceptron":  # whose steps are all of one size
            self.rate_of_update = self.rate_of_replay = 0.1

    def trainer(self, run: Run) -> _core.Trainer:
        o = run.options
        return _core.Trainer.linear(
            run.treebank._core,
            run.core,
            learner=self.name,
            templates=run.inputs.templates,
            alpha=o.alpha,
            rho=o.rho,
            penalty=o.penalty,
            cutoff=o.cutoff,
            beam=o.train_beam,
            violation=o.violation,
            relaxed=o.relaxed,
            negative=o.negative,
            update_rate=run.rate,
        )

    def frozen(self, options: TrainingOptions, inputs: Inputs, learnt: Learnt) -> Frozen:
        own = learnt["parser"]
        arrays = {name: own[name] for name in ARRAYS}
        return Frozen(arrays, own["features"], own["weights"], own["scale"])

    def model(
        self, info: ModelInfo, arrays: Mapping[str, Array], encoder: Encoder | None
    ) -> _core.LinearModel:
        own = {name: arrays[name] for name in ARRAYS}
        return _core.LinearModel(templates=info.templates, scale=info.scale, **own)

    def in_brief(self, options: TrainingOptions) -> str:
        if self.name != "adagrad":
            return self.title
        penalty = "" if options.penalty is None else f", penalty {options.penalty:g}"
        return (
            f"{self.title} (alpha {options.alpha:g}, rho {options.rho:g}{penalty}, cutoff {options.cutoff:g})"
        )
