"""What is said of an option, once: its default, its range, and what it does.

The command line, its help, files of options, the documentation of the classes and the checks of what is given
all follow from the fields of the dataclasses in this package.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True, kw_only=True)
... class Tea(Options):
...     '''How tea is made.'''
...     minutes: float = option(3.0, "How long it draws.", above=0, most=15)
>>> Tea(minutes=4).to_dict()
{'minutes': 4}
>>> Tea(minutes=60)
Traceback (most recent call last):
    ...
arcwise.errors.OptionError: What is given as minutes must be a number above 0 and at most 15, not 60.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

from arcwise._kinds import is_of_kind
from arcwise.errors import OptionError

_KEY = "option"
_LARGEST = {"int": 2**31 - 1}
Own = TypeVar("Own", bound="Options")


class Option(NamedTuple):
    """What is said of a field."""

    help: str
    choices: tuple[str, ...] | str | None = None
    """The values that there are, or the name of a list of them that the core has, such as ``SYSTEMS``."""
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    multiple: int | None = None
    """What a number must be a multiple of."""
    unset: str | None = None
    """What None stands for, in words."""
    must: str | None = None
    """What to say of a value that is out of range, if the range alone does not tell."""
    name: str | None = None
    """What it is called where options of several parts are given one by one, if not as the field is."""
    off: str | None = None
    """The flag that says no, if the option is a switch with two."""
    metavar: str | None = None
    several: bool = False
    """Whether the flag may be given several times, for several values."""
    common: bool = False
    """Whether short help has it."""
    part: type[Options] | None = None
    """The class of a field that is a part with options of its own."""

    def known(self) -> tuple[str, ...] | None:
        """The values that there are, if they can be counted."""
        if not isinstance(self.choices, str):
            return self.choices
        from arcwise import names

        return tuple(getattr(names, self.choices))

    def holds(self, value: float) -> bool:
        """Whether a number is in range."""
        return (
            (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
            and (self.multiple is None or value % self.multiple == 0)
            and math.isfinite(value)
        )

    def range(self) -> str:
        """The range in words.

        >>> Option(help="", least=1, below=5).range()
        'a number of at least 1 and below 5'
        """
        limits = [
            f"{word} {_spelled(limit)}"
            for word, limit in (
                ("of at least", self.least),
                ("above", self.above),
                ("at most", self.most),
                ("below", self.below),
            )
            if limit is not None
        ]
        multiple = "" if self.multiple is None else f", a multiple of {self.multiple}"
        return f"a number {' and '.join(limits)}{multiple}".rstrip()


def option(default: Any, help: str, **more: Any) -> Any:
    """A field of a class of options; `more` as of `Option`."""
    return dataclasses.field(default=default, metadata={_KEY: Option(help=help, **more)})


def seed_option(help: str, default: int | None = 1, **more: Any) -> Any:
    """The seed of a part."""
    must = "The seed must be a number from 0 to 2^63 - 1."
    return option(default, help, least=0, most=2**63 - 1, must=must, **more)


def part(kind: type[Options], help: str, *, default: Any = None, **more: Any) -> Any:
    """A field that is a part with options of its own; by default one with defaults."""
    factory = kind if default is None else default
    metadata = {_KEY: Option(help=help, part=kind, **more)}
    return dataclasses.field(default_factory=factory, metadata=metadata)


def said_of(field: dataclasses.Field[Any]) -> Option | None:
    """What was said of a field, if it is an option."""
    return field.metadata.get(_KEY)


class Options:
    """What all classes of options have: checks, documentation, and a way to JSON and back."""

    TITLE: ClassVar[str] = ""
    """Above its options in help."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        lines = [inspect.cleandoc(cls.__doc__ or ""), "", "Attributes:"]
        for name, (said, kind) in cls._said().items():
            # On the command line, leaving a part's own option out may mean that there is no such part.
            unset = f" None: {said.unset}." if said.unset is not None and "None" in kind else ""
            lines.append(f"    {name}: {said.help}{unset}")
        cls.__doc__ = "\n".join(lines)

    @classmethod
    def _said(cls) -> dict[str, tuple[Option, str]]:
        """What is said of its fields, and their kinds, also before the class is a dataclass."""
        found: dict[str, tuple[Option, str]] = {}
        for base in reversed(cls.__mro__):
            for name, kind in inspect.get_annotations(base).items():
                field = base.__dict__.get(name)
                field = base.__dict__.get("__dataclass_fields__", {}).get(name, field)
                if isinstance(field, dataclasses.Field) and (said := said_of(field)) is not None:
                    found[name] = said, str(kind)
        return found

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            if (said := said_of(field)) is not None:
                check(field, said, getattr(self, field.name))
        for holds, sentence in self.requirements():
            if not holds:
                raise OptionError(sentence)

    # Written here once: classes that dataclasses write these for take longer to import.

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)  # type: ignore[attr-defined]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __repr__(self) -> str:
        own = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__dataclass_fields__)  # type: ignore[attr-defined]
        return f"{type(self).__name__}({own})"

    def requirements(self) -> Iterator[tuple[bool, str]]:
        """What must hold of several fields together, and what to say if it does not."""
        yield from ()

    def to_dict(self) -> dict[str, Any]:
        """All of them, as JSON has them."""
        return {field.name: _as_json(getattr(self, field.name)) for field in dataclasses.fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_dict(cls: type[Own], values: Mapping[str, Any]) -> Own:
        """Reads what `to_dict` gave; what this version does not know is an error."""
        unknown = sorted(set(values) - {field.name for field in dataclasses.fields(cls)})  # type: ignore[arg-type]
        if unknown:
            raise OptionError(f"There is no option called {', '.join(unknown)}.")
        return cls(**values)


def check(field: dataclasses.Field[Any], said: Option, value: Any) -> None:
    """Refuses a value that is none of those that a field may have."""
    name, kind = field.name, str(field.type)
    if value is None and "None" in kind:
        return
    if said.part is not None and not isinstance(value, Options):
        raise OptionError(f"What is given as {name} must be options of its own, not {value!r}.")
    if (known := said.known()) is not None and isinstance(value, str):
        if value not in known:
            called = said.name or name
            raise OptionError(f"There is no {called} called '{value}': choose one of {', '.join(known)}.")
        return
    if not is_of_kind(value, kind):
        what = _IN_WORDS.get(kind.removesuffix(" | None"), "of another kind")
        raise OptionError(f"What is given as {name} must be {what}, not {value!r}.")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        above = _LARGEST.get(kind.removesuffix(" | None"), math.inf) if said.most is None else math.inf
        if not said.holds(value) or value > above:
            raise OptionError(said.must or f"What is given as {name} must be {said.range()}, not {value:g}.")


_IN_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "True or False",
    "str": "text",
    "tuple[str, ...]": "names",
}


def _spelled(limit: float) -> str:
    for power in (31, 63):
        if limit == 2**power - 1:
            return f"2^{power} - 1"
    return f"{limit:g}"


def _as_json(value: Any) -> Any:
    if isinstance(value, Options):
        return value.to_dict()
    return list(value) if isinstance(value, tuple) else value
