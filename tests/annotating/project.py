"""A service with a project, and a client that has its token."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from serving.service import Answer, Running, ask, running

GARDEN = Path(__file__).resolve().parents[2] / "examples" / "garden"
PREFIX = "/api/v1/project"


class Client:
    """Someone who works on a project."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.token: str = ask(port, PREFIX).json["token"]

    def post(self, path: str, body: Any) -> Answer:
        return ask(self.port, f"{PREFIX}/{path}", body, headers={"X-Arcwise-Token": self.token})

    def done(self, path: str, body: Any) -> Any:
        answer = self.post(path, body)
        assert answer.status == 200, answer.body
        return answer.json

    def state(self, file: str, key: str, **more: Any) -> Any:
        return self.done("read", {"file": file, "keys": [key], **more})["sentences"][0]

    def edit(self, state: Any, *operations: dict[str, Any], **more: Any) -> Any:
        return self.done("edit", edit_of(state, *operations, **more))


def edit_of(state: Any, *operations: dict[str, Any], **more: Any) -> dict[str, Any]:
    names = {name: state[name] for name in ("file", "key", "version")}
    return {**names, "operations": list(operations), **more}


def garden(folder: Path, name: str = "a.conllu", part: str = "dev") -> Path:
    """A file of the sample treebank."""
    path = folder / name
    shutil.copy(GARDEN / f"{part}.conllu", path)
    return path


@contextmanager
def annotating(folder: Path, **settings: Any) -> Iterator[tuple[Client, Running]]:
    with running(project=(str(folder),), **settings) as service:
        yield Client(service.port), service
