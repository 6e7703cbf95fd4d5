r"""A parse step by step: what the parser saw, which moves it had and how probable it took each to be.

`Parser.trace` gives a model's. `Trace.of_gold` needs no model, and shows how an oracle builds a gold tree:

>>> from arcwise import Treebank
>>> words = Treebank.from_words([["She", "eats", "fish"]])
>>> tree = words.with_trees([2, 0, 2], [0, 1, 2], ["nsubj", "root", "obj"])
>>> print(Trace.of_gold(tree[0], "arc-hybrid").to_text(1))
step  stack           buffer         move           cost
   1  ROOT            She eats fish  → SHIFT           0
   2  ROOT She        eats fish      → LEFT(nsubj)     0
   3  ROOT            eats fish      → SHIFT           0
   4  ROOT eats       fish           → SHIFT           0
   5  ROOT eats fish                 → RIGHT(obj)      0
   6  ROOT eats                      → RIGHT(root)     0
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from arcwise import _core
from arcwise._terminal import visible
from arcwise.errors import OptionError, TreebankError
from arcwise.gold import gold_tree
from arcwise.names import for_the_core
from arcwise.treebank import Sentence, Treebank

if TYPE_CHECKING:
    from arcwise.calibration import Calibration
    from arcwise.parser import ModelInfo
    from arcwise.transitions.system import System

ROOT = "ROOT"
MOST_WORDS = 1000
"""That a sentence may have: each step keeps a whole state."""
MOST_MOVES = 1_000_000
"""In all steps together: in easy-first, every pair of neighbours has as many as there are labels."""
SHOWN_MOVES = 3
_SHOWN_NODES = 4


class Arc(NamedTuple):
    """An arc that has been made; words count from 1, 0 is ROOT."""

    head: int
    label: str
    dependent: int


@dataclass(frozen=True)
class Move:
    """A move that is legal in a state."""

    action: str
    """`SHIFT`, `REDUCE`, `LEFT` or `RIGHT`."""
    label: str | None
    """Of the arc that it makes. What was lifted is marked as in Nivre & Nilsson 2005: `d↑h`, `p↓`."""
    between: tuple[str, str] | None
    """Easy-first: the neighbours that it joins."""
    score: float | None
    """None of an oracle, which has none."""
    prob: float | None
    """Its share among the moves that are legal with it; None where the learner has no probabilities."""
    cost: float | None = None
    """How many arcs of the gold tree are lost with it; None without one."""

    def __str__(self) -> str:
        name = self.action if self.label is None else f"{self.action}({self.label})"
        return name if self.between is None else f"{name} {self.between[0]} · {self.between[1]}"


@dataclass(frozen=True)
class Step:
    """A state, its legal moves from the best-scored down, and the one that was taken."""

    stack: tuple[str, ...]
    """Its top comes last; in easy-first, the list of nodes."""
    buffer: tuple[str, ...]
    stack_ids: tuple[int, ...]
    """The same by number: words count from 1, 0 is ROOT."""
    buffer_ids: tuple[int, ...]
    arcs: tuple[Arc, ...]
    moves: tuple[Move, ...]
    chosen: Move
    confidence: float | None
    """How probable it is that no other move would lose less, of a parser that was calibrated; None of others.
    Where several moves are right, this is more than `chosen.prob`."""


@dataclass(frozen=True, repr=False)
class Trace:
    """All steps of the greedy parse of a sentence, or of an oracle's derivation.

    `print` shows them as a table, and so do notebooks.
    """

    words: tuple[str, ...]
    steps: tuple[Step, ...]
    system: str
    """The transition system."""
    arcs: tuple[Arc, ...]
    """Those of the tree that comes of it, as moves have made them."""

    @classmethod
    def of_gold(cls, sentence: Sentence, system: str | System = "arc-eager", *, root: str = "last") -> Trace:
        """How an oracle builds a sentence's tree, without a model: see `arcwise.derivations.derivation`."""
        from arcwise.derivations import derivation

        return derivation(sentence, system, root=root)

    def __repr__(self) -> str:
        words = " ".join(self.words[:12]) + (" …" if len(self.words) > 12 else "")
        return visible(f"<Trace of {self.system}, {len(self.steps)} moves: {words}>")

    @property
    def log_prob(self) -> float | None:
        """The logarithm of the probability of all its moves, as `Sentence.log_prob`."""
        probs = [step.chosen.prob for step in self.steps]
        return None if None in probs else sum(math.log(prob) for prob in probs if prob is not None)

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, moves: int = SHOWN_MOVES) -> str:
        """The table, with so many moves of each state; the one that is taken has an arrow."""
        rows = [row for number, step in enumerate(self.steps, 1) for row in _rows(number, step, moves)]
        shown = ("step", "stack", "buffer", "move", *self.measures)
        header = ("step", "stack", "buffer", "move", "prob", "score", "cost")
        table = [
            tuple(visible(cell) for cell, name in zip(row, header, strict=True) if name in shown)
            for row in (header, *rows)
        ]
        return _table(table)

    @property
    def measures(self) -> tuple[str, ...]:
        """What is known of moves and shown: `prob`, or else `score`, and `cost`."""
        known = [
            name
            for name in ("prob", "score", "cost")
            if any(getattr(move, name) is not None for step in self.steps for move in step.moves)
        ]
        return tuple(name for name in known if name != "score" or "prob" not in known)

    def to_json(self) -> str:
        """All there is to say as one JSON object: stack, buffer, arcs so far, moves; see docs/traces.md."""
        from arcwise.trace_output import to_json

        return to_json(self)

    def to_html(self, moves: int = SHOWN_MOVES) -> str:
        """A whole page without scripts: the table, with so many moves of each state, and the tree."""
        from arcwise.trace_output import to_page

        return to_page(self, moves)

    def _repr_html_(self) -> str:
        """For notebooks."""
        from arcwise.trace_output import to_fragment

        return to_fragment(self, SHOWN_MOVES)


def trace(
    core: _core.Parser,
    info: ModelInfo,
    treebank: Treebank,
    index: int,
    gold: Sentence | None,
    calibration: Calibration,
    rules: dict[str, Any] | None = None,
) -> Trace:
    """The greedy parse of one of a treebank's sentences, kept to rules as the core is told."""
    if not info.learner.scores_moves:
        raise OptionError(
            f"What was learnt by {info.learner.title} ({info.learner.name}) scores no moves that a trace "
            "could show: use a parser of another learner."
        )
    sentence = treebank[index]
    demand_short(sentence)
    words = tuple(token.form for token in sentence)
    walk = _core.Walk.start(
        words=len(words),
        labels=info.left,
        root_labels=info.root,
        **for_the_core(info.options.system.name),
        root_first=info.options.system.root == "first",
        single_root=info.single_root,
        completion=info.completion,
        right_labels=info.right,
    )
    if gold is not None and len(gold) != len(sentence):
        raise TreebankError(
            f"The gold tree has {len(gold)} words and the sentence {len(sentence)}: give the tree of this "
            f"sentence."
        )
    tree = None if gold is None else [array[None, :] for array in gold_tree(info, gold)]
    recorder = Recorder(walk, words, [_label(info, label) for label in range(len(info.labels))])
    for legal, scores, probs, best in core.trace(
        treebank.select([index])._core, calibration.temperature, **(rules or {})
    ):
        recorder.step(
            legal,
            best,
            scores=[score * core.scale for score in scores],
            probs=probs or None,
            costs=None if tree is None else walk.costs(*tree)[0].tolist(),
            confidence=lambda prob, moves: _confidence(prob, moves, calibration),
        )
    return recorder.trace(str(info.options.system))


class Recorder:
    """Takes the moves of a walk, and keeps what was to be seen at each of them."""

    def __init__(self, walk: _core.Walk, words: tuple[str, ...], labels: Sequence[str]) -> None:
        self._walk, self._words, self._labels = walk, words, labels
        self._steps: list[Step] = []
        self._arcs: list[Arc] = []
        self._actions: dict[int, tuple[str, str | None]] = {}
        self._kept = 0

    def step(
        self,
        legal: Sequence[tuple[int, int]],
        best: int,
        *,
        scores: Sequence[float] | None = None,
        probs: Sequence[float] | None = None,
        costs: Sequence[float] | None = None,
        confidence: Callable[[float | None, int], float | None] = lambda prob, moves: None,
    ) -> None:
        """Takes the best of the legal moves. They are kept by score or, without, by cost: see `_by_cost`."""
        walk, words, nothing = self._walk, self._words, [None] * len(legal)
        self._kept += len(legal)
        if self._kept > MOST_MOVES:
            raise OptionError(
                f"There are more than {MOST_MOVES:,} moves to show: choose a shorter sentence, or a system "
                "with a stack."
            )
        moves = [
            Move(
                *self._action(move),
                between=_neighbours(walk, move[0], words) if walk.buffer < 0 else None,
                score=score,
                prob=prob,
                cost=cost,
            )
            for move, score, prob, cost in zip(
                legal, scores or nothing, probs or nothing, costs or nothing, strict=True
            )
        ]
        chosen = moves[best]
        order = list(range(len(moves)))
        if scores is not None:
            order = sorted(order, key=lambda i: -scores[i])
        elif costs is not None:
            order = _by_cost(moves, costs, best)
        stack, waiting = walk.stack, walk.in_buffer
        if 0 in stack:  # where ROOT is, it is not at the end as well
            waiting = [node for node in waiting if node <= len(words)]
        self._steps.append(
            Step(
                stack=tuple(_word(node, words) for node in stack),
                buffer=tuple(_word(node, words) for node in waiting),
                stack_ids=tuple(_id(node, words) for node in stack),
                buffer_ids=tuple(_id(node, words) for node in waiting),
                arcs=tuple(self._arcs),
                moves=tuple(moves[i] for i in order),
                chosen=chosen,
                confidence=confidence(chosen.prob, len(moves)),
            )
        )
        before = walk.heads
        walk.apply(legal[best])
        self._arcs += [
            Arc(head, self._labels[label], word)
            for word, (was, head, label) in enumerate(zip(before, walk.heads, walk.labels, strict=True), 1)
            if was != head
        ]

    def trace(self, system: str) -> Trace:
        """All of it."""
        return Trace(self._words, tuple(self._steps), system, tuple(self._arcs))

    def _action(self, move: tuple[int, int]) -> tuple[str, str | None]:
        if move[1] not in self._actions:
            label = self._walk.move_label(move)
            name = self._labels[label] if label >= 0 else None
            self._actions[move[1]] = self._walk.move_name(move), name
        return self._actions[move[1]]


def _by_cost(moves: Sequence[Move], costs: Sequence[float], best: int) -> list[int]:
    """From the one that is taken: each kind of move with its best label, and then those with other labels."""
    order = sorted(range(len(moves)), key=lambda i: (i != best, costs[i]))
    seen: set[tuple[str, tuple[str, str] | None]] = set()
    again = {}
    for i in order:
        kind = moves[i].action, moves[i].between
        again[i] = kind in seen
        seen.add(kind)
    return sorted(order, key=lambda i: again[i])


def demand_short(sentence: Sentence) -> None:
    """Refuses sentences whose trace would be too large: every step of it has a whole state."""
    if len(sentence) > MOST_WORDS:
        raise OptionError(
            f"The sentence has {len(sentence):,} words, and a trace shows {MOST_WORDS:,} at most: choose a "
            "shorter one."
        )


def _confidence(prob: float | None, moves: int, calibration: Calibration) -> float | None:
    if prob is None or calibration.of_moves is None:
        return None
    return 1.0 if moves == 1 else float(calibration.of_moves(prob))


def _label(info: ModelInfo, label: int) -> str:
    return spelled(info.label_names, *info.labels[label])


def spelled(names: Sequence[str], base: int, lifted_from: int, path: bool) -> str:
    name = names[base]
    if lifted_from != _core.NOT_LIFTED:
        name += "↑" + (names[lifted_from] if lifted_from >= 0 else "")
    return name + "↓" if path else name


def _id(node: int, words: tuple[str, ...]) -> int:
    return node if 1 <= node <= len(words) else 0


def _word(node: int, words: tuple[str, ...]) -> str:
    return words[node - 1] if 1 <= node <= len(words) else ROOT


def _neighbours(walk: _core.Walk, left: int, words: tuple[str, ...]) -> tuple[str, str]:
    nodes = walk.stack
    return _word(left, words), _word(nodes[nodes.index(left) + 1], words)


def _rows(number: int, step: Step, shown: int) -> list[tuple[str, ...]]:
    first = (str(number), _shortened(step.stack, last=True), _shortened(step.buffer, last=False))
    rows: list[tuple[str, ...]] = []
    for move in shown_moves(step, shown):
        prob = "" if move.prob is None else f"{move.prob:.3f}"
        score = "" if move.score is None else f"{move.score:.2f}"
        cost = "" if move.cost is None else f"{move.cost:g}"
        arrow = "→" if move == step.chosen else " "
        rows.append((*first, f"{arrow} {move}", prob, score, cost))
        first = ("", "", "")
    return rows


def shown_moves(step: Step, shown: int) -> list[Move]:
    """The first moves of a step, the one that was taken among them."""
    moves = list(step.moves[:shown])
    if step.chosen not in moves:
        moves[-1:] = [step.chosen]
    return moves


def _shortened(nodes: tuple[str, ...], *, last: bool) -> str:
    """The end of a stack or of a buffer that moves are made at."""
    if len(nodes) <= _SHOWN_NODES:
        return " ".join(nodes)
    return " ".join(("…", *nodes[-_SHOWN_NODES:]) if last else (*nodes[:_SHOWN_NODES], "…"))


def _table(rows: list[tuple[str, ...]]) -> str:
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    to_the_right = {"step", "prob", "score", "cost"}
    lines = []
    for row in rows:
        cells = []
        for cell, width, name in zip(row, widths, rows[0], strict=True):
            space = " " * (width - cell_len(cell))
            cells.append(space + cell if name in to_the_right else cell + space)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
