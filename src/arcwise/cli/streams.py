"""Standard streams that are closed, from the beginning (`>&-`) or before all is written."""

from __future__ import annotations

import contextlib
import io
import os
import sys


def open_closed_streams() -> None:
    """Gives this process the standard streams that it was started without.

    Otherwise the next file that is opened would get their numbers. As in other tools, reading from one that
    was closed fails, writing to it fails, and what is said on standard error is lost.
    """
    modes = (("stdin", 0, os.O_WRONLY), ("stdout", 1, os.O_RDONLY), ("stderr", 2, os.O_WRONLY))
    for name, number, mode in modes:
        if getattr(sys, name) is None and _is_closed(number):
            _point(number, mode)
            stream = open(number, "r" if name == "stdin" else "w", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def give_up_output() -> None:
    """Lets go of what cannot be written to standard output: Python would try, and complain, at the end."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError, io.UnsupportedOperation):
            _point(sys.stdout.fileno(), os.O_WRONLY)


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def _point(number: int, mode: int) -> None:
    """Lets a descriptor lead nowhere."""
    opened = os.open(os.devnull, mode)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
