"""Options in files: TOML to write by hand, or JSON.

[parser]
epochs = 20

[parser.learner]
name = "network"
width = 128
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from arcwise.errors import OptionError
from arcwise.options.parser import PRESETS, in_parts
from arcwise.options.pipeline import PipelineOptions

MOST_BYTES = 1_000_000


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The options of a file, as `PipelineOptions.from_dict` takes them."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(MOST_BYTES + 1).decode("utf-8")
        if len(text) > MOST_BYTES:
            raise OptionError(f"{path} is too large for a file of options: check the name.")
        values = json.loads(text) if str(path).endswith(".json") else _toml(text)
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        if isinstance(error, OptionError):
            raise
        raise OptionError(f"{path} is no file of options: {error}.") from error
    if not isinstance(values, dict):
        raise OptionError(f"{path} is no file of options: it holds no names.")
    return values


def _toml(text: str) -> dict[str, Any]:
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        try:
            import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            raise OptionError(
                "Reading TOML takes Python 3.11 or the package tomli: pip install tomli, or write the "
                "options as JSON, in a file that ends in .json."
            ) from None
    return tomllib.loads(text)


def combined(
    config: Mapping[str, Any], *, preset: str = "default", flags: Mapping[str, Any] | None = None, **more: Any
) -> PipelineOptions:
    """Options of a file; what is given one by one wins over it, and it wins over a preset.

    `flags` are options of the parser one by one, `more` those of the pipeline.

    >>> combined({"parser": {"epochs": 3}}, flags={"epochs": 4, "learner": "adagrad"}).parser.epochs
    4
    """
    if preset not in PRESETS:
        raise OptionError(f"There is no preset called '{preset}': choose one of {', '.join(PRESETS)}.")
    given, own = dict(flags or {}), _table(config, "parser")
    stored = own.get("learner", {})
    if isinstance(stored, str):
        own["learner"] = stored = {"name": stored}
    if isinstance(own.get("system"), str):
        own["system"] = {"name": own["system"]}
    # Options of a learner go to the one that is chosen, wherever that was said.
    if "learner" not in given and isinstance(stored, Mapping) and "name" in stored:
        given["learner"] = stored["name"]
    elif "learner" not in given and "learner" in PRESETS[preset]:
        given["learner"] = PRESETS[preset]["learner"]
    elif "learner" not in given and "system" not in given and isinstance(own.get("system"), Mapping):
        given["system"] = own["system"].get("name", "arc-eager")
    layers = [in_parts(PRESETS[preset])] if PRESETS[preset] else []
    parser: dict[str, Any] = {}
    for layer in (*layers, own, in_parts(given)):
        parser = _merged(parser, layer)
    rest = {name: value for name, value in config.items() if name != "parser"}
    for name, value in more.items():
        rest[name] = _merged(rest.get(name, {}), value) if isinstance(value, Mapping) else value
    try:
        return PipelineOptions.from_dict({**rest, "parser": parser})
    except TypeError as error:
        raise OptionError(f"{error}.") from None


def _table(config: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = config.get(name, {})
    if not isinstance(found, Mapping):
        raise OptionError(f"What a file says of the {name} is a table of options: write [{name}] above them.")
    return dict(found)


def _merged(old: Any, new: Mapping[str, Any]) -> dict[str, Any]:
    """One table over another; one of something with another name takes its place."""
    if not isinstance(old, Mapping) or old.get("name", new.get("name")) != new.get("name", old.get("name")):
        return dict(new)
    merged = dict(old)
    for name, value in new.items():
        merged[name] = _merged(merged.get(name), value) if isinstance(value, Mapping) else value
    return merged


def to_toml(options: PipelineOptions) -> str:
    """The options as a file that `read` reads; what is open is left out."""
    return "\n".join(_tables((), options.to_dict())).lstrip("\n") + "\n"


def _tables(path: tuple[str, ...], values: Mapping[str, Any]) -> Iterator[str]:
    tables = {name: value for name, value in values.items() if isinstance(value, Mapping)}
    if path:
        yield f"\n[{'.'.join(path)}]"
    for name, value in values.items():
        if name not in tables and value is not None:
            yield f"{name} = {_value(value)}"
    for name, table in tables.items():
        yield from _tables((*path, name), table)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        # JSON's escapes are TOML's, which wants one more character escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value) if isinstance(value, bool) else repr(value)
