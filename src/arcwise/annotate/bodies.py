"""What requests have in them, checked field by field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arcwise.annotate.refusals import RefusedEditError


class Asked:
    """The fields of a request; what is missing or of another kind is refused with a sentence."""

    def __init__(self, body: Any, known: str) -> None:
        if not isinstance(body, Mapping):
            raise RefusedEditError("value", "The body must be an object.")
        names = known.split()
        if unknown := [str(name) for name in body if name not in names]:
            raise RefusedEditError(
                "value", f"There is no “{unknown[0][:80]}” here: choose from {', '.join(sorted(names))}."
            )
        self._body = body

    def _value(self, name: str, kinds: tuple[type, ...], what: str, default: Any) -> Any:
        value = self._body.get(name)
        if value is None and default is not ...:
            return default
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise RefusedEditError("value", f"“{name}” must be {what}.")
        return value

    def text(self, name: str, default: Any = ...) -> Any:
        return self._value(name, (str,), "a text", default)

    def one_of(self, name: str, choices: tuple[str, ...], default: Any = ...) -> Any:
        value = self.text(name, default)
        if value is not default and value not in choices:
            raise RefusedEditError("value", f"“{name}” must be one of {', '.join(choices)}.")
        return value

    def number(self, name: str, default: Any = ..., *, most: int = 10**9) -> Any:
        value = self._value(name, (int,), "a number", default)
        if value is not default and not 0 <= value <= most:
            raise RefusedEditError("value", f"“{name}” must be from 0 to {most:,}.")
        return value

    def flag(self, name: str, default: Any = ...) -> Any:
        return self._value(name, (bool,), "true or false", default)

    def items(self, name: str, default: Any = ...) -> Any:
        return self._value(name, (list,), "a list", default)

    def texts(self, name: str, default: Any = ...) -> Any:
        value = self.items(name, default)
        if value is not default and not all(isinstance(one, str) for one in value):
            raise RefusedEditError("value", f"“{name}” must be a list of texts.")
        return value

    def mapping(self, name: str, default: Any = ...) -> Any:
        return self._value(name, (dict,), "an object", default)

    def key(self, name: str = "key", within: Mapping[str, Any] | None = None) -> int:
        value = self._body.get(name) if within is None else within.get(name)
        if not (isinstance(value, str) and value.isdecimal() and value.isascii() and len(value) < 12):
            raise RefusedEditError("value", f"“{name}” must be the key of a sentence, a number as a text.")
        return int(value)
