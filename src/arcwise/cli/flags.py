"""Flags that follow from the fields of options."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import click

from arcwise.cli.common import FromCore
from arcwise.cli.sections import SectionedOption
from arcwise.options.fields import Option, Options, said_of

F = TypeVar("F", bound=Callable[..., Any])


def flags_of(*kinds: type[Options], leave_out: tuple[str, ...] = ()) -> Callable[[F], F]:
    """A flag for each option of these parts, in their order; what several parts have is one flag.

    Flags that are not given are None, so that other sources of options can tell.
    """
    made: dict[str, Callable[[F], F]] = {}
    for kind in kinds:
        for name, field, said, title in _options(kind):
            if name not in made and name not in leave_out:
                made[name] = _flag(name, field, said, title)

    def with_flags(function: F) -> F:
        for flag in reversed(made.values()):
            function = flag(function)
        return function

    return with_flags


def names_of(*kinds: type[Options]) -> list[str]:
    """What the values of those flags are called."""
    return list(dict.fromkeys(name for kind in kinds for name, *_ in _options(kind)))


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the flags that were given."""
    return {name: value for name, value in values.items() if value is not None and value != ()}


def _options(kind: type[Options]) -> Iterator[tuple[str, dataclasses.Field[Any], Option, str]]:
    """The options of a part and of the parts in it: what each is called, and the section that it is in.

    A part that is one of several kinds is chosen by its name.
    """
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        said = said_of(field)
        if said is None:
            continue
        if said.part is None or said.choices is not None:
            yield said.name or field.name, field, said, kind.TITLE
        else:
            yield from _options(said.part)


def _flag(name: str, field: dataclasses.Field[Any], said: Option, title: str) -> Callable[[F], F]:
    spelled = f"--{name.replace('_', '-')}"
    kind = str(field.type).removesuffix(" | None")
    more: dict[str, Any] = {"help": _help(field, said)}
    if kind == "bool" and said.off is not None:
        spelled += f"/--{said.off.replace('_', '-')}"
    elif kind == "bool":
        more |= {"is_flag": True, "callback": lambda ctx, option, value: value or None}
    elif isinstance(said.choices, str):
        more["type"] = FromCore(said.choices)
    elif said.choices is not None:
        more["type"] = click.Choice(said.choices)
    elif kind in ("int", "float"):
        more |= {
            "type": {"int": int, "float": float}[kind],
            "metavar": said.metavar or ("N" if kind == "int" else "X"),
        }
    else:
        more |= {"metavar": said.metavar, "multiple": said.several}
    return click.option(
        spelled, name, cls=SectionedOption, section=title, common=said.common, default=None, **more
    )


def _help(field: dataclasses.Field[Any], said: Option) -> str:
    default = field.default
    if said.unset is not None:
        told = said.unset
    elif isinstance(default, bool):
        told = "" if said.off is None else (field.name if default else said.off).replace("_", "-")
    elif isinstance(default, (int, float, str)):
        told = f"{default:g}" if isinstance(default, float) else str(default)
    else:
        told = ""
    return f"{said.help}  [default: {told}]" if told else said.help
