"""What files of older formats say, in the words of the newest one. Nothing here ever changes: it is about
files that were written once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SHARED = ("keys", "tokens", "token_shifts", "encoder_weights", "encoder_scales", "encoder_bias")
_SHAPE = ("encoder", "layers", "window", "width")


def with_named_encoder(
    header: dict[str, Any], arrays: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Formats 2 and 3: what components share are arrays that are the same (``same``: name and name).

    Where a parser and a tagger have the arrays of an encoder in common, that is a component since format 4.
    Raises whatever comes of a header that is not what it should be.
    """
    same: Mapping[str, str] = header.get("same", {})
    if not same:
        return {name: value for name, value in header.items() if name != "same"}, arrays
    arrays = arrays | {name: arrays[found] for name, found in same.items()}
    header = {name: value for name, value in header.items() if name != "same"}
    # What is empty was stored for each of them.
    parted = [name for name in _SHARED if same.get(f"parser.{name}") != f"tagger.{name}"]
    if "tokens" not in parted and not any(arrays[f"tagger.{name}"].size for name in parted):
        components = dict(header["components"])
        shape = components["parser"]["network"]
        encoder = {name: shape[name] for name in _SHAPE}
        scale = float(arrays["parser.scales"][0])
        components["encoder"] = {"kind": "encoder", **encoder, "token_scale": scale}
        for name in ("parser", "tagger"):
            components[name] = {**components[name], "encoder": "encoder"}
        header["components"] = components
        shared = {f"encoder.{name}": arrays[f"tagger.{name}"] for name in _SHARED}
        taken = {f"{part}.{name}" for part in ("parser", "tagger") for name in _SHARED}
        arrays = {name: array for name, array in arrays.items() if name not in taken} | shared
    return header, arrays
