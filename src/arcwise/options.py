"""How a parser is trained: one frozen set of options, kept word for word in the model file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from arcwise.errors import OptionError

SYSTEMS = ("arc-eager", "arc-standard", "arc-hybrid", "easy-first")
ORACLES = ("static", "nondeterministic", "dynamic")
POLICIES = ("static", "ambiguity", "explore", "sample")
LEARNERS = ("network", "perceptron", "adagrad")
ENCODERS = ("none", "conv", "rnn")
ROOTS = ("last", "first")
NONPROJECTIVE = ("lift", "skip")
ENCODINGS = ("head", "path", "head+path")


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """Which task is learnt, by which policy and learner. Defaults make a good parser.

    Attributes:
        system: The transition system.
        root: Where arc-eager keeps ROOT: after the last word, or under the stack. The others have
            one place for it.
        single_root: Exactly one word under ROOT; None: as the treebank has it.
        oracle: Which moves count as correct; None: what the policy needs.
        policy: Which state is visited next: the oracle's, any correct one, the model's with
            probability `p`, or one drawn from the model.
        k: Epochs before a policy leaves the gold path.
        p: How often `explore` follows a wrong prediction: the p of Goldberg & Nivre 2013. In their paper
            of 2012 p is how often it does not.
        learner: `perceptron` (averaged) or `adagrad` (AdaGrad-RDA: sparse, with probabilities).
        alpha, rho, penalty, cutoff: AdaGrad-RDA's learning rate, ridge, L1 penalty (None:
            1 / (20 · words in the treebank)) and the size under which gradients are not stored.
        features: `default`, `zn2011`, or a file of templates.
        nonprojective: Lift non-projective arcs and lower them after parsing, or skip such trees.
        encoding: How lifted arcs are marked.
        epochs: Passes over the treebank.
        seed: Of shuffling and exploration; the same seed gives the same model.
    """

    system: str = "arc-eager"
    root: str = "last"
    single_root: bool | None = None
    oracle: str | None = None
    policy: str | None = None
    k: int = 1
    p: float = 0.9
    learner: str = "perceptron"
    alpha: float = 1.0
    rho: float = 0.01
    penalty: float | None = None
    cutoff: float = 0.001
    tokens: str | None = None
    affixes: int = 3
    states: str | None = None
    encoder: str = "rnn"
    layers: int = 2
    window: int = 1
    width: int = 64
    hidden: int = 128
    rate: float = 0.002
    decay: float = 0.0
    average: float = 0.999
    clip: float = 5.0
    dropout: float = 0.2
    hidden_dropout: float = 0.3
    word_dropout: float = 0.25
    batch: int = 300
    features: str = "default"
    nonprojective: str = "lift"
    encoding: str = "head"
    epochs: int = 15
    seed: int = 1

    def __post_init__(self) -> None:
        for name, choices in (
            ("system", SYSTEMS),
            ("root", ROOTS),
            ("oracle", (None, *ORACLES)),
            ("policy", (None, *POLICIES)),
            ("learner", LEARNERS),
            ("encoder", ENCODERS),
            ("nonprojective", NONPROJECTIVE),
            ("encoding", ENCODINGS),
        ):
            value = getattr(self, name)
            if value not in choices:
                known = ", ".join(c for c in choices if c is not None)
                raise OptionError(f"There is no {name} called '{value}': choose one of {known}.")
        if self.epochs < 1:
            raise OptionError("Training takes at least one epoch.")
        if self.k >= 2**31:
            raise OptionError("k is a number of epochs: choose one below 2^31.")
        if not 0 <= self.seed < 2**63:
            raise OptionError("The seed must be a number from 0 to 2^63 - 1.")
        if self.root == "first" and self.system != "arc-eager":
            raise OptionError(f"ROOT has one place in {self.system}: only arc-eager takes root='first'.")

    def resolved(self) -> TrainingOptions:
        """The same with oracle and policy filled in.

        >>> options = TrainingOptions(learner="adagrad").resolved()
        >>> options.policy, options.oracle
        ('sample', 'dynamic')
        """
        has_dynamic = self.system != "arc-standard"
        policy = self.policy
        if policy is None:
            if not has_dynamic or self.oracle in ("static", "nondeterministic"):
                policy = "static"
            else:
                policy = "sample" if self.learner == "adagrad" else "explore"
        oracle = self.oracle
        if oracle is None:
            if policy in ("explore", "sample"):
                oracle = "dynamic"
            elif policy == "ambiguity" or self.system == "easy-first":
                oracle = "nondeterministic"
            else:
                oracle = "static"
        return replace(self, policy=policy, oracle=oracle)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> TrainingOptions:
        """Reads what `to_dict` gave; what this version does not know is an error."""
        unknown = set(values) - {field.name for field in fields(cls)}
        if unknown:
            raise OptionError(f"There is no option called {', '.join(sorted(unknown))}.")
        return cls(**values)
