"""Every oracle equals brute force over all trees that can be reached before and after a move."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walks import (
    DYNAMIC,
    at_random,
    costs,
    finish,
    int32s,
    loss,
    projective_trees,
    random_trees,
    start,
    without_loss,
)


def key(walk):
    return tuple(walk.heads), tuple(walk.labels), tuple(walk.stack), walk.buffer


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
@pytest.mark.parametrize(("system", "root_first"), DYNAMIC)
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_costs_equal_brute_force_on_every_tree_and_state(system, root_first, single_root, words):
    heads = np.array(list(projective_trees(words, single_root)), dtype=np.int32)
    walk = start(system, words, root_first=root_first, single_root=single_root)
    check_all_states(walk, heads, np.full_like(heads, -1))


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(("system", "root_first"), DYNAMIC)
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
@pytest.mark.parametrize(("system", "root_first"), DYNAMIC)
@pytest.mark.parametrize("words", [2, 3, 4])
def test_partial_trees_cost_as_brute_force(system, root_first, single_root, words):
    heads = int32s(sorted(partial_trees(words, single_root)))
    walk = start(system, words, root_first=root_first, single_root=single_root)
    check_all_states(walk, heads, np.full_like(heads, -1))


# Arc-standard, which has no exact costs: Goldberg & Nivre 2013, 4.3 and 4.4.


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


@pytest.mark.parametrize(("system", "root_first"), DYNAMIC)
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


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_arc_standards_free_moves_are_those_that_keep_the_gold_tree_reachable(words, single_root):
    found = {}
    start_state = start("arc-standard", words, single_root=single_root)
    assert reachable_trees(start_state, found) == set(projective_trees(words, single_root))
    seen, states = set(), [start_state]
    while states:
        state = states.pop()
        if state.done or key(state) in seen:
            continue
        seen.add(key(state))
        after = [successor(state, move) for move in state.legal()]
        gold = sorted(found[key(state)])
        heads = int32s(gold)
        free = state.costs(heads, np.full_like(heads, -1)) == 0
        kept = np.array([[tree in found[key(next_state)] for next_state in after] for tree in gold])
        assert np.array_equal(free, kept), key(state)
        states += after


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("words", [1, 2, 3, 4])
def test_arc_standards_free_moves_keep_all_known_arcs_reachable(words, single_root):
    """Partial trees, in every state from which their arcs can be had: some move is free, and none lies."""
    found = {}
    start_state = start("arc-standard", words, single_root=single_root)
    trees = sorted(reachable_trees(start_state, found))
    number = {tree: i for i, tree in enumerate(trees)}
    partial = int32s(sorted(partial_trees(words, single_root)))
    agrees = ((partial[:, None] == int32s(trees)) | (partial[:, None] < 0)).all(axis=2)

    def can_be_had(state):
        return agrees[:, [number[tree] for tree in found[key(state)]]].any(axis=1)

    seen, states = set(), [start_state]
    while states:
        state = states.pop()
        if state.done or key(state) in seen:
            continue
        seen.add(key(state))
        after = [successor(state, move) for move in state.legal()]
        gold = partial[can_be_had(state)]
        free = state.costs(gold, np.full_like(gold, -1)) == 0
        kept = np.array([can_be_had(next_state)[can_be_had(state)] for next_state in after]).T
        assert free.any(axis=1).all(), key(state)
        assert (kept | ~free).all(), key(state)
        states += after


# The promise of a dynamic oracle, on trees too large for brute force: whatever was done before, going on
# without cost loses exactly what the moves so far have cost.


@st.composite
def walks_off_the_path(draw, system, root_first, single_root):
    """A gold tree, perhaps with unknown heads, and where some legal walk has led, at what cost."""
    heads, labels = draw(random_trees(12, single_root))
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
@pytest.mark.parametrize(("system", "root_first"), DYNAMIC)
@given(data=st.data())
def test_going_on_without_cost_loses_what_was_paid_so_far(system, root_first, single_root, data):
    tree, walk, paid = data.draw(walks_off_the_path(system, root_first, single_root))
    chance = data.draw(st.randoms(use_true_random=False))
    for _ in range(2):
        end = walk.copy()
        finish(end, without_loss(tree, chance))
        assert loss(end, tree) == paid


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(("system", "root_first"), DYNAMIC)
@given(data=st.data())
def test_no_move_is_a_gain_and_some_move_is_free(system, root_first, single_root, data):
    tree, walk, _ = data.draw(walks_off_the_path(system, root_first, single_root))
    if not walk.done:
        assert min(costs(walk, tree).values()) == 0
