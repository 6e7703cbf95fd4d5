"""Files in and out: `-` is a standard stream, and writing leaves a whole file or none."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def is_standard_stream(path: str | os.PathLike[str]) -> bool:
    """Whether a path stands for standard input or output."""
    return os.fspath(path) == "-"


@contextlib.contextmanager
def open_input(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Opens a file for reading; `-` is standard input, which stays open."""
    if is_standard_stream(path):
        yield sys.stdin.buffer
    else:
        with Path(path).open("rb") as file:
            yield file


@contextlib.contextmanager
def open_output(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Opens a file for writing under a temporary name and renames it at the end, if all went well.

    So no one sees half of it, and nothing is left behind when the writing is broken off. `-` is
    standard output. What is not a regular file (a pipe, a device) cannot be replaced by a rename and
    is written to as it is; a symbolic link stays one.
    """
    if is_standard_stream(path):
        sys.stdout.flush()
        # Under PYTHONUNBUFFERED the stream is raw: it may write a part of what it is given.
        raw: object = sys.stdout.buffer
        output = io.BufferedWriter(raw) if isinstance(raw, io.RawIOBase) else sys.stdout.buffer
        try:
            yield output
            output.flush()
        finally:
            if isinstance(output, io.BufferedWriter) and output is not raw:
                with contextlib.suppress(OSError):  # those of flushing were raised above
                    output.detach()
        return
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: str | os.PathLike[str], *parts: bytes | memoryview) -> None:
    """Writes a file, whole or not at all, as `open_output` does."""
    with open_output(path) as file:
        file.writelines(parts)
