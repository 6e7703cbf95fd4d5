"""The files of a project: some that are named, or those of a folder; and the model that goes with them."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from arcwise._files import write_whole
from arcwise.annotate.refusals import RefusedEditError, UnknownFileError
from arcwise.annotate.tree_file import TreeFile
from arcwise.errors import TreebankError
from arcwise.pipeline import Pipeline

ENDINGS = (".conllu", ".conll")
MOST_FILES = 1000
_NAME = re.compile(r"[\w][\w .+-]{0,150}\.conllu")


class Shelf:
    """Models by their names, and which one is used."""

    def __init__(self, pipelines: Mapping[str, Pipeline], model: str | None = None) -> None:
        self.pipelines = dict(pipelines)
        self.model = model if model is not None else next(iter(self.pipelines), None)

    @property
    def pipeline(self) -> Pipeline | None:
        """The model that is used now."""
        return None if self.model is None else self.pipelines[self.model]

    def use(self, model: str) -> None:
        if model not in self.pipelines:
            known = ", ".join(self.pipelines)
            raise RefusedEditError("model", f"There is no model called '{model}' here: choose from {known}.")
        self.model = model


class Project(Shelf):
    """Treebanks that are corrected together. Nothing but them and their journals is read or written."""

    def __init__(
        self,
        paths: Sequence[Path | str],
        pipelines: Mapping[str, Pipeline] | None = None,
        model: str | None = None,
    ) -> None:
        """Takes files, or one folder; a pipeline's name is its model's, and `model` is used."""
        given = [Path(path) for path in paths]
        if not given:
            raise TreebankError("Name a file to annotate, or a folder with .conllu files.")
        for path in given:
            if not path.exists():
                raise TreebankError(f"There is no file {path}: check the name.")
        if any(path.is_dir() for path in given) and len(given) > 1:
            raise TreebankError("Give files, or one folder.")
        self.is_folder = given[0].is_dir()
        self.root = Path(os.path.realpath(given[0] if self.is_folder else given[0].parent))
        self._given: dict[str, Path] = {}
        if not self.is_folder:
            self._given = _named([Path(os.path.realpath(path)) for path in given])
        super().__init__(pipelines or {}, model)
        self._opened: dict[str, TreeFile] = {}
        self._lock = threading.RLock()
        self.paths()

    @property
    def name(self) -> str:
        return self.root.name if self.is_folder or len(self._given) > 1 else next(iter(self._given))

    def paths(self) -> dict[str, Path]:
        """The files by their names."""
        if not self.is_folder:
            return dict(self._given)
        found: dict[str, Path] = {}
        for folder, folders, names in os.walk(self.root, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(folder) / name
                if name.startswith(".") or path.suffix not in ENDINGS or not self._is_inside(path):
                    continue
                found[path.relative_to(self.root).as_posix()] = path
                if len(found) > MOST_FILES:
                    raise TreebankError(
                        f"{self.root} has over {MOST_FILES:,} treebanks: give a smaller folder, or files."
                    )
        return found

    def _is_inside(self, path: Path) -> bool:
        """A file of the folder that is no way out of it."""
        real = Path(os.path.realpath(path))
        return real == path and real.is_file() and real.is_relative_to(self.root)

    def file(self, name: str) -> TreeFile:
        """A file of the project, opened when it is first asked for."""
        with self._lock:
            if (opened := self._opened.get(name)) is not None:
                return opened
            path = self.paths().get(name)
            if path is None:
                raise UnknownFileError(f"The project has no file called '{name[:200]}': look at its list.")
            self._opened[name] = opened = TreeFile(path, name)
            return opened

    def create(self, name: str, data: bytes) -> TreeFile:
        """A new file beside the others."""
        if not _NAME.fullmatch(name):
            raise RefusedEditError(
                "file", "A new file has a plain name that ends in .conllu, without folders: choose another."
            )
        path = self.root / name
        with self._lock:
            if path.exists() or path.is_symlink():
                raise RefusedEditError("file", f"{name} is there already, and is no file of the project.")
            write_whole(path, data)
            if not self.is_folder:
                self._given[name] = path
            return self.file(name)

    @property
    def opened(self) -> list[TreeFile]:
        with self._lock:
            return list(self._opened.values())

    def finish(self) -> None:
        """Writes what is not written yet, and lets go of the journals."""
        for file in self.opened:
            file.finish()
            file.journal.release()


def _named(paths: Sequence[Path]) -> dict[str, Path]:
    """Files by the shortest names that tell them apart."""
    for path in paths:
        if path.suffix not in ENDINGS:
            raise TreebankError(
                f"{path.name} is no treebank to annotate: give files that end in .conllu or .conll."
            )
    distinct = list(dict.fromkeys(paths))
    if len({path.name for path in distinct}) == len(distinct):
        return {path.name: path for path in distinct}
    top = Path(os.path.commonpath([path.parent for path in distinct]))
    return {path.relative_to(top).as_posix(): path for path in distinct}
