"""Beam search against greedy search: accuracy and speed of one parser, by the width of the beam.

python benchmarks/beam.py
python benchmarks/beam.py --learner perceptron --epochs 2
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click

import arcwise
from arcwise import Parser, TrainingOptions, Treebank
from arcwise.options import LEARNERS, SYSTEMS
from common import (
    data_option,
    load,
    markdown_option,
    part_option,
    print_table,
    treebank_option,
)
from speed import aim, interleaved, one_core, rates

WIDTHS = (None, 1, 2, 4, 8, 16, 64)
"""None is greedy search."""

# What is to be reached on en_ewt, in words a second on one core.
AIMS = {8: 40_000, 64: 5_000}


def lines(parser: Parser, gold: Treebank, treebank: str, repetitions: int) -> Iterator[tuple[str, ...]]:
    def task(width: int | None) -> Callable[[], object]:
        return lambda: parser._core.parse(gold._core, beam=width)

    timings = interleaved({width: task(width) for width in WIDTHS}, repetitions, "beams")
    for width in WIDTHS:
        scores = arcwise.evaluate(gold, parser.parse(gold, beam=width), conll18=False).attachment
        yield (
            "greedy" if width is None else f"beam {width}",
            f"{scores.uas:.2f}",
            f"{scores.las:.2f}",
            *rates(gold.word_count, [timing.cpu for timing in timings[width]]),
            aim(AIMS.get(width) if width else None, treebank),
        )


@click.command()
@data_option
@treebank_option
@click.option("--learner", type=click.Choice(LEARNERS), default="adagrad", show_default=True)
@click.option(
    "--system",
    type=click.Choice([system for system in SYSTEMS if system != "easy-first"]),
    default="arc-eager",
    show_default=True,
)
@click.option("--features", default="default", show_default=True, help="A built-in set, or a file.")
@click.option("--epochs", type=click.IntRange(min=1), default=15, show_default=True, help="Of training.")
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
    features: str,
    epochs: int,
    repetitions: int,
    part: str,
    markdown: bool,
) -> None:
    """One parser, searched greedily and with beams."""
    options = TrainingOptions(system=system, learner=learner, features=features, epochs=epochs)
    with one_core():
        parser = Parser.train(load(data, treebank, "train"), options=options)
        gold = load(data, treebank, "test" if part == "test" else "dev")
        print_table(
            f"Beams: words/s of one core, {treebank} {part} ({gold.word_count:,} words), {system}, "
            f"{learner}, features {features}",
            ("search", "UAS", "LAS", "best", "median", "aim"),
            lines(parser, gold, treebank, repetitions),
            markdown=markdown,
        )


if __name__ == "__main__":
    main()
