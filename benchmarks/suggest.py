"""Learning curves: sentences that `arcwise suggest` chooses against sentences at random, word for word.

    python benchmarks/suggest.py
    python benchmarks/suggest.py --treebanks udt2_sv --seeds 1 --plot curves.png

Each run starts from the same random sentences of a training set. Then, again and again, a parser is trained
on what is there, chooses sentences of so many words from the rest, and is given their gold trees.
"""

from __future__ import annotations

import multiprocessing
import statistics
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from arcwise import Parser, ParserOptions, Treebank
from arcwise.suggest import CRITERIA, Criterion, suggest
from common import (
    data_option,
    jobs_option,
    load,
    markdown_option,
    mean,
    print_table,
    progress,
    score,
    seeds_option,
)


class Curve(NamedTuple):
    """One run, and its LAS on dev at each size."""

    treebank: str
    criterion: Criterion
    seed: int
    las: list[float]


class Plan(NamedTuple):
    """How much is annotated: words at the start, words a round, rounds; and how parsers are trained."""

    start: int
    batch: int
    rounds: int
    epochs: int

    @property
    def sizes(self) -> list[int]:
        return [self.start + self.batch * number for number in range(self.rounds + 1)]


@click.command()
@data_option
@click.option("--treebanks", default="udt2_sv,hu_szeged", show_default=True, help="Measured on these.")
@click.option("--criteria", default="errors,random", show_default=True, help="Measured for these.")
@click.option("--start", default=2500, show_default=True, help="Words at the start.")
@click.option("--batch", default=1500, show_default=True, help="Words that are added in a round.")
@click.option("--rounds", default=5, show_default=True, help="How often.")
@click.option("--epochs", default=20, show_default=True, help="Of training each network, of the preset fast.")
@click.option("--plot", help="Draw the curves into this file.")
@seeds_option
@jobs_option
@markdown_option
def main(
    data: Path,
    treebanks: str,
    criteria: str,
    start: int,
    batch: int,
    rounds: int,
    epochs: int,
    plot: str | None,
    seeds: int,
    jobs: int,
    markdown: bool,
) -> None:
    """Compare criteria for what to annotate next at equal numbers of words."""
    plan = Plan(start, batch, rounds, epochs)
    names, asked = treebanks.split(","), [as_criterion(name) for name in criteria.split(",")]
    runs = [
        (data, plan, name, criterion, seed)
        for seed in range(1, seeds + 1)
        for name in names
        for criterion in asked
    ]
    curves: list[Curve] = []
    # Processes are spawned: forking beside the thread of the progress bar may hang.
    with (
        progress("runs", len(runs)) as bar,
        ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool,
    ):
        for curve in pool.map(run, *zip(*runs, strict=True)):
            curves.append(curve)
            bar.update(f"{curve.treebank}, {curve.criterion}")
    for name in names:
        of = {c: [curve.las for curve in curves if curve[:2] == (name, c)] for c in asked}
        print_table(
            f"LAS on {name} dev by words annotated",
            ("words", *asked),
            [
                (f"{size:,}", *(mean(las[i] for las in of[criterion]) for criterion in asked))
                for i, size in enumerate(plan.sizes)
            ],
            notes=[f"Networks of the preset fast, {epochs} epochs; ± is the standard deviation over seeds."],
            markdown=markdown,
        )
    if plot:
        draw(curves, plan, names, asked, plot)


def as_criterion(name: str) -> Criterion:
    for criterion in CRITERIA:
        if criterion == name:
            return criterion
    raise click.BadParameter(f"There is no criterion '{name}': choose from {', '.join(CRITERIA)}.")


def run(data: Path, plan: Plan, name: str, criterion: Criterion, seed: int) -> Curve:
    pool, dev = load(data, name, "train"), load(data, name, "dev")
    order = np.random.default_rng(seed).permutation(len(pool)).tolist()
    lengths = np.diff(pool.first_words)
    first = int(np.searchsorted(np.cumsum(lengths[order]), plan.start)) + 1
    chosen, rest = order[:first], order[first:]
    options = ParserOptions.preset("fast", epochs=plan.epochs, seed=seed)
    las = []
    for size in plan.sizes:
        parser = Parser.train(pool.select(chosen), options=options)
        las.append(score(parser, dev).las)
        if size == plan.sizes[-1]:
            break
        # So that the words are equally many for all, however long the last sentence of a round was.
        words = size + plan.batch - int(lengths[chosen].sum())
        found = suggest(parser, unlabelled(pool.select(rest)), words=words, criterion=criterion, seed=seed)
        taken = {rest[index] for index in found.indices}
        chosen += sorted(taken)
        rest = [index for index in rest if index not in taken]
    return Curve(name, criterion, seed, las)


def unlabelled(treebank: Treebank) -> Treebank:
    nothing = np.full(treebank.word_count, -1, dtype=np.int32)
    return treebank.with_trees(nothing, nothing, [])


def draw(curves: list[Curve], plan: Plan, names: list[str], criteria: list[Criterion], path: str) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6 * len(names), 3.6), layout="constrained", dpi=110)
    colors = {"errors": "#1f6f8b", "entropy": "#7a4ea3", "least-confident": "#4d8b31", "random": "#c2571a"}
    for axis, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        for criterion in criteria:
            runs = [curve.las for curve in curves if curve[:2] == (name, criterion)]
            middle = [statistics.fmean(column) for column in zip(*runs, strict=True)]
            low, high = ([f(column) for column in zip(*runs, strict=True)] for f in (min, max))
            axis.fill_between(plan.sizes, low, high, color=colors[criterion], alpha=0.15, linewidth=0)
            axis.plot(plan.sizes, middle, color=colors[criterion], marker="o", markersize=4, label=criterion)
        axis.set(title=name, xlabel="words annotated", ylabel="LAS on dev")
        axis.grid(color="0.92")
        axis.legend(frameon=False, loc="lower right")
    figure.savefig(path)


if __name__ == "__main__":
    main()
