"""Whose tags a parser goes by.

A parser that shares its network with a tagger sees of words what the tagger sees: the tagger's tags are no
news to it, only those that others have given are. So the tree of a sentence is the same whether it comes
without tags or with those that the tagger would give it, and re-parsing what was parsed changes nothing. That
holds for tags, too, that are not the tagger's own because they go with the tree (see grammar.py).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from arcwise import _core
from arcwise._numpy import np
from arcwise.errors import OptionError
from arcwise.tagger import COLUMNS, Tagger
from arcwise.treebank import Treebank

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tags: TypeAlias = Literal["auto", "given", "new"]
"""`auto`: those that stand in a sentence stay, and the parser goes by them if one is not the tagger's own;
`given`: it goes by them in any case; `new`: the tagger's take their place. A sentence without tags gets the
tagger's."""
TAGS: tuple[Tags, ...] = get_args(Tags)


@dataclass(frozen=True)
class Tagged:
    """Sentences with their tags."""

    treebank: Treebank
    shown: NDArray[np.bool_]
    """Of which sentences someone else has given the tags."""

    @property
    def for_parser(self) -> Treebank:
        """With no other tags than these."""
        if self.shown.all():
            return self.treebank
        bare = self.treebank.without(*COLUMNS)
        return _with_columns_of(bare, self.treebank, COLUMNS, self.shown) if self.shown.any() else bare

    def on(self, trees: Treebank) -> Treebank:
        """The trees of the same sentences, with all tags."""
        return _with_columns_of(trees, self.treebank, COLUMNS, ~self.shown)


MOST_RETAGGED = 4
"""Words of a sentence that have other tags than the tagger's, to go with its tree (task/grammar.h)."""


def tagged(
    treebank: Treebank,
    tagger: Tagger | None,
    tags: Tags,
    *,
    threads: int = 1,
    parsed: Callable[[Treebank], Treebank] | None = None,
) -> Tagged:
    """Sentences with the tags that stand there or the tagger's.

    If trees may change the tagger's tags, `parsed` gives sentences without tags those that they end up with.
    """
    if tags not in TAGS:
        raise OptionError(f"Tags are {', '.join(TAGS[:-1])} or {TAGS[-1]}, not '{tags}'.")
    if tagger is None:
        return Tagged(treebank, np.ones(len(treebank), bool))
    has = sentences_with_tags(treebank, tagger) & (tags != "new")
    if tags == "given" and has.all():
        return Tagged(treebank, has)
    own = tagger.tag(treebank, threads=threads)
    shown = has
    if tags == "auto" and has.any():
        shown = ~_alike(treebank, own, tagger)
        near = shown & (_differences(treebank, own) <= MOST_RETAGGED)
        if parsed is not None and near.any():
            some = treebank.select(np.flatnonzero(near).tolist())
            shown[near] = ~_alike(some, parsed(some.without(*COLUMNS)), tagger)
    whole = own if not has.any() else _with_columns_of(treebank, own, ("lemma", *COLUMNS), ~has)
    return Tagged(whole, shown)


def _alike(treebank: Treebank, own: Treebank, tagger: Tagger) -> NDArray[np.bool_]:
    """Which sentences have the same tags, as far as the first have any."""
    return _core.sentences_alike(treebank._core, own._core, _columns(tagger)).astype(bool)


def _differences(treebank: Treebank, own: Treebank) -> NDArray[np.int64]:
    """How many words of each sentence have another UPOS."""
    codes, names = treebank.categories("upos")
    own_codes, own_names = own.categories("upos")
    number = {name: i for i, name in enumerate(own_names)}
    renumbered: NDArray[np.int64] = np.array([*(number.get(name, -2) for name in names), -1])
    differs = (codes >= 0) & (renumbered[codes] != own_codes)
    before = np.concatenate([[0], np.cumsum(differs)])
    return np.diff(before[treebank.first_words])


def sentences_with_tags(treebank: Treebank, tagger: Tagger) -> NDArray[np.bool_]:
    """Which sentences have any of the tags that a tagger gives."""
    return _core.sentences_with(treebank._core, _columns(tagger)).astype(bool)


def meant(tags: Tags, retag: bool | None) -> Tags:
    """What is meant by the name that `tags` had before."""
    if retag is None:
        return tags
    name = "new" if retag else "auto"
    warnings.warn(f"retag={retag} is now tags={name!r}: write that.", DeprecationWarning, stacklevel=3)
    return "new" if retag else tags


def _columns(tagger: Tagger) -> list[_core.Column]:
    return [COLUMNS[name] for name in tagger.info.columns]


def _with_columns_of(
    treebank: Treebank, other: Treebank, columns: Iterable[str], sentences: NDArray[np.bool_]
) -> Treebank:
    if not sentences.any():
        return treebank
    chosen = [_core.Column[name.upper()] for name in columns]
    core = _core.with_columns_of(treebank._core, other._core, chosen, sentences.astype(np.uint8))
    return Treebank(core, treebank.source)
