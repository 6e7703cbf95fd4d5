"""The models that are served, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arcwise.models import DEFAULT, load
from arcwise.pipeline import Pipeline


class Models:
    """Pipelines by their names; the first is the default."""

    def __init__(self, pipelines: Mapping[str, Pipeline]) -> None:
        self.pipelines = dict(pipelines)
        self.default = next(iter(self.pipelines))

    @classmethod
    def load(cls, names: Sequence[str]) -> Models:
        return cls({Path(name).stem: load(name) for name in names or (DEFAULT,)})

    def described(self) -> dict[str, Any]:
        return {
            "default": self.default,
            "models": [_described(name, one) for name, one in self.pipelines.items()],
        }


def _described(name: str, pipeline: Pipeline) -> dict[str, Any]:
    parser = pipeline.parser
    return {
        "name": name,
        "components": list(pipeline.components()),
        "description": pipeline.about.get("description"),
        "system": None if parser is None else parser.info.options.system,
        "calibrated": parser is not None and parser.info.calibration is not None,
        "probabilities": parser is not None and parser.info.learner.probabilistic,
    }
