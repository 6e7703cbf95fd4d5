"""Transition systems beside each other: exploration against static training, systems for any tree against
lifting, and how fast they are.

    python benchmarks/systems.py
    python benchmarks/systems.py --table exploration --only 'udt2_sv|el_gdt' --seeds 1
    python benchmarks/systems.py --table crossing --store crossing.jsonl

Exploration has the shape of Goldberg & Nivre 2013, Table 1: UAS and LAS on each treebank, punctuation
included.
"""

from __future__ import annotations

import math
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import click

from arcwise import Parser, ParserOptions
from common import (
    NOTHING,
    PartScores,
    Results,
    Run,
    count,
    data_option,
    features_option,
    jobs_option,
    load,
    markdown_option,
    mean,
    nonprojective_option,
    only_option,
    part_option,
    print_table,
    run_all,
    seeds_option,
    store_option,
    treebank_names,
)

Metric = Literal["uas", "las"]

SYSTEMS = ("arc-eager", "arc-hybrid", "easy-first", "arc-standard")
"""Of projective trees."""
CROSSING = ("arc-eager", "arc-hybrid", "arc-hybrid-swap", "covington")
"""Compared on trees with crossing arcs, which the first two lift."""
CROSSING_TREEBANKS = ("got_proiel", "hu_szeged", "el_gdt", "udt2_sv", "ug_udt")
TABLES = ("exploration", "crossing", "speed")

# Goldberg & Nivre 2013: 20 iterations for easy-first and 15 for the others.
EPOCHS = {"easy-first": 20}
OTHER_EPOCHS = 15

ROUNDS = 5

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
        options = ParserOptions.of(
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
            for system in SYSTEMS:
                yield self.run(treebank, system, "static")
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
    for system in SYSTEMS:
        for policy in ("static", "explore"):
            yield _line(f"{system}: {policy}", [scores.of(t, system, policy, metric) for t in treebanks])
        yield _line("  gain", [scores.gain(t, system, metric) for t in treebanks], sign="+")


def gains(scores: Scores, treebanks: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The mean gain of each system, on how many treebanks there is one, and that of the paper."""
    metrics: tuple[Metric, ...] = ("uas", "las")
    for system in SYSTEMS:
        cells = [system]
        for metric in metrics:
            known = [g for t in treebanks if (g := scores.gain(t, system, metric)) is not None]
            cells += [
                f"{statistics.fmean(known):+.2f}" if known else NOTHING,
                f"{sum(g > 0 for g in known)} of {len(known)}",
                PAPER_GAINS.get((system, metric), NOTHING),
            ]
        yield tuple(cells)


def crossing_run(treebank: str, system: str) -> Run:
    return Run(treebank, ParserOptions.of(system=system, learner="network"))


def crossing_lines(
    results: Results, treebanks: Sequence[str], score: Callable[[PartScores], float]
) -> Iterator[tuple[str, ...]]:
    """A system a line, dev and test of a treebank a column."""
    for system in CROSSING:
        cells = [system]
        for treebank in treebanks:
            done = results.of(crossing_run(treebank, system))
            cells += [mean(score(result.part(part)) for result in done) for part in ("dev", "test")]
        yield tuple(cells)


def print_crossing(results: Results, treebanks: Sequence[str], *, markdown: bool) -> None:
    columns = ("system", *(f"{treebank} {part}" for treebank in treebanks for part in ("dev", "test")))
    print_table(
        "LAS of networks, all tokens",
        columns,
        crossing_lines(results, treebanks, lambda scores: scores.las),
        notes=("arc-eager and arc-hybrid lift arcs that cross, and lower them after parsing.",),
        markdown=markdown,
    )
    print_table(
        "LAS of the words whose gold arcs cross others",
        columns,
        crossing_lines(results, treebanks, lambda scores: scores.crossing.las),
        markdown=markdown,
    )


def print_speed(data: Path, treebank: str, *, markdown: bool) -> None:
    """CPU time of one core, the best of rounds in which the systems take turns."""
    train, dev = load(data, treebank, "train"), load(data, treebank, "dev")
    systems = ("arc-hybrid", "arc-standard", "arc-hybrid-swap", "covington")
    linear = {
        system: ParserOptions.of(system=system, learner="perceptron", policy="explore", epochs=3)
        for system in systems
    }
    parsers = {
        (system, learner): Parser.train(train, system=system, learner=learner, epochs=3)
        for system in systems
        for learner in ("perceptron", "network")
    }
    training, parsing = dict.fromkeys(systems, math.inf), dict.fromkeys(parsers, math.inf)
    for _ in range(ROUNDS):
        for system, options in linear.items():
            training[system] = min(
                training[system], cpu_seconds(partial(Parser.train, train, options=options))
            )
        for key, parser in parsers.items():
            parsing[key] = min(parsing[key], cpu_seconds(partial(parser.parse, dev, threads=1)))
    base = systems[0]
    print_table(
        f"Speed ({treebank}, one core, best of {ROUNDS} rounds)",
        (
            "system",
            "seconds to train, perceptron, 3 epochs",
            f"of {base}'s time",
            *(f"{learner}: words a second, of {base}'s" for learner in ("perceptron", "network")),
        ),
        (
            (
                system,
                f"{training[system]:.1f}",
                f"{training[system] / training[base]:.2f}",
                *(
                    f"{parsing[base, learner] / parsing[system, learner]:.2f}"
                    for learner in ("perceptron", "network")
                ),
            )
            for system in systems
        ),
        markdown=markdown,
    )


def cpu_seconds(task: Callable[[], object]) -> float:
    started = time.process_time()
    task()
    return time.process_time() - started


@click.command()
@click.option(
    "--table", "tables", type=click.Choice(TABLES), multiple=True, help="Only this; may be repeated."
)
@store_option
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
    tables: Sequence[str],
    store: Path | None,
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
    """Exploration against static training, systems for any tree against lifting, and speed."""
    treebanks = [name for name in treebank_names(data) if only.search(name)]
    if not treebanks:
        raise click.ClickException(f"No treebank in {data} matches.")
    tables = tables or TABLES
    if "exploration" in tables:
        explore(
            Settings(features, nonprojective, epochs), treebanks, part, data, seeds, jobs, store, markdown
        )
    crossing = [name for name in CROSSING_TREEBANKS if name in treebanks]
    if "crossing" in tables and crossing:
        runs = [crossing_run(treebank, system) for treebank in crossing for system in CROSSING]
        print_crossing(
            run_all(runs, data=data, seeds=seeds, jobs=jobs, store=store), crossing, markdown=markdown
        )
    if "speed" in tables:
        print_speed(data, "udt2_sv", markdown=markdown)


def explore(
    settings: Settings,
    treebanks: Sequence[str],
    part: str,
    data: Path,
    seeds: int,
    jobs: int,
    store: Path | None,
    markdown: bool,
) -> None:
    """Exploration against static training, by system and treebank."""
    runs = list(settings.runs(treebanks))
    results = run_all(runs, data=data, seeds=seeds, jobs=jobs, store=store)
    scores = Scores(results, settings, part)
    done = count([sum(len(results.of(run)) for run in runs) / len(runs)])
    shared = f"{part}, all tokens, features {settings.features}, perceptron, k=1, p=0.9, seeds: {done}"
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
