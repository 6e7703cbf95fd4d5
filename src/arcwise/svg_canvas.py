"""The shapes of a picture in SVG, and how much room letters take."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias
from xml.sax.saxutils import escape

Direction: TypeAlias = Literal["ltr", "rtl"]
Look: TypeAlias = Literal["plain", "unsure", "wrong"]

# In pixels: the letters of words and of all else, the corners of arcs, and their arrows.
WORD, SMALL, CORNER, ARROW = 16, 11, 7, 7

# What a character takes of the size of its letters in common fonts: no font is looked at.
_WIDTHS = {
    **dict.fromkeys("ijlI.,:;'|!()[]{}/\\", 0.32),
    **dict.fromkeys('ftr-"* ', 0.4),
    **dict.fromkeys("mwMW@%—…✗", 0.9),
}
_UPPER_CASE, _WIDE, _OTHER = 0.7, 1.1, 0.58
_SHORT = 32


class _Style(NamedTuple):
    color: str
    line: str


# Colours that can be told from black and from white, on either; what they say, dashes, width and the marks in
# labels say too.
_STYLES: dict[Look, _Style] = {
    "unsure": _Style("#b26a00", 'stroke-dasharray="5 3" stroke-width="1.5"'),
    "wrong": _Style("#d9303e", 'stroke-width="2.5"'),
}


class Canvas:
    """The shapes of a picture, turned around left and right if it is mirrored."""

    def __init__(self, width: float, *, mirrored: bool) -> None:
        self._width = width
        self._mirrored = mirrored
        #: How far down the row lies that is being drawn.
        self.top = 0.0
        self._lines: defaultdict[Look, list[str]] = defaultdict(list)
        self._arrows: defaultdict[Look, list[str]] = defaultdict(list)
        self._labels: defaultdict[Look, list[str]] = defaultdict(list)
        self._words: list[str] = []

    def line(self, points: Sequence[tuple[float, float]], look: Look = "plain") -> None:
        self._lines[look].append("M" + "L".join(self._point(x, y) for x, y in points))

    def arc(
        self,
        begin: float,
        end: float,
        floor: float,
        ceiling: float,
        look: Look = "plain",
        *,
        from_edge: bool = False,
        to_edge: bool = False,
    ) -> None:
        """From the floor up, along and down again; or in from the row before, or out to the next."""
        corner = min(CORNER, (end - begin) / 2)
        point = self._point
        up = (
            f"M{point(begin, ceiling)}"
            if from_edge
            else f"M{point(begin, floor)}L{point(begin, ceiling + corner)}"
            f"Q{point(begin, ceiling)} {point(begin + corner, ceiling)}"
        )
        down = (
            f"L{point(end, ceiling)}"
            if to_edge
            else f"L{point(end - corner, ceiling)}Q{point(end, ceiling)} {point(end, ceiling + corner)}"
            f"L{point(end, floor)}"
        )
        self._lines[look].append(up + down)

    def arrow(self, x: float, y: float, look: Look = "plain") -> None:
        sides = (self._point(x + side, y - ARROW) for side in (-ARROW / 2, ARROW / 2))
        self._arrows[look].append(f"M{self._point(x, y)}L{'L'.join(sides)}Z")

    def word(self, x: float, y: float, text: str) -> None:
        self._words.append(self._text(x, y, text))

    def label(self, x: float, y: float, text: str, look: Look = "plain") -> None:
        self._labels[look].append(self._text(x, y, text))

    def _text(self, x: float, y: float, text: str) -> str:
        return f'<text x="{number(self._x(x))}" y="{number(self.top + y)}">{escape(text)}</text>'

    def _x(self, x: float) -> float:
        return self._width - x if self._mirrored else x

    def _point(self, x: float, y: float) -> str:
        return f"{self._width - x if self._mirrored else x:.1f},{self.top + y:.1f}"

    def to_svg(self, height: float, title: str, description: str) -> str:
        width, tall, lines = number(self._width), number(height), _path(self._lines["plain"])
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{tall}" '
                f'viewBox="0 0 {width} {tall}" style="max-width:none" role="img" direction="ltr" '
                'font-family="system-ui, sans-serif" text-anchor="middle" fill="currentColor">',
                f"<title>{escape(title)}</title>",
                f"<desc>{escape(description)}</desc>",
                f'<path fill="none" stroke="currentColor" opacity="0.6" d="{lines}"/>',
                f'<path d="{_path(self._arrows["plain"])}"/>',
                f'<g font-size="{WORD}">',
                *self._words,
                f'</g>\n<g font-size="{SMALL}">',
                *self._labels["plain"],
                "</g>",
                *(part for look in _STYLES for part in self._in_color(look)),
                "</svg>",
            ]
        )

    def _in_color(self, look: Look) -> Iterable[str]:
        if not self._labels[look]:
            return ()
        color, line = _STYLES[look]
        return (
            f'<path fill="none" stroke="{color}" {line} d="{_path(self._lines[look])}"/>',
            f'<path fill="{color}" d="{_path(self._arrows[look])}"/>',
            f'<g font-size="{SMALL}" font-weight="bold" fill="{color}">',
            *self._labels[look],
            "</g>",
        )


def text_width(text: str, size: float) -> float:
    """How wide a text is, more or less."""
    return size * (_width_of_short(text) if len(text) < _SHORT else sum(map(_character_width, text)))


@lru_cache(8192)  # labels, tags and many words come again and again
def _width_of_short(text: str) -> float:
    return sum(map(_character_width, text))


def _character_width(character: str) -> float:
    if character in _WIDTHS:
        return _WIDTHS[character]
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE
    return _UPPER_CASE if character.isupper() else _OTHER


def direction_of(texts: Iterable[str]) -> Direction:
    """Which way most letters run."""
    kinds = [unicodedata.bidirectional(character) for text in texts for character in text]
    return "rtl" if sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L") else "ltr"


def _path(parts: Iterable[str]) -> str:
    """Numbers of a path have one digit after the point, and none where it would be 0."""
    return "".join(parts).replace(".0", "")


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
