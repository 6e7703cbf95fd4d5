"""Trees as text: a word a line, and its arcs beside it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from arcwise._terminal import visible
from arcwise.sentence import NO_VALUE, Sentence, Token

COLUMNS = ("id", "form", "lemma", "upos")
"""What `draw_all` shows of a word, besides its arcs and its label."""
WIDEST = 24
"""Cells that `draw_all` gives to a column; longer values are cut."""
UNSURE = "?"
"""What stands beside a word whose arc is marked as improbable."""

_LOW_CONFIDENCE = "LowConfidence=Yes"
_NARROW = (WIDEST, 16, 8)  # cells that columns are cut to, one after the other, where lines are too wide
_FIRST_TO_GO = ("misc", "feats", "xpos", "lemma", "upos", "id")
_LONGEST_LABEL = 40  # where labels are aligned
_SURE = 0.9  # what is less probable has a colour
_STYLES = {"id": "dim", "form": "bold", "upos": "green", "xpos": "green", "arcs": "cyan", "deprel": "yellow"}
_LEFT, _RIGHT, _UP, _DOWN = 1, 2, 4, 8
_LINES = {
    0: " ",
    _LEFT | _RIGHT: "─",
    _UP | _DOWN: "│",
    _LEFT | _DOWN: "┐",
    _LEFT | _UP: "┘",
    _LEFT | _UP | _DOWN: "┤",
    _LEFT | _RIGHT | _DOWN: "┬",
    _LEFT | _RIGHT | _UP: "┴",
    _LEFT | _RIGHT | _UP | _DOWN: "┼",
}
_NOT_LEFT_TO_RIGHT = frozenset(["R", "AL", "AN", "RLE", "RLO", "RLI", "LRO"])


def draw(
    sentence: Sentence,
    *,
    columns: Sequence[str] = ("form",),
    color: bool = False,
    widest: int | None = None,
    width: int | None = None,
) -> str:
    r"""Draws a sentence's tree: an arrow leads into each word from its head, whose label it gets.

    >>> from arcwise import Treebank
    >>> treebank = Treebank.from_words([["The", "big", "dog", "barks"]])
    >>> tree = treebank.with_trees([3, 3, 4, 0], [0, 3, 1, 2], ["det", "nsubj", "root", "amod"])
    >>> print(draw(tree[0]))
    The   <┐   det
    big   <┤   amod
    dog   ─┴<┐ nsubj
    barks ───┘ root

    The words before their head share a line, and so do those after it. Where lines cross (┼), the tree is not
    projective. Words without a known head have no arrow. If the sentence has probabilities, that of each head
    with its label stands after it, and a `?` where `Treebank.with_min_confidence` has marked it.

    Args:
        sentence: The sentence.
        columns: What stands before the arcs: `id`, `form`, `lemma`, `upos`, `xpos`, `feats`, `misc`.
        color: Add the escape sequences that terminals show as colours.
        widest: Cut values of columns that take more cells than this.
        width: Leave columns out or cut them so that no line takes more cells than this, if that can be.
    """
    words = list(sentence)
    tree = {"arcs": arcs_beside(words), "deprel": labels_of(words)}
    unsure = unsure_words(sentence)
    if any(unsure) or any(word.deprel_prob is not None for word in words):
        tree["deprel"] = aligned(tree["deprel"], _LONGEST_LABEL)
        tree["prob"] = [_probability(word, mark) for word, mark in zip(words, unsure, strict=True)]

    written = {token.ids[0]: token.form for token in sentence.multiword_tokens}

    def value(word: Token, name: str) -> str:
        own = str(getattr(word, name))
        # The words of a multiword token stand under it: do (don't), n't.
        return f"{own} ({written[word.id]})" if name == "form" and word.id in written else own

    def cells(columns: Sequence[str], widest: int | None) -> dict[str, list[str]]:
        values = {name: aligned([value(word, name) for word in words], widest) for name in columns}
        return {**values, **tree}

    found = cells(columns, widest)
    if width is not None and row_width(found) > width:
        found = _narrowed(cells, columns, widest, width)
    if color:
        looks = dict.fromkeys(found, [""] * len(words)) | {
            name: [style] * len(words) for name, style in _STYLES.items()
        }
        looks["prob"] = [_look(word.deprel_prob, mark) for word, mark in zip(words, unsure, strict=True)]
        found = {name: list(map(painted, values, looks[name])) for name, values in found.items()}
    return lines_of(found)


def draw_all(sentences: Iterable[Sentence], *, color: bool = False, width: int | None = None) -> str:
    """Draws sentences one below the other, each under its id and its text, with a blank line after it."""
    return "".join(draw_titled(sentence, color=color, width=width) for sentence in sentences)


def draw_titled(sentence: Sentence, *notes: str, color: bool = False, width: int | None = None) -> str:
    """Draws a sentence under its id, its text and any lines of notes, as `draw_all` does."""
    drawn = draw(sentence, columns=COLUMNS, color=color, widest=WIDEST, width=width)
    return "\n".join([title(sentence), *notes, drawn]) + "\n\n"


def _narrowed(
    cells: Callable[[Sequence[str], int | None], dict[str, list[str]]],
    columns: Sequence[str],
    widest: int | None,
    width: int,
) -> dict[str, list[str]]:
    """Cells that fit: columns go one after the other, and then what is left is cut."""
    found = cells(columns, widest)
    for name in (name for name in _FIRST_TO_GO if name in columns):
        if row_width(found) <= width:
            return found
        columns = [column for column in columns if column != name]
        found = cells(columns, widest)
    for narrow in _NARROW:
        if row_width(found) > width and (widest is None or narrow < widest):
            found = cells(columns, narrow)
    return found


def unsure_words(sentence: Sentence) -> list[bool]:
    """Which words `Treebank.with_min_confidence` has marked, here or in the file that was read."""
    # The mark is put into MISC when a sentence is written.
    if _LOW_CONFIDENCE not in sentence.to_string("conllu"):
        return [False] * len(sentence)
    return [_LOW_CONFIDENCE in row[-1].split("|") for row in sentence.rows if row[0].isdecimal()]


def _probability(word: Token, unsure: bool) -> str:
    prob = "" if word.deprel_prob is None else f"{word.deprel_prob:.2f}"
    return f"{prob} {UNSURE}" if unsure else prob


def _look(prob: float | None, unsure: bool) -> str:
    return "bold red" if unsure else "dim" if prob is None or prob >= _SURE else "yellow"


def arcs_beside(words: Sequence[Token]) -> list[str]:
    """The arrows of a tree, a row for each word."""
    return _arcs([-1 if word.head is None else word.head - 1 for word in words])


def labels_of(words: Iterable[Token]) -> list[str]:
    """Their labels."""
    return [visible(word.deprel or NO_VALUE) for word in words]


def lines_of(cells: Mapping[str, Sequence[str]]) -> str:
    """Rows of columns that are aligned."""
    return "\n".join(" ".join(filter(None, row)).rstrip(" ") for row in zip(*cells.values(), strict=True))


def row_width(cells: Mapping[str, Sequence[str]]) -> int:
    """How many cells of a terminal the widest row takes."""
    from rich.cells import cell_len

    return max(map(cell_len, lines_of(cells).split("\n")), default=0)


def title(sentence: Sentence) -> str:
    """What stands above a drawing."""
    text = _isolated(visible(sentence.text))
    return f"# {text}" if sentence.id is None else f"# {visible(sentence.id)}: {text}"


def aligned(values: Sequence[str], widest: int | None = None) -> list[str]:
    """The values with spaces after them so that all take as many cells on a terminal."""
    from rich.cells import cell_len, set_cell_size

    values = [visible(value) for value in values]
    width = max(map(cell_len, values), default=0)
    if widest is not None and width > widest:
        values = [
            value if cell_len(value) <= widest else set_cell_size(value, widest - 1) + "…" for value in values
        ]
        width = widest
    return [_isolated(value) + " " * (width - cell_len(value)) for value in values]


def _isolated(text: str) -> str:
    """The text, if written from right to left, such that it does not reorder what stands beside it."""
    if text.isascii() or _NOT_LEFT_TO_RIGHT.isdisjoint(map(unicodedata.bidirectional, text)):
        return text
    return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"


def painted(text: str, style: str) -> str:
    """The text with the escape sequences of a style."""
    from rich.color import ColorSystem
    from rich.style import Style

    return Style.parse(style or "none").render(text, color_system=ColorSystem.STANDARD)


def _arcs(heads: Sequence[int]) -> list[str]:
    """What is drawn beside each word; heads count from 0, -1 is none."""
    lines = _lines(heads)
    width = 1 + max((line.column for line in lines.values()), default=-1)
    verticals = [[0] * width for _ in heads]
    for line in lines.values():
        for row in range(line.first, line.last):
            verticals[row][line.column] |= _DOWN
            verticals[row + 1][line.column] |= _UP
    arrows = [lines[head, word > head].column if head >= 0 else -1 for word, head in enumerate(heads)]
    reach = arrows.copy()
    for (head, _), line in lines.items():
        reach[head] = max(reach[head], line.column)
    drawn = []
    for row, cells in enumerate(verticals):
        parts = []
        for column, vertical in enumerate(cells):
            across = (_LEFT if column <= reach[row] else 0) | (_RIGHT if column < reach[row] else 0)
            parts.append("<" if column == arrows[row] else "─" if across else " ")
            parts.append(_LINES[vertical | across])
        drawn.append("".join(parts))
    return drawn


class _Line(NamedTuple):
    """A vertical line in a column, from its first row to its last."""

    column: int
    first: int
    last: int


def _lines(heads: Sequence[int]) -> dict[tuple[int, bool], _Line]:
    """The line from each head to the words before it, and to those after it: inside are those of its words.

    No two lines of a column touch the same row, so that a projective tree is drawn without a crossing.
    """
    heights = _heights(heads)
    furthest: dict[tuple[int, bool], int] = {}
    for word, head in enumerate(heads):
        side = head, word > head
        if head >= 0 and (word > head or side not in furthest):
            furthest[side] = word
    taken: list[bytearray] = []
    lines = {}
    for side in sorted(furthest, key=lambda side: (heights[side[0]], abs(furthest[side] - side[0]))):
        first, last = sorted((side[0], furthest[side]))
        column = next((c for c, used in enumerate(taken) if used.find(1, first, last + 1) < 0), len(taken))
        if column == len(taken):
            taken.append(bytearray(len(heads)))
        taken[column][first : last + 1] = b"\1" * (last + 1 - first)
        lines[side] = _Line(column, first, last)
    return lines


def _heights(heads: Sequence[int]) -> list[int]:
    """How many arcs lead down from each word to the lowest word below it; of words in cycles, 0."""
    heights = [0] * len(heads)
    children = [0] * len(heads)
    for head in heads:
        if head >= 0:
            children[head] += 1
    done = [word for word, count in enumerate(children) if count == 0]
    for word in done:
        head = heads[word]
        if head >= 0:
            heights[head] = max(heights[head], heights[word] + 1)
            children[head] -= 1
            if children[head] == 0:
                done.append(head)
    return heights
