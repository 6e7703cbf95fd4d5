"""Probabilities of heads and labels: what they cost, and how well they tell right arcs from wrong ones.

python benchmarks/probabilities.py
python benchmarks/probabilities.py --treebank udt2_sv --learner adagrad
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from arcwise.options import PROBABILISTIC
from frame import benchmark, epochs_option, positive, repetitions_option, treebank_option
from parsers import trained
from store import Results, Setting
from tables import NOTHING, Table, mean, number
from timing import interleaved, one_core
from treebanks import load

LEAST = 1e-3
"""Probabilities are taken for no nearer to 0 and 1 than this: one bold mistake would be all of a log loss."""
WAYS = ("moves", "samples")


def log_loss(probs: NDArray[np.float32], right: NDArray[np.bool_]) -> float:
    p = np.clip(probs.astype(float), LEAST, 1 - LEAST)
    return float(-np.log(np.where(right, p, 1 - p)).mean())


def auc(probs: NDArray[np.float32], right: NDArray[np.bool_]) -> float:
    """How often a right arc has a higher probability than a wrong one; ties count half."""
    _, inverse, counts = np.unique(probs, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    wrong = len(right) - right.sum()
    return float((ranks[right].sum() - right.sum() * (right.sum() + 1) / 2) / (right.sum() * wrong))


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    samples, repetitions = setting.pop("samples"), setting.pop("repetitions")
    treebank = setting["treebank"]
    parser = trained(load(data, treebank, "train"), setting, seed)
    gold = load(data, treebank, "test")
    parse: dict[str | None, Any] = {
        way: partial(parser.parse, gold, probabilities=way, samples=samples) for way in (None, *WAYS)
    }
    with one_core():
        timings = interleaved(parse, repetitions)
    cpu = {way: min(timing.cpu for timing in of) for way, of in timings.items()}
    known = gold.heads >= 0
    values: dict[str, Any] = {}
    for way in WAYS:
        parsed = parse[way]()
        head = (parsed.heads == gold.heads)[known]
        deprel = head & (np.array(parsed.column("deprel")) == np.array(gold.column("deprel")))[known]
        values[way] = {"time": cpu[way] / cpu[None]}
        for name, probs, right in (("head", parsed.head_probs, head), ("label", parsed.deprel_probs, deprel)):
            own = probs[known]
            values[way][name] = {
                "log_loss": log_loss(own, right),
                "auc": auc(own, right),
                "mean": float(100 * own.mean()),
                "right": float(100 * right.mean()),
            }
    return values


def tables(results: Results) -> Iterator[Table]:
    for (treebank, learner, samples), of in results.by("treebank", "learner", "samples"):
        rows = []
        for way in WAYS:
            cells = []
            for what in ("head", "label"):
                cells += [mean(of, way, what, "log_loss", digits=3), mean(of, way, what, "auc", digits=3)]
                cells += [" / ".join(number(of.mean(way, what, name), 1) for name in ("mean", "right"))]
            rows.append((f"{samples} samples" if way == "samples" else way, mean(of, way, "time"), *cells))
        yield Table(
            f"Probabilities: {treebank} test, {learner}",
            (
                *("probabilities", "time", "head: log loss", "AUC", "mean / UAS"),
                *("label: log loss", "AUC", "mean / LAS"),
            ),
            [("none", "1.00", *[NOTHING] * 6), *rows],
            ("AUC: how often a right arc has a higher probability than a wrong one. Nothing is calibrated.",),
            of,
        )


@benchmark(run, tables, seeds=1)
@treebank_option
@click.option("--learner", type=click.Choice(PROBABILISTIC), default="network", show_default=True)
@click.option("--samples", type=positive, default=100, show_default=True, help="Trees drawn.")
@epochs_option
@repetitions_option
def main(data: Path, **setting: Any) -> Iterator[tuple[str, Setting]]:
    """One parser, with probabilities of either kind and without."""
    yield f"{setting['treebank']}/{setting['learner']}", setting


if __name__ == "__main__":
    main()
