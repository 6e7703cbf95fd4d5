"""Beam search against greedy search: accuracy and speed, by the width of the beam.

    python benchmarks/beam.py
    python benchmarks/beam.py --learner adagrad --epochs 2
    python benchmarks/beam.py --trained --treebank udt2_sv

One parser that was trained greedily, searched with beams of all widths; or, with --trained, a perceptron
for each width, trained with the beam that it parses with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click

from arcwise import Parser, ParserOptions, Training, Treebank
from arcwise.evaluation import AttachmentScores, compare
from arcwise.evaluation.comparison_tables import in_figures
from arcwise.options import LEARNERS, SYSTEMS
from common import (
    WITHOUT_PUNCTUATION,
    Part,
    count,
    data_option,
    load,
    markdown_option,
    mean,
    part_option,
    print_table,
    progress,
    score,
    seeds_option,
    treebank_option,
)
from speed import aim, cpu_seconds, interleaved, one_core, rates

WIDTHS = (None, 1, 2, 4, 8, 16, 64)
"""None is greedy search."""

# What is to be reached on en_ewt, in words a second on one core.
AIMS = {8: 40_000, 64: 5_000}

PEERS = {
    "udt2_sv": (
        "Elsewhere, dev without punctuation: Yara, beam 8, 84.15 / 80.00; the code of Liu et al. 2015, beam",
        "16, arc-eager 84.88 / 80.36, arc-standard 83.75 / 79.12, at 2,050 words/s, and 600 with beam 64.",
    )
}


def lines(parser: Parser, gold: Treebank, treebank: str, repetitions: int) -> Iterator[tuple[str, ...]]:
    def task(width: int | None) -> Callable[[], object]:
        return lambda: parser._core.parse(gold._core, beam=width)

    timings = interleaved({width: task(width) for width in WIDTHS}, repetitions, "beams")
    greedy = parser.parse(gold)
    for width in WIDTHS:
        found = compare(gold, parser.parse(gold, beam=width), greedy, resamples=0).scores
        yield (
            "greedy" if width is None else f"beam {width}",
            f"{found['uas'].a:.2f}",
            f"{found['las'].a:.2f}",
            "" if width is None else in_figures(found["las"].p),
            *rates(gold.word_count, [timing.cpu for timing in timings[width]]),
            aim(AIMS.get(width) if width else None, treebank),
        )


@dataclass
class Trained:
    """The parsers of one width, one for each seed."""

    width: int | None
    parsers: list[Parser] = field(default_factory=list)
    scores: dict[Part, list[AttachmentScores]] = field(default_factory=lambda: {"dev": [], "test": []})
    epochs: list[float] = field(default_factory=list)
    """The CPU seconds of each epoch."""


def train(data: Path, treebank: str, options: ParserOptions, width: int | None, seeds: int) -> Trained:
    trained = Trained(width)
    for seed in range(1, seeds + 1):
        own = options.changed(train_beam=width, seed=seed)
        training = Training(load(data, treebank, "train"), options=own)
        trained.epochs += cpu_seconds(training)
        parser = training.parser()
        trained.parsers.append(parser)
        for part, all_scores in trained.scores.items():
            scores = score(parser, load(data, treebank, part))
            all_scores.append(scores.no_punct if treebank in WITHOUT_PUNCTUATION else scores)
    return trained


def trained_lines(
    data: Path, treebank: str, options: ParserOptions, widths: tuple[int, ...], seeds: int, repetitions: int
) -> Iterator[tuple[str, ...]]:
    of_all = []
    with progress("training", len(widths) + 1) as bar:
        for width in (None, *widths):
            of_all.append(train(data, treebank, options, width, seeds))
            bar.update("training")
    dev, words = load(data, treebank, "dev"), load(data, treebank, "train").word_count

    def task(trained: Trained) -> Callable[[], object]:
        return lambda: trained.parsers[0].parse(dev)

    timings = interleaved({t.width: task(t) for t in of_all}, repetitions, "parsing")
    greedy = min(timing.cpu for timing in timings[None])
    for t in of_all:
        best = min(timing.cpu for timing in timings[t.width])
        yield (
            "greedily" if t.width is None else f"beam {t.width}",
            str(seeds),
            *(mean(getattr(s, name) for s in t.scores[part]) for part in t.scores for name in ("uas", "las")),
            count([words / seconds for seconds in t.epochs]),
            f"{dev.word_count / best:,.0f}",
            f"{greedy / best:.2f}",
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
@click.option("--trained", is_flag=True, help="Perceptrons, each trained with the beam that it parses with.")
@click.option(
    "--width",
    "widths",
    type=click.IntRange(min=1),
    multiple=True,
    default=(1, 8, 64),
    show_default=True,
    help="Of those beams; can be given several times.",
)
@seeds_option
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
    trained: bool,
    widths: tuple[int, ...],
    seeds: int,
    markdown: bool,
) -> None:
    """One parser, searched greedily and with beams; or perceptrons trained with them."""
    learner = "perceptron" if trained else learner
    options = ParserOptions.of(system=system, learner=learner, features=features, epochs=epochs)
    with one_core():
        if trained:
            print_table(
                f"Trained with a beam: {treebank}, {system}, perceptron, features {features}",
                (
                    "trained", "seeds", "dev UAS", "dev LAS", "test UAS", "test LAS", "words/s in training",
                    "in parsing", "of greedy",
                ),
                trained_lines(data, treebank, options, widths, seeds, repetitions),
                notes=PEERS.get(treebank, ()),
                markdown=markdown,
            )  # fmt: skip
            return
        parser = Parser.train(load(data, treebank, "train"), options=options)
        gold = load(data, treebank, "test" if part == "test" else "dev")
        print_table(
            f"Beams: words/s of one core, {treebank} {part} ({gold.word_count:,} words), {system}, "
            f"{learner}, features {features}",
            ("search", "UAS", "LAS", "p (LAS)", "best", "median", "aim"),
            lines(parser, gold, treebank, repetitions),
            markdown=markdown,
        )


if __name__ == "__main__":
    main()
