"""The numbers that a model has for labels and moves, in trees and networks that have others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from arcwise import _core, names, network
from arcwise.encoder import Encoder
from arcwise.errors import TreebankError
from arcwise.parser import ModelInfo, Parser
from arcwise.tagger import Tagger
from arcwise.treebank import Treebank

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NATS = 200.0
"""How much less than any other a move scores that a network does not know."""
_LOWEST = -(2**30)
_NEW = -2


def numbered_as(treebank: Treebank, label_names: list[str], why_not: str, remedy: str) -> Treebank:
    """The treebank with these numbers for labels.

    One that is not among them is refused: `why_not` says what is wrong with it, and `remedy` what to do.
    """
    known = {name: number for number, name in enumerate(label_names)}
    # An unknown label, -1, leads to the last of these.
    numbers = np.array([known.get(name, _NEW) for name in treebank.label_names] + [-1], dtype=np.int32)
    labels = numbers[treebank.labels]
    for word in np.flatnonzero(labels == _NEW)[:1]:
        sentence = treebank[int(np.searchsorted(treebank.first_words, word, side="right")) - 1]
        raise TreebankError(
            f"{treebank.source}: sentence {sentence.id or f'at line {sentence.line}'} has the label "
            f"'{treebank.label_names[treebank.labels[word]]}', {why_not}: choose from {' '.join(known)}; or "
            f"{remedy}."
        )
    return treebank.with_trees(treebank.heads, labels, label_names)


def label_set(info: ModelInfo) -> _core.LabelSet:
    """The labels of a parser, as the core has them."""
    return _core.LabelSet(
        labels=info.labels, left=info.left, right=info.right, root=info.root, completion=info.completion
    )


Numbers: TypeAlias = "NDArray[np.int64]"


def parser_network(parser: Parser, first: ModelInfo) -> _core.NetworkModel:
    """A parser's network with the numbers of another's labels and moves."""
    own = parser.info
    assert own.network and parser.encoder is not None
    encoder: Encoder = parser.encoder
    shape: dict[str, Any] = own.network

    def meanings(info: ModelInfo) -> list[tuple[Any, ...]]:
        # Values below 0 say something else than where a word was lifted from.
        return [
            (info.label_names[base], info.label_names[lifted] if lifted >= 0 else lifted, path)
            for base, lifted, path in info.labels
        ]

    def moves(info: ModelInfo) -> list[tuple[Any, ...]]:
        groups = _core.move_groups(
            **names.for_the_core(info.options.system.name),
            labels=label_set(info),
            root_first=info.options.system.root == "first",
        )
        labels = meanings(info)
        return [
            (group, labels[label] if label >= 0 else None)
            for group, of_group in enumerate(groups)
            for label in of_group
        ]

    labels = _places(meanings(own), meanings(first))
    # One of a word that was lifted, as this parser has never seen it, looks like the label alone.
    plain = _places(meanings(own), [(name, _core.NOT_LIFTED, False) for name, _, _ in meanings(first)])
    labels = np.where(labels >= 0, labels, plain)
    return _renumbered(
        parser._arrays,
        shape,
        lambda arrays: network.model(encoder, shape, arrays, len(labels)),
        labels,
        len(own.labels),
        _places(moves(own), moves(first)),
    )


def tagger_network(tagger: Tagger, tagging_set: _core.TaggingSet) -> _core.NetworkModel:
    """A tagger's network with the numbers of another's tags and rules."""
    info, shape = tagger.info, tagger.info.options.network
    own_tags, own_rules = _tag_moves(info.analyses, info.rules, info.choices)
    tags, rules = _tag_moves(tagging_set.analyses, tagging_set.rules, tagging_set.choices)
    return _renumbered(
        tagger._arrays,
        shape,
        lambda arrays: network.model(tagger.encoder, shape, arrays, len(tags)),
        _places(own_tags, tags),
        len(own_tags),
        _places([*own_tags, *own_rules], [*tags, *rules]),
    )


def _tag_moves(
    analyses: Sequence[Sequence[str]], rules: Sequence[Sequence[str]], choices: Sequence[tuple[int, int]]
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """What the moves of a tagger mean, in their order: values of columns, and rules of lemmas."""
    tags = [
        beginning
        for length in range(1, len(analyses[0]) + 1)
        for beginning in dict.fromkeys(tuple(analysis[:length]) for analysis in analyses)
    ]
    firsts = list(dict.fromkeys(analysis[0] for analysis in analyses))
    return tags, [("rule", firsts[value], tuple(rules[rule])) for value, rule in choices]


def _places(own: Sequence[Any], wanted: Sequence[Any]) -> Numbers:
    """Where each thing that is wanted stands, or -1."""
    place = {thing: number for number, thing in enumerate(own)}
    return np.array([place.get(thing, -1) for thing in wanted], np.int64)


def _renumbered(
    arrays: Mapping[str, NDArray[Any]],
    shape: Mapping[str, Any],
    model: Callable[[Mapping[str, NDArray[Any]]], _core.NetworkModel],
    labels: Numbers,
    own_labels: int,
    moves: Numbers,
) -> _core.NetworkModel:
    """A network in which a label or move has the number of its place in a list, which says what it had.

    A label that it does not know, -1, looks like none, and such a move is next to impossible.
    """
    hidden, known = shape["hidden"], moves >= 0
    of_moves, bias = arrays["moves"].reshape(hidden, -1), arrays["move_bias"]
    new_moves = np.where(known, of_moves[:, moves], 0).astype(of_moves.dtype)
    lowest = max(_LOWEST, int(bias.min()) - int(_NATS / float(arrays["scales"][1])))
    new_bias = np.where(known, bias[moves], lowest).astype(bias.dtype)
    rows, first = [], 0
    for extra in (name for name in shape["state_inputs"] if "." in name):
        size = network.values_of(extra, own_labels)
        own = np.arange(first, first + size)
        if network.is_label(extra):
            # Before those of labels there are the values of no word, and of a word without a label.
            own = np.concatenate([own[:2], np.where(labels >= 0, own[2:][labels], own[1])])
        rows.append(own)
        first += size
    extras = arrays["extras"].reshape(-1, hidden)
    assert len(extras) == first
    new = {
        "moves": np.ascontiguousarray(new_moves).ravel(),
        "move_bias": new_bias,
        "extras": extras[np.concatenate(rows)].ravel() if rows else arrays["extras"],
    }
    return model({**arrays, **new})
