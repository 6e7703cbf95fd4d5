"""Calibration: how far probabilities can be trusted, on trees that nothing was fitted to.

    python benchmarks/calibration.py
    python benchmarks/calibration.py --only udt2_sv --preset default --models models

Parsers are trained without dev. Each half of dev (every other sentence) is checked with what was fitted to
the other half, and test with what was fitted to all of dev.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import click

import arcwise
from accuracy import SAMPLE
from arcwise import Parser, ParserOptions
from arcwise.calibration import CalibrationReport, Reliability, check
from arcwise.options import PRESETS
from arcwise.probabilities import ESTIMATORS, Estimator
from common import (
    NOTHING,
    data_option,
    load,
    markdown_option,
    only_option,
    print_table,
    progress,
    treebank_names,
)

TARGETS = ("moves", "heads", "heads and labels")

# Goldberg 2013, Table 4: how many moves were held for so probable, and what percentage of them was correct.
PAPER = {
    "udt2_sv": [
        "2 50",
        "21 57",
        "100 61",
        "193 63",
        "578 62",
        "636 70",
        "747 75",
        "1.2k 80",
        "14k 96",
        "493 100",
    ],
    "udt2_ko": [
        "0 0",
        "2 100",
        "29 55",
        "178 63",
        "464 55",
        "616 60",
        "739 65",
        "1.1k 72",
        "9k 96",
        "588 100",
    ],
}

Found = dict[str, list[tuple[Reliability, Reliability]]]
"""Before and after calibration, for each target, one for each part that was checked."""


@click.command()
@data_option
@only_option("treebanks")
@click.option(
    "--preset", type=click.Choice(sorted(PRESETS)), default="fast", show_default=True, help="The networks."
)
@click.option(
    "--models",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep trained parsers in this folder, and use those that are there.",
)
@click.option(
    "--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Threads that parse."
)
@markdown_option
def main(
    data: Path, only: re.Pattern[str], preset: str, models: Path | None, threads: int, markdown: bool
) -> None:
    """Measure the calibration of networks on all treebanks, and of AdaGrad beside the paper."""
    names = [name for name in treebank_names(data) if only.search(name)]
    of_paper = [name for name in PAPER if name in names]
    results: dict[tuple[str, Estimator, str], Found] = {}
    tables = {}
    with progress("training", len(names) + len(of_paper)) as bar:
        for name in names:
            parser = trained(data, name, preset, ParserOptions.preset(preset), models)
            for key, found in checked(data, name, parser, threads).items():
                results[(name, *key)] = found
            bar.update(name)
        for name in of_paper:
            parser = trained(data, name, "adagrad", SAMPLE[0], models)
            tables[name] = check(parser, load(data, name, "dev"), threads=threads)
            bar.update(f"{name}, adagrad")
    for name, report in tables.items():
        print_paper(name, report, markdown)
    for part in ("dev", "test"):
        for how in ESTIMATORS:
            rows = list(lines({name: results[name, how, part] for name in names}))
            print_table(
                f"Calibration error on {part}, probabilities from {how}, network {preset}",
                ("treebank", *(f"{target}, {when}" for target in TARGETS for when in ("before", "after"))),
                rows,
                notes=["Expected calibration error in percent: ten bins of equal width / of equal mass."],
                markdown=markdown,
            )
    print_table(
        "Of all errors, the share in the tenth of words with the lowest probabilities (test)",
        ("treebank", *(f"{target}, {how}" for how in ESTIMATORS for target in TARGETS[1:])),
        lowest_tenths(names, results),
        notes=["In percent; a tenth at random would hold 10."],
        markdown=markdown,
    )


def trained(data: Path, name: str, setting: str, options: ParserOptions, models: Path | None) -> Parser:
    path = None if models is None else models / f"{name}-{setting}.model"
    if path is not None and path.exists():
        return arcwise.load(path)
    parser = Parser.train(load(data, name, "train"), options=replace(options, seed=1))
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        parser.save(path)
    return parser


def checked(data: Path, name: str, parser: Parser, threads: int) -> dict[tuple[Estimator, str], Found]:
    """For each estimator and each part what was found there."""
    dev, test = load(data, name, "dev"), load(data, name, "test")
    halves = [dev.select(range(first, len(dev), 2)) for first in (0, 1)]
    reports: dict[tuple[Estimator, str], list[CalibrationReport]] = {}
    for part, to, on in (("dev", *halves), ("dev", *halves[::-1]), ("test", dev, test)):
        calibrated = parser.calibrate(to, threads=threads)
        for how in ESTIMATORS:
            report = check(calibrated, on, probabilities=how, threads=threads)
            reports.setdefault((how, part), []).append(report)
    return {key: pairs(of) for key, of in reports.items()}


def pairs(reports: Iterable[CalibrationReport]) -> Found:
    found: Found = {target: [] for target in TARGETS}
    for report in reports:
        assert report.after is not None
        for target in TARGETS:
            found[target].append((report.before[target], report.after[target]))
    return found


def lines(results: dict[str, Found]) -> Iterator[list[str]]:
    columns: list[list[tuple[float, float]]] = []
    for name, found in results.items():
        errors = [
            tuple(
                100 * statistics.fmean(getattr(pair[when], kind) for pair in found[target])
                for kind in ("ece", "ece_equal_mass")
            )
            for target in TARGETS
            for when in (0, 1)
        ]
        columns.append(errors)
        yield [name, *(f"{width:.2f} / {mass:.2f}" for width, mass in errors)]
    means = [tuple(map(statistics.fmean, zip(*column, strict=True))) for column in zip(*columns, strict=True)]
    yield ["mean", *(f"{width:.2f} / {mass:.2f}" for width, mass in means)]


def lowest_tenths(names: list[str], results: dict[tuple[str, Estimator, str], Found]) -> Iterator[list[str]]:
    for name in names:
        shares = [
            results[name, how, "test"][target][0][1].errors_in_lowest_tenth
            for how in ESTIMATORS
            for target in TARGETS[1:]
        ]
        yield [name, *(NOTHING if share is None else f"{100 * share:.1f}" for share in shares)]


def print_paper(name: str, report: CalibrationReport, markdown: bool) -> None:
    moves = report.before["moves"]
    rows = [
        (
            f"{bin.low:.1f}",
            str(bin.count),
            NOTHING if bin.accuracy is None else f"{100 * bin.accuracy:.0f}",
            *paper.split(),
        )
        for bin, paper in zip(moves.bins[1:], PAPER[name], strict=False)
    ]
    rows.append(("1.0", str(report.forced), "100", *PAPER[name][-1].split()))
    print_table(
        f"Moves of AdaGrad on {name} dev beside Goldberg 2013, Table 4",
        ("from", "count", "correct %", "paper: count", "paper: correct %"),
        rows,
        notes=[
            f"Calibration error {100 * moves.ece:.2f} / {100 * moves.ece_equal_mass:.2f} % over all choices.",
            "1.0: moves without an alternative. The paper's treebanks are version 1.0 (here: 2.0).",
        ],
        markdown=markdown,
    )


if __name__ == "__main__":
    main()
