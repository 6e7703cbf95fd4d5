"""What a run tells of itself: lines in a log, a progress bar, and whatever a caller makes of its epochs."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from arcwise._progress import Bar

if TYPE_CHECKING:
    from rich.console import Console

    from arcwise.training import Epoch, Training

logger = logging.getLogger("arcwise")


class Reporter:
    """Tells Python's `logging` of a run, under the name `arcwise`, and shows a progress bar where someone is
    watching: in a terminal or a notebook.

    `on_epoch(part, epoch)` is called after each epoch of the `segmenter`, the `tagger`, the `parser` and the
    `ranker`. `on_step()` is called many times a second; what it raises ends the run where it can go on.
    """

    def __init__(
        self,
        *,
        progress: bool = True,
        on_epoch: Callable[[str, Any], None] | None = None,
        on_step: Callable[[], None] | None = None,
        console: Console | None = None,
    ) -> None:
        self.progress = progress
        self.on_epoch, self.on_step = on_epoch, on_step
        self.console = console
        self.ended = False
        """Whether a caller has ended the run, between two steps."""
        self._bar: Bar | None = None

    def say(self, text: str) -> None:
        """A line on what is being done."""
        logger.info(text)

    def epoch(self, part: str, epoch: Any, line: str, *, better: bool = False) -> None:
        """An epoch of a part is over, of which this line tells."""
        self.say(line)
        self.part_epoch(part, epoch)

    def part_epoch(self, part: str, epoch: Any) -> None:
        """The same of a part whose epochs are not told of one by one."""
        if self.on_epoch is not None:
            self._ask(lambda: self.on_epoch and self.on_epoch(part, epoch))

    @contextlib.contextmanager
    def work(self, what: str, total: int | None) -> Iterator[None]:
        """While something is done that takes so many steps."""
        with Bar(what, total, shown=self.progress, console=self.console) as self._bar:
            yield
        self._bar = None

    def step(self, done: int, note: str = "") -> None:
        """So many steps are done."""
        if self._bar is not None:
            self._bar.show(done, note)
        if self.on_step is not None:
            self._ask(self.on_step)

    def _ask(self, callback: Callable[[], object]) -> None:
        try:
            callback()
        except BaseException:
            self.ended = True
            raise


def epoch_line(training: Training, epoch: Epoch, better: bool) -> str:
    """A parser's epoch in a line."""
    scores = ""
    if epoch.dev_las is not None:
        scores = f", dev UAS {epoch.dev_uas:.2f} LAS {epoch.dev_las:.2f}{' (best)' if better else ''}"
    of_what = "decisions" if training.learner.beam_of(training.options) is None else "sentences"
    wrong = f"{epoch.wrong:,} of {epoch.decisions:,} {of_what} wrong"
    number = f"{epoch.number}/{training.planned}"
    return f"epoch {number}: loss {epoch.loss:.4f}, {wrong}{scores}, {epoch.words_per_second:,.0f} words/s"
