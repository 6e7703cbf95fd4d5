"""Networks with random weights, and what they compute, written down from the formulas in cpp/network/shape.h
with numpy in 64-bit floats."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arcwise import Parser, Treebank, _core, network
from arcwise.options import ParserOptions, SystemOptions
from arcwise.parser import ModelInfo

LABELS = ["det", "nsubj", "obj", "root"]
ROOT_LABEL = LABELS.index("root")
NOT_LIFTED = -2
TOKEN_INPUTS = ["form", "suffix", "upos"]
LONGEST_AFFIX = 2
STATE_INPUTS = {
    "arc-eager": ["S0", "N0", "N2", "S0l", "S0h", "S0.deprel", "N0l.deprel", "S0~N0.distance"],
    "arc-standard": ["S0", "S1", "S2", "N0", "S1r", "S0.left-count", "S1.right-count", "S0~S1.distance"],
    "arc-hybrid": ["S0", "S1", "N0", "S0r2", "S0.right-count", "S0r.deprel"],
    "easy-first": ["L1", "L0", "R0", "R1", "L0r", "L0.deprel", "R0.left-count", "L0~R0.distance"],
}
INPUT_NUMBERS = {"form": 0, "suffix": 6, "upos": 7}
ROOT_ROW, UNKNOWN_FORM_ROW, FIRST_ROW = 0, 1, 4
NONE = -1
MOST_FACTOR = 63
WORD = 2**64 - 1


def mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def key(name: str, text: str, characters: int = 0) -> int:
    return _core.hash_bytes(text.encode(), mix(INPUT_NUMBERS[name] + 1 + 256 * characters))


def known_keys(stored: Any) -> list[int]:
    """What a model has of the keys of its vocabulary: their last five bytes, or all."""
    if stored.dtype == np.uint64:
        return [int(key) for key in stored]
    assert stored.dtype == np.uint8
    return [int.from_bytes(key.tobytes(), "little") for key in stored.reshape(-1, 5)]


def short(key: int) -> int:
    return key % 2**40


def token_keys(form: str, upos: str) -> list[tuple[str, int]]:
    lower = form.lower()
    suffixes = [
        ("suffix", key("suffix", lower[-n:], n)) for n in range(1, min(LONGEST_AFFIX, len(lower)) + 1)
    ]
    return [("form", key("form", form)), *suffixes, ("upos", key("upos", upos))]


def eight_bits(rows: Any) -> Any:
    """Embeddings as they are stored: 8 bits of each row's integers of 16."""
    scale = np.abs(rows).max() / (127 << 8)
    most = np.abs(rows).max(axis=1, keepdims=True) / scale
    step = scale * 2.0 ** np.maximum(0, np.ceil(np.log2(most / 127) - 1e-9))
    return (np.round(rows / step) * step).astype(np.float32)


@dataclass
class Network:
    """Weights of a realistic size for a treebank, of whose keys some are in the vocabulary."""

    treebank: Treebank
    system: str = "arc-eager"
    encoder: str = "rnn"
    layers: int = 2
    window: int = 1
    width: int = 32
    hidden: int = 48
    bits: int = 8
    """Of what words are multiplied with, when it is frozen."""
    seed: int = 1
    weights: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)

        def normal(*shape: int, size: float) -> Any:
            return (size * rng.standard_normal(shape)).astype(np.float32)

        every = {k for form, upos in self.words() for _, k in token_keys(form, upos)}
        self.keys = [k for k in sorted(every) if rng.random() < 0.8]
        self.row = {k: FIRST_ROW + i for i, k in enumerate(self.keys)}
        layers = self.layers if self.encoder != "none" else 0
        inputs = (2 * self.window + 1) * self.width
        outputs = {"conv": 2, "rnn": 3, "none": 3}[self.encoder] * self.width
        self.positions = [name for name in STATE_INPUTS[self.system] if "." not in name]
        self.extras = [name for name in STATE_INPUTS[self.system] if "." in name]
        sizes = [self.values(name) for name in self.extras]
        self.first_value = dict(zip(self.extras, np.cumsum([0, *sizes[:-1]]), strict=True))
        self.weights = {
            "tokens": eight_bits(normal(FIRST_ROW + len(self.keys), self.width, size=0.4)),
            "encoder_weights": [normal(inputs, outputs, size=inputs**-0.5) for _ in range(layers)],
            "encoder_bias": [normal(outputs, size=0.2) for _ in range(layers)],
            "positions": normal(self.width, len(self.positions), self.hidden, size=self.width**-0.5),
            "absent": normal(len(self.positions), self.hidden, size=0.3),
            "extras": normal(sum(sizes), self.hidden, size=0.3),
            "hidden_bias": normal(self.hidden, size=0.2),
            "moves": normal(self.hidden, self.classes, size=self.hidden**-0.5),
            "move_bias": normal(self.classes, size=0.5),
        }

    @property
    def classes(self) -> int:
        actions = {"arc-eager": 2, "arc-standard": 1, "arc-hybrid": 1, "easy-first": 0}[self.system]
        return actions + 2 * len(LABELS) + 1

    @property
    def shape(self) -> dict[str, Any]:
        names = ("encoder", "layers", "window", "width", "hidden")
        return {name: getattr(self, name) for name in names}

    def words(self) -> list[tuple[str, str]]:
        return list(zip(self.treebank.column("form"), self.treebank.column("upos"), strict=True))

    @staticmethod
    def values(extra: str) -> int:
        attribute = extra.rpartition(".")[2]
        return {"deprel": len(LABELS) + 2, "distance": 9}.get(attribute, 5)

    def frozen(self, most_hidden: float = 8.0) -> dict[str, Any]:
        flat = {
            name: [a.ravel() for a in value] if isinstance(value, list) else value.ravel()
            for name, value in self.weights.items()
        }
        keys = np.array(self.keys, np.uint64)
        learnt = _core.freeze_network(
            **self.shape, keys=keys, **flat, most_hidden=most_hidden, bits=self.bits
        )
        return network.arrays_of(learnt, "parser")

    def info(self, **changes: Any) -> ModelInfo:
        inputs = {"token_inputs": TOKEN_INPUTS, "longest_affix": LONGEST_AFFIX}
        arcs = list(range(len(LABELS)))
        # The core scores what training would refuse: a network of easy-first.
        options = ParserOptions()
        object.__setattr__(options, "system", SystemOptions(name=self.system))
        return ModelInfo(
            options=options,
            templates=[],
            label_names=LABELS,
            labels=[(i, NOT_LIFTED, False) for i in arcs],
            left=arcs,
            right=arcs,
            root=[ROOT_LABEL],
            completion=0,
            single_root=True,
            scale=1.0,
            features=0,
            weights=0,
            training={},
            network={**self.shape, **inputs, "state_inputs": STATE_INPUTS[self.system], **changes},
        )

    def parser(self, **freezing: Any) -> Parser:
        return Parser(self.info(), self.frozen(**freezing))

    # What it computes.

    def weights_of(self, weights: Any) -> Any:
        """What words are multiplied with, as it is stored."""
        if self.bits == 16:
            return weights.astype(float)
        inputs = len(weights)
        integers, scales = _core.byte_weights(weights.ravel(), inputs)
        return (integers.reshape(inputs, -1) * scales.astype(float)).reshape(weights.shape)

    def factors(self, x: Any, *, together: bool) -> Any:
        """Words as they are multiplied with weights: all with one scale, or each with its own."""
        if self.bits == 16:
            return x
        most = np.abs(x).max(axis=None if together else 1, keepdims=True)
        return np.rint(x * MOST_FACTOR / most) * most / MOST_FACTOR

    def encoded(self, first: int, length: int) -> Any:
        """The vectors of a sentence's words, and of ROOT after the last."""
        tokens = self.weights["tokens"].astype(float)
        x = np.zeros((length + 1, self.width))
        x[length] = tokens[ROOT_ROW]
        for word, (form, upos) in enumerate(self.words()[first : first + length]):
            for name, k in token_keys(form, upos):
                if k in self.row:
                    x[word] += tokens[self.row[k]]
                elif name == "form":
                    x[word] += tokens[UNKNOWN_FORM_ROW]
        layers = zip(self.weights["encoder_weights"], self.weights["encoder_bias"], strict=True)
        for layer, (weights, bias) in enumerate(layers):
            padded = np.pad(self.factors(x, together=layer > 0), ((self.window, self.window), (0, 0)))
            around = [padded[i : i + len(x)] for i in range(2 * self.window + 1)]
            a = np.hstack(around) @ self.weights_of(weights) + bias
            x = x + (conv(a) if self.encoder == "conv" else rnn(a))
        return self.factors(x, together=False)

    def hidden_sums(self, x: Any, state: State) -> Any:
        positions = self.weights_of(self.weights["positions"])
        total = self.weights["hidden_bias"].astype(float)
        for p, name in enumerate(self.positions):
            node = state.node(name)
            if node == NONE:
                total = total + self.weights["absent"][p]
            else:
                total = total + x[state.words if node == 0 else node - 1] @ positions[:, p]
        for name in self.extras:
            total = total + self.weights["extras"][self.first_value[name] + state.value(name)]
        return total

    def scores(self, x: Any, state: State) -> Any:
        hidden = np.maximum(self.hidden_sums(x, state), 0)
        return hidden @ self.weights["moves"].astype(float) + self.weights["move_bias"]


def conv(a: Any) -> Any:
    one, other = np.split(a, 2, axis=1)
    return np.maximum(one, other)


def rnn(a: Any) -> Any:
    def sigmoid(v: Any) -> Any:
        return 1 / (1 + np.exp(-v))

    outputs = []
    for half, order in zip(np.split(a, 2, axis=1), (slice(None), slice(None, None, -1)), strict=True):
        z, f, o = np.split(half[order], 3, axis=1)
        c = np.zeros(z.shape[1])
        out = np.zeros_like(z)
        for t in range(len(z)):
            c = sigmoid(f[t]) * c + (1 - sigmoid(f[t])) * np.tanh(z[t])
            out[t] = sigmoid(o[t]) * c
        outputs.append(out[order])
    return np.hstack(outputs)


class State:
    """A state of a walk, as a network looks at it."""

    def __init__(self, walk: _core.Walk, site: int) -> None:
        self.walk, self.site = walk, site
        self.words = len(walk.heads)

    def node(self, place: str) -> int:
        slot, steps = re.fullmatch(r"([SNLR]\d)(\w*)", place).groups()
        node = self._slot(slot[0], int(slot[1]))
        for step, second in re.findall(r"([hlr])(2?)", steps):
            node = self._step(node, step, 2 if second else 1)
        return node

    def value(self, extra: str) -> int:
        places, _, attribute = extra.rpartition(".")
        nodes = [self.node(place) for place in places.split("~")]
        if NONE in nodes:
            return 0
        if attribute == "distance":
            return int(np.searchsorted([0, 1, 2, 3, 4, 6, 10, 16], abs(nodes[0] - nodes[1])))
        if attribute == "deprel":
            return (self.walk.labels[nodes[0] - 1] if 1 <= nodes[0] <= self.words else -1) + 2
        return min(len(self._dependents(nodes[0], attribute[0])), 3) + 1

    def _slot(self, kind: str, number: int) -> int:
        stack = self.walk.stack
        if kind == "S":
            return stack[-1 - number] if number < len(stack) else NONE
        if kind == "N":
            node = self.walk.buffer + number
            return node if node <= self.words + 1 else NONE
        at = stack.index(self.site) + (-number if kind == "L" else 1 + number)
        return stack[at] if 0 <= at < len(stack) else NONE

    def _step(self, node: int, step: str, number: int) -> int:
        if node == NONE:
            return NONE
        if step == "h":
            head = self.walk.heads[node - 1] if 1 <= node <= self.words else NONE
            return self.words + 1 if head == 0 else head
        dependents = self._dependents(node, step)
        return dependents[number - 1] if len(dependents) >= number else NONE

    def _dependents(self, node: int, side: str) -> list[int]:
        """Those to the left or right, the outermost first."""
        head = 0 if node > self.words else node
        all_of_them = [w for w, h in enumerate(self.walk.heads, 1) if h == head]
        return (
            [w for w in all_of_them if w < node]
            if side == "l"
            else [w for w in reversed(all_of_them) if w > node]
        )


def slope(values: Any, at: int, function: Callable[[], float], step: float = 1e-5) -> float:
    """The derivative of a function by one of the values that it looks at."""
    own = values[at]
    values[at] = own + step
    above = function()
    values[at] = own - step
    below = function()
    values[at] = own
    return (above - below) / (2 * step)
