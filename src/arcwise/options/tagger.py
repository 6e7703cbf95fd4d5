"""How a tagger is trained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arcwise.options.fields import option, seed_option
from arcwise.options.network import TOKENS_OF_FORMS, VECTOR, WORD, NetworkFields, changed

TOKENS = ("form", "lower", "shape", "kind", "prefix", "suffix", "ngram")
"""The inputs that a tagger's network may have of a word: what can be read off its form."""
WITH_VECTORS = {WORD, VECTOR}
"""Inputs that a tagger has if the parser that shares its network has pre-trained vectors."""
LEAVE_OUT = ("lemma", "xpos", "feats")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TaggerOptions(NetworkFields):
    """How a tagger is trained. Defaults make a good one."""

    TITLE = "Tagger"

    leave_out: tuple[str, ...] = option(
        (),
        "Columns that are left as they stand, of lemma, xpos and feats. So are those that are empty in the "
        "treebank.",
    )
    epochs: int | None = option(
        None,
        "Passes over the treebank.",
        least=1,
        unset="30 to 10, the fewer the larger the treebank",
        must="Training takes from 1 to 2^31 - 1 epochs.",
    )
    seed: int = seed_option(
        "Of shuffling, exploration and the first weights: the same seed gives the same tagger."
    )
    k: int = option(
        1,
        "Epochs before training follows wrong predictions.",
        least=0,
        must="The number of epochs before exploration (k) goes from 0 to 2^31 - 1.",
    )
    p: float = option(
        0.9,
        "How often it then follows them.",
        least=0,
        most=1,
        must="The probability of exploration (p) must lie between 0 and 1.",
    )
    lexicon: int = option(
        4,
        "In training, the lexicon of lemmas knows words that were seen so often; rarer ones teach the "
        "network what to do with new ones. In tagging it knows all.",
        least=1,
        must="The lexicon takes words that were seen at least once.",
    )
    least_affix: int = option(
        5,
        "How often a prefix, suffix, n-gram or shape must be seen to have a vector.",
        least=1,
        must="Prefixes and suffixes with vectors are seen at least once.",
    )
    tokens: str = changed(
        NetworkFields,
        "tokens",
        TOKENS_OF_FORMS,
        help=f"Inputs of a word, of {' '.join(TOKENS)}, with spaces between.",
    )
    states: str = changed(
        NetworkFields,
        "states",
        "N0 N1 S0 N0.tag S0.tag",
        help="Inputs of a state: places (`N0` is the word that is tagged, `N1` the next, `S0` the one "
        "before) and their tags, `S0.tag`; `N0.tag` is what has been decided of the word itself.",
    )
    affixes: int = changed(NetworkFields, "affixes", 8)
    layers: int = changed(NetworkFields, "layers", 1)
    width: int = changed(NetworkFields, "width", 48)
    hidden: int = changed(NetworkFields, "hidden", 128)
    rate: float = changed(NetworkFields, "rate", 0.005)
    decay: float = changed(NetworkFields, "decay", 0.05)
    dropout: float = changed(NetworkFields, "dropout", 0.4)
    hidden_dropout: float = changed(NetworkFields, "hidden_dropout", 0.2)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "leave_out", tuple(c for c in LEAVE_OUT if c in self.leave_out))

    def requirements(self) -> Iterator[tuple[bool, str]]:
        yield (
            not isinstance(self.leave_out, str) and set(self.leave_out) <= set(LEAVE_OUT),
            f"Columns that a tagger can leave out are {', '.join(LEAVE_OUT)}: give a tuple of some of them.",
        )
        inputs = self.tokens.split()
        known = {*TOKENS, *WITH_VECTORS}
        yield (
            len(inputs) > 0 and set(inputs) <= known and len(set(inputs)) == len(inputs),
            f"A tagger's inputs of words (tokens) are some of {' '.join(TOKENS)}, each once.",
        )

    @property
    def network(self) -> dict[str, Any]:
        """The network's shape and inputs, as a model file has them."""
        return self.shape(self.tokens.split(), self.states.split())
