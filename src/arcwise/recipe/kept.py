"""What a run has finished and is kept until its model is written, so that `--resume` need not do it again."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.errors import ModelError

if TYPE_CHECKING:
    from arcwise.model_file import Component
    from arcwise.treebank import Treebank

KIND = "part of a run"
_PART = "part"


class Kept:
    """A folder of such parts. Each says what it was made from, and is used for nothing else.

    Without a folder, nothing is kept.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def __bool__(self) -> bool:
        """Whether something is left of a run."""
        return self.folder is not None and self.folder.is_dir()

    def has(self, name: str) -> bool:
        return self.folder is not None and self._path(name).exists()

    def keep(self, name: str, part: Component, made_from: Mapping[str, Any]) -> None:
        """Stores a part; `made_from` is JSON, and all that decides what the part is like."""
        from arcwise.model_file import Component

        if self.folder is None:
            return
        joined = Component.joined(KIND, {_PART: part})
        self.folder.mkdir(exist_ok=True)
        Component(KIND, {**joined.header, "made_from": dict(made_from)}, joined.arrays).save(self._path(name))

    def find(self, name: str, made_from: Mapping[str, Any]) -> Component | None:
        """A part that was kept, if it was; one that was made from something else is refused."""
        from arcwise.model_file import Component

        if not self.has(name):
            return None
        try:
            found = Component.load(self._path(name), KIND)
            part = found.parts()[_PART]
        except (ModelError, KeyError) as error:
            raise ModelError(
                f"{self._path(name)} is damaged: remove it, and it is made again, or start anew, without "
                "what is stored (resume)."
            ) from error
        if found.header.get("made_from") != made_from:
            raise ModelError(
                f"{self.folder} is from a run on other treebanks or with other options: resume with the same "
                "ones, or start anew, without what is stored (resume)."
            )
        return part

    def remove(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, name: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{name}.part"


def treebank_made_from(treebank: Treebank | None) -> dict[str, str] | None:
    """What a part says of a treebank: its words and trees, and the name that the model gives it."""
    from arcwise.treebank import fingerprint

    if treebank is None:
        return None
    return {"name": Path(treebank.source).name, "fingerprint": fingerprint(treebank)}
