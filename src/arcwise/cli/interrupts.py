"""Ctrl-C and SIGTERM: everywhere an exception, and in training a request for the next safe moment."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn

CLOSED_PIPE = 128 + 13
"""The exit code of what SIGPIPE ends, which is how other filters leave a closed pipe."""

_Handler = Callable[[int, FrameType | None], Any]


class Terminated(KeyboardInterrupt):
    """SIGTERM, which then cleans up on its way out as Ctrl-C does."""

    exit_code = 128 + signal.SIGTERM


class Interrupted(Exception):
    """A signal that was held back until now."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.exit_code = 128 + signal_number


def _terminate(signal_number: int, frame: FrameType | None) -> NoReturn:
    raise Terminated


@contextlib.contextmanager
def raise_on_terminate() -> Iterator[None]:
    """Lets SIGTERM raise `Terminated`, as SIGINT raises KeyboardInterrupt."""
    with _handled(_terminate, signal.SIGTERM):
        yield


class HeldInterrupts:
    """Signals that wait until `check` is called."""

    def __init__(self) -> None:
        self._signal_number: int | None = None

    def hold(self, signal_number: int, frame: FrameType | None) -> None:
        self._signal_number = self._signal_number or signal_number

    def check(self) -> None:
        """Raises Interrupted if a signal has come."""
        if self._signal_number is not None:
            raise Interrupted(self._signal_number)


@contextlib.contextmanager
def hold_interrupts() -> Iterator[HeldInterrupts]:
    """Holds SIGINT and SIGTERM back, so that what must not be torn apart is not."""
    held = HeldInterrupts()
    with _handled(held.hold, signal.SIGINT, signal.SIGTERM):
        yield held


@contextlib.contextmanager
def _handled(handler: _Handler, *signals: signal.Signals) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # Python hands signals to the main thread only
        return
    # What the caller told this process to ignore (nohup, a script's background job) stays ignored.
    before = {s: old for s in signals if (old := signal.getsignal(s)) is not signal.SIG_IGN}
    for s in before:
        signal.signal(s, handler)
    try:
        yield
    finally:
        for s, old in before.items():
            signal.signal(s, old)
