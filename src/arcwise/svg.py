"""Trees as pictures in SVG: words in a row, arcs above them.

Lines and letters have the colour of the text around the picture, on a light page as on a dark one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple, TypeAlias
from xml.sax.saxutils import escape

import numpy as np

from arcwise import _core
from arcwise._terminal import visible
from arcwise.sentence import NO_VALUE, Sentence

Direction: TypeAlias = Literal["ltr", "rtl"]

MOST_SENTENCES = 20
"""That `html` shows."""

# In pixels: the letters of words and of all else, and the room that things take.
_WORD, _SMALL = 16, 11
_MARGIN, _GAP, _PORT, _LEVEL, _CORNER, _ARROW = 12, 16, 9, 22, 7, 7
_ROW = _SMALL + 5

# What a character takes of the size of its letters in common fonts: no font is looked at.
_WIDTHS = {
    **dict.fromkeys("ijlI.,:;'|!()[]{}/\\", 0.32),
    **dict.fromkeys('ftr-"* ', 0.4),
    **dict.fromkeys("mwMW@%—…", 0.9),
}
_UPPER_CASE, _WIDE, _OTHER = 0.7, 1.1, 0.58


class _Arc(NamedTuple):
    """From a head, or ROOT (-1), to a word, both counted from 0."""

    head: int
    word: int
    label: str

    @property
    def ends(self) -> tuple[int, int]:
        return min(self.head, self.word), max(self.head, self.word)


def svg(sentence: Sentence, *, columns: Sequence[str] = ("upos",), direction: Direction | None = None) -> str:
    """Draws a sentence's tree: an arrow leads from each head to its words, with the label above it.

    Args:
        sentence: The sentence.
        columns: What stands below the words: `lemma`, `upos`, `xpos`, `feats`, ….
        direction: Which way the words run; by default from right to left (`rtl`) if most letters do.
    """
    words = list(sentence)
    rows = [[visible(str(getattr(word, name))) for word in words] for name in ("form", *columns)]
    arcs = [
        _Arc(word.head - 1, index, visible(word.deprel or NO_VALUE))
        for index, word in enumerate(words)
        if word.head is not None and word.head != index + 1
    ]
    layout = _lay_out(rows, arcs, projective=_is_projective(sentence))
    canvas = _Canvas(layout.width, mirrored=(direction or _direction(rows[0])) == "rtl")
    _draw_arcs(canvas, layout)
    tokens = [(token.ids, visible(token.form)) for token in sentence.multiword_tokens]
    bottom = _draw_words(canvas, layout, rows, tokens)
    return canvas.to_svg(bottom + _MARGIN, visible(sentence.text))


def html(sentences: Sequence[Sentence]) -> str:
    """The pictures of the first sentences, one below the other; long ones can be scrolled."""
    shown = sentences[:MOST_SENTENCES]
    parts = []
    for sentence in shown:
        direction = _direction(token.form for token in sentence)
        parts.append(
            f'<div dir="{direction}" style="overflow-x:auto">{svg(sentence, direction=direction)}</div>'
        )
    if len(shown) < len(sentences):
        parts.append(f"<p>The first {len(shown)} of {len(sentences)} sentences.</p>")
    return "\n".join(parts)


def _is_projective(sentence: Sentence) -> bool:
    try:
        return _core.is_projective(np.ascontiguousarray(sentence.heads))
    except ValueError:  # heads that were not checked may go round in circles
        return False


class _Layout(NamedTuple):
    """Where things lie."""

    arcs: list[_Arc]
    levels: list[int]  #: How high each of them is.
    roots: list[_Arc]
    ports: list[dict[int, float]]
    widths: list[float]
    centers: list[float]
    projective: bool

    @property
    def width(self) -> float:
        return self.centers[-1] + self.widths[-1] / 2 + _MARGIN

    @property
    def top(self) -> int:
        return max(self.levels, default=0) + bool(self.roots)

    @property
    def floor(self) -> float:
        """Where arcs end and words begin."""
        return _MARGIN + _SMALL + self.top * _LEVEL


def _lay_out(rows: Sequence[Sequence[str]], arcs: Sequence[_Arc], *, projective: bool) -> _Layout:
    words = len(rows[0])
    roots = [arc for arc in arcs if arc.head < 0]
    # Short arcs first: they are the inner ones.
    inner = sorted((arc for arc in arcs if arc.head >= 0), key=lambda arc: arc.ends[1] - arc.ends[0])
    ports = _ports(arcs, words)
    widths = _widths(rows, roots, ports)
    centers = _centers(widths, inner, ports)
    return _Layout(inner, _levels(inner, words), roots, ports, widths, centers, projective)


def _draw_arcs(canvas: _Canvas, layout: _Layout) -> None:
    ports, centers, floor = layout.ports, layout.centers, layout.floor
    for arc, level in zip(layout.arcs, layout.levels, strict=True):
        left, right = arc.ends
        begin, end = centers[left] + ports[left][right], centers[right] + ports[right][left]
        ceiling = floor - level * _LEVEL
        canvas.arc(begin, end, floor, ceiling)
        canvas.arrow(begin if arc.word == left else end, floor)
        crossings = [] if layout.projective else _crossings(left, right, centers, ports)
        x = _place([begin, *crossings, end], text_width(arc.label, _SMALL))
        canvas.label(x, ceiling - 4, arc.label)
    for arc in layout.roots:
        x, ceiling = centers[arc.word] + ports[arc.word][arc.head], floor - layout.top * _LEVEL
        canvas.line([(x, ceiling), (x, floor)])
        canvas.arrow(x, floor)
        canvas.label(x, ceiling - 4, arc.label)


def _draw_words(
    canvas: _Canvas,
    layout: _Layout,
    rows: Sequence[Sequence[str]],
    tokens: Sequence[tuple[tuple[int, int], str]],
) -> float:
    """Draws words, what stands below them, and brackets of multiword tokens; returns the last baseline."""
    forms, *others = rows
    y = layout.floor + _WORD + 2
    for center, form in zip(layout.centers, forms, strict=True):
        canvas.word(center, y, form)
    for row in others:
        y += _ROW
        for center, text in zip(layout.centers, row, strict=True):
            canvas.label(center, y, text)
    if tokens:
        y += _ROW + 4
    for (first, last), form in tokens:
        begin = layout.centers[first - 1] - layout.widths[first - 1] / 2
        end = layout.centers[last - 1] + layout.widths[last - 1] / 2
        canvas.line([(begin, y - 16), (begin, y - 12), (end, y - 12), (end, y - 16)])
        canvas.label((begin + end) / 2, y, form)
    return y


def _levels(arcs: Iterable[_Arc], words: int) -> list[int]:
    """How high each arc lies: above all those, given before it, that it overlaps."""
    heights = [0] * (words - 1)  # between each word and the next
    levels = []
    for arc in arcs:
        left, right = arc.ends
        levels.append(1 + max(heights[left:right]))
        heights[left:right] = levels[-1:] * (right - left)
    return levels


def _ports(arcs: Iterable[_Arc], words: int) -> list[dict[int, float]]:
    """How far from its middle a word's arcs meet it, by their other ends: the longer, the nearer."""
    others: list[set[int]] = [set() for _ in range(words)]
    for arc in arcs:
        others[arc.word].add(arc.head)
        if arc.head >= 0:
            others[arc.head].add(arc.word)

    def place(word: int, other: int) -> tuple[int, int]:
        return (0, 0) if other < 0 else (-1, word - other) if other < word else (1, word - other)

    ports = []
    for word, ends in enumerate(others):
        ordered = sorted(ends, key=lambda other: place(word, other))
        middle = (len(ordered) - 1) / 2
        ports.append({other: _PORT * (index - middle) for index, other in enumerate(ordered)})
    return ports


def _widths(
    rows: Sequence[Sequence[str]], roots: Iterable[_Arc], ports: Sequence[dict[int, float]]
) -> list[float]:
    """The room that each word takes, with what stands above and below it."""
    forms, *others = rows
    widths = [max(text_width(form, _WORD), _PORT * len(ports[word])) for word, form in enumerate(forms)]
    for word, text in (pair for row in others for pair in enumerate(row)):
        widths[word] = max(widths[word], text_width(text, _SMALL))
    for root in roots:
        aside = abs(ports[root.word][root.head])
        widths[root.word] = max(widths[root.word], text_width(root.label, _SMALL) + 2 * aside)
    return widths


def _centers(widths: Sequence[float], arcs: Iterable[_Arc], ports: Sequence[dict[int, float]]) -> list[float]:
    """The middles of the words, as far apart as words and the labels of arcs need."""
    steps = [_GAP + (left + right) / 2 for left, right in pairwise(widths)]
    for arc in arcs:
        left, right = arc.ends
        room = sum(steps[left:right]) + ports[right][left] - ports[left][right]
        lacking = text_width(arc.label, _SMALL) + 1.5 * _CORNER - room
        if lacking > 0:
            steps[left:right] = [step + lacking / (right - left) for step in steps[left:right]]
    return list(accumulate(steps, initial=_MARGIN + widths[0] / 2))


def _crossings(
    left: int, right: int, centers: Sequence[float], ports: Sequence[dict[int, float]]
) -> list[float]:
    """Where arcs from words between the two cross the arc that joins them."""
    return sorted(
        centers[word] + port
        for word in range(left + 1, right)
        for other, port in ports[word].items()
        if not left <= other <= right
    )


def _place(places: Sequence[float], width: float) -> float:
    """The middle of what is widest between two places or, where a label has no room there, of it all."""
    left, right = max(pairwise(places), key=lambda pair: pair[1] - pair[0])
    return (left + right) / 2 if right - left >= width else (places[0] + places[-1]) / 2


def text_width(text: str, size: float) -> float:
    """How wide a text is, more or less."""
    return size * sum(map(_character_width, text))


def _character_width(character: str) -> float:
    if character in _WIDTHS:
        return _WIDTHS[character]
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE
    return _UPPER_CASE if character.isupper() else _OTHER


def _direction(texts: Iterable[str]) -> Direction:
    kinds = [unicodedata.bidirectional(character) for text in texts for character in text]
    return "rtl" if sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L") else "ltr"


class _Canvas:
    """The shapes of a picture, turned around left and right if it is mirrored."""

    def __init__(self, width: float, *, mirrored: bool) -> None:
        self._width = width
        self._mirrored = mirrored
        self._lines: list[str] = []
        self._arrows: list[str] = []
        self._words: list[str] = []
        self._labels: list[str] = []

    def line(self, points: Sequence[tuple[float, float]]) -> None:
        self._lines.append("M" + "L".join(self._point(x, y) for x, y in points))

    def arc(self, begin: float, end: float, floor: float, ceiling: float) -> None:
        corner = min(_CORNER, (end - begin) / 2)
        point = self._point
        self._lines.append(
            f"M{point(begin, floor)}L{point(begin, ceiling + corner)}"
            f"Q{point(begin, ceiling)} {point(begin + corner, ceiling)}"
            f"L{point(end - corner, ceiling)}Q{point(end, ceiling)} {point(end, ceiling + corner)}"
            f"L{point(end, floor)}"
        )

    def arrow(self, x: float, y: float) -> None:
        sides = (self._point(x + side, y - _ARROW) for side in (-_ARROW / 2, _ARROW / 2))
        self._arrows.append(f"M{self._point(x, y)}L{'L'.join(sides)}Z")

    def word(self, x: float, y: float, text: str) -> None:
        self._words.append(self._text(x, y, text))

    def label(self, x: float, y: float, text: str) -> None:
        self._labels.append(self._text(x, y, text))

    def _text(self, x: float, y: float, text: str) -> str:
        return f'<text x="{_number(self._x(x))}" y="{_number(y)}">{escape(text)}</text>'

    def _x(self, x: float) -> float:
        return self._width - x if self._mirrored else x

    def _point(self, x: float, y: float) -> str:
        return f"{_number(self._x(x))},{_number(y)}"

    def to_svg(self, height: float, title: str) -> str:
        width, tall = _number(self._width), _number(height)
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{tall}" '
                f'viewBox="0 0 {width} {tall}" style="max-width:none" role="img" direction="ltr" '
                'font-family="system-ui, sans-serif" text-anchor="middle" fill="currentColor">',
                f"<title>{escape(title)}</title>",
                f'<path fill="none" stroke="currentColor" opacity="0.6" d="{"".join(self._lines)}"/>',
                f'<path d="{"".join(self._arrows)}"/>',
                f'<g font-size="{_WORD}">',
                *self._words,
                f'</g>\n<g font-size="{_SMALL}">',
                *self._labels,
                "</g>\n</svg>",
            ]
        )


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
