"""HC-search: Tables 1, 2 and 3 of Liu et al. 2015 on a treebank, and the same for a network's beam.

python benchmarks/hc.py --treebank udt2_sv
python benchmarks/hc.py --treebank en_ewt --seeds 1 --folds 5 --beam 16 --only network --work folds
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np

from arcwise import Parser, ParserOptions, Treebank, hc
from arcwise.options.ranking import GROUPS
from common import (
    NOTHING,
    data_option,
    jobs_option,
    load,
    markdown_option,
    mean,
    only_option,
    print_table,
    progress,
    score,
    seeds_option,
    treebank_option,
)
from speed import interleaved, one_core

BASELINE = "BASELINE"


def steps(beam: int, system: str) -> dict[str, ParserOptions]:
    """The H-steps: the paper's three perceptrons, trained with the beam, and a network."""
    perceptron = ParserOptions.of(
        system=system, learner="perceptron", features="zn2011", train_beam=beam, violation="early"
    )
    return {
        BASELINE: perceptron,
        "BEST": perceptron.changed(relaxed=True),
        "WORST": perceptron.changed(relaxed=True, negative="worst"),
        "NETWORK": ParserOptions.of(),
        "ADAGRAD": ParserOptions.of(learner="adagrad"),
    }


@dataclass(frozen=True)
class Done:
    """What one ranker came to; without a ranker, what the beam did."""

    dev: float
    test: float
    alone: float
    """On test, without the beam's scores."""
    test_las: float
    relative_time: float
    analysis: hc.Analysis
    """Of dev."""


def without_punctuation(parser: Parser, gold: Treebank) -> float:
    return score(parser, gold).no_punct.uas


def relative_time(parser: Parser, gold: Treebank, repetitions: int) -> float:
    """How much longer the beam and the ranker take than the beam alone, on one core."""
    with one_core():
        timings = interleaved(
            {name: lambda name=name: parser.parse(gold, search=name) for name in ("beam", "hc")},
            repetitions,
            "parsing",
        )
    least = {name: min(timing.cpu for timing in own) for name, own in timings.items()}
    return least["hc"] / least["beam"]


@dataclass(frozen=True)
class Data:
    name: str
    train: Treebank
    dev: Treebank
    test: Treebank
    repetitions: int


def results(
    name: str, options: ParserOptions, ranking: hc.RankingOptions, jobs: int, work: Path | None, data: Data
) -> Iterator[tuple[str, Done]]:
    """The H-step by itself, and with a ranker of each kind of groups."""
    parser = Parser.train(data.train, dev=data.dev, options=options, threads=jobs)
    store = (
        None if work is None else work / f"{data.name}-{name}-{options.seed}-{ranking.folds}-{ranking.beam}"
    )
    folds = hc.options_of_folds(parser)
    candidates = hc.cross_validate(
        data.train, folds, folds=ranking.folds, beam=ranking.beam, jobs=jobs, store=store
    )
    of_dev = hc.Candidates.of(parser, data.dev, beam=ranking.beam, threads=jobs)

    def done(parser: Parser, alone: Parser, time: float) -> Done:
        return Done(
            dev=without_punctuation(parser, data.dev),
            test=without_punctuation(parser, data.test),
            alone=without_punctuation(alone, data.test),
            test_las=score(parser, data.test).las,
            relative_time=time,
            analysis=hc.analyse(parser, data.dev, beam=ranking.beam, threads=jobs),
        )

    # A ranker that has no say: the beam alone, of the same width.
    blank = hc.Ranker(ranking, ["root: bias"], np.zeros(2**10, np.int16), 1.0, {})
    beam = parser.with_ranker(blank, 1.0)
    yield name, done(beam, beam, 1.0)
    for groups in GROUPS if name != BASELINE else ("fine",):
        training = hc.RankerTraining(candidates, dev=of_dev, options=replace(ranking, groups=groups))
        for _ in training.epochs():
            pass
        ranker, alpha = training.best()
        ranked = parser.with_ranker(ranker, alpha)
        time = relative_time(ranked, data.dev, data.repetitions)
        yield f"{name}+{groups.upper()}", done(ranked, parser.with_ranker(ranker, 0.0), time)


def tables(by_name: dict[str, list[Done]], title: str, markdown: bool) -> None:
    def rows(*columns: str) -> Iterator[tuple[str, ...]]:
        for name, own in by_name.items():
            yield name, *(mean(value(run, column) for run in own) for column in columns)

    def value(run: Done, column: str) -> float:
        choice = run.analysis.mixture_choice or run.analysis.beam_choice
        return float(getattr(choice, column) if hasattr(choice, column) else getattr(run, column))

    def oracle(run: Done, k: int, part: str) -> float:
        return float(next(getattr(o, part) for o in run.analysis.oracles if o.k == k))

    print_table(
        f"Table 1: UAS without punctuation, LAS and relative time of parsing dev; {title}",
        ("parser", "dev", "test", "test LAS", "time"),
        rows("dev", "test", "test_las", "relative_time"),
        markdown=markdown,
    )
    print_table(
        f"Table 2: decomposed loss on dev, % of words; {title}",
        ("parser", "generation", "selection", "total"),
        rows("generation", "selection", "total"),
        markdown=markdown,
    )
    print_table(
        f"Table 3: test UAS without punctuation, without and with mixture; {title}",
        ("parser", "non-mixture", "mixture", "alpha"),
        (
            (
                name,
                mean(run.alone for run in own),
                mean(run.test for run in own) if "+" in name else NOTHING,
                mean((run.analysis.alpha or 0.0 for run in own), 3) if "+" in name else NOTHING,
            )
            for name, own in by_name.items()
        ),
        markdown=markdown,
    )
    plain = {name: own for name, own in by_name.items() if "+" not in name}
    widths = [oracle.k for own in plain.values() for oracle in own[0].analysis.oracles]
    print_table(
        f"The best of the first k trees on dev: UAS / LAS; {title}",
        ("k", *plain),
        (
            (
                str(k),
                *(
                    " / ".join(mean(oracle(run, k, part) for run in own) for part in ("uas", "las"))
                    for own in plain.values()
                ),
            )
            for k in dict.fromkeys(widths)
        ),
        markdown=markdown,
    )


@click.command()
@data_option
@treebank_option
@click.option("--system", default="arc-standard", show_default=True, help="Of the perceptrons.")
@click.option("--beam", type=click.IntRange(min=2), default=64, show_default=True, help="Its width.")
@click.option("--folds", type=click.IntRange(min=2), default=20, show_default=True)
@click.option("--rank-epochs", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--epochs", type=click.IntRange(min=1), help="Of the H-step.  [default: the learner's]")
@click.option(
    "--repetitions", type=click.IntRange(min=1), default=5, show_default=True, help="Of what is timed."
)
@click.option("--work", type=click.Path(file_okay=False, path_type=Path), help="A folder to keep folds in.")
@only_option("H-steps")
@seeds_option
@jobs_option
@markdown_option
def main(
    data: Path,
    treebank: str,
    system: str,
    beam: int,
    folds: int,
    rank_epochs: int,
    epochs: int | None,
    repetitions: int,
    work: Path | None,
    only: re.Pattern[str],
    seeds: int,
    jobs: int,
    markdown: bool,
) -> None:
    """The paper's tables, for perceptrons that are trained with a beam, and for other parsers' beams."""
    chosen = {
        name: replace(options, epochs=epochs or options.epochs)
        for name, options in steps(beam, system).items()
        if re.search(only.pattern, name, re.IGNORECASE)
    }
    train, dev, test = (load(data, treebank, part) for part in ("train", "dev", "test"))
    own = Data(treebank, train, dev, test, repetitions)
    by_name: dict[str, list[Done]] = {}
    with progress("H-steps", seeds * len(chosen)) as bar:
        for seed in range(1, seeds + 1):
            ranking = hc.RankingOptions(beam=beam, folds=folds, epochs=rank_epochs, seed=seed)
            for name, options in chosen.items():
                for setting, done in results(name, replace(options, seed=seed), ranking, jobs, work, own):
                    by_name.setdefault(setting, []).append(done)
                bar.update(f"{name}, seed {seed}")
    tables(by_name, f"{treebank}, beam {beam}, {folds} folds, {seeds} seeds", markdown)


if __name__ == "__main__":
    main()
