"""Non-zero weights, file size and LAS of AdaGrad-RDA against the averaged perceptron.

    python benchmarks/sparsity.py
    python benchmarks/sparsity.py --only udt2_ --seeds 1

The shape of Goldberg 2013, Table 3, a line a treebank and kind of training.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from arcwise import ParserOptions
from common import (
    NOTHING,
    WITHOUT_PUNCTUATION,
    Result,
    Results,
    Run,
    count,
    data_option,
    features_option,
    jobs_option,
    markdown_option,
    mean,
    mebibytes,
    nonprojective_option,
    only_option,
    part_option,
    print_table,
    run_all,
    seeds_option,
    treebank_names,
)

TRAININGS = ("static", "dynamic")
DYNAMIC_POLICIES = {"perceptron": "explore", "adagrad": "sample"}

PAPER_RATIOS = {
    ("udt2_ko", "static"): "2.6",
    ("udt2_ko", "dynamic"): "3.8",
    ("udt2_sv", "static"): "3.0",
    ("udt2_sv", "dynamic"): "3.4",
}
"""The perceptron's parameters over AdaGrad-RDA's, from the paper's Table 3."""

COLUMNS = (
    "treebank, training",
    "weights: perceptron",
    "adagrad",
    "ratio",
    "paper's ratio",
    "file, MiB: perceptron",
    "adagrad",
    "ratio",
    "LAS: perceptron",
    "adagrad",
)


@dataclass(frozen=True)
class Settings:
    """What all runs have in common."""

    features: str
    nonprojective: str
    epochs: int

    def run(self, treebank: str, training: str, learner: str) -> Run:
        options = ParserOptions.of(
            learner=learner,
            policy=DYNAMIC_POLICIES[learner] if training == "dynamic" else "static",
            features=self.features,
            nonprojective=self.nonprojective,
            epochs=self.epochs,
        )
        return Run(treebank, options)


def _ratio(of: list[float], to: list[float]) -> str:
    return f"{statistics.fmean(of) / statistics.fmean(to):.1f}" if of and to else NOTHING


def _las(treebank: str, part: str, results: Sequence[Result]) -> list[float]:
    scores = [result.part(part) for result in results]
    return [s.no_punct.las if treebank in WITHOUT_PUNCTUATION else s.las for s in scores]


def lines(
    treebanks: Sequence[str], settings: Settings, results: Results, part: str
) -> Iterator[tuple[str, ...]]:
    """A line a treebank and kind of training: weights, bytes and LAS of both learners."""
    for treebank in treebanks:
        for training in TRAININGS:
            perceptron = results.of(settings.run(treebank, training, "perceptron"))
            adagrad = results.of(settings.run(treebank, training, "adagrad"))
            weights = [[float(r.weights) for r in side] for side in (perceptron, adagrad)]
            sizes = [[float(r.file_bytes) for r in side] for side in (perceptron, adagrad)]
            yield (
                f"{treebank}, {training}",
                *map(count, weights),
                _ratio(*weights),
                PAPER_RATIOS.get((treebank, training), NOTHING) if settings.features == "zn2011" else NOTHING,
                *(mebibytes(statistics.fmean(side)) if side else NOTHING for side in sizes),
                _ratio(*sizes),
                *(mean(_las(treebank, part, side)) for side in (perceptron, adagrad)),
            )


@click.command()
@data_option
@seeds_option
@jobs_option
@click.option("--epochs", type=click.IntRange(min=1), default=15, show_default=True)
@features_option
@nonprojective_option
@part_option
@only_option("treebanks")
@markdown_option
def main(
    data: Path,
    seeds: int,
    jobs: int,
    epochs: int,
    features: str,
    nonprojective: str,
    part: str,
    only: re.Pattern[str],
    markdown: bool,
) -> None:
    """Size and LAS of AdaGrad-RDA against the perceptron."""
    treebanks = [name for name in treebank_names(data) if only.search(name)]
    if not treebanks:
        raise click.ClickException(f"No treebank in {data} matches.")
    settings = Settings(features, nonprojective, epochs)
    runs = [settings.run(t, how, by) for t in treebanks for how in TRAININGS for by in DYNAMIC_POLICIES]
    results = run_all(runs, data=data, seeds=seeds, jobs=jobs)
    print_table(
        f"Sparsity ({part}, features {features}, arc-eager, k=1)",
        COLUMNS,
        lines(treebanks, settings, results, part),
        notes=(
            "weights: those that are not 0 in the model file.",
            "dynamic: explore for the perceptron, sample for adagrad. LAS of udt2_*: without punctuation.",
            "paper: Goldberg 2013, Table 3. ± is the standard deviation over seeds.",
        ),
        markdown=markdown,
    )


if __name__ == "__main__":
    main()
