"""Models that components of spaCy hold: by name, opened when first used, and stored as names or whole."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import srsly

import arcwise.models
from arcwise.errors import ModelError
from arcwise.pipeline import Pipeline

_FILE, _ABOUT = "model.arc", "model.json"


class HeldModel:
    """A model, by the name that it is opened by, or itself.

    Stored as its name, or, with `embed` and where it has come from no file, as the whole of it.
    """

    def __init__(self, model: str | os.PathLike[str] | Pipeline, *, embed: bool) -> None:
        self._pipeline = model if isinstance(model, Pipeline) else None
        self._name = _name_of(model) if isinstance(model, Pipeline) else os.fspath(model)
        self.embed = embed

    @property
    def name(self) -> str:
        """What it is opened by; nothing if it has come from no file."""
        return self._name

    @property
    def pipeline(self) -> Pipeline:
        """The model, which is opened when it is first asked for."""
        if self._pipeline is None:
            if not self._name:
                raise ModelError(
                    "The model of this component was in no file, and was not stored with it: load the "
                    "pipeline with spacy.load, from what nlp.to_disk has written."
                )
            self._pipeline = arcwise.models.load(self._name)
        return self._pipeline

    def to_bytes(self) -> bytes:
        """What `from_bytes` reads."""
        stored = self.pipeline.to_bytes() if self.embed or not self._name else None
        return bytes(srsly.msgpack_dumps({"name": self._name, "model": stored}))

    def from_bytes(self, data: bytes) -> None:
        """Becomes what was stored."""
        self._take(srsly.msgpack_loads(data))

    def to_disk(self, path: str | os.PathLike[str]) -> None:
        """Writes a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        whole = self.embed or not self._name
        srsly.write_json(folder / _ABOUT, {"name": self._name, "embedded": whole})
        if whole:
            self.pipeline.save(folder / _FILE)
        else:
            (folder / _FILE).unlink(missing_ok=True)

    def from_disk(self, path: str | os.PathLike[str]) -> None:
        """Becomes what is in a folder."""
        folder = Path(path)
        about: Any = srsly.read_json(folder / _ABOUT)
        embedded = isinstance(about, dict) and about.get("embedded")
        self._take(
            {
                "name": about.get("name") if isinstance(about, dict) else None,
                "model": (folder / _FILE).read_bytes() if embedded else None,
            }
        )

    def _take(self, stored: Any) -> None:
        name = stored.get("name") if isinstance(stored, dict) else None
        data = stored.get("model") if isinstance(stored, dict) else None
        if not isinstance(name, str) or not isinstance(data, bytes | None):
            raise ModelError("What was stored of an arcwise component is damaged: store the pipeline again.")
        self._name = name
        self._pipeline = None if data is None else Pipeline.from_bytes(data)


def _name_of(pipeline: Pipeline) -> str:
    origin = pipeline._origin
    if origin is None or not origin.is_there:
        return ""
    return origin.name or str(Path(origin.path).absolute())


class Serialized:
    """Stores the model that a component or a tokenizer holds, as spaCy asks for it."""

    held: HeldModel

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """For `nlp.to_bytes`."""
        return self.held.to_bytes()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Any:
        """For `nlp.from_bytes`."""
        self.held.from_bytes(data)
        return self

    def to_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> None:
        """For `nlp.to_disk`."""
        self.held.to_disk(path)

    def from_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> Any:
        """For `spacy.load`."""
        self.held.from_disk(path)
        return self
