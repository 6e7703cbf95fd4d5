"""Models by name: those that come with arcwise, and a user's own.

A name such as `en` stands for a file `en.arc` in the package or in the user's folder of models, which comes
first: `$ARCWISE_MODELS`, or `arcwise/models` in `$XDG_DATA_HOME`, or in `~/.local/share`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arcwise.errors import ModelError
from arcwise.pipeline import Pipeline

if TYPE_CHECKING:
    from arcwise.transitions.system import System

DEFAULT = "en"
ENDING = ".arc"
PACKAGED = Path(__file__).parent / "data"


class InstalledModel(NamedTuple):
    """A model that can be called by its name."""

    name: str
    path: Path
    is_packaged: bool


def user_folder() -> Path:
    """Where a user's own models go."""
    if own := os.environ.get("ARCWISE_MODELS"):
        return Path(own)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "arcwise" / "models"


def installed() -> list[InstalledModel]:
    """All models that have a name; of two with the same one, the user's."""
    found: dict[str, InstalledModel] = {}
    for folder, is_packaged in ((user_folder(), False), (PACKAGED, True)):
        for path in sorted(folder.glob(f"*{ENDING}")) if folder.is_dir() else ():
            found.setdefault(path.stem, InstalledModel(path.stem, path, is_packaged))
    return sorted(found.values())


def find(name: str | os.PathLike[str]) -> Path:
    """The file of a model that is given by its path or its name."""
    path = Path(name)
    if path.exists() or path.suffix or len(path.parts) != 1:
        return path
    for model in installed():
        if model.name == str(name):
            return model.path
    known = ", ".join(model.name for model in installed()) or "none"
    raise ModelError(
        f"There is no file {name}, and no model of this name: installed are {known}. Train one with 'arcwise "
        f"train', or put {name}{ENDING} into {user_folder()}."
    )


def load(name: str | os.PathLike[str] = DEFAULT, *, system: System | None = None) -> Pipeline:
    """Opens a model, given by its name or the path of its file.

    A parser whose transition system is written in Python needs that `system`, which is not in the file.
    """
    path = find(name)
    pipeline = Pipeline.load(path, system=system)
    return pipeline if path == Path(name) else pipeline._called(os.fspath(name))
