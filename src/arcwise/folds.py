"""A treebank in parts, each worked on with what was learnt from the others.

What was trained on a text knows it too well to say how new text would fare.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

from arcwise.errors import OptionError
from arcwise.treebank import Treebank

Result = TypeVar("Result")
Step = Callable[[float], None]
"""Hears how much is done, from 0 to 1."""


class Folds:
    """So many parts of a treebank, of sentences that stand side by side, as do those of a text."""

    def __init__(self, treebank: Treebank, count: int) -> None:
        if count < 2:
            raise OptionError("Cross-validation takes at least 2 folds.")
        if count > len(treebank):
            raise OptionError(
                f"A treebank of {len(treebank)} sentences cannot be cut into {count} folds: use fewer folds."
            )
        self.treebank = treebank
        self.count = count

    def sentences(self, fold: int) -> range:
        """The numbers of a fold's sentences."""
        sentences = len(self.treebank)
        return range(sentences * fold // self.count, sentences * (fold + 1) // self.count)

    def held_out(self, fold: int) -> Treebank:
        """The sentences of a fold."""
        own = self.sentences(fold)
        return self.treebank[own.start : own.stop]

    def others(self, fold: int) -> Treebank:
        """All sentences but those of a fold."""
        own = self.sentences(fold)
        return self.treebank.select([*range(own.start), *range(own.stop, len(self.treebank))])

    def run(
        self, work: Callable[[int, Step], Result], jobs: int = 1, on_step: Step | None = None
    ) -> list[Result]:
        """What `work(fold, step)` gives for each fold, `jobs` of them at a time.

        It calls `step` with the share of the fold that is done; `on_step` hears that of all folds. If one
        fails, the others end at their next step.
        """
        if jobs < 1:
            raise OptionError("Cross-validation takes at least one job.")
        done = [0.0] * self.count
        stop = threading.Event()

        def run_fold(fold: int) -> Result:
            def step(share: float) -> None:
                if stop.is_set():
                    raise _Stopped
                done[fold] = share
                if on_step is not None:
                    on_step(sum(done) / self.count)

            return work(fold, step)

        with ThreadPoolExecutor(jobs) as workers:
            futures = [workers.submit(run_fold, fold) for fold in range(self.count)]
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
            finally:  # a failure, or an interrupt of the waiting, ends the others too
                stop.set()
                for future in futures:
                    future.cancel()
        for future in futures:
            if not future.cancelled() and not isinstance(future.exception(), _Stopped):
                future.result()
        return [future.result() for future in futures]


class _Stopped(Exception):
    """Another fold has failed."""
