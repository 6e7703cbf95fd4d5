"""Every oracle equals brute force over all trees that can be reached before and after a move."""

import itertools

import numpy as np
import pytest

from arcwise import _core

DYNAMIC = [
    ("arc-eager", False),
    ("arc-eager", True),
    ("arc-hybrid", False),
    ("easy-first", False),
]
ALL = [*DYNAMIC, ("arc-standard", False)]


def is_tree(heads):
    for word in range(1, len(heads) + 1):
        node, steps = word, 0
        while node > 0 and steps <= len(heads):
            node, steps = heads[node - 1], steps + 1
        if node != 0:
            return False
    return True


def is_projective(heads):
    arcs = [(min(h, d), max(h, d)) for d, h in enumerate(heads, 1) if h >= 0]
    return not any(a < c < b < d for (a, b) in arcs for (c, d) in arcs)


def projective_trees(words, single_root):
    for heads in itertools.product(range(words + 1), repeat=words):
        if single_root and heads.count(0) != 1:
            continue
        if is_tree(heads) and is_projective(heads):
            yield heads


def start(system, words, labels=1, root_first=False, single_root=True):
    return _core.Walk.start(
        system,
        words,
        list(range(labels)),
        [labels],
        root_first=root_first,
        single_root=single_root,
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


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(("system", "root_first"), DYNAMIC)
@pytest.mark.parametrize("words", [2, 3, 4])
def test_partial_trees_cost_as_brute_force(system, root_first, single_root, words):
    partial = set()
    for tree in projective_trees(words, single_root):
        for known in itertools.product([True, False], repeat=words):
            partial.add(tuple(h if k else -1 for h, k in zip(tree, known, strict=True)))
    heads = np.array(sorted(partial), dtype=np.int32)
    walk = start(system, words, root_first=root_first, single_root=single_root)
    check_all_states(walk, heads, np.full_like(heads, -1))
