"""The models that are served, by their names and the beginnings of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from arcwise.errors import ModelError
from arcwise.models import DEFAULT, load
from arcwise.pipeline import Pipeline
from arcwise.transitions.system import System


class UnknownModelError(ModelError):
    """No model has this name: the message says which there are."""


class Models:
    """Pipelines by name; the first is the default.

    As in UDPipe's service, a beginning of a name that ends before a hyphen is a name too: `sv` of
    `sv-talbanken-2.15`. A whole name goes before a beginning, and an earlier model before a later.
    """

    def __init__(self, pipelines: Mapping[str, Pipeline]) -> None:
        self.pipelines = dict(pipelines)
        self.default = next(iter(self.pipelines))
        self._names = {name: name for name in self.pipelines}
        for name in self.pipelines:
            parts = name.split("-")
            for end in range(len(parts) - 1, 0, -1):
                self._names.setdefault("-".join(parts[:end]), name)

    @classmethod
    def load(cls, names: Sequence[str], systems: Sequence[System] = ()) -> Models:
        """Opens models that are given by name or file; a file's name is its model's.

        `systems` are written in Python, for models that need one of them.
        """
        pipelines: dict[str, Pipeline] = {}
        for given in names or (DEFAULT,):
            name = Path(given).stem if Path(given).suffix in (".arc", ".model") else Path(given).name
            if name in pipelines:
                raise ModelError(f"Two models are called {name}: leave one out, or copy one to another name.")
            pipelines[name] = _loaded(given, systems)
        return cls(pipelines)

    def find(self, name: str | None) -> tuple[str, Pipeline]:
        """A model and its whole name; the default for None."""
        whole = self.default if name is None else self._names.get(name)
        if whole is None:
            known = ", ".join(self.pipelines)
            raise UnknownModelError(f"There is no model called '{name}' here: choose one of {known}.")
        return whole, self.pipelines[whole]

    def described(self) -> dict[str, Any]:
        """What `/api/v1/models` answers."""
        return {
            "default": self.default,
            "models": [_described(name, one) for name, one in self.pipelines.items()],
        }


def _loaded(name: str, systems: Sequence[System]) -> Pipeline:
    try:
        return load(name)
    except ModelError:
        for system in systems:
            with suppress(ModelError):
                return load(name, system=system)
        raise


def _described(name: str, pipeline: Pipeline) -> dict[str, Any]:
    parser, about = pipeline.parser, pipeline.about
    return {
        "name": name,
        "components": list(pipeline.components()),
        "description": str(about.get("description") or ""),
        "licence": str(about.get("licence") or ""),
        "system": None if parser is None else str(parser.info.options.system.name),
        "labels": [] if parser is None else list(parser.info.label_names),
        "probabilities": parser is not None and parser.info.learner.probabilistic,
        "calibrated": parser is not None and parser.info.calibration is not None,
        "grammar": parser is not None and parser.info.grammar is not None,
        "ranker": parser is not None and parser.ranker is not None,
        "beam": None if parser is None else parser._trained_beam,
    }
