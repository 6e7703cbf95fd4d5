"""What comes after the parser in HC-search: candidates by cross-validation, and a ranker of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arcwise._terminal import counted

if TYPE_CHECKING:
    from pathlib import Path

    from arcwise.hc import RankingEpoch, RankingOptions
    from arcwise.parser import Parser
    from arcwise.recipe.reporting import Reporter
    from arcwise.treebank import Treebank


def with_ranker(
    parser: Parser,
    treebank: Treebank,
    dev: Treebank | None,
    options: RankingOptions,
    *,
    jobs: int,
    folder: Path | None,
    reporter: Reporter,
) -> tuple[Parser, str]:
    """The parser with a ranker, and what was kept of its epochs, in words.

    The candidates of each fold are kept in the folder until the run is over.
    """
    from arcwise import hc

    reporter.say(
        f"Finding candidates with a beam of {options.beam}: cross-validation in {options.folds} folds, "
        f"{counted(jobs, 'job')} at a time."
    )
    with reporter.work("cross-validation", 1000):
        candidates = hc.cross_validate(
            treebank,
            hc.options_of_folds(parser),
            folds=options.folds,
            beam=options.beam,
            jobs=jobs,
            store=folder,
            on_step=lambda share: reporter.step(
                round(1000 * share), f"{share * options.folds:.1f} of {options.folds} folds"
            ),
        )
    of_dev = None if dev is None else hc.Candidates.of(parser, dev, beam=options.beam, threads=jobs)
    training = hc.RankerTraining(candidates, dev=of_dev, options=options, threads=jobs)
    how = f"{options.groups} groups, loss of {options.loss}, {counted(len(training.templates), 'template')}"
    beam = training.beam_alone()
    chooses = "dev" if dev is not None else f"one sentence in {hc.HELD_OUT}"
    reporter.say(
        f"Ranking {counted(len(candidates.scores), 'tree')} of {counted(len(treebank), 'sentence')} ({how}); "
        f"alpha by {chooses}, where the beam alone has UAS {beam.uas:.2f} LAS {beam.las:.2f}."
    )
    with reporter.work("ranking", options.epochs * training.sentences):

        def on_step(epoch: int, sentences: int) -> None:
            done = (epoch - 1) * training.sentences + sentences
            reporter.step(done, f"epoch {epoch}/{options.epochs}")

        for epoch in training.epochs(on_step):
            line = _line(epoch, options.epochs, "dev" if dev is not None else "held out")
            reporter.epoch("ranker", epoch, line)
    ranker, alpha = training.best()
    kept: Any = training.history[ranker.training["epoch"] - 1]
    told = (
        f"Kept ranking epoch {kept.number} of {len(training.history)} (alpha {alpha:g}, "
        f"UAS {kept.mixture.uas:.2f}, LAS {kept.mixture.las:.2f})"
    )
    return parser.with_ranker(ranker, alpha), told


def _line(epoch: RankingEpoch, planned: int, on: str) -> str:
    mixture = epoch.mixture
    return (
        f"ranking epoch {epoch.number}/{planned}: {epoch.updates:,} of {epoch.pairs:,} pairs out of order, "
        f"{on} UAS {mixture.uas:.2f} LAS {mixture.las:.2f} with alpha {mixture.alpha:g}"
    )
