"""The learner of taggers equals the formulas: its loss, and the gradient of every kind of weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from arcwise import Treebank, _core
from networks import FIRST_ROW, ROOT_ROW, known_keys, short, slope, token_keys

WIDTH = HIDDEN = 16
POSITIONS, EXTRAS = ("N0", "N1", "S0"), ("N0.tag", "S0.tag")
TREEBANK = Treebank.from_words(
    [["cats", "see", "dogs"], ["dogs", "see"], ["see", "cats", "dogs"]],
    upos=[["N", "V", "N"], ["N", "V"], ["V", "N", "_"]],
    xpos=[["p", "p", "q"], ["p", "q"], ["q", "q", "_"]],
    feats=[["A=1|B=1", "B=1", "A=2"], ["A=1|B=2", "_"], ["B=2|C=1", "A=2|B=2", "_"]],
    lemma=[["cat", "see", "dog"], ["dog", "seen"], ["sees", "cats", "_"]],
)


@dataclass(frozen=True)
class Seen:
    """A decision: the word, its tag and that of the word before, the legal moves and the correct ones."""

    sentence: int
    word: int
    tags: tuple[int | None, int | None]
    legal: list[int]
    correct: list[int]


class Reference:
    """The network in 64-bit floats; its weights are one long vector for each table of the learner."""

    def __init__(self, tagging_set: _core.TaggingSet, core: _core.Trainer) -> None:
        self.set = tagging_set
        self.weights = tables(core, "weights")
        keys = known_keys(core.learnt()["encoder"]["keys"])
        self.row = {key: FIRST_ROW + number for number, key in enumerate(keys)}
        self.decisions = [seen for sentence in range(len(TREEBANK)) for seen in self._path(sentence)]

    def parts(self, dense: Any) -> dict[str, Any]:
        moves = len(self.set.parts)
        kinds = 1 + max(part for parts in self.set.parts for part in parts)
        shapes = {
            "positions": (WIDTH, len(POSITIONS), HIDDEN),
            "absent": (len(POSITIONS), HIDDEN),
            "hidden": (HIDDEN,),
            "moves": (HIDDEN, moves),
            "move bias": (moves,),
            "move parts": (HIDDEN, kinds),
        }
        named, at = {}, 0
        for name, shape in shapes.items():
            named[name] = dense[at : at + int(np.prod(shape))].reshape(shape)
            at += int(np.prod(shape))
        assert at == len(dense)
        return named

    def _path(self, sentence: int) -> list[Seen]:
        """The decisions of a sentence, each followed by the best-scored correct move."""
        walk = _core.TaggingWalk(self.set, TREEBANK._core, sentence)
        seen = []
        word, tags = 0, [None] * len(TREEBANK[sentence])
        while not walk.done:
            costs = dict(walk.costs())
            move = next(iter(costs))
            if len(costs) > 1:
                correct = [m for m, cost in costs.items() if cost == min(costs.values())]
                before = tags[word - 1] if word > 0 else None
                decision = Seen(sentence, word, (tags[word], before), list(costs), correct)
                seen.append(decision)
                scores = self.scores(decision)
                move = max(correct, key=lambda m: scores[m])
            walk.apply(move)
            if move < self.set.tags:
                tags[word] = move
            if walk.word > word:
                word += 1
        return seen

    def scores(self, seen: Seen) -> Any:
        dense = self.parts(self.weights["dense"])
        tokens = self.weights["tokens"].reshape(-1, WIDTH)
        extras = self.weights["extras"].reshape(len(EXTRAS), self.set.tags + 2, HIDDEN)
        words = TREEBANK[seen.sentence]
        sums = dense["hidden"].copy()
        for position, at in enumerate((seen.word, seen.word + 1, seen.word - 1)):
            if at < 0:
                sums += dense["absent"][position]
                continue
            row = ROOT_ROW
            if at < len(words):
                row = self.row[short(dict(token_keys(words[at].form, "_"))["form"])]
            sums += tokens[row] @ dense["positions"][:, position]
        for extra, tag in enumerate(seen.tags):
            is_there = extra == 0 or seen.word > 0
            sums += extras[extra, 0 if not is_there else 1 if tag is None else tag + 2]
        of_moves = dense["moves"].copy()
        for move, parts in enumerate(self.set.parts):
            of_moves[:, move] += dense["move parts"][:, parts].sum(axis=1)
        return np.maximum(sums, 0) @ of_moves + dense["move bias"]

    def loss(self) -> float:
        total = 0.0
        for seen in self.decisions:
            powers = np.exp(self.scores(seen))
            total -= np.log(powers[seen.correct].sum() / powers[seen.legal].sum())
        return total

    def derivative(self, table: str, at: int) -> float:
        """Of the mean loss of a decision, by one weight."""
        return slope(self.weights[table], at, self.loss) / len(self.decisions)


def tables(core: _core.Trainer, what: str) -> dict[str, Any]:
    learner = core.state()["learner"]
    return {
        name: learner[f"{name}.{what}"].view(np.float32).astype(float)
        for name in ("dense", "tokens", "extras")
    }


@pytest.fixture
def run() -> tuple[_core.TaggingSet, _core.Trainer]:
    """A run without chance, whose epochs are a step each."""
    tagging_set = _core.TaggingSet(TREEBANK._core, leave_out=[], least_forms=1, least_uses=100)
    options = _core.RunOptions(
        system="tagging",
        root_first=False,
        single_root=None,
        scheme=None,
        oracle="nondeterministic",
        policy="static",
        k=1,
        p=0.9,
        seed=1,
    )
    network = _core.NetworkOptions(
        encoder="none",
        layers=1,
        window=1,
        width=WIDTH,
        hidden=HIDDEN,
        token_inputs=["form"],
        longest_affix=1,
        state_inputs=[*POSITIONS, *EXTRAS],
        rate=0.1,
        decay=0.0,
        average=0.9,
        clip=1e9,
        dropout=0.0,
        hidden_dropout=0.0,
        word_dropout=0.0,
        batch=1000,
        epochs=10,
        threads=1,
    )
    trainer = _core.Trainer.tagger(TREEBANK._core, options, network, tagging_set)
    trainer.run(1000)  # so that parts have weights, which are 0 at first
    return tagging_set, trainer


def test_the_loss_is_that_of_all_correct_moves_together(run):
    tagging_set, trainer = run
    reference = Reference(tagging_set, trainer)
    assert any(len(seen.correct) > 1 for seen in reference.decisions)
    progress = trainer.run(1000)
    assert progress.decisions == len(reference.decisions)
    assert progress.loss == pytest.approx(reference.loss(), rel=1e-5)


def test_the_gradient_is_the_derivative_of_the_loss(run):
    tagging_set, trainer = run
    reference = Reference(tagging_set, trainer)
    before = tables(trainer, "first")
    trainer.run(1000)
    # Adam's first moment is nine tenths of what it was, and a tenth of the gradient.
    gradients = {name: 10 * (after - 0.9 * before[name]) for name, after in tables(trainer, "first").items()}
    numbers = {name: np.arange(len(values)) for name, values in gradients.items()}
    kinds = {name: ("dense", part.ravel()) for name, part in reference.parts(numbers["dense"]).items()}
    kinds |= {name: (name, numbers[name]) for name in ("tokens", "extras")}
    rng = np.random.default_rng(1)
    # What is rare has no weights of its own.
    rare, dense = np.array(tagging_set.rare), reference.parts(numbers["dense"])
    assert rare.any() and not rare.all()
    unlearnt = {"moves": dense["moves"][:, rare].ravel(), "move bias": dense["move bias"][rare]}
    for kind, (table, own) in kinds.items():
        moved = own[np.abs(gradients[table][own]) > 1e-4]
        assert len(moved) > 3, kind
        for at in (*rng.choice(moved, 6), *rng.choice(own, 3)):
            derivative = 0.0 if at in unlearnt.get(kind, ()) else reference.derivative(table, at)
            assert gradients[table][at] == pytest.approx(derivative, rel=1e-3, abs=1e-5), (kind, at)
