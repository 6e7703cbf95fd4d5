"""What corrected sentences of a new genre bring: LAS on that genre, and on all others.

python benchmarks/update.py
python benchmarks/update.py --learner adagrad --only 'fr_sequoia/emea' --seeds 1
"""

from __future__ import annotations

import random
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from arcwise import Parser, ParserOptions, Treebank
from arcwise.options import LEARNERS, PRESETS
from common import (
    NOTHING,
    Part,
    data_option,
    load,
    markdown_option,
    only_option,
    part_option,
    print_table,
    progress,
    score,
    seeds_option,
)

TREEBANKS = ("en_ewt", "fr_sequoia")
SIZES = (10, 30, 100)
GENRE = re.compile("[A-Za-z]+")
"""How a sentence's id begins."""


def genres(treebank: Treebank) -> list[str]:
    """The genre of each sentence."""
    found = [GENRE.match(sentence.id or "") for sentence in treebank]
    return [match[0] if match else "" for match in found]


def split(treebank: Treebank, genre: str) -> tuple[Treebank, Treebank]:
    """The sentences of a genre, and the others."""
    of = genres(treebank)
    own = [number for number, name in enumerate(of) if name == genre]
    return treebank.select(own), treebank.select(number for number, name in enumerate(of) if name != genre)


@dataclass(frozen=True)
class Scores:
    """LAS on the new genre and on the others."""

    own: float
    others: float

    def __sub__(self, before: Scores) -> Scores:
        return Scores(self.own - before.own, self.others - before.others)


class Genre:
    """Parsers that know all genres but one, and what becomes of them."""

    def __init__(self, data: Path, treebank: str, genre: str, part: Part) -> None:
        self.name = f"{treebank}/{genre}"
        self.new, self.known = split(load(data, treebank, "train"), genre)
        self.gold = split(load(data, treebank, part), genre)
        self.before: list[Scores] = []
        self.gains: dict[int, list[Scores]] = {size: [] for size in SIZES}

    def scores(self, parser: Parser) -> Scores:
        return Scores(*(score(parser, gold).las for gold in self.gold))

    def measure(self, options: ParserOptions, draws: int, replay: bool) -> None:
        """Trains a parser, and updates it with sentences of the new genre, drawn again and again."""
        parser = Parser.train(self.known, options=options, keep_training_state=True)
        before = self.scores(parser)
        self.before.append(before)
        for size in SIZES:
            for draw in range(1, draws * SIZES[-1] // size + 1):
                chosen = random.Random(1000 * options.seed + draw).sample(range(len(self.new)), size)
                updated = parser.update(
                    self.new.select(chosen), replay=self.known if replay else None, seed=draw
                )
                self.gains[size].append(self.scores(updated) - before)


def gain(values: Sequence[float]) -> str:
    """The mean and, of several values, its standard error.

    >>> gain([0.5, 1.0, 1.5])
    '+1.00 ± 0.29'
    """
    if not values:
        return NOTHING
    middle = f"{statistics.fmean(values):+.2f}"
    return middle if len(values) == 1 else f"{middle} ± {statistics.stdev(values) / len(values) ** 0.5:.2f}"


def row(name: str, of: Iterable[Genre]) -> tuple[str, ...]:
    rows = list(of)
    cells = []
    for side in ("own", "others"):
        cells.append(f"{statistics.fmean(getattr(b, side) for genre in rows for b in genre.before):.2f}")
        cells += [gain([getattr(g, side) for genre in rows for g in genre.gains[size]]) for size in SIZES]
    return name, *cells


@click.command()
@data_option
@only_option("genres, called treebank/genre,")
@click.option("--learner", type=click.Choice(LEARNERS), default="network", show_default=True)
@click.option("--preset", type=click.Choice(list(PRESETS)), default="default", show_default=True)
@click.option("--replay/--no-replay", default=True, show_default=True, help="Learn the others again along.")
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help=f"Of {SIZES[-1]} sentences; of fewer there are as many more.",
)
@seeds_option
@part_option
@markdown_option
def main(
    data: Path,
    only: re.Pattern[str],
    learner: str,
    preset: str,
    replay: bool,
    draws: int,
    seeds: int,
    part: Part,
    markdown: bool,
) -> None:
    """Trains parsers without a genre, and updates them with a few of its sentences."""
    names = [
        (treebank, genre)
        for treebank in TREEBANKS
        for genre in dict.fromkeys(genres(load(data, treebank, "train")))
        if only.search(f"{treebank}/{genre}")
    ]
    runs = [Genre(data, treebank, genre, part) for treebank, genre in names]
    with progress("genres", len(runs) * seeds) as bar:
        for run in runs:
            for seed in range(1, seeds + 1):
                options = ParserOptions.preset(preset, learner=learner, seed=seed)
                run.measure(options, draws, replay)
                bar.update(run.name)
    table = [row(run.name, [run]) for run in runs]
    if len(runs) > 1:
        table.append(row("all", runs))
    sizes = [f"{size} more" for size in SIZES]
    of = learner if preset == "default" else f"{learner}, preset {preset}"
    print_table(
        f"Corrections: LAS ({part}, {of}, {'with' if replay else 'without'} replay)",
        ("genre", "before", *sizes, "others: before", *sizes),
        table,
        notes=[
            f"Means over {seeds} seeds, each with draws of sentences: "
            + ", ".join(f"{draws * SIZES[-1] // size} of {size}" for size in SIZES)
            + ". ± is the standard error.",
        ],
        markdown=markdown,
    )


if __name__ == "__main__":
    main()
