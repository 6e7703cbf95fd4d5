"""Networks in fewer bits: weights in 8, of older files with 16, and the embeddings of rare words in 4."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from arcwise import _core
from arcwise.encoder import embeddings
from arcwise.model_file import Array, Component

_EMBEDDINGS = ("tokens", "rare_tokens", "token_factors")
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


def with_embedding_bits(component: Component, bits: int) -> Component:
    """A model with the embeddings of rare inputs of words in 4 bits, or all in 8."""
    parts = component.header.get("components")
    headers: dict[str, dict[str, Any]] = {"": component.header} if parts is None else dict(parts)
    arrays = dict(component.arrays)
    for name in [name for name in arrays if name.rpartition(".")[2] == "tokens"]:
        prefix = name.removesuffix("tokens")
        part = prefix.removesuffix(".")
        own = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
        width, scale = int(_shape(headers[part])["width"]), headers[part].get("token_scale")
        values = embeddings(own, width) * float(own["scales"][0] if scale is None else scale)
        *found, new_scale = _core.pack_embeddings(values.astype(np.float32).ravel(), width, bits)
        arrays |= {f"{prefix}{n}": np.asarray(a) for n, a in zip(_EMBEDDINGS, found, strict=True)}
        if scale is not None:
            headers[part] = {**headers[part], "token_scale": new_scale}
        else:
            arrays[f"{prefix}scales"] = np.array([new_scale, *own["scales"][1:]], np.float32)
    headers = {part: _saying(header, bits) for part, header in headers.items()}
    header = headers[""] if parts is None else {**component.header, "components": headers}
    return replace(component, header=header, arrays=arrays, origin=None)


def _saying(header: dict[str, Any], bits: int) -> dict[str, Any]:
    """The options of a network say what it has: an update goes on with that."""
    options = header.get("options")
    if not options:
        return header
    if "learner" not in options:
        return {**header, "options": {**options, "embedding_bits": bits}} if "width" in options else header
    if options["learner"]["name"] != "network":
        return header
    return {**header, "options": {**options, "learner": {**options["learner"], "embedding_bits": bits}}}


def _layers(component: Component, prefix: str) -> int:
    return int(_shape(component.header["components"][prefix] if prefix else component.header)["layers"])


def _shape(header: dict[str, Any]) -> dict[str, Any]:
    return next(h for h in (header, header.get("network"), header.get("options")) if h and "layers" in h)
