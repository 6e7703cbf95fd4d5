"""Trees as text: a word a line, and its arcs beside it."""

from __future__ import annotations

from arcwise.treebank import Sentence

_LEFT, _RIGHT, _UP, _DOWN = 1, 2, 4, 8
_LINES = {
    0: " ",
    _LEFT | _RIGHT: "─",
    _UP | _DOWN: "│",
    _LEFT | _DOWN: "┐",
    _LEFT | _UP: "┘",
    _LEFT | _RIGHT | _DOWN: "┬",
    _LEFT | _RIGHT | _UP: "┴",
    _LEFT | _RIGHT | _UP | _DOWN: "┼",
}


def draw(sentence: Sentence) -> str:
    r"""Draws a sentence's tree: an arrow leads into each word from its head, whose label it gets.

    >>> from arcwise import Treebank
    >>> treebank = Treebank.from_words([["The", "dog", "barks"]])
    >>> tree = treebank.with_trees([2, 3, 0], [0, 1, 2], ["det", "nsubj", "root"])
    >>> print(draw(tree[0]))
    The   <┐   det
    dog   ─┴<┐ nsubj
    barks ───┘ root

    Where lines cross (┼), the tree is not projective. Words without a known head have no arrow.
    """
    from rich.cells import cell_len

    words = list(sentence)
    heads = [-1 if word.head is None else word.head - 1 for word in words]
    width = max((cell_len(word.form) for word in words), default=0)
    lines = []
    for word, arcs in zip(words, _arcs(heads), strict=True):
        form = word.form + " " * (width - cell_len(word.form))
        lines.append(" ".join(part for part in (form, arcs, word.deprel or "_") if part))
    return "\n".join(lines)


def _arcs(heads: list[int]) -> list[str]:
    """The lines beside each word; heads count from 0, -1 is none."""
    columns = _columns(heads)
    lines = [[0] * (max(columns, default=-1) + 1) for _ in heads]
    reach = [-1] * len(heads)
    for word, column in enumerate(columns):
        if column < 0:
            continue
        first, last = sorted((word, heads[word]))
        for row in range(first, last):
            lines[row][column] |= _DOWN
            lines[row + 1][column] |= _UP
        for end in (first, last):
            reach[end] = max(reach[end], column)
    drawn = []
    for row, verticals in enumerate(lines):
        cells = []
        for column, vertical in enumerate(verticals):
            across = (_LEFT if column <= reach[row] else 0) | (_RIGHT if column < reach[row] else 0)
            before = "<" if column == columns[row] else "─" if across else " "
            cells.append(before + _LINES[vertical | across])
        drawn.append("".join(cells))
    return drawn


def _columns(heads: list[int]) -> list[int]:
    """Each word's column for the arc from its head, -1 if it has none: short arcs lie inside.

    No two arcs of a column touch the same row, so that a projective tree is drawn without a crossing.
    """
    columns = [-1] * len(heads)
    taken: list[list[bool]] = []
    attached = [word for word, head in enumerate(heads) if head >= 0]
    for word in sorted(attached, key=lambda word: abs(word - heads[word])):
        first, last = sorted((word, heads[word]))
        rows = slice(first, last + 1)
        column = next((c for c, used in enumerate(taken) if not any(used[rows])), len(taken))
        if column == len(taken):
            taken.append([False] * len(heads))
        taken[column][rows] = [True] * (last + 1 - first)
        columns[word] = column
    return columns
