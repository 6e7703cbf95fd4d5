"""Probabilities of heads and labels: what they cost, and how well they tell right arcs from wrong ones.

python benchmarks/probabilities.py
python benchmarks/probabilities.py --treebank udt2_sv --learner adagrad
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

import arcwise
from arcwise import Parser, ParserOptions, Treebank
from arcwise.options import PROBABILISTIC, SYSTEMS
from common import NOTHING, data_option, load, markdown_option, part_option, print_table, treebank_option
from speed import interleaved, one_core

LEAST = 1e-3
"""Probabilities are taken for no nearer to 0 and 1 than this: one bold mistake would be all of a log loss."""


def log_loss(probs: NDArray[np.float32], right: NDArray[np.bool_]) -> float:
    p = np.clip(probs.astype(float), LEAST, 1 - LEAST)
    return float(-np.log(np.where(right, p, 1 - p)).mean())


def auc(probs: NDArray[np.float32], right: NDArray[np.bool_]) -> float:
    """How often a right arc has a higher probability than a wrong one; ties count half."""
    _, inverse, counts = np.unique(probs, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    wrong = len(right) - right.sum()
    return float((ranks[right].sum() - right.sum() * (right.sum() + 1) / 2) / (right.sum() * wrong))


def lines(parser: Parser, gold: Treebank, samples: int, repetitions: int) -> Iterator[tuple[str, ...]]:
    def task(probabilities: str | None) -> Callable[[], object]:
        return lambda: parser.parse(gold, probabilities=probabilities, samples=samples)  # type: ignore[arg-type]

    ways = (None, "moves", "samples")
    timings = interleaved({way: task(way) for way in ways}, repetitions, "probabilities")
    seconds = {way: min(timing.cpu for timing in timings[way]) for way in ways}
    yield "none", "1.00", *[NOTHING] * 6
    known = gold.heads >= 0
    for way in ways[1:]:
        parsed = parser.parse(gold, probabilities=way, samples=samples)  # type: ignore[arg-type]
        head = (parsed.heads == gold.heads)[known]
        deprel = head & (np.array(parsed.column("deprel")) == np.array(gold.column("deprel")))[known]
        columns = []
        for probs, right in ((parsed.head_probs[known], head), (parsed.deprel_probs[known], deprel)):
            columns += [f"{log_loss(probs, right):.3f}", f"{auc(probs, right):.3f}"]
            columns += [f"{100 * probs.mean():.1f} / {100 * right.mean():.1f}"]
        yield (
            f"{samples} samples" if way == "samples" else way,
            f"{seconds[way] / seconds[None]:.2f}",
            *columns,
        )


@click.command()
@data_option
@treebank_option
@click.option("--learner", type=click.Choice(PROBABILISTIC), default="network", show_default=True)
@click.option("--system", type=click.Choice(SYSTEMS), default="arc-eager", show_default=True)
@click.option("--model", type=click.Path(exists=True), help="A model file, instead of training.")
@click.option("--samples", type=click.IntRange(min=1), default=100, show_default=True, help="Trees drawn.")
@click.option(
    "--repetitions", type=click.IntRange(min=1), default=5, show_default=True, help="Of what is timed."
)
@part_option
@markdown_option
def main(
    data: Path,
    treebank: str,
    learner: str,
    system: str,
    model: str | None,
    samples: int,
    repetitions: int,
    part: str,
    markdown: bool,
) -> None:
    """One parser, with probabilities of either kind and without."""
    with one_core():
        if model is not None:
            parser = arcwise.load(model)
        else:
            options = ParserOptions.of(system=system, learner=learner)
            parser = Parser.train(load(data, treebank, "train"), options=options)
        gold = load(data, treebank, "test" if part == "test" else "dev")
        print_table(
            f"Probabilities: {treebank} {part} ({gold.word_count:,} words), {parser.info.options.system}, "
            f"{parser.info.options.learner}",
            (
                "probabilities",
                "time",
                *("head: log loss", "AUC", "mean / UAS"),
                *("label: log loss", "AUC", "mean / LAS"),
            ),
            lines(parser, gold, samples, repetitions),
            markdown=markdown,
        )


if __name__ == "__main__":
    main()
