"""What every kind of learner has to say of itself and of the model that it freezes to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from arcwise import _core, names
from arcwise.errors import ModelError

if TYPE_CHECKING:
    from arcwise.encoder import Encoder
    from arcwise.model_file import Array
    from arcwise.options import ParserOptions
    from arcwise.options.tagger import TaggerOptions
    from arcwise.parser import ModelInfo, Parser
    from arcwise.silver import SilverTrees
    from arcwise.treebank import Treebank
    from arcwise.vectors import Vectors

Model = _core.LinearModel | _core.NetworkModel | _core.CostSensitiveModel
Learnt = Mapping[str, Mapping[str, Any]]
"""Models as a trainer of the core gives them, by name."""


@dataclass(frozen=True)
class Inputs:
    """What a learner looks at, and how its model is asked, as a model file has it."""

    templates: list[str] = field(default_factory=list)
    network: dict[str, Any] | None = None
    """The shape and the inputs of a network."""
    search: dict[str, Any] | None = None
    """How what was learnt by learning to search is asked."""
    vectors: Vectors | None = None
    """Pre-trained ones, which are in the model and not beside it."""


@dataclass(frozen=True)
class Run:
    """What a trainer is made for."""

    treebank: Treebank
    options: ParserOptions
    inputs: Inputs
    core: _core.RunOptions
    threads: int = 1
    tagger: tuple[_core.TaggingSet, TaggerOptions] | None = None
    """What is learnt along with the parser."""
    silver: SilverTrees | None = None
    """Trees of another parser, beside those of the treebank."""
    own_sentences: int | None = None
    """How many sentences come before their variants."""
    before: Parser | None = None
    """The parser that learns from corrections, and by how much."""
    rate: float | None = None
    alone: bool = False
    """Whether it learns from corrections without other sentences that keep the weights in place."""


@dataclass(frozen=True)
class Frozen:
    """What is stored of what was learnt."""

    arrays: dict[str, Array]
    features: int
    weights: int
    scale: float = 1.0
    search: dict[str, Any] | None = None


class Learner(ABC):
    """A kind of learner, and the kind of model that it freezes to."""

    name: str
    title: str
    """In words."""
    probabilistic = False
    """Whether its scores of moves are log-odds."""
    scores_moves = True
    """Otherwise there is nothing that a beam could add up or a trace could show."""
    has_encoder = False
    """Whether its model looks at words as an encoder gives them, which a tagger could share."""
    epochs: int | None = None
    """Passes over a treebank by default; None: that depends on the treebank."""
    learns_from_silver = False
    """Whether it can be trained on silver trees beside gold ones."""
    plans_epochs = False
    """Whether what an epoch does depends on how many are to come."""
    policy = "explore"
    """By default, where there is a dynamic oracle."""
    epochs_of_update: int
    rate_of_update: float | None = None
    """How fast it learns from corrections; None: it cannot be told."""
    rate_of_replay: float | None = None
    """The same where other sentences keep the weights in place."""

    # Options

    def requirements(self, options: ParserOptions) -> Iterator[tuple[bool, str]]:
        """What must hold of options, and what to say if it does not."""
        yield from ()

    def resolved(self, options: ParserOptions) -> ParserOptions:
        """The options with all filled in that does not depend on a treebank."""
        options = replace(options, epochs=options.epochs or self.epochs)
        system = names.system(options.system.name)
        policy, oracle = options.policy.name, options.policy.oracle
        if policy is None:
            follows = system.dynamic_oracle and oracle in (None, "dynamic")
            policy = self.policy if follows else "static"
        if oracle is None:
            facts = names.policy(policy)
            if facts.leaves_the_gold_path:
                oracle = "dynamic"
            elif facts.follows_ambiguity or not system.static_oracle:
                oracle = "nondeterministic"
            else:
                oracle = "static"
        return replace(options, policy=replace(options.policy, name=policy, oracle=oracle))

    def planned(
        self, options: ParserOptions, words: int, *, shared: bool = False, silver: SilverTrees | None = None
    ) -> ParserOptions:
        """The options with all filled in that depends on a treebank, of so many words, on whether a tagger
        shares the learner's encoder, and on silver trees."""
        return options

    def beam_of(self, options: ParserOptions) -> int | None:
        """The width of the beam that it is trained with, if it is."""
        return None

    def shares_encoder(self, options: ParserOptions) -> bool:
        """Whether a tagger can look at words as it encodes them when it is trained in this way."""
        return False

    # Training

    @abstractmethod
    def inputs(self, options: ParserOptions, columns: Collection[str], treebank: Treebank) -> Inputs:
        """What it looks at in a treebank, of whose columns these are for it to see."""

    def passes_of_update(self, words: int, replay: bool) -> int:
        """How often an update goes over so many corrected words, without others or with a `replay`."""
        return self.epochs_of_update

    @abstractmethod
    def trainer(self, run: Run) -> _core.Trainer:
        """What learns."""

    @abstractmethod
    def frozen(self, options: ParserOptions, inputs: Inputs, learnt: Learnt) -> Frozen:
        """What is stored of what a trainer has learnt."""

    def taken_up(self, before: Parser, fresh: Mapping[str, Array], *, alone: bool) -> dict[str, Array]:
        """The state of a fresh trainer with what a parser has learnt in its place.

        It is to learn from corrections `alone`, or along with other sentences.
        """
        if before.info.state is None:
            raise ModelError(
                "The parser has kept no training state, without which only networks can be updated: train "
                "it with one (keep_training_state)."
            )
        return {**fresh, **before.training_state}

    # The model

    def encoder(self, info: ModelInfo, arrays: Mapping[str, Array]) -> Encoder | None:
        """What its model makes of words with, if that is an encoder."""
        return None

    @abstractmethod
    def model(self, info: ModelInfo, arrays: Mapping[str, Array], encoder: Encoder | None) -> Model:
        """The model as the core has it, of what a file says."""

    def needs_tags(self, info: ModelInfo) -> bool:
        """Whether it was always shown tags, if there were any, when it was trained."""
        return True

    def without_tags(self, info: ModelInfo) -> ModelInfo:
        """The same model, which takes no notice of words' tags; one that needs them stays as it is."""
        return info

    def attributes(self, info: ModelInfo) -> set[str]:
        """What it looks at of words, columns among them."""
        return {atom.rpartition(".")[2] for template in info.templates for atom in template.split()}

    # In words

    def in_brief(self, options: ParserOptions) -> str:
        """The learner with those of its own options that make a difference."""
        return self.title

    def in_full(self, info: ModelInfo) -> str:
        """The same of a model, which knows its shape."""
        return self.in_brief(info.options)

    def training(self, options: ParserOptions) -> str:
        """The policy and the oracle."""
        policy = options.policy
        facts = names.policy(str(policy))
        own = ""
        if facts.leaves_the_gold_path:
            own = f" with k={policy.k}" if facts.draws else f" with k={policy.k} p={policy.p:g}"
        return f"{policy.oracle} oracle, {policy.name} policy{own}"

    @abstractmethod
    def facts(self, info: ModelInfo) -> dict[str, str]:
        """What a model looks at and how large it is."""

    @abstractmethod
    def to_be_trained(self, inputs: Inputs, weights: int | None) -> list[str]:
        """The same of a model that is to be trained, of so many weights if that is known."""
