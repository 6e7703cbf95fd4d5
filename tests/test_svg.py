"""Trees as pictures: what is in them, and that nothing lies on anything else."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import Document, Treebank, pages
from arcwise._terminal import visible
from arcwise.picture import picture
from arcwise.svg import MOST_SENTENCES, MOST_WORDS, html, svg, to_svg
from arcwise.svg_canvas import Direction, text_width
from treebank_texts import heads_of_trees, sentence, texts

NAMESPACE = "{http://www.w3.org/2000/svg}"
GERMAN = """\
# text = Zum Glück <&> "ja"
1-2\tZum\t_\t_\t_\t_\t_\t_\t_\t_
1\tzu\tzu\tADP\t_\t_\t3\tcase\t_\t_
2\tdem\tder\tDET\t_\t_\t3\tdet\t_\t_
3\tGlück\tGlück\tNOUN\t_\t_\t0\troot\t_\t_
4\t<&>\t_\tSYM\t_\t_\t5\tpunct\t_\t_
5\t"ja"\tja\tINTJ\t_\t_\t3\tdiscourse\t_\t_

"""
HEBREW = "1\tשלום\tשלום\tINTJ\t_\t_\t0\troot\t_\t_\n2\tעולם\tעולם\tNOUN\t_\t_\t1\tvocative\t_\t_\n\n"


def texts_of(picture: str, group: int) -> list[ElementTree.Element]:
    """The texts of a picture: group 0 has the words, group 1 all others."""
    return list(ElementTree.fromstring(picture).findall(f"{NAMESPACE}g")[group])


def place(element: ElementTree.Element) -> tuple[float, float]:
    return float(element.attrib["x"]), float(element.attrib["y"])


def test_a_picture(golden: Callable[[str, str], None]) -> None:
    golden("svg", svg(Treebank.from_string(GERMAN)[0], columns=("lemma", "upos")))


def test_all_that_is_written_can_be_read() -> None:
    picture = Treebank.from_string(GERMAN)[0].to_svg()
    assert [element.text for element in texts_of(picture, 0)] == ["zu", "dem", "Glück", "<&>", '"ja"']
    labels = [element.text for element in texts_of(picture, 1)]
    assert sorted(labels[:5]) == ["case", "det", "discourse", "punct", "root"]
    assert labels[5:] == ["ADP", "DET", "NOUN", "SYM", "INTJ", "Zum"]


@given(texts())
def test_any_text_makes_a_picture_that_can_be_read(text: str) -> None:
    for words in Treebank.from_string(text, check_trees=False):
        picture = svg(words, columns=("upos", "feats"))
        assert [element.text for element in texts_of(picture, 0)] == [visible(word.form) for word in words]
        title = ElementTree.fromstring(picture).find(f"{NAMESPACE}title")
        assert title is not None and (title.text or "") == visible(words.text)


@st.composite
def labelled(draw: st.DrawFn) -> Treebank:
    heads = draw(heads_of_trees(max_words=9))
    texts = st.sampled_from(["a", "of", "Donaudampfschifffahrt", "猫", "nsubj:pass", "mmm", "dep"])
    columns = [draw(st.lists(texts, min_size=len(heads), max_size=len(heads))) for _ in range(3)]
    rows = zip(heads, *columns, strict=True)
    lines = [
        f"{id}\t{form}\t_\t{upos}\t_\t_\t{'_' if head is None else head}\t{label}\t_\t_\n"
        for id, (head, form, upos, label) in enumerate(rows, 1)
    ]
    return Treebank.from_string("".join(lines) + "\n")


@given(labelled())
def test_no_text_lies_on_another(treebank: Treebank) -> None:
    picture = svg(treebank[0])
    heights = defaultdict(list)
    for group, size in enumerate((16, 11)):
        for element in texts_of(picture, group):
            x, y = place(element)
            half = text_width(element.text or "", size) / 2
            heights[group, y].append((x - half, x + half))
    width = float(ElementTree.fromstring(picture).attrib["width"])
    for row in heights.values():
        spans = sorted(row)
        assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))
        assert spans[0][0] >= 0 and spans[-1][1] <= width


def lines_of(picture: str) -> list[list[tuple[float, float]]]:
    """The points of each line."""
    paths = ElementTree.fromstring(picture).findall(f"{NAMESPACE}path")
    return [
        [(float(x), float(y)) for x, y in re.findall(r"([\d.-]+),([\d.-]+)", line)]
        for line in paths[0].attrib["d"].split("M")[1:]
    ]


@given(heads_of_trees(max_words=9))
def test_arcs_have_parts_of_their_own(heads: list[int | None]) -> None:
    """No two arcs run along each other, neither above the words nor down to them."""
    values = ["_" if head is None else head for head in heads]
    picture = svg(Treebank.from_string(sentence(*values))[0])
    drawn = lines_of(picture)
    assert len(drawn) == len([head for head in heads if head is not None])
    arcs = [line for line in drawn if len(line) > 2]
    feet = [line[0][0] for line in drawn] + [arc[-1][0] for arc in arcs]
    assert len(set(feet)) == len(feet)
    ceilings = sorted((min(y for _, y in arc), arc[0][0], arc[-1][0]) for arc in arcs)
    for (y, _, end), (next_y, begin, _) in pairwise(ceilings):
        assert y != next_y or end <= begin


def arrow_tips(picture: str) -> list[float]:
    paths = ElementTree.fromstring(picture).findall(f"{NAMESPACE}path")
    return sorted(float(x) for x in re.findall(r"M([\d.]+),", paths[1].attrib["d"]))


@given(heads_of_trees(max_words=9))
def test_an_arrow_points_at_each_word_with_a_head(heads: list[int | None]) -> None:
    values = ["_" if head is None else head for head in heads]
    picture = svg(Treebank.from_string(sentence(*values))[0])
    centers = [place(element)[0] for element in texts_of(picture, 0)]
    nearest = [min(range(len(heads)), key=lambda i: abs(centers[i] - tip)) for tip in arrow_tips(picture)]
    assert nearest == [index for index, head in enumerate(heads) if head is not None]


def test_text_that_runs_to_the_left_is_drawn_so() -> None:
    words = Treebank.from_string(HEBREW)[0]
    first, second = (place(element)[0] for element in texts_of(svg(words), 0))
    assert first > second
    first, second = (place(element)[0] for element in texts_of(svg(words, direction="ltr"), 0))
    assert first < second


def test_a_mirrored_picture_is_the_other_one_turned_around() -> None:
    words = Treebank.from_string(GERMAN)[0]
    one, other = svg(words, direction="ltr"), svg(words, direction="rtl")
    width = float(ElementTree.fromstring(one).attrib["width"])
    for a, b in zip(arrow_tips(one), reversed(arrow_tips(other)), strict=True):
        assert abs(a + b - width) < 0.2


def test_a_word_that_is_its_own_head_has_no_arc() -> None:
    assert lines_of(svg(Treebank.from_string(sentence(1), check_trees=False)[0])) == []


def test_notebooks_show_the_first_sentences_of_a_document() -> None:
    document = Document(Treebank.from_string(sentence(0) * (MOST_SENTENCES + 3)))
    shown = document._repr_html_()
    assert shown.count("<svg") == MOST_SENTENCES
    assert f"The first {MOST_SENTENCES} of {MOST_SENTENCES + 3} sentences." in shown
    assert document[0]._repr_html_() == html(document[:1])
    assert document[0]._repr_svg_() in shown


def test_heads_that_go_round_in_circles_are_drawn() -> None:
    treebank = Treebank.from_string(sentence(2, 3, 1, 0), check_trees=False)
    assert len(texts_of(svg(treebank[0]), 0)) == 4
    assert "<svg" in html(treebank)


@settings(max_examples=40)
@given(labelled(), st.sampled_from([100, 300, None]), st.sampled_from(["ltr", "rtl"]))
def test_plain_data_has_the_shapes_of_the_svg(
    treebank: Treebank, width: int | None, direction: Direction
) -> None:
    made = picture(treebank[0], width=width, direction=direction)
    drawn = ElementTree.fromstring(to_svg(made))
    data = json.loads(json.dumps(made.to_json()))
    assert float(drawn.attrib["width"]) == data["width"] and float(drawn.attrib["height"]) == data["height"]
    rows = data["rows"]
    paths = [path.attrib["d"] for path in drawn.findall(f"{NAMESPACE}path")]
    assert paths[0] == "".join(arc["path"] for row in rows for arc in row["arcs"])
    assert paths[1] == "".join(arc.get("arrow", "") for row in rows for arc in row["arcs"])
    words, labels = ([(e.text, *place(e)) for e in group] for group in drawn.findall(f"{NAMESPACE}g"))
    assert words == [(word["text"], word["x"], word["y"]) for row in rows for word in row["words"]]
    below = [(text["text"], text["x"], text["y"]) for row in rows for texts in row["below"] for text in texts]
    above = [(arc["label"], arc["x"], arc["y"]) for row in rows for arc in row["arcs"]]
    assert sorted(labels) == sorted(above + below)
    assert [word["word"] for row in rows for word in row["words"]] == list(range(1, len(treebank[0]) + 1))


def test_there_is_room_for_marks_that_are_set_later() -> None:
    words = Treebank.from_string(sentence(2, 0, 2)).with_probabilities([0.9] * 3, [0.8] * 3)[0]
    narrow, wide = (picture(words, probabilities=False, room_for_marks=room) for room in (False, True))
    assert narrow.width < wide.width
    assert [arc.label for arc in wide.rows[0].arcs] == ["dep"] * 3
    assert [arc.deprel_prob for arc in wide.rows[0].arcs] == pytest.approx([0.8] * 3)


# Long sentences, marks, pages

ENDLESS = 10_000_000
"""A picture of this width has one row."""


def rows_of(picture: str) -> list[list[str]]:
    """The words of each row, from its height."""
    rows: dict[float, list[str]] = defaultdict(list)
    for element in texts_of(picture, 0):
        rows[place(element)[1]].append(element.text or "")
    return [rows[y] for y in sorted(rows)]


@settings(max_examples=40)
@given(labelled(), st.sampled_from([60, 150, 300]))
def test_in_rows_nothing_is_lost_and_nothing_lies_on_anything_else(treebank: Treebank, width: int) -> None:
    words = treebank[0]
    picture = svg(words, width=width)
    assert [word for row in rows_of(picture) for word in row] == [word.form for word in words]
    assert len(arrow_tips(picture)) == sum(word.head is not None for word in words)
    for group, size in enumerate((16, 11)):
        heights = defaultdict(list)
        for element in texts_of(picture, group):
            x, y = place(element)
            half = text_width(element.text or "", size) / 2
            heights[y].append((x - half, x + half))
        for spans in map(sorted, heights.values()):
            assert all(end <= begin + 0.2 for (_, end), (begin, _) in pairwise(spans))
            assert spans[0][0] >= 0


def test_rows_are_as_wide_as_they_may_be_and_no_wider() -> None:
    treebank = Treebank.from_string(sentence(0, *range(1, 60)))
    picture = svg(treebank[0], width=400)
    assert float(ElementTree.fromstring(picture).attrib["width"]) <= 400
    rows = rows_of(picture)
    assert 5 < len(rows) < 12 and min(map(len, rows)) > 3
    assert len(rows_of(svg(treebank[0], width=None))) == len(rows_of(svg(treebank[0], width=ENDLESS))) == 1
    # A chain is cut once at the end of each row, and both halves have its label.
    assert len(lines_of(picture)) == 60 + len(rows) - 1


def test_a_multiword_token_stays_in_a_row() -> None:
    words = Treebank.from_string(GERMAN)[0]
    for width in range(130, 260, 10):
        assert any({"zu", "dem"} <= set(row) for row in rows_of(svg(words, width=width)))


def test_very_long_sentences_are_drawn_in_part() -> None:
    picture = svg(Treebank.from_string(sentence(0, *[1] * (MOST_WORDS + 4)))[0])
    assert len(texts_of(picture, 0)) == MOST_WORDS
    assert "… and 5 more words" in picture


def sure(*probs: float, least: float = 0.9, drop: bool = False) -> Treebank:
    treebank = Treebank.from_string(sentence(2, 0, 2)).with_probabilities(probs, probs)
    return treebank.with_min_confidence(least, drop=drop)


def test_probabilities_and_doubts_are_seen_without_colours_too() -> None:
    picture = svg(sure(0.97, 1.0, 0.42)[0])
    assert [element.text for element in texts_of(picture, 1)][:2] == ["dep 0.97", "dep 1.00"]
    assert [element.text for element in texts_of(picture, 2)] == ["? dep 0.42"]
    assert picture.count("stroke-dasharray") == 1
    assert len(ElementTree.fromstring(picture).findall(f"{NAMESPACE}g")) == 3
    assert "? no head" in svg(sure(0.97, 1.0, 0.42, drop=True)[0])


def test_wrong_arcs_are_marked() -> None:
    picture = svg(Treebank.from_string(sentence(2, 0, 2))[0], errors=[None, None, "argument"])
    assert [element.text for element in texts_of(picture, 2)] == ["✗ dep"]
    assert 'stroke-width="2.5"' in picture


def test_a_picture_says_its_tree_in_words() -> None:
    description = ElementTree.fromstring(svg(Treebank.from_string(sentence(2, 0))[0])).find(
        f"{NAMESPACE}desc"
    )
    assert description is not None and description.text == "dep: w1 under w2; dep: w2"


class Page(HTMLParser):
    """What a browser would see of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@settings(max_examples=25)
@given(texts())
def test_a_page_has_no_tags_of_its_text(text: str) -> None:
    treebank = Treebank.from_string(text, check_trees=False)
    page = Page(pages.page(treebank, "<script>x"))
    assert page.tags.count("figure") == page.tags.count("svg") == len(treebank)
    known = "html head meta title style body main h1 figure figcaption b br span div svg desc path g text p"
    assert set(page.tags) <= set(known.split())
    assert "<script>x" in page.text


def test_a_page_tells_of_doubts_and_notes() -> None:
    text = pages.figure(sure(0.97, 1.0, 0.42)[0], "rank 1")
    assert "rank 1" in text and "The parser is not sure of 1 word: ?" in text


@settings(max_examples=25)
@given(st.lists(heads_of_trees(max_words=5), min_size=1, max_size=4))
def test_pictures_are_put_below_each_other(trees: list[list[int | None]]) -> None:
    texts = [sentence(*("_" if head is None else head for head in heads)) for heads in trees]
    pictures = [svg(Treebank.from_string(text)[0]) for text in texts]
    whole = ElementTree.fromstring(pages.stacked(pictures))
    parts = whole.findall(f"{NAMESPACE}svg")
    assert len(parts) == len(trees)
    y = 0.0
    for part in parts:
        assert float(part.attrib["y"]) == pytest.approx(y, abs=0.01)
        y += float(part.attrib["height"])
    assert float(whole.attrib["height"]) == pytest.approx(y, abs=0.01)
