"""Training with exploration against static training, for every system that has a dynamic oracle.

    python benchmarks/systems.py
    python benchmarks/systems.py --only 'udt2_sv|el_gdt' --seeds 1

The shape of Goldberg & Nivre 2013, Table 1: UAS and LAS on each treebank, punctuation included.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from arcwise import TrainingOptions
from common import (
    NOTHING,
    Results,
    Run,
    count,
    data_option,
    features_option,
    jobs_option,
    markdown_option,
    nonprojective_option,
    only_option,
    part_option,
    print_table,
    run_all,
    seeds_option,
    treebank_names,
)

Metric = Literal["uas", "las"]

DYNAMIC = ("arc-eager", "arc-hybrid", "easy-first")
STATIC_ONLY = ("arc-standard",)

# Goldberg & Nivre 2013: 20 iterations for easy-first and 15 for the others.
EPOCHS = {"easy-first": 20}
OTHER_EPOCHS = 15

PAPER_GAINS: dict[tuple[str, Metric], str] = {
    ("arc-eager", "uas"): "+1.10",
    ("arc-eager", "las"): "+1.35",
    ("arc-hybrid", "uas"): "+0.62",
    ("arc-hybrid", "las"): "+0.79",
    ("easy-first", "uas"): "+0.53",
}
"""The mean of dynamic less static over the ten languages of the paper's Table 1."""


@dataclass(frozen=True)
class Settings:
    """What all runs have in common."""

    features: str
    nonprojective: str
    epochs: int | None

    def run(self, treebank: str, system: str, policy: str) -> Run:
        epochs = self.epochs or EPOCHS.get(system, OTHER_EPOCHS)
        options = TrainingOptions(
            system=system,
            learner="perceptron",
            policy=policy,
            features=self.features,
            nonprojective=self.nonprojective,
            epochs=epochs,
        )
        return Run(treebank, options)

    def runs(self, treebanks: Sequence[str]) -> Iterator[Run]:
        for treebank in treebanks:
            for system in (*DYNAMIC, *STATIC_ONLY):
                yield self.run(treebank, system, "static")
            for system in DYNAMIC:
                yield self.run(treebank, system, "explore")


@dataclass(frozen=True)
class Scores:
    """Mean scores over seeds, by run."""

    results: Results
    settings: Settings
    part: str

    def of(self, treebank: str, system: str, policy: str, metric: Metric) -> float | None:
        done = self.results.of(self.settings.run(treebank, system, policy))
        return statistics.fmean(getattr(r.part(self.part), metric) for r in done) if done else None

    def gain(self, treebank: str, system: str, metric: Metric) -> float | None:
        static = self.of(treebank, system, "static", metric)
        explore = self.of(treebank, system, "explore", metric)
        return None if static is None or explore is None else explore - static


def _line(name: str, values: list[float | None], sign: str = "") -> tuple[str, ...]:
    known = [value for value in values if value is not None]
    # A mean over fewer treebanks than another row's could not be compared with it.
    whole = statistics.fmean(known) if len(known) == len(values) else None
    return name, *(NOTHING if v is None else f"{v:{sign}.2f}" for v in (*values, whole))


def lines(scores: Scores, treebanks: Sequence[str], metric: Metric) -> Iterator[tuple[str, ...]]:
    """Static, explore and the gain for each system, a column a treebank."""
    for system in DYNAMIC:
        for policy in ("static", "explore"):
            yield _line(f"{system}: {policy}", [scores.of(t, system, policy, metric) for t in treebanks])
        yield _line("  gain", [scores.gain(t, system, metric) for t in treebanks], sign="+")
    for system in STATIC_ONLY:
        yield _line(f"{system}: static", [scores.of(t, system, "static", metric) for t in treebanks])


def gains(scores: Scores, treebanks: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The mean gain of each system, on how many treebanks there is one, and that of the paper."""
    metrics: tuple[Metric, ...] = ("uas", "las")
    for system in DYNAMIC:
        cells = [system]
        for metric in metrics:
            known = [g for t in treebanks if (g := scores.gain(t, system, metric)) is not None]
            cells += [
                f"{statistics.fmean(known):+.2f}" if known else NOTHING,
                f"{sum(g > 0 for g in known)} of {len(known)}",
                PAPER_GAINS.get((system, metric), NOTHING),
            ]
        yield tuple(cells)


@click.command()
@data_option
@seeds_option
@jobs_option
@click.option("--epochs", type=click.IntRange(min=1), help="Instead of the paper's 15, easy-first 20.")
@features_option
@nonprojective_option
@part_option
@only_option("treebanks")
@markdown_option
def main(
    data: Path,
    seeds: int,
    jobs: int,
    epochs: int | None,
    features: str,
    nonprojective: str,
    part: str,
    only: re.Pattern[str],
    markdown: bool,
) -> None:
    """Exploration against static training, by system and treebank."""
    treebanks = [name for name in treebank_names(data) if only.search(name)]
    if not treebanks:
        raise click.ClickException(f"No treebank in {data} matches.")
    settings = Settings(features, nonprojective, epochs)
    runs = list(settings.runs(treebanks))
    results = run_all(runs, data=data, seeds=seeds, jobs=jobs)
    scores = Scores(results, settings, part)
    done = count([sum(len(results.of(run)) for run in runs) / len(runs)])
    shared = f"{part}, all tokens, features {features}, perceptron, k=1, p=0.9, seeds: {done}"
    metrics: tuple[Metric, ...] = ("uas", "las")
    for metric in metrics:
        print_table(
            f"{metric.upper()} ({shared})",
            ("system: policy", *treebanks, "mean"),
            lines(scores, treebanks, metric),
            markdown=markdown,
        )
    print_table(
        "Gain of explore over static, mean over treebanks",
        ("system", "UAS", "better on", "paper's UAS", "LAS", "better on", "paper's LAS"),
        gains(scores, treebanks),
        notes=(
            "paper: Goldberg & Nivre 2013, Table 1, the mean of its ten languages (CoNLL 2007).",
            "Static training of easy-first follows any correct move: it has no single order to learn.",
        ),
        markdown=markdown,
    )


if __name__ == "__main__":
    main()
