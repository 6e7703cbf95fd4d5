"""Learning to search: a table of weights that says what actions cost, see `arcwise.search`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arcwise import _core, names
from arcwise._numpy import np
from arcwise.learners.base import Frozen, Inputs, Learnt, Run
from arcwise.learners.linear import Templates
from arcwise.model_file import Arrays
from arcwise.options.learners import BASES, L2sOptions

if TYPE_CHECKING:
    from arcwise.encoder import Encoder
    from arcwise.model_file import Array
    from arcwise.options import ParserOptions
    from arcwise.parser import ModelInfo
    from arcwise.search import SearchOptions
    from arcwise.treebank import Treebank

ARRAYS = ("slots", "weights", "counts")


class CostSensitive(Templates):
    """What learning to search has learnt: it is asked for actions, and scores no moves."""

    name = "l2s"
    title = "learning to search"
    scores_moves = False
    epochs = 3
    epochs_of_update = 3

    def requirements(self, options: ParserOptions) -> Iterator[tuple[bool, str]]:
        able = names.systems_with("left_to_right", "dynamic_oracle")
        system = names.system(options.system.name)
        yield (
            system.left_to_right and system.dynamic_oracle,
            f"Learning to search goes from left to right after a dynamic oracle: {options.system} does not; "
            f"use {' or '.join(able)}, or another learner.",
        )
        yield (
            options.policy.name is None and options.policy.oracle is None,
            "Learning to search has roll-ins and roll-outs in place of a policy and an oracle: leave these "
            "out.",
        )

    def resolved(self, options: ParserOptions) -> ParserOptions:
        return replace(options, epochs=options.epochs or self.epochs)

    @staticmethod
    def _own(options: ParserOptions) -> L2sOptions:
        assert isinstance(options.learner, L2sOptions)
        return options.learner

    def inputs(self, options: ParserOptions, columns: Collection[str], treebank: Treebank) -> Inputs:
        own = self._own(options)
        asked = {
            "label_apart": own.label_apart,
            **BASES[own.base],
            "reduction": own.reduction,
            "bits": own.bits,
            "direct": self._search(options).direct,
        }
        return replace(super().inputs(options, columns, treebank), search=asked)

    def _search(self, options: ParserOptions) -> SearchOptions:
        from arcwise.search import SearchOptions

        own = self._own(options)
        return SearchOptions(
            preset=own.algorithm or "l2s",
            rollin=own.rollin,
            rollout=own.rollout or ("none" if own.algorithm is None else None),
            deviations=own.deviations,
            reduction=own.reduction,
            bits=own.bits,
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
            rate=self._own(run.options).base_rate,
            power_t=learning.power_t,
            beta=learning.ftrl_beta,
            l1=learning.l1,
            l2=learning.l2,
            **{
                n: value for n, value in (run.inputs.search or {}).items() if n not in ("actions", "policies")
            },
        )

    def frozen(self, options: ParserOptions, inputs: Inputs, learnt: Learnt) -> Frozen:
        own = learnt["parser"]
        arrays = {name: own[name] for name in ARRAYS}
        large = np.abs(arrays["weights"]) >= self._own(options).prune
        arrays |= {name: arrays[name][large] for name in ("slots", "weights")}
        asked = {**(inputs.search or {}), "actions": own["actions"]}
        if own["policies"] != _core.LEFT_RIGHT_POLICIES:  # as a system with labelled moves of its own has
            asked["policies"] = own["policies"]
        return Frozen(arrays, len(inputs.templates), len(arrays["weights"]), search=asked)

    def model(
        self, info: ModelInfo, arrays: Mapping[str, Array], encoder: Encoder | None
    ) -> _core.CostSensitiveModel:
        own: dict[str, Any] = {
            **(info.search or {}),
            **{name: Arrays.of(arrays).raw(name) for name in ARRAYS},
        }
        return _core.CostSensitiveModel(templates=info.templates, seed=info.options.seed, **own)

    def in_brief(self, options: ParserOptions) -> str:
        own = self._own(options)
        label = "label apart" if own.label_apart else "label at once"
        return f"{self.title} ({own.base}, {own.reduction}, {label}, {own.bits} bits)"

    def training(self, options: ParserOptions) -> str:
        own = self._own(options)
        changed = "".join(f", roll-{n[4:]} {v}" for n in ("rollin", "rollout") if (v := getattr(own, n)))
        return f"algorithm {own.algorithm or 'l2s without roll-outs'}{changed}"
