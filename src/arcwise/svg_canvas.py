"""The lines of a picture as SVG has them, and how much room letters take."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, TypeAlias

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


class Pen:
    """Draws lines in a row of a picture, turned around left and right if it is mirrored."""

    def __init__(self, width: float, *, mirrored: bool) -> None:
        self._width = width
        self._mirrored = mirrored
        #: How far down the row lies that is being drawn.
        self.top = 0.0

    def line(self, *points: tuple[float, float]) -> str:
        return _short("M" + "L".join(self._point(x, y) for x, y in points))

    def arc(
        self,
        begin: float,
        end: float,
        floor: float,
        ceiling: float,
        *,
        from_edge: bool = False,
        to_edge: bool = False,
    ) -> str:
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
        return _short(up + down)

    def arrow(self, x: float, y: float) -> str:
        sides = (self._point(x + side, y - ARROW) for side in (-ARROW / 2, ARROW / 2))
        return _short(f"M{self._point(x, y)}L{'L'.join(sides)}Z")

    def place(self, x: float, y: float) -> tuple[float, float]:
        return self._width - x if self._mirrored else x, self.top + y

    def _point(self, x: float, y: float) -> str:
        x, y = self.place(x, y)
        return f"{x:.1f},{y:.1f}"


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


def _short(path: str) -> str:
    """Numbers of a path have one digit after the point, and none where it would be 0."""
    return path.replace(".0", "")


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
