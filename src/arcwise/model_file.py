"""The model file: one safe container of a JSON header and raw arrays.

    8 bytes   the magic number, ``arcwise`` and a line feed
    8 bytes   the length of the header, little-endian
    header    JSON, filled up with blanks:
              ``{"format": 7, "kind": …, "arrays": {name: {dtype, shape, offset, crc32c}}, …}``
    4 bytes   the CRC-32C of all before them, little-endian
    arrays    each at the next multiple of 64 bytes from the start of the file, with zeros before it, in the
              order of their offsets; the file ends where the last one does

Nothing in the file is trusted: every checksum, offset, shape and size is checked, nothing is run, and the
end of the file is demanded. The file is read into memory: what becomes of it later changes nothing. Files are
written under a temporary name and renamed, so that a reader finds the old file or the new one.

What is written is the newest format. What is read is every format since the second, for ever: each has a
reader in `READERS`, and files of every kind in tests/golden/models.

    ======  =====================================================================================  ====
    format  what is new                                                                            read
    ======  =====================================================================================  ====
    1       the first, without checksums                                                           no
    2       words' vectors of networks in 8 bits (``tokens``, ``token_shifts``), before in 16      yes
    3       CRC-32C of the header and of every array; what lies between arrays must be 0           yes
    4       the encoder that a parser and a tagger share is a component, named in their headers    yes
    5       a parser's options are nested: those of its system, of its policy and of its learner   yes
    6       what words are multiplied with in networks in 8 bits, before in 16                     yes
    7       embeddings of rare words in 4 bits (``rare_tokens``), factors of all that are no       yes
            powers of two (``token_factors``, before ``token_shifts``); 5 bytes of keys, before
            8; ``word``, an input of networks
    ======  =====================================================================================  ====
"""

from __future__ import annotations

import contextlib
import json
import math
import mmap
import os
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from arcwise import _core
from arcwise._files import write_whole
from arcwise._numpy import np
from arcwise.errors import ArcwiseError, ModelError
from arcwise.older_files import with_named_encoder, with_nested_options, with_token_factors

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC = b"arcwise\n"
FORMAT = 7
PIPELINE = "pipeline"
"""The kind of a file that holds several components."""
ENCODER = "encoder"
"""The kind of a component that others look at words with; their headers name it under this name."""
ALIGNMENT = 64
CHECKSUM_BYTES = 4
MOST_HEADER_BYTES = 64 * 1024 * 1024
_VIEWS: dict[str, Any] = {
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "float32": "f",
    "float64": "d",
}
"""The kinds of arrays, and what views of memory call them."""
DTYPES = tuple(_VIEWS)
_TRAIN_AGAIN = "Get the file again, or train the model again."

DAMAGE = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
"""What comes of values in a file that are not what they should be."""

Array: TypeAlias = "NDArray[Any]"
Bytes: TypeAlias = memoryview
"""Of single bytes."""


class Arrays(Mapping[str, Array]):
    """Arrays by name.

    Those of a file lie in its bytes, which is how the core takes them (`raw`). They become arrays of numpy
    when they are asked for as such.
    """

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self._raw = dict(raw)

    @classmethod
    def of(cls, arrays: Mapping[str, Array]) -> Arrays:
        """The same, if they are not of this kind already."""
        return arrays if isinstance(arrays, Arrays) else cls(arrays)

    def __getitem__(self, name: str) -> Array:
        return np.asarray(self._raw[name])

    def __contains__(self, name: object) -> bool:
        return name in self._raw

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __or__(self, others: Mapping[str, Array]) -> Arrays:
        return Arrays({**self._raw, **Arrays.of(others)._raw})

    def raw(self, name: str) -> Any:
        """An array of numpy, or a view of memory of the same kind and shape."""
        return self._raw[name]

    def within(self, prefix: str) -> Arrays:
        """Those whose names begin so, by what comes after it."""
        return Arrays({n.removeprefix(prefix): a for n, a in self._raw.items() if n.startswith(prefix)})


@dataclass(frozen=True)
class Origin:
    """The file that a model was read from, as it was then."""

    path: str
    content: Bytes
    end: int
    """Of the header and its checksum; of a file without checksums, of all."""
    status: tuple[int, int, int]
    """The size of the file, when it was changed, and its number."""
    name: str | None = None
    """Of a model that was asked for by its name."""

    @property
    def fingerprint(self) -> str:
        """Tells files apart: their headers have the checksums of all the rest."""
        import hashlib

        return hashlib.sha256(self.content[: self.end]).hexdigest()

    @property
    def is_there(self) -> bool:
        """Whether the file is still what it was."""
        try:
            if _status(Path(self.path).stat()) == self.status:
                return True
            content, _ = _bytes_of(self.path)
        except (OSError, MemoryError, _Refusal):
            return False
        return content == self.content


@dataclass(frozen=True)
class Component:
    """A part of a model that can stand in a file alone or beside others: a parser, a tagger, ...."""

    kind: str
    header: dict[str, Any]
    """JSON."""
    arrays: Mapping[str, Array]
    origin: Origin | None = field(default=None, compare=False, repr=False)
    """Where it was read from."""

    def to_bytes(self) -> bytes:
        """What `save` writes."""
        return b"".join(_pieces({"kind": self.kind, **self.header}, self.arrays))

    @classmethod
    def from_bytes(cls, data: bytes, *kinds: str) -> Component:
        """What `to_bytes` gave; all of it is checked, as a file is."""
        with _refused("The model"):
            header, arrays, _ = _contents(_aligned_copy(data), kinds)
            return cls(header["kind"], header, arrays)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, whole or not at all."""
        write(path, {"kind": self.kind, **self.header}, self.arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *kinds: str) -> Component:
        """Reads a file of one of these kinds."""
        with _refused(path):
            content, status = _bytes_of(path)
            header, arrays, end = _contents(content, kinds)
            return cls(header["kind"], header, arrays, Origin(os.fspath(path), content, end, status))

    @classmethod
    def joined(cls, kind: str, parts: Mapping[str, Component]) -> Component:
        """One that holds others, each by its name."""
        header = {name: {"kind": part.kind, **part.header} for name, part in parts.items()}
        arrays = {f"{name}.{own}": a for name, part in parts.items() for own, a in part.arrays.items()}
        return cls(kind, {"components": header}, arrays)

    def parts(self) -> dict[str, Component]:
        """The others that it holds, by their names."""
        headers = self.header.get("components")
        if not isinstance(headers, dict) or not all(isinstance(part, dict) for part in headers.values()):
            raise ModelError(f"The {self.kind} is damaged: it does not say what it holds. {_TRAIN_AGAIN}")
        arrays = Arrays.of(self.arrays)
        return {
            name: Component(str(part.get("kind")), part, arrays.within(f"{name}."))
            for name, part in headers.items()
        }


def own_part(component: Component, kind: str) -> Component:
    """What a component has of this kind: itself, or a part of the pipeline that it is.

    An encoder that the part shares with others comes with it.
    """
    if component.kind != PIPELINE:
        return component
    parts = component.parts()
    if kind not in parts:
        held = [name for name, part in parts.items() if part.kind != ENCODER]
        raise ModelError(f"The pipeline has no {kind}, only a {' and a '.join(held)}: open another file.")
    own = parts[kind]
    encoder = encoder_of(own, parts)
    return own if encoder is None else replace(own, arrays=Arrays.of(encoder.arrays) | own.arrays)


def encoder_of(part: Component, parts: Mapping[str, Component]) -> Component | None:
    """The component that a part names as its encoder; None if its encoder, if any, is its own."""
    name = part.header.get(ENCODER)
    if name is None:
        return None
    if not isinstance(name, str) or name not in parts or parts[name].kind != ENCODER:
        raise ModelError(f"The {part.kind} is damaged: its encoder is missing. {_TRAIN_AGAIN}")
    return parts[name]


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

    _origin: Origin | None = None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, whole or not at all."""
        self.to_component().save(path)

    def to_bytes(self) -> bytes:
        """What `save` writes."""
        return self.to_component().to_bytes()

    @classmethod
    def from_bytes(cls: type[Self], data: bytes, **given: Any) -> Self:
        """What `to_bytes` gave; all of it is checked. Options as of `load`."""
        component = Component.from_bytes(data, *cls.KINDS)
        with refusing("The model"):
            return cls.from_component(component, **given)

    def __copy__(self: Self) -> Self:
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __deepcopy__(self: Self, memo: dict[int, Any]) -> Self:
        return self.__copy__()  # nothing of it changes

    def __reduce__(self) -> tuple[Any, ...]:
        from arcwise.pickling import reduced

        return reduced(self)

    @property
    def _given(self) -> dict[str, Any]:
        """What a model file does not hold, and `load` has to be given."""
        return {}

    def _come_from(self: Self, origin: Origin | None) -> Self:
        """Remembers the file that it is in."""
        object.__setattr__(self, "_origin", origin)
        return self

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """Opens a model file. All of it is checked."""
        return cls._load(path)

    @classmethod
    def _load(cls: type[Self], path: str | os.PathLike[str], **given: Any) -> Self:
        """With what a file does not hold, and its component needs."""
        component = Component.load(path, *cls.KINDS)
        with refusing(path):
            return cls.from_component(component, **given)._come_from(component.origin)


@contextlib.contextmanager
def refusing(path: str | os.PathLike[str], remedy: str = _TRAIN_AGAIN) -> Iterator[None]:
    """Whatever goes wrong with what a file says is a ModelError that names it.

    A checksum says that a file is as it was written, and not who wrote it: any value may be of any kind.
    """
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    except ArcwiseError as error:  # which says by itself what is wrong
        raise ModelError(f"{path} is damaged: {error} {remedy}") from error
    except DAMAGE as error:
        raise ModelError(f"{path} is damaged: a value is not what it should be. {remedy}") from error


def write(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Writes a container; `header` must be JSON and may not name ``format`` or ``arrays``."""
    try:
        write_whole(path, *_pieces(header, arrays))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ModelError(f"{path} cannot be written: {error.strerror or error}.") from error


def _pieces(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> list[bytes | memoryview]:
    """A container, piece by piece."""
    little = {n: np.ascontiguousarray(a, a.dtype.newbyteorder("<")) for n, a in arrays.items()}
    checksums = {n: _checksum(a.reshape(-1).view(np.uint8)) for n, a in little.items()}
    # The header says where the arrays lie, which depends on its length: it is padded with blanks to a
    # length that is enough for any offsets.
    room = len(_header(header, little, checksums, 2**60)) // ALIGNMENT * ALIGNMENT + 2 * ALIGNMENT
    end = len(MAGIC) + 8 + room + CHECKSUM_BYTES
    start = MAGIC + room.to_bytes(8, "little") + _header(header, little, checksums, end).ljust(room)
    checksum = _checksum(memoryview(start))
    parts: list[bytes | memoryview] = [start, checksum.to_bytes(CHECKSUM_BYTES, "little")]
    for array in little.values():
        parts += [bytes(_aligned(end) - end), array.tobytes() if array.nbytes == 0 else array.data]
        end = _aligned(end) + array.nbytes
    return parts


def _checksum(data: Any) -> int:
    """Of single bytes, in an array or a view of memory."""
    return _core.crc32c(data)


def _aligned(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT


def _header(
    header: Mapping[str, Any], arrays: Mapping[str, Array], checksums: Mapping[str, int], start: int
) -> bytes:
    index, end = {}, start
    for name, array in arrays.items():
        offset = _aligned(end)
        index[name] = {
            "dtype": array.dtype.name,
            "shape": list(array.shape),
            "offset": offset,
            "crc32c": checksums[name],
        }
        end = offset + array.nbytes
    return json.dumps({"format": FORMAT, **header, "arrays": index}, ensure_ascii=False).encode()


def read(path: str | os.PathLike[str], *kinds: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Reads the header and the arrays of a container of one of these kinds; the arrays are read-only."""
    component = Component.load(path, *kinds)
    return component.header, dict(component.arrays)


def _contents(content: Bytes, kinds: tuple[str, ...]) -> tuple[dict[str, Any], Arrays, int]:
    """The header and the arrays of a container, and where what tells it from others ends."""
    header, end = _header_of(content)
    format = header.get("format")
    told = content.nbytes
    if format not in UNCHECKED_FORMATS:
        told = end = _checked(content, end)
    if type(format) is not int or format not in READERS:
        known = f"reads formats {min(READERS)} to {max(READERS)}"
        raise _Refusal(
            f"has format {format!r}, and this version of arcwise {known}: use the version that made it, "
            "or train the model again."
        )
    if header.get("kind") not in kinds:
        raise _Refusal(f"is a {header.get('kind')}, and a {' or a '.join(kinds)} is needed here.")
    header, arrays = READERS[format](header, content, end)
    return header, Arrays(arrays), told


@contextlib.contextmanager
def _refused(path: str | os.PathLike[str]) -> Iterator[None]:
    """Says in a ModelError why a file cannot be read."""
    try:
        yield
    except _Refusal as refusal:
        raise ModelError(f"{path} {refusal}") from refusal.__cause__
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}.") from error
    except MemoryError as error:
        raise ModelError(f"{path} is larger than the memory that there is. {_TRAIN_AGAIN}") from error


class _Refusal(Exception):
    """Why a file is refused: a sentence that goes on after its name."""


def _damaged(how: str = "is damaged or cut short") -> _Refusal:
    return _Refusal(f"{how}. {_TRAIN_AGAIN}")


def _bytes_of(path: str | os.PathLike[str]) -> tuple[Bytes, tuple[int, int, int]]:
    """All of a file, and what its status was.

    It is in memory of its own that begins at a multiple of the alignment, as its arrays do.

    A mapping would change with the file, between being checked and being used and afterwards; and to verify
    checksums, all of it has to be read anyway.
    """
    with Path(path).open("rb", buffering=0) as file:
        status = _status(os.fstat(file.fileno()))
        size = status[0]
        magic = file.read(len(MAGIC))
        if magic != MAGIC:
            raise _Refusal("is not an arcwise model: train one with 'arcwise train'.")
        content = _empty(size)
        content[: len(MAGIC)] = magic
        done = len(MAGIC)
        while count := file.readinto(content[done:]):
            done += count
    if done != size:
        raise _damaged()
    return content.toreadonly(), status


def _aligned_copy(data: bytes) -> Bytes:
    """Bytes as they are read from a file."""
    if not data.startswith(MAGIC):
        raise _Refusal("is not one of arcwise's: give what to_bytes gave.")
    content = _empty(len(data))
    content[:] = data
    return content.toreadonly()


def _empty(size: int) -> Bytes:
    """Memory that begins where a page does, and goes back to the system when nobody looks at it any more."""
    # In memory that is the process's own and made all at once a file is read in half the time, on Linux.
    at_once = getattr(mmap, "MAP_POPULATE", None)
    how = {} if at_once is None else {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | at_once}
    return memoryview(mmap.mmap(-1, size, **how))


def _status(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ino


def _header_of(content: Bytes) -> tuple[dict[str, Any], int]:
    """The header, and where it ends."""
    start = len(MAGIC) + 8
    length = int.from_bytes(content[len(MAGIC) : start].tobytes(), "little")
    if len(content) < start or length > min(len(content) - start, MOST_HEADER_BYTES):
        raise _damaged("is damaged or cut short: its header is not whole")
    end = start + length
    try:
        header = json.loads(content[start:end].tobytes().decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _damaged("is damaged: its header cannot be read") from error
    if not isinstance(header, dict):
        raise _damaged("is damaged: its header is not what it should be")
    return header, end


def _checked(content: Bytes, end: int) -> int:
    """Where the checksum of the header ends, if that is right."""
    stored = content[end : end + CHECKSUM_BYTES].tobytes()
    if len(stored) < CHECKSUM_BYTES or int.from_bytes(stored, "little") != _checksum(content[:end]):
        raise _damaged("is damaged: its header has another checksum")
    return end + CHECKSUM_BYTES


Contents: TypeAlias = tuple[dict[str, Any], dict[str, Any]]
"""A header and arrays, or views of memory, as the newest format has them."""


def _read_format_2(header: dict[str, Any], content: Bytes, end: int) -> Contents:
    arrays = _arrays_of(header, content, end, {"dtype", "shape", "offset"})
    return _with_token_factors(*_with_named_encoder(header, arrays))


def _read_format_3(header: dict[str, Any], content: Bytes, end: int) -> Contents:
    return _with_token_factors(*_with_named_encoder(*_read_format_7(header, content, end)))


def _with_named_encoder(header: dict[str, Any], arrays: dict[str, Any]) -> Contents:
    try:
        header, arrays = with_named_encoder(header, arrays)
    except DAMAGE as error:
        raise _damaged("is damaged: it does not say what its components share") from error
    return with_nested_options(header), arrays


def _with_token_factors(header: dict[str, Any], arrays: dict[str, Any]) -> Contents:
    try:
        return header, with_token_factors(arrays)
    except DAMAGE as error:
        raise _damaged("is damaged: its embeddings are not what they should be") from error


def _read_format_4(header: dict[str, Any], content: Bytes, end: int) -> Contents:
    header, arrays = _read_format_6(header, content, end)
    return with_nested_options(header), arrays


def _read_format_6(header: dict[str, Any], content: Bytes, end: int) -> Contents:
    return _with_token_factors(*_read_format_7(header, content, end))


def _read_format_7(header: dict[str, Any], content: Bytes, end: int) -> Contents:
    arrays = _arrays_of(header, content, end, {"dtype", "shape", "offset", "crc32c"})
    for name, entry in header["arrays"].items():
        offset, size = entry["offset"], arrays[name].nbytes
        if content[end:offset].tobytes().strip(b"\0"):
            raise _damaged("is damaged: there is something between its arrays")
        if _checksum(content[offset : offset + size]) != entry["crc32c"]:
            raise _damaged(f"is damaged: '{name}' has another checksum")
        end = offset + size
    return header, arrays


def _arrays_of(header: dict[str, Any], content: Bytes, end: int, fields: set[str]) -> dict[str, Any]:
    """The arrays, each of which is described by these fields."""
    index = header.get("arrays")
    if not isinstance(index, dict):
        raise _damaged()
    arrays: dict[str, Any] = {}
    for name, entry in index.items():
        if not isinstance(entry, dict) or set(entry) != fields:
            raise _damaged()
        dtype, shape, offset = entry["dtype"], entry["shape"], entry["offset"]
        whole = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
        if dtype not in DTYPES or not whole or type(offset) is not int:
            raise _damaged()
        size = math.prod(shape) * struct.calcsize(_VIEWS[dtype])
        if offset != _aligned(end) or offset + size > len(content):
            raise _damaged()
        arrays[name] = _array(content[offset : offset + size], dtype, shape)
        end = offset + size
    if end != len(content):
        raise _damaged()
    return arrays


def _array(data: Bytes, dtype: str, shape: list[int]) -> Any:
    if sys.byteorder == "little" and len(shape) == 1:
        return data.cast(_VIEWS[dtype])
    try:
        return np.frombuffer(data, np.dtype(dtype).newbyteorder("<")).reshape(shape)
    except (ValueError, OverflowError) as error:  # nothing, in a shape beyond all bounds
        raise _damaged() from error


UNCHECKED_FORMATS = (1, 2)
"""Those without checksums."""
READERS: dict[int, Callable[[dict[str, Any], Bytes, int], Contents]] = {
    2: _read_format_2,
    3: _read_format_3,
    4: _read_format_4,
    5: _read_format_6,
    6: _read_format_6,
    7: _read_format_7,
}
"""How a file's header and content become what the newest format has, given where the header ends. A reader is
never taken away."""
