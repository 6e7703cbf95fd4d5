"""How a tagger is trained: one frozen set of options, kept word for word in the model file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from arcwise._kinds import stored_options
from arcwise.errors import OptionError
from arcwise.options import ENCODERS

TOKENS = ("form", "lower", "shape", "prefix", "suffix")
"""The inputs that a tagger's network may have of a word: what can be read off its form."""
LEAVE_OUT = ("lemma", "xpos", "feats")


@dataclass(frozen=True, kw_only=True)
class TaggerOptions:
    """How a tagger is trained. Defaults make a good one.

    Attributes:
        leave_out: Columns that are left as they stand, of `lemma xpos feats`. So are those that are empty in
            the treebank.
        epochs: Passes over the treebank; None: from 30 to 10, the fewer the larger the treebank.
        seed: Of shuffling, exploration and the first weights; the same seed gives the same tagger.
        k: Epochs before training follows wrong predictions.
        p: How often it then follows them.
        lexicon: In training, the lexicon of lemmas knows words that were seen so often; rarer ones teach the
            network what to do with new ones. In tagging it knows all.
        tokens: The inputs of a word, of `form lower shape prefix suffix`, with spaces between.
        affixes: The longest prefixes and suffixes, in characters.
        least_affix: How often a prefix, suffix or shape must be seen to have a vector.
        states: The inputs of a state: places (`N0` is the word that is tagged, `N1` the next, `S0` the one
            before) and their tags, `S0.tag`; `N0.tag` is what has been decided of the word itself.
        encoder, layers, window, width, hidden, rate, decay, average, clip, dropout, hidden_dropout,
            word_dropout, batch: As in `TrainingOptions`.
    """

    leave_out: tuple[str, ...] = ()
    epochs: int | None = None
    seed: int = 1
    k: int = 1
    p: float = 0.9
    lexicon: int = 4
    tokens: str = "lower shape prefix suffix"
    affixes: int = 4
    least_affix: int = 5
    states: str = "N0 N1 S0 N0.tag S0.tag"
    encoder: str = "rnn"
    layers: int = 1
    window: int = 1
    width: int = 48
    hidden: int = 128
    rate: float = 0.005
    decay: float = 0.0
    average: float = 0.999
    clip: float = 5.0
    dropout: float = 0.2
    hidden_dropout: float = 0.2
    word_dropout: float = 0.25
    batch: int | None = None

    def __post_init__(self) -> None:
        for holds, sentence in self._what_must_hold():
            if not holds:
                raise OptionError(sentence)
        object.__setattr__(self, "leave_out", tuple(c for c in LEAVE_OUT if c in self.leave_out))

    def _what_must_hold(self) -> Iterator[tuple[bool, str]]:
        """What must hold, and what to say if it does not."""
        yield (
            not isinstance(self.leave_out, str) and set(self.leave_out) <= set(LEAVE_OUT),
            f"Columns that a tagger can leave out are {', '.join(LEAVE_OUT)}: give a tuple of some of them.",
        )
        yield self.epochs is None or 1 <= self.epochs < 2**31, "Training takes from 1 to 2^31 - 1 epochs."
        yield 0 <= self.seed < 2**63, "The seed must be a number from 0 to 2^63 - 1."
        yield 0 <= self.k < 2**31, "The number of epochs before exploration (k) goes from 0 to 2^31 - 1."
        yield 0 <= self.p <= 1, "The probability of exploration (p) must lie between 0 and 1."
        yield 1 <= self.lexicon < 2**31, "The lexicon takes words that were seen at least once."
        inputs = self.tokens.split() if isinstance(self.tokens, str) else []
        yield (
            len(inputs) > 0 and set(inputs) <= set(TOKENS) and len(set(inputs)) == len(inputs),
            f"A tagger's inputs of words (tokens) are some of {' '.join(TOKENS)}, each once.",
        )
        yield 1 <= self.least_affix < 2**31, "Prefixes and suffixes with vectors are seen at least once."
        yield isinstance(self.states, str), "The inputs of states must be text: write them in quotes."
        yield (
            self.encoder in ENCODERS,
            f"There is no encoder called '{self.encoder}': choose one of {', '.join(ENCODERS)}.",
        )
        for name in ("rate", "clip"):
            yield 0 < getattr(self, name) < math.inf, f"What is given as {name} must be a positive number."
        yield self.batch is None or 1 <= self.batch < 2**31, "A batch has from 1 to 2^31 - 1 words."

    @property
    def network(self) -> dict[str, Any]:
        """The network's shape and inputs, as a model file has them."""
        return {
            "encoder": self.encoder,
            "layers": self.layers,
            "window": self.window,
            "width": self.width,
            "hidden": self.hidden,
            "token_inputs": self.tokens.split(),
            "longest_affix": self.affixes,
            "state_inputs": self.states.split(),
        }

    def to_dict(self) -> dict[str, Any]:
        """All of them, as JSON has them."""
        return {**asdict(self), "leave_out": list(self.leave_out)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> TaggerOptions:
        """Reads what `to_dict` gave; what this version does not know is an error."""
        return stored_options(cls, values)
