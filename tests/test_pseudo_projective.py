"""Pseudo-projective parsing: lifting words for training, lowering them after parsing."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arcwise import _core

SCHEMES = ("head", "path", "head+path")
NOT_LIFTED, LIFTED = _core.NOT_LIFTED, _core.LIFTED
UNKNOWN = -1
TREEBANKS = Path(__file__).parents[2] / "shared" / "data"

any_scheme = st.sampled_from(SCHEMES)
few_labels = st.integers(0, 2)  # so few that searches meet the same label often


def array(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def is_projective(heads: list[int]) -> bool:
    return _core.is_projective(array(heads))


def projectivize(
    heads: list[int], labels: list[int], scheme: str
) -> tuple[list[int], list[int], list[int], list[bool]]:
    lifted = _core.projectivize(array(heads), array(labels), scheme)
    return tuple(values.tolist() for values in lifted)


def deprojectivize(
    heads: list[int], base: list[int], lifted_from: list[int], path: list[bool], scheme: str
) -> tuple[list[int], list[int]]:
    lowered = _core.deprojectivize(
        array(heads), array(base), array(lifted_from), np.array(path, dtype=np.bool_), scheme
    )
    return tuple(values.tolist() for values in lowered)


# What the words mean, spelled out without a thought for speed.


def ancestors(heads: list[int], word: int) -> list[int]:
    """The heads above a word, nearest first, up to ROOT or to a word whose head is unknown."""
    above = []
    while word not in (0, UNKNOWN):
        word = heads[word - 1]
        if word != UNKNOWN:
            above.append(word)
        assert len(above) <= len(heads), "cycle"
    return above


def is_tree(heads: list[int]) -> bool:
    try:
        return all(ancestors(heads, word)[-1:] == [0] for word in range(1, len(heads) + 1))
    except AssertionError:
        return False


def arc_is_projective(heads: list[int], word: int) -> bool:
    head = heads[word - 1]
    between = range(min(head, word) + 1, max(head, word))
    return all(head in ancestors(heads, other) for other in between)


def tree_is_projective(heads: list[int]) -> bool:
    return all(arc_is_projective(heads, word) for word in range(1, len(heads) + 1))


def some_projective_completion_exists(heads: list[int]) -> bool:
    choices = [range(len(heads) + 1) if head == UNKNOWN else [head] for head in heads]
    return any(is_tree(tree) and tree_is_projective(tree) for tree in map(list, product(*choices)))


def lift_by_the_book(heads: list[int]) -> tuple[list[int], list[bool]]:
    heads, path = list(heads), [False] * len(heads)
    while not tree_is_projective(heads):
        _, _, word = min(
            (abs(heads[word - 1] - word), min(heads[word - 1], word), word)
            for word in range(1, len(heads) + 1)
            if not arc_is_projective(heads, word)
        )
        head = heads[word - 1]
        path[head - 1] = True
        heads[word - 1] = heads[head - 1]
    return heads, path


def all_trees(words: int, lowest_head: int = 0) -> Iterator[list[int]]:
    for heads in map(list, product(range(lowest_head, words + 1), repeat=words)):
        known = [0 if head == UNKNOWN else head for head in heads]
        if is_tree(known):
            yield heads


@st.composite
def trees(draw: st.DrawFn, max_words: int = 10) -> list[int]:
    words = draw(st.permutations(range(1, draw(st.integers(1, max_words)) + 1)))
    heads = [0] * len(words)
    for placed, word in enumerate(words):
        heads[word - 1] = draw(st.sampled_from([0, *words[:placed]]))
    return heads


@st.composite
def labelled_trees(draw: st.DrawFn, max_words: int = 10) -> tuple[list[int], list[int]]:
    heads = draw(trees(max_words))
    return heads, draw(st.lists(few_labels, min_size=len(heads), max_size=len(heads)))


@st.composite
def partial_trees(draw: st.DrawFn, max_words: int = 10) -> list[int]:
    heads = draw(trees(max_words))
    unknown = draw(st.sets(st.integers(0, len(heads) - 1), max_size=3))
    return [UNKNOWN if i in unknown else head for i, head in enumerate(heads)]


# is_projective


@given(trees())
def test_a_tree_is_projective_if_each_head_dominates_all_words_under_its_arcs(heads):
    assert is_projective(heads) == tree_is_projective(heads)


def test_a_partial_tree_is_projective_if_some_choice_of_the_unknown_heads_is():
    for words in range(1, 5):
        for heads in all_trees(words, lowest_head=UNKNOWN):
            assert is_projective(heads) == some_projective_completion_exists(heads), heads


def test_root_stands_before_the_first_word():
    assert not is_projective([3, 0, 2])  # 3 → 1 lies over 2, its own head
    assert is_projective([2, 0, 2])
    assert not is_projective([0, 4, 1, 1])  # 4 → 2 lies over 3, which hangs from 1
    assert is_projective([])


# projectivize


@given(trees(), any_scheme)
def test_a_projective_tree_comes_back_untouched_and_unmarked(heads, scheme):
    projective, _ = lift_by_the_book(heads)
    labels = list(range(len(heads)))
    assert projectivize(projective, labels, scheme) == (
        projective,
        labels,
        [NOT_LIFTED] * len(heads),
        [False] * len(heads),
    )


@given(labelled_trees(), any_scheme)
def test_the_shortest_non_projective_arc_is_lifted_first_one_step_at_a_time(tree, scheme):
    heads, labels = tree
    lifted_heads, path = lift_by_the_book(heads)
    lifted_from = [
        NOT_LIFTED if lifted == head else LIFTED if scheme == "path" else labels[head - 1]
        for head, lifted in zip(heads, lifted_heads, strict=True)
    ]
    if scheme == "head":
        path = [False] * len(heads)
    assert projectivize(heads, labels, scheme) == (lifted_heads, labels, lifted_from, path)


@given(trees(max_words=40), any_scheme)
def test_lifting_gives_a_projective_tree_where_words_hang_from_ancestors_of_their_heads(heads, scheme):
    lifted_heads, _, lifted_from, _ = projectivize(heads, [0] * len(heads), scheme)
    assert is_tree(lifted_heads)
    assert tree_is_projective(lifted_heads)
    for head, lifted_head, mark in zip(heads, lifted_heads, lifted_from, strict=True):
        if mark == NOT_LIFTED:
            assert lifted_head == head
        else:
            assert lifted_head in ancestors(heads, head)


def test_each_scheme_marks_what_its_name_says():
    # ROOT → 2, 2 → 3, 3 → 4, and 4 → 1 over 2 and 3: word 1 is lifted past 4 and 3, to 2.
    heads, labels = [4, 0, 2, 3], [11, 12, 13, 14]
    lifted = [2, 0, 2, 3]
    no, lifted_past = [False] * 4, [False, False, True, True]
    from_4 = [14, NOT_LIFTED, NOT_LIFTED, NOT_LIFTED]
    from_somewhere = [LIFTED, NOT_LIFTED, NOT_LIFTED, NOT_LIFTED]
    assert projectivize(heads, labels, "head") == (lifted, labels, from_4, no)
    assert projectivize(heads, labels, "path") == (lifted, labels, from_somewhere, lifted_past)
    assert projectivize(heads, labels, "head+path") == (lifted, labels, from_4, lifted_past)


@given(partial_trees(), any_scheme)
def test_unknown_heads_stay_unknown_and_no_word_is_lifted_through_one(heads, scheme):
    lifted_heads, _, lifted_from, path = projectivize(heads, [0] * len(heads), scheme)
    assert is_projective(lifted_heads)
    for head, lifted_head, mark in zip(heads, lifted_heads, lifted_from, strict=True):
        if head == UNKNOWN or lifted_head == UNKNOWN:
            assert (lifted_head, mark) == (UNKNOWN, NOT_LIFTED)
        elif lifted_head != head:
            assert lifted_head in ancestors(heads, head)
            assert mark != NOT_LIFTED
    for head, passed in zip(heads, path, strict=True):
        assert not (passed and head == UNKNOWN)


@given(partial_trees(max_words=5), any_scheme)
def test_a_partial_tree_that_can_be_projective_comes_back_untouched(heads, scheme):
    assume(some_projective_completion_exists(heads))
    lifted_heads, _, lifted_from, path = projectivize(heads, [0] * len(heads), scheme)
    assert (lifted_heads, set(lifted_from), any(path)) == (heads, {NOT_LIFTED}, False)


def test_a_word_that_only_an_unknown_head_could_free_loses_its_own():
    # 1 → 3 and 2 → 4 cross, and nothing is known above 1 and 2.
    heads, _, lifted_from, path = projectivize([UNKNOWN, UNKNOWN, 1, 2], [0] * 4, "head+path")
    assert heads == [UNKNOWN, UNKNOWN, 1, UNKNOWN]
    assert set(lifted_from) == {NOT_LIFTED}
    assert not any(path)


def test_an_unknown_head_elsewhere_does_not_keep_a_word_from_being_lifted():
    lifted = projectivize([4, 0, 2, 3, UNKNOWN], [0] * 5, "path")
    assert lifted[0] == [2, 0, 2, 3, UNKNOWN]


# deprojectivize


@given(st.data(), partial_trees(), any_scheme)
def test_lowering_makes_a_tree_with_base_labels_of_whatever_a_parser_predicts(data, heads, scheme):
    def one_each(values: st.SearchStrategy) -> st.SearchStrategy:
        return st.lists(values, min_size=len(heads), max_size=len(heads))

    base = data.draw(one_each(few_labels))
    lifted_from = data.draw(one_each(st.integers(-3, 3)))
    path = data.draw(one_each(st.booleans()))
    lowered, labels = deprojectivize(heads, base, lifted_from, path, scheme)
    assert labels == base
    for before, after, mark in zip(heads, lowered, lifted_from, strict=True):
        if before in (0, UNKNOWN) or mark == NOT_LIFTED:
            assert after == before
        else:
            assert after not in (0, UNKNOWN)
    for word in range(1, len(heads) + 1):
        ancestors(lowered, word)  # finds cycles


@given(labelled_trees(), any_scheme)
def test_labels_survive_the_round_trip(tree, scheme):
    heads, labels = tree
    assert deprojectivize(*projectivize(heads, labels, scheme), scheme)[1] == labels


def round_trips(heads: list[int], labels: list[int], scheme: str) -> bool:
    return deprojectivize(*projectivize(heads, labels, scheme), scheme) == (heads, labels)


def only_lifted_word_is_below_root(heads: list[int]) -> bool:
    lifted = [
        lifted
        for head, lifted in zip(heads, projectivize(heads, heads, "path")[0], strict=True)
        if lifted != head
    ]
    return len(lifted) == 1 and lifted != [0]


@pytest.mark.parametrize("scheme", ["path", "head+path"])
def test_a_single_lifted_word_returns_in_every_tree_of_up_to_five_words(scheme):
    seen = 0
    for heads in all_trees(5):
        if only_lifted_word_is_below_root(heads):
            seen += 1
            assert round_trips(heads, [0] * 5, scheme), heads
    assert seen > 100


@given(st.data(), labelled_trees(max_words=12), st.sampled_from(["path", "head+path"]))
def test_a_single_lifted_word_returns(data, tree, scheme):
    heads, labels = tree
    projective, _ = lift_by_the_book(heads)
    words = range(1, len(heads) + 1)
    moved = [
        [*projective[: word - 1], head, *projective[word:]]
        for word, head in product(words, words)
        if word != head and word not in ancestors(projective, head)
    ]
    with_one_to_lift = list(filter(only_lifted_word_is_below_root, moved))
    assume(with_one_to_lift)
    assert round_trips(data.draw(st.sampled_from(with_one_to_lift)), labels, scheme)


def test_head_takes_the_first_word_with_the_label_breadth_first_from_the_left():
    # Below 1 hang 2, 3 and 6; below 2 hang 4 and below 3 hangs 5. Word 6 was lifted.
    heads, unlifted, no = [0, 1, 1, 2, 3, 1], [NOT_LIFTED] * 5, [False] * 6
    for base, expected in [
        ([0, 7, 7, 7, 7, 1], 2),  # from the left
        ([0, 1, 7, 7, 1, 1], 3),  # nearest to the top
        ([0, 1, 1, 7, 7, 1], 4),
        ([0, 1, 1, 1, 1, 1], 1),  # nowhere: it stays
        ([7, 1, 1, 1, 1, 7], 1),  # neither its linear head nor itself
    ]:
        lowered, _ = deprojectivize(heads, base, [*unlifted, 7], no, "head")
        assert lowered == [*heads[:5], expected]


def test_path_takes_the_first_word_where_a_path_ends():
    heads, base, marks = [0, 1, 1, 2, 3, 1], [0] * 6, [NOT_LIFTED] * 5 + [LIFTED]
    for marked, expected in [
        ({2}, 2),
        ({2, 4}, 4),
        ({2, 3, 4, 5}, 4),
        ({3, 2, 4}, 3),
        (set(), 1),
        ({6}, 1),
    ]:
        path = [word in marked for word in range(1, 7)]
        assert deprojectivize(heads, base, marks, path, "path")[0] == [*heads[:5], expected]


def test_head_and_path_prefers_label_and_end_of_path_then_label_on_path_then_label():
    heads, marks = [0, 1, 1, 2, 3, 1], [NOT_LIFTED] * 5 + [7]
    for base, marked, expected in [
        ([0, 7, 7, 7, 7, 1], {2, 4}, 4),
        ([0, 7, 7, 7, 7, 1], {3}, 3),
        ([0, 1, 7, 1, 1, 1], {2, 3, 4, 5}, 3),
        ([0, 7, 1, 1, 7, 1], {3}, 2),
        ([0, 1, 1, 1, 1, 1], {2, 4}, 1),
    ]:
        path = [word in marked for word in range(1, 7)]
        lowered, _ = deprojectivize(heads, base, marks, path, "head+path")
        assert lowered == [*heads[:5], expected]


def test_two_words_that_claim_each_other_make_no_cycle():
    lowered, _ = deprojectivize([0, 1, 1], [0, 5, 5], [NOT_LIFTED, 5, 5], [False] * 3, "head")
    assert lowered == [0, 3, 1]


# Long sentences: nothing recurses on the depth of a tree.

LONG = 100_000


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("heads", [[*range(LONG)], [*range(2, LONG + 1), 0]], ids=["right", "left"])
def test_a_deep_chain_stays_as_it_is(heads, scheme):
    assert is_projective(heads)
    assert round_trips(heads, [0] * LONG, scheme)


@pytest.mark.parametrize("scheme", ["path", "head+path"])
def test_a_word_is_lifted_from_the_bottom_of_a_deep_chain_and_returns(scheme):
    heads = [*range(2, LONG), 0, 1]
    lifted_heads, _, _, path = projectivize(heads, [0] * LONG, scheme)
    assert lifted_heads[-1] == LONG - 1
    assert sum(path) == LONG - 2
    assert round_trips(heads, [0] * LONG, scheme)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_long_sentence_with_every_word_marked_is_lowered_to_a_tree(scheme):
    flat = [0] + [1] * (LONG - 1)
    lowered, _ = deprojectivize(flat, [0] * LONG, [0] * LONG, [True] * LONG, scheme)
    assert lowered[0] == 0
    assert 0 not in lowered[1:]
    is_projective(lowered)  # refuses cycles


def test_a_long_sentence_of_unknown_heads_stays_unknown():
    assert projectivize([UNKNOWN] * LONG, [0] * LONG, "head")[0] == [UNKNOWN] * LONG


# Treebanks


def read_trees(path: Path) -> Iterator[tuple[list[int], list[str]]]:
    for sentence in path.read_text(encoding="utf-8").strip().split("\n\n"):
        lines = (line.split("\t") for line in sentence.split("\n") if not line.startswith("#"))
        words = [columns for columns in lines if columns[0].isdecimal()]
        yield [int(columns[6]) for columns in words], [columns[7] for columns in words]


@pytest.mark.parametrize("name", ["got_proiel", "hu_szeged", "el_gdt", "en_ewt"])
def test_treebank_trees_are_lifted_and_all_but_a_few_return(name):
    files = sorted((TREEBANKS / name).glob("*-dev.conll*"))
    if not files:
        pytest.skip(f"the treebank {name} is not in {TREEBANKS}")
    label_ids: dict[str, int] = {}
    lifted, exact = 0, 0
    for heads, deprels in read_trees(files[0]):
        labels = [label_ids.setdefault(deprel, len(label_ids)) for deprel in deprels]
        assert tree_is_projective(projectivize(heads, labels, "head+path")[0])
        if is_projective(heads):
            assert round_trips(heads, labels, "head+path")
            continue
        lifted += 1
        exact += round_trips(heads, labels, "head+path")
        if only_lifted_word_is_below_root(heads):
            assert round_trips(heads, labels, "path")
            assert round_trips(heads, labels, "head+path")
    assert exact > 0.95 * lifted > 0


# Errors


@pytest.mark.parametrize(
    ("heads", "reason"),
    [
        ([2, 1], r"Word \d is its own ancestor"),
        ([1], "Word 1 is its own ancestor"),
        ([0, 3], r"Word 2 has head 3, but heads go from 0 \(ROOT\) to 2"),
        ([0, -2], "Word 2 has head -2"),
    ],
)
def test_heads_that_are_no_tree_are_refused_with_the_reason(heads, reason):
    labels, marks, path = [0] * len(heads), [NOT_LIFTED] * len(heads), [False] * len(heads)
    with pytest.raises(ValueError, match=reason):
        is_projective(heads)
    with pytest.raises(ValueError, match=reason):
        projectivize(heads, labels, "head")
    with pytest.raises(ValueError, match=reason):
        deprojectivize(heads, labels, marks, path, "head")


def test_a_scheme_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(ValueError, match=r'"heads": choose head, path or head\+path'):
        projectivize([0], [0], "heads")


def test_labels_that_do_not_match_the_words_are_refused():
    with pytest.raises(ValueError, match="2 words, but 1 labels are given"):
        projectivize([0, 1], [0], "head")
    with pytest.raises(ValueError, match="differ in length"):
        deprojectivize([0, 1], [0, 0], [NOT_LIFTED], [False, False], "head")
    with pytest.raises(ValueError, match="2 words, but 1 labels are given"):
        deprojectivize([0, 1], [0], [NOT_LIFTED], [False], "head")
