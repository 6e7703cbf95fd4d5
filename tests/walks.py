"""Trees to test transition systems with, and walks through the systems."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from hypothesis import strategies as st

from arcwise import _core

SYSTEMS = [
    ("arc-eager", False),
    ("arc-eager", True),
    ("arc-hybrid", False),
    ("easy-first", False),
    ("arc-standard", False),
]
"""The systems for projective trees, each with whether ROOT lies under the stack."""

ANY_TREE = [("arc-hybrid-swap", False), ("covington", False)]
"""The systems for any tree."""

WITH_STATIC_ORACLE = [system for system in SYSTEMS if system[0] != "easy-first"]
LEFT_TO_RIGHT = [*WITH_STATIC_ORACLE, *ANY_TREE]

Move = tuple[int, int]
Tree = tuple[list[int], list[int]]
"""The heads and the labels of a tree."""


def is_tree(heads: Sequence[int]) -> bool:
    for word in range(1, len(heads) + 1):
        node, steps = word, 0
        while node > 0 and steps <= len(heads):
            node, steps = heads[node - 1], steps + 1
        if node != 0:
            return False
    return True


def is_projective(heads: Sequence[int]) -> bool:
    arcs = [(min(h, d), max(h, d)) for d, h in enumerate(heads, 1) if h >= 0]
    return not any(a < c < b < d for (a, b) in arcs for (c, d) in arcs)


def projective_trees(words: int, single_root: bool) -> Iterator[tuple[int, ...]]:
    """Every projective tree of so many words."""
    for heads in itertools.product(range(words + 1), repeat=words):
        if single_root and heads.count(0) != 1:
            continue
        if is_tree(heads) and is_projective(heads):
            yield heads


@st.composite
def random_projective_heads(draw: st.DrawFn, max_words: int, single_root: bool) -> list[int]:
    """Any projective tree can come out: subtrees side by side, each with a head somewhere in it."""
    words = draw(st.integers(1, max_words))
    heads = [0] * words
    spans = [(1, words, 0)]
    while spans:
        begin, last, parent = spans.pop()
        end = last if single_root and parent == 0 else draw(st.integers(begin, last))
        head = draw(st.integers(begin, end))
        heads[head - 1] = parent
        rest = [(begin, head - 1, head), (head + 1, end, head), (end + 1, last, parent)]
        spans += [span for span in rest if span[0] <= span[1]]
    return heads


@st.composite
def random_heads(draw: st.DrawFn, max_words: int, single_root: bool) -> list[int]:
    """Any tree can come out: words in any order, each under one that has come before it, or ROOT."""
    order = draw(st.permutations(range(1, draw(st.integers(1, max_words)) + 1)))
    heads = [0] * len(order)
    for place, word in enumerate(order):
        above = order[:place] if single_root and place else [0, *order[:place]]
        heads[word - 1] = draw(st.sampled_from(above))
    return heads


@st.composite
def random_trees(
    draw: st.DrawFn, max_words: int, single_root: bool, labels: int = 3, any_tree: bool = False
) -> Tree:
    """A tree, projective or any, with labels 0 … `labels` - 1, and `labels` for what is under ROOT."""
    heads = draw((random_heads if any_tree else random_projective_heads)(max_words, single_root))
    return heads, [draw(st.integers(0, labels - 1)) if head else labels for head in heads]


def start(
    system: str,
    words: int,
    labels: int = 1,
    root_first: bool = False,
    single_root: bool = True,
    completion: int | None = None,
) -> _core.Walk:
    """A walk whose arcs have labels 0 … `labels` - 1, those from ROOT the label `labels`."""
    return _core.Walk.start(
        system,
        words,
        list(range(labels)),
        [labels],
        root_first=root_first,
        single_root=single_root,
        completion=completion,
    )


def int32s(values: Sequence[int]) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def costs(walk: _core.Walk, tree: Tree) -> dict[Move, float]:
    """What each legal move costs against a gold tree."""
    heads, labels = tree
    row = walk.costs(int32s([heads]), int32s([labels]))[0]
    return dict(zip(walk.legal(), row.tolist(), strict=True))


def loss(walk: _core.Walk, tree: Tree) -> int:
    """How many words have another head or label than in the gold tree, as far as that tells."""
    words = zip(walk.heads, walk.labels, *tree, strict=True)
    return sum(
        gold_head >= 0 and (head != gold_head or (gold_label >= 0 and label != gold_label))
        for head, label, gold_head, gold_label in words
    )


def finish(walk: _core.Walk, choose: Callable[[_core.Walk], Move]) -> int:
    """Takes chosen moves to the end; returns how many."""
    for taken in itertools.count():
        if walk.done:
            return taken
        walk.apply(choose(walk))
    raise AssertionError("no walk goes on for ever")


def at_random(chance: random.Random) -> Callable[[_core.Walk], Move]:
    def choose(walk: _core.Walk) -> Move:
        moves = walk.legal()
        assert moves, f"a dead end: {walk.heads}, stack {walk.stack}, buffer {walk.buffer}"
        return chance.choice(moves)

    return choose


def without_loss(tree: Tree, chance: random.Random) -> Callable[[_core.Walk], Move]:
    """Chooses any of the moves that cost nothing."""

    def choose(walk: _core.Walk) -> Move:
        free = [move for move, cost in costs(walk, tree).items() if cost == 0]
        assert free, f"no move is free: {walk.heads}, stack {walk.stack}, buffer {walk.buffer}"
        return chance.choice(free)

    return choose


def by_static_oracle(tree: Tree) -> Callable[[_core.Walk], Move]:
    heads, labels = map(int32s, tree)
    return lambda walk: walk.static_move(heads, labels)
