"""Two trees of a sentence side by side, and what is wrong with one of them."""

from __future__ import annotations

from collections.abc import Sequence

from arcwise._terminal import visible
from arcwise.draw import WIDEST, aligned, arcs_beside, labels_of, lines_of, painted, row_width
from arcwise.sentence import Sentence

WRONG = "✗"
"""What stands beside a word whose head or label is wrong."""

_STYLES = {"id": "dim", "form": "bold", "arcs": "cyan", "deprel": "yellow"}


def draw_compared(
    gold: Sentence,
    system: Sentence,
    errors: Sequence[str | None],
    *,
    names: tuple[str, str] = ("gold", "system"),
    color: bool = False,
    width: int | None = None,
) -> str:
    r"""Draws two trees of a sentence side by side, and beside each word what is wrong with the second.

    >>> from arcwise import Treebank
    >>> words = Treebank.from_words([["See", "the", "man", "there"]])
    >>> gold = words.with_trees([0, 3, 1, 1], [0, 1, 2, 3], ["root", "det", "obj", "advmod"])
    >>> parsed = words.with_trees([0, 3, 1, 3], [0, 1, 2, 3], ["root", "det", "obj", "advmod"])
    >>> print(draw_compared(gold[0], parsed[0], [None, None, None, "modifier"]))
      word  gold          system
    1 See   ───┐ root     ─────┐ root
    2 the   <┐ │ det      <┐   │ det
    3 man   ─┴<┤ obj      ─┴─┬<┘ obj
    4 there ──<┘ advmod   ──<┘   advmod ✗ modifier

    Args:
        gold: The first tree.
        system: The second, of the same words.
        errors: What is wrong with each word; None: nothing.
        names: What the trees are called.
        color: Add the escape sequences that terminals show as colours.
        width: How many cells a line may take: where two trees take more, the second stands below the first.
    """
    words = {
        "id": aligned(["", *(str(word.id) for word in gold)]),
        "form": aligned(["word", *(word.form for word in gold)], WIDEST),
    }
    first, second = (_tree(tree, name) for tree, name in zip((gold, system), names, strict=True))
    marks = {"error": ["", *(f"{WRONG} {visible(error)}" if error else "" for error in errors)]}
    between = {"between": [" "] * len(marks["error"])}
    left = {f"gold {name}": cells for name, cells in first.items()}
    side_by_side = {**words, **left, **between, **second, **marks}
    shown = [side_by_side]
    if width is not None and row_width(side_by_side) > width:
        shown = [{**words, **first}, {**words, **second, **marks}]
    if color:
        wrong = [error is not None for error in (None, *errors)]
        shown = [
            {name: _painted(name, values, wrong if name in ("deprel", "error") and "error" in cells else None)
             for name, values in cells.items()}
            for cells in shown
        ]  # fmt: skip
    return "\n\n".join(map(lines_of, shown))


def _tree(sentence: Sentence, name: str) -> dict[str, list[str]]:
    words = list(sentence)
    heading = aligned([visible(name), *arcs_beside(words)])
    return {"arcs": heading, "deprel": aligned(["", *labels_of(words)], WIDEST)}


def _painted(name: str, values: Sequence[str], wrong: Sequence[bool] | None) -> list[str]:
    look = _STYLES.get(name.rpartition(" ")[2], "")
    return [
        painted(value, "bold" if row == 0 else "bold red" if wrong and wrong[row] else look)
        for row, value in enumerate(values)
    ]
