"""Transition systems that are named on the command line: a built-in one, or a class in a Python file."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType

from arcwise import names
from arcwise.errors import OptionError
from arcwise.transitions.system import System


def system_named(name: str) -> str | System:
    """`arc-hybrid`, or `systems/mine.py:Mine`: the class `Mine` of a Python file, which is run.

    Without the name of a class it is the only `System` that the file defines.

    >>> system_named("arc-hybrid")
    'arc-hybrid'
    >>> print(system_named("examples/systems/right_to_left.py"))
    right-to-left

    Raises:
        OptionError: There is no such system.
    """
    path, colon, wanted = name.rpartition(":")
    if not path.endswith(".py"):
        path, colon, wanted = name, "", ""
    if not path.endswith(".py"):
        if name not in names.SYSTEMS:
            raise OptionError(
                f"There is no transition system called '{name}': choose one of {', '.join(names.SYSTEMS)}, "
                "or name a class in a Python file, as in mine.py:Mine."
            )
        return name
    module = _run(Path(path))
    own = {
        key: value
        for key, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, System) and not inspect.isabstract(value)
    }
    if not colon:
        here = [value for value in own.values() if value.__module__ == module.__name__]
        if len(here) != 1:
            found = ", ".join(sorted(value.__name__ for value in here)) or "none"
            raise OptionError(
                f"{path}: name the system after a colon, as in {path}:Mine (there are: {found})."
            )
        return _made(here[0], path)
    if wanted not in own:
        known = ", ".join(sorted(own)) or "none"
        raise OptionError(
            f"{path} has no transition system called '{wanted}': name a class that is an "
            f"arcwise.transitions.System and has the methods legal and apply (there are: {known})."
        )
    return _made(own[wanted], path)


def _made(kind: type[System], path: str) -> System:
    try:
        system = kind()
    except TypeError as error:
        raise OptionError(f"{path}: {kind.__name__} cannot be made without arguments: {error}.") from error
    system.for_the_core()  # says what is missing
    return system


def _run(path: Path) -> ModuleType:
    if not path.is_file():
        raise OptionError(f"There is no file {path}: name a Python file with a transition system.")
    spec = importlib.util.spec_from_file_location(f"_arcwise_system_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))  # as if it were run by itself: it may import its neighbours
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise OptionError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent))
    return module
