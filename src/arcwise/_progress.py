"""A progress bar on standard error, for what takes long enough to want one."""

from __future__ import annotations

import importlib.util
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

SECONDS_BEFORE_THE_BAR = 2.0


def terminal() -> Console | None:
    """Standard error, or the notebook that this runs in, if someone is watching."""
    in_notebook = "ipykernel" in sys.modules and importlib.util.find_spec("ipywidgets") is not None
    if not (sys.stderr.isatty() or in_notebook):
        return None
    from rich.console import Console

    if in_notebook:
        return Console(highlight=False)

    console = Console(stderr=True, highlight=False)
    return None if console.is_dumb_terminal else console


class Bar:
    """Appears after two seconds, if someone is watching; goes when the work is done."""

    def __init__(
        self, what: str, total: int | None, *, shown: bool = True, console: Console | None = None
    ) -> None:
        self._what = what
        self._total = total
        self._console = (console or terminal()) if shown else None
        self._started = time.monotonic()
        self._progress: Any = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, completed: int, note: str = "") -> None:
        """How far the work has got, and a few words beside the bar."""
        if self._console is None or time.monotonic() - self._started < SECONDS_BEFORE_THE_BAR:
            return
        if self._progress is None:
            self._start(self._console)
        self._progress.update(self._task, completed=completed, note=note)

    def _start(self, console: Console) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn(self._what),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._progress.add_task(self._what, total=self._total, note="")
        self._progress.start()
