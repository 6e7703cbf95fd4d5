"""Where the words and arcs of a picture lie: in one row or, if that would be too wide, in several.

An arc between words of two rows is cut at the rows' edges: each row that it comes to has a piece of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from arcwise.svg_canvas import CORNER, SMALL, WORD, Look, text_width

MARGIN, GAP, PORT, LEVEL, EDGE = 12, 16, 9, 22, 14
# What an empty row costs, and one that ends within a multiword token, where an arc that is cut costs 1.
_EMPTY, _UNBROKEN = 8, 1000
_TRIES = 4  # to break rows so that none is too wide
_BOLD = 1.12  # how much wider marked labels are


class Arc(NamedTuple):
    """From a head, or ROOT (-1), to a word, both counted from 0."""

    head: int
    word: int
    label: str
    look: Look = "plain"
    room: str = ""
    """What the label may get as well."""

    @property
    def ends(self) -> tuple[int, int]:
        return min(self.head, self.word), max(self.head, self.word)

    @property
    def label_width(self) -> float:
        is_plain = self.look == "plain" and not self.room
        return text_width(self.room + self.label, SMALL) * (1 if is_plain else _BOLD)


Ports = Sequence[dict[int, float]]
"""How far from its middle a word's arcs meet it, by their other ends."""


class Piece(NamedTuple):
    """The part of an arc in a row, between two of its places: edge, words, edge."""

    arc: Arc
    left: int
    right: int


class Row(NamedTuple):
    """A row of words. Its places are the left edge, the words, and the right edge."""

    first: int
    pieces: list[Piece]
    levels: list[int]  #: How high each of them is.
    roots: list[Arc]
    widths: list[float]
    centers: list[float]  #: Of all places.

    @property
    def words(self) -> range:
        return range(self.first, self.first + len(self.widths))

    @property
    def width(self) -> float:
        return self.centers[-1] + MARGIN

    @property
    def top(self) -> int:
        return max(self.levels, default=0) + bool(self.roots)

    @property
    def floor(self) -> float:
        """Where arcs end and words begin."""
        return MARGIN + SMALL + self.top * LEVEL

    def center(self, word: int) -> float:
        return self.centers[word - self.first + 1]

    def is_edge(self, place: int) -> bool:
        return place in (0, len(self.centers) - 1)


def lay_out(
    columns: Sequence[Sequence[str]], arcs: Sequence[Arc], width: float | None, unbroken: Collection[int]
) -> tuple[list[Row], Ports]:
    """The rows of a picture that is no wider than `width`, if that can be.

    Of `columns` the first has the words. No row ends before a word that is in `unbroken`.
    """
    words = len(columns[0])
    ports = _ports(arcs, words)
    roots = [arc for arc in arcs if arc.head < 0]
    widths = _widths(columns, roots, ports)
    # Short arcs first: they are the inner ones.
    inner = sorted((arc for arc in arcs if arc.head >= 0), key=lambda arc: arc.ends[1] - arc.ends[0])
    whole = _row(range(words), inner, roots, widths, ports)
    if width is None or whole.width <= width:
        return [whole], ports
    rows: list[Row] = []
    room = width
    for _ in range(_TRIES):
        ends = _breaks(whole, inner, room, unbroken)
        tried = [_row(range(*span), inner, roots, widths, ports) for span in pairwise([0, *ends])]
        widest = max(row.width for row in tried)
        if not rows or widest < max(row.width for row in rows):
            rows = tried
        if widest <= width:
            break
        # Labels of arcs that are cut took more room than they had in one row.
        room -= min(widest - width + 1, room / 4)
    return rows, ports


def _row(words: range, arcs: Sequence[Arc], roots: Sequence[Arc], widths: list[float], ports: Ports) -> Row:
    pieces = [
        Piece(arc, max(left - words.start + 1, 0), min(right - words.start + 1, len(words) + 1))
        for arc in arcs
        for left, right in [arc.ends]
        if left < words.stop and right >= words.start
    ]
    own = widths[words.start : words.stop]
    return Row(
        words.start,
        pieces,
        _levels(pieces, len(words)),
        [root for root in roots if root.word in words],
        own,
        _centers(own, pieces, ports),
    )


def _breaks(whole: Row, arcs: Sequence[Arc], width: float, unbroken: Collection[int]) -> list[int]:
    """Where rows end, so that few arcs are cut and rows are about as wide as they may be."""
    words = len(whole.widths)
    cut = [0] * (words + 1)  # how many arcs pass between each word and the one before it
    for arc in arcs:
        left, right = arc.ends
        cut[left + 1] += 1
        cut[right + 1] -= 1
    cut = list(accumulate(cut))
    room = width - 2 * (MARGIN + EDGE)
    # From the last word to the first: the least cost of the rows from here on, and where the first one ends.
    best: list[tuple[float, int]] = [(0.0, words)] * (words + 1)
    for start in reversed(range(words)):
        begin = whole.center(start) - whole.widths[start] / 2
        choices: list[tuple[float, int]] = []
        for end in range(start + 1, words + 1):
            taken = whole.center(end - 1) + whole.widths[end - 1] / 2 - begin
            if taken > room and choices:
                break
            empty = max(0.0, 1 - taken / room)
            broken = 0.0 if end == words else cut[end] + _UNBROKEN * (end in unbroken)
            choices.append((_EMPTY * empty**2 + broken + best[end][0], end))
        best[start] = min(choices)
    ends = [best[0][1]]
    while ends[-1] < words:
        ends.append(best[ends[-1]][1])
    return ends


def _levels(pieces: Sequence[Piece], words: int) -> list[int]:
    """How high each piece lies: above all those, given before it, that it overlaps."""
    heights = [0] * (words + 1)  # between each place and the next
    levels = []
    for _, left, right in pieces:
        levels.append(1 + max(heights[left:right]))
        heights[left:right] = levels[-1:] * (right - left)
    return levels


def _ports(arcs: Sequence[Arc], words: int) -> list[dict[int, float]]:
    """The longer an arc, the nearer it meets its words to their middles."""
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
        ports.append({other: PORT * (index - middle) for index, other in enumerate(ordered)})
    return ports


def _widths(columns: Sequence[Sequence[str]], roots: Sequence[Arc], ports: Ports) -> list[float]:
    """The room that each word takes, with what stands above and below it."""
    forms, *others = columns
    widths = [max(text_width(form, WORD), PORT * len(ports[word])) for word, form in enumerate(forms)]
    for word, text in (pair for row in others for pair in enumerate(row)):
        widths[word] = max(widths[word], text_width(text, SMALL))
    for root in roots:
        aside = abs(ports[root.word][root.head])
        widths[root.word] = max(widths[root.word], root.label_width + 2 * aside)
    return widths


def _centers(widths: Sequence[float], pieces: Sequence[Piece], ports: Ports) -> list[float]:
    """The middles of the places, as far apart as words and the labels of arcs need."""
    last = len(widths) + 1
    steps = [
        widths[0] / 2 + EDGE * any(piece.left == 0 for piece in pieces),
        *(GAP + (left + right) / 2 for left, right in pairwise(widths)),
        widths[-1] / 2 + EDGE * any(piece.right == last for piece in pieces),
    ]
    for arc, left, right in pieces:
        first, second = arc.ends
        room = sum(steps[left:right])
        room += (ports[second][first] if right < last else 0) - (ports[first][second] if left > 0 else 0)
        lacking = arc.label_width + 1.5 * CORNER - room
        if lacking > 0:
            steps[left:right] = [step + lacking / (right - left) for step in steps[left:right]]
    return list(accumulate(steps, initial=float(MARGIN)))
