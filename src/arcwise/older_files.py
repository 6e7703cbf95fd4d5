"""What files of older formats say, in the words of the newest one. Nothing here ever changes: it is about
files that were written once.
"""

from __future__ import annotations

from array import array
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
    if "tokens" not in parted and not any(arrays[f"tagger.{name}"].nbytes for name in parted):
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


def with_token_factors(arrays: dict[str, Any]) -> dict[str, Any]:
    """Formats 2 to 6: all embeddings have 8 bits, and are so many times doubled (``token_shifts``).

    Raises whatever comes of shifts that are not what they should be.
    """
    found = dict(arrays)
    for name in [name for name in arrays if name.endswith("token_shifts")]:
        prefix = name.removesuffix("token_shifts")
        factors = array("H", [1 << shift for shift in found.pop(name)])
        found |= {f"{prefix}rare_tokens": memoryview(b""), f"{prefix}token_factors": memoryview(factors)}
    return found


_SYSTEM = ("root", "single_root", "nonprojective", "encoding")
_POLICY = ("oracle", "k", "p")
_OF_PARSERS = ("epochs", "patience", "seed", "leave_out")
_NETWORK = (
    *("tokens", "affixes", "states", "encoder", "layers", "window", "width", "hidden", "rate", "decay"),
    *("average", "clip", "dropout", "hidden_dropout", "word_dropout", "shown_tags", "batch", "vectors"),
    *("vectors_limit", "tune_vectors"),
)
_BEAM = ("violation", "relaxed", "negative")
_ADAGRAD = ("alpha", "rho", "penalty", "cutoff")
_L2S = (
    *("algorithm", "rollin", "rollout", "deviations", "base", "base_rate", "reduction", "bits", "prune"),
    "label_apart",
)
_LEARNERS = {
    "network": _NETWORK,
    "perceptron": ("features",),
    "adagrad": ("features", *_ADAGRAD),
    "l2s": ("features", *_L2S),
}
_FLAT = {
    *("system", "policy", "learner", "features", "train_beam"),
    *_SYSTEM,
    *_POLICY,
    *_OF_PARSERS,
    *_NETWORK,
    *_BEAM,
    *_ADAGRAD,
    *_L2S,
}


def with_nested_options(header: Any) -> Any:
    """Formats 2 to 4: the options of a parser stood side by side, those of other learners among them."""
    if not isinstance(header, dict):
        return header
    changed = {name: with_nested_options(value) for name, value in header.items() if name != "arrays"}
    options = header.get("options")
    if isinstance(options, dict) and "nonprojective" in options:
        changed["options"] = _nested(options)
    return {name: changed.get(name, value) for name, value in header.items()}


def _nested(flat: dict[str, Any]) -> dict[str, Any]:
    def those(names: tuple[str, ...]) -> dict[str, Any]:
        return {name: flat[name] for name in names if name in flat}

    name = flat.get("learner")
    if not isinstance(name, str) or name not in _LEARNERS:
        return flat  # which no version has written, and is refused
    own = {"name": name, **those(_LEARNERS[name])}
    if name == "perceptron" and flat.get("train_beam") is not None:
        own["beam"] = {"width": flat["train_beam"], **those(_BEAM)}
    return {
        "system": {"name": flat.get("system"), **those(_SYSTEM)},
        "policy": {"name": flat.get("policy"), **those(_POLICY)},
        "learner": own,
        **those(_OF_PARSERS),
        # Those that there never were are refused, too.
        **{name: value for name, value in flat.items() if name not in _FLAT},
    }
