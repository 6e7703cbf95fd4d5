"""The page in a real browser: one server and one Chromium for all tests, a fresh window for each.

Without playwright or Chromium the tests skip themselves. A test fails if the page tells of an error on the
console, or asks anyone but its server.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import arcwise

MODELS = ("en", "en-fast")
TIMEOUT = 30_000
"""Milliseconds that a test waits for something to be seen."""


def chromium() -> str:
    """Where Chromium is; skips the test where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = os.environ.get("ARCWISE_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("there is no Chromium here (apt-get install chromium)")
    return found


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of `arcwise serve` with the English models; `ARCWISE_TEST_SERVER` names one that runs."""
    if running := os.environ.get("ARCWISE_TEST_SERVER"):
        yield running
        return
    pytest.importorskip("starlette", reason="the service needs starlette: pip install 'arcwise[serve]'")
    pytest.importorskip("uvicorn", reason="the service needs uvicorn: pip install 'arcwise[serve]'")
    models = [word for name in MODELS for word in ("--model", name)]
    with served(tmp_path_factory.mktemp("serve") / "log", *models) as address:
        yield address


@contextmanager
def served(log: Path, *flags: str, port: int = 0) -> Iterator[str]:
    """`arcwise serve` with these flags, and its address; what it writes goes to a file."""
    if not port:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
    command = [sys.executable, "-m", "arcwise", "serve", "--port", str(port), *flags]
    sources = str(Path(arcwise.__file__).parents[1])
    path = os.pathsep.join(filter(None, [sources, os.environ.get("PYTHONPATH")]))
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, env={**os.environ, "PYTHONPATH": path}, stdout=output, stderr=subprocess.STDOUT
        )
    address = f"http://127.0.0.1:{port}/"
    try:
        _wait_for(address + "api/v1/models", process, log)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"the server does not answer:\n{log.read_text(errors='replace')}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, without a window."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="tests of the page need playwright: pip install 'arcwise[test-browser]'"
    )
    with api.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--headless=new", "--disable-dev-shm-usage"]
        made = playwright.chromium.launch(executable_path=chromium(), args=arguments)
        yield made
        made.close()


@pytest.fixture
def window() -> dict[str, Any]:
    """Options of the window; tests of phones and dark pages have others."""
    return {"viewport": {"width": 1100, "height": 800}}


@pytest.fixture
def page(browser: Any, server: str, window: dict[str, Any]) -> Iterator[Any]:
    """An empty window, which must end without errors on its console and requests elsewhere."""
    context = browser.new_context(base_url=server, accept_downloads=True, **window)
    context.set_default_timeout(TIMEOUT)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server)
    page = context.new_page()
    page.told = []
    page.on(
        "console", lambda message: message.type in ("error", "warning") and page.told.append(message.text)
    )
    page.on("pageerror", lambda error: page.told.append(str(error)))
    page.on(
        "request",
        lambda request: request.url.startswith((server, "blob:", "data:")) or page.told.append(request.url),
    )
    yield page
    context.close()
    assert page.told == []
