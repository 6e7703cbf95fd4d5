"""Files in and out: `-` is a standard stream, and writing leaves a whole file or none."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]


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


_COMPRESSED = {".xz": "lzma", ".gz": "gzip", ".bz2": "bz2"}
"""By the endings of files, the modules that read them."""


def without_compression(path: str | os.PathLike[str]) -> str:
    """The name that a compressed file has otherwise.

    >>> without_compression("trees.conllu.xz")
    'trees.conllu'
    """
    return str(Path(path).with_suffix("")) if Path(path).suffix in _COMPRESSED else os.fspath(path)


@contextlib.contextmanager
def open_decompressed(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Opens a file for reading, decompressed if its name says that it is compressed."""
    ending = Path(path).suffix
    if ending not in _COMPRESSED:
        with open_input(path) as file:
            yield file
        return
    import importlib
    import lzma
    import zlib

    try:
        with importlib.import_module(_COMPRESSED[ending]).open(path, "rb") as file:
            yield file
    except (EOFError, lzma.LZMAError, zlib.error) as error:
        raise OSError(f"it is no {ending} file, or damaged ({error})") from error


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
    _clean_up(target)
    with contextlib.ExitStack() as lock:
        temporary, created = _created(target, lock)
        with created:
            yield created
            created.flush()
            os.fsync(created.fileno())
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)


# A process that is killed leaves its temporary file behind. The next one that writes the same file removes
# it. Whoever writes holds a lock on the temporary file until it has its name: the system lets go of the lock
# when the process ends, however it does, and shows it to other machines and containers that share the folder,
# which the number of a process would say nothing to. So a file without a lock is of a process that is gone.


def _created(target: Path, lock: contextlib.ExitStack) -> tuple[Path, BinaryIO]:
    """A new temporary file for a target, locked until the end of `lock`, which removes it if it is left."""
    while True:
        temporary = target.with_name(f".{target.name[:100]}.{os.urandom(4).hex()}.tmp")
        if temporary.exists():
            continue
        # Before it is there: an interrupt may come as soon as it is.
        lock.callback(temporary.unlink, missing_ok=True)
        file = temporary.open("xb")
        if fcntl is None:
            return temporary, file
        # Closing the file must not give up the lock before the file is renamed.
        held = os.dup(file.fileno())
        lock.callback(os.close, held)
        with contextlib.suppress(OSError):  # a file system without locks, where nobody cleans up either
            fcntl.flock(held, fcntl.LOCK_EX)
        if temporary.exists():
            return temporary, file
        file.close()  # someone has cleaned it up just before it was locked


def _clean_up(target: Path) -> None:
    """Removes the temporary files of processes that were killed while they wrote a target."""
    if fcntl is None:
        return
    name = re.compile(rf"\.{re.escape(target.name[:100])}\.[0-9a-f]{{8}}\.tmp")
    with contextlib.suppress(OSError):
        for path in [path for path in target.parent.iterdir() if name.fullmatch(path.name)]:
            if path.is_symlink() or not path.is_file():
                continue  # none of ours
            with contextlib.suppress(OSError), path.open("rb") as left:
                fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()


def write_whole(path: str | os.PathLike[str], *parts: bytes | memoryview) -> None:
    """Writes a file, whole or not at all, as `open_output` does."""
    with open_output(path) as file:
        file.writelines(parts)
