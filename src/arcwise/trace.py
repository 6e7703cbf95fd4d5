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
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from arcwise import _core
from arcwise._terminal import visible
from arcwise.errors import OptionError, TreebankError
from arcwise.gold import Tree, gold_tree
from arcwise.names import for_the_core
from arcwise.sentence import NO_VALUE
from arcwise.trace_moves import ByHand, Guides, Hand, demand_guides, guide_at
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
    """How many arcs of the gold tree are lost with it; None without one, or where no oracle knows it."""
    at: tuple[int, int] | None = None
    """Easy-first: the numbers of the neighbours; words count from 1, 0 is ROOT."""

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
    own: Move
    """The one that the model or the oracle takes by itself: `chosen`, if that was not taken by hand."""
    by_hand: bool = False
    """Whether `chosen` was taken by hand."""
    cost: float | None = None
    """What all moves before this one have cost; None if some cost is not known."""
    lost: tuple[Arc, ...] = ()
    """The arcs of the gold tree that the best tree lacks that can still be built."""


class End(NamedTuple):
    """The last state, in which no move is left; words count from 1, 0 is ROOT."""

    stack_ids: tuple[int, ...]
    buffer_ids: tuple[int, ...]
    lost: tuple[Arc, ...]
    """The arcs of the gold tree that the tree lacks."""


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
    end: End
    """What is there when all moves are made."""
    oracle: str | None = None
    """What knows the costs: a `dynamic` oracle in every state, a `static` one on its own path alone; None
    without a gold tree."""

    @classmethod
    def of_gold(
        cls,
        sentence: Sentence,
        system: str | System = "arc-eager",
        *,
        root: str = "last",
        moves: ByHand | None = None,
        most_moves: int | None = None,
    ) -> Trace:
        """How an oracle builds a sentence's tree, without a model: see `arcwise.derivations.derivation`."""
        from arcwise.derivations import derivation

        return derivation(sentence, system, root=root, moves=moves, most_moves=most_moves)

    def __repr__(self) -> str:
        words = " ".join(self.words[:12]) + (" …" if len(self.words) > 12 else "")
        return visible(f"<Trace of {self.system}, {len(self.steps)} moves: {words}>")

    @property
    def log_prob(self) -> float | None:
        """The logarithm of the probability of all its moves, as `Sentence.log_prob`."""
        probs = [step.chosen.prob for step in self.steps]
        return None if None in probs else sum(math.log(prob) for prob in probs if prob is not None)

    @property
    def cost(self) -> float | None:
        """What all its moves have cost together; None if some cost is not known."""
        costs = [step.chosen.cost for step in self.steps]
        return None if None in costs else sum(cost for cost in costs if cost is not None)

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

    def tree(self, arcs: Sequence[Arc] | None = None) -> Sentence:
        """The tree that comes of it, or as much of it as some arcs make; labels are those of moves."""
        heads, labels, names = [-1] * len(self.words), [-1] * len(self.words), []
        for arc in self.arcs if arcs is None else arcs:
            heads[arc.dependent - 1] = arc.head
            names.append(visible(arc.label))
            labels[arc.dependent - 1] = len(names) - 1
        return Treebank.from_words([list(map(visible, self.words))]).with_trees(heads, labels, names)[0]

    def in_words(self, arc: Arc) -> str:
        """As in `She ← nsubj – eats`."""
        head = self.words[arc.head - 1] if arc.head else ROOT
        return f"{self.words[arc.dependent - 1]} ← {arc.label} – {head}"

    def to_json(self) -> str:
        """All there is to say as one JSON object: stack, buffer, arcs so far, moves; see docs/traces.md."""
        from arcwise.trace_output import to_json

        return to_json(self)

    def to_html(self, moves: int = SHOWN_MOVES) -> str:
        """A whole page to step through it, which needs nothing from elsewhere.

        It has a table of all steps too, with so many moves of each state, for readers without scripts.
        """
        from arcwise.trace_page import to_page

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
    moves: ByHand | None = None,
    follow: Guides = "model",
    most_moves: int | None = None,
) -> Trace:
    """The greedy parse of one of a treebank's sentences, kept to rules as the core is told."""
    if not info.learner.scores_moves:
        raise OptionError(
            f"What was learnt by {info.learner.title} ({info.learner.name}) scores no moves that a trace "
            "could show: use a parser of another learner."
        )
    sentence = treebank[index]
    demand_short(sentence)
    demand_guides(follow, gold)
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
    tree = None if gold is None else gold_tree(info, gold)
    labels = [_label(info, label) for label in range(len(info.labels))]
    recorder = Recorder(walk, words, labels, gold=tree, by_hand=moves, most_moves=most_moves)

    def choose(legal: list[tuple[int, int]], scores: list[float], probs: list[float], best: int) -> int:
        costs = recorder.costs()
        if costs is not None and guide_at(follow, recorder.number) == "oracle":
            best = min(range(len(legal)), key=lambda i: (costs[i], -scores[i]))
        return recorder.step(
            legal,
            best,
            scores=[score * core.scale for score in scores],
            probs=probs or None,
            costs=costs,
            confidence=lambda prob, moves: _confidence(prob, moves, calibration),
        )

    core.trace(treebank.select([index])._core, calibration.temperature, **(rules or {}), choose=choose)
    return recorder.trace(str(info.options.system), None if gold is None else "dynamic")


class Recorder:
    """Takes the moves of a walk, and keeps what was to be seen at each of them."""

    def __init__(
        self,
        walk: _core.Walk,
        words: tuple[str, ...],
        labels: Sequence[str],
        *,
        gold: Tree | None = None,
        by_hand: ByHand | None = None,
        most_moves: int | None = None,
    ) -> None:
        self._walk, self._words, self._labels, self._gold = walk, words, labels, gold
        self._hand = Hand(by_hand)
        self._steps: list[Step] = []
        self._arcs: list[Arc] = []
        self._actions: dict[int, tuple[str, str | None]] = {}
        self._kept, self._most = 0, MOST_MOVES if most_moves is None else most_moves
        self._cost: float | None = None if gold is None else 0.0
        self._lost: tuple[Arc, ...] | None = ()  # None: to be found again

    @property
    def number(self) -> int:
        """Of the step that comes next, counted from 1."""
        return len(self._steps) + 1

    def costs(self) -> list[float] | None:
        """Of the legal moves, by the dynamic oracle."""
        if self._gold is None:
            return None
        costs: list[float] = self._walk.costs(*(array[None, :] for array in self._gold))[0].tolist()
        return costs

    def step(
        self,
        legal: Sequence[tuple[int, int]],
        best: int,
        *,
        scores: Sequence[float] | None = None,
        probs: Sequence[float] | None = None,
        costs: Sequence[float | None] | None = None,
        confidence: Callable[[float | None, int], float | None] = lambda prob, moves: None,
    ) -> int:
        """Takes the best of the legal moves, or the one that is to be taken by hand, and says which.

        They are kept by score or, without, by cost: see `_by_cost`.
        """
        walk, words, nothing = self._walk, self._words, [None] * len(legal)
        self._kept += len(legal)
        if self._kept > self._most:
            raise OptionError(
                f"There are more than {self._most:,} moves to show: choose a shorter sentence, or a system "
                "with a stack."
            )
        after = dict(pairwise(walk.stack)) if walk.buffer < 0 else None
        moves = [
            Move(
                *self._action(move),
                between=None if after is None else (_word(move[0], words), _word(after[move[0]], words)),
                score=score,
                prob=prob,
                cost=cost,
                at=None if after is None else (_id(move[0], words), _id(after[move[0]], words)),
            )
            for move, score, prob, cost in zip(
                legal, scores or nothing, probs or nothing, costs or nothing, strict=True
            )
        ]
        order = list(range(len(moves)))
        if scores is not None:
            order = sorted(order, key=lambda i: -scores[i])
        elif costs is not None:
            order = _by_cost(moves, costs, best)
        by_hand = self._hand(self.number, moves, order)
        taken = best if by_hand is None else by_hand
        chosen = moves[taken]
        self._steps.append(
            Step(
                *self._nodes(),
                arcs=tuple(self._arcs),
                moves=tuple(moves[i] for i in order),
                chosen=chosen,
                confidence=confidence(chosen.prob, len(moves)),
                own=moves[best],
                by_hand=by_hand is not None,
                cost=self._cost,
                lost=self._lost_arcs(),
            )
        )
        self._cost = None if self._cost is None or chosen.cost is None else self._cost + chosen.cost
        if taken != least(costs):  # otherwise the best tree is the same
            self._lost = None
        before = walk.heads
        walk.apply(legal[taken])
        self._arcs += [
            Arc(head, self._labels[label], word)
            for word, (was, head, label) in enumerate(zip(before, walk.heads, walk.labels, strict=True), 1)
            if was != head
        ]
        return taken

    def trace(self, system: str, oracle: str | None) -> Trace:
        """All of it."""
        self._hand.demand_none_left(len(self._steps))
        _, _, stack, buffer = self._nodes()
        end = End(stack, buffer, self._lost_arcs())
        return Trace(self._words, tuple(self._steps), system, tuple(self._arcs), end, oracle)

    def _nodes(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...], tuple[int, ...]]:
        """The stack and the buffer, in words and by number."""
        stack, waiting = self._walk.stack, self._walk.in_buffer
        if 0 in stack:  # where ROOT is, it is not at the end as well
            waiting = [node for node in waiting if node <= len(self._words)]
        both = (stack, waiting)
        in_words = [tuple(_word(node, self._words) for node in nodes) for nodes in both]
        by_number = [tuple(_id(node, self._words) for node in nodes) for nodes in both]
        return in_words[0], in_words[1], by_number[0], by_number[1]

    def _lost_arcs(self) -> tuple[Arc, ...]:
        """The gold arcs that no longer are in the best tree: as many as the moves so far have cost."""
        if self._gold is None or not self._cost:
            return ()
        if self._lost is None:
            gold = (array.tolist() for array in self._gold)
            tree = zip(*gold, *self._walk.best_tree(*self._gold), strict=True)
            self._lost = tuple(
                Arc(head, self._labels[label] if label >= 0 else NO_VALUE, word)
                for word, (head, label, built, its_label) in enumerate(tree, 1)
                if head >= 0 and (head != built or label not in (-1, its_label))
            )
        return self._lost

    def _action(self, move: tuple[int, int]) -> tuple[str, str | None]:
        if move[1] not in self._actions:
            label = self._walk.move_label(move)
            name = self._labels[label] if label >= 0 else None
            self._actions[move[1]] = self._walk.move_name(move), name
        return self._actions[move[1]]


def least(costs: Sequence[float | None] | None) -> int:
    """The first of the moves that cost least; -1 if that is not known."""
    known = [cost for cost in costs or () if cost is not None]
    return costs.index(min(known)) if costs is not None and len(known) == len(costs) else -1


def _by_cost(moves: Sequence[Move], costs: Sequence[float | None], best: int) -> list[int]:
    """From the one that is best: each kind of move with its best label, and then those with other labels."""
    order = sorted(
        range(len(moves)), key=lambda i: (i != best, math.inf if (cost := costs[i]) is None else cost)
    )
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


def _rows(number: int, step: Step, shown: int) -> list[tuple[str, ...]]:
    first = (str(number), _shortened(step.stack, last=True), _shortened(step.buffer, last=False))
    rows: list[tuple[str, ...]] = []
    for move in shown_moves(step, shown):
        prob = "" if move.prob is None else f"{move.prob:.3f}"
        score = "" if move.score is None else f"{move.score:.2f}"
        cost = "" if move.cost is None else f"{move.cost:g}"
        arrow = " " if move != step.chosen else "☞" if step.by_hand else "→"
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
