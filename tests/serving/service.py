"""A service that runs in a thread of the tests, and clients of it that need nothing else."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("starlette", reason="the service needs starlette: pip install 'arcwise[serve]'")
pytest.importorskip("uvicorn", reason="the service needs uvicorn: pip install 'arcwise[serve]'")
pytest.importorskip(
    "python_multipart", reason="the service needs python-multipart: pip install 'arcwise[serve]'"
)

import arcwise
from arcwise.errors import LongSentenceWarning
from arcwise.serve.app import Service
from arcwise.serve.logs import Log
from arcwise.serve.models import Models
from arcwise.serve.running import open_socket, server_of
from arcwise.serve.settings import Settings

warnings.simplefilter("ignore", LongSentenceWarning)
SOURCES = Path(arcwise.__file__).resolve().parents[1]
"""Where the package is that the tests have imported, compiled in place or installed."""
JSON = {"Content-Type": "application/json"}


@cache
def models() -> Models:
    return Models.load(["en-fast"])


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Running(NamedTuple):
    """A service and where it is."""

    service: Service
    port: int
    log: io.StringIO

    def ask(
        self,
        path: str,
        body: Any = None,
        *,
        headers: dict[str, str] | None = None,
        method: str | None = None,
        timeout: float = 20,
    ) -> Answer:
        return ask(self.port, path, body, headers=headers, method=method, timeout=timeout)

    def parse(self, text: str, **more: Any) -> Any:
        answer = self.ask("/api/v1/parse", {"text": text, **more})
        assert answer.status == 200, answer.body
        return answer.json

    def metric(self, name: str) -> float:
        text = self.ask("/metrics").body.decode()
        return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))


def ask(
    port: int,
    path: str,
    body: Any = None,
    *,
    headers: dict[str, str] | None = None,
    method: str | None = None,
    timeout: float = 20,
) -> Answer:
    """A request by itself; a body that is no bytes goes as JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    own = dict(headers or {})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        own = {**JSON, **own}
    try:
        connection.request(method or ("GET" if body is None else "POST"), path, body, own)
        response = connection.getresponse()
        return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
    finally:
        connection.close()


@contextmanager
def running(**settings: Any) -> Iterator[Running]:
    """A service with these settings, for as long as it is needed."""
    made = Settings(**{"port": 0, **settings})
    log = io.StringIO()
    service = Service(made, models(), threads=made.threads or 2, log=Log(True, log))
    with open_socket(made) as opened:
        server = server_of(service)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([opened])), daemon=True)
        thread.start()
        port = opened.getsockname()[1]
        _wait_until(lambda: server.started)
        try:
            yield Running(service, port, log)
        finally:
            server.handle_exit(signal.SIGTERM, None)
            thread.join(20)
            assert not thread.is_alive(), "the service did not stop"


@contextmanager
def command(*flags: str, **environment: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """`arcwise serve` in a process of its own, and its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arcwise", "serve", "--port", "0", "--model", "en-fast", *flags],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SOURCES), **environment},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        assert "http://127.0.0.1:" in line, line
        yield process, int(line.partition("127.0.0.1:")[2].partition("/")[0])
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def _wait_until(holds: Any, seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)


wait_until = _wait_until


def raw(port: int, data: bytes = b"") -> socket.socket:
    """A connection on which anything can be sent."""
    opened = socket.create_connection(("127.0.0.1", port), timeout=20)
    if data:
        opened.sendall(data)
    return opened
