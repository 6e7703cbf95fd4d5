"""A report on calibration as tables for people."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from arcwise.calibration.bins import Reliability
from arcwise.calibration.report import CalibrationReport
from arcwise.evaluation.tables import new_table, print_table

_TITLES = {
    "moves": "Moves (Goldberg 2013, Table 4)",
    "heads": "Heads",
    "heads and labels": "Heads and labels",
}
_COLUMNS = ("count", "right", "said")
_KEY = (
    "In percent. said: mean probability; ECE: expected calibration error over ten\n"
    "bins of equal width, or of equally many items (by mass); lowest: of all errors,\n"
    "those among the tenth of items with the lowest probabilities."
)


def render(report: CalibrationReport, console: Console | None = None) -> None:
    """Prints `report` to `console` (standard output, unless another is given)."""
    console = console or Console()
    for name, before in report.before.items():
        after = None if report.after is None else report.after[name]
        print_table(console, _TITLES[name], _bins(before, after, report.forced if name == "moves" else 0))
    print_table(console, "Calibration", _summary(report))
    console.print(_KEY, highlight=False)


def _bins(before: Reliability, after: Reliability | None, forced: int) -> Table:
    columns = [before] if after is None else [before, after]
    calibrated = () if after is None else tuple(f"calibrated {column}" for column in _COLUMNS)
    table = new_table("from", (*_COLUMNS, *calibrated))
    for number, bin in enumerate(before.bins):
        cells = []
        for column in columns:
            own = column.bins[number]
            cells += [str(own.count), _percent(own.accuracy), _percent(own.confidence)]
        table.add_row(f"{bin.low:.1f}", *cells)
    if forced:
        table.add_row("forced", *(len(columns) * [str(forced), _percent(1), _percent(1)]))
    return table


def _summary(report: CalibrationReport) -> Table:
    table = new_table("probabilities of", ("right", "ECE", "by mass", "Brier", "log loss", "lowest"))
    for name, before in report.before.items():
        table.add_row(name, *_scores(before))
        if report.after is not None:
            table.add_row(f"  {report.maps[name]}", *_scores(report.after[name]))
    return table


def _scores(of: Reliability) -> list[str]:
    return [
        _percent(of.accuracy),
        f"{100 * of.ece:.2f}",
        f"{100 * of.ece_equal_mass:.2f}",
        f"{of.brier:.4f}",
        f"{of.log_loss:.4f}",
        _percent(of.errors_in_lowest_tenth),
    ]


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"
