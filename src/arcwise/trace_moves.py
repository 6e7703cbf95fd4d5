"""Moves by hand: which of a state's legal moves is meant, and what to say if none is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from arcwise._terminal import counted
from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.trace import Move

ByHand: TypeAlias = "Mapping[int, Move | str]"
"""Moves by the number of the step at which they are taken, counted from 1."""
Guide: TypeAlias = Literal["model", "oracle"]
Guides: TypeAlias = "Guide | Mapping[int, Guide]"
"""Who chooses the moves that are not taken by hand; or who does from which step on."""

_PARTS = re.compile(r"(?P<name>.*?)(?P<ends> +\d+ *· *\d+)?", re.DOTALL)


class Hand:
    """The moves that are to be taken by hand."""

    def __init__(self, moves: ByHand | None) -> None:
        self._moves = dict(moves or {})
        for step in self._moves:
            if not isinstance(step, int) or isinstance(step, bool) or step < 1:
                raise OptionError(f"A move by hand is at step {step!r}: steps are counted from 1.")

    def __call__(self, step: int, legal: Sequence[Move], order: Sequence[int]) -> int | None:
        """Which of the legal moves is taken by hand at a step, if any is; `order` is from the best down."""
        if step not in self._moves:
            return None
        wanted = self._moves.pop(step)
        found = [i for i in order if _is(wanted, legal[i])]
        if found and legal[found[0]].at is not None:
            _demand_one(wanted, step, [legal[i] for i in found])
        if not found:
            raise OptionError(f"{wanted} is not legal at step {step}: {_choices(legal)}.")
        return found[0]

    def demand_none_left(self, steps: int) -> None:
        """Says so if the walk was over before a move could be taken."""
        if self._moves:
            step, move = min(self._moves.items(), key=lambda item: item[0])
            raise OptionError(
                f"There is no step {step} at which {move} could be taken: the derivation is over after "
                f"{counted(steps, 'step')}."
            )


def guide_at(guides: Guides, step: int) -> Guide:
    """Who chooses at a step."""
    if isinstance(guides, str):
        return guides
    begun = [first for first in guides if first <= step]
    return guides[max(begun)] if begun else "model"


def demand_guides(guides: Guides, gold: object) -> None:
    """Refuses unknown ones, and an oracle that has no gold tree."""
    named = {guides} if isinstance(guides, str) else set(guides.values())
    for name in named - {"model", "oracle"}:
        raise OptionError(f"Nobody called {name!r} chooses moves: say model or oracle.")
    if "oracle" in named and gold is None:
        raise OptionError("An oracle needs a gold tree (gold): give one, or let the model choose.")


def _is(wanted: Move | str, move: Move) -> bool:
    if not isinstance(wanted, str):
        same = (wanted.action, wanted.label, wanted.between) == (move.action, move.label, move.between)
        return same and wanted.at in (None, move.at)
    names = {move.action, _name(move)}
    if wanted in (*names, str(move)):
        return True
    parts = _PARTS.fullmatch(wanted)
    if move.at is None or parts is None or parts["ends"] is None:
        return False
    ends = tuple(map(int, parts["ends"].split("·")))
    return parts["name"] in names and ends == move.at


def _name(move: Move) -> str:
    return move.action if move.label is None else f"{move.action}({move.label})"


def _demand_one(wanted: Move | str, step: int, found: Sequence[Move]) -> None:
    """In easy-first the same move can be made in several places."""
    places = sorted({move.at for move in found if move.at is not None})
    if len(places) > 1:
        name = wanted if isinstance(wanted, str) else _name(wanted)
        shown = ", ".join(f"{a} · {b}" for a, b in places[:12]) + (", …" if len(places) > 12 else "")
        raise OptionError(
            f"{name} can be taken in {len(places)} places at step {step}: say between which words it is, by "
            f"their numbers, as in '{_name(found[0])} {places[0][0]} · {places[0][1]}' ({shown})."
        )


def _choices(legal: Sequence[Move]) -> str:
    labels: dict[str, list[str]] = {}
    for move in legal:
        of_action = labels.setdefault(move.action, [])
        if move.label is not None and move.label not in of_action:
            of_action.append(move.label)
    kinds = [f"{name} ({', '.join(of_action)})" if of_action else name for name, of_action in labels.items()]
    text = f"choose one of {'; '.join(kinds)}" if len(kinds) > 1 else f"only {kinds[0]} is"
    places = sorted({move.at for move in legal if move.at is not None})
    if places:
        text += ", between " + ", ".join(f"{a} · {b}" for a, b in places)
    return text
