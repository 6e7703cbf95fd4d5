"""What constraints mean, written down for small sentences: every tree is looked at."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache

from hypothesis import strategies as st

from arcwise import _core
from walks import is_tree

HEAD, NOT_HEAD, LABEL, SUBTREE = _core.ConstraintKind
Constraint = tuple[_core.ConstraintKind, int, int]
"""A kind, a word and its head; or the first and the last word of a subtree."""


def subtrees_of(heads: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last word of all that a word dominates, where those between are its own too."""
    for top in range(1, len(heads) + 1):
        found = {top}
        while more := {w for w, head in enumerate(heads, 1) if head in found} - found:
            found |= more
        if max(found) - min(found) + 1 == len(found):
            yield min(found), max(found)


def holds(heads: Sequence[int], constraint: Constraint) -> bool:
    kind, word, value = constraint
    if kind == SUBTREE:
        return (word, value) in subtrees_of(heads)
    return (heads[word - 1] == value) == (kind == HEAD)


def satisfies(heads: Sequence[int], constraints: Sequence[Constraint]) -> bool:
    return all(holds(heads, constraint) for constraint in constraints)


@cache
def all_trees(words: int, single_root: bool) -> list[tuple[int, ...]]:
    """Projective or not."""
    return [
        heads
        for heads in itertools.product(range(words + 1), repeat=words)
        if is_tree(heads) and (not single_root or heads.count(0) == 1)
    ]


@st.composite
def any_constraints(draw: st.DrawFn, words: int) -> list[Constraint]:
    """Whether they go together or not; as often as not, heads alone."""
    word = st.integers(1, words)
    arc = st.tuples(word, st.integers(0, words)).filter(lambda pair: pair[0] != pair[1])
    span = st.tuples(word, word).map(sorted)
    one = [
        arc.map(lambda pair: (HEAD, *pair)),
        arc.map(lambda pair: (NOT_HEAD, *pair)),
        span.map(lambda pair: (SUBTREE, *pair)),
    ]
    return draw(st.lists(st.one_of(one if draw(st.booleans()) else one[:1]), min_size=1, max_size=6))
