"""How training tells of itself: a growing table over a progress bar, or a plain line an epoch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from arcwise._progress import terminal
from arcwise._terminal import visible
from arcwise.cli.common import say, with_flags
from arcwise.recipe.reporting import Reporter

if TYPE_CHECKING:
    from arcwise.training import Epoch


class Report(Reporter):
    """Tells of a run on standard error, or, if `quiet`, not at all."""

    def __init__(self, on_step: Callable[[], None], *, quiet: bool) -> None:
        super().__init__(progress=not quiet, on_step=on_step, console=None if quiet else terminal())
        self._quiet = quiet
        self._has_heading = False

    def say(self, text: str) -> None:
        text = with_flags(text)
        if self.console is not None:
            self._print(text)
        elif not self._quiet:
            say(text)

    def epoch(self, part: str, epoch: Any, line: str, *, better: bool = False) -> None:
        if self.console is None or part != "parser":
            super().epoch(part, epoch, line, better=better)
            return
        if not self._has_heading:
            self._print(_heading(epoch), style="bold")
            self._has_heading = True
        self._print(_row(epoch, better), style="green" if better else "")

    def _print(self, text: str, style: str = "") -> None:
        from rich.text import Text

        assert self.console is not None
        self.console.print(Text(visible(text), style=style))


def _heading(epoch: Epoch) -> str:
    scores = "" if epoch.dev_las is None else f"{'dev UAS':>9}{'dev LAS':>9}"
    return f"{'epoch':>5}{'loss':>9}{'wrong':>11}{scores}{'words/s':>11}"


def _row(epoch: Epoch, better: bool) -> str:
    scores = "" if epoch.dev_las is None else f"{epoch.dev_uas:9.2f}{epoch.dev_las:9.2f}"
    speed = f"{epoch.words_per_second:11,.0f}"
    return f"{epoch.number:5}{epoch.loss:9.4f}{epoch.wrong:11,}{scores}{speed}{'  best' if better else ''}"
