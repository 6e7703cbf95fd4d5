"""Which transition systems, oracles, policies and learners there are, as the core says.

Whatever lists or checks them asks here, so that a new one in the core is known everywhere.
"""

from __future__ import annotations

from arcwise import _core

_SYSTEMS = {facts.name: facts for facts in _core.systems()}
_POLICIES = {facts.name: facts for facts in _core.policies()}

SYSTEMS = tuple(_SYSTEMS)
ORACLES = tuple(_core.oracles())
POLICIES = tuple(_POLICIES)
LINEAR_LEARNERS = tuple(facts.name for facts in _core.linear_learners())
LEARNERS = ("network", *LINEAR_LEARNERS, "l2s")
"""Of each of them, `arcwise.learners` knows more."""


def systems_with(*facts: str) -> list[str]:
    """The names of the systems of which all of these hold.

    >>> systems_with("left_to_right", "projective")
    ['arc-eager', 'arc-standard', 'arc-hybrid']
    """
    return [name for name in SYSTEMS if all(getattr(_SYSTEMS[name], fact) for fact in facts)]


def system(name: str) -> _core.SystemFacts:
    """What can be said of a transition system.

    >>> system("arc-hybrid").dynamic_oracle, system("easy-first").left_to_right
    (True, False)
    """
    return _SYSTEMS[name]


def policy(name: str) -> _core.PolicyFacts:
    """What can be said of a policy.

    >>> policy("explore").leaves_the_gold_path, policy("explore").draws
    (True, False)
    """
    return _POLICIES[name]
