"""Model files with right checksums and wrong contents, as someone might write them who knows the format."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from arcwise import _core, model_file

Path = tuple[str | int, ...]
START = len(model_file.MAGIC) + 8
MORE = 4096
"""Room for a header that has grown."""
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    2**31,
    2**40,
    10**30,
    -(2**63),
    1.5,
    1e-300,
    1e300,
    math.nan,
    math.inf,
    "",
    "x",
    "a\tb",
    [],
    [None],
    [[]],
    [1, 2],
    {},
    {"a": []},
)
"""Of every kind that JSON has, and of some that it has not."""


def length_of(content: bytes) -> int:
    return int.from_bytes(content[len(model_file.MAGIC) : START], "little")


def header_of(content: bytes) -> Any:
    return json.loads(content[START : START + length_of(content)])


def sealed(content: bytes) -> bytes:
    """The same file with the right checksum of its header, whatever is in that."""
    end = START + length_of(content)
    checksum = _core.crc32c(np.frombuffer(content[:end], np.uint8))
    sealing = checksum.to_bytes(model_file.CHECKSUM_BYTES, "little")
    return content[:end] + sealing + content[end + len(sealing) :]


def with_header(content: bytes, change: Callable[[Any], object]) -> bytes:
    """The same file with its header changed, and the checksum of that: `change` is given the header."""
    length, header = length_of(content), header_of(content)
    for entry in header["arrays"].values():
        entry["offset"] += MORE
    change(header)
    encoded = json.dumps(header, ensure_ascii=False).encode("utf-8", "surrogatepass").ljust(length + MORE)
    assert len(encoded) == length + MORE, "there is no room for it"
    start = model_file.MAGIC + len(encoded).to_bytes(8, "little") + encoded
    return sealed(start + content[START + length :])


def with_arrays(content: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """The same file with its arrays changed, each of the size that it was, and their checksums."""
    header = header_of(content)
    damaged = bytearray(content)
    arrays: dict[str, Any] = {}
    for name, entry in header["arrays"].items():
        dtype = np.dtype(entry["dtype"])
        arrays[name] = np.frombuffer(damaged, dtype, math.prod(entry["shape"]), entry["offset"])
    change(arrays)
    checksums = {name: _core.crc32c(array.view(np.uint8)) for name, array in arrays.items()}

    def seal(header: Any) -> None:
        for name, checksum in checksums.items():
            header["arrays"][name]["crc32c"] = checksum

    return with_header(bytes(damaged), seal)


def paths_in(value: Any, at: Path = (), most: int = 3) -> Iterator[Path]:
    """Where there is something in a header, but for its arrays: of a list, only the first few."""
    if isinstance(value, dict):
        inner = [(name, of) for name, of in value.items() if (*at, name) != ("arrays",)]
    elif isinstance(value, list):
        inner = list(enumerate(value[:most]))
    else:
        return
    for name, of in inner:
        yield (*at, name)
        yield from paths_in(of, (*at, name), most)


def put(header: Any, path: Path, value: Any) -> None:
    for name in path[:-1]:
        header = header[name]
    header[path[-1]] = value


def remove(header: Any, path: Path) -> None:
    for name in path[:-1]:
        header = header[name]
    del header[path[-1]]
