"""Models by name: those that come with arcwise, a user's own, and those of packages.

A name such as `en` stands for a file `en.arc` in the package or in the user's folder of models, which comes
first: `$ARCWISE_MODELS`, or `arcwise/models` in `$XDG_DATA_HOME`, or in `~/.local/share`. Other names stand
for models of Python packages (`arcwise.model_packages`).
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
    """Whether it comes with arcwise."""
    package: str | None = None
    """The Python package that has it."""


def user_folder() -> Path:
    """Where a user's own models go."""
    if own := os.environ.get("ARCWISE_MODELS"):
        return Path(own)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "arcwise" / "models"


def bundled() -> list[InstalledModel]:
    """The models that come with arcwise."""
    return [InstalledModel(path.stem, path, True) for path in sorted(PACKAGED.glob(f"*{ENDING}"))]


def _in_folders() -> dict[str, InstalledModel]:
    """Those that come with arcwise, and the user's; of two with the same name, the user's."""
    folder = user_folder()
    own = sorted(folder.glob(f"*{ENDING}")) if folder.is_dir() else ()
    found = {path.stem: InstalledModel(path.stem, path, False) for path in own}
    for model in bundled():
        found.setdefault(model.name, model)
    return found


def installed() -> list[InstalledModel]:
    """All models that have a name. Those of packages come last where others have the same."""
    from arcwise import model_packages

    found = _in_folders()
    for model in model_packages.installed():
        if model.path is not None:
            found.setdefault(model.name, InstalledModel(model.name, model.path, False, model.package))
    return sorted(found.values())


def names_of_installed() -> str:
    """Of all models, for messages."""
    return ", ".join(model.name for model in installed()) or "none"


def is_installed(name: str) -> bool:
    """Whether there is a model of this name, or a broken package that should have it."""
    from arcwise import model_packages

    return name in _in_folders() or any(True for _ in model_packages.installed(name))


def find(name: str | os.PathLike[str]) -> Path:
    """The file of a model that is given by its path or its name."""
    path = Path(name)
    if path.exists() or path.suffix or len(path.parts) != 1:
        return path
    if (model := _in_folders().get(str(name))) is not None:
        return model.path
    from arcwise import model_packages

    if (packaged := model_packages.find(str(name))) is not None:
        return packaged
    raise ModelError(
        f"There is no file {name}, and no model of this name: installed are {names_of_installed()}. Train "
        f"one with 'arcwise train TREEBANK -o {name}{ENDING}' and put it into {user_folder()}, or install a "
        "package with it ('arcwise package' makes one)."
    )


def load(name: str | os.PathLike[str] = DEFAULT, *, system: System | None = None) -> Pipeline:
    """Opens a model, given by its name or the path of its file.

    A parser whose transition system is written in Python needs that `system`, which is not in the file.
    """
    path = find(name)
    pipeline = Pipeline.load(path, system=system)
    return pipeline if path == Path(name) else pipeline._called(os.fspath(name))
