"""A parse step by step: what the parser saw, which moves it had and how probable it took each to be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from arcwise import _core
from arcwise._terminal import visible
from arcwise.errors import OptionError, TreebankError
from arcwise.gold import gold_tree
from arcwise.names import for_the_core
from arcwise.treebank import Sentence, Treebank

if TYPE_CHECKING:
    from arcwise.calibration import Calibration
    from arcwise.parser import ModelInfo

ROOT = "ROOT"
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
    score: float
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
    arcs: tuple[Arc, ...]
    moves: tuple[Move, ...]
    chosen: Move
    confidence: float | None
    """How probable it is that no other move would lose less, of a parser that was calibrated; None of others.
    Where several moves are right, this is more than `chosen.prob`."""


@dataclass(frozen=True)
class Trace:
    """All steps of the greedy parse of a sentence; `print` shows them as a table."""

    words: tuple[str, ...]
    steps: tuple[Step, ...]

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
        has_costs = any(move.cost is not None for step in self.steps for move in step.moves)
        has_probs = any(move.prob is not None for step in self.steps for move in step.moves)
        header = ("step", "stack", "buffer", "move", "prob" if has_probs else "score", "cost")
        columns = len(header) if has_costs else len(header) - 1
        return _table([tuple(map(visible, row[:columns])) for row in (header, *rows)])


def trace(
    core: _core.Parser,
    info: ModelInfo,
    treebank: Treebank,
    index: int,
    gold: Sentence | None,
    calibration: Calibration,
) -> Trace:
    """The greedy parse of one of a treebank's sentences."""
    if not info.learner.scores_moves:
        raise OptionError(
            f"What was learnt by {info.learner.title} ({info.learner.name}) scores no moves that a trace "
            "could show: use a parser of another learner."
        )
    sentence = treebank[index]
    words = tuple(token.form for token in sentence)
    names = [_label(info, label) for label in range(len(info.labels))]
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
    steps = []
    arcs: list[Arc] = []
    actions: dict[int, tuple[str, str | None]] = {}
    for legal, scores, probs, best in core.trace(treebank._core, index, calibration.temperature):
        nothing = [None] * len(legal)
        costs = nothing if tree is None else walk.costs(*tree)[0].tolist()
        for move in legal:
            if move[1] not in actions:
                label = walk.move_label(move)
                actions[move[1]] = walk.move_name(move), names[label] if label >= 0 else None
        moves = [
            Move(
                *actions[move[1]],
                between=_neighbours(walk, move[0], words) if walk.buffer < 0 else None,
                score=score * core.scale,
                prob=prob,
                cost=cost,
            )
            for move, score, prob, cost in zip(legal, scores, probs or nothing, costs, strict=True)
        ]
        by_score = sorted(range(len(moves)), key=lambda i: -moves[i].score)
        stack = tuple(_word(node, words) for node in walk.stack)
        root_last = 0 not in walk.stack
        buffer = tuple(_word(node, words) for node in walk.in_buffer if root_last or node <= len(words))
        steps.append(
            Step(
                stack,
                buffer,
                tuple(arcs),
                moves=tuple(moves[i] for i in by_score),
                chosen=moves[best],
                confidence=_confidence(moves[best].prob, len(moves), calibration),
            )
        )
        before = walk.heads
        walk.apply(legal[best])
        arcs += [
            Arc(head, names[label], word)
            for word, (was, head, label) in enumerate(zip(before, walk.heads, walk.labels, strict=True), 1)
            if was != head
        ]
    return Trace(words, tuple(steps))


def _confidence(prob: float | None, moves: int, calibration: Calibration) -> float | None:
    if prob is None or calibration.of_moves is None:
        return None
    return 1.0 if moves == 1 else float(calibration.of_moves(prob))


def _label(info: ModelInfo, label: int) -> str:
    base, lifted_from, path = info.labels[label]
    name = info.label_names[base]
    if lifted_from != _core.NOT_LIFTED:
        name += "↑" + (info.label_names[lifted_from] if lifted_from >= 0 else "")
    return name + "↓" if path else name


def _word(node: int, words: tuple[str, ...]) -> str:
    return words[node - 1] if 1 <= node <= len(words) else ROOT


def _neighbours(walk: _core.Walk, left: int, words: tuple[str, ...]) -> tuple[str, str]:
    nodes = walk.stack
    return _word(left, words), _word(nodes[nodes.index(left) + 1], words)


def _rows(number: int, step: Step, shown: int) -> list[tuple[str, ...]]:
    first = (str(number), _shortened(step.stack, last=True), _shortened(step.buffer, last=False))
    moves = list(step.moves[:shown])
    if step.chosen not in moves:
        moves[-1:] = [step.chosen]
    rows: list[tuple[str, ...]] = []
    for move in moves:
        value = f"{move.score:.2f}" if move.prob is None else f"{move.prob:.3f}"
        cost = "" if move.cost is None else f"{move.cost:g}"
        arrow = "→" if move == step.chosen else " "
        rows.append((*first, f"{arrow} {move}", value, cost))
        first = ("", "", "")
    return rows


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
