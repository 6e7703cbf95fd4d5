"""Tables, on the terminal and in Markdown, and how their cells are written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from store import Results

NOTHING = "–"


@dataclass(frozen=True)
class Table:
    """A table, its first column to the left and the others to the right, and notes under it."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    of: Results | None = field(default=None, compare=False)
    """The results that it was made of, to say at which commit."""

    @property
    def name(self) -> str:
        """By which a page asks for it."""
        return re.sub(r"[^\w]+", "-", self.title.lower()).strip("-")

    def lines(self, markdown: bool = False) -> list[str]:
        """The table and its notes."""
        cells = [[*map(str, row)] for row in (self.columns, *self.rows)]
        widths = [max(3, *map(len, column)) for column in zip(*cells, strict=True)]
        lines = []
        for number, row in enumerate(cells):
            padded = [
                cell.rjust(width) if place else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append(f"| {' | '.join(padded)} |" if markdown else "  ".join(padded).rstrip())
            if not number:
                rules = ["-" * width for width in widths]
                if markdown:
                    rules = [rules[0], *(f"{rule[:-1]}:" for rule in rules[1:])]
                lines.append(f"| {' | '.join(rules)} |" if markdown else "  ".join(rules))
        notes = [*self.notes, *filter(None, [self.of.measured() if self.of else ""])]
        if notes and markdown:
            return [*lines, "", " ".join(notes)]
        return [*lines, *(f"  {note}" for note in notes)]

    def print(self, markdown: bool) -> None:
        print(f"\n### {self.title}\n" if markdown else f"\n{self.title}\n")
        print("\n".join(self.lines(markdown)))


def mean(results: Results, *path: str, digits: int = 2, sign: str = "") -> str:
    """The mean and, of several seeds, the standard deviation."""
    value, deviation = results.mean(*path), results.deviation(*path)
    if value is None:
        return NOTHING
    middle = f"{value:{sign}.{digits}f}"
    return middle if deviation is None else f"{middle} ± {deviation:.{digits}f}"


def number(value: float | None, digits: int = 0, sign: str = "") -> str:
    return NOTHING if value is None else f"{value:{sign},.{digits}f}"


def count(results: Results, *path: str) -> str:
    """The mean as a whole number."""
    return number(results.mean(*path))


def seconds(results: Results, *path: str) -> str:
    value = results.mean(*path)
    return NOTHING if value is None else f"{value:,.0f} s"


def mebibytes(size: float | None) -> str:
    """A number of bytes, in MiB."""
    return NOTHING if size is None else f"{size / 2**20:,.1f}"
