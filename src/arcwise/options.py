"""How a parser is trained: one frozen set of options, kept word for word in the model file."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from arcwise._kinds import stored_options
from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.transitions.system import AsDescribed, System

VIOLATIONS = ("early", "max", "none")
NEGATIVES = ("best", "worst")
SEARCHES = ("greedy", "beam", "hc")
ROOTS = ("last", "first")
NONPROJECTIVE = ("lift", "skip")
ENCODINGS = ("head", "path", "head+path")
MAX_WORDS = 200_000
"""In a sentence, where files of unknown making are parsed: longer ones are cut or refused."""
COLUMNS = ("lemma", "upos", "xpos", "feats")
"""The columns that a treebank may lack, and that can be left out."""
TOKENS = ("form", "lower", "lemma", "shape", "prefix", "suffix", "upos", "xpos", "feats", "feature")
"""The inputs that a network may have of a word, besides its pre-trained vector."""
ENCODERS = ("none", "conv", "rnn")
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
PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "fast": {"encoder": "rnn", "layers": 1, "width": 48, "hidden": 64},
}
"""Options that go together, by name."""
MANY_WORDS = 100_000
_OF_THE_CORE = {
    "SYSTEMS": "names",
    "ORACLES": "names",
    "POLICIES": "names",
    "LEARNERS": "names",
    "PROBABILISTIC": "learners",
}


def __getattr__(name: str) -> Any:
    # The core is asked when it is needed: what else is here, the command line shows without it.
    if name not in _OF_THE_CORE:
        raise AttributeError(f"module 'arcwise.options' has no attribute '{name}'")
    return getattr(importlib.import_module(f"arcwise.{_OF_THE_CORE[name]}"), name)


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """Which task is learnt, by which policy and learner. Defaults make a good parser.

    What only one learner has a use for says which, and is ignored by the others; only `features` and
    `tokens`, `states`, `vectors` are refused where nothing would look at them.

    Attributes:
        system: The transition system: the name of a built-in one, or one that is written in Python, see
            `arcwise.transitions.System`.
        root: Where arc-eager keeps ROOT: after the last word, or under the stack. The others have
            one place for it.
        single_root: Exactly one word under ROOT; None: as the treebank has it.
        leave_out: Columns that are taken for empty, of `lemma upos xpos feats`.
        oracle: Which moves count as correct; None: what the policy needs.
        policy: Which state is visited next: the oracle's, any correct one, the model's with
            probability `p`, or one drawn from the model.
        k: Epochs before a policy leaves the gold path.
        p: How often `explore` follows a wrong prediction: the p of Goldberg & Nivre 2013. In their paper
            of 2012 p is how often it does not.
        learner: `network`, `perceptron` (averaged) or `adagrad` (AdaGrad-RDA: sparse, with probabilities);
            None: the network, or the perceptron for easy-first.
        epochs: Passes over the treebank; None: 15 for a linear learner, 3 for l2s, from 30 to 10 for a
            network, the fewer the larger the treebank.
        patience: Epochs without a better LAS on dev before training ends; None: all are trained.
        seed: Of shuffling, exploration and a network's first weights; the same seed gives the same model.
        features: `default`, `zn2011`, `l2s`, or a file of templates, for perceptron and adagrad.
        train_beam: The width of the beam that a perceptron is trained with, and parses with unless told
            otherwise; None: it is trained greedily. Needs a left-to-right system, and has a violation in
            place of a policy. `oracle` says which derivations are right: the static one, or any without
            cost.
        violation: Where a beam's wrong derivation is compared with the best right one: `early` (where the
            right ones leave the beam), `max` (where the wrong one is ahead by most), or `none` (at the end,
            whichever scores higher).
        relaxed: A right derivation has to stay in the beam, and need not win (Liu et al. 2015).
        negative: Which derivation of a beam that has lost the right ones counts as the wrong one: its
            `best` or its `worst`.
        alpha, rho, penalty, cutoff: AdaGrad-RDA's learning rate, ridge, L1 penalty (None:
            1 / (20 · words in the treebank)) and the size under which gradients are not stored.
        tokens: A network's inputs of a word, of `form lower lemma shape prefix suffix upos xpos feats
            feature`, with spaces between; None: what works well of the columns that there are.
        affixes: A network's longest prefixes and suffixes, in characters.
        states: A network's inputs of a state: places and what the tree says of them, in the notation of
            features, with spaces between; None: what suits the system.
        encoder: How a network's words learn of those around them: `none`, `conv` (windows) or `rnn`
            (both directions); by so many `layers`, each of which sees `window` words on either side.
        width, hidden: The size of a network's word vectors, and its hidden units.
        rate, decay, average, clip: A network's learning rate, which falls to next to nothing in a straight
            line; decay of weights; how much of the weights' running average stays in a step (0: none
            is kept); the longest gradient.
        dropout, hidden_dropout, word_dropout: How much of word vectors and of hidden units a network does
            without in training; a, where a word seen n times is taken for unknown with probability
            a / (a + n).
        shown_tags: Of how many sentences a network is shown the tags in training. With fewer than all it
            parses words without tags, too.
        batch: Words in a network's training step; None: 300, or fewer in a small treebank.
        vectors: A file of pre-trained word vectors for a network, in the text format of word2vec and
            fastText, of which the first `vectors_limit` words are read; `tune_vectors`: trained with
            the rest.
        algorithm: How l2s learns to search: `l2s` (the paper's), `dagger`, `aggrevate`, `searn` or `lols`,
            see `arcwise.search`; None: rolling in as `l2s` does, without roll-outs, which makes the best
            parsers. `rollin` and `rollout` say otherwise who acts.
        deviations: Decisions of a sentence at which l2s tries all actions, drawn in each epoch; None: all.
        base: What l2s learns costs with: `default`, `sgd`, `ftrl`, or a small network, `nn` or `nn+ftrl`.
        base_rate: The base learner's rate; None: its own.
        reduction: From costs to regressions, for l2s: `oaa` (one against all) or `wap` (weighted all pairs).
        bits: The weights of l2s are in a table of 2^bits.
        prune: Weights of l2s nearer to 0 than this do not come into the model.
        label_apart: Whether l2s decides an arc's label after its action, or both at once.
        nonprojective: Lift non-projective arcs and lower them after parsing, or skip such trees; of no
            account in a system that builds any tree.
        encoding: How lifted arcs are marked.
    """

    system: str | System = "arc-eager"
    root: str = "last"
    single_root: bool | None = None
    leave_out: tuple[str, ...] = ()
    oracle: str | None = None
    policy: str | None = None
    k: int = 1
    p: float = 0.9
    learner: str | None = None
    epochs: int | None = None
    patience: int | None = None
    seed: int = 1
    features: str = "default"
    train_beam: int | None = None
    violation: str = "max"
    relaxed: bool = False
    negative: str = "best"
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
    shown_tags: float = 1.0
    batch: int | None = None
    vectors: str | None = None
    vectors_limit: int = 100_000
    tune_vectors: bool = False
    algorithm: str | None = None
    rollin: str | None = None
    rollout: str | None = None
    deviations: int | None = None
    base: str = "default"
    base_rate: float | None = None
    reduction: str = "oaa"
    bits: int = 25
    prune: float = 0.01
    label_apart: bool = True
    nonprojective: str = "lift"
    encoding: str = "head"

    def __post_init__(self) -> None:
        from arcwise import names

        if not isinstance(self.system, str):
            self._check_system(self.system)
        for name, choices in (
            ("system", names.SYSTEMS if isinstance(self.system, str) else (self.system,)),
            ("root", ROOTS),
            ("oracle", (None, *names.ORACLES)),
            ("policy", (None, *names.POLICIES)),
            ("learner", (None, *names.LEARNERS)),
            ("violation", VIOLATIONS),
            ("negative", NEGATIVES),
            ("encoder", ENCODERS),
            ("algorithm", (None, *ALGORITHMS)),
            ("rollin", (None, *ROLLINS)),
            ("rollout", (None, *ROLLOUTS)),
            ("base", tuple(BASES)),
            ("reduction", REDUCTIONS),
            ("nonprojective", NONPROJECTIVE),
            ("encoding", ENCODINGS),
        ):
            value = getattr(self, name)
            if value not in choices:
                known = ", ".join(str(c) for c in choices if c is not None)
                raise OptionError(f"There is no {name} called '{value}': choose one of {known}.")
        for name in ("features", "tokens", "states", "vectors"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise OptionError(f"What is given as {name} must be text: write it in quotes.")
        for holds, sentence in (*self._of_any_learner(), *self._of_beams(), *self._of_networks()):
            if not holds:
                raise OptionError(sentence)
        if isinstance(self.leave_out, str):
            raise OptionError(f"Columns to leave out are several: write ('{self.leave_out}',).")
        _check_names("column to leave out", list(dict.fromkeys(self.leave_out)), COLUMNS)
        # In one order and of one kind, so that the same options are equal.
        object.__setattr__(self, "leave_out", tuple(c for c in COLUMNS if c in self.leave_out))
        if self.tokens is not None:
            _check_names("input of words", self.tokens.split(), TOKENS)

    @staticmethod
    def _check_system(system: object) -> None:
        from arcwise.transitions.system import System

        if isinstance(system, type) and issubclass(system, System):
            raise OptionError(
                f"A system is needed, and {system.__name__} is a class: write {system.__name__}()."
            )
        if not isinstance(system, System):
            raise OptionError("A transition system is the name of one, or an arcwise.transitions.System.")
        system.for_the_core()

    def _of_any_learner(self) -> Iterator[tuple[bool, str]]:
        """What must hold, and what to say if it does not."""
        from arcwise import learners, names

        yield self.epochs is None or self.epochs >= 1, "Training takes at least one epoch."
        yield (
            self.epochs is None or self.epochs < 2**31,
            "The number of epochs is too large: choose one below 2^31.",
        )
        yield 0 <= self.k < 2**31, "The number of epochs before exploration (k) goes from 0 to 2^31 - 1."
        yield 0 <= self.seed < 2**63, "The seed must be a number from 0 to 2^63 - 1."
        takes_root_first = names.systems_with("root_first")
        yield (
            self.root == "last" or self.system in takes_root_first,
            f"ROOT has one place in {self.system}: only {', '.join(takes_root_first)} takes root='first'.",
        )
        yield (
            self.nonprojective == "lift" or names.system(self.system).projective,
            f"Trees are skipped (nonprojective) for systems that cannot build them, and {self.system} builds "
            "any: leave the option out.",
        )
        yield self.patience is None or self.patience >= 1, "Patience lasts for at least one epoch."
        if self.learner is not None:
            yield from learners.learner(self.learner).requirements(self)
        yield (
            self.deviations is None or 1 <= self.deviations < 2**31,
            "Learning takes at least one deviation in a sentence.",
        )
        yield 10 <= self.bits <= 30, "The number of bits must be from 10 to 30."
        yield 0 <= self.prune < math.inf, "Weights are pruned below a size that is not negative."
        yield (
            self.base_rate is None or 0 < self.base_rate < math.inf,
            "The base learner's rate must be a positive number.",
        )

    def _of_beams(self) -> Iterator[tuple[bool, str]]:
        from arcwise import learners, names

        if self.train_beam is None:
            return
        system = names.system(self.system)
        yield (
            1 <= self.train_beam < 2**31,
            "A beam is at least 1 wide, and less than 2^31.",
        )
        yield (
            system.left_to_right,
            f"A beam goes from left to right, and {self.system} does not: train without a beam (train_beam), "
            "or with another system.",
        )
        yield (
            self.learner is not None and learners.learner(self.learner).trains_beams,
            "Only a perceptron is trained with a beam (train_beam): choose the learner perceptron, or give "
            "the beam when parsing.",
        )
        yield (
            self.policy is None,
            "Training with a beam has a violation in place of a policy: leave the policy out.",
        )
        yield (
            system.dynamic_oracle or self.oracle != "dynamic",
            f"There is no dynamic oracle for {self.system}: with a beam, choose the oracle static or "
            "nondeterministic.",
        )

    def _of_networks(self) -> Iterator[tuple[bool, str]]:
        yield 1 <= self.affixes <= 32, "Prefixes and suffixes (affixes) have 1 to 32 characters."
        yield 1 <= self.layers <= 16, "An encoder has 1 to 16 layers."
        yield 0 <= self.window <= 8, "A window has 0 to 8 words on either side."
        for name, size in (("width", self.width), ("number of hidden units", self.hidden)):
            yield 1 <= size <= 1024 and size % 16 == 0, f"The {name} must be a multiple of 16, up to 1024."
        yield 0 < self.rate < math.inf, "The learning rate (rate) must be a positive number."
        yield 0 <= self.decay < math.inf, "The decay of weights must be 0 or a positive number."
        yield 0 <= self.average < 1, "The share of the average that stays must be at least 0 and below 1."
        yield 0 < self.clip < math.inf, "The longest gradient (clip) must be a positive number."
        for name in ("dropout", "hidden_dropout"):
            yield 0 <= getattr(self, name) < 1, f"The share {name} must be at least 0 and below 1."
        yield 0 <= self.word_dropout < math.inf, "Word dropout must be 0 or a positive number."
        yield 0 <= self.shown_tags <= 1, "The share of sentences whose tags are shown lies between 0 and 1."
        yield self.batch is None or 1 <= self.batch < 2**31, "A batch has from 1 to 2^31 - 1 words."
        yield 1 <= self.vectors_limit < 2**31, "The limit of vectors must be from 1 to 2^31 - 1 words."

    def resolved(self) -> TrainingOptions:
        """The same with learner, policy and oracle filled in, and the epochs of all but networks.

        >>> options = TrainingOptions(learner="adagrad").resolved()
        >>> options.epochs, options.policy, options.oracle
        (15, 'sample', 'dynamic')
        """
        from arcwise import learners, names

        system = names.system(self.system)
        if not (isinstance(self.system, str) or system.dynamic_oracle):
            raise OptionError(
                f"'{system.name}' says nothing of costs, and training needs them: write the method costs."
            )
        default = "network" if system.left_to_right else "perceptron"
        learner = learners.learner(self.learner or default)
        learner.refuse_what_is_not_looked_at(self)
        return learner.resolved(self)

    @property
    def scheme(self) -> str | None:
        """How lifted arcs are marked; None if none is lifted, as in a system that builds any tree.

        >>> TrainingOptions().scheme, TrainingOptions(system="covington").scheme
        ('head', None)
        """
        from arcwise import names

        lifts = self.nonprojective == "lift" and names.system(self.system).projective
        return self.encoding if lifts else None

    @classmethod
    def preset(cls, name: str, **changes: Any) -> TrainingOptions:
        """The options of a preset, with changes.

        >>> TrainingOptions.preset("fast", epochs=10).layers
        1
        """
        if name not in PRESETS:
            raise OptionError(f"There is no preset called '{name}': choose one of {', '.join(PRESETS)}.")
        return cls(**{**PRESETS[name], **changes})

    def to_dict(self) -> dict[str, Any]:
        """All of them, as JSON has them."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        system = self.system if isinstance(self.system, str) else self.system.to_dict()
        return {**own, "system": system, "leave_out": list(self.leave_out)}

    @classmethod
    def from_dict(
        cls, values: dict[str, Any], system: System | type[AsDescribed] | None = None
    ) -> TrainingOptions:
        """Reads what `to_dict` gave; what this version does not know is an error.

        A system that is written in Python has to be given.
        """
        if "system" in values and (system is not None or not isinstance(values["system"], str)):
            from arcwise.transitions.system import given_for

            values = {**values, "system": given_for(values["system"], system)}
        return stored_options(cls, values)


def with_a_tagger(words: int) -> dict[str, Any]:
    """What is different by default in a network that a tagger shares, for a treebank of so many words.

    It has more to learn than a parser alone, and no tags to go by; from few words it must not learn too
    much.

    >>> with_a_tagger(200_000)["width"], with_a_tagger(20_000)["dropout"]
    (128, 0.5)
    """
    shared = {"width": 128, "hidden": 192, "affixes": 4, "shown_tags": 0.1}
    if words >= MANY_WORDS:
        return {**shared, "dropout": 0.35}
    return {**shared, "dropout": 0.5, "hidden_dropout": 0.4, "rate": 0.004}


def _check_names(what: str, names: list[str], known: tuple[str, ...]) -> None:
    for number, name in enumerate(names):
        if name not in known:
            raise OptionError(f"There is no {what} called '{name}': choose from {', '.join(known)}.")
        if name in names[:number]:
            raise OptionError(f"The {what} '{name}' is there twice.")
