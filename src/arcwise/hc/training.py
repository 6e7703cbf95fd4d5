"""All steps of HC-search in one call."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from arcwise.errors import OptionError
from arcwise.hc import features
from arcwise.hc.cross_validation import CrossValidation
from arcwise.options import ParserOptions
from arcwise.options.pipeline import PipelineOptions
from arcwise.options.ranking import RankingOptions, refuse_without_beam
from arcwise.parser import Parser, columns_of
from arcwise.treebank import Treebank


def train(
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    options: ParserOptions | None = None,
    ranking: RankingOptions | None = None,
    jobs: int = 1,
    store: str | os.PathLike[str] | None = None,
    on_epoch: Callable[[str, Any], None] | None = None,
    progress: bool = True,
    **changes: Any,
) -> Parser:
    """Trains a parser and a ranker for it; options of the parser are given whole or one by one.

    `jobs` folds of the cross-validation run at a time, and are kept in the folder `store`. `on_epoch` and
    `progress` as of `Pipeline.train`.
    """
    if options is not None and changes:
        raise OptionError("Give the options whole or one by one, not both.")
    from arcwise.recipe import PipelineTraining

    whole = PipelineOptions(
        components=("parser",),
        parser=options or ParserOptions.of(**changes),
        ranking=ranking or RankingOptions(),
    )
    training = PipelineTraining(
        treebank,
        dev=dev,
        options=whole,
        threads=jobs,
        jobs=jobs,
        folds=store,
        on_epoch=on_epoch,
        progress=progress,
    )
    parser = training.finish().parser
    assert parser is not None
    return parser


def check(treebank: Treebank, options: ParserOptions, ranking: RankingOptions) -> None:
    """Refuses what would fail once the parser is trained, before any work is done for it."""
    refuse_without_beam(options)
    CrossValidation(treebank, options, folds=ranking.folds, beam=ranking.beam)
    features.choose(ranking.features, [c for c in columns_of(treebank) if c not in options.leave_out])


def options_of_folds(parser: Parser) -> ParserOptions:
    """How the parsers of the folds are trained: as this one, and for as long as did it good.

    A network's learning rate depends on how many epochs there are: it is trained for all of them.
    """
    options = parser.info.options
    if parser.info.learner.plans_epochs:
        return options
    return replace(options, epochs=parser.info.training["epoch"])
