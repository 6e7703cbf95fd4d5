"""Values from files, which may be of any kind that JSON has, and the fields that they are to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from arcwise.errors import OptionError

_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "str": (str,),
    "list": (list,),
    "tuple": (list, tuple),
    "dict": (dict,),
}

Options = TypeVar("Options")


def is_of_kind(value: Any, annotation: str) -> bool:
    """Whether a value can be that of a field with this annotation, as far as JSON knows kinds.

    >>> is_of_kind(1, "float | None"), is_of_kind(True, "int"), is_of_kind([1], "list[str]")
    (True, False, False)
    """
    for kind in annotation.split(" | "):
        outer, _, inner = kind.partition("[")
        if outer == "None" and value is None:
            return True
        if outer not in _KINDS and outer != "None":
            return True  # a class that looks at what it is made of by itself
        if isinstance(value, _KINDS.get(outer, ())) and isinstance(value, bool) == (outer == "bool"):
            items: Any = value if inner in ("str]", "str, ...]") else ()
            return all(isinstance(item, str) for item in items)
    return False


def of_wrong_kind(cls: Any, values: Mapping[str, Any]) -> list[str]:
    """The names of those fields of a dataclass that are to have values of another kind."""
    return [f.name for f in fields(cls) if f.name in values and not is_of_kind(values[f.name], str(f.type))]


def stored_options(cls: type[Options], values: Mapping[str, Any]) -> Options:
    """Options as a file has them.

    Raises:
        OptionError: There is one that this version does not know.
        TypeError: A value is of another kind than the option.
    """
    unknown = set(values) - {field.name for field in fields(cls)}  # type: ignore[arg-type]
    if unknown:
        raise OptionError(f"There is no option called {', '.join(sorted(unknown))}.")
    if wrong := of_wrong_kind(cls, values):
        raise TypeError(f"The option {wrong[0]} has a value of another kind than it should")
    return cls(**values)
