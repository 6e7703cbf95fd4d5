"""Models as Python packages: those that are installed, and how one is made.

A package says in its entry points, in the group `arcwise_models`, which model it has: a name and a module,
whose folder has the file `model.arc`. Nothing of it is run to find that file.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise import __version__
from arcwise._files import write_whole
from arcwise._terminal import visible, visible_lines
from arcwise.errors import ModelError, OptionError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "arcwise_models"
FILE = "model.arc"
MODULE = "arcwise_model_"
"""What the names of modules begin with that `write` makes."""
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?")
_VERSION = re.compile(r"[0-9]+(\.[0-9]+)*((a|b|rc)[0-9]+)?(\.post[0-9]+)?(\.dev[0-9]+)?")
_SPDX = {
    "CC0": "CC0-1.0",
    **{
        f"CC BY{kind} {v}": f"CC-BY{kind}-{v}"
        for kind in ("", "-SA", "-NC", "-NC-SA")
        for v in ("3.0", "4.0")
    },
    "MIT": "MIT",
    "Apache 2.0": "Apache-2.0",
    "GPL 3.0": "GPL-3.0-only",
}
"""Licences that treebanks have, as package indexes call them."""


@dataclass(frozen=True)
class PackagedModel:
    """A model that an installed package has."""

    name: str
    package: str
    """The distribution, as pip calls it."""
    path: Path | None
    problem: str = ""
    """Why it has no file that could be opened."""


def installed(name: str | None = None) -> Iterator[PackagedModel]:
    """The models of packages, or those of one name. Packages that are broken say why, and do no harm."""
    # This looks through all that is installed: only who needs a package pays for it.
    from importlib.metadata import entry_points

    try:
        found = tuple(entry_points(group=GROUP))
    except Exception:  # what another package has in its metadata is not for us to mend
        return
    for entry in sorted(found, key=lambda entry: entry.name):
        if name is None or entry.name == name:
            yield _model_of(entry)


def find(name: str) -> Path | None:
    """The file of a model that a package has; None if none has one of this name.

    Raises:
        ModelError: There is such a package, and it is broken.
    """
    problem = ""
    for model in installed(name):
        if model.path is not None:
            return model.path
        problem = problem or f"The package {model.package} has a model called {name}, but {model.problem}"
    if problem:
        raise ModelError(problem)
    return None


def _model_of(entry: EntryPoint) -> PackagedModel:
    package = "without a name"
    try:
        if entry.dist is not None:
            package = str(entry.dist.name)
        return PackagedModel(entry.name, package, _file_of(entry))
    except ModelError as error:
        problem = str(error)
    except Exception as error:  # an importer of another package may raise what it likes
        problem = f"its folder cannot be found ({type(error).__name__}): install it again."
    return PackagedModel(entry.name, package, None, problem)


def _file_of(entry: EntryPoint) -> Path:
    from importlib.util import find_spec

    if not _NAME.fullmatch(entry.name):
        raise ModelError("that is no name: letters, digits, - and _ make one.")
    if not entry.value.isidentifier():
        # Of a module within another, the other would be run.
        raise ModelError(f"it is said to be in {entry.value}, which is no module: install the package again.")
    spec = find_spec(entry.value)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    for folder in map(Path, folders):
        path = folder / FILE
        if path.is_file():
            if not path.resolve().is_relative_to(folder.resolve()):
                raise ModelError(f"its file {path} is a link to another place: install the package again.")
            return path
    raise ModelError(f"there is no {FILE} in {entry.value}: install the package again.")


def write(
    model: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    name: str | None = None,
    version: str = "1.0.0",
    description: str | None = None,
    licence: str | None = None,
    card: str | os.PathLike[str] | None = None,
) -> str:
    """Writes a model as a Python package into a new folder, and returns the name that pip will know it by.

    Args:
        model: The model, by its file or its name.
        folder: The package's folder, which must not be there yet, or be empty.
        name: What the model is called afterwards (`arcwise.load(name)`); by default as its file is.
        version: Of the package.
        description: One line; by default what the model says of itself.
        licence: Under which licence the model is; by default what the model says of itself.
        card: A Markdown file that tells of the model, in place of one made of what it says of itself.

    Raises:
        OptionError: The model cannot be called so, there is no licence, or the folder is not empty.
        ModelError: The model cannot be opened.
    """
    from arcwise import models
    from arcwise.pipeline import Pipeline
    from arcwise.transitions.system import AsDescribed

    path, target = models.find(model), Path(folder)
    pipeline = Pipeline.load(path, system=AsDescribed)
    if pipeline.components() and pipeline._given:
        raise OptionError(
            "The model has a transition system in Python, which is in no model file: it cannot "
            "be opened by its name."
        )
    name = name or path.stem
    if not _NAME.fullmatch(name):
        raise OptionError(f"A model cannot be called {name!r}: take letters, digits, - and _ (name).")
    if any(own.name == name for own in models.bundled()):
        raise OptionError(f"arcwise has a model called {name} of its own: choose another name (name).")
    if not _VERSION.fullmatch(version):
        raise OptionError(f"{version!r} is no version of a package: write 1.0 or 2.1.3 (version).")
    about = pipeline.about
    licence = _line(licence or about.get("licence"))
    if not licence:
        raise OptionError("The model does not say under which licence it is: say so (licence).")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise OptionError(f"{target} is there already: choose a new folder, or empty it (output).")
    description = _line(description or about.get("description")) or f"The model {name} for arcwise"
    package = f"arcwise-model-{name}".lower().replace("_", "-")
    module = MODULE + re.sub("[^a-z0-9]", "_", name.lower())
    facts = _Facts(name, package, module, version, description, licence)
    text = _card(facts, about) if card is None else Path(card).read_text(encoding="utf-8")
    try:
        (target / module).mkdir(parents=True)
        shutil.copyfile(path, target / module / FILE)
        for file, content in (
            ("pyproject.toml", _pyproject(facts)),
            ("README.md", text),
            ("LICENSE", f"The model in this package is under this licence: {licence}\n"),
            (f"{module}/__init__.py", f'"""The model {name} for arcwise: arcwise.load("{name}")."""\n'),
        ):
            write_whole(target / file, content.encode())
    except OSError as error:
        raise OptionError(f"{target} cannot be written: {error.strerror or error}.") from error
    return package


@dataclass(frozen=True)
class _Facts:
    """What a package says of itself."""

    name: str
    package: str
    module: str
    version: str
    description: str
    licence: str


def _line(text: Any) -> str:
    """One line without anything that a terminal would obey."""
    return visible(" ".join(str(text or "").split()))


def _toml(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _spdx(licence: str) -> str | None:
    """The licence as package indexes call it; None if they may not know it."""
    known = [own for own in _SPDX if licence == own or licence.startswith((f"{own} (", f"{own},", f"{own};"))]
    if licence in _SPDX.values():
        return licence
    return _SPDX[max(known, key=len)] if known else None


def _pyproject(facts: _Facts) -> str:
    spdx = _spdx(facts.licence)
    return f"""\
[build-system]
requires = ["hatchling>=1.18"]
build-backend = "hatchling.build"

[project]
name = {_toml(facts.package)}
version = {_toml(facts.version)}
description = {_toml(facts.description)}
readme = "README.md"
{"" if spdx is None else f"license = {_toml(spdx)}" + chr(10)}requires-python = ">=3.10"
dependencies = ["arcwise>={__version__}"]
keywords = ["arcwise", "dependency parsing", "Universal Dependencies"]

[project.entry-points.{GROUP}]
{_toml(facts.name)} = {_toml(facts.module)}

[tool.hatch.build.targets.wheel]
packages = [{_toml(facts.module)}]

[tool.hatch.build.targets.sdist]
include = [{_toml(facts.module)}, "README.md", "LICENSE"]
"""


def _card(facts: _Facts, about: Mapping[str, Any]) -> str:
    """What the model says of itself, for people."""
    lines = [
        f"# {facts.package}",
        "",
        f"{facts.description}.".replace("..", "."),
        "",
        "```sh",
        f"pip install {facts.package}",
        f"arcwise parse {facts.name} text.txt",
        "```",
        "",
        "```python",
        "import arcwise",
        "",
        f'nlp = arcwise.load("{facts.name}")',
        "```",
        "",
        f"- **Licence**: {facts.licence}. arcwise itself is under the MIT licence.",
    ]
    if treebank := _line(about.get("treebank")):
        words = about.get("words")
        of = f", {words:,} words" if type(words) is int else ""
        lines.append(f"- **Trained on**: {treebank}{of}.")
    scores = about.get("scores")
    rows = [
        (start, {n: v for n, v in own.items() if type(v) in (int, float)})
        for start, own in (scores.items() if isinstance(scores, Mapping) else ())
        if isinstance(own, Mapping)
    ]
    names = [
        name
        for name in ("Words", "Sentences", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")
        if any(name in own for _, own in rows)
    ]
    if names:
        lines += [
            f"- **Scores** on {_line(about.get('dev')) or 'dev'} (F1 as in the CoNLL 2018 shared task):",
            "",
        ]
        lines += ["  | from | " + " | ".join(names) + " |", "  | --- " * (len(names) + 1) + "|"]
        lines.append("  |" + " --- |" * (len(names) + 1))
        for start, own in rows:
            values = " | ".join(f"{own[name]:.2f}" if name in own else "" for name in names)
            lines.append(f"  | {_line(start)} | {values} |")
    return visible_lines("\n".join([*lines, ""]))
