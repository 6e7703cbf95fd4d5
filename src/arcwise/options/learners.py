"""Options of each kind of learner. That of networks has a file of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from arcwise.options.fields import Options, option, part
from arcwise.options.named import Named
from arcwise.options.network import NetworkOptions

VIOLATIONS = ("early", "max", "none")
NEGATIVES = ("best", "worst")
ALGORITHMS = ("l2s", "dagger", "aggrevate", "searn", "lols")
ROLLINS = ("reference", "learned", "mix")
ROLLOUTS = ("reference", "learned", "mix", "none")
BASES: dict[str, dict[str, Any]] = {
    "default": {"update": "default", "hidden": 0},
    "sgd": {"update": "sgd", "hidden": 0},
    "ftrl": {"update": "ftrl", "hidden": 0},
    "nn": {"update": "default", "hidden": 5},
    "nn+ftrl": {"update": "ftrl", "hidden": 5},
}
"""The base learners of learning to search, as `SearchOptions` has them."""
REDUCTIONS = ("oaa", "wap")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BeamTrainingOptions(Options):
    """How a perceptron is trained with a beam, in place of a policy.

    Which derivations are right is the oracle's to say: the static one, or any without cost.
    """

    TITLE = "Training with a beam (perceptron)"

    width: int = option(
        8,
        "The width of the beam, which the parser then parses with unless told otherwise.",
        name="train_beam",
        least=1,
        must="A beam is at least 1 wide, and less than 2^31.",
        unset="greedily",
    )
    violation: str = option(
        "max",
        "Where a beam's wrong derivation is compared with the best right one: where the right ones leave the "
        "beam (early), where it is ahead by most (max), or at the end, whichever scores higher (none).",
        choices=VIOLATIONS,
    )
    relaxed: bool = option(
        False, "A right derivation has to stay in the beam, and need not win (Liu et al. 2015)."
    )
    negative: str = option(
        "best",
        "Which derivation of a beam that has lost the right ones counts as the wrong one.",
        choices=NEGATIVES,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TemplateFields(Options):
    """What all learners have that look at feature templates."""

    TITLE = "Perceptron, AdaGrad-RDA and l2s"

    features: str = option(
        "default",
        "A feature set: default, zn2011, turbo, l2s, or a file of templates (see 'arcwise features'). The "
        "learner l2s has that of its name by default.",
        metavar="NAME|FILE",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PerceptronOptions(Named, TemplateFields):
    """The learner `perceptron`: a linear model, averaged over all updates."""

    name = "perceptron"

    compact: int | None = option(
        None,
        "Freeze the perceptron's weights in 8 bits into a table of so many MiB, in which rare labels share a "
        "class: parses several times as fast.",
        least=1,
        most=1024,
        must="The table of a compact model takes from 1 to 1024 MiB.",
        metavar="MIB",
        unset="16 bits, a class for every label",
    )
    beam: BeamTrainingOptions | None = part(
        BeamTrainingOptions, "How it is trained with a beam.", default=lambda: None, unset="greedily"
    )

    def __post_init__(self) -> None:
        if isinstance(self.beam, dict):
            object.__setattr__(self, "beam", BeamTrainingOptions.from_dict(self.beam))
        elif isinstance(self.beam, int):
            object.__setattr__(self, "beam", BeamTrainingOptions(width=self.beam))
        super().__post_init__()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AdaGradOptions(Named, TemplateFields):
    """The learner `adagrad`, AdaGrad-RDA: a sparse linear model with probabilities (Goldberg 2013)."""

    name = "adagrad"

    alpha: float = option(
        1.0,
        "AdaGrad-RDA's learning rate.",
        above=0,
        must="The learning rate (alpha) must be a positive number.",
    )
    rho: float = option(
        0.01, "AdaGrad-RDA's ridge.", above=0, must="The ridge (rho) must be a positive number."
    )
    penalty: float | None = option(
        None,
        "AdaGrad-RDA's L1 penalty.",
        least=0,
        unset="1 / (20 * words in the treebank)",
        must="The penalty must be 0 or a positive number.",
    )
    cutoff: float = option(
        0.001,
        "AdaGrad-RDA does not store gradients smaller than this.",
        least=0,
        below=1,
        must="The gradient cutoff must be at least 0 and below 1.",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class L2sOptions(Named, TemplateFields):
    """The learner `l2s`: learning to search (Chang et al. 2015), see `arcwise.search`."""

    TITLE = "Learning to search (l2s)"
    name = "l2s"

    features: str = option(
        "l2s",
        "A feature set: default, zn2011, turbo, l2s, or a file of templates (see 'arcwise features').",
        metavar="NAME|FILE",
    )
    algorithm: str | None = option(
        None,
        "Who rolls in and out: the paper's mixture and the reference (l2s), or as in dagger, aggrevate, "
        "searn, lols.",
        choices=ALGORITHMS,
        unset="as l2s rolls in, without roll-outs, which makes the best parsers",
    )
    rollin: str | None = option(
        None, "Who acts before a deviation.", choices=ROLLINS, unset="as the algorithm has it"
    )
    rollout: str | None = option(
        None,
        "Who acts after it; where the reference would, the dynamic oracle says what comes of it; none: an "
        "action costs 0 if it is the reference's, else 1.",
        choices=ROLLOUTS,
        unset="as the algorithm has it",
    )
    deviations: int | None = option(
        None,
        "Decisions of a sentence at which all actions are tried, drawn anew in each epoch. A few make "
        "roll-outs by what is learnt, as in searn and lols, affordable.",
        least=1,
        unset="all",
        must="Learning takes at least one deviation in a sentence.",
    )
    base: str = option("default", "The base learner; nn has 5 hidden units.", choices=tuple(BASES))
    base_rate: float | None = option(
        None,
        "The base learner's rate.",
        above=0,
        unset="its own",
        must="The base learner's rate must be a positive number.",
    )
    reduction: str = option(
        "oaa", "From costs to regressions: one against all, or weighted all pairs.", choices=REDUCTIONS
    )
    bits: int = option(
        25,
        "Weights are in a table of 2^N.",
        least=10,
        most=30,
        must="The number of bits must be from 10 to 30.",
    )
    prune: float = option(
        0.01,
        "Weights nearer to 0 than this do not come into the model.",
        least=0,
        must="Weights are pruned below a size that is not negative.",
    )
    label_apart: bool = option(
        True, "Decide an arc's label after its action, instead of both at once.", off="label_at_once"
    )


LearnerOptions: TypeAlias = NetworkOptions | PerceptronOptions | AdaGradOptions | L2sOptions
KINDS: dict[str, type[LearnerOptions]] = {
    kind.name: kind for kind in (NetworkOptions, PerceptronOptions, AdaGradOptions, L2sOptions)
}
"""The classes of learners' options by the names of the learners."""
