"""Calibration: how far probabilities can be trusted, on trees that nothing was fitted to.

    python benchmarks/calibration.py
    python benchmarks/calibration.py --only udt2_sv --preset default

Parsers are trained without dev. Each half of dev (every other sentence) is checked with what was fitted to
the other half, and test with what was fitted to all of dev.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from accuracy import SETTINGS, TRAINED
from arcwise.calibration import CalibrationReport, check
from arcwise.options import PRESETS
from arcwise.probabilities import ESTIMATORS
from frame import benchmark, epochs_option
from parsers import trained
from store import Results, Setting
from tables import Table, number
from treebanks import SCORED, load, treebank_names

TARGETS = ("moves", "heads", "heads and labels")
WHEN = ("before", "after")
KINDS = ("ece", "ece_equal_mass")

# Goldberg 2013, Table 4: how many moves were held for so probable, and what percentage of them was correct.
PAPER = {
    "udt2_sv": "2 50, 21 57, 100 61, 193 63, 578 62, 636 70, 747 75, 1.2k 80, 14k 96, 493 100",
    "udt2_ko": "0 0, 2 100, 29 55, 178 63, 464 55, 616 60, 739 65, 1.1k 72, 9k 96, 588 100",
}
LEAST_DRAWN = 10
"""Of moves, for a point in a picture."""
ADAGRAD = {"treebank": "", **TRAINED, **SETTINGS["adagrad/sample, k=0"], "epochs": 15}


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    train, dev, test = (load(data, setting["treebank"], part) for part in ("train", *SCORED))
    if "preset" not in setting:
        parser = trained(train, ADAGRAD, seed)
        return bins(check(parser, dev))
    parser = trained(train, setting, seed)
    halves = [dev.select(range(first, len(dev), 2)) for first in (0, 1)]
    reports: dict[tuple[str, str], list[CalibrationReport]] = {}
    for part, to, on in (("dev", *halves), ("dev", *halves[::-1]), ("test", dev, test)):
        calibrated = parser.calibrate(to)
        for how in ESTIMATORS:
            report = check(calibrated, on, probabilities=how)
            reports.setdefault((part, how), []).append(report)
    values: dict[str, Any] = {part: {} for part in SCORED}
    for (part, how), own in reports.items():
        values[part][how] = {target: errors(own, target) for target in TARGETS}
    return values


def errors(reports: list[CalibrationReport], target: str) -> dict[str, Any]:
    """Before and after calibration, in percent."""
    found: dict[str, Any] = {
        when: {
            kind: 100 * statistics.fmean(getattr(getattr(report, when)[target], kind) for report in reports)
            for kind in KINDS
        }
        for when in WHEN
    }
    assert reports[0].after is not None
    share = reports[0].after[target].errors_in_lowest_tenth
    found["lowest_tenth"] = None if share is None else 100 * share
    return found


def bins(report: CalibrationReport) -> dict[str, Any]:
    """How many moves were held for so probable, and what percentage of them was correct."""
    moves = report.before["moves"]
    found: dict[str, Any] = {
        f"{own.low:.1f}": {
            "count": own.count,
            "correct": None if own.accuracy is None else 100 * own.accuracy,
        }
        for own in moves.bins[1:]
    }
    found["1.0"] = {"count": report.forced, "correct": 100}
    return {"bins": found, **{kind: 100 * getattr(moves, kind) for kind in KINDS}}


def tables(results: Results) -> Iterator[Table]:
    for name, figures in PAPER.items():
        if own := results.of(treebank=name, preset=None):
            rows = [
                (
                    low,
                    number(own.mean("bins", low, "count")),
                    number(own.mean("bins", low, "correct")),
                    *figure.split(),
                )
                for low, figure in zip(own.names("bins"), figures.split(", "), strict=True)
            ]
            ece = " / ".join(f"{own.mean(kind):.2f}" for kind in KINDS)
            yield Table(
                f"Moves of AdaGrad on {name} dev beside Goldberg 2013, Table 4",
                ("from", "count", "correct %", "paper: count", "paper: correct %"),
                rows,
                (
                    f"Calibration error {ece} % over all choices. 1.0: moves without an alternative. The "
                    "paper's treebanks are version 1.0 (here: 2.0).",
                ),
                own,
            )
    networks = Results([r for r in results.records if "preset" in r["setting"]])
    for preset in networks.distinct("preset"):
        yield from network_tables(networks.of(preset=preset), preset)


def network_tables(results: Results, preset: str) -> Iterator[Table]:
    treebanks = [name for (name,), _ in results.by("treebank")]
    for part in SCORED:
        for how in ESTIMATORS:
            columns = [(target, when) for target in TARGETS for when in WHEN]

            def cells(of: Results, part: str = part, how: str = how, columns: Any = columns) -> list[str]:
                return [
                    " / ".join(number(of.mean(part, how, target, when, kind), 2) for kind in KINDS)
                    for target, when in columns
                ]

            yield Table(
                f"Calibration error on {part}, probabilities from {how}, network {preset}",
                ("treebank", *(f"{target}, {when}" for target, when in columns)),
                [
                    *((name, *cells(results.of(treebank=name))) for name in treebanks),
                    ("mean", *cells(results)),
                ],
                ("Expected calibration error in percent: ten bins of equal width / of equal mass.",),
                results,
            )
    asked = [(target, how) for how in ESTIMATORS for target in TARGETS[1:]]
    yield Table(
        f"Errors in the least probable tenth, network {preset}",
        ("treebank", *(f"{target}, {how}" for target, how in asked)),
        [
            (
                name,
                *(
                    number(results.of(treebank=name).mean("test", how, target, "lowest_tenth"), 1)
                    for target, how in asked
                ),
            )
            for name in treebanks
        ],
        (
            "Of all errors on test, the share in the tenth of words with the lowest probabilities, in "
            "percent; a tenth at random would hold 10.",
        ),
        results,
    )


def draw(results: Results) -> Any:
    """A figure of how many moves of a probability are right, here and in the paper."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6 * len(PAPER), 3.9), layout="constrained")
    for axis, (name, figures) in zip(figure.subplots(1, len(PAPER)), PAPER.items(), strict=True):
        own = results.of(treebank=name, preset=None)
        paper = [tuple(figure.split()) for figure in figures.split(", ")]
        # Moves without an alternative say nothing, and a handful of moves says little.
        bins = list(zip(own.names("bins"), paper, strict=True))[:-1]
        here = [
            (float(low) + 0.05, own.mean("bins", low, "correct") or 0.0)
            for low, _ in bins
            if (own.mean("bins", low, "count") or 0) >= LEAST_DRAWN
        ]
        there = [
            (float(low) + 0.05, float(correct))
            for low, (count, correct) in bins
            if count.endswith("k") or int(count) >= LEAST_DRAWN
        ]
        axis.plot([0, 1], [0, 100], color="0.7", linestyle="--", linewidth=1)
        axis.plot(*zip(*there, strict=True), color="#c2571a", marker="s", markersize=4, label="Goldberg 2013")
        axis.plot(*zip(*here, strict=True), color="#1f6f8b", marker="o", markersize=4, label="arcwise")
        axis.set(title=f"{name} dev", xlabel="probability of the move", ylabel="moves that are right, %")
        axis.set(xlim=(0, 1), ylim=(0, 100))
        axis.grid(color="0.92")
        axis.legend(frameon=False, loc="upper left")
    return figure


@benchmark(run, tables, seeds=1)
@click.option(
    "--preset", type=click.Choice(sorted(PRESETS)), default="fast", show_default=True, help="The networks."
)
@epochs_option
def main(data: Path, preset: str, epochs: int | None) -> Iterator[tuple[str, Setting]]:
    """Measure the calibration of networks on all treebanks, and of AdaGrad beside the paper."""
    for treebank in treebank_names(data):
        yield f"{treebank}/{preset}", {"treebank": treebank, "preset": preset, "epochs": epochs}
    for treebank in PAPER:
        yield f"{treebank}/adagrad", {"treebank": treebank}


if __name__ == "__main__":
    main()
