"""The network's learner equals the formulas: its loss, the gradient of every kind of weight, its steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise import ParserOptions, Training, Treebank, _core
from networks import (
    FIRST_ROW,
    NONE,
    ROOT_ROW,
    UNKNOWN_FORM_ROW,
    State,
    conv,
    known_keys,
    rnn,
    short,
    slope,
    token_keys,
)
from walks import costs

# Every label has arcs to both sides, so that moves are numbered as a walk does.
TREEBANK = Treebank.from_string(
    """\
1	the	_	DET	_	_	2	near	_	_
2	dog	_	NOUN	_	_	3	far	_	_
3	saw	_	VERB	_	_	0	root	_	_
4	cats	_	NOUN	_	_	3	near	_	_
5	there	_	ADV	_	_	3	far	_	_

1	run	_	VERB	_	_	0	root	_	_
2	dog	_	NOUN	_	_	1	near	_	_

1	the	_	DET	_	_	3	near	_	_
2	Old	_	ADJ	_	_	3	near	_	_
3	cats	_	NOUN	_	_	4	far	_	_
4	saw	_	VERB	_	_	0	root	_	_
5	the	_	DET	_	_	6	near	_	_
6	dog	_	NOUN	_	_	4	near	_	_

"""
)
VECTORS = "3 4\nthe 1 0 0 -1\nold 0 2 1 0\ncats 1 1 -1 3\n"
STATES = {
    "arc-eager": "S0 S1 N0 S0l S0h N0l S0.deprel N0l.deprel S0.right-count S0~N0.distance",
    "arc-hybrid": "S0 S1 N0 N1 S0l N0l S0r.deprel N0.left-count S0~N0.distance",
    "arc-standard": "S0 S1 S2 N0 S1l S0r S1r.deprel S0.left-count S0~S1.distance",
}
SETTINGS = [
    {"system": "arc-standard", "encoder": "none"},
    {"system": "arc-hybrid", "encoder": "conv", "window": 2, "vectors": True},
    {"system": "arc-eager", "encoder": "rnn", "vectors": True, "tune_vectors": True},
]


@dataclass(frozen=True)
class Seen:
    """A decision: what the network looks at, the legal moves, and the correct ones of them."""

    nodes: list[int]
    rows: list[int]
    legal: list[int]
    correct: list[int]


@dataclass
class Reference:
    """The network in 64-bit floats; its weights are one long vector for each table of the learner."""

    training: Training
    weights: dict[str, Any] = field(init=False)
    paths: list[list[Seen]] = field(init=False)

    def __post_init__(self) -> None:
        self.network = self.training.network or {}
        self.core = self.training._core
        self.weights = tables(self.core, "weights")
        keys = known_keys(self.core.learnt()["encoder"]["keys"])
        self.row = {key: FIRST_ROW + number for number, key in enumerate(keys)}
        inputs = self.network["state_inputs"]
        self.positions = [name for name in inputs if "." not in name]
        self.extras = [name for name in inputs if "." in name]
        sizes = [self._values(name) for name in self.extras]
        self.first_value = np.cumsum([0, *sizes[:-1]]).tolist()
        self.paths = [self._path(number) for number in range(len(TREEBANK))]

    def _values(self, extra: str) -> int:
        """How many values an extra input has."""
        return {"deprel": len(self.core.labels) + 2, "distance": 9}.get(extra.rpartition(".")[2], 5)

    def parts(self, dense: Any) -> dict[str, Any]:
        """The dense weights, or whatever else there is one of for each of them, by name."""
        width, hidden = self.network["width"], self.network["hidden"]
        outputs = {"conv": 2, "rnn": 3, "none": 0}[self.network["encoder"]] * width
        shapes: dict[str, tuple[int, ...]] = {}
        for layer in range(self.network["layers"] if outputs else 0):
            shapes[f"layer {layer}"] = ((2 * self.network["window"] + 1) * width, outputs)
            shapes[f"bias {layer}"] = (outputs,)
        shapes["positions"] = (width, len(self.positions), hidden)
        shapes["absent"] = (len(self.positions), hidden)
        shapes["hidden"] = (hidden,)
        classes = {"arc-eager": 2, "arc-standard": 1, "arc-hybrid": 1}[self.training.options.system.name]
        classes += len(self.core.left) + len(self.core.right) + len(self.core.root)
        shapes["moves"] = (hidden, classes)
        shapes["move bias"] = (classes,)
        vectors = self.training.inputs.vectors
        shapes["projection"] = (0 if vectors is None else vectors.width, width)
        named, at = {}, 0
        for name, shape in shapes.items():
            size = int(np.prod(shape))
            named[name] = dense[at : at + size].reshape(shape)
            at += size
        assert at == len(dense)
        return named

    def _path(self, number: int) -> list[Seen]:
        """The decisions of a sentence, each followed by the best-scored correct move."""
        sentence, first = TREEBANK[number], TREEBANK.first_words[number]
        label = {base: own for own, (base, _, _) in enumerate(self.core.labels)}
        own_labels = [label[base] for base in TREEBANK.labels[first : first + len(sentence)].tolist()]
        gold = sentence.heads.tolist(), own_labels
        assert self.core.left == self.core.right
        walk = _core.Walk.start(
            self.training.options.system.name,
            len(sentence),
            self.core.left,
            self.core.root,
            completion=self.core.completion,
        )
        x = self.encoded(number)
        seen = []
        while not walk.done:
            by_move = costs(walk, gold)
            move = next(iter(by_move))
            if len(by_move) > 1:
                state = State(walk, 0)
                rows = [
                    first + state.value(name)
                    for name, first in zip(self.extras, self.first_value, strict=True)
                ]
                correct = [m for m, cost in by_move.items() if cost == min(by_move.values())]
                decision = Seen(
                    [state.node(name) for name in self.positions],
                    rows,
                    [m[1] for m in by_move],
                    [m[1] for m in correct],
                )
                seen.append(decision)
                scores = self.scores(x, decision)
                move = max(correct, key=lambda m: scores[m[1]])
            walk.apply(move)
        return seen

    def encoded(self, number: int) -> Any:
        sentence = TREEBANK[number]
        dense = self.parts(self.weights["dense"])
        tokens = self.weights["tokens"].reshape(-1, self.network["width"])
        x = np.zeros((len(sentence) + 1, self.network["width"]))
        x[-1] = tokens[ROOT_ROW]
        for word, token in enumerate(sentence):
            for name, key in token_keys(token.form, token.upos):
                if short(key) in self.row:
                    x[word] += tokens[self.row[short(key)]]
                elif name == "form":
                    x[word] += tokens[UNKNOWN_FORM_ROW]
            if (vector := self.vector(token.form)) is not None:
                x[word] += vector @ dense["projection"]
        for layer in range(self.network["layers"] if self.network["encoder"] != "none" else 0):
            window = self.network["window"]
            padded = np.pad(x, ((window, window), (0, 0)))
            around = np.hstack([padded[i : i + len(x)] for i in range(2 * window + 1)])
            a = around @ dense[f"layer {layer}"] + dense[f"bias {layer}"]
            x = x + (conv(a) if self.network["encoder"] == "conv" else rnn(a))
        return x

    def vector(self, form: str) -> Any:
        """The pre-trained vector of a form, or of the lower-cased form."""
        vectors = self.training.inputs.vectors
        if vectors is None:
            return None
        words = [line.split()[0] for line in VECTORS.splitlines()[1:]]
        rows = [words.index(spelling) for spelling in (form, form.lower()) if spelling in words]
        if not rows:
            return None
        values = self.weights["vectors"] if self.training.options.learner.tune_vectors else vectors.values
        return np.asarray(values, float).reshape(-1, vectors.width)[rows[0]]

    def scores(self, x: Any, seen: Seen) -> Any:
        dense = self.parts(self.weights["dense"])
        extras = self.weights["extras"].reshape(-1, self.network["hidden"])
        sums = dense["hidden"] + extras[seen.rows].sum(axis=0)
        for position, node in enumerate(seen.nodes):
            if node == NONE:
                sums = sums + dense["absent"][position]
            else:
                word = len(x) - 1 if node in (0, len(x)) else node - 1
                sums = sums + x[word] @ dense["positions"][:, position]
        return np.maximum(sums, 0) @ dense["moves"] + dense["move bias"]

    def loss(self) -> float:
        """Minus the log of the correct moves' probability among the legal ones, over all decisions."""
        total = 0.0
        for number, path in enumerate(self.paths):
            x = self.encoded(number)
            for seen in path:
                powers = np.exp(self.scores(x, seen))
                total -= np.log(powers[seen.correct].sum() / powers[seen.legal].sum())
        return total

    @property
    def decisions(self) -> int:
        return sum(map(len, self.paths))

    def derivative(self, table: str, at: int) -> float:
        """Of the mean loss of a decision, by one weight."""
        return slope(self.weights[table], at, self.loss) / self.decisions


def tables(core: _core.Trainer, what: str) -> dict[str, Any]:
    learner = core.state()["learner"]
    names = ("dense", "tokens", "extras", "vectors")
    return {name: learner[f"{name}.{what}"].view(np.float32).astype(float) for name in names}


def start(tmp_path: Path, **changes: Any) -> Training:
    """A run without chance, whose epochs are a step each."""
    if changes.pop("vectors", False):
        path = tmp_path / "some.vec"
        path.write_text(VECTORS, encoding="utf-8")
        changes["vectors"] = str(path)
    options = {
        "learner": "network",
        "oracle": "nondeterministic",
        "policy": "static",
        "tokens": "form suffix upos",
        "affixes": 2,
        "states": STATES[changes.get("system", "arc-eager")],
        "layers": 2,
        "width": 16,
        "hidden": 16,
        "dropout": 0.0,
        "hidden_dropout": 0.0,
        "word_dropout": 0.0,
        "clip": 1e9,
        "batch": 1000,
        "epochs": 10,
        **changes,
    }
    return Training(TREEBANK, options=ParserOptions.of(**options))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting["encoder"])
def test_the_loss_is_that_of_all_correct_moves_together(tmp_path, setting):
    training = start(tmp_path, **setting)
    reference = Reference(training)
    several = any(len(seen.correct) > 1 for path in reference.paths for seen in path)
    assert several or setting["system"] == "arc-hybrid", "one correct move everywhere shows little"
    progress = training._core.run(1000)
    assert progress.decisions == reference.decisions
    assert progress.loss == pytest.approx(reference.loss(), rel=1e-5)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting["encoder"])
def test_the_gradient_is_the_derivative_of_the_loss(tmp_path, setting):
    training = start(tmp_path, **setting)
    reference = Reference(training)
    training._core.run(1000)
    # Adam's first moment, after one step, is a tenth of the gradient.
    gradients = {name: 10 * values for name, values in tables(training._core, "first").items()}
    numbers = {name: np.arange(len(values)) for name, values in gradients.items()}
    kinds = {name: ("dense", part.ravel()) for name, part in reference.parts(numbers["dense"]).items()}
    kinds |= {name: (name, numbers[name]) for name in ("tokens", "extras", "vectors")}
    rng = np.random.default_rng(1)
    for kind, (table, own) in kinds.items():
        gradient = gradients[table]
        if not len(own):
            assert kind in ("projection", "vectors")
            continue
        moved = own[np.abs(gradient[own]) > 1e-4]
        assert len(moved) > 3, kind
        for at in (*rng.choice(moved, 6), *rng.choice(own, 3)):
            derivative = reference.derivative(table, at)
            assert gradient[at] == pytest.approx(derivative, rel=1e-3, abs=1e-6), (kind, at)


def test_words_in_no_sentence_and_values_never_seen_have_no_gradient(tmp_path):
    training = start(tmp_path, **SETTINGS[2])
    reference = Reference(training)
    training._core.run(1000)
    extras = tables(training._core, "first")["extras"].reshape(-1, 16)
    seen = {row for path in reference.paths for decision in path for row in decision.rows}
    assert 0 < len(seen) < len(extras)
    assert {row for row in range(len(extras)) if extras[row].any()} == seen


def test_a_gradient_that_is_too_long_is_cut(tmp_path):
    lengths = []
    for clip in (1e9, 1e-3):
        training = start(tmp_path, encoder="rnn", clip=clip)
        training._core.run(1000)
        gradients = tables(training._core, "first").values()
        lengths.append(10 * np.sqrt(sum((values**2).sum() for values in gradients)))
    assert lengths[0] > 0.01
    assert lengths[1] == pytest.approx(1e-3, rel=1e-4)


def test_steps_are_adams_and_the_average_follows(tmp_path):
    epochs, rate, decay, most = 10, 0.01, 0.1, 0.95
    training = start(tmp_path, encoder="rnn", rate=rate, decay=decay, average=most, epochs=epochs)
    core = training._core
    weights = average = tables(core, "weights")["dense"]
    first = second = np.zeros_like(weights)
    for t in range(1, epochs + 1):
        core.run(1000)
        new = tables(core, "first")["dense"]
        gradient = (new - 0.9 * first) / 0.1
        first, second = new, 0.999 * second + 0.001 * gradient**2
        # The rate is at its full size after a tenth of training and falls to a fiftieth.
        now = rate * max(0.02, 1 - t / epochs)
        step = now * first / (1 - 0.9**t) / (np.sqrt(second / (1 - 0.999**t)) + 1e-8)
        weights = weights - step - now * decay * weights
        share = min(most, (1 + t) / (10 + t))
        average = share * average + (1 - share) * weights
        large = np.abs(gradient) > 1e-5  # smaller ones are not known well enough here
        found = tables(core, "weights")["dense"]
        np.testing.assert_allclose(found[large], weights[large], rtol=1e-3, atol=1e-5)
        weights = found
        found = tables(core, "average")["dense"]
        np.testing.assert_allclose(found, average, rtol=1e-3, atol=1e-4)
        average = found
