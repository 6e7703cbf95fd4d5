"""Which transition systems, oracles, policies and learners there are, as the core says.

Whatever lists or checks them asks here, so that a new one in the core is known everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arcwise import _core

if TYPE_CHECKING:
    from arcwise.transitions.system import Facts, System

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


def system(name: str | System) -> _core.SystemFacts | Facts:
    """What can be said of a transition system, which is written in Python if it has no name in the core.

    >>> system("arc-hybrid").dynamic_oracle, system("easy-first").left_to_right
    (True, False)
    """
    return _SYSTEMS[name] if isinstance(name, str) else name.facts


def for_the_core(system: str | System) -> dict[str, Any]:
    """How the core is told of a system: by its name, or with what answers for it."""
    given = None if isinstance(system, str) else system.for_the_core()
    return {"system": str(system), "given": given}


def features_of(system: str | System) -> str | None:
    """The built-in system whose features and network inputs suit one."""
    return system if isinstance(system, str) else system.features_of


def policy(name: str) -> _core.PolicyFacts:
    """What can be said of a policy.

    >>> policy("explore").leaves_the_gold_path, policy("explore").draws
    (True, False)
    """
    return _POLICIES[name]
