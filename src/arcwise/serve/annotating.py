"""The routes of `arcwise annotate`: who may change a project, and what becomes of refusals."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from hmac import compare_digest
from pathlib import Path
from typing import Any

from arcwise.annotate.desk import Desk
from arcwise.annotate.project import Project
from arcwise.annotate.refusals import ConflictError, RefusedEditError, UnknownFileError
from arcwise.document import Document
from arcwise.errors import ArcwiseError
from arcwise.serve.drawing import Drawing
from arcwise.serve.models import Models
from arcwise.treebank import Treebank

TOKEN_HEADER = "x-arcwise-token"
PREFIX = "/api/v1/project"


class ProjectError(ArcwiseError):
    """A refusal with the answer that says so."""

    def __init__(self, status: int, answer: Mapping[str, Any]) -> None:
        super().__init__(str(answer["error"]))
        self.status, self.answer = status, dict(answer)


def drawer(given: Mapping[str, Any]) -> Callable[[Treebank], Any]:
    """What draws as the `drawing` of a request says."""
    drawing = Drawing.from_json(given)

    def draw(treebank: Treebank) -> Any:
        [picture] = drawing.all(Document(treebank))
        return picture.to_json()

    return draw


class Annotating:
    """A project as the service has it."""

    def __init__(
        self, paths: Sequence[str | Path], models: Models, threads: int = 1, recommends: bool = False
    ) -> None:
        self.desk = Desk(Project(paths, models.pipelines, models.default), drawer, threads)
        self._is_recommender = recommends
        self.token = secrets.token_urlsafe(32)
        desk = self.desk
        functions = {
            "list": desk.listed,
            "read": desk.read,
            "complete": desk.complete,
            "edit": desk.edit,
            "undo": desk.undo,
            "redo": desk.redo,
            "save": desk.save,
            "close": desk.close,
            "resolve": desk.resolve,
            "export": desk.export,
            "agreement": desk.agreement,
            "take": desk.take,
            "teach": desk.teach,
            "teach/cancel": desk.cancel,
            "model": self._use,
        }
        self.routes: dict[str, Callable[[Any], Any]] = {
            f"{PREFIX}/{name}": function for name, function in functions.items()
        }
        self.looks: dict[str, Callable[[], Any]] = {
            PREFIX: self._overview,
            f"{PREFIX}/teach": desk.teacher.told,
        }

    def _overview(self) -> dict[str, Any]:
        return {"token": self.token, **self.desk.overview(), "inception": self._is_recommender}

    def _use(self, body: Any) -> dict[str, Any]:
        self.desk.use(body)
        return self._overview()

    def demand_token(self, headers: Mapping[str, str]) -> None:
        """Refuses whoever has not read the token from here, which no page of another site can."""
        if not compare_digest(headers.get(TOKEN_HEADER, "").encode(), self.token.encode()):
            raise ProjectError(
                403,
                {
                    "error": f"The header {TOKEN_HEADER} must have the token of GET {PREFIX}: read it again.",
                    "kind": "token",
                },
            )

    def finish(self) -> None:
        self.desk.finish()


def encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def answered(function: Callable[[], Any]) -> bytes:
    """What a function gives, as bytes."""
    try:
        made = function()
    except RefusedEditError as error:
        told = {"error": str(error), "kind": error.kind, "offer": error.offer, **error.more}
        raise ProjectError(422, told) from None
    except ConflictError as error:
        raise ProjectError(409, {"error": str(error), "kind": error.kind, **error.more}) from None
    except UnknownFileError as error:
        raise ProjectError(404, {"error": str(error), "kind": "file"}) from None
    except OSError as error:
        reason = error.strerror or "it failed"
        raise ProjectError(
            507, {"error": f"The disk refused: {reason}. Nothing was changed.", "kind": "disk"}
        ) from None
    return made if isinstance(made, bytes) else encoded(made)
