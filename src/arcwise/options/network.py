"""What a network looks at, how large it is, and how it learns."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from arcwise.errors import OptionError
from arcwise.options.fields import Options, option, said_of
from arcwise.options.named import Named

TOKENS = (
    *("form", "lower", "lemma", "shape", "kind", "prefix", "suffix", "ngram"),
    *("upos", "xpos", "feats", "feature"),
)
"""The inputs that a network may have of a word, besides its pre-trained vector."""
WORD, VECTOR = "word", "vector"
"""Inputs of words with pre-trained vectors: ``lower`` and vectors in one, or vectors alone."""
TOKENS_OF_FORMS = "lower shape kind prefix suffix ngram"
"""Those that suit a network that gives words their tags: all that can be read off a form."""
TOKENS_OF_MANY = "lower shape kind prefix suffix"
"""The same if it learns from so many words that it gains nothing from their parts."""
TAGS = "upos xpos feats feature"
ENCODERS = ("none", "conv", "rnn")
MANY_WORDS = 100_000
ALONE: dict[str, Any] = {
    "affixes": 3,
    "width": 64,
    "hidden": 128,
    "rate": 0.002,
    "decay": 0.0,
    "dropout": 0.2,
    "hidden_dropout": 0.3,
    "shown_tags": 1.0,
}
"""What suits a network that no tagger shares."""


def with_a_tagger(words: int) -> dict[str, Any]:
    """What suits a network that a tagger shares, for a treebank of so many words.

    It has more to learn than a parser alone, and no tags to go by; from few words it must not learn too
    much.

    >>> with_a_tagger(200_000)["width"], with_a_tagger(20_000)["dropout"]
    (128, 0.5)
    """
    shared = {**ALONE, "width": 128, "hidden": 192, "shown_tags": 0.1}
    if words >= MANY_WORDS:
        return {**shared, "tokens": f"{TOKENS_OF_MANY} {TAGS}", "affixes": 4, "dropout": 0.35}
    return {
        **shared,
        **{"tokens": f"{TOKENS_OF_FORMS} {TAGS}", "affixes": 8, "decay": 0.1},
        **{"dropout": 0.5, "hidden_dropout": 0.4, "rate": 0.004},
    }


def _of(name: str, shared: str) -> str:
    return f"{ALONE[name]:g}, or {shared} if a tagger shares the network"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NetworkFields(Options):
    """What the networks of a parser and of a tagger have in common."""

    encoder: str = option(
        "rnn",
        "How words learn of those around them: not at all, by windows (conv), or by a recurrence in both "
        "directions (rnn).",
        choices=ENCODERS,
    )
    layers: int = option(2, "Layers of the encoder.", least=1, most=16, must="An encoder has 1 to 16 layers.")
    window: int = option(
        1,
        "Words on either side that a layer sees at once.",
        least=0,
        most=8,
        must="A window has 0 to 8 words on either side.",
    )
    width: int | None = option(
        None,
        "Size of word vectors, a multiple of 16.",
        least=1,
        most=1024,
        multiple=16,
        unset=_of("width", "128"),
        must="The width must be a multiple of 16, up to 1024.",
    )
    hidden: int | None = option(
        None,
        "Hidden units, a multiple of 16.",
        least=1,
        most=1024,
        multiple=16,
        unset=_of("hidden", "192"),
        must="The number of hidden units must be a multiple of 16, up to 1024.",
    )
    tokens: str | None = option(
        None,
        f"Inputs of a word, of {' '.join(TOKENS)}, with spaces between.",
        unset="what works well of the columns that there are",
        metavar="NAMES",
    )
    affixes: int | None = option(
        None,
        "Characters in the longest prefixes and suffixes.",
        least=1,
        most=32,
        unset=_of("affixes", "8, in a large treebank 4,"),
        must="Prefixes and suffixes (affixes) have 1 to 32 characters.",
    )
    states: str | None = option(
        None,
        "Inputs of a state: places and what the tree says of them, in the notation of features, with spaces "
        "between.",
        unset="those that 'arcwise features network' prints",
        metavar="PLACES",
    )
    rate: float | None = option(
        None,
        "Learning rate at first; it falls to next to nothing in a straight line.",
        above=0,
        unset="0.002, or 0.004 if a tagger shares the network and the treebank is small",
        must="The learning rate (rate) must be a positive number.",
    )
    decay: float | None = option(
        None,
        "Decay of weights.",
        least=0,
        unset="0, or 0.1 if a tagger shares the network and the treebank is small",
        must="The decay of weights must be 0 or a positive number.",
    )
    average: float = option(
        0.999,
        "How much of the weights' running average stays in a step; 0: no average.",
        least=0,
        below=1,
        must="The share of the average that stays must be at least 0 and below 1.",
    )
    clip: float = option(
        5.0, "The longest gradient.", above=0, must="The longest gradient (clip) must be a positive number."
    )
    dropout: float | None = option(
        None,
        "Share of word vectors that is left out in training.",
        least=0,
        below=1,
        unset=_of("dropout", "0.35 to 0.5"),
        must="The share dropout must be at least 0 and below 1.",
    )
    hidden_dropout: float | None = option(
        None,
        "Share of hidden units that is left out in training.",
        least=0,
        below=1,
        unset="0.3, or 0.4 if a tagger shares the network and the treebank is small",
        must="The share hidden_dropout must be at least 0 and below 1.",
    )
    word_dropout: float = option(
        0.25,
        "X, where a word seen n times is taken for unknown with probability X/(X+n).",
        least=0,
        must="Word dropout must be 0 or a positive number.",
    )
    batch: int | None = option(
        None,
        "Words in a training step.",
        least=1,
        unset="300, fewer in a small treebank",
        must="A batch has from 1 to 2^31 - 1 words.",
    )

    embedding_bits: int | None = option(
        None,
        "Bits of a number in the embeddings of rare inputs of words, as the model has them: 8, or 4, which "
        "makes it smaller; frequent ones have 8.",
        least=4,
        most=8,
        multiple=4,
        unset="8, or 4 with pre-trained vectors",
        must="The embeddings of rare inputs have 4 bits or 8 (embedding_bits).",
    )

    def shape(self, token_inputs: list[str], state_inputs: list[str]) -> dict[str, Any]:
        """The network's shape and inputs, as a model file has them."""
        return {
            "encoder": self.encoder,
            "layers": self.layers,
            "window": self.window,
            "width": self.width,
            "hidden": self.hidden,
            "token_inputs": token_inputs,
            "longest_affix": self.affixes,
            "state_inputs": state_inputs,
        }


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NetworkOptions(Named, NetworkFields):
    """The learner `network`: an encoder of words, and a hidden layer that scores moves."""

    TITLE = "Network"
    name = "network"

    shown_tags: float | None = option(
        None,
        "Share of sentences whose tags are shown in training: below 1, the parser can do without any.",
        least=0,
        most=1,
        unset=_of("shown_tags", "0.1"),
        must="The share of sentences whose tags are shown lies between 0 and 1.",
    )
    vectors: str | tuple[str, ...] | None = option(
        None,
        "A file of pre-trained word vectors, in the text format of word2vec and fastText (.vec, also .xz, "
        ".gz or .bz2) or in fastText's own (.bin); of several, vectors stand side by side.",
        metavar="FILE",
        unset="none",
        common=True,
        several=True,
    )
    vectors_limit: int = option(
        100_000,
        "How many words of such a file are read.",
        least=1,
        must="The limit of vectors must be from 1 to 2^31 - 1 words.",
    )
    tune_vectors: bool = option(
        False, "Train the vectors with the rest, instead of leaving them as they are.", off="fix_vectors"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tokens is not None:
            check_names("input of words", self.tokens.split(), TOKENS)
        if self.vectors is not None and not isinstance(self.vectors, str):
            files = tuple(self.vectors)
            object.__setattr__(self, "vectors", files[0] if len(files) == 1 else files or None)

    @property
    def vector_files(self) -> tuple[str, ...]:
        """The files of vectors, one or more or none."""
        return (self.vectors,) if isinstance(self.vectors, str) else self.vectors or ()

    def planned(self, words: int, *, shared: bool) -> NetworkOptions:
        """The same with all filled in that depends on whether a tagger shares it, and on the treebank.

        >>> NetworkOptions(width=48).planned(1000, shared=False).hidden
        128
        """
        suits = with_a_tagger(words) if shared else ALONE
        open_ones = {name: value for name, value in suits.items() if getattr(self, name) is None}
        return dataclasses.replace(self, **open_ones)


def changed(base: type[Options], name: str, default: Any, **more: Any) -> Any:
    """A field as a base has it, with another default and whatever else is said otherwise."""
    said = said_of(base.__dataclass_fields__[name])  # type: ignore[attr-defined]
    assert said is not None
    return dataclasses.field(default=default, metadata={"option": said._replace(**{"unset": None, **more})})


def check_names(what: str, names: list[str], known: tuple[str, ...]) -> None:
    """Refuses names that are unknown, or there twice."""
    for number, name in enumerate(names):
        if name not in known:
            raise OptionError(f"There is no {what} called '{name}': choose from {', '.join(known)}.")
        if name in names[:number]:
            raise OptionError(f"The {what} '{name}' is there twice.")
