"""What an edit is refused for: a kind that programs know, a reason that people read, and what would do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arcwise.errors import ArcwiseError


class RefusedEditError(ArcwiseError, ValueError):
    """An edit that would leave no tree, or that cannot be written: nothing has changed."""

    def __init__(self, kind: str, message: str, offer: Mapping[str, Any] | None = None, **more: Any) -> None:
        super().__init__(message)
        self.kind = kind
        self.offer = offer
        """An operation that does what was probably meant."""
        self.more = more


class ConflictError(ArcwiseError):
    """Somebody else was there first: what stands there now is told, and nothing has changed."""

    def __init__(self, kind: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.kind, self.more = kind, more


class UnknownFileError(ArcwiseError, ValueError):
    """The project has no such file."""
