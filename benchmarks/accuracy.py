"""Accuracy of linear models trained as in Goldberg 2013, beside its Table 1.

    python benchmarks/accuracy.py
    python benchmarks/accuracy.py --only udt2_sv/perceptron --jobs 2

Arc-eager, Zhang & Nivre's features, 15 epochs, non-projective trees left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from frame import benchmark
from parsers import NOTES, train_and_score
from store import Results, Setting
from tables import NOTHING, Table, mean
from treebanks import counted

TRAINED = {"features": "zn2011", "nonprojective": "skip"}
SETTINGS = {
    "perceptron/static": {"learner": "perceptron", "policy": "static"},
    "perceptron/explore, k=1": {"learner": "perceptron", "policy": "explore", "k": 1},
    "perceptron/explore, k=0": {"learner": "perceptron", "policy": "explore", "k": 0},
    "adagrad/sample, k=1": {"learner": "adagrad", "policy": "sample", "k": 1},
    "adagrad/sample, k=0": {"learner": "adagrad", "policy": "sample", "k": 0},
}
# UAS / LAS on dev of each, on version 1.0 of the treebanks (here: 2.0).
PAPER = {
    "udt2_sv": ("83.21 / 79.40", "84.16 / 80.48", "84.79 / 81.00", "84.56 / 80.97", "84.17 / 80.54"),
    "udt2_ko": ("79.96 / 71.90", "80.59 / 72.66", "80.59 / 73.06", "80.92 / 73.06", "81.17 / 73.19"),
}


def tables(results: Results) -> Iterator[Table]:
    rows = []
    for treebank, figures in PAPER.items():
        for (name, setting), paper in zip(SETTINGS.items(), figures, strict=True):
            own = results.of(treebank=treebank, **setting)
            if own:
                path = ("dev", *counted(treebank))
                cells = mean(own, *path, "uas"), mean(own, *path, "las")
                shown = paper if own.distinct("epochs") == [15] else NOTHING
                rows.append((f"{treebank}/{name}", str(own.seeds), *cells, shown))
    notes = (*NOTES, "paper: Goldberg 2013, Table 1, on version 1.0 of the treebanks (here: 2.0).")
    if rows:
        yield Table("Accuracy on dev", ("setting", "seeds", "UAS", "LAS", "paper"), rows, notes, results)


@benchmark(train_and_score, tables)
@click.option("--epochs", type=click.IntRange(min=1), default=15, show_default=True)
def main(data: Path, epochs: int) -> Iterator[tuple[str, Setting]]:
    """Accuracy beside Goldberg 2013."""
    for treebank in PAPER:
        for name, setting in SETTINGS.items():
            yield f"{treebank}/{name}", {"treebank": treebank, **TRAINED, **setting, "epochs": epochs}


if __name__ == "__main__":
    main()
