"""Pre-trained vectors of words, from files of word2vec, GloVe and fastText."""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from arcwise import _core
from arcwise._files import open_decompressed
from arcwise._numpy import np
from arcwise.errors import VectorsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Found: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float32]]

FASTTEXT = (793712314).to_bytes(4, "little")
"""What binary files of fastText begin with."""
BYTES_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Vectors:
    """Pre-trained vectors of words."""

    keys: NDArray[np.uint64]
    lowered: NDArray[np.uint64]
    """The keys of the words in lower case."""
    values: NDArray[np.float32]
    """A row a key."""

    @classmethod
    def read(
        cls,
        paths: str | Sequence[str],
        limit: int,
        *,
        are_added: bool = True,
        words: Callable[[], Collection[str]] = tuple,
    ) -> Vectors:
        """The vectors of the first words of a file, or of several side by side.

        They are added to what is learnt of words (the input ``word``), or are an input of their own
        (``vector``). A file that has vectors of the parts of words gives one to each of `words`, too.
        """
        files = [paths] if isinstance(paths, str) else paths
        return cls._side_by_side([cls._read(path, limit, are_added, words) for path in files])

    @classmethod
    def _read(cls, path: str, limit: int, are_added: bool, words: Callable[[], Collection[str]]) -> Vectors:
        """Those of one file, scaled to a mean length of 1.

        So what a network makes of them does not depend on the scale that they were trained with.
        """
        with _readable(path):
            if _begins_with(path, FASTTEXT):
                keys, lowered, values = _of_fasttext(path, limit, are_added, words)
            else:
                keys, lowered, values = _of_text(path, limit, are_added)
        rows = values.reshape(len(keys), -1)
        length = float(np.linalg.norm(rows.astype(np.float64), axis=1).mean())
        if not length > 0:
            raise VectorsError(f"{path} has no vector that is not 0 everywhere: check the file.")
        return cls(keys, lowered, (rows / length).astype(np.float32))

    @classmethod
    def _side_by_side(cls, parts: Sequence[Vectors]) -> Vectors:
        """One vector for each word of any part: what a part does not know is 0."""
        if len(parts) == 1:
            return parts[0]
        keys, first = np.unique(np.concatenate([part.keys for part in parts]), return_index=True)
        order = np.argsort(first)  # the words of the first part come first, as they are there
        lowered = np.concatenate([part.lowered for part in parts])[first[order]]
        values = np.zeros((len(keys), sum(part.width for part in parts)), np.float32)
        place = np.argsort(order)
        at = 0
        for part in parts:
            values[place[np.searchsorted(keys, part.keys)], at : at + part.width] = part.values
            at += part.width
        return cls(keys[order], lowered, values)

    @property
    def width(self) -> int:
        return int(self.values.shape[1])

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def fingerprint(self) -> str:
        import hashlib

        return hashlib.sha256(self.keys.tobytes() + self.values.tobytes()).hexdigest()


def _of_text(path: str, limit: int, are_added: bool) -> Found:
    reader = _core.VectorReader(path, limit, are_added)
    with open_decompressed(path) as file:
        while (piece := file.read(BYTES_AT_ONCE)) and reader.take(piece):
            pass
    return reader.finish()


def _of_fasttext(path: str, limit: int, are_added: bool, words: Callable[[], Collection[str]]) -> Found:
    # Such files are large, and little of them is looked at.
    with Path(path).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        content_view = np.frombuffer(content, np.uint8)
        try:
            return _core.read_fasttext(content_view, path, limit, list(words()), are_added)
        finally:
            del content_view  # which would keep the file open


def _begins_with(path: str, magic: bytes) -> bool:
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(magic)) == magic


@contextlib.contextmanager
def _readable(path: str) -> Iterator[None]:
    """Says in a VectorsError why a file cannot be read."""
    try:
        yield
    except IsADirectoryError as error:
        raise VectorsError(f"{path} is a directory: name a file of vectors.") from error
    except OSError as error:
        raise VectorsError(f"{os.fspath(path)} cannot be read: {error.strerror or error}.") from error
