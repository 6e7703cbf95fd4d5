"""What a network makes of words: their embeddings and the layers that tell them of their neighbours.

A tagger and a parser that were trained together have the same encoder. In the file of a pipeline it is a
component of its own, which theirs name; a file of one of them alone has its arrays among the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arcwise import _core
from arcwise._numpy import np
from arcwise.errors import ModelError
from arcwise.model_file import ENCODER, Array, Arrays, Component

ARRAYS = (
    *("keys", "tokens", "rare_tokens", "token_factors"),
    *("encoder_weights", "encoder_scales", "encoder_bias"),
)
SHAPE = ("encoder", "layers", "window", "width")
"""Of what describes a network, that which describes its encoder."""


def key_count(arrays: Mapping[str, Array]) -> int:
    """How many inputs of words have embeddings of their own. Five bytes are known of each key, or all."""
    keys = arrays["keys"]
    return int(keys.size // 5 if keys.dtype == np.uint8 else keys.size)


def embeddings(arrays: Mapping[str, Array], width: int) -> Array:
    """The embeddings of words, a row each, but for the scale that all have in common."""
    halves = arrays["rare_tokens"].reshape(-1, 8)
    rare = np.hstack([halves & 15, halves >> 4]).astype(np.int32) * 2 - 15
    rows = np.concatenate([arrays["tokens"].astype(np.int32), rare.ravel()]).reshape(-1, width)
    return rows * arrays["token_factors"].astype(np.int32)[:, None]


@dataclass(frozen=True, eq=False)
class Encoder:
    """An encoder as it is used; networks share one if it is the same object."""

    shape: dict[str, Any]
    token_scale: float
    arrays: Arrays
    core: _core.NetworkEncoder

    @classmethod
    def make(cls, shape: Mapping[str, Any], token_scale: Any, arrays: Mapping[str, Array]) -> Encoder:
        """From what a file says."""
        own = {name: shape[name] for name in SHAPE}
        raw = Arrays.of(arrays).raw
        parts: dict[str, Any] = {name: raw(name) for name in ARRAYS}
        core = _core.NetworkEncoder(**own, token_scale=token_scale, **parts)
        return cls(own, token_scale, Arrays(parts), core)

    @classmethod
    def of_network(cls, shape: Mapping[str, Any], arrays: Mapping[str, Array]) -> Encoder:
        """That of a network whose arrays are together."""
        scales = Arrays.of(arrays).raw("scales")
        if scales.shape != (2,):
            raise ModelError("The model is damaged: the scales have an impossible size.")
        return cls.make(shape, float(scales[0]), arrays)

    def demand_shape(self, shape: Mapping[str, Any]) -> None:
        """Refuses the description of a network that has another encoder."""
        if {name: shape[name] for name in SHAPE} != self.shape:
            raise ModelError("The model is damaged: a network has another shape than its encoder.")

    def to_component(self) -> Component:
        """The encoder as a part of a model file."""
        return Component(ENCODER, {**self.shape, "token_scale": self.token_scale}, self.arrays)

    @classmethod
    def from_component(cls, component: Component) -> Encoder:
        """The encoder that `to_component` was asked of."""
        try:
            return cls.make(component.header, component.header["token_scale"], component.arrays)
        except ValueError as error:  # which says by itself what is damaged
            raise ModelError(str(error)) from error
        except (KeyError, TypeError) as error:
            raise ModelError(f"The encoder is damaged: {error}") from error
