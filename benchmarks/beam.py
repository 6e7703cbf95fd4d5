"""Beam search against greedy search: accuracy and speed, by the width of the beam.

    python benchmarks/beam.py
    python benchmarks/beam.py --only search/adagrad --epochs 2
    python benchmarks/beam.py --only trained --treebank udt2_sv

Rows 'search' are parsers that were trained greedily and are searched with beams of all widths; rows
'trained' perceptrons, each trained with the beam that it parses with.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

from arcwise.evaluation import compare
from frame import benchmark, positive, repetitions_option, treebank_option
from parsers import SCORE_COLUMNS, score_cells, train_and_score, trained
from store import Results, Setting
from tables import NOTHING, Table, count, mean, number
from timing import interleaved, one_core
from treebanks import load

WIDTHS = {"greedy": None, **{f"beam {width}": width for width in (1, 2, 4, 8, 16, 64)}}
TRAINED = {"greedily": None, **{f"beam {width}": width for width in (1, 8, 64)}}


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    setting.pop("row")
    if "repetitions" not in setting:
        return train_and_score(data, setting, seed)
    repetitions = setting.pop("repetitions")
    treebank = setting["treebank"]
    parser = trained(load(data, treebank, "train"), setting, seed)
    gold = load(data, treebank, "dev")
    with one_core():
        timings = interleaved(
            {name: partial(parser._core.parse, gold._core, beam=width) for name, width in WIDTHS.items()},
            repetitions,
        )
    greedy = parser.parse(gold)
    values = {}
    for name, width in WIDTHS.items():
        found = compare(gold, parser.parse(gold, beam=width), greedy, resamples=0).scores
        taken = [timing.cpu for timing in timings[name]]
        values[name] = {
            "uas": found["uas"].a,
            "las": found["las"].a,
            "p": None if width is None else found["las"].p,
            "best": gold.word_count / min(taken),
            "median": gold.word_count / statistics.median(taken),
        }
    return values


def tables(results: Results) -> Iterator[Table]:
    for (treebank, learner, epochs), of in results.of(row="search").by("treebank", "learner", "epochs"):
        rows = [
            (
                name,
                mean(of, name, "uas"),
                mean(of, name, "las"),
                number(of.mean(name, "p"), 3) if of.has(name, "p") else NOTHING,
                count(of, name, "best"),
                count(of, name, "median"),
            )
            for name in WIDTHS
        ]
        yield Table(
            f"Beams: {treebank} dev, {learner}",
            ("search", "UAS", "LAS", "p (LAS)", "words/s: best", "median"),
            rows,
            (
                f"One parser, arc-eager, default features, {epochs} epochs; one core.",
                "p: how probable as large a difference of LAS from greedy search is by chance.",
            ),
            of,
        )
    for (treebank,), of in results.by("treebank"):
        rows = [
            (
                name,
                str(own.seeds),
                *score_cells(own, treebank),
                count(own, "train_words_per_second"),
                count(own, "words_per_second"),
            )
            for name in TRAINED
            if (own := of.of(row=name))
        ]
        if rows:
            yield Table(
                f"Trained with a beam: {treebank}",
                ("trained", "seeds", *SCORE_COLUMNS, "words/s in training", "in parsing"),
                rows,
                ("Perceptrons, arc-eager, default features; udt2_*: without punctuation.",),
                Results([record for record in of.records if record["setting"]["row"] != "search"]),
            )


def draw(results: Results) -> Any:
    """A figure of accuracy against speed, from greedy search to the widest beam."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axis = figure.subplots()
    # A perceptron that was trained greedily falls so far with a beam that nothing else could be seen.
    for learner, color in (("network", "#1f6f8b"), ("adagrad", "#c2571a")):
        of = results.of(row="search", treebank="en_ewt", learner=learner)
        # A beam of 1 finds what greedy search finds.
        names = [name for name, width in WIDTHS.items() if width != 1]
        points = [(of.mean(name, "best"), of.mean(name, "las"), name) for name in names]
        shown = [(speed, las, name) for speed, las, name in points if speed and las]
        axis.plot(
            [speed for speed, *_ in shown],
            [las for _, las, _ in shown],
            color=color,
            marker="o",
            markersize=4,
            label=learner,
        )
        for speed, las, name in shown:
            beside = {"textcoords": "offset points", "xytext": (0, 6), "ha": "center"}
            axis.annotate(name.removeprefix("beam "), (speed, las), fontsize=8, **beside)
    axis.set_xscale("log")
    axis.set(
        title="UD English-EWT dev, by width of the beam", xlabel="words a second of one core", ylabel="LAS"
    )
    axis.margins(y=0.15)
    axis.grid(color="0.92")
    axis.legend(frameon=False, loc="center left")
    return figure


@benchmark(run, tables)
@treebank_option
@click.option("--epochs", type=positive, default=15, show_default=True, help="Of training.")
@repetitions_option
def main(data: Path, treebank: str, epochs: int, repetitions: int) -> Iterator[tuple[str, Setting]]:
    """Parsers searched greedily and with beams; and perceptrons trained with them."""
    for learner in ("adagrad", "perceptron", "network"):
        yield (
            f"search/{learner}",
            {"row": "search", "treebank": treebank, "learner": learner, "epochs": epochs}
            | {"repetitions": repetitions},
        )
    for name, width in TRAINED.items():
        yield (
            f"trained/{name}",
            {
                "row": name,
                "treebank": treebank,
                "learner": "perceptron",
                "epochs": epochs,
                "train_beam": width,
            },
        )


if __name__ == "__main__":
    main()
