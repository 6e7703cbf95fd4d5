"""Is a transition system right? Brute force over all states, and all gold trees, of small sentences."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise import _core, names
from arcwise.errors import OptionError, TransitionError
from arcwise.transitions.system import System

MOST_WORDS = 6
Tree = tuple[int, ...]
"""The heads of its words."""


@dataclass(frozen=True)
class Examination:
    """What came of it: `print` says it in a sentence."""

    system: str
    words: int
    states: int
    """That can be come to."""
    trees: int
    """That some walk ends in: all projective ones, and more if the system is not projective."""
    costs: int
    """That were compared: each move of each state against each of these trees as gold."""
    wrong: int
    """Of these costs."""
    problem: str | None
    """The first that is wrong, in a sentence; None if all is right."""

    def __str__(self) -> str:
        if self.problem is not None:
            wrong = f" {self.wrong:,} of {self.costs:,} costs are wrong." if self.wrong else ""
            return self.problem + wrong
        compared = f"{self.costs:,} costs are right" if self.costs else "it says nothing of costs"
        return (
            f"{self.system} is right in all {self.states:,} states of up to {self.words} words: every walk "
            f"ends in one of {self.trees:,} trees, and {compared}."
        )


class _Wrong(Exception):
    """What is wrong, in a sentence."""


def examine(system: str | System, words: int = 4, *, single_root: bool = True) -> Examination:
    """Walks through all states of sentences of up to so many words, and says what is wrong first.

    Every walk must end in a tree, and every projective tree must be the end of a walk. Every cost must be
    that of brute force: how many fewer arcs of the gold tree the best tree has that can be reached after the
    move than the best before it. Gold trees are those that some walk ends in. A static oracle must lead to
    them.

    >>> print(examine("arc-hybrid", words=3))
    arc-hybrid is right in all 40 states of up to 3 words: every walk ends in one of 10 trees, and 212 \
costs are right.
    """
    if not 1 <= words <= MOST_WORDS:
        raise OptionError(f"Brute force takes sentences of 1 to {MOST_WORDS} words.")
    states = trees = costs = wrong_costs = 0
    problem = None
    for length in range(1, words + 1):
        search = _Search(system, length, single_root)
        stopped = None
        try:
            search.run()
        except (_Wrong, TransitionError) as wrong:
            stopped = str(wrong)
        states, trees = states + len(search.trees), trees + len(search.gold)
        costs, wrong_costs = costs + search.costs, wrong_costs + search.wrong
        problem = problem or search.first_wrong or stopped
        if stopped is not None:
            break
    return Examination(str(system), words, states, trees, costs, wrong_costs, problem)


class _Search:
    """All states of sentences of one length."""

    def __init__(self, system: str | System, words: int, single_root: bool) -> None:
        self.system, self.facts = system, names.system(system)
        self.words, self.single_root = words, single_root
        self.trees: dict[object, frozenset[Tree]] = {}
        """Those that can be reached from each state."""
        self.gold: list[Tree] = []
        self.costs = self.wrong = 0
        self.first_wrong: str | None = None
        self._on_the_way: set[object] = set()

    def run(self) -> None:
        start = self._start()
        self.gold = sorted(self._trees_from(start))
        for tree in projective_trees(self.words, self.single_root):
            if tree not in self.gold:
                raise _Wrong(f"No walk of {self.system} ends in the tree {_shown(tree)}.")
        if self.facts.dynamic_oracle:
            heads = np.array(self.gold, np.int32)
            self._compare(start, heads, np.full_like(heads, -1), set())
        if self.facts.static_oracle:
            for tree in self.gold:
                self._follow_static_oracle(tree)

    def _start(self) -> _core.Walk:
        own = names.for_the_core(self.system)
        return _core.Walk.start(
            words=self.words, labels=[0], root_labels=[1], single_root=self.single_root, **own
        )

    def _trees_from(self, walk: _core.Walk) -> frozenset[Tree]:
        key = _key(walk)
        if key in self.trees:
            return self.trees[key]
        if key in self._on_the_way:
            raise _Wrong(f"A walk of {self.system} comes back to {_brief(walk)} and may go on for ever.")
        if walk.done:
            tree = tuple(walk.heads)
            if self.facts.projective and not is_projective(tree):
                raise _Wrong(
                    f"A walk of {self.system} ends in the tree {_shown(tree)}, which is not projective."
                )
            reached = frozenset([tree])
        else:
            self._on_the_way.add(key)
            reached = frozenset().union(*(self._trees_from(after) for _, after in _moves(walk)))
            self._on_the_way.remove(key)
        self.trees[key] = reached
        return reached

    def _losses(self, walk: _core.Walk, gold: NDArray[np.int32]) -> NDArray[np.int64]:
        """How many arcs of each gold tree the best tree lacks that can be reached."""
        reached = np.array(sorted(self.trees[_key(walk)]), np.int32)
        return np.asarray((reached[:, None] != gold[None]).sum(axis=2).min(axis=0))

    def _compare(
        self, walk: _core.Walk, gold: NDArray[np.int32], labels: NDArray[np.int32], seen: set[object]
    ) -> None:
        if walk.done or _key(walk) in seen:
            return
        seen.add(_key(walk))
        before, told, moves = self._losses(walk, gold), walk.costs(gold, labels), _moves(walk)
        for number, (move, after) in enumerate(moves):
            right = self._losses(after, gold) - before
            wrong = np.flatnonzero(told[:, number] != right)
            for tree in wrong[:1] if self.first_wrong is None else ():
                self.first_wrong = (
                    f"The cost of {walk.move_name(move)} of {self.system} in {_brief(walk)} against the gold "
                    f"tree {_shown(gold[tree].tolist())} is {told[tree, number]:g} and should be "
                    f"{right[tree]}: of its {self.words} arcs {self.words - before[tree]} can be reached "
                    f"before the move, and {self.words - before[tree] - right[tree]} after it."
                )
            self.costs += len(gold)
            self.wrong += len(wrong)
        for _, after in moves:
            self._compare(after, gold, labels, seen)

    def _follow_static_oracle(self, tree: Tree) -> None:
        walk, heads = self._start(), np.array(tree, np.int32)
        taken = []
        while not walk.done:
            move = walk.static_move(heads, np.full_like(heads, -1))
            taken.append(walk.move_name(move))
            walk.apply(move)
        if tuple(walk.heads) != tree:
            raise _Wrong(
                f"The static oracle of {self.system} leads to the tree {_shown(walk.heads)} and not to the "
                f"gold tree {_shown(tree)}: {' '.join(taken)}."
            )


def _moves(walk: _core.Walk) -> list[tuple[tuple[int, int], _core.Walk]]:
    """The legal moves, and where they lead."""
    after = []
    for move in walk.legal():
        after.append((move, walk.copy()))
        after[-1][1].apply(move)
    return after


def _key(walk: _core.Walk) -> object:
    return tuple(walk.stack), tuple(walk.in_buffer), tuple(walk.heads)


def _brief(walk: _core.Walk) -> str:
    def nodes(some: Sequence[int]) -> str:
        return " ".join("ROOT" if node == 0 else str(node) for node in some if node <= len(walk.heads))

    arcs = [f"{'ROOT' if head == 0 else head}→{word}" for word, head in enumerate(walk.heads, 1) if head >= 0]
    return f"[{nodes(walk.stack)} | {nodes(walk.in_buffer)} | {' '.join(arcs)}]"


def _shown(tree: Sequence[int]) -> str:
    return f"of the heads {' '.join(map(str, tree))}"


def projective_trees(words: int, single_root: bool) -> list[Tree]:
    """Every projective tree of so many words.

    >>> len(projective_trees(3, single_root=True)), len(projective_trees(3, single_root=False))
    (7, 12)
    """
    return [
        heads
        for heads in itertools.product(range(words + 1), repeat=words)
        if (not single_root or heads.count(0) == 1) and is_projective(heads) and _is_tree(heads)
    ]


def _is_tree(heads: Tree) -> bool:
    for word in range(1, len(heads) + 1):
        node, steps = word, 0
        while node > 0 and steps <= len(heads):
            node, steps = heads[node - 1], steps + 1
        if node != 0:
            return False
    return True


def is_projective(heads: Sequence[int]) -> bool:
    """Whether no two arcs cross, ROOT standing before the first word.

    >>> is_projective([2, 0, 2]), is_projective([3, 4, 0, 3])
    (True, False)
    """
    arcs = [(min(head, word), max(head, word)) for word, head in enumerate(heads, 1)]
    return not any(a < c < b < d for (a, b) in arcs for (c, d) in arcs)
