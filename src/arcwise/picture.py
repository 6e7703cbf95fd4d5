"""The picture of a tree as plain data: what is drawn where.

`arcwise.svg` writes it as SVG, and the page of `arcwise serve` draws the same shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from arcwise import _core
from arcwise._terminal import visible
from arcwise.draw import UNSURE, unsure_words
from arcwise.sentence import NO_VALUE, Sentence
from arcwise.svg_canvas import SMALL, WORD, Direction, Look, Pen, direction_of
from arcwise.svg_layout import LEVEL, MARGIN, Arc, Piece, Ports, Row, lay_out

MOST_WORDS = 500
"""Of a sentence that are drawn."""
WIDTH = 1000
"""The pixels after which a picture goes on in another row."""
WRONG = "✗"

_LINE = SMALL + 5
_MARKS: dict[Look, str] = {"plain": "", "unsure": f"{UNSURE} ", "wrong": f"{WRONG} "}


class Text(NamedTuple):
    """A text, its middle and its baseline; words are counted from 1."""

    word: int
    text: str
    x: float
    y: float


class Line(NamedTuple):
    """An arc, or what is in a row of it: its path, its arrow if the word is in that row, and its label."""

    word: int
    head: int
    """0 for ROOT."""
    deprel: str
    head_prob: float | None
    deprel_prob: float | None
    look: Look
    path: str
    arrow: str | None
    label: str
    x: float
    y: float


class Bracket(NamedTuple):
    """Of a multiword token, from its first word to its last."""

    first: int
    last: int
    path: str
    text: str
    x: float
    y: float


class PictureRow(NamedTuple):
    arcs: list[Line]
    words: list[Text]
    below: list[list[Text]]
    """A list for each column."""
    brackets: list[Bracket]


@dataclass(frozen=True)
class Picture:
    """A tree's picture, in pixels from its upper left corner."""

    width: float
    height: float
    direction: Direction
    title: str
    description: str
    """The tree in words."""
    columns: tuple[str, ...]
    """What stands below the words."""
    rows: list[PictureRow]

    def to_json(self) -> dict[str, Any]:
        """The same as objects and lists, with numbers as the SVG has them."""
        return {
            "width": round(self.width, 1),
            "height": round(self.height, 1),
            "direction": self.direction,
            "title": self.title,
            "description": self.description,
            "columns": list(self.columns),
            "rows": [
                {
                    "arcs": [_to_json(arc) for arc in row.arcs],
                    "words": [_to_json(word) for word in row.words],
                    "below": [[_to_json(text) for text in texts if text.text] for texts in row.below],
                    "brackets": [_to_json(bracket) for bracket in row.brackets],
                }
                for row in self.rows
            ],
        }


def picture(
    sentence: Sentence,
    *,
    columns: Sequence[str] = ("upos",),
    direction: Direction | None = None,
    width: float | None = WIDTH,
    errors: Sequence[str | None] | None = None,
    probabilities: bool = True,
    room_for_marks: bool = False,
) -> Picture:
    """Lays out a sentence's tree, as `arcwise.svg.svg` draws it.

    Args:
        sentence: The sentence.
        columns: What stands below the words: `lemma`, `upos`, `xpos`, `feats`, ….
        direction: Which way the words run; by default from right to left (`rtl`) if most letters do.
        width: In pixels: where words and arcs take more, the picture goes on in another row. None: it does
            not.
        errors: What is wrong with the arc of each word. None: nothing.
        probabilities: Whether those that the sentence has stand beside the labels.
        room_for_marks: Leave room in all labels for a mark, so that arcs can be marked later on.
    """
    words = list(sentence[:MOST_WORDS])
    unsure = unsure_words(sentence)[: len(words)]
    wrong = [error is not None for error in errors or [None] * len(words)]
    texts = [[visible(str(getattr(word, name))) for word in words] for name in ("form", *columns)]
    if len(words) < len(sentence):
        texts[0][-1] += f" … and {len(sentence) - len(words):,} more words"
    arcs = []
    for index, word in enumerate(words):
        if word.head is None or word.head == index + 1 or word.head > len(words):
            continue
        look: Look = "wrong" if wrong[index] else "unsure" if unsure[index] else "plain"
        label = _MARKS[look] + visible(word.deprel or NO_VALUE)
        if probabilities and word.deprel_prob is not None:
            label += f" {word.deprel_prob:.2f}"
        room = _MARKS["unsure"] if room_for_marks and look == "plain" else ""
        arcs.append(Arc(word.head - 1, index, label, look, room))
    left_out = [word.head is None and mark for word, mark in zip(words, unsure, strict=True)]
    if any(left_out):
        texts.append([f"{UNSURE} no head" if dropped else "" for dropped in left_out])
        columns = (*columns, "marks")
    tokens = [
        (first - 1, min(last, len(words)) - 1, visible(token.form))
        for token in sentence.multiword_tokens
        for first, last in [token.ids]
        if first <= len(words)
    ]
    inside = {word for first, last, _ in tokens for word in range(first + 1, last + 1)}
    laid_out, ports = lay_out(texts, arcs, width, inside)
    direction = direction or direction_of(texts[0])
    pen = Pen(max(row.width for row in laid_out), mirrored=direction == "rtl")
    projective = _is_projective(sentence)
    rows = []
    for row in laid_out:
        lines = _arcs(pen, row, ports, sentence, projective=projective)
        written, below, y = _texts(pen, row, texts)
        brackets, y = _brackets(pen, row, tokens, y)
        rows.append(PictureRow(lines, written, below, brackets))
        pen.top += y + MARGIN
    return Picture(
        width=max(row.width for row in laid_out),
        height=pen.top,
        direction=direction,
        title=visible(sentence.text),
        description=_in_words(texts[0], arcs),
        columns=tuple(columns),
        rows=rows,
    )


def _is_projective(sentence: Sentence) -> bool:
    try:
        return _core.is_projective(np.ascontiguousarray(sentence.heads))
    except ValueError:  # heads that were not checked may go round in circles
        return False


def _in_words(forms: Sequence[str], arcs: Sequence[Arc]) -> str:
    """The tree for those who cannot see it."""
    told = (
        f"{arc.label}: {forms[arc.word]}" + (f" under {forms[arc.head]}" if arc.head >= 0 else "")
        for arc in sorted(arcs, key=lambda arc: arc.word)
    )
    return "; ".join(told)


def _arcs(pen: Pen, row: Row, ports: Ports, sentence: Sentence, *, projective: bool) -> list[Line]:
    floor = row.floor

    def line(arc: Arc, path: str, arrow: str | None, x: float, ceiling: float) -> Line:
        word = sentence[arc.word]
        probs = word.head_prob, word.deprel_prob
        deprel = visible(word.deprel or NO_VALUE)
        place = pen.place(x, ceiling - 4)
        return Line(arc.word + 1, arc.head + 1, deprel, *probs, arc.look, path, arrow, arc.label, *place)

    lines = []
    for piece, level in zip(row.pieces, row.levels, strict=True):
        arc, left, right = piece
        first, second = arc.ends
        from_edge, to_edge = row.is_edge(left), row.is_edge(right)
        begin = row.centers[left] + (0 if from_edge else ports[first][second])
        end = row.centers[right] + (0 if to_edge else ports[second][first])
        ceiling = floor - level * LEVEL
        path = pen.arc(begin, end, floor, ceiling, from_edge=from_edge, to_edge=to_edge)
        is_cut = from_edge if arc.word == first else to_edge
        arrow = None if is_cut else pen.arrow(begin if arc.word == first else end, floor)
        crossings = [] if projective else _crossings(piece, row, ports)
        lines.append(line(arc, path, arrow, _place([begin, *crossings, end], arc.label_width), ceiling))
    for arc in row.roots:
        x, ceiling = row.center(arc.word) + ports[arc.word][arc.head], floor - row.top * LEVEL
        lines.append(line(arc, pen.line((x, ceiling), (x, floor)), pen.arrow(x, floor), x, ceiling))
    return lines


def _texts(pen: Pen, row: Row, texts: Sequence[Sequence[str]]) -> tuple[list[Text], list[list[Text]], float]:
    """The words, what stands below them, and the last baseline."""
    y = row.floor + WORD + 2
    lines = []
    for line, column in enumerate(texts):
        y += _LINE if line else 0
        lines.append([Text(word + 1, column[word], *pen.place(row.center(word), y)) for word in row.words])
    return lines[0], lines[1:], y


def _brackets(
    pen: Pen, row: Row, tokens: Sequence[tuple[int, int, str]], y: float
) -> tuple[list[Bracket], float]:
    """The brackets of multiword tokens below a baseline, and the next one."""
    own = [
        (max(first, row.words[0]), min(last, row.words[-1]), form)
        for first, last, form in tokens
        if first in row.words or last in row.words
    ]
    if own:
        y += _LINE + 4
    brackets = []
    for first, last, form in own:
        begin = row.center(first) - row.widths[first - row.first] / 2
        end = row.center(last) + row.widths[last - row.first] / 2
        path = pen.line((begin, y - 16), (begin, y - 12), (end, y - 12), (end, y - 16))
        brackets.append(Bracket(first + 1, last + 1, path, form, *pen.place((begin + end) / 2, y)))
    return brackets, y


def _crossings(piece: Piece, row: Row, ports: Ports) -> list[float]:
    """Where arcs from words below a piece cross it."""
    left, right = piece.arc.ends
    return sorted(
        row.center(word) + port
        for word in row.words
        if left < word < right
        for other, port in ports[word].items()
        if not left <= other <= right
    )


def _place(places: Sequence[float], width: float) -> float:
    """The middle of what is widest between two places or, where a label has no room there, of it all."""
    left, right = max(pairwise(places), key=lambda pair: pair[1] - pair[0])
    return (left + right) / 2 if right - left >= width else (places[0] + places[-1]) / 2


def _to_json(shape: Text | Line | Bracket) -> dict[str, Any]:
    values = shape._asdict() | {"x": round(shape.x, 1), "y": round(shape.y, 1)}
    return {name: value for name, value in values.items() if value is not None}
