"""Jackknifing: a treebank with the tags that a tagger would give it if it had not been trained on it.

A parser that is to work with predicted tags should see such tags, with their errors, when it is trained.
"""

from __future__ import annotations

from arcwise.folds import Folds, Step
from arcwise.options.tagger import TaggerOptions
from arcwise.tagger_training import TaggerTraining
from arcwise.treebank import Treebank

FOLDS = 10


def jackknife(
    treebank: Treebank,
    *,
    folds: int = FOLDS,
    jobs: int = 1,
    options: TaggerOptions | None = None,
    on_step: Step | None = None,
) -> Treebank:
    """The treebank with tags and lemmas of each fold from a tagger that was trained on the other folds.

    `jobs` folds run at a time. `on_step` hears how much is done, from 0 to 1.
    """
    parts = Folds(treebank, folds)

    def tagged(fold: int, step: Step) -> Treebank:
        training = TaggerTraining(parts.others(fold), options=options)
        words = training.words * training.planned
        tagger = training.finish(
            lambda epoch, in_epoch: step(((epoch - 1) * training.words + in_epoch) / words)
        )
        return tagger.tag(parts.held_out(fold))

    text = b"".join(part.to_bytes() for part in parts.run(tagged, jobs, on_step))
    return Treebank.from_string(text, format=treebank.format, check_trees=False, source=treebank.source)
