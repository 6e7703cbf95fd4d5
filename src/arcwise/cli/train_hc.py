"""`arcwise train --search hc`: what comes after the parser, and what is left to resume with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise._progress import Bar
from arcwise.cli.common import counted
from arcwise.cli.kept import Kept, treebank_made_from

if TYPE_CHECKING:
    from arcwise.hc import RankingEpoch, RankingOptions
    from arcwise.parser import Parser
    from arcwise.training import Training
    from arcwise.treebank import Treebank


class Work:
    """What is kept of a run that is not over: the parser, once it is trained, and the folds that are done."""

    def __init__(self, output: str) -> None:
        self.kept = Kept(Path(f"{output}.hc"))

    @property
    def has_parser(self) -> bool:
        return self.kept.has("parser")

    def keep(self, parser: Parser, training: Training) -> None:
        self.kept.keep("parser", parser.to_component(), _made_from(training))

    def parser_of(self, training: Training) -> Parser:
        """The parser that was kept, which must be of the same run."""
        from arcwise.parser import Parser

        kept = self.kept.find("parser", _made_from(training))
        assert kept is not None
        return Parser.from_component(kept)


def _made_from(training: Training) -> dict[str, Any]:
    treebanks = {"treebank": training.treebank, "dev": training.dev}
    return {
        **training.made_from(),
        **{name: treebank_made_from(treebank) for name, treebank in treebanks.items()},
    }


def check_ranking(training: Training, options: RankingOptions) -> None:
    """Refuses what would fail after hours."""
    from arcwise import hc

    hc.check(training.treebank, training.options, options)


def add_ranker(
    parser: Parser,
    treebank: Treebank,
    dev: Treebank | None,
    options: RankingOptions,
    work: Work,
    jobs: int,
    say: Callable[[str], None],
    check_interrupts: Callable[[], None],
    quiet: bool,
) -> tuple[Parser, str]:
    """Finds candidates, trains a ranker on them and gives the parser with it, and what was kept, in words."""
    from arcwise import hc

    say(
        f"Finding candidates with a beam of {options.beam}: cross-validation in {options.folds} folds, "
        f"{counted(jobs, 'job')} at a time."
    )
    with Bar("cross-validation", 1000, shown=not quiet) as bar:

        def on_share(share: float) -> None:
            bar.show(round(1000 * share), f"{share * options.folds:.1f} of {options.folds} folds")
            check_interrupts()

        candidates = hc.cross_validate(
            treebank,
            hc.options_of_folds(parser),
            folds=options.folds,
            beam=options.beam,
            jobs=jobs,
            store=work.kept.folder,
            on_step=on_share,
        )
    of_dev = None if dev is None else hc.Candidates.of(parser, dev, beam=options.beam, threads=jobs)
    training = hc.RankerTraining(candidates, dev=of_dev, options=options, threads=jobs)
    how = f"{options.groups} groups, loss of {options.loss}, {counted(len(training.templates), 'template')}"
    beam = training.beam_alone()
    chooses = "dev" if dev is not None else f"one sentence in {hc.HELD_OUT}"
    say(
        f"Ranking {counted(len(candidates.scores), 'tree')} of {counted(len(treebank), 'sentence')} ({how}); "
        f"alpha by {chooses}, where the beam alone has UAS {beam.uas:.2f} LAS {beam.las:.2f}."
    )
    with Bar("ranking", options.epochs * training.sentences, shown=not quiet) as bar:

        def on_step(epoch: int, sentences: int) -> None:
            bar.show((epoch - 1) * training.sentences + sentences, f"epoch {epoch}/{options.epochs}")
            check_interrupts()

        for epoch in training.epochs(on_step):
            say(_line(epoch, options.epochs, "dev" if dev is not None else "held out"))
    ranker, alpha = training.best()
    kept = training.history[ranker.training["epoch"] - 1]
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
