"""A file whose sentences are corrected: what nobody touched stays as it was to the byte.

The file is cut at its blank lines, and a sentence is read when somebody looks at it. A change is in the
journal before it is told; the file follows, at once or, if it is large, within a second or two.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from arcwise._files import write_whole
from arcwise.annotate.journal import Change, Journal, fingerprint
from arcwise.annotate.lines import Block, Format
from arcwise.annotate.refusals import ConflictError, RefusedEditError

SMALL = 1_000_000
"""Bytes of a file that is written with every change."""
SOON = 1.0
"""Seconds after a change in which a larger one is written."""
MOST_BYTES = 1 << 30
MOST_DIFFERENCES = 200
_REMEMBERED = 2000
"""Versions of sentences that conflicts are told of."""
_END = re.compile(rb"\n(?:\r?\n)+")
_CHECKED = b"# checked = yes"


def cut(data: bytes) -> list[bytes]:
    """The sentences of a file, with the blank lines after each; one after the other they are the file."""
    blocks, begin = [], 0
    for found in _END.finditer(data):
        blocks.append(data[begin : found.end()])
        begin = found.end()
    if begin < len(data):
        blocks.append(data[begin:])
    return blocks


def version_of(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=10).hexdigest()


@dataclass(frozen=True)
class Edited:
    """What a change has changed, by the keys of sentences."""

    changed: list[int]
    added: list[int]
    removed: list[int]

    @property
    def moves(self) -> bool:
        return bool(self.added or self.removed)


class TreeFile:
    """One file; everything here may be called from several threads."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name = path, name
        self.format: Format = "conllx" if path.suffix == ".conll" else "conllu"
        self.lock = threading.RLock()
        self._written = threading.Condition(self.lock)
        self._is_writing = False
        self._timer: threading.Timer | None = None
        self._next_key = 0
        self.problem: str | None = None
        """Why the file could not be written."""
        self._seen: OrderedDict[str, bytes] = OrderedDict()
        self.changes_made = 0
        """Counts up with every change, for what is made of the whole file."""
        self.blocks: list[bytes] = []
        self.keys: list[int] = []
        self._places: dict[int, int] | None = None
        self._load()

    # --- reading -------------------------------------------------------------------------------------------

    def _load(self) -> None:
        data = self._read()
        self.journal = journal = getattr(self, "journal", None) or Journal(self.path)
        with suppress(ConflictError):
            if journal.path.exists():
                journal.hold()
        history = journal.read()
        self._base = data
        self._known = {fingerprint(data)} if history is None else history.fingerprints
        self._done: list[Change] = [] if history is None else history.done
        self._undone: list[Change] = [] if history is None else history.undone
        self._number = 0 if history is None else history.number
        self.conflict: str | None = None
        self._disk: bytes | None = None
        blocks = cut(data if history is None else history.base)
        if history is not None:
            self._base = history.base
            for _, change in history.changes:
                blocks[change.at : change.at + len(change.old)] = change.new
        self._take(blocks)
        self._saved_state = self._state() if b"".join(self.blocks) == data else -1
        self._signature = self._stat()
        if history is not None and fingerprint(data) not in self._known:
            self._meet(data)
        elif self._saved_state < 0 and journal.is_held:
            self.save()
        self.changes_made += 1

    def _read(self) -> bytes:
        try:
            with self.path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise RefusedEditError("file", f"{self.name} cannot be read: {error.strerror}.") from None
        if len(data) > MOST_BYTES:
            raise RefusedEditError("file", f"{self.name} is larger than 1 GiB: cut it in parts.")
        return data

    def _stat(self) -> tuple[int, ...]:
        try:
            found = self.path.stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _new_key(self) -> int:
        self._next_key += 1
        return self._next_key

    def _state(self) -> int:
        """A number for what stands: that of the last change that was not undone."""
        return self._done[-1].number if self._done else 0

    def __len__(self) -> int:
        return len(self.blocks)

    def place(self, key: int) -> int | None:
        """Where the sentence of a key stands now, counted from 0; None if it is gone."""
        if self._places is None:
            self._places = {key: place for place, key in enumerate(self.keys)}
        return self._places.get(key)

    def block(self, place: int) -> Block:
        """A sentence, read; refused if it cannot be."""
        return Block.from_bytes(self.blocks[place], self.format)

    @property
    def is_saved(self) -> bool:
        return self._saved_state == self._state()

    @property
    def checked(self) -> int:
        """How many sentences are marked so."""
        return sum(map(is_checked_text, self.blocks))

    @property
    def undo_change(self) -> Change | None:
        return self._done[-1] if self._done else None

    @property
    def redo_change(self) -> Change | None:
        return self._undone[-1] if self._undone else None

    # --- changing ------------------------------------------------------------------------------------------

    def demand_version(self, key: int, version: str) -> int:
        """The place of a sentence that still is as the version has it.

        Raises:
            ConflictError: It is not: `current` is its key, `base` what the version was, if that is known.
        """
        self.meet_disk()
        place = self.place(key)
        if place is not None and version_of(self.blocks[place]) == version:
            return place
        gone = "The sentence is no longer there" if place is None else "The sentence has been changed since"
        raise ConflictError(
            "conflict",
            f"{gone}, in another tab or by somebody else: look at it again.",
            place=place,
            base=self._seen.get(version),
        )

    def replace(self, at: int, count: int, new: Sequence[bytes], what: str) -> Edited:
        """Puts sentences in the place of others, and remembers how it was."""
        with self.lock:
            self._hold()
            old = tuple(self.blocks[at : at + count])
            if tuple(new) == old:
                return Edited([], [], [])
            change = Change(self._number + 1, at, old, tuple(new), what)
            self.journal.edit(change)
            self._number += 1
            self._done.append(change)
            self._undone.clear()
            return self._made(change)

    def undo(self, number: int | None = None) -> Edited:
        with self.lock:
            change = self._last(self._done, number, "undo")
            self._hold()
            self.journal.append({"kind": "undo", "n": change.number})
            self._undone.append(self._done.pop())
            return self._made(change.inverse)

    def redo(self, number: int | None = None) -> Edited:
        with self.lock:
            change = self._last(self._undone, number, "make again")
            self._hold()
            self.journal.append({"kind": "redo", "n": change.number})
            self._done.append(self._undone.pop())
            return self._made(change)

    def _last(self, changes: list[Change], number: int | None, verb: str) -> Change:
        self.meet_disk()
        if not changes:
            raise ConflictError("history", f"There is nothing to {verb}.")
        if number is not None and changes[-1].number != number:
            raise ConflictError(
                "history", "Something else has been changed since, perhaps in another tab: look again."
            )
        return changes[-1]

    def _hold(self) -> None:
        """Makes this process the one that changes the file."""
        self.meet_disk()
        if not self.journal.is_held:
            if not self.journal.hold():
                self._load()
                raise ConflictError(
                    "conflict", "The file was changed by another arcwise meanwhile: look again."
                )
            if self.journal.read() is None:
                self.journal.begin(self._base)

    def _made(self, change: Change) -> Edited:
        """Carries a change out in memory, and sees to it that the file follows."""
        count = len(change.old)
        keys = self.keys[change.at : change.at + count]
        for block in change.old:
            self._remember(block)
        kept = min(len(keys), len(change.new))
        made = [*keys[:kept], *(self._new_key() for _ in change.new[kept:])]
        self.blocks[change.at : change.at + count] = change.new
        self.keys[change.at : change.at + count] = made
        if len(change.new) != count:
            self._places = None
        self.changes_made += 1
        self._save_soon()
        return Edited(made[:kept], made[kept:], keys[kept:])

    def _remember(self, block: bytes) -> None:
        self._seen[version_of(block)] = block
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)

    # --- the file on the disk ------------------------------------------------------------------------------

    def _save_soon(self) -> None:
        if sum(map(len, self.blocks)) <= SMALL:
            self.save()
        elif self._timer is None:
            self._timer = threading.Timer(SOON, self._save_later)
            self._timer.daemon = True
            self._timer.start()

    def _save_later(self) -> None:
        with self.lock:
            self._timer = None
        self.save()

    def save(self) -> None:
        """Writes the file, whole or not at all. What goes wrong is told in `problem`: the journal has all."""
        while self._save_once():
            pass

    def _save_once(self) -> bool:
        """Whether there is more to write then."""
        with self.lock:
            if self._is_writing or self.is_saved:
                return False
            with suppress(ConflictError):
                self.meet_disk()
            if self.conflict is not None:
                return False
            data, state = b"".join(self.blocks), self._state()
            known = fingerprint(data)
            self.journal.append({"kind": "saved", "n": state, "sha256": known})
            self._known.add(known)
            self._is_writing = True
        problem = None
        try:
            if self.path.is_symlink():
                raise OSError(0, "it has become a symbolic link")
            write_whole(self.path, data)
        except OSError as error:
            problem = f"{self.name} cannot be written: {error.strerror}. The journal has all changes."
        with self.lock:
            self._is_writing = False
            self.problem = problem
            if problem is None:
                self._saved_state = state
                self._signature = self._stat()
            self._written.notify_all()
        return problem is None

    def meet_disk(self) -> None:
        """Looks whether somebody else has changed the file.

        Raises:
            ConflictError: So it is, and there are changes of ours, too.
        """
        if self.conflict is None:
            signature = self._stat()
            if signature == self._signature or self._is_writing:
                return
            data = self._read() if signature else b""
            if fingerprint(data) in self._known and signature:
                self._signature = signature
                return
            if not self.journal.is_held and signature:
                self._load()  # as it is now, with a journal that another process may have left
                if self.conflict is None:
                    return
            elif self._done or not signature:
                self._meet(data)
            else:  # nothing of ours is lost
                self._take_disk(data)
                return
        raise ConflictError("file_changed", str(self.conflict), differences=self.differences())

    def _meet(self, data: bytes) -> None:
        self._disk = data
        self.conflict = (
            f"{self.name} has been changed by another program. Choose your sentences, those of the file, or "
            "both where they are not the same."
        )

    def _take_disk(self, data: bytes) -> None:
        """Goes on with the file as it is now."""
        self._take(cut(data))
        self._base = data
        self._done, self._undone = [], []
        self._known = {fingerprint(data)}
        self._saved_state, self._signature = 0, self._stat()
        self.conflict, self._disk = None, None
        self.changes_made += 1
        if self.journal.is_held:
            self.journal.begin(data)

    def _take(self, new: list[bytes]) -> None:
        """Goes on with other sentences; those that are the same keep their keys."""
        old, keys = self.blocks, list[int]()
        for tag, a, b, c, d in _opcodes(old, new):
            if tag == "equal" or (tag == "replace" and b - a == d - c):
                keys += self.keys[a:b]
            else:
                keys += [self._new_key() for _ in range(c, d)]
            if tag != "equal":
                for block in old[a : min(b, a + _REMEMBERED)]:
                    self._remember(block)
        self.blocks, self.keys, self._places = new, keys, None

    def refresh(self) -> None:
        """Takes up what others have written, if nothing of ours is in the way."""
        with self.lock, suppress(ConflictError):
            self.meet_disk()

    def differences(self) -> list[dict[str, Any]]:
        """Where the file on the disk and ours differ."""
        found: list[dict[str, Any]] = []
        disk = cut(self._disk or b"")
        for tag, a, b, c, d in _opcodes(self.blocks, disk):
            if tag == "equal":
                continue
            for step in range(max(b - a, d - c)):
                mine, theirs = a + step < b, c + step < d
                found.append(
                    {
                        "key": str(self.keys[a + step]) if mine else None,
                        "index": a + step,
                        "mine": _shown(self.blocks[a + step]) if mine else None,
                        "disk": _shown(disk[c + step]) if theirs else None,
                    }
                )
        return found[:MOST_DIFFERENCES]

    def resolve(self, take: str) -> list[dict[str, Any]]:
        """Ends a conflict: `mine`, `disk`, or `merge`, which gives what both have changed."""
        with self.lock:
            if self.conflict is None or self._disk is None:
                return []
            if not self.journal.is_held and not self.journal.hold():
                self._load()
                raise ConflictError(
                    "conflict", "The file was changed by another arcwise meanwhile: look again."
                )
            disk, mine = self._disk, list(self.blocks)
            self.journal.theirs(disk)
            left: list[dict[str, Any]] = []
            if take == "mine":
                self._known.add(fingerprint(disk))
                self.conflict, self._disk, self._signature = None, None, self._stat()
                self._saved_state = -1
                self.save()
                return left
            merged, left = merge(cut(self._base), mine, cut(disk)) if take == "merge" else (cut(disk), [])
            self._take_disk(disk)
            for at, count, new in _splices(self.blocks, merged):
                self.replace(at, count, new, "merge")
            return left

    def close(self, to: str) -> None:
        """Keeps the file as it is, or gives it back its first bytes, and forgets the journal."""
        with self.lock:
            if to == "first":
                self.meet_disk()
                if self.journal.path.exists() and not self.journal.is_held:
                    self.journal.hold()
                if not self.journal.is_held:
                    return
                at_first = cut(self._base)
                for at, count, new in _splices(self.blocks, at_first):
                    self.replace(at, count, new, "first state")
            elif self.journal.path.exists() and not self.journal.is_held:
                self.journal.hold()
            self.finish()
            if not self.is_saved or self.conflict is not None:
                raise RefusedEditError("readonly", self.problem or str(self.conflict))
            self.journal.remove()
            self._base = b"".join(self.blocks)
            self._done, self._undone = [], []
            self._saved_state = 0
            self._known = {fingerprint(self._base)}

    def finish(self) -> None:
        """Writes what is not written yet."""
        with self.lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            while self._is_writing:
                self._written.wait()
            if self.journal.is_held:
                self.save()


def is_checked_text(block: bytes) -> bool:
    return _CHECKED in block and any(line.rstrip(b"\r") == _CHECKED for line in block.split(b"\n"))


def _shown(block: bytes) -> str:
    return block.decode("utf-8", "replace")


def _opcodes(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[str, int, int, int, int]]:
    """How one list becomes another; what both begin and end with is not looked at."""
    begin = 0
    while begin < min(len(old), len(new)) and old[begin] == new[begin]:
        begin += 1
    end = 0
    while end < min(len(old), len(new)) - begin and old[-1 - end] == new[-1 - end]:
        end += 1
    inner = SequenceMatcher(None, old[begin : len(old) - end], new[begin : len(new) - end], autojunk=False)
    found = [("equal", 0, begin, 0, begin)]
    found += [(tag, a + begin, b + begin, c + begin, d + begin) for tag, a, b, c, d in inner.get_opcodes()]
    found.append(("equal", len(old) - end, len(old), len(new) - end, len(new)))
    return found


def _splices(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int, list[bytes]]]:
    """What is to be put where, from the last to the first."""
    changes = [op for op in _opcodes(old, new) if op[0] != "equal"]
    return [(a, b - a, list(new[c:d])) for _, a, b, c, d in reversed(changes)]


def merge(
    base: list[bytes], mine: list[bytes], theirs: list[bytes]
) -> tuple[list[bytes], list[dict[str, Any]]]:
    """Their sentences with those that I alone have changed; and what both have."""
    own = [op for op in _opcodes(base, mine) if op[0] != "equal"]
    others = [op for op in _opcodes(base, theirs) if op[0] != "equal"]
    made = list(base)
    left: list[dict[str, Any]] = []
    edits = [(a, b, theirs[c:d]) for _, a, b, c, d in others]
    for _, a, b, c, d in own:
        clash = [(i, j, new) for i, j, new in edits if (i < b and a < j) or (a == b == i == j)]
        if not clash:
            edits.append((a, b, mine[c:d]))
        elif any(new != mine[c:d] for _, _, new in clash):
            left.append(
                {
                    "mine": "".join(map(_shown, mine[c:d])),
                    "disk": "".join(_shown(block) for _, _, new in clash for block in new),
                }
            )
    for a, b, new in sorted(edits, key=lambda edit: (edit[0], edit[1]), reverse=True):
        made[a:b] = new
    return made, left


__all__ = ["Edited", "TreeFile", "cut", "merge", "version_of"]
