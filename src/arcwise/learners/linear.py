"""Linear models: feature templates and their weights, by a perceptron or another learner that is online."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from arcwise import _core, features, names
from arcwise._terminal import counted
from arcwise.learners.base import Frozen, Inputs, Learner, Learnt, Run
from arcwise.model_file import Arrays
from arcwise.options.learners import AdaGradOptions, BeamTrainingOptions, TemplateFields

if TYPE_CHECKING:
    from arcwise.encoder import Encoder
    from arcwise.model_file import Array
    from arcwise.options import ParserOptions
    from arcwise.parser import ModelInfo
    from arcwise.treebank import Treebank

ARRAYS = ("lines", "lists", "dense", "wide", "columns")
COMPACT_ARRAYS = (*ARRAYS, "table", "begins")
"""The table of classes, where each begins, and the arrays above of moves that share one."""
_TITLES = {"perceptron": "averaged perceptron", "adagrad": "AdaGrad-RDA"}


class Templates(Learner):
    """Whatever looks at feature templates."""

    @staticmethod
    def _features(options: ParserOptions) -> str:
        assert isinstance(options.learner, TemplateFields)
        return options.learner.features

    def inputs(self, options: ParserOptions, columns: Collection[str], treebank: Treebank) -> Inputs:
        return Inputs(features.choose(self._features(options), options.system.name, columns))

    def facts(self, info: ModelInfo) -> dict[str, str]:
        return {
            "features": f"{self._features(info.options)}, {counted(len(info.templates), 'template')}",
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
        if facts.probabilistic:
            self.policy = "sample"
        if facts.name == "perceptron":  # whose steps are all of one size
            self.rate_of_update = self.rate_of_replay = 0.1

    @staticmethod
    def _beam(options: ParserOptions) -> BeamTrainingOptions | None:
        return getattr(options.learner, "beam", None)

    @staticmethod
    def _compact(options: ParserOptions) -> int | None:
        return getattr(options.learner, "compact", None)

    def _arrays(self, options: ParserOptions) -> tuple[str, ...]:
        return ARRAYS if self._compact(options) is None else COMPACT_ARRAYS

    def beam_of(self, options: ParserOptions) -> int | None:
        beam = self._beam(options)
        return None if beam is None else beam.width

    def requirements(self, options: ParserOptions) -> Iterator[tuple[bool, str]]:
        if self._beam(options) is None:
            return
        yield (
            self._compact(options) is None,
            "A compact model is trained without a beam: leave out one of compact and train_beam.",
        )
        system = names.system(options.system.name)
        yield (
            system.left_to_right,
            f"A beam goes from left to right, and {options.system} does not: train without a beam "
            "(train_beam), or with another system.",
        )
        yield (
            options.policy.name is None,
            "Training with a beam has a violation in place of a policy: leave the policy out.",
        )
        yield (
            system.dynamic_oracle or options.policy.oracle != "dynamic",
            f"There is no dynamic oracle for {options.system}: with a beam, choose the oracle static or "
            "nondeterministic.",
        )

    def resolved(self, options: ParserOptions) -> ParserOptions:
        if self._beam(options) is None:
            return super().resolved(options)
        # Which has no policy.
        free = "dynamic" if names.system(options.system.name).dynamic_oracle else "nondeterministic"
        policy = replace(options.policy, oracle=options.policy.oracle or free)
        return replace(options, epochs=options.epochs or self.epochs, policy=policy)

    def trainer(self, run: Run) -> _core.Trainer:
        own = run.options.learner
        adagrad = own if isinstance(own, AdaGradOptions) else AdaGradOptions()
        beam = self._beam(run.options)
        with_beam = {} if beam is None else {**beam.to_dict(), "beam": beam.width}
        with_beam.pop("width", None)
        return _core.Trainer.linear(
            run.treebank._core,
            run.core,
            learner=self.name,
            templates=run.inputs.templates,
            **{name: value for name, value in adagrad.to_dict().items() if name != "features"},
            **with_beam,
            update_rate=run.rate,
            compact=self._compact(run.options),
        )

    def frozen(self, options: ParserOptions, inputs: Inputs, learnt: Learnt) -> Frozen:
        own = learnt["parser"]
        arrays = {name: own[name] for name in self._arrays(options)}
        return Frozen(arrays, own["features"], own["weights"], own["scale"])

    def model(
        self, info: ModelInfo, arrays: Mapping[str, Array], encoder: Encoder | None
    ) -> _core.LinearModel:
        own = {name: Arrays.of(arrays).raw(name) for name in self._arrays(info.options)}
        return _core.LinearModel(templates=info.templates, scale=info.scale, **own)

    def in_brief(self, options: ParserOptions) -> str:
        own = options.learner
        if not isinstance(own, AdaGradOptions):
            return self.title if self._compact(options) is None else f"{self.title}, compact"
        penalty = "" if own.penalty is None else f", penalty {own.penalty:g}"
        return f"{self.title} (alpha {own.alpha:g}, rho {own.rho:g}{penalty}, cutoff {own.cutoff:g})"

    def training(self, options: ParserOptions) -> str:
        beam = self._beam(options)
        if beam is None:
            return super().training(options)
        relaxed = ", relaxed" if beam.relaxed else ""
        negative = f", {beam.negative} negative" if beam.negative != "best" else ""
        oracle = options.policy.oracle
        return f"beam {beam.width}, {oracle} oracle, {beam.violation} violation{relaxed}{negative}"
