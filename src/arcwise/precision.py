"""Networks of older files, which multiply words with weights of 16 bits, in the 8 bits of newer ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arcwise import _core
from arcwise.model_file import Array, Component

_SCALES_OF = {"encoder_weights": "encoder_scales", "positions": "position_scales"}


def in_8_bits(component: Component) -> Component:
    """A model with 8 bits where it has 16: faster and smaller, and its trees may differ here and there."""
    arrays = dict(component.arrays)
    for name, weights in component.arrays.items():
        prefix, _, own = name.rpartition(".")
        if own not in _SCALES_OF or weights.dtype != np.int16:
            continue
        scales = f"{prefix}.{_SCALES_OF[own]}" if prefix else _SCALES_OF[own]
        layers = _layers(component, prefix) if own == "encoder_weights" else 1
        arrays[name], arrays[scales] = _in_8_bits(weights, component.arrays[scales], layers)
    return replace(component, arrays=arrays, origin=None)


def _in_8_bits(weights: Array, scales: Array, layers: int) -> tuple[Array, Array]:
    if weights.size == 0:
        return weights.astype(np.int8), scales
    inputs = weights.size // scales.size
    integers, new_scales = [], []
    for own, own_scales in zip(np.split(weights, layers), np.split(scales, layers), strict=True):
        values = own.reshape(inputs, -1).astype(np.float64) * own_scales
        in_bytes, of_bytes = _core.byte_weights(values.astype(np.float32).ravel(), inputs)
        integers.append(in_bytes)
        new_scales.append(of_bytes)
    return np.concatenate(integers), np.concatenate(new_scales)


def _layers(component: Component, prefix: str) -> int:
    header = component.header["components"][prefix] if prefix else component.header
    shape = next(h for h in (header, header.get("network"), header.get("options")) if h and "layers" in h)
    return int(shape["layers"])
