"""Derivations scored a move at a time from what the core shows of a model: searches' slow reference."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cache

from arcwise import Parser, Treebank, _core
from arcwise.options import PROBABILISTIC
from conftest import GARDEN

Tree = tuple[tuple[int, ...], tuple[str, ...]]
"""Heads and labels, as treebanks have them."""


@cache
def trained(system: str, root_first: bool, learner: str, **options: object) -> Parser:
    """A parser of the garden that has not learnt enough to be sure of anything."""
    treebank = Treebank.read(GARDEN / "train.conllu")[:40]
    root = "first" if root_first else "last"
    own = {"alpha": 0.03} if learner == "adagrad" else {}
    return Parser.train(treebank, system=system, root=root, learner=learner, epochs=1, **own, **options)


@cache
def short_sentences(words: int = 9) -> Treebank:
    dev = Treebank.read(GARDEN / "dev.conllu")
    return dev.select(i for i, sentence in enumerate(dev) if len(sentence) <= words)[:6]


def first_words(words: int) -> Treebank:
    """The beginning of a sentence: short enough for all its derivations."""
    treebank = short_sentences()[:1]
    return Treebank.from_words([treebank.column("form")[:words]], upos=[treebank.column("upos")[:words]])


@dataclass(frozen=True)
class Derivation:
    """All of a state, copied for each."""

    walk: _core.Walk
    moves: tuple[tuple[int, int], ...] = ()
    score: float = 0.0


class Reference:
    """What a parser thinks of the derivations of a sentence."""

    def __init__(self, parser: Parser, treebank: Treebank, sentence: int = 0) -> None:
        self.parser, self.treebank, self.sentence = parser, treebank, sentence
        self.probabilistic = parser.info.options.learner.name in PROBABILISTIC
        info = parser.info
        self.start = Derivation(
            _core.Walk.start(
                info.options.system.name,
                len(treebank[sentence]),
                info.left,
                info.root,
                root_first=info.options.system.root == "first",
                single_root=info.single_root,
                completion=info.completion,
                right_labels=info.right,
            )
        )

    def gains(self, derivation: Derivation) -> dict[tuple[int, int], float]:
        """What each legal move adds to the score."""
        legal = derivation.walk.legal()
        if len(legal) == 1:
            return {legal[0]: 0.0}
        core = self.parser._core
        gains = {}
        for site in sorted({site for site, _ in legal}):
            moves = [move for move in legal if move[0] == site]
            # The scores before each move of a walk: one more move shows those of the state at hand.
            rows = core.scores(self.treebank._core, self.sentence, [*derivation.moves, moves[0]])
            scores = rows.reshape(len(derivation.moves) + 1, -1)[-1] * core.scale
            gains |= {move: float(scores[move[1]]) for move in moves}
        total = math.log(sum(map(math.exp, gains.values()))) if self.probabilistic else 0.0
        return {move: gain - total for move, gain in gains.items()}

    def children(self, derivation: Derivation) -> list[Derivation]:
        if derivation.walk.done:
            return [derivation]
        return [self.after(derivation, move, gain) for move, gain in self.gains(derivation).items()]

    def after(self, derivation: Derivation, move: tuple[int, int], gain: float) -> Derivation:
        walk = derivation.walk.copy()
        walk.apply(move)
        return Derivation(walk, (*derivation.moves, move), derivation.score + gain)

    def tree(self, derivation: Derivation) -> Tree:
        names, labels = self.parser.info.label_names, self.parser.info.labels
        deprels = tuple(names[labels[label][0]] for label in derivation.walk.labels)
        return tuple(derivation.walk.heads), deprels

    def distribution(self) -> dict[Tree, float]:
        """The probability of every tree: that of all its derivations."""
        trees: dict[Tree, float] = defaultdict(float)
        to_do = [self.start]
        while to_do:
            derivation = to_do.pop()
            if derivation.walk.done:
                trees[self.tree(derivation)] += math.exp(derivation.score)
            else:
                to_do += self.children(derivation)
        return dict(trees)
