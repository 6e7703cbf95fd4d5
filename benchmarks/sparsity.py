"""Non-zero weights, file size and LAS of AdaGrad-RDA against the averaged perceptron.

    python benchmarks/sparsity.py
    python benchmarks/sparsity.py --only udt2_ --seeds 1

The shape of Goldberg 2013, Table 3, a line a treebank and kind of training.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from frame import benchmark, features_option, positive
from parsers import train_and_score
from store import Results, Setting
from tables import NOTHING, Table, count, mean, mebibytes
from treebanks import counted, treebank_names

POLICIES = {"perceptron": "explore", "adagrad": "sample"}
"""Of dynamic training."""

PAPER = {
    ("udt2_ko", "static"): "2.6",
    ("udt2_ko", "dynamic"): "3.8",
    ("udt2_sv", "static"): "3.0",
    ("udt2_sv", "dynamic"): "3.4",
}
"""The perceptron's parameters over AdaGrad-RDA's, from the paper's Table 3."""

COLUMNS = (
    "treebank, training",
    *("weights: perceptron", "adagrad", "ratio", "paper's ratio"),
    *("file, MiB: perceptron", "adagrad", "ratio"),
    *("LAS: perceptron", "adagrad"),
)


def ratio(perceptron: Results, adagrad: Results, what: str) -> str:
    of, to = perceptron.mean(what), adagrad.mean(what)
    return f"{of / to:.1f}" if of and to else NOTHING


def tables(results: Results) -> Iterator[Table]:
    rows = []
    for treebank in sorted(results.distinct("treebank")):
        for training in ("static", "dynamic"):
            sides = [
                results.of(
                    treebank=treebank, learner=learner, policy=policy if training == "dynamic" else "static"
                )
                for learner, policy in POLICIES.items()
            ]
            rows.append(
                (
                    f"{treebank}, {training}",
                    *(count(side, "weights") for side in sides),
                    ratio(*sides, "weights"),
                    PAPER.get((treebank, training), NOTHING),
                    *(mebibytes(side.mean("file_bytes")) for side in sides),
                    ratio(*sides, "file_bytes"),
                    *(mean(side, "dev", *counted(treebank), "las") for side in sides),
                )
            )
    notes = (
        "Arc-eager, k=1; LAS on dev, of udt2_* without punctuation. weights: those that are not 0 in the "
        "model file.",
        "dynamic: explore for the perceptron, sample for adagrad.",
        "paper: Goldberg 2013, Table 3. ± is the standard deviation over seeds.",
    )
    if rows:
        yield Table("Sparsity", COLUMNS, rows, notes, results)


@benchmark(train_and_score, tables)
@click.option("--epochs", type=positive, default=15, show_default=True)
@features_option
def main(data: Path, epochs: int, features: str) -> Iterator[tuple[str, Setting]]:
    """Size and LAS of AdaGrad-RDA against the perceptron."""
    for treebank in treebank_names(data):
        for learner, dynamic in POLICIES.items():
            for policy in ("static", dynamic):
                yield (
                    f"{treebank}, {learner}, {policy}",
                    {"treebank": treebank, "learner": learner, "policy": policy}
                    | {"features": features, "epochs": epochs},
                )


if __name__ == "__main__":
    main()
