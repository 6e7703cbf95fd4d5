"""Transition systems, the built-in ones and those that are written in Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from arcwise import _core, names
from arcwise.errors import ModelError, OptionError, TransitionError

State = _core.SystemState
GoldTree = _core.GoldTree


@dataclass(frozen=True)
class Facts:
    """What can be said of a transition system."""

    name: str
    left_to_right: bool
    """It has a stack and a buffer; otherwise it makes arcs between neighbours in any order."""
    static_oracle: bool
    dynamic_oracle: bool
    """Whether what moves cost is known in every state, and not only on the way to the gold tree."""
    projective: bool
    """Whether it builds projective trees alone, so that others are lifted for training."""
    root_first: bool
    """Whether ROOT may be kept before the first word as well as after the last."""
    constraints: bool
    """Whether it can say which moves constraints leave."""


def systems() -> list[Facts]:
    """The built-in systems.

    >>> [system.name for system in systems() if not system.left_to_right]
    ['easy-first']
    """
    return [
        Facts(**{f.name: getattr(names.system(name), f.name) for f in fields(Facts)})
        for name in names.SYSTEMS
    ]


class System(ABC):
    """A transition system of your own. Write `legal` and `apply`; `costs` too, to train it.

    A state has a stack, a buffer and the arcs so far (`State`). Words are counted from 1, ROOT is 0, and the
    buffer has all words at first. A walk is over when every word has a head: until then some move must be
    legal. Methods are asked for any state, in any order and from any thread: they look at nothing but what
    they are given.
    """

    name: ClassVar[str]
    """By which it is known."""
    moves: ClassVar[Mapping[str, str | None]]
    """Its moves by name, six at most, each with the labels that it carries: `"left"` (those of arcs whose
    head stands to the right of its dependent), `"right"`, `"root"` (from ROOT), or None: it adds no arc."""
    projective: ClassVar[bool] = True
    """Whether it builds projective trees alone, so that others are lifted for training."""
    features_of: ClassVar[str | None] = None
    """The built-in system whose features and network inputs suit it; None: those that suit any."""

    def start(self, state: State) -> None:
        """Makes the first state of one that has an empty stack: here, ROOT is pushed."""
        state.push(0)

    @abstractmethod
    def legal(self, state: State) -> Iterable[str]:
        """The names of the moves that may be taken."""

    @abstractmethod
    def apply(self, state: State, move: str, label: int | None) -> None:
        """What a legal move does. One that carries labels adds one arc, with the label that is given."""

    def costs(self, state: State, gold: GoldTree) -> Mapping[str, float]:
        """How many arcs of the gold tree can be reached before each legal move and not after it.

        Labels are not counted: a wrong one on a right arc costs 1 by itself.
        """
        raise TransitionError(
            f"'{self}' says nothing of costs, and training needs them: write the method costs."
        )

    def static(self, state: State, gold: GoldTree) -> str:
        """The one move that a static oracle knows, on the way to the gold tree."""
        raise TransitionError(
            f"'{self}' has no static oracle: write the method static, or choose another oracle."
        )

    def slots(self, state: State) -> Mapping[str, int | None]:
        """What features look at: nodes at the places `S0 … S3` and `N0 … N3`.

        If it is not written: the stack from its top, and the buffer from its front, with ROOT after the last
        word.
        """
        raise NotImplementedError

    @property
    def facts(self) -> Facts:
        """What can be said of it."""
        return Facts(
            name=self.name,
            left_to_right=True,
            static_oracle=self._writes("static"),
            dynamic_oracle=self._writes("costs"),
            projective=self.projective,
            root_first=False,
            constraints=False,
        )

    def _writes(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(System, method)

    def __str__(self) -> str:
        return self.name

    def to_dict(self) -> dict[str, Any]:
        """What a model file says of it, as JSON."""
        return {"python": self.name, "moves": dict(self.moves), "projective": bool(self.projective)}

    def for_the_core(self) -> _core.PythonSystem:
        """It as the core asks it.

        Raises:
            OptionError: There cannot be such a system.
        """
        name, moves = getattr(self, "name", None), getattr(self, "moves", None)
        if not isinstance(name, str) or not name or name in names.SYSTEMS:
            raise OptionError(
                f"{type(self).__name__} needs a name that no built-in system has: write name = '…' in it."
            )
        if not isinstance(moves, Mapping) or not all(
            isinstance(m, str) and m and (kind is None or isinstance(kind, str)) for m, kind in moves.items()
        ):
            raise OptionError(
                f"'{name}' does not say which moves it has: write moves = {{'SHIFT': None, 'LEFT': 'left'}} "
                "and so on in it."
            )
        if self.features_of is not None and self.features_of not in names.systems_with("left_to_right"):
            raise OptionError(
                f"'{name}' has the features of '{self.features_of}': choose one of "
                f"{', '.join(names.systems_with('left_to_right'))}, or None."
            )
        optional = {m: getattr(self, m) if self._writes(m) else None for m in ("costs", "static", "slots")}
        try:
            return _core.PythonSystem(
                name,
                list(moves.items()),
                projective=bool(self.projective),
                start=self.start,
                legal=self.legal,
                apply=self.apply,
                **optional,
            )
        except ValueError as error:
            raise OptionError(str(error)) from error


class AsDescribed(System):
    """In the place of a system that is needed and not given: what a model file says of it, and no more."""

    def __init__(self, described: Mapping[str, Any]) -> None:
        self.name = described["python"]  # type: ignore[misc]
        self.moves = described["moves"]  # type: ignore[misc]
        self.projective = described["projective"]  # type: ignore[misc]

    def legal(self, state: State) -> Iterable[str]:
        raise ModelError(needed(self.name))

    def apply(self, state: State, move: str, label: int | None) -> None:
        raise ModelError(needed(self.name))

    def costs(self, state: State, gold: GoldTree) -> Mapping[str, float]:
        raise ModelError(needed(self.name))


def needed(name: str) -> str:
    """What to say where a system is missing."""
    return (
        f"The parser needs the transition system '{name}', which is written in Python and not in the file: "
        "load it in Python, with Parser.load(path, system=…) and that system."
    )


def given_for(described: object, system: System | type[AsDescribed] | None) -> str | System:
    """The system of a model: a built-in one by its name, or the one that was given for it.

    Raises:
        ModelError: Another one is needed than was given.
    """
    if isinstance(described, str):
        if isinstance(system, System):
            raise ModelError(f"The parser has the built-in system {described}: load it without a system.")
        return described
    if not isinstance(described, dict) or set(described) != {"python", "moves", "projective"}:
        raise ModelError("The model is damaged: it does not say which transition system it has.")
    name, moves = described["python"], described["moves"]
    if (
        not isinstance(name, str)
        or not isinstance(moves, dict)
        or not isinstance(described["projective"], bool)
    ):
        raise ModelError("The model is damaged: it does not say which transition system it has.")
    if system is None:
        raise ModelError(needed(name))
    if not isinstance(system, System):
        return AsDescribed(described)
    own = system.to_dict()
    if own["python"] != name:
        raise ModelError(
            f"The parser needs the transition system '{name}', and '{system}' was given: give the other."
        )
    if list(own["moves"].items()) != list(moves.items()) or own["projective"] != described["projective"]:
        raise ModelError(
            f"The parser was trained with another '{name}', of the moves {_in_words(moves)}, and not "
            f"{_in_words(own['moves'])}: give the system as it was, or train the model again."
        )
    return system


def _in_words(moves: Mapping[str, str | None]) -> str:
    return ", ".join(move if kind is None else f"{move} ({kind})" for move, kind in moves.items())
