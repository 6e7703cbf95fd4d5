"""Transition systems from outside: states, legal moves, what they cost, and systems of your own.

>>> from arcwise import transitions
>>> walk = transitions.Walk("arc-eager", ["She", "eats", "fish"])
>>> walk.apply("SHIFT")
>>> walk
[She | eats fish ROOT | ]
>>> {str(move): cost for move, cost in walk.costs([2, 0, 2]).items()}
{'SHIFT': 2.0, 'LEFT': 0.0, 'RIGHT': 2.0}

A `System` is written in Python and trained and used as the built-in ones are: see docs/python_systems.md.
"""

from __future__ import annotations

from arcwise.transitions import policies as policies
from arcwise.transitions.examining import Examination, examine
from arcwise.transitions.system import Facts, GoldTree, State, System, systems
from arcwise.transitions.walk import Move, Walk

__all__ = [
    "Examination",
    "Facts",
    "GoldTree",
    "Move",
    "State",
    "System",
    "Walk",
    "examine",
    "policies",
    "systems",
]
