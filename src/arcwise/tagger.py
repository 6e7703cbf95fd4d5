"""The tagger: UPOS, XPOS, FEATS and lemmas of words, learnt from a treebank.

>>> treebank = Treebank.from_words(
...     [["Dogs", "bark"]], upos=[["NOUN", "VERB"]], lemma=[["dog", "bark"]]
... )
>>> tagger = Tagger.train(treebank, epochs=30)
>>> tagger.tag(Treebank.from_words([["dogs", "bark"]])).column("lemma")
['dog', 'bark']
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from arcwise import _core, model_file, network
from arcwise.errors import ModelError, OptionError
from arcwise.treebank import Treebank

KIND = "tagger"
PathLike = str | os.PathLike[str]


@dataclass(frozen=True, kw_only=True)
class TaggerOptions:
    """How a tagger is trained. Defaults make a good one.
    """

    lemmas: bool = True
    least_forms: int = 2
    least_uses: int = 4
    epochs: int | None = None
    seed: int = 1
    k: int = 1
    p: float = 0.9
    tokens: str = "lower shape prefix suffix"
    affixes: int = 4
    states: str = "N0 N0.tag S0.tag S1.tag"
    encoder: str = "rnn"
    layers: int = 1
    window: int = 1
    width: int = 48
    hidden: int = 64
    rate: float = 0.002
    decay: float = 0.0
    average: float = 0.999
    clip: float = 5.0
    dropout: float = 0.2
    hidden_dropout: float = 0.2
    word_dropout: float = 0.25
    batch: int | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def describe(self) -> dict[str, Any]:
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
