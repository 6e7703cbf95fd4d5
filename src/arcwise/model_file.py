"""The model file: one safe container of a JSON header and raw arrays.

    8 bytes   the magic number, ``arcwise`` and a line feed
    8 bytes   the length of the header, little-endian
    header    JSON: ``{"format": 1, "kind": …, "arrays": {name: {dtype, shape, offset}}, …}``
    arrays    each at a multiple of 64 bytes from the start of the file, in the order of their offsets;
              the file ends where the last one does

Nothing in the file is trusted: every offset, shape and size is checked, nothing is run, and the end of the
file is demanded. Files are written under a temporary name and renamed, so that a reader finds the old
file or the new one.

History: format 1 is the first.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcwise._files import write_whole
from arcwise.errors import ModelError

MAGIC = b"arcwise\n"
FORMAT = 2
PIPELINE = "pipeline"
"""The kind of a file that holds several components."""
ALIGNMENT = 64
MOST_HEADER_BYTES = 64 * 1024 * 1024
DTYPES = (
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    "float32",
    "float64",
)
_TRAIN_AGAIN = "Get the file again, or train the model again."

Array = NDArray[Any]


@dataclass(frozen=True)
class Component:
    """A part of a model that can stand in a file alone or beside others: a parser, a tagger, ...."""

    kind: str
    header: dict[str, Any]
    """JSON."""
    arrays: dict[str, Array]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, whole or not at all."""
        write(path, {"kind": self.kind, **self.header}, self.arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *kinds: str) -> Component:
        """Reads a file of one of these kinds."""
        header, arrays = read(path, *kinds)
        return cls(header["kind"], header, arrays)

    @classmethod
    def joined(cls, kind: str, parts: Mapping[str, Component]) -> Component:
        """One that holds others, each by its name; arrays that are the same are stored once."""
        header = {name: {"kind": part.kind, **part.header} for name, part in parts.items()}
        arrays: dict[str, Array] = {}
        same: dict[str, str] = {}
        for name, part in parts.items():
            for own, array in part.arrays.items():
                full = f"{name}.{own}"
                found = next(
                    (n for n, a in arrays.items() if n.endswith(f".{own}") and _equal(a, array)), None
                )
                if found is None or not array.size:
                    arrays[full] = array
                else:
                    same[full] = found
        return cls(kind, {"components": header, "same": same}, arrays)

    def parts(self) -> dict[str, Component]:
        """The others that it holds, by their names."""
        headers = self.header.get("components")
        if not isinstance(headers, dict) or not all(isinstance(part, dict) for part in headers.values()):
            raise ModelError(f"The {self.kind} is damaged: it does not say what it holds. {_TRAIN_AGAIN}")
        same = self.header.get("same", {})
        if not isinstance(same, dict) or not all(found in self.arrays for found in same.values()):
            raise ModelError(f"The {self.kind} is damaged: an array is missing. {_TRAIN_AGAIN}")
        arrays = {**self.arrays, **{name: self.arrays[found] for name, found in same.items()}}
        return {
            name: Component(
                str(part.get("kind")),
                part,
                {n.removeprefix(f"{name}."): a for n, a in arrays.items() if n.startswith(f"{name}.")},
            )
            for name, part in headers.items()
        }


def own_part(component: Component, kind: str) -> Component:
    """What a component has of this kind: itself, or a part of the pipeline that it is."""
    if component.kind != PIPELINE:
        return component
    parts = component.parts()
    if kind not in parts:
        raise ModelError(f"The pipeline has no {kind}, only a {' and a '.join(parts)}: open another file.")
    return parts[kind]


def _equal(one: Array, other: Array) -> bool:
    return one is other or (one.dtype == other.dtype and np.array_equal(one, other))


Self = TypeVar("Self", bound="Stored")


class Stored:
    """What a model file can hold, alone or as a component."""

    KINDS: ClassVar[tuple[str, ...]]
    """Those of the files that it can be opened from."""

    def to_component(self) -> Component:
        """It as a part of a model file."""
        raise NotImplementedError

    @classmethod
    def from_component(cls: type[Self], component: Component) -> Self:
        """What `to_component` was asked of."""
        raise NotImplementedError

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, whole or not at all."""
        self.to_component().save(path)

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """Opens a model file. All of it is checked."""
        component = Component.load(path, *cls.KINDS)
        try:
            return cls.from_component(component)
        except ModelError as error:
            raise ModelError(f"{path}: {error}") from error


def write(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Writes a container; `header` must be JSON and may not name ``format`` or ``arrays``."""
    little = {n: np.ascontiguousarray(a, a.dtype.newbyteorder("<")) for n, a in arrays.items()}
    # The header says where the arrays lie, which depends on its length: it is padded with blanks to a
    # length that is enough for any offsets.
    room = len(_header(header, little, 2**60)) // ALIGNMENT * ALIGNMENT + 2 * ALIGNMENT
    start = len(MAGIC) + 8 + room
    parts: list[bytes | memoryview] = [
        MAGIC,
        room.to_bytes(8, "little"),
        _header(header, little, start).ljust(room),
    ]
    end = start
    for array in little.values():
        parts += [bytes(_aligned(end) - end), array.tobytes() if array.nbytes == 0 else array.data]
        end = _aligned(end) + array.nbytes
    try:
        write_whole(path, *parts)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ModelError(f"{path} cannot be written: {error.strerror or error}.") from error


def _aligned(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT


def _header(header: Mapping[str, Any], arrays: Mapping[str, Array], start: int) -> bytes:
    index, end = {}, start
    for name, array in arrays.items():
        offset = _aligned(end)
        index[name] = {"dtype": array.dtype.name, "shape": list(array.shape), "offset": offset}
        end = offset + array.nbytes
    return json.dumps({"format": FORMAT, **header, "arrays": index}, ensure_ascii=False).encode()


def read(path: str | os.PathLike[str], *kinds: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Reads the header and maps the arrays of a container of one of these kinds, read-only."""

    def refuse(why: str) -> ModelError:
        return ModelError(f"{path} {why}")

    try:
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            start = file.read(len(MAGIC) + 8)
            if not start.startswith(MAGIC):
                raise refuse("is not an arcwise model: train one with 'arcwise train'.")
            length = int.from_bytes(start[len(MAGIC) :], "little")
            if len(start) < len(MAGIC) + 8 or length > min(size, MOST_HEADER_BYTES):
                raise refuse(f"is damaged or cut short: its header is not whole. {_TRAIN_AGAIN}")
            header = _parse_header(file.read(length), refuse)
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise refuse(f"cannot be read: {error.strerror or error}.") from error
    if header.get("format") != FORMAT:
        raise refuse(
            f"has format {header.get('format')!r}, and this version of arcwise reads format {FORMAT}: "
            "use the version that made it, or train the model again."
        )
    if header.get("kind") not in kinds:
        raise refuse(f"is a {header.get('kind')}, and a {' or a '.join(kinds)} is needed here.")
    arrays = _map_arrays(header.get("arrays"), mapped, len(MAGIC) + 8 + length, size, refuse)
    return header, arrays


def _parse_header(encoded: bytes, refuse: Any) -> dict[str, Any]:
    try:
        header = json.loads(encoded.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise refuse(f"is damaged: its header cannot be read. {_TRAIN_AGAIN}") from error
    if not isinstance(header, dict):
        raise refuse(f"is damaged: its header is not what it should be. {_TRAIN_AGAIN}")
    return header


def _map_arrays(index: Any, mapped: mmap.mmap, start: int, size: int, refuse: Any) -> dict[str, Array]:
    damaged = refuse(f"is damaged or cut short. {_TRAIN_AGAIN}")
    if not isinstance(index, dict):
        raise damaged
    arrays: dict[str, Array] = {}
    end = start
    for name, entry in index.items():
        if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "offset"}:
            raise damaged
        dtype, shape, offset = entry["dtype"], entry["shape"], entry["offset"]
        whole = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
        if dtype not in DTYPES or not whole or type(offset) is not int:
            raise damaged
        nbytes = math.prod(shape) * np.dtype(dtype).itemsize
        if offset != _aligned(end) or offset + nbytes > size:
            raise damaged
        arrays[name] = np.frombuffer(
            mapped, np.dtype(dtype).newbyteorder("<"), math.prod(shape), offset
        ).reshape(shape)
        end = offset + nbytes
    if end != size:
        raise damaged
    return arrays
