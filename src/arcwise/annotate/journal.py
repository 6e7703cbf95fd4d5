"""The journal beside a file: every change is here, on the disk, before anyone is told that it is made.

Each line is a checksum and a record in JSON. The first has the file as it was, compressed, so that all that
came later can be made again, whatever has become of the file meanwhile:

    base   the file as it was
    edit   the sentences from one place on, before and after
    undo   takes back the last edit that stands; redo makes the last one again that was taken back
    saved  which edits are in the file that is about to be written, and that file's fingerprint
    theirs what somebody else had written to the file, before it was written over

A line that is cut short, by a process that was killed, counts as never written.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arcwise.annotate.refusals import ConflictError

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

VERSION = 1
SUFFIX = ".journal"


@dataclass(frozen=True)
class Change:
    """Sentences that took the place of others; the inverse has the two the other way round."""

    number: int
    at: int
    """The place of the first, counted from 0."""
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    what: str

    @property
    def inverse(self) -> Change:
        return Change(self.number, self.at, self.new, self.old, self.what)


@dataclass
class History:
    """What a journal says."""

    base: bytes
    changes: list[tuple[str, Change]] = field(default_factory=list)
    """`edit`, `undo` or `redo`, and the change that it makes."""
    done: list[Change] = field(default_factory=list)
    """That stand; the last can be undone."""
    undone: list[Change] = field(default_factory=list)
    """That can be made again, the last first."""
    fingerprints: set[str] = field(default_factory=set)
    """Of the file, as it was and as it was written."""
    number: int = 0


def fingerprint(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Journal:
    """The journal of a file; it is there from the first change on, until the file is closed."""

    def __init__(self, file: Path) -> None:
        self.path = file.with_name(file.name + SUFFIX)
        self._handle: int | None = None
        self._size = -1
        """As far as it has been read or written; -1: not at all."""

    @property
    def is_held(self) -> bool:
        return self._handle is not None

    def hold(self) -> bool:
        """Locks the journal for this process. False if another has written to it since it was read.

        Raises:
            ConflictError: Another process holds it.
        """
        if self._handle is not None:
            return True
        while True:
            handle = os.open(
                self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0), 0o644
            )
            try:
                if fcntl is not None:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                raise ConflictError(
                    "locked",
                    f"Another arcwise changes {self.path.name.removesuffix(SUFFIX)}: close it there first.",
                ) from None
            except OSError:  # a file system without locks
                pass
            with suppress(OSError):
                own, there = os.fstat(handle), self.path.stat()
                if (own.st_ino, own.st_dev) == (there.st_ino, there.st_dev):
                    break
            os.close(handle)  # it was closed and removed in between
        self._handle = handle
        return max(self._size, 0) == os.fstat(handle).st_size

    def read(self) -> History | None:
        """What there is up to now, or None. What was cut short is left out, and written over by the next."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            self._size = 0
            return None
        history: History | None = None
        good = 0
        for line in data.splitlines(keepends=True):
            record = _record(line)
            if record is None:
                break
            good += len(line)
            history = _taken(history, record)
        if self._handle is not None and good < len(data):
            os.ftruncate(self._handle, good)
        self._size = good if self._handle is not None else len(data)
        return history

    def begin(self, base: bytes) -> None:
        """Starts anew from a file as it is; what was before stays in the journal."""
        text = base64.b64encode(zlib.compress(base, 1)).decode()
        self.append({"kind": "base", "version": VERSION, "sha256": fingerprint(base), "text": text})
        _sync_folder(self.path.parent)

    def append(self, record: Mapping[str, Any]) -> None:
        """Writes a record to the disk: it is there when this returns."""
        assert self._handle is not None, "hold the journal first"
        text = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode()
        line = b"%08x %s\n" % (zlib.crc32(text), text)
        end = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            written = 0
            while written < len(line):
                written += os.write(self._handle, line[written:])
            os.fsync(self._handle)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._handle, end)
            raise
        self._size = end + len(line)

    def edit(self, change: Change) -> None:
        old, new = _texts(change.old), _texts(change.new)
        self.append(
            {"kind": "edit", "n": change.number, "at": change.at, "old": old, "new": new, "what": change.what}
        )

    def theirs(self, data: bytes) -> None:
        text = base64.b64encode(zlib.compress(data, 1)).decode()
        self.append({"kind": "theirs", "sha256": fingerprint(data), "text": text})

    def remove(self) -> None:
        """Forgets everything."""
        with suppress(FileNotFoundError):
            self.path.unlink()
        self.release()
        self._size = 0

    def release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _texts(blocks: Sequence[bytes]) -> list[str]:
    return [block.decode("utf-8", "surrogateescape") for block in blocks]


def _blocks(texts: Sequence[str]) -> tuple[bytes, ...]:
    return tuple(text.encode("utf-8", "surrogateescape") for text in texts)


def _record(line: bytes) -> dict[str, Any] | None:
    """A record, or None if the line is not whole."""
    if not line.endswith(b"\n") or line[8:9] != b" ":
        return None
    text = line[9:-1]
    try:
        if int(line[:8], 16) != zlib.crc32(text):
            return None
        record = json.loads(text)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _taken(history: History | None, record: Mapping[str, Any]) -> History | None:
    """A history with one more record."""
    kind = record["kind"]
    if kind == "base":
        base = zlib.decompress(base64.b64decode(record["text"]))
        number = 0 if history is None else history.number
        return History(base, fingerprints={record["sha256"]}, number=number)
    if history is None:
        return None
    if kind == "saved":
        history.fingerprints.add(record["sha256"])
    elif kind == "edit":
        new = _blocks(record["new"])
        change = Change(record["n"], record["at"], _blocks(record["old"]), new, record["what"])
        history.changes.append((kind, change))
        history.done.append(change)
        history.undone.clear()
        history.number = max(history.number, change.number)
    elif kind == "undo":
        change = history.done.pop()
        history.undone.append(change)
        history.changes.append((kind, change.inverse))
    elif kind == "redo":
        change = history.undone.pop()
        history.done.append(change)
        history.changes.append((kind, change))
    return history


def _sync_folder(folder: Path) -> None:
    """A new name is on the disk only when its folder is."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
