"""Derivations without a model: the moves by which an oracle builds a gold tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core, names
from arcwise.errors import OptionError, TransitionError, TreebankError, says_by_itself
from arcwise.sentence import NO_VALUE, Sentence
from arcwise.trace import Recorder, Trace, demand_short, least, spelled
from arcwise.trace_moves import ByHand

if TYPE_CHECKING:
    from arcwise.transitions.system import Facts, System


def derivation(
    sentence: Sentence,
    system: str | System = "arc-eager",
    *,
    root: str = "last",
    moves: ByHand | None = None,
    most_moves: int | None = None,
) -> Trace:
    """How an oracle builds a sentence's tree: every state, its legal moves and what each of them costs.

    The moves are the static oracle's; of a system that has none (easy-first), the first of those that cost
    least. In a system for projective trees, arcs that cross others are lifted as they are for training.

    Moves can be taken by hand, at steps counted from 1. The dynamic oracle then goes on with the first of the
    moves that cost least. A system that has none says no more of costs, and its static oracle goes on as well
    as it can.

    Raises:
        TreebankError: The sentence has no tree, or a part of one.
        OptionError: A move by hand is not legal; or there are more than `most_moves` to show.
    """
    demand_short(sentence)
    facts = _facts_of(system)
    words = tuple(token.form for token in sentence)
    labels = [token.deprel or NO_VALUE for token in sentence]
    own = list(dict.fromkeys(labels))
    heads, label_ids = _gold_of(sentence, [own.index(label) for label in labels])
    shown = own
    if facts.projective:
        heads, base, lifted_from, path = _core.projectivize(heads, label_ids, "head")
        kinds = list(zip(base.tolist(), lifted_from.tolist(), path.tolist(), strict=True))
        known = list(dict.fromkeys(kinds))
        label_ids = np.array([known.index(kind) for kind in kinds], np.int32)
        shown = [spelled(own, *kind) for kind in known]
    under_root = {label for head, label in zip(heads.tolist(), label_ids.tolist(), strict=True) if head == 0}
    others = {label for head, label in zip(heads.tolist(), label_ids.tolist(), strict=True) if head != 0}
    walk = _started(system, len(words), sorted(others or under_root), sorted(under_root), heads, root)
    recorder = Recorder(walk, words, shown, gold=(heads, label_ids), by_hand=moves, most_moves=most_moves)
    dynamic = facts.dynamic_oracle or not facts.static_oracle
    on_path = facts.static_oracle
    while not walk.done:
        legal = list(walk.legal())
        costs: Sequence[float | None] | None = recorder.costs() if dynamic else None
        if on_path:
            best = legal.index(walk.static_move(heads, label_ids))
            costs = costs or [0.0 if i == best else None for i in range(len(legal))]
        else:
            best = least(costs) if dynamic else _static_if_it_can(walk, legal, heads, label_ids)
        taken = recorder.step(legal, best, costs=costs)
        on_path = on_path and taken == best
    return recorder.trace(str(system), "dynamic" if dynamic else "static")


def _static_if_it_can(
    walk: _core.Walk, legal: Sequence[tuple[int, int]], heads: NDArray[np.int32], labels: NDArray[np.int32]
) -> int:
    """Off its path a static oracle may know no legal move: then it is the first."""
    try:
        return legal.index(walk.static_move(heads, labels))
    except (TransitionError, ValueError):
        return 0


def _facts_of(system: str | System) -> _core.SystemFacts | Facts:
    if isinstance(system, str) and system not in names.SYSTEMS:
        known = ", ".join(names.SYSTEMS)
        raise OptionError(f"There is no transition system called '{system}': choose one of {known}.")
    return names.system(system)


def _gold_of(sentence: Sentence, labels: Sequence[int]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    heads = np.array(sentence.heads, dtype=np.int32)
    name = f"sentence {sentence.id}" if sentence.id else "the sentence"
    if (heads < 0).any():
        raise TreebankError(
            f"{sentence._treebank.source}:{sentence.line}: {name} has words without a head: an oracle needs "
            "the whole tree."
        )
    try:
        _core.is_projective(heads)
    except ValueError as error:
        raise TreebankError(
            f"{sentence._treebank.source}:{sentence.line}: the heads of {name} make no tree. {error}"
        ) from error
    return heads, np.array(labels, dtype=np.int32)


def _started(
    system: str | System,
    words: int,
    labels: list[int],
    root_labels: list[int],
    heads: NDArray[np.int32],
    root: str,
) -> _core.Walk:
    try:
        return _core.Walk.start(
            words=words,
            labels=labels,
            root_labels=root_labels,
            root_first=root == "first",
            single_root=int((heads == 0).sum()) == 1,
            **names.for_the_core(system),
        )
    except ValueError as error:
        if says_by_itself(error):
            raise
        raise OptionError(str(error)) from error
