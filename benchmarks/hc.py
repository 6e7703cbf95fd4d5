"""HC-search: Tables 1, 2 and 3 of Liu et al. 2015 on a treebank, and the same for a network's beam.

python benchmarks/hc.py --treebank udt2_sv
python benchmarks/hc.py --treebank en_ewt --seeds 1 --folds 5 --beam 16 --only network
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from arcwise import Parser, ParserOptions, Treebank, hc
from arcwise.options.ranking import GROUPS
from frame import benchmark, epochs_option, positive, repetitions_option, treebank_option
from store import Results, Setting
from tables import NOTHING, Table, mean
from timing import interleaved, one_core
from treebanks import PARTS, load, score

PERCEPTRON = {"learner": "perceptron", "features": "zn2011", "violation": "early"}
STEPS: dict[str, dict[str, Any]] = {
    "BASELINE": PERCEPTRON,
    "BEST": {**PERCEPTRON, "relaxed": True},
    "WORST": {**PERCEPTRON, "relaxed": True, "negative": "worst"},
    "NETWORK": {},
    "ADAGRAD": {"learner": "adagrad"},
}
"""The H-steps: the paper's three perceptrons, trained with the beam, and others."""


def relative_time(parser: Parser, gold: Treebank, repetitions: int) -> float:
    """How much longer the beam and the ranker take than the beam alone, on one core."""
    with one_core():
        timings = interleaved(
            {name: partial(parser.parse, gold, search=name) for name in ("beam", "hc")}, repetitions
        )
    least = {name: min(timing.cpu for timing in own) for name, own in timings.items()}
    return least["hc"] / least["beam"]


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    """The H-step by itself, and with a ranker of each kind of groups."""
    train, dev, test = (load(data, setting["treebank"], part) for part in PARTS)
    step, beam = setting["step"], setting["beam"]
    own = {**STEPS[step], "seed": seed, "epochs": setting.get("epochs")}
    if "violation" in own:
        own |= {"system": setting["system"], "train_beam": beam}
    ranking = hc.RankingOptions(beam=beam, folds=setting["folds"], epochs=setting["rank_epochs"], seed=seed)
    parser = Parser.train(train, dev=dev, options=ParserOptions.of(**own), grammar=False)
    candidates = hc.cross_validate(train, hc.options_of_folds(parser), folds=ranking.folds, beam=beam)
    of_dev = hc.Candidates.of(parser, dev, beam=beam)

    def values(ranked: Parser, alone: Parser, time: float) -> dict[str, Any]:
        analysis = hc.analyse(ranked, dev, beam=beam)
        choice = analysis.mixture_choice or analysis.beam_choice
        on_test = score(ranked, test)
        return {
            "dev": score(ranked, dev).no_punct.uas,
            "test": on_test.no_punct.uas,
            "test_las": on_test.las,
            "alone": score(alone, test).no_punct.uas,
            "time": time,
            "alpha": analysis.alpha,
            **{name: getattr(choice, name) for name in ("generation", "selection", "total")},
            "oracles": {str(o.k): {"uas": o.uas, "las": o.las} for o in analysis.oracles},
        }

    # A ranker that has no say: the beam alone, of the same width.
    blank = hc.Ranker(ranking, ["root: bias"], np.zeros(2**10, np.int16), 1.0, {})
    only_beam = parser.with_ranker(blank, 1.0)
    found = {step: values(only_beam, only_beam, 1.0)}
    for groups in GROUPS if step != "BASELINE" else ("fine",):
        training = hc.RankerTraining(candidates, dev=of_dev, options=replace(ranking, groups=groups))
        for _ in training.epochs():
            pass
        ranker, alpha = training.best()
        ranked = parser.with_ranker(ranker, alpha)
        time = relative_time(ranked, dev, setting["repetitions"])
        found[f"{step}+{groups.upper()}"] = values(ranked, parser.with_ranker(ranker, 0.0), time)
    return found


COLUMNS = {
    "dev UAS": "dev",
    "test UAS": "test",
    "test LAS": "test_las",
    "time": "time",
    "generation": "generation",
    "selection": "selection",
    "total": "total",
    "test UAS, non-mixture": "alone",
}


def tables(results: Results) -> Iterator[Table]:
    for (treebank, beam, folds), of in results.by("treebank", "beam", "folds"):
        parsers = [name for step in STEPS for name in of.of(step=step).names()]
        title = f"{treebank}, beam {beam}, {folds} folds"
        yield Table(
            f"HC-search: {title}",
            ("parser", *COLUMNS, "alpha"),
            [
                (
                    name,
                    *(mean(of, name, column) for column in COLUMNS.values()),
                    mean(of, name, "alpha", digits=3) if "+" in name else NOTHING,
                )
                for name in parsers
            ],
            (
                f"Seeds: {of.seeds}. UAS without punctuation; time: of parsing dev, beam and ranker over the "
                "beam alone; generation, selection, total: decomposed loss on dev, % of words.",
            ),
            of,
        )
        plain = [name for name in parsers if "+" not in name and of.has(name, "oracles")]
        if plain:
            yield Table(
                f"The best of the first k trees: {title}",
                ("k", *plain),
                [
                    (k, *(" / ".join(mean(of, n, "oracles", k, m) for m in ("uas", "las")) for n in plain))
                    for k in of.names(plain[0], "oracles")
                ],
                ("UAS / LAS on dev.",),
            )


@benchmark(run, tables)
@treebank_option
@click.option("--system", default="arc-standard", show_default=True, help="Of the perceptrons.")
@click.option("--beam", type=click.IntRange(min=2), default=64, show_default=True, help="Its width.")
@click.option("--folds", type=click.IntRange(min=2), default=20, show_default=True)
@click.option("--rank-epochs", type=positive, default=10, show_default=True)
@epochs_option
@repetitions_option
def main(data: Path, **setting: Any) -> Iterator[tuple[str, Setting]]:
    """The paper's tables, for perceptrons that are trained with a beam, and for other parsers' beams."""
    for step in STEPS:
        yield step, {**setting, "step": step}


if __name__ == "__main__":
    main()
