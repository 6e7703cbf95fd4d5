"""Trees as text: what is drawn, and that a drawing says what the tree is."""

from __future__ import annotations

from hypothesis import given

from arcwise import Treebank
from arcwise.draw import draw
from treebank_texts import heads_of_trees, sentence


def drawing_of(*heads: int | None) -> list[str]:
    values = ["_" if head is None else head for head in heads]
    return draw(Treebank.from_string(sentence(*values), check_trees=False)[0]).split("\n")


def test_an_arrow_leads_into_each_word_from_its_head() -> None:
    assert drawing_of(2, 3, 0, 3) == [
        "w1 <┐   dep",
        "w2 ─┴<┐ dep",
        "w3 ─┬─┘ dep",
        "w4 <┘   dep",
    ]


def test_lines_cross_where_a_tree_is_not_projective() -> None:
    assert drawing_of(3, 4, 0, 3) == [
        "w1 ──<┐   dep",
        "w2 ───┼<┐ dep",
        "w3 ─┬─┘ │ dep",
        "w4 <┴───┘ dep",
    ]


def test_a_word_alone_and_a_word_without_a_head_have_no_arrow() -> None:
    assert drawing_of(0) == ["w1 dep"]
    assert drawing_of(0, None) == ["w1 dep", "w2 dep"]


def test_wide_characters_do_not_shift_the_arcs() -> None:
    text = "1\t猫\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tsleeps\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    assert draw(Treebank.from_string(text)[0]).split("\n") == ["猫     <┐ nsubj", "sleeps ─┘ root"]


def head_in(drawing: list[str], row: int) -> int:
    """Follows the arrow of a row to its head; 0 where there is none, rows counted from 1."""
    column = drawing[row].find("<") + 1
    if column == 0:
        return 0
    step = 1 if drawing[row][column] in "┐┬" else -1
    row += step
    while drawing[row][column] in "│┼":
        row += step
    return row + 1


@given(heads_of_trees(max_words=9))
def test_the_tree_can_be_read_off_the_drawing(heads: list[int | None]) -> None:
    drawing = drawing_of(*heads)
    assert [head_in(drawing, row) for row in range(len(heads))] == [head or 0 for head in heads]


@given(heads_of_trees(max_words=9))
def test_lines_cross_only_in_trees_that_are_not_projective(heads: list[int | None]) -> None:
    arcs = [sorted((word, head)) for word, head in enumerate(heads, 1) if head]
    crossing = any(a < c < b < d for a, b in arcs for c, d in arcs)
    assert ("┼" in "".join(drawing_of(*heads))) == crossing
