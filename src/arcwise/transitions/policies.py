"""Policies of walks: which move is taken next, given a gold tree.

They are those of training, for walks without a model: what a model would predict, here chance does.

>>> from arcwise.transitions import Walk
>>> walk = Walk("arc-hybrid", ["She", "eats", "fish"])
>>> [str(move) for move in walk.finish(static([2, 0, 2]))]
['SHIFT', 'LEFT', 'SHIFT', 'SHIFT', 'RIGHT', 'RIGHT']
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

from arcwise.transitions.walk import Heads, Move, Walk

Policy: TypeAlias = Callable[[Walk], Move]


def static(gold: Heads) -> Policy:
    """The static oracle's moves."""
    return lambda walk: walk.static_move(gold)


def ambiguity(gold: Heads, *, seed: int = 1) -> Policy:
    """Any of the correct moves, at random."""
    chance = random.Random(seed)
    return lambda walk: chance.choice(walk.correct(gold))


def explore(gold: Heads, *, p: float = 0.9, seed: int = 1) -> Policy:
    """With probability `p` any legal move, else a correct one."""
    chance = random.Random(seed)
    return lambda walk: chance.choice(walk.legal() if chance.random() < p else walk.correct(gold))
