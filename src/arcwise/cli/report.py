"""How training tells of itself: a growing table over a progress bar, or a plain line an epoch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from arcwise._terminal import visible

if TYPE_CHECKING:
    from rich.console import Console

    from arcwise.training import Epoch, Training


class Report:
    """Tells of a run by `say` a line at a time, or on a terminal; with neither, not at all."""

    def __init__(
        self, training: Training, say: Callable[[str], None] | None, terminal: Console | None
    ) -> None:
        self._training = training
        self._say = say
        self._terminal = terminal
        self._best: float | None = None
        self._has_heading = False
        self._progress = Progress(
            TextColumn("epoch {task.fields[epoch]}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=terminal,
            transient=True,
        )
        self._task = self._progress.add_task(
            "training", total=training.planned * training.words, epoch=self._of_all(1)
        )

    def __enter__(self) -> Report:
        self._best = max((e.dev_las for e in self._training.history if e.dev_las is not None), default=None)
        if self._terminal is not None:
            self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._terminal is not None:
            self._progress.stop()

    def say(self, text: str) -> None:
        if self._terminal is not None:
            self._terminal.print(Text(visible(text)))
        elif self._say is not None:
            self._say(text)

    def step(self, epoch: int, words: int) -> None:
        """Moves the bar: so many words of this epoch are done."""
        done = (epoch - 1) * self._training.words + words
        self._progress.update(self._task, completed=done, epoch=self._of_all(epoch))

    def epoch(self, epoch: Epoch) -> None:
        """Adds an epoch's row."""
        better = epoch.dev_las is not None and (self._best is None or epoch.dev_las > self._best)
        if better:
            self._best = epoch.dev_las
        if self._terminal is not None:
            if not self._has_heading:
                self._terminal.print(Text(_heading(epoch), style="bold"))
                self._has_heading = True
            self._terminal.print(Text(_row(epoch, better), style="green" if better else ""))
        elif self._say is not None:
            of_what = "decisions" if self._training.options.train_beam is None else "sentences"
            self._say(_line(epoch, self._of_all(epoch.number), of_what, better))

    def _of_all(self, epoch: int) -> str:
        return f"{epoch}/{self._training.planned}"


def _heading(epoch: Epoch) -> str:
    scores = "" if epoch.dev_las is None else f"{'dev UAS':>9}{'dev LAS':>9}"
    return f"{'epoch':>5}{'loss':>9}{'wrong':>11}{scores}{'words/s':>11}"


def _row(epoch: Epoch, better: bool) -> str:
    scores = "" if epoch.dev_las is None else f"{epoch.dev_uas:9.2f}{epoch.dev_las:9.2f}"
    speed = f"{epoch.words_per_second:11,.0f}"
    return f"{epoch.number:5}{epoch.loss:9.4f}{epoch.wrong:11,}{scores}{speed}{'  best' if better else ''}"


def _line(epoch: Epoch, number: str, of_what: str, better: bool) -> str:
    scores = ""
    if epoch.dev_las is not None:
        scores = f", dev UAS {epoch.dev_uas:.2f} LAS {epoch.dev_las:.2f}{' (best)' if better else ''}"
    wrong = f"{epoch.wrong:,} of {epoch.decisions:,} {of_what} wrong"
    return f"epoch {number}: loss {epoch.loss:.4f}, {wrong}{scores}, {epoch.words_per_second:,.0f} words/s"
