"""Kinds of learners and the models that they freeze to, each in a file of its own behind one interface.

`Learner` says what a kind looks at, how its trainer is made, what is stored of what it has learnt, and how a
model comes of what is stored. Whoever trains, parses, updates or shows a model asks this interface, and not
which learner it is.
"""

from __future__ import annotations

from arcwise import _core
from arcwise.errors import OptionError
from arcwise.learners.base import Frozen, Inputs, Learner, Learnt, Run
from arcwise.learners.cost_sensitive import CostSensitive
from arcwise.learners.linear import Linear
from arcwise.learners.network import Network
from arcwise.names import LEARNERS

__all__ = ["LEARNERS", "PROBABILISTIC", "Frozen", "Inputs", "Learner", "Learnt", "Run", "learner"]

_LEARNERS: dict[str, Learner] = {
    own.name: own for own in (Network(), *map(Linear, _core.linear_learners()), CostSensitive())
}
PROBABILISTIC = tuple(own.name for own in _LEARNERS.values() if own.probabilistic)
"""The learners whose scores of moves are log-odds."""


def learner(name: str | None) -> Learner:
    """The learner of this name; without one, the network, which can score the states of any system.

    >>> learner("adagrad").probabilistic
    True
    """
    name = name or Network.name
    if name not in _LEARNERS:
        raise OptionError(f"There is no learner called '{name}': choose one of {', '.join(LEARNERS)}.")
    return _LEARNERS[name]
