"""Options of something that has a name: a system, a policy, a learner."""

from __future__ import annotations

import warnings
from typing import Any

from arcwise.options.fields import Options


class Named(Options):
    """Options that are spelled as the name of what they are of."""

    name: Any

    def __str__(self) -> str:
        return str(self.name)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            # Once, the name was all that stood here.
            warnings.warn(
                f"Options are compared with the name '{other}': compare their name (.name).",
                DeprecationWarning,
                stacklevel=2,
            )
            return str(self) == other
        return super().__eq__(other)

    __hash__ = Options.__hash__
