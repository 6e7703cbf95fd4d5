"""What can go wrong with a file on its way: the same damage for the same seed."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import numpy as np

from arcwise.model_file import Component

PIECES = (
    b"\0", b"\t", b"\n", b"\n\n", b"\r", b"\r\n", b" ", b"_", b"-", b".", b"#", b"|", b"=", b"0", b"-1",
    b"1-2", b"2-1", b"1.1", b"0.1", b"1.4294967296", b"4294967296", b"99999999999999999999", b"1\t",
    b"\xef\xbb\xbf",
    b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x80\xae",
    b"\xf0\x9f\x91\xa9\xe2\x80\x8d",
    b"# text = ", b"# newpar", b"SpaceAfter=No", b"SpacesAfter=\\n\\", b"HeadProb=0.5", b"FixedHead=1",
    b"a" * 300, "́".encode() * 40, b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n",
)  # fmt: skip
"""What readers look for, and what they should not trip over."""
NUMBERS = (-1, 0, 1, 2, 7, 63, 64, 2**15, 2**31 - 1, 2**31, 2**32, 2**63, 2**64, 0.5, -0.0, 1e39, 1e308)
OTHERS = (None, True, "", "x", "arc-hybrid", "S0", "\x1b[31m", "a" * 300, [], {}, [[]], [None], {"x": 1})


def damaged_bytes(data: bytes, random: Random) -> bytes:
    """The data with one to four things wrong with it."""
    result = bytearray(data)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(result) + 1)
        to = min(len(result), at + random.choice((1, 1, 2, 8, 40)))
        kind = random.randrange(6)
        if kind == 0 and at < len(result):
            result[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            del result[at:to]
        elif kind == 2:
            del result[at:]
        elif kind == 3:
            result[at:at] = result[at:to] * random.choice((1, 2, 50))
        elif kind == 4:
            result[at:to] = random.choice(PIECES)
        else:
            result[at:at] = random.choice(PIECES)
    return bytes(result)


def damaged_component(component: Component, random: Random) -> Component:
    """A model in which someone who knows the format has changed one to three values or arrays."""
    header = {name: value for name, value in component.header.items() if name not in ("format", "arrays")}
    header, arrays = copy.deepcopy(header), dict(component.arrays)
    for _ in range(random.randint(1, 3)):
        if arrays and random.random() < 0.5:
            name = random.choice(sorted(arrays))
            arrays[name] = damaged_array(np.array(arrays[name]), random)
            if random.random() < 0.1:
                del arrays[name]
        else:
            _damage_json(header, random)
    return Component(component.kind, header, arrays)


def damaged_array(array: np.ndarray, random: Random) -> np.ndarray:
    """The array with values, a length or a type that it should not have."""
    kind = random.randrange(5)
    if kind == 0:
        return array[: random.randrange(len(array) + 1)] if array.ndim else array
    if kind == 1:
        return np.concatenate([array.ravel(), array.ravel()[:3]])
    if kind == 2:
        with np.errstate(all="ignore"):
            return array.astype(random.choice(("uint8", "int16", "int32", "uint32", "uint64", "float32")))
    if array.size:
        flat = array.reshape(-1)
        for at in random.choices(range(array.size), k=random.choice((1, 1, 5))):
            flat[at] = _extreme(array.dtype, random)
    return array


def _extreme(dtype: np.dtype, random: Random) -> Any:
    if dtype.kind == "f":
        limits = np.finfo(dtype)
        return random.choice((np.nan, np.inf, -np.inf, limits.max, limits.min, limits.tiny, 0.0))
    whole = np.iinfo(dtype)
    return random.choice((whole.max, whole.min, whole.max - 1, 0, 1, 2, random.randint(0, 100)))


def _damage_json(value: Any, random: Random) -> None:
    """Goes down to a value, now and then stopping on the way, and changes it."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = random.choice(keys)
    if isinstance(value[key], dict | list) and value[key] and random.random() < 0.85:
        _damage_json(value[key], random)
    elif random.random() < 0.1:
        del value[key]
    elif isinstance(value, list) and random.random() < 0.2:
        value.append(value[key])
    else:
        value[key] = copy.deepcopy(random.choice(random.choice((NUMBERS, OTHERS))))
