"""A tagger with a network of its own that learns from corrections, and what it cannot learn from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from arcwise import _core, network, tagging
from arcwise.errors import ModelError, TreebankError
from arcwise.tagger import Tagger
from arcwise.tagger_training import TaggerTraining
from arcwise.treebank import Treebank


class TaggerUpdate(TaggerTraining):
    """A run that goes on training a tagger with the tags of a treebank; `tagger()` is the improved one.

    The first `corrected` sentences of the treebank are corrections, others are learnt again along with them.
    """

    def __init__(
        self,
        tagger: Tagger,
        treebank: Treebank,
        corrected: int,
        *,
        rate: float,
        epochs: int,
        threads: int = 1,
    ) -> None:
        self.before, self._corrected = tagger, corrected
        # Other sentences keep the weights in place, as in training.
        self._alone = corrected == len(treebank)
        options = replace(
            tagger.info.options,
            epochs=epochs,
            rate=rate,
            average=network.AVERAGE_OF_UPDATE,
            **(network.NOTHING_DROPPED if self._alone else {}),
        )
        super().__init__(treebank, options=options, threads=threads)
        state = dict(self._core.state())
        learner = state["learner"]
        try:
            state["learner"] = learner | tagging.taken_up(
                tagger, self._set, learner, shared=False, alone=self._alone
            )
            self._core.restore(**state)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"The tagger is damaged: {error}") from error

    def _tagging_set(self) -> _core.TaggingSet:
        return tagging.corrected_set(self.before, self.treebank, self._corrected)

    def _network_options(self) -> Mapping[str, Any]:
        more = network.UPDATE if self._alone else {}
        return {**more, "vocabulary": self.before._arrays["keys"]}

    def tagger(self) -> Tagger:
        """The tagger that has learnt, with what else is said of it as before."""
        assert self._best is not None
        return tagging.updated(self.before, self._best, self.treebank, self.before.info.training)


def demand_known(treebank: Treebank, tagger: Tagger) -> None:
    """Refuses values of the first column, UPOS as a rule, that no word of the tagger's treebank had."""
    column = tagger.info.columns[0]
    known = dict.fromkeys(analysis[0] for analysis in tagger.info.analyses)
    for word, value in enumerate(treebank.column(column)):
        if value == "_" or value in known:
            continue
        sentence = treebank[int(np.searchsorted(treebank.first_words, word, side="right")) - 1]
        raise TreebankError(
            f"{treebank.source}: sentence {sentence.id or f'at line {sentence.line}'} has the "
            f"{column.upper()} '{value}', which the tagger does not know, and an update brings no new ones: "
            f"choose from {' '.join(known)}; or train a tagger on a treebank that has it."
        )


def unknown_together(treebank: Treebank, tagger: Tagger) -> list[tuple[str, ...]]:
    """Tags of words that never stand together in what the tagger was trained on: of these it can learn the
    first column alone, as far as that goes."""
    used = [(at, name) for at, name in enumerate(tagger.info.columns) if treebank.has(name)]
    known = {tuple(analysis[at] for at, _ in used) for analysis in tagger.info.analyses}
    columns = [treebank.column(name) for _, name in used]
    empty = ("_",) * len(columns)
    return [tags for tags in zip(*columns, strict=True) if tags not in known and tags != empty]
