"""Learning to search: a table of weights that says what actions cost, see `arcwise.search`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise import _core, names
from arcwise.learners.base import Frozen, Inputs, Learnt, Run
from arcwise.learners.linear import Templates
from arcwise.options import BASES

if TYPE_CHECKING:
    from arcwise.encoder import Encoder
    from arcwise.model_file import Array
    from arcwise.options import TrainingOptions
    from arcwise.parser import ModelInfo
    from arcwise.search import SearchOptions

ARRAYS = ("slots", "weights", "counts")


class CostSensitive(Templates):
    """What learning to search has learnt: it is asked for actions, and scores no moves."""

    name = "l2s"
    title = "learning to search"
    scores_moves = False
    epochs = 3
    epochs_of_update = 3

    def requirements(self, options: TrainingOptions) -> Iterator[tuple[bool, str]]:
        able = names.systems_with("left_to_right", "dynamic_oracle")
        system = names.system(options.system)
        yield (
            system.left_to_right and system.dynamic_oracle,
            f"Learning to search goes from left to right after a dynamic oracle: {options.system} does not; "
            f"use {' or '.join(able)}, or another learner.",
        )
        yield (
            options.policy is None and options.oracle is None,
            "Learning to search has roll-ins and roll-outs in place of a policy and an oracle: leave these "
            "out.",
        )

    def resolved(self, options: TrainingOptions) -> TrainingOptions:
        features = "l2s" if options.features == "default" else options.features
        epochs = options.epochs or self.epochs
        return replace(options, learner=self.name, epochs=epochs, features=features)

    def inputs(self, options: TrainingOptions, columns: Collection[str]) -> Inputs:
        asked = {
            "label_apart": options.label_apart,
            **BASES[options.base],
            "reduction": options.reduction,
            "bits": options.bits,
            "direct": self._search(options).direct,
        }
        return replace(super().inputs(options, columns), search=asked)

    @staticmethod
    def _search(options: TrainingOptions) -> SearchOptions:
        from arcwise.search import SearchOptions

        return SearchOptions(
            preset=options.algorithm or "l2s",
            rollin=options.rollin,
            rollout=options.rollout or ("none" if options.algorithm is None else None),
            deviations=options.deviations,
            reduction=options.reduction,
            bits=options.bits,
            seed=options.seed,
        ).resolved()

    def trainer(self, run: Run) -> _core.Trainer:
        learning = self._search(run.options)
        return _core.Trainer.search(
            run.treebank._core,
            run.core,
            search=learning._for_the_core(),
            templates=run.inputs.templates,
            exact=True,
            rate=run.options.base_rate,
            power_t=learning.power_t,
            beta=learning.ftrl_beta,
            l1=learning.l1,
            l2=learning.l2,
            **{
                n: value for n, value in (run.inputs.search or {}).items() if n not in ("actions", "policies")
            },
        )

    def frozen(self, options: TrainingOptions, inputs: Inputs, learnt: Learnt) -> Frozen:
        own = learnt["parser"]
        arrays = {name: own[name] for name in ARRAYS}
        large = np.abs(arrays["weights"]) >= options.prune
        arrays |= {name: arrays[name][large] for name in ("slots", "weights")}
        asked = {**(inputs.search or {}), "actions": own["actions"]}
        if own["policies"] != _core.LEFT_RIGHT_POLICIES:  # as a system with labelled moves of its own has
            asked["policies"] = own["policies"]
        return Frozen(arrays, len(inputs.templates), len(arrays["weights"]), search=asked)

    def model(
        self, info: ModelInfo, arrays: Mapping[str, Array], encoder: Encoder | None
    ) -> _core.CostSensitiveModel:
        own: dict[str, Any] = {**(info.search or {}), **{name: arrays[name] for name in ARRAYS}}
        return _core.CostSensitiveModel(templates=info.templates, seed=info.options.seed, **own)

    def in_brief(self, options: TrainingOptions) -> str:
        label = "label apart" if options.label_apart else "label at once"
        return f"{self.title} ({options.base}, {options.reduction}, {label}, {options.bits} bits)"

    def training(self, options: TrainingOptions) -> str:
        changed = "".join(f", roll-{n[4:]} {v}" for n in ("rollin", "rollout") if (v := getattr(options, n)))
        return f"algorithm {options.algorithm or 'l2s without roll-outs'}{changed}"
