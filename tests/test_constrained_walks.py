"""Transition systems under constraints: a move is legal exactly if it leaves a tree that satisfies them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import _core
from constrained import LABEL, Constraint, all_trees, any_constraints, satisfies
from walks import SYSTEMS, projective_trees

Heads = tuple[int, ...]
each_system = pytest.mark.parametrize(("system", "root_first"), SYSTEMS)
each_root = pytest.mark.parametrize("single_root", [True, False])


@cache
def all_projective(words: int, single_root: bool) -> list[Heads]:
    return list(projective_trees(words, single_root))


@each_root
@settings(deadline=None, max_examples=200)
@given(data=st.data(), words=st.integers(1, 5))
def test_there_is_a_tree_exactly_if_one_is_found_among_all(single_root, data, words):
    constraints = data.draw(any_constraints(words))
    expected = any(satisfies(heads, constraints) for heads in all_trees(words, single_root))
    assert _core.any_tree(words, single_root, constraints) == expected


class Walks:
    """All walks of a system, with and without constraints."""

    def __init__(self, start, constraints: Sequence[Constraint], wanted: set[Heads]) -> None:
        self.free, self.constrained = start(constraints=[]), start(constraints=constraints)
        self.wanted = wanted
        self._ends: dict[tuple, set[Heads]] = {}
        self._checked: set[tuple] = set()

    @staticmethod
    def state(walk: _core.Walk) -> tuple:
        return tuple(walk.heads), tuple(walk.stack), walk.buffer

    @staticmethod
    def after(walk: _core.Walk, move: tuple[int, int]) -> _core.Walk:
        walk = walk.copy()
        walk.apply(move)
        return walk

    def ends(self, walk: _core.Walk) -> set[Heads]:
        """The wanted trees at the ends of all walks that go on from here."""
        state = self.state(walk)
        if state not in self._ends:
            here = {tuple(walk.heads)} & self.wanted if walk.done else set()
            self._ends[state] = here.union(*(self.ends(self.after(walk, move)) for move in walk.legal()))
        return self._ends[state]

    def check(self, free: _core.Walk, constrained: _core.Walk) -> None:
        if self.state(free) in self._checked:
            return
        self._checked.add(self.state(free))
        expected = [move for move in free.legal() if self.ends(self.after(free, move))]
        assert constrained.legal() == expected, self.state(free)
        for move in expected:
            self.check(self.after(free, move), self.after(constrained, move))


@each_root
@each_system
@settings(deadline=None, max_examples=40)
@given(data=st.data(), words=st.integers(1, 5))
def test_a_move_is_legal_exactly_if_it_leaves_a_tree(system, root_first, single_root, data, words):
    constraints = data.draw(any_constraints(words))
    wanted = {heads for heads in all_projective(words, single_root) if satisfies(heads, constraints)}
    if not wanted:
        return

    def start(constraints: Sequence[Constraint]) -> _core.Walk:
        return _core.Walk.start(
            system, words, [0], [1], root_first=root_first, single_root=single_root, constraints=constraints
        )

    walks = Walks(start, constraints, wanted)
    assert walks.ends(walks.free) == wanted
    walks.check(walks.free, walks.constrained)


@each_root
@settings(deadline=None, max_examples=150)
@given(data=st.data(), words=st.integers(1, 5))
def test_there_is_a_projective_tree_exactly_if_one_is_found_among_all(single_root, data, words):
    constraints = data.draw(any_constraints(words))
    expected = any(satisfies(heads, constraints) for heads in all_projective(words, single_root))
    assert _core.any_projective_tree(words, single_root, constraints) == expected


@each_root
@each_system
@settings(deadline=None, max_examples=50)
@given(data=st.data(), words=st.integers(1, 16))
def test_words_near_by_tell_as_much_as_all_words_do(system, root_first, single_root, data, words):
    given = [c for _ in range(data.draw(st.integers(1, 3))) for c in data.draw(any_constraints(words))]
    constraints: list[Constraint] = []
    for constraint in given:
        if _core.any_projective_tree(words, single_root, [*constraints, constraint]):
            constraints.append(constraint)

    def start(at_all: bool) -> _core.Walk:
        return _core.Walk.start(
            system,
            words,
            [0],
            [1],
            root_first=root_first,
            single_root=single_root,
            constraints=constraints,
            at_all=at_all,
        )

    near, at_all = start(False), start(True)
    while not at_all.done:
        legal = at_all.legal()
        assert near.legal() == legal, (constraints, at_all.stack, at_all.buffer, at_all.heads)
        move = data.draw(st.sampled_from(legal))
        near.apply(move)
        at_all.apply(move)


@each_system
def test_a_label_that_is_given_is_the_only_one_where_there_is_a_move_for_it(system, root_first):
    def labels_of_arcs(label: int) -> set[int]:
        """The first arcs to the left that can be made, which are to word 1, with their labels."""
        walk = _core.Walk.start(
            system, 2, [0, 1], [2], root_first=root_first, right_labels=[1], constraints=[(LABEL, 1, label)]
        )
        while not (found := [move for move in walk.legal() if walk.move_name(move) == "LEFT"]):
            walk.apply(walk.legal()[0])
        return {walk.move_label(move) for move in found}

    assert labels_of_arcs(0) == {0}
    assert labels_of_arcs(1) == {1}
    assert labels_of_arcs(2) == {0, 1}, "no arc to the left has it"
