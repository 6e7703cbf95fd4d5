"""All steps of HC-search in one call."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from arcwise.errors import OptionError
from arcwise.hc import features
from arcwise.hc.candidates import Candidates
from arcwise.hc.cross_validation import CrossValidation, cross_validate
from arcwise.hc.ranker import RankerTraining
from arcwise.options import TrainingOptions
from arcwise.parser import Parser, columns_of
from arcwise.ranking_options import RankingOptions, refuse_without_beam
from arcwise.training import Training
from arcwise.treebank import Treebank


def train(
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    options: TrainingOptions | None = None,
    ranking: RankingOptions | None = None,
    jobs: int = 1,
    store: str | os.PathLike[str] | None = None,
    **changes: Any,
) -> Parser:
    """Trains a parser and a ranker for it; options of the parser are given whole or one by one.

    `jobs` folds of the cross-validation run at a time, and are kept in the folder `store`.
    """
    if options is not None and changes:
        raise OptionError("Give the options whole or one by one, not both.")
    ranking = ranking or RankingOptions()
    options = options or TrainingOptions(**changes)
    check(treebank, options, ranking)
    parser = Training(treebank, dev=dev, options=options, threads=jobs).finish()
    candidates = cross_validate(
        treebank,
        options_of_folds(parser),
        folds=ranking.folds,
        beam=ranking.beam,
        jobs=jobs,
        store=store,
    )
    of_dev = None if dev is None else Candidates.of(parser, dev, beam=ranking.beam, threads=jobs)
    training = RankerTraining(candidates, dev=of_dev, options=ranking, threads=jobs)
    for _ in training.epochs():
        pass
    return parser.with_ranker(*training.best())


def check(treebank: Treebank, options: TrainingOptions, ranking: RankingOptions) -> None:
    """Refuses what would fail once the parser is trained, before any work is done for it."""
    refuse_without_beam(options)
    CrossValidation(treebank, options, folds=ranking.folds, beam=ranking.beam)
    features.choose(ranking.features, [c for c in columns_of(treebank) if c not in options.leave_out])


def options_of_folds(parser: Parser) -> TrainingOptions:
    """How the parsers of the folds are trained: as this one, and for as long as did it good.

    A network's learning rate depends on how many epochs there are: it is trained for all of them.
    """
    options = parser.info.options
    if parser.info.learner.plans_epochs:
        return options
    return replace(options, epochs=parser.info.training["epoch"])
