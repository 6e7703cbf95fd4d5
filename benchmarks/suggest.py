"""Learning curves: sentences that `arcwise suggest` chooses against sentences at random, word for word.

    python benchmarks/suggest.py
    python benchmarks/suggest.py --only udt2_sv --seeds 1

Each run starts from the same random sentences of a training set. Then, again and again, a parser is trained
on what is there, chooses sentences of so many words from the rest, and is given their gold trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np

from arcwise import Parser, ParserOptions, Treebank
from arcwise.suggest import suggest
from frame import benchmark, positive
from store import Results, Setting
from tables import Table, mean
from treebanks import load, score

TREEBANKS = ("udt2_sv", "hu_szeged")
CRITERIA = ("errors", "random")
START, BATCH = 2500, 1500
"""Words at the start, and words that are added in a round."""


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    """LAS on dev by the number of words."""
    pool, dev = load(data, setting["treebank"], "train"), load(data, setting["treebank"], "dev")
    order = np.random.default_rng(seed).permutation(len(pool)).tolist()
    lengths = np.diff(pool.first_words)
    first = int(np.searchsorted(np.cumsum(lengths[order]), START)) + 1
    chosen, rest = order[:first], order[first:]
    options = ParserOptions.preset("fast", epochs=setting["epochs"], seed=seed)
    sizes = [START + BATCH * number for number in range(setting["rounds"] + 1)]
    las = {}
    for size in sizes:
        parser = Parser.train(pool.select(chosen), options=options)
        las[str(size)] = score(parser, dev).las
        if size == sizes[-1]:
            break
        # So that the words are equally many for all, however long the last sentence of a round was.
        words = size + BATCH - int(lengths[chosen].sum())
        found = suggest(
            parser, unlabelled(pool.select(rest)), words=words, criterion=setting["criterion"], seed=seed
        )
        taken = {rest[index] for index in found.indices}
        chosen += sorted(taken)
        rest = [index for index in rest if index not in taken]
    return las


def unlabelled(treebank: Treebank) -> Treebank:
    nothing = np.full(treebank.word_count, -1, dtype=np.int32)
    return treebank.with_trees(nothing, nothing, [])


def tables(results: Results) -> Iterator[Table]:
    for (treebank, epochs), of in results.by("treebank", "epochs"):
        criteria = of.distinct("criterion")
        yield Table(
            f"LAS by words annotated: {treebank} dev",
            ("words", *criteria),
            [
                (f"{int(size):,}", *(mean(of.of(criterion=criterion), size) for criterion in criteria))
                for size in of.names()
            ],
            (f"Networks of the preset fast, {epochs} epochs; ± is the standard deviation over seeds.",),
            of,
        )


def draw(results: Results) -> Any:
    """A figure of the curves, with a band of one standard deviation."""
    from matplotlib.figure import Figure

    names = results.distinct("treebank")
    figure = Figure(figsize=(4.6 * len(names), 3.6), layout="constrained")
    colors = {"errors": "#1f6f8b", "random": "#c2571a"}
    for axis, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        for (criterion,), of in results.of(treebank=name).by("criterion"):
            sizes = of.names()
            words, middle = [int(size) for size in sizes], [of.mean(size) or 0.0 for size in sizes]
            around = [of.deviation(size) or 0.0 for size in sizes]
            low = [las - sd for las, sd in zip(middle, around, strict=True)]
            high = [las + sd for las, sd in zip(middle, around, strict=True)]
            axis.fill_between(words, low, high, color=colors[criterion], alpha=0.15, linewidth=0)
            axis.plot(words, middle, color=colors[criterion], marker="o", markersize=4, label=criterion)
        axis.set(title=name, xlabel="words annotated", ylabel="LAS on dev")
        axis.grid(color="0.92")
        axis.legend(frameon=False, loc="lower right")
    return figure


@benchmark(run, tables)
@click.option("--rounds", type=positive, default=5, show_default=True, help="Of choosing sentences.")
@click.option("--epochs", type=positive, default=20, show_default=True, help="Of training each network.")
def main(data: Path, rounds: int, epochs: int) -> Iterator[tuple[str, Setting]]:
    """Compare criteria for what to annotate next at equal numbers of words."""
    for treebank in TREEBANKS:
        for criterion in CRITERIA:
            yield (
                f"{treebank}/{criterion}",
                {"treebank": treebank, "criterion": criterion, "rounds": rounds, "epochs": epochs},
            )


if __name__ == "__main__":
    main()
