"""A comparison as tables for people."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arcwise._terminal import counted, visible
from arcwise.evaluation.comparison import Comparison, Difference
from arcwise.evaluation.tables import new_table, print_table

_NAMES = {
    "uas": "UAS",
    "las": "LAS",
    "uas_no_punct": "UAS, no punctuation",
    "las_no_punct": "LAS, no punctuation",
    "label_accuracy": "label accuracy",
    "uem": "UEM",
    "lem": "LEM",
}
_SIGNIFICANT = 0.05
_SHOWN = 10
_KEY = (
    "diff.: A less B. p: how probable a difference as large is by chance, if A and B\n"
    "were alike (paired randomisation over sentences); in tables by kind, corrected\n"
    "for the number of rows (Holm). better: where p is below 0.05."
)


def render(comparison: Comparison, console: Console | None = None) -> None:
    """Prints `comparison` to `console` (standard output, unless another is given)."""
    console = console or Console()
    for letter, name in (("gold", comparison.gold), ("A", comparison.a), ("B", comparison.b)):
        console.print(Text(f"{letter:<5}{visible(name)}"))
    console.print()
    print_table(console, "Scores", _scores(comparison.scores))
    for title, heading, rows in (
        ("LAS by relation", "relation", comparison.by_relation),
        ("LAS by tag", "tag", comparison.by_upos),
        ("LAS by place of the head", "head", comparison.by_arc),
        ("LAS by sentence length", "length", comparison.by_length),
    ):
        shown = _most_telling(rows)
        of_all = f" ({_SHOWN} of {len(rows)}: --json has all)" if len(shown) < len(rows) else ""
        print_table(console, title + of_all, _rows(heading, shown))
    print_table(
        console, "LAS lost, by class of error", _rows("class", comparison.by_class, less_is_better=True)
    )
    console.print(
        f"Wholly right in A alone: {counted(len(comparison.only_a), 'sentence')}; in B alone: "
        f"{counted(len(comparison.only_b), 'sentence')}.",
        highlight=False,
    )
    console.print()
    console.print(_KEY, highlight=False)


def _scores(rows: Mapping[str, Difference]) -> Table:
    table = new_table("score", ("A", "B", "diff.", "95 % interval", "p", "better"))
    for name, row in rows.items():
        span = "" if row.interval is None else f"{row.interval[0]:+.2f} to {row.interval[1]:+.2f}"
        cells = (f"{row.a:.2f}", f"{row.b:.2f}", f"{row.difference:+.2f}", span, in_figures(row.p))
        table.add_row(_NAMES[name], *cells, _better(row))
    return table


def _rows(heading: str, rows: Mapping[str, Difference], *, less_is_better: bool = False) -> Table:
    table = new_table(heading, ("words", "A", "B", "diff.", "p", "better"))
    for name, row in rows.items():
        cells = (str(row.count), f"{row.a:.2f}", f"{row.b:.2f}", f"{row.difference:+.2f}", in_figures(row.p))
        table.add_row(Text(visible(name)), *cells, _better(row, less_is_better=less_is_better))
    return table


def _better(row: Difference, *, less_is_better: bool = False) -> str:
    if row.p >= _SIGNIFICANT:
        return ""
    return "A" if (row.difference > 0) != less_is_better else "B"


def _most_telling(rows: Mapping[str, Difference]) -> dict[str, Difference]:
    """Those in which most words are right in one and wrong in the other, in the order that they have."""
    if len(rows) <= _SHOWN:
        return dict(rows)
    ordered = sorted(rows, key=lambda name: -abs(rows[name].difference) * rows[name].count)[:_SHOWN]
    return {name: row for name, row in rows.items() if name in ordered}


def in_figures(p: float) -> str:
    """As people write it: 0.034, or <0.001."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"
