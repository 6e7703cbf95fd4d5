"""The transition systems: which moves are legal, what they do, and that every walk ends in a tree."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import _core
from walks import (
    ANY_TREE,
    LEFT_TO_RIGHT,
    SYSTEMS,
    at_random,
    by_static_oracle,
    costs,
    finish,
    is_projective,
    is_tree,
    loss,
    random_trees,
    start,
    without_loss,
)

chances = st.randoms(use_true_random=False)
all_systems = pytest.mark.parametrize(("system", "root_first"), SYSTEMS)
either_number_of_roots = pytest.mark.parametrize("single_root", [True, False], ids=["single", "multi"])


def names(walk):
    """The names of the legal moves."""
    return {walk.move_name(move) for move in walk.legal()}


def take(walk, *moves):
    """Takes moves by their names; `LEFT:2` has the label 2, without one it is the first."""
    for wanted in moves:
        name, _, label = wanted.partition(":")
        fitting = [
            move
            for move in walk.legal()
            if walk.move_name(move) == name and (not label or walk.move_label(move) == int(label))
        ]
        assert fitting, f"{wanted} is not legal: stack {walk.stack}, buffer {walk.buffer}"
        walk.apply(fitting[0])
    return walk


# Every walk ends in a tree, and every tree is the end of a walk.


@pytest.mark.parametrize(("system", "root_first"), [*SYSTEMS, *ANY_TREE])
@either_number_of_roots
@given(words=st.integers(0, 30), labels=st.integers(1, 3), chance=chances)
def test_any_legal_walk_ends_in_a_tree(system, root_first, single_root, words, labels, chance):
    walk = start(system, words, labels, root_first, single_root)
    finish(walk, at_random(chance))
    assert is_tree(walk.heads)
    assert is_projective(walk.heads) or (system, root_first) in ANY_TREE
    if single_root and words:
        assert walk.heads.count(0) == 1
    assert all((label == labels) == (head == 0) for head, label in zip(walk.heads, walk.labels, strict=True))


@all_systems
@either_number_of_roots
@given(words=st.integers(0, 30), chance=chances)
def test_a_walk_takes_two_moves_a_word_or_one_in_easy_first(system, root_first, single_root, words, chance):
    walk = start(system, words, root_first=root_first, single_root=single_root)
    assert finish(walk, at_random(chance)) == (1 if system == "easy-first" else 2) * words


@pytest.mark.parametrize(("system", "root_first"), [*SYSTEMS, *ANY_TREE])
def test_a_walk_that_is_done_has_no_legal_move(system, root_first):
    walk = start(system, 3, root_first=root_first)
    finish(walk, at_random(random.Random(1)))
    assert walk.legal() == []


@pytest.mark.parametrize(("system", "root_first"), LEFT_TO_RIGHT)
@either_number_of_roots
@given(data=st.data())
def test_the_static_oracle_rebuilds_any_tree(system, root_first, single_root, data):
    tree = data.draw(random_trees(20, single_root, any_tree=(system, root_first) in ANY_TREE))
    walk = start(system, len(tree[0]), 3, root_first, single_root)
    finish(walk, by_static_oracle(tree))
    assert (walk.heads, walk.labels) == tree


@pytest.mark.parametrize(("system", "root_first"), [*SYSTEMS, *ANY_TREE])
@either_number_of_roots
@given(data=st.data(), chance=chances)
def test_any_walk_without_loss_rebuilds_any_tree(system, root_first, single_root, data, chance):
    tree = data.draw(random_trees(20, single_root, any_tree=(system, root_first) in ANY_TREE))
    walk = start(system, len(tree[0]), 3, root_first, single_root)
    finish(walk, without_loss(tree, chance))
    assert (walk.heads, walk.labels) == tree


@pytest.mark.parametrize(("system", "root_first"), LEFT_TO_RIGHT)
@either_number_of_roots
@given(data=st.data())
def test_the_static_oracles_moves_cost_nothing(system, root_first, single_root, data):
    tree = data.draw(random_trees(12, single_root, any_tree=(system, root_first) in ANY_TREE))
    walk = start(system, len(tree[0]), 3, root_first, single_root)
    oracle = by_static_oracle(tree)
    while not walk.done:
        move = oracle(walk)
        assert costs(walk, tree)[move] == 0
        walk.apply(move)


def test_easy_first_has_no_static_oracle():
    with pytest.raises(ValueError, match="any order of its arcs is as good"):
        by_static_oracle(([2, 0], [0, 1]))(start("easy-first", 2))


# Goldberg & Nivre 2012, 2.2: "He wrote her a letter ."

SBJ, IOBJ, DET, DOBJ, P, PRD = range(6)
LETTER = [2, 0, 2, 5, 2, 2], [SBJ, PRD, IOBJ, DET, DOBJ, P]
FIRST = ["SHIFT", f"LEFT:{SBJ}", f"RIGHT:{PRD}"]


def letter_walk():
    return start("arc-eager", 6, labels=5, root_first=True, single_root=False)


def sequences_without_loss(walk, tree):
    """Every way to the gold tree, as far as a word is left in the buffer."""
    if walk.buffer > len(tree[0]):
        return [[]]
    found = []
    for move, cost in costs(walk, tree).items():
        if cost == 0:
            label = walk.move_label(move)
            name = walk.move_name(move) + (f":{label}" if label >= 0 else "")
            after = walk.copy()
            after.apply(move)
            found += [[name, *rest] for rest in sequences_without_loss(after, tree)]
    return found


def test_the_papers_example_has_its_two_sequences_and_those_that_leave_the_root_to_completion():
    last = [f"RIGHT:{DOBJ}", "REDUCE", f"RIGHT:{P}"]
    shift_first = [f"RIGHT:{IOBJ}", "SHIFT", f"LEFT:{DET}", "REDUCE", *last]
    reduce_first = [f"RIGHT:{IOBJ}", "REDUCE", "SHIFT", f"LEFT:{DET}", *last]
    found = sequences_without_loss(letter_walk(), LETTER)
    root = f"RIGHT:{PRD}"
    assert [moves for moves in found if root in moves] == [[*FIRST, *shift_first], [*FIRST, *reduce_first]]
    # What the paper has not: a headless word is completed to a dependent of ROOT.
    assert [moves for moves in found if root not in moves] == [
        [*FIRST[:2], "SHIFT", *shift_first],
        [*FIRST[:2], "SHIFT", *reduce_first],
    ]


def test_where_shift_and_reduce_are_both_right_the_static_oracle_shifts():
    walk = take(letter_walk(), *FIRST, f"RIGHT:{IOBJ}")
    free = {walk.move_name(move) for move, cost in costs(walk, LETTER).items() if cost == 0}
    assert free == {"SHIFT", "REDUCE"}
    assert walk.move_name(by_static_oracle(LETTER)(walk)) == "SHIFT"


def test_the_papers_erroneous_shift_costs_one_arc():
    walk = take(letter_walk(), *FIRST)
    assert (walk.stack, walk.buffer) == ([0, 2], 3)
    by_name = {(walk.move_name(m), walk.move_label(m)): cost for m, cost in costs(walk, LETTER).items()}
    assert by_name["SHIFT", -1] == 1
    assert by_name["RIGHT", IOBJ] == 0
    assert all(by_name["RIGHT", label] == 1 for label in (SBJ, DET, DOBJ, P))


def test_after_the_erroneous_shift_the_static_oracle_loses_three_arcs():
    walk = take(letter_walk(), *FIRST, "SHIFT")
    assert (walk.stack, walk.buffer) == ([0, 2, 3], 4)
    oracle, taken = by_static_oracle(LETTER), []
    while walk.buffer <= 6:
        move = oracle(walk)
        taken.append(walk.move_name(move))
        walk.apply(move)
    assert taken == ["SHIFT", "LEFT", "SHIFT", "SHIFT"]
    assert walk.heads == [2, 0, -1, 5, -1, -1]
    finish(walk, oracle)
    assert loss(walk, LETTER) == 3


def test_after_the_erroneous_shift_the_dynamic_oracle_loses_one_arc():
    paper = ["SHIFT", f"LEFT:{DET}", f"LEFT:{DET}", f"RIGHT:{DOBJ}", "REDUCE", f"RIGHT:{P}"]
    walk = take(letter_walk(), *FIRST, "SHIFT")
    assert paper in sequences_without_loss(walk, LETTER)
    finish(walk, without_loss(LETTER, random.Random(1)))
    assert loss(walk, LETTER) == 1


# Arc-eager: Goldberg & Nivre 2012, Figure 2; ROOT at the end: Goldberg & Nivre 2013, 2.


@pytest.mark.parametrize("root_first", [True, False])
class TestArcEager:
    def start(self, words, root_first, single_root=False):
        return start("arc-eager", words, root_first=root_first, single_root=single_root)

    def under_stack(self, root_first):
        return [0] if root_first else []

    def test_shift_pushes_the_front_of_the_buffer(self, root_first):
        walk = take(self.start(3, root_first), "SHIFT")
        assert (walk.stack, walk.buffer) == ([*self.under_stack(root_first), 1], 2)
        assert walk.heads == [-1, -1, -1]

    def test_left_makes_the_top_a_dependent_of_the_buffer_and_pops_it(self, root_first):
        walk = take(self.start(3, root_first), "SHIFT", "LEFT")
        assert (walk.stack, walk.buffer) == (self.under_stack(root_first), 2)
        assert walk.heads == [2, -1, -1]

    def test_right_makes_the_front_a_dependent_of_the_top_and_pushes_it(self, root_first):
        walk = take(self.start(3, root_first), "SHIFT", "RIGHT")
        assert (walk.stack, walk.buffer) == ([*self.under_stack(root_first), 1, 2], 3)
        assert walk.heads == [-1, 1, -1]

    def test_reduce_pops_the_top(self, root_first):
        walk = take(self.start(3, root_first), "SHIFT", "RIGHT", "REDUCE")
        assert (walk.stack, walk.buffer) == ([*self.under_stack(root_first), 1], 3)

    def test_reduce_is_illegal_without_a_head(self, root_first):
        assert "REDUCE" not in names(take(self.start(3, root_first), "SHIFT"))

    def test_left_is_illegal_with_a_head(self, root_first):
        walk = take(self.start(3, root_first), "SHIFT", "RIGHT")
        assert "LEFT" not in names(walk)
        assert "REDUCE" in names(walk)

    def test_no_move_pops_root_or_gives_it_a_head(self, root_first):
        expected = {"SHIFT", "RIGHT"} if root_first else {"SHIFT"}
        assert names(self.start(3, root_first)) == expected

    def test_with_no_word_in_the_buffer_the_stack_is_completed(self, root_first):
        walk = take(self.start(2, root_first), "SHIFT", "RIGHT")
        assert names(walk) == {"REDUCE"}
        assert names(take(walk, "REDUCE")) == {"LEFT"}
        assert take(walk, "LEFT").heads == [0, 1]
        assert walk.done

    def test_with_several_roots_each_headless_word_goes_under_root(self, root_first):
        walk = take(self.start(2, root_first), "SHIFT", "SHIFT", "LEFT", "LEFT")
        assert walk.heads == [0, 0]

    def test_with_a_single_root_headless_words_in_the_end_get_the_bottom_one_for_a_head(self, root_first):
        walk = take(self.start(3, root_first, single_root=True), "SHIFT", "SHIFT", "SHIFT")
        assert names(walk) == {"REDUCE"}
        assert take(walk, "REDUCE", "REDUCE", "LEFT").heads == [0, 1, 1]

    def test_without_a_single_root_headless_words_in_the_end_get_root_for_a_head(self, root_first):
        walk = take(self.start(3, root_first, single_root=False), "SHIFT", "SHIFT", "SHIFT")
        assert names(walk) == {"LEFT"}
        assert take(walk, "LEFT", "LEFT", "LEFT").heads == [0, 0, 0]

    def test_the_label_of_an_arc_is_that_of_its_move(self, root_first):
        walk = take(
            start("arc-eager", 3, labels=3, root_first=root_first), "SHIFT", "LEFT:2", "SHIFT", "RIGHT:1"
        )
        assert walk.labels == [2, -1, 1]


def test_arc_eager_with_root_under_the_stack_takes_no_second_root():
    walk = take(start("arc-eager", 3, root_first=True, single_root=True), "RIGHT")
    assert walk.heads == [0, -1, -1]
    assert "REDUCE" not in names(walk)


# Arc-standard and arc-hybrid: Goldberg & Nivre 2013, Figure 1.


def test_arc_standard_left_makes_the_second_a_dependent_of_the_top():
    walk = take(start("arc-standard", 3), "SHIFT", "SHIFT", "LEFT")
    assert (walk.stack, walk.buffer, walk.heads) == ([0, 2], 3, [2, -1, -1])


def test_arc_standard_right_makes_the_top_a_dependent_of_the_second():
    walk = take(start("arc-standard", 3), "SHIFT", "SHIFT", "RIGHT")
    assert (walk.stack, walk.buffer, walk.heads) == ([0, 1], 3, [-1, 1, -1])


def test_arc_hybrid_left_makes_the_top_a_dependent_of_the_buffer():
    walk = take(start("arc-hybrid", 3), "SHIFT", "SHIFT", "LEFT")
    assert (walk.stack, walk.buffer, walk.heads) == ([0, 1], 3, [-1, 3, -1])


def test_arc_hybrid_right_makes_the_top_a_dependent_of_the_second():
    walk = take(start("arc-hybrid", 3), "SHIFT", "SHIFT", "RIGHT")
    assert (walk.stack, walk.buffer, walk.heads) == ([0, 1], 3, [-1, 1, -1])


@pytest.mark.parametrize("system", ["arc-standard", "arc-hybrid"])
class TestSystemsWithRootUnderTheStack:
    def test_at_first_there_is_only_shift(self, system):
        assert names(start(system, 3, single_root=False)) == {"SHIFT"}

    def test_shift_is_illegal_without_a_word_in_the_buffer(self, system):
        assert "SHIFT" not in names(take(start(system, 2), "SHIFT", "SHIFT"))

    def test_the_end_has_root_alone_on_the_stack(self, system):
        walk = take(start(system, 2), "SHIFT", "SHIFT", "RIGHT", "RIGHT")
        assert (walk.done, walk.stack, walk.heads) == (True, [0], [0, 1])

    def test_with_a_single_root_its_arc_comes_last(self, system):
        assert "RIGHT" not in names(take(start(system, 2, single_root=True), "SHIFT"))
        assert "RIGHT" in names(take(start(system, 2, single_root=False), "SHIFT"))


def test_arc_standard_never_makes_root_a_dependent():
    assert "LEFT" not in names(take(start("arc-standard", 2, single_root=False), "SHIFT"))


def test_arc_hybrid_left_is_illegal_without_a_word_in_the_buffer():
    assert "LEFT" not in names(take(start("arc-hybrid", 2), "SHIFT", "SHIFT"))


# Arc-hybrid with SWAP: de Lhoneux, Stymne & Nivre 2017.


def swapping(words, *moves, **options):
    return take(start("arc-hybrid-swap", words, **options), *moves)


def test_swap_puts_the_top_behind_the_front_of_the_buffer():
    walk = swapping(4, "SHIFT", "SHIFT", "SWAP")
    assert (walk.stack, walk.in_buffer) == ([0, 1], [3, 2, 4, 5])
    walk = take(walk, "SWAP")
    assert (walk.stack, walk.in_buffer) == ([0], [3, 1, 2, 4, 5])


def test_two_words_are_swapped_once():
    walk = swapping(3, "SHIFT", "SWAP", "SHIFT")
    assert (walk.stack, walk.in_buffer) == ([0, 2], [1, 3, 4])
    assert "SWAP" not in names(walk)


def test_root_is_never_swapped_nor_is_anything_without_a_word_in_the_buffer():
    assert "SWAP" not in names(swapping(2))
    assert "SWAP" not in names(swapping(2, "SHIFT", "SHIFT"))


def test_a_word_passes_so_many_others_and_no_more():
    walk = swapping(300, *["SHIFT"] * 299)
    passed = 0
    while "SWAP" in names(walk):
        take(walk, "SWAP")
        passed += 1
    assert passed == 256
    assert len(walk.stack) == 300 - passed


def test_crossing_arcs_are_built_by_swapping():
    tree = [3, 0, 2, 1], [0, 1, 0, 0]
    assert not is_projective(tree[0])
    walk, taken = start("arc-hybrid-swap", 4), []
    oracle = by_static_oracle(tree)
    while not walk.done:
        taken.append(walk.move_name(oracle(walk)))
        walk.apply(oracle(walk))
    assert (walk.heads, walk.labels) == tree
    assert "SWAP" in taken


def test_after_swaps_left_has_the_labels_of_arcs_to_the_right():
    walk = _core.Walk.start("arc-hybrid-swap", 3, [0, 1], [3], right_labels=[1, 2])
    take(walk, "SHIFT", "SWAP", "SHIFT")
    assert (walk.stack, walk.buffer) == ([0, 2], 1)
    left = [walk.move_label(move) for move in walk.legal() if walk.move_name(move) == "LEFT"]
    assert left == [0, 1, 2]
    assert take(walk, "LEFT:2").heads == [-1, 1, -1]


# Covington's system: Covington 2001, Nivre 2008.


def covington(words, *moves, **options):
    return take(start("covington", words, **options), *moves)


def test_covington_passes_the_focus_by_every_move_but_shift():
    for move, heads in (("NO-ARC", [-1, -1]), ("LEFT", [2, -1]), ("RIGHT", [-1, 1])):
        walk = covington(2, "SHIFT", move)
        assert (walk.stack, walk.buffer, walk.heads) == ([], 2, heads)


def test_covington_shifts_what_was_passed_as_well():
    walk = covington(4, "SHIFT", "SHIFT", "SHIFT", "NO-ARC", "NO-ARC")
    assert (walk.stack, walk.buffer) == ([1], 4)
    assert take(covington(5, "SHIFT", "SHIFT", "SHIFT", "NO-ARC", "NO-ARC"), "SHIFT").stack == [1, 2, 3, 4]


def test_covington_makes_no_cycle_and_gives_no_second_head():
    assert names(covington(3, "SHIFT", "LEFT", "SHIFT")) == {"SHIFT", "NO-ARC", "LEFT", "RIGHT"}
    walk = covington(3, "SHIFT", "LEFT", "SHIFT", "LEFT")
    assert (walk.stack, walk.heads) == ([1], [2, 3, -1])
    assert names(walk) == {"SHIFT", "NO-ARC"}  # 1 has a head, and 3 is above it


def test_covington_with_a_single_root_lets_the_model_choose_among_the_headless():
    walk = covington(3, "SHIFT", "SHIFT", "SHIFT")
    assert (walk.stack, names(walk)) == ([1, 2, 3], {"REDUCE", "LEFT"})
    assert take(walk.copy(), "LEFT").heads == [3, 3, 0]
    assert take(walk.copy(), "REDUCE", "LEFT").heads == [2, 0, 2]
    walk = take(walk, "REDUCE", "REDUCE")
    assert names(walk) == {"LEFT"}
    assert take(walk, "LEFT").heads == [0, 1, 1]


def test_covington_with_several_roots_puts_each_headless_word_under_root():
    walk = covington(3, "SHIFT", "RIGHT", "SHIFT", "SHIFT", single_root=False)
    assert (walk.stack, names(walk)) == ([1, 2, 3], {"LEFT"})
    assert take(walk, "LEFT", "LEFT").heads == [0, 1, 0]
    assert walk.done


# Easy-first: Goldberg & Elhadad 2010. A move is a site (the left one of two neighbours) and an arc.


def easy_move(walk, site, name):
    return next(m for m in walk.legal() if m[0] == site and walk.move_name(m) == name)


def test_easy_first_joins_neighbours_anywhere_and_the_dependent_leaves_the_list():
    walk = start("easy-first", 4)
    walk.apply(easy_move(walk, 3, "LEFT"))
    assert (walk.stack, walk.heads) == ([0, 1, 2, 4], [-1, -1, 4, -1])
    walk.apply(easy_move(walk, 1, "RIGHT"))
    assert (walk.stack, walk.heads) == ([0, 1, 4], [-1, 1, 4, -1])


def test_easy_first_offers_both_arcs_at_each_pair_of_neighbours():
    walk = start("easy-first", 4)
    walk.apply(easy_move(walk, 2, "RIGHT"))
    offered = [(site, walk.move_name((site, move))) for site, move in walk.legal()]
    assert offered == [(1, "LEFT"), (1, "RIGHT"), (2, "LEFT"), (2, "RIGHT")]


def test_easy_first_with_a_single_root_attaches_to_root_last():
    assert not any(site == 0 for site, _ in start("easy-first", 2, single_root=True).legal())
    assert any(site == 0 for site, _ in start("easy-first", 2, single_root=False).legal())
    assert (
        start("easy-first", 1, single_root=True).legal() == start("easy-first", 1, single_root=False).legal()
    )


def test_easy_first_never_makes_root_a_dependent():
    walk = start("easy-first", 2, single_root=False)
    assert {walk.move_name(move) for move in walk.legal() if move[0] == 0} == {"RIGHT"}


# Walks from outside.


def test_an_illegal_move_is_refused():
    with pytest.raises(ValueError, match=r"take one of legal\(\)"):
        start("arc-eager", 2).apply((0, 1))


def test_an_unknown_system_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"choose arc-eager, .*, arc-hybrid-swap or covington"):
        start("arc-weary", 2)


def test_a_copy_goes_its_own_way():
    walk = take(start("arc-eager", 3), "SHIFT")
    copy = walk.copy()
    take(copy, "LEFT")
    assert (walk.heads, copy.heads) == ([-1, -1, -1], [2, -1, -1])
    assert isinstance(copy, _core.Walk)
