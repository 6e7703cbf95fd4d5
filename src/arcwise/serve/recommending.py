"""`/NAME/predict` and `/NAME/train`, as INCEpTION asks an external recommender."""

from __future__ import annotations

import threading
from typing import Any

from arcwise.annotate import inception
from arcwise.annotate.project import Shelf
from arcwise.annotate.refusals import RefusedEditError
from arcwise.annotate.teaching import Teacher
from arcwise.serve.models import Models
from arcwise.serve.work import RefusedError

MOST_PROJECTS = 16
"""Projects of INCEpTION that have a model of their own; the oldest gives way."""


class Recommender:
    """The models, and what each project of INCEpTION has taught them."""

    def __init__(self, models: Models, threads: int) -> None:
        inception.cassis()
        self._models, self._threads = models, threads
        self._taught: dict[tuple[str, str], tuple[Shelf, Teacher]] = {}
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        return list(self._models.pipelines)

    def _of(self, name: str, project: str, *, make: bool) -> tuple[Shelf, Teacher]:
        with self._lock:
            if (found := self._taught.get((name, project))) is not None:
                return found
            shelf = Shelf({name: self._models.pipelines[name]}, name)
            made = shelf, Teacher(shelf, self._threads)
            if make:
                while len(self._taught) >= MOST_PROJECTS:
                    _, teacher = self._taught.pop(next(iter(self._taught)))
                    teacher.cancel()
                self._taught[name, project] = made
            return made

    def predict(self, name: str, body: Any) -> dict[str, Any]:
        """The document with predictions."""
        asked = inception.prediction(body)
        pipeline = self._of(name, asked.project, make=False)[0].pipeline
        assert pipeline is not None
        return {"document": inception.predict(asked, pipeline)}

    def train(self, name: str, body: Any) -> bytes:
        """Begins to learn; predictions for that project are of the new model when it has."""
        asked = inception.training(body)
        lessons = inception.lessons(asked)
        if not lessons:
            return b""  # INCEpTION asks before anything is annotated, too
        _, teacher = self._of(name, asked.project, make=True)
        if teacher.is_running:
            raise RefusedError(429, "The model is learning already: ask again when it has.", 5)
        try:
            teacher.begin(lessons)
        except RefusedEditError as error:
            raise RefusedError(429, str(error), 5) from None
        return b""

    def wait(self) -> None:
        """Until all have learnt."""
        for _, teacher in list(self._taught.values()):
            teacher.wait()

    def stop(self) -> None:
        for _, teacher in list(self._taught.values()):
            teacher.cancel()
