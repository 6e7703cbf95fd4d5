"""Every oracle equals brute force over all trees that can be reached before and after a move."""

import functools
import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walks import (
    ANY_TREE,
    SYSTEMS,
    at_random,
    by_static_oracle,
    costs,
    finish,
    int32s,
    is_tree,
    loss,
    projective_trees,
    random_heads,
    random_projective_heads,
    random_trees,
    start,
    without_loss,
)


def key(walk):
    return tuple(walk.heads), tuple(walk.labels), tuple(walk.stack), tuple(walk.in_buffer)


def check_all_states(walk, gold_heads, gold_labels):
    """The costs of every legal move in every state reachable from `walk`, against every gold tree."""
    best = {}

    def best_loss(state):
        k = key(state)
        if k not in best:
            if state.done:
                wrong = (gold_heads >= 0) & (
                    (gold_heads != np.array(state.heads))
                    | ((gold_labels >= 0) & (gold_labels != np.array(state.labels)))
                )
                best[k] = wrong.sum(axis=1)
            else:
                after = []
                for move in state.legal():
                    successor = state.copy()
                    successor.apply(move)
                    after.append(best_loss(successor))
                assert after, f"a dead end: {k}"
                after = np.array(after).T
                best[k] = after.min(axis=1)
                expected = after - best[k][:, None]
                found = state.costs(gold_heads, gold_labels)
                if not np.array_equal(expected, found):
                    tree, move = np.argwhere(expected != found)[0]
                    raise AssertionError(
                        f"{k}: {state.move_name(state.legal()[move])} against "
                        f"{gold_heads[tree]} {gold_labels[tree]} costs {expected[tree, move]}, "
                        f"not {found[tree, move]}"
                    )
        return best[k]

    best_loss(walk)
    return len(best)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(("system", "root_first"), SYSTEMS)
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_costs_equal_brute_force_on_every_tree_and_state(system, root_first, single_root, words):
    heads = np.array(list(projective_trees(words, single_root)), dtype=np.int32)
    walk = start(system, words, root_first=root_first, single_root=single_root)
    check_all_states(walk, heads, np.full_like(heads, -1))


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(("system", "root_first"), SYSTEMS)
@pytest.mark.parametrize("words", [2, 3])
def test_labelled_costs_equal_brute_force(system, root_first, single_root, words):
    heads, labels = [], []
    for tree in projective_trees(words, single_root):
        choices = [[2] if h == 0 else [0, 1, -1] for h in tree]
        for labelling in itertools.product(*choices):
            heads.append(tree)
            labels.append(labelling)
    walk = start(system, words, labels=2, root_first=root_first, single_root=single_root)
    check_all_states(walk, np.array(heads, np.int32), np.array(labels, np.int32))


def partial_trees(words, single_root):
    """Every projective tree with every choice of its heads unknown."""
    partial = set()
    for tree in projective_trees(words, single_root):
        for known in itertools.product([True, False], repeat=words):
            partial.add(tuple(h if k else -1 for h, k in zip(tree, known, strict=True)))
    return partial


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(("system", "root_first"), SYSTEMS)
@pytest.mark.parametrize("words", [2, 3, 4])
def test_partial_trees_cost_as_brute_force(system, root_first, single_root, words):
    heads = int32s(sorted(partial_trees(words, single_root)))
    walk = start(system, words, root_first=root_first, single_root=single_root)
    check_all_states(walk, heads, np.full_like(heads, -1))


# Arc decomposition: Goldberg & Nivre 2013, 4.3. Arc-standard, which has none, needs more than sums.


def reachable_trees(state, found):
    """The trees that some walk from this state ends in; `found` keeps those of states met before."""
    k = key(state)
    if k not in found:
        if state.done:
            found[k] = frozenset([tuple(state.heads)])
        else:
            after = (successor(state, move) for move in state.legal())
            found[k] = frozenset().union(*(reachable_trees(next_state, found) for next_state in after))
    return found[k]


def successor(state, move):
    after = state.copy()
    after.apply(move)
    return after


def test_in_arc_standard_two_arcs_may_be_reachable_and_not_both():
    walk = start("arc-standard", 3)
    for _ in range(3):
        shift = next(move for move in walk.legal() if walk.move_name(move) == "SHIFT")
        walk.apply(shift)
    assert walk.stack == [0, 1, 2, 3]
    trees = reachable_trees(walk, {})
    a, b = 0, 1
    assert any(heads[b] == 3 for heads in trees)
    assert any(heads[a] == 2 for heads in trees)
    # Both are arcs of one projective tree, 3 -> 2 -> 1, but it cannot be built from here.
    assert (2, 3, 0) in projective_trees(3, single_root=True)
    assert not any(heads[b] == 3 and heads[a] == 2 for heads in trees)


@pytest.mark.parametrize(("system", "root_first"), [s for s in SYSTEMS if s[0] != "arc-standard"])
@pytest.mark.parametrize("words", [3, 4])
def test_where_costs_are_sums_over_arcs_arcs_that_are_reachable_are_so_together(system, root_first, words):
    """Arc decomposition: from every state, each projective tree all of whose arcs are reachable is."""
    walk = start(system, words, root_first=root_first, single_root=False)
    found = {}
    reachable_trees(walk, found)
    gold_trees = list(projective_trees(words, single_root=False))
    for trees in found.values():
        arcs = {(d, h) for heads in trees for d, h in enumerate(heads)}
        for gold in gold_trees:
            assert (gold in trees) == all(arc in arcs for arc in enumerate(gold))


class ArcStandardTable:
    """The trees that can still be built in arc-standard, by a table without any shortcut: the most gold arcs
    of one over the top i words of the stack and the first j of the buffer, with each root."""

    def __init__(self, heads, single_root):
        self.heads = heads
        self.single_root = single_root

    def gain(self, head, dependent):
        return int(dependent > 0 and self.heads[dependent - 1] == head)

    def within_buffer(self, words):
        """The most arcs of a projective tree over a stretch, by its root."""

        @functools.cache
        def best(k, end):
            if end == k + 1:
                return {words[k]: 0}
            found = {}
            for cut in range(k + 1, end):
                for (a, left), (b, right) in itertools.product(best(k, cut).items(), best(cut, end).items()):
                    raise_to(found, a, left + right + self.gain(a, b))
                    raise_to(found, b, left + right + self.gain(b, a))
            return found

        return best

    def most_built(self, stack, words):
        """Of arcs to come; `stack` is from the bottom, with ROOT."""
        down = stack[::-1][:-1] if self.single_root else stack[::-1]
        stretch = self.within_buffer(tuple(words))
        if not down:
            return max(gained + self.gain(0, root) for root, gained in stretch(0, len(words)).items())
        table = {(1, 0): {down[0]: 0}}
        for i, j in itertools.product(range(1, len(down) + 1), range(len(words) + 1)):
            for root, gained in list(table.get((i, j), {}).items()):
                if i < len(down):
                    raise_to(table.setdefault((i + 1, j), {}), down[i], gained + self.gain(down[i], root))
                    if down[i]:
                        raise_to(table.setdefault((i + 1, j), {}), root, gained + self.gain(root, down[i]))
                for end in range(j + 1, len(words) + 1):
                    cell = table.setdefault((i, end), {})
                    for other, more in stretch(j, end).items():
                        raise_to(cell, root, gained + more + self.gain(root, other))
                        if root:
                            raise_to(cell, other, gained + more + self.gain(other, root))
        last = table[len(down), len(words)]
        return max(gained + self.gain(0, root) * self.single_root for root, gained in last.items())

    def loss(self, walk):
        words = [node for node in walk.in_buffer if node <= len(self.heads)]
        # Of what lies off the stack, in no tree under ROOT yet, nothing is left to decide.
        built = sum(head == gold for head, gold in zip(walk.heads, self.heads, strict=True))
        to_come = 0 if walk.done else self.most_built(walk.stack, words)
        return sum(head >= 0 for head in self.heads) - built - to_come


def raise_to(table, key, value):
    table[key] = max(table.get(key, value), value)


@pytest.mark.parametrize("single_root", [True, False])
@given(data=st.data())
def test_arc_standards_costs_equal_those_of_the_whole_table(single_root, data):
    heads = data.draw(random_projective_heads(10, single_root))
    table = ArcStandardTable(heads, single_root)
    walk = start("arc-standard", len(heads), single_root=single_root)
    choose = at_random(data.draw(st.randoms(use_true_random=False)))
    tree = heads, [-1] * len(heads)
    while not walk.done:
        before = table.loss(walk)
        for move, cost in costs(walk, tree).items():
            assert cost == table.loss(successor(walk, move)) - before
        walk.apply(choose(walk))


# Any tree: Covington's system, and arc-hybrid with SWAP.


def trees(words, single_root):
    """Every tree of so many words."""
    for heads in itertools.product(range(words + 1), repeat=words):
        if is_tree(heads) and not (single_root and heads.count(0) != 1):
            yield heads


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_covingtons_costs_equal_brute_force_on_every_tree_and_state(single_root, words):
    heads = int32s(list(trees(words, single_root)))
    walk = start("covington", words, single_root=single_root)
    check_all_states(walk, heads, np.full_like(heads, -1))


@pytest.mark.parametrize("single_root", [True, False])
def test_covingtons_labelled_and_partial_costs_equal_brute_force(single_root):
    heads, labels = [], []
    for tree in trees(3, single_root):
        choices = [[(0, 2), (-1, -1)] if h == 0 else [(h, 0), (h, 1), (h, -1), (-1, -1)] for h in tree]
        for chosen in itertools.product(*choices):
            heads.append([head for head, _ in chosen])
            labels.append([label for _, label in chosen])
    for completion in (0, 1):
        walk = start("covington", 3, labels=2, single_root=single_root, completion=completion)
        check_all_states(walk, int32s(heads), int32s(labels))


def projective_order(heads):
    """Where each node stands if every head comes between its left and its right dependents."""
    order = []

    def visit(node):
        dependents = [word for word, head in enumerate(heads, 1) if head == node]
        for word in dependents:
            if word < node:
                visit(word)
        order.append(node)
        for word in dependents:
            if word > node:
                visit(word)

    visit(0)
    return {node: place for place, node in enumerate(order)}


def moves_by_rule(walk, place):
    """SWAP and nothing else where it is right, else all but SWAP."""
    moves = walk.legal()
    swap = [move for move in moves if walk.move_name(move) == "SWAP"]
    if swap and place[walk.stack[-1]] > place[walk.buffer]:
        return swap
    return [move for move in moves if move not in swap]


def check_swap(heads, single_root):
    """With SWAP taken when and only when it is right, the other moves cost what they lose; SWAP is free
    where it is right and nothing else is."""
    place, best = projective_order(heads), {}
    gold = int32s([heads])

    def least_loss(walk):
        k = key(walk)
        if k in best:
            return best[k]
        if walk.done:
            best[k] = sum(head != own for head, own in zip(heads, walk.heads, strict=True))
            return best[k]
        after = {move: least_loss(successor(walk, move)) for move in moves_by_rule(walk, place)}
        best[k] = min(after.values())
        for move, cost in zip(walk.legal(), walk.costs(gold, np.full_like(gold, -1))[0], strict=True):
            if move in after:
                assert cost == after[move] - best[k], (heads, k, walk.move_name(move))
            else:
                assert cost > 0, (heads, k, walk.move_name(move))
        return best[k]

    assert least_loss(start("arc-hybrid-swap", len(heads), single_root=single_root)) == 0


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("words", [1, 2, 3, 4])
def test_with_swaps_as_the_rule_says_the_other_moves_cost_as_brute_force(single_root, words):
    for heads in trees(words, single_root):
        check_swap(heads, single_root)


@pytest.mark.parametrize("single_root", [True, False])
@given(data=st.data())
@settings(max_examples=20)
def test_with_swaps_as_the_rule_says_the_other_moves_cost_as_brute_force_in_longer_sentences(
    single_root, data
):
    check_swap(data.draw(random_heads(6, single_root)), single_root)


@pytest.mark.parametrize(("system", "root_first"), ANY_TREE)
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5, 6])
def test_every_tree_is_rebuilt_by_moves_without_cost(system, root_first, words):
    chance = random.Random(words)
    for heads in trees(words, single_root=words > 4):
        tree = list(heads), [1 if head == 0 else 0 for head in heads]
        for choose in (without_loss(tree, chance), by_static_oracle(tree)):
            walk = start(system, words, single_root=words > 4, root_first=root_first)
            finish(walk, choose)
            assert (walk.heads, walk.labels) == tree


# The promise of a dynamic oracle, on trees too large for brute force: whatever was done before, going on
# without cost loses exactly what the moves so far have cost.


@st.composite
def walks_off_the_path(draw, system, root_first, single_root):
    """A gold tree, perhaps with unknown heads, and where some legal walk has led, at what cost."""
    heads, labels = draw(random_trees(12, single_root, any_tree=system == "covington"))
    for word in draw(st.sets(st.integers(0, len(heads) - 1), max_size=3)):
        heads[word] = labels[word] = -1
    for word in draw(st.sets(st.integers(0, len(heads) - 1), max_size=1)):
        labels[word] = -1
    tree = heads, labels
    walk = start(system, len(heads), 3, root_first, single_root)
    choose = at_random(draw(st.randoms(use_true_random=False)))
    paid = 0
    for _ in range(draw(st.integers(0, 2 * len(heads)))):
        if walk.done:
            break
        move = choose(walk)
        paid += costs(walk, tree)[move]
        walk.apply(move)
    return tree, walk, paid


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(("system", "root_first"), [*SYSTEMS, ("covington", False)])
@given(data=st.data())
def test_going_on_without_cost_loses_what_was_paid_so_far(system, root_first, single_root, data):
    tree, walk, paid = data.draw(walks_off_the_path(system, root_first, single_root))
    chance = data.draw(st.randoms(use_true_random=False))
    for _ in range(2):
        end = walk.copy()
        finish(end, without_loss(tree, chance))
        assert loss(end, tree) == paid


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(("system", "root_first"), [*SYSTEMS, ("covington", False)])
@given(data=st.data())
def test_no_move_is_a_gain_and_some_move_is_free(system, root_first, single_root, data):
    tree, walk, _ = data.draw(walks_off_the_path(system, root_first, single_root))
    if not walk.done:
        assert min(costs(walk, tree).values()) == 0
