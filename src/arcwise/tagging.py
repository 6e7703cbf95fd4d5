"""What a treebank teaches a tagger, alone or along with a parser, and the tagger that comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
LEAST_SIGNS = 3
"""Signs that are seen as often have no other UPOS than those that they are seen with."""
MOST_SIGNS = 10_000
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


def tagging_set_of(
    treebank: Treebank, options: TaggerOptions, own_sentences: int | None = None
) -> _core.TaggingSet:
    """What a treebank teaches a tagger; if some sentences are variants of others, these come first."""
    check_slots("The inputs of states", _core.check_states(options.states.split()), "tagging")
    return _core.TaggingSet(
        treebank._core,
        leave_out=[_core.Column[name.upper()] for name in options.leave_out],
        least_forms=LEAST_FORMS,
        least_uses=options.lexicon,
        own_sentences=own_sentences,
    )


def tagger_of(
    options: TaggerOptions,
    tagging_set: _core.TaggingSet,
    learnt: Mapping[str, Mapping[str, Any]],
    treebank: Treebank,
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
        reach=tagging_set.reach,
        training={"epoch": epoch},
        signs=signs_of(treebank, tagging_set.analyses) if tagging_set.columns[0] == _core.Column.UPOS else [],
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


def signs_of(
    treebank: Treebank, analyses: list[list[str]], before: list[list[str]] | None = None
) -> list[list[str]]:
    """Forms of a treebank without letters and digits, each with the UPOS that it may have.

    As `TaggerInfo` has them: what is seldom seen may have any, and has none here. `analyses` begin with the
    UPOS that there are; `before` are the signs that were known already.

    >>> forms = ["Yes", ",", "yes", ",", "(", "yes", ",", "!"]
    >>> tags = ["INTJ" if form[0] in "Yy" else "PUNCT" for form in forms]
    >>> signs_of(Treebank.from_words([forms], upos=[tags]), [["INTJ"], ["PUNCT"]])
    [['!'], ['('], [',', 'PUNCT']]
    """
    known = {analysis[0] for analysis in analyses}
    seen: dict[str, Counter[str]] = {}
    words = Counter(zip(treebank.column("form"), treebank.column("upos"), strict=True))
    for (form, upos), count in words.items():
        if upos in known and _core.is_sign(form):
            seen.setdefault(form, Counter())[upos] += count
    signs = {sign[0]: sign[1:] for sign in before or []}
    for form, counts in seen.items():
        if form in signs:
            # What may have any stays so.
            signs[form] = sorted({*signs[form], *counts}) if signs[form] else []
        else:
            signs[form] = sorted(counts) if counts.total() >= LEAST_SIGNS else []
    return [[form, *signs[form]] for form in sorted(signs)[:MOST_SIGNS]]


def corrected_set(tagger: Tagger, treebank: Treebank, corrected: int) -> _core.TaggingSet:
    """What a treebank teaches a tagger, whose first sentences are corrections and others are learnt again.

    Lemmas of corrected words join its lexicon. Its tags stay as they are.
    """
    info, arrays = tagger.info, tagger._arrays
    return _core.TaggingSet.known(
        treebank._core,
        corrected,
        columns=[COLUMNS[name] for name in info.columns],
        analyses=info.analyses,
        rules=info.rules,
        choices=info.choices,
        lexicon_keys=arrays["lexicon_keys"],
        lexicon_rules=arrays["lexicon_rules"].astype(np.int32),
        lemma_keys=arrays["lemma_keys"],
        least_forms=LEAST_FORMS,
        least_uses=info.options.lexicon,
    )


def taken_up(
    tagger: Tagger,
    tagging_set: _core.TaggingSet,
    fresh: Mapping[str, NDArray[Any]],
    *,
    shared: bool,
    alone: bool,
) -> dict[str, NDArray[Any]]:
    """Of the state of a fresh trainer, that of its tagger, with what a tagger has learnt in its place.

    One that has `shared` its encoder has no words of its own. It is to learn from corrections `alone`, or
    along with other sentences.
    """
    shape, prefix = tagger.info.options.network, ""
    if shared:
        shape, prefix = {**shape, "encoder": "none"}, "tags."
    state = network.thawed(shape, _with_choices(tagger, tagging_set))
    taken = {}
    for name, values in state.items():
        own = fresh[prefix + name].copy()
        # What moves have in common, which comes last, is in the weights of each.
        kept = min(len(own), len(values))
        own[:kept], own[kept:] = values[:kept], 0
        taken[prefix + name] = own
    taken |= {f"{prefix}{table}.average": taken[f"{prefix}{table}.weights"] for table in network.TABLES}
    if alone:
        taken |= network.moments_of_update(taken, shape, network.RATE_OF_HEADS["tagger"], prefix)
    return taken


def updated(before: Tagger, after: Tagger, corrected: Treebank, training: dict[str, Any]) -> Tagger:
    """A tagger that has learnt from corrections, with all else that is said of it as before."""
    own = before.info
    info = replace(
        after.info,
        options=own.options,
        training=training,
        dictionary=own.dictionary,
        restricts=own.restricts,
        signs=signs_of(corrected, own.analyses, own.signs) if own.signs else [],
        reach=own.reach,
    )
    return after.with_info(info)


def _with_choices(tagger: Tagger, tagging_set: _core.TaggingSet) -> dict[str, NDArray[Any]]:
    """A tagger's network with moves for rules of lemmas that are new with a value of the first column: they
    begin as the mean of the others, and no more probable than any of them."""
    arrays, known, now = dict(tagger._arrays), tagger.info.choices, tagging_set.choices
    if list(now) == list(known):
        return arrays
    tags, hidden = tagging_set.tags, tagger.info.options.hidden
    place = {choice: tags + number for number, choice in enumerate(known)}
    moves, bias = arrays["moves"].reshape(hidden, -1), arrays["move_bias"]

    def siblings(value: int) -> list[int]:
        return [place[choice] for choice in known if choice[0] == value] or list(place.values())

    columns, biases = [moves[:, :tags]], [bias[:tags]]
    for choice in now:
        own = [place[choice]] if choice in place else siblings(choice[0])
        columns.append(moves[:, own].mean(axis=1, keepdims=True).round().astype(moves.dtype))
        biases.append(bias[own].min(keepdims=True))
    arrays["moves"] = np.concatenate(columns, axis=1).ravel()
    arrays["move_bias"] = np.concatenate(biases)
    return arrays
