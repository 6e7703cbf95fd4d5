"""Trees as text: what is drawn, and that a drawing says what the tree is."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import given

from arcwise import Treebank
from arcwise.draw import draw, draw_all
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
        "w1 ────<┐ dep",
        "w2 <┐   │ dep",
        "w3 ─┼─┬─┘ dep",
        "w4 ─┴<┘   dep",
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
    top = bottom = row
    while drawing[top][column] in "│┼┤┘┴":
        top -= 1
    while drawing[bottom][column] in "│┼┤┐┬":
        bottom += 1
    # A line ends at its head on one side, and in an arrow on the other.
    return (bottom if drawing[top][column - 1] == "<" else top) + 1


@given(heads_of_trees(max_words=9))
def test_the_tree_can_be_read_off_the_drawing(heads: list[int | None]) -> None:
    drawing = drawing_of(*heads)
    assert [head_in(drawing, row) for row in range(len(heads))] == [head or 0 for head in heads]


def is_projective(heads: list[int | None]) -> bool:
    """Whether whatever lies between a word and its head is below that head."""

    def below(word: int, head: int) -> bool:
        while word and word != head:
            word = heads[word - 1] or 0
        return word == head

    arcs = [(word, head) for word, head in enumerate(heads, 1) if head]
    return all(below(between, head) for word, head in arcs for between in range(*sorted((word, head))))


@given(heads_of_trees(max_words=9))
def test_lines_cross_where_arcs_cross_and_only_in_trees_that_are_not_projective(
    heads: list[int | None],
) -> None:
    arcs = [sorted((word, head)) for word, head in enumerate(heads, 1) if head]
    crossing = any(a < c < b < d for a, b in arcs for c, d in arcs)
    drawn = "┼" in "".join(drawing_of(*heads))
    assert drawn or not crossing
    assert not (drawn and is_projective(heads))


def test_arcs_from_a_head_to_one_side_share_a_line() -> None:
    assert drawing_of(3, 3, 0, 3, 3) == [
        "w1 <┐   dep",
        "w2 <┤   dep",
        "w3 ─┴─┐ dep",
        "w4 ──<┤ dep",
        "w5 ──<┘ dep",
    ]


def test_a_long_sentence_is_no_wider_than_its_tree_is_deep() -> None:
    assert max(map(len, drawing_of(0, *[1] * 4999))) < 20


SCRIPTS = """\
# sent_id = scripts-1
# text = 猫 שלום naïve 👩‍🚀
1\t猫\t猫\tNOUN\tNN\t_\t2\tnsubj\t_\t_
2\tשלום\tשלום\tINTJ\tUH\t_\t0\troot\t_\t_
3\tnai\u0308ve\tnaïve\tADJ\tJJ\tDegree=Pos\t4\tamod\t_\t_
4\t🙂\t_\tSYM\t_\t_\t2\tdep:emo\t_\t_

# text = Tout ça\x1b[31m
1\thttps://example.org/a/very/long/address\t_\tX\t_\t_\t0\troot\t_\t_
2\t\x1b[31m\t_\tX\t_\t_\t1\tdep\t_\t_

"""


def test_columns_are_aligned_in_any_script(golden: Callable[[str, str], None]) -> None:
    golden("draw-scripts", draw_all(Treebank.from_string(SCRIPTS)))


def test_colours_are_added_to_the_same_text(golden: Callable[[str, str], None]) -> None:
    treebank = Treebank.from_string(SCRIPTS)
    colored = draw_all(treebank, color=True)
    golden("draw-colors", colored)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == draw_all(treebank)


def test_text_in_a_sentence_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in draw_all(Treebank.from_string(SCRIPTS))


def test_columns_can_be_chosen() -> None:
    words = Treebank.from_string(SCRIPTS)[0]
    assert draw(words, columns=("xpos", "feats")).split("\n")[2] == "JJ Degree=Pos <┐ │ amod"


def probable(*probs: float, drop: bool = False) -> Treebank:
    treebank = Treebank.from_string(sentence(2, 0, 2)).with_probabilities(probs, probs)
    return treebank.with_min_confidence(0.9, drop=drop)


def test_probabilities_stand_beside_labels_and_doubts_are_marked() -> None:
    assert draw(probable(0.97, 1.0, 0.42)[0]).split("\n") == [
        "w1 <┐   dep 0.97",
        "w2 ─┴─┐ dep 1.00",
        "w3 ──<┘ dep 0.42 ?",
    ]
    assert draw(probable(0.97, 1.0, 0.42, drop=True)[0]).split("\n")[2] == "w3    _   0.42 ?"
    assert draw(probable(0.97, 1.0, 0.42)[0], color=True).split("\n")[2].endswith("\x1b[1;31m0.42 ?\x1b[0m")


def test_doubts_that_a_file_tells_of_are_drawn_as_well() -> None:
    written = probable(0.97, 1.0, 0.42).to_string()
    assert draw(Treebank.from_string(written)[0]) == draw(probable(0.97, 1.0, 0.42)[0])


def test_on_a_narrow_terminal_columns_go_and_are_cut() -> None:
    def widths(width: int | None) -> tuple[int, str]:
        lines = draw_all(Treebank.from_string(SCRIPTS)[1:], width=width).split("\n")[1:3]
        return max(map(len, lines)), lines[0]

    assert widths(80) == widths(None)
    whole = widths(None)[0]
    assert widths(whole - 1) == (whole - 2, widths(None)[1].replace(" _ ", " ", 1))
    for width in (40, 30, 20):
        assert widths(width)[0] <= width
    assert widths(20)[1] == "https:/… ─┐ root"
    assert widths(3) == widths(20)  # no narrower than that


def test_multiword_tokens_are_shown_as_they_are_written():
    text = (
        "1-2\tdon't"
        + "\t_" * 8
        + "\n1\tdo\tdo\tAUX\t_\t_\t0\troot\t_\t_\n2\tn't\tnot\tPART\t_\t_\t1\tadvmod\t_\t_\n\n"
    )
    first, second = draw(Treebank.from_string(text)[0]).splitlines()
    assert "do (don't)" in first and "n't " in second and "(" not in second
