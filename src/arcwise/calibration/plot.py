"""The reliability diagram: accuracy against confidence, and how many items there are of each confidence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arcwise.calibration.bins import Reliability
from arcwise.calibration.report import CalibrationReport
from arcwise.errors import ArcwiseError

_BEFORE, _AFTER = "#c2571a", "#1f6f8b"
_LEAST_SHOWN = 10  # the accuracy of fewer is chance


def demand_matplotlib() -> None:
    """Refuses before any work is done for a picture that could not be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ArcwiseError(
            "Drawing needs matplotlib: install it with pip install 'arcwise[plot]', or leave the picture out."
        ) from error


def draw(report: CalibrationReport, path: str) -> None:
    """Draws moves, heads, and heads with labels side by side, in the format of the file's name."""
    demand_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = list(report.before)
    figure = Figure(figsize=(4.2 * len(names), 5.6), layout="constrained", dpi=120)
    canvas = FigureCanvasAgg(figure)
    formats = canvas.get_supported_filetypes()
    if Path(path).suffix[1:].lower() not in formats:
        raise ArcwiseError(f"{path} cannot be drawn: end its name in .png, .svg or .pdf.")
    axes = figure.subplots(2, len(names), sharex=True, squeeze=False, height_ratios=[3, 1])
    for column, name in enumerate(names):
        of = {"model's own": (report.before[name], _BEFORE)}
        if report.after is not None:
            of["calibrated"] = (report.after[name], _AFTER)
        _draw_accuracy(axes[0][column], name, of, first=column == 0)
        _draw_counts(axes[1][column], of, first=column == 0)
    figure.savefig(path)


def _draw_accuracy(axis: Any, name: str, of: dict[str, tuple[Reliability, str]], first: bool) -> None:
    axis.plot([0, 1], [0, 1], color="0.7", linewidth=1, linestyle="--", zorder=1)
    for label, (found, color) in of.items():
        bins = [bin for bin in found.bins if bin.count >= _LEAST_SHOWN]
        said = [bin.confidence or 0.0 for bin in bins]
        right = [bin.accuracy or 0.0 for bin in bins]
        # Twice the standard error of an accuracy, so that no one reads more into a point than is there.
        spread = [2 * (r * (1 - r) / bin.count) ** 0.5 for r, bin in zip(right, bins, strict=True)]
        text = f"{label}: ECE {100 * found.ece:.2f} %"
        axis.errorbar(
            said, right, yerr=spread, color=color, marker="o", markersize=4.5, linewidth=1.5, elinewidth=0.8,
            capsize=2, label=text, zorder=2,
        )  # fmt: skip
    axis.set(title=f"{name} ({next(iter(of.values()))[0].count:,})", xlim=(0, 1), ylim=(0, 1.02))
    axis.grid(color="0.92")
    axis.set_axisbelow(True)
    axis.legend(loc="upper left", frameon=False, fontsize=9)
    if first:
        axis.set_ylabel("accuracy")


def _draw_counts(axis: Any, of: dict[str, tuple[Reliability, str]], first: bool) -> None:
    for number, (found, color) in enumerate(of.values()):
        width = (found.bins[0].high - found.bins[0].low) * 0.85 / len(of)
        left = [(bin.low + bin.high) / 2 + (number - len(of) / 2) * width for bin in found.bins]
        axis.bar(left, [bin.count for bin in found.bins], width, align="edge", color=color)
    axis.set_yscale("log")
    axis.set_ylim(bottom=0.8)
    axis.set_xticks([i / 5 for i in range(6)])
    axis.grid(axis="y", color="0.92")
    axis.set_axisbelow(True)
    axis.set_xlabel("probability")
    if first:
        axis.set_ylabel("count")
