"""Confusions as pictures: a square for each pair of names, the darker the more errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arcwise._terminal import visible
from arcwise.calibration.plot import demand_matplotlib
from arcwise.errors import ArcwiseError
from arcwise.evaluation.confusions import Confusion

_MOST_NAMES = 25


def draw(confusions: Sequence[Confusion], path: str) -> None:
    """Draws the names that are most confused, side by side, in the format of the file's name."""
    demand_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = [confusion.most_confused(_MOST_NAMES) for confusion in confusions]
    sides = [2.5 + 0.34 * len(confusion.names) for confusion in shown]
    figure = Figure(figsize=(sum(sides), max(sides)), layout="constrained", dpi=120)
    canvas = FigureCanvasAgg(figure)
    if Path(path).suffix[1:].lower() not in canvas.get_supported_filetypes():
        raise ArcwiseError(f"{path} cannot be drawn: end its name in .png, .svg or .pdf.")
    axes = figure.subplots(1, len(shown), squeeze=False, width_ratios=sides)[0]
    for axis, confusion, whole in zip(axes, shown, confusions, strict=True):
        _draw(axis, confusion, whole)
    figure.savefig(path, bbox_inches="tight")


def _draw(axis: Any, shown: Confusion, whole: Confusion) -> None:
    # What a file names is text, and no formula.
    names = [visible(name).replace("$", r"\$") for name in shown.names]
    counts = shown.wrong
    if counts.size:
        # A few pairs have most errors: on a scale of roots the others are seen too.
        axis.imshow(counts**0.5, cmap="OrRd", vmin=0)
        dark = counts > counts.max() / 3
        for (row, column), count in zip(_places(len(names)), counts.ravel().tolist(), strict=True):
            if count:
                color = "white" if dark[row, column] else "black"
                axis.text(column, row, str(count), ha="center", va="center", fontsize=7, color=color)
    axis.set_xticks(range(len(names)), names, rotation=90)
    axis.set_yticks(range(len(names)), names)
    axis.set_xlabel("system")
    axis.set_ylabel("gold")
    of_all = f", the {len(names)} names most confused" if len(names) < len(whole.names) else ""
    axis.set_title(f"{whole.of}: {whole.errors:,} errors in {whole.words:,} words{of_all}", fontsize=10)


def _places(size: int) -> list[tuple[int, int]]:
    return [(row, column) for row in range(size) for column in range(size)]
