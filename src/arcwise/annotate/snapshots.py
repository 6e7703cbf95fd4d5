"""All sentences of a file at once, in arrays, for what looks at the whole of it."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arcwise.annotate.lines import closed
from arcwise.annotate.tree_file import TreeFile
from arcwise.errors import ArcwiseError
from arcwise.treebank import Treebank


@dataclass
class Snapshot:
    """The sentences that can be read, as they were after so many changes."""

    changes: int
    keys: list[int]
    treebank: Treebank
    """A sentence for each key."""
    _columns: dict[str, tuple[NDArray[np.int32], list[str]]] = field(default_factory=dict)

    def column(self, name: str) -> tuple[NDArray[np.int32], list[str]]:
        """Numbers of all words' values, -1 for none, and the values."""
        if name not in self._columns:
            if name == "deprel":
                self._columns[name] = self.treebank.labels, self.treebank.label_names
            else:
                found = self.treebank.categories(name)
                self._columns[name] = found.codes, found.values
        return self._columns[name]

    def values(self, name: str) -> Counter[str]:
        """How often a column has each value."""
        codes, values = self.column(name)
        counts = np.bincount(codes[codes >= 0], minlength=len(values))
        return Counter({value: int(count) for value, count in zip(values, counts, strict=True)})

    @property
    def sentences(self) -> NDArray[np.int64]:
        """Of each word, the number of its sentence."""
        return np.repeat(np.arange(len(self.treebank)), np.diff(self.treebank.first_words))

    @property
    def heads(self) -> NDArray[np.int64]:
        """Of each word, its head, numbered through all sentences from 0; -1: ROOT, or not known."""
        heads = self.treebank.heads
        firsts = np.repeat(self.treebank.first_words[:-1], np.diff(self.treebank.first_words))
        return np.where(heads > 0, firsts + heads - 1, -1)


class Snapshots:
    """The last snapshot of each file, made again when the file has changed."""

    def __init__(self) -> None:
        self._kept: dict[str, Snapshot] = {}
        self._lock = threading.Lock()

    def of(self, file: TreeFile) -> Snapshot:
        with self._lock:
            kept = self._kept.get(file.name)
            if kept is not None and kept.changes == file.changes_made:
                return kept
        with file.lock:
            blocks, keys, changes = list(file.blocks), list(file.keys), file.changes_made
        made = Snapshot(changes, *_readable(blocks, keys, file))
        with self._lock:
            self._kept[file.name] = made
        return made


def _readable(blocks: list[bytes], keys: list[int], file: TreeFile) -> tuple[list[int], Treebank]:
    try:
        treebank = _read(blocks, file)
        if len(treebank) == len(blocks):
            return keys, treebank
    except ArcwiseError:
        pass
    good = [number for number, block in enumerate(blocks) if _is_sentence(block, file)]
    return [keys[number] for number in good], _read([blocks[number] for number in good], file)


def _read(blocks: list[bytes], file: TreeFile) -> Treebank:
    return Treebank.from_string(
        closed(b"".join(blocks)), format=file.format, check_trees=False, source=file.name
    )


def _is_sentence(block: bytes, file: TreeFile) -> bool:
    try:
        return len(_read([block], file)) == 1
    except ArcwiseError:
        return False
