"""Candidates to learn from: those of each part of a treebank come from a parser of the other parts.

A parser knows the trees it was trained on too well: a ranker that learnt from what it finds there would not
know what to do with new text (Liu et al. 2015, 3.3).
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from arcwise import model_file
from arcwise.errors import ModelError
from arcwise.folds import Folds, Step
from arcwise.hc.candidates import Candidates
from arcwise.options import ParserOptions
from arcwise.training import Training
from arcwise.treebank import Treebank

KIND = "candidates"
PathLike = str | os.PathLike[str]


def cross_validate(
    treebank: Treebank,
    options: ParserOptions | None = None,
    *,
    folds: int = 20,
    beam: int = 64,
    jobs: int = 1,
    store: PathLike | None = None,
    on_step: Step | None = None,
) -> Candidates:
    """The candidates of all sentences of a treebank, each fold's from a parser of the other folds.

    `jobs` folds run at a time. In the folder `store` each fold is kept when it is done, and found again by
    the next call with the same treebank and options. `on_step` hears how much is done, from 0 to 1.
    """
    return CrossValidation(treebank, options, folds=folds, beam=beam, store=store).run(jobs, on_step)


class CrossValidation:
    """The folds of a treebank, and what is known of their candidates."""

    def __init__(
        self,
        treebank: Treebank,
        options: ParserOptions | None = None,
        *,
        folds: int = 20,
        beam: int = 64,
        store: PathLike | None = None,
    ) -> None:
        self.folds = Folds(treebank, folds)
        self.treebank = treebank
        # What dev would decide, it cannot decide here.
        self.options = replace(options or ParserOptions(), patience=None).resolved()
        self.beam = beam
        self.store = None if store is None else Path(store)

    def training(self, fold: int) -> Training:
        """The run whose parser finds the candidates of a fold: on all sentences but those of the fold."""
        return Training(self.folds.others(fold), options=self.options)

    def run(self, jobs: int = 1, on_step: Step | None = None) -> Candidates:
        """All candidates, in the order of the treebank."""
        found = self.folds.run(
            lambda fold, step: self._stored(fold) or self._found(fold, step), jobs, on_step
        )
        return Candidates.joined(self.treebank, found)

    def _found(self, fold: int, step: Step) -> Candidates:
        step(0.0)
        training = self.training(fold)
        words = training.words * training.planned

        def on_step(epoch: int, in_epoch: int) -> None:
            # The rest is for the beam.
            step(0.9 * ((epoch - 1) * training.words + in_epoch) / words)

        for _ in training.epochs(on_step):
            pass
        found = Candidates.of(training.parser(), self.folds.held_out(fold), beam=self.beam)
        self._keep(fold, found)
        step(1.0)
        return found

    def _about(self, fold: int) -> dict[str, Any]:
        return {
            "kind": KIND,
            "made_from": self._made_from,
            "beam": self.beam,
            "fold": fold,
            "folds": self.folds.count,
            "label_names": list(self.treebank.label_names),
        }

    @cached_property
    def _made_from(self) -> dict[str, Any]:
        """The options name files of templates and vectors: what is in them counts."""
        return Training(self.treebank, options=self.options).made_from()

    def _path(self, fold: int) -> Path | None:
        return None if self.store is None else self.store / f"fold-{fold + 1}.{KIND}"

    def _keep(self, fold: int, found: Candidates) -> None:
        path = self._path(fold)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            model_file.write(path, self._about(fold), found.arrays())

    def _stored(self, fold: int) -> Candidates | None:
        path = self._path(fold)
        if path is None or not path.exists():
            return None
        header, arrays = model_file.read(path, KIND)
        if {name: header.get(name) for name in self._about(fold)} != self._about(fold):
            raise ModelError(
                f"{path} is from a run on another treebank or with other options: go on with the same ones, "
                "or remove it."
            )
        try:
            found = Candidates(
                self.folds.held_out(fold),
                **{name: np.array(array) for name, array in arrays.items()},
                label_names=header["label_names"],
                leave_out=self.options.leave_out,
            )
            found.check()
        except model_file.DAMAGE as error:
            raise ModelError(f"{path} is damaged: remove it.") from error
        return found
