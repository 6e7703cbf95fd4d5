"""What corrected sentences of a new genre bring: LAS on that genre, and on all others.

    python benchmarks/update.py
    python benchmarks/update.py --learner adagrad --only 'fr_sequoia/emea' --seeds 1

Parsers are trained without one genre, as sentence ids name them, and updated with some of its sentences.
"""

from __future__ import annotations

import random
import re
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from arcwise import Parser, Treebank
from arcwise.options import LEARNERS, PRESETS
from frame import benchmark, epochs_option, part_option, positive
from parsers import options_of
from store import Results, Setting
from tables import NOTHING, Table, mean
from treebanks import load, score

TREEBANKS = ("en_ewt", "fr_sequoia")
SIZES = (10, 30, 100)
SIDES = ("own", "others")
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


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    """Trains a parser, and updates it with sentences of the new genre, drawn again and again."""
    genre, part, replay, draws = (setting.pop(name) for name in ("genre", "part", "replay", "draws"))
    new, known = split(load(data, setting["treebank"], "train"), genre)
    golds = dict(zip(SIDES, split(load(data, setting["treebank"], part), genre), strict=True))
    parser = Parser.train(known, options=options_of(setting, seed), keep_training_state=True)
    before = {side: score(parser, gold).las for side, gold in golds.items()}
    values: dict[str, Any] = {side: {"before": las} for side, las in before.items()}
    for size in SIZES:
        gains: dict[str, list[float]] = {side: [] for side in SIDES}
        for draw in range(1, draws * SIZES[-1] // size + 1):
            chosen = random.Random(1000 * seed + draw).sample(range(len(new)), size)
            updated = parser.update(new.select(chosen), replay=known if replay else None, seed=draw)
            for side, gold in golds.items():
                gains[side].append(score(updated, gold).las - before[side])
        for side, own in gains.items():
            error = statistics.stdev(own) / len(own) ** 0.5 if len(own) > 1 else None
            values[side][str(size)] = {"gain": statistics.fmean(own), "error": error}
    return values


def gain(results: Results, side: str, size: int) -> str:
    """The mean gain and, of several draws, its standard error."""
    value, errors = results.mean(side, str(size), "gain"), results.values(side, str(size), "error")
    if value is None:
        return NOTHING
    error = sum(e * e for e in errors) ** 0.5 / len(errors) if errors else None
    return f"{value:+.2f}" if error is None else f"{value:+.2f} ± {error:.2f}"


def tables(results: Results) -> Iterator[Table]:
    sizes = [f"{size} more" for size in SIZES]
    for (learner, preset, part, replay), of in results.by("learner", "preset", "part", "replay"):
        rows = []
        for (treebank, genre), own in of.by("treebank", "genre"):
            cells = []
            for side in SIDES:
                cells += [mean(own, side, "before"), *(gain(own, side, size) for size in SIZES)]
            rows.append((f"{treebank}/{genre}", *cells))
        yield Table(
            f"Corrections {'with' if replay else 'without'} replay: LAS on {part}, {learner} {preset}",
            ("genre", "before", *sizes, "others: before", *sizes),
            rows,
            ("± is the standard error over draws of sentences.",),
            of,
        )


@benchmark(run, tables)
@click.option("--learner", type=click.Choice(LEARNERS), default="network", show_default=True)
@click.option("--preset", type=click.Choice(list(PRESETS)), default="default", show_default=True)
@click.option("--replay/--no-replay", default=True, show_default=True, help="Learn the others again along.")
@click.option(
    "--draws",
    type=positive,
    default=1,
    show_default=True,
    help=f"Of {SIZES[-1]} sentences; of fewer there are as many more.",
)
@part_option
@epochs_option
def main(data: Path, **setting: Any) -> Iterator[tuple[str, Setting]]:
    """Trains parsers without a genre, and updates them with a few of its sentences."""
    for treebank in TREEBANKS:
        for genre in dict.fromkeys(genres(load(data, treebank, "train"))):
            yield f"{treebank}/{genre}", {"treebank": treebank, "genre": genre, **setting}


if __name__ == "__main__":
    main()
