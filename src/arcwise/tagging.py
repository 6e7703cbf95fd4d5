"""What a treebank teaches a tagger, alone or along with a parser, and the tagger that comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from arcwise import _core, network
from arcwise.encoder import Encoder
from arcwise.errors import OptionError
from arcwise.features import check_slots
from arcwise.options import ParserOptions
from arcwise.options.network import NetworkFields
from arcwise.options.tagger import TaggerOptions
from arcwise.tagger import COLUMNS, Tagger, TaggerInfo
from arcwise.treebank import Treebank, fingerprint

LEAST_FORMS = 2
"""A rule of lemmas that fewer forms ask for is for the lexicon alone: it has nothing to say of new ones."""
OWN = {"hidden", "hidden_dropout", "states"}
"""What a tagger has of its own though it shares a parser's network."""


def along(tagger: TaggerOptions, parser: ParserOptions, inputs: list[str]) -> TaggerOptions:
    """The options of a tagger that is learnt along with a parser: what they share is the parser's."""
    learner, policy = parser.network, parser.policy
    own = {f.name: getattr(learner, f.name) for f in fields(NetworkFields) if f.name not in OWN}
    own |= {"epochs": parser.epochs, "seed": parser.seed, "k": policy.k, "p": policy.p}
    own["tokens"] = " ".join(network.without_tags(inputs))
    for name, value in sorted(own.items()):
        if name != "seed" and getattr(tagger, name) not in (getattr(TaggerOptions, name), value):
            raise OptionError(
                f"The tagger shares the parser's network, and is trained along with it: give {name} to the "
                "parser, or train them apart (separate_tagger)."
            )
    return replace(tagger, **own)


def tagging_set_of(treebank: Treebank, options: TaggerOptions) -> _core.TaggingSet:
    """What a treebank teaches a tagger."""
    check_slots("The inputs of states", _core.check_states(options.states.split()), "tagging")
    return _core.TaggingSet(
        treebank._core,
        leave_out=[_core.Column[name.upper()] for name in options.leave_out],
        least_forms=LEAST_FORMS,
        least_uses=options.lexicon,
    )


def tagger_of(
    options: TaggerOptions,
    tagging_set: _core.TaggingSet,
    learnt: Mapping[str, Mapping[str, Any]],
    epoch: int,
    encoder: Encoder | None = None,
) -> Tagger:
    """The tagger with the weights that a network has learnt, on a parser's encoder if it shares that."""
    arrays = network.arrays_of(learnt, "tagger")
    rules = np.asarray(tagging_set.lexicon_rules)
    # As small as they can be stored: a lexicon has many.
    arrays["lexicon_rules"] = rules.astype(np.min_scalar_type(max(0, len(tagging_set.rules) - 1)))
    arrays["lexicon_keys"] = np.asarray(tagging_set.lexicon_keys)
    arrays["lemma_keys"] = np.asarray(tagging_set.lemma_keys)
    names = {column: name for name, column in COLUMNS.items()}
    info = TaggerInfo(
        options=options,
        columns=[names[column] for column in tagging_set.columns],
        analyses=tagging_set.analyses,
        rules=tagging_set.rules,
        choices=tagging_set.choices,
        training={"epoch": epoch},
    )
    return Tagger(info, arrays, encoder)


def with_history(
    tagger: Tagger, treebank: Treebank, dev: Treebank | None, epochs: list[dict[str, Any]]
) -> Tagger:
    """The tagger, which says where it comes from."""
    training = {
        **tagger.info.training,
        "treebank": Path(treebank.source).name,
        "sentences": len(treebank),
        "words": treebank.word_count,
        "fingerprint": fingerprint(treebank),
        "dev": None if dev is None else Path(dev.source).name,
        "epochs": epochs,
    }
    return tagger.with_info(replace(tagger.info, training=training))
