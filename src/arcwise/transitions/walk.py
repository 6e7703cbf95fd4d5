"""One walk through a transition system, a step at a time: states, legal moves, what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arcwise import _core, names
from arcwise.errors import OptionError, says_by_itself
from arcwise.transitions.system import System
from arcwise.treebank import Sentence

ROOT = "ROOT"
Heads = Sequence[int | None] | Sentence
"""A gold tree: the head of each word, 0 for ROOT and None where it is unknown; or a sentence that has one."""


@dataclass(frozen=True)
class Move:
    """A move that is legal in a state."""

    name: str
    label: str | None = None
    """Of the arc that it adds; None if it adds none, or in a walk without labels."""
    between: tuple[int, int] | None = None
    """Easy-first: the neighbours that it joins."""
    number: tuple[int, int] = field(default=(0, 0), repr=False)
    """As the core has it."""

    def __str__(self) -> str:
        text = self.name if self.label is None else f"{self.name}({self.label})"
        return text if self.between is None else f"{text} {self.between[0]} · {self.between[1]}"


class Walk:
    """A walk, which begins at the first state of a sentence.

    The system is a built-in one, by its name, or a `System`. Words are given, or their number. Without
    `labels` arcs have none; with them, those from ROOT have `root_labels`. `repr` shows the stack, the buffer
    and the arcs.

    >>> walk = Walk("arc-hybrid", ["She", "eats", "fish"])
    >>> walk.apply("SHIFT")
    >>> walk.apply("RIGHT")
    Traceback (most recent call last):
    arcwise.errors.OptionError: RIGHT is not legal in [ROOT She | eats fish | ]: take SHIFT or LEFT.
    """

    def __init__(
        self,
        system: str | System,
        words: Sequence[str] | int,
        *,
        labels: Sequence[str] | None = None,
        root_labels: Sequence[str] = ("root",),
        root: str = "last",
        single_root: bool = True,
    ) -> None:
        self.system = system
        self.words = [str(w) for w in range(1, words + 1)] if isinstance(words, int) else list(words)
        if labels is not None and (not labels or not root_labels):
            raise OptionError(
                "Arcs need a label, and arcs from ROOT, too: leave labels out for arcs without."
            )
        self.label_names = list(dict.fromkeys([*labels, *root_labels])) if labels is not None else None
        numbers = {name: number for number, name in enumerate(self.label_names or ())}
        try:
            self._core = _core.Walk.start(
                words=len(self.words),
                labels=[numbers[name] for name in labels or ()] or [0],
                root_labels=[numbers[name] for name in root_labels] if labels is not None else [1],
                root_first=root == "first",
                single_root=single_root,
                **names.for_the_core(system),
            )
        except ValueError as error:
            if says_by_itself(error):
                raise
            raise OptionError(str(error)) from error
        self._moves: dict[int, tuple[str, str | None]] = {}

    def copy(self) -> Walk:
        """Another walk, from here on."""
        other = object.__new__(Walk)
        other.__dict__ |= {**self.__dict__, "_core": self._core.copy()}
        return other

    @property
    def done(self) -> bool:
        """Whether the walk has come to its end."""
        return self._core.done

    @property
    def stack(self) -> list[int]:
        """The nodes on the stack, the top last; in easy-first, the list of nodes. ROOT is 0, or the node
        after the last word."""
        return self._core.stack

    @property
    def buffer(self) -> list[int]:
        """The nodes in the buffer, from the front; ROOT is the last if it is not on the stack."""
        nodes = self._core.in_buffer
        return nodes if 0 not in self.stack else [node for node in nodes if node <= len(self.words)]

    @property
    def heads(self) -> list[int | None]:
        """The head of each word, 0 for ROOT; None where there is none yet."""
        return [head if head >= 0 else None for head in self._core.heads]

    @property
    def labels(self) -> list[str | None]:
        """The label of each word's arc; None where there is none."""
        names = self.label_names
        return [names[label] if names is not None and label >= 0 else None for label in self._core.labels]

    def legal(self) -> list[Move]:
        """The moves that may be taken; none at the end."""
        moves, nodes = self._core.legal(), self._core.stack
        in_a_list = self._core.buffer < 0
        return [
            Move(*self._named(move), (move[0], nodes[nodes.index(move[0]) + 1]) if in_a_list else None, move)
            for move in moves
        ]

    def _named(self, move: tuple[int, int]) -> tuple[str, str | None]:
        if move[1] not in self._moves:
            label = self._core.move_label(move)
            known = self.label_names is not None and label >= 0
            self._moves[move[1]] = self._core.move_name(move), self.label_names[label] if known else None  # type: ignore[index]
        return self._moves[move[1]]

    def apply(self, move: Move | str) -> None:
        """Takes a legal move, which may be given as it is written: `LEFT(nsubj)`."""
        legal = self.legal()
        for own in legal:
            if move in (own, str(own)):
                return self._core.apply(own.number)
        if not legal:
            raise OptionError(f"There is no legal move in {self!r}: the walk is done.")
        choices = [str(own) for own in legal]
        known = " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))
        raise OptionError(f"{move} is not legal in {self!r}: take {known}.")

    def undo(self) -> None:
        """Takes the last move back; not in easy-first."""
        try:
            self._core.undo()
        except ValueError as error:
            raise OptionError(str(error)) from error

    def costs(self, gold: Heads, labels: Sequence[str | None] | None = None) -> dict[Move, float]:
        """What each legal move costs against a gold tree: how many of its arcs can no longer be reached."""
        heads, numbers = self._gold(gold, labels)
        costs = self._core.costs(heads[None, :], numbers[None, :])[0].tolist()
        return dict(zip(self.legal(), costs, strict=True))

    def correct(self, gold: Heads, labels: Sequence[str | None] | None = None) -> list[Move]:
        """The moves that cost least."""
        costs = self.costs(gold, labels)
        return [move for move, cost in costs.items() if cost == min(costs.values())]

    def static_move(self, gold: Heads, labels: Sequence[str | None] | None = None) -> Move:
        """The static oracle's move, on the way to the gold tree."""
        heads, numbers = self._gold(gold, labels)
        try:
            chosen = self._core.static_move(heads, numbers)
        except ValueError as error:
            if says_by_itself(error):
                raise
            raise OptionError(str(error)) from error
        return next(move for move in self.legal() if move.number == chosen)

    def finish(self, policy: Callable[[Walk], Move]) -> list[Move]:
        """Goes on to the end, by the moves that a policy chooses, and gives them."""
        taken = []
        while not self.done:
            taken.append(policy(self))
            self.apply(taken[-1])
        return taken

    def _gold(
        self, gold: Heads, labels: Sequence[str | None] | None
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        if isinstance(gold, Sentence):
            labels = [token.deprel for token in gold]
            gold = [head if head >= 0 else None for head in gold.heads.tolist()]
        if len(gold) != len(self.words) or (labels is not None and len(labels) != len(gold)):
            raise OptionError(
                f"The sentence has {len(self.words)} words: give a head and a label for each of them."
            )
        for word, head in enumerate(gold, 1):
            if head is not None and not 0 <= head <= len(gold):
                raise OptionError(f"The head of word {word} is {head}: heads go from 0 to {len(gold)}.")
        numbers = {name: number for number, name in enumerate(self.label_names or ())}
        known = [numbers.get(label or "", -1) for label in labels or [None] * len(gold)]
        heads = [-1 if head is None else head for head in gold]
        return np.array(heads, np.int32), np.array(known, np.int32)

    def __repr__(self) -> str:
        def word(node: int) -> str:
            return self.words[node - 1] if 1 <= node <= len(self.words) else ROOT

        arcs = [f"{word(head)}→{word(w)}" for w, head in enumerate(self._core.heads, 1) if head >= 0]
        parts = [" ".join(map(word, self.stack)), " ".join(map(word, self.buffer)), " ".join(arcs)]
        return f"[{' | '.join(parts)}]"
