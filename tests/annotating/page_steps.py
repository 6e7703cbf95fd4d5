"""What tests of the page do, and what they wait for."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from arcwise import Treebank
from serving.browser import TIMEOUT

expect = pytest.importorskip(
    "playwright.sync_api", reason="needs playwright: pip install 'arcwise[test-browser]'"
).expect
expect.set_options(timeout=TIMEOUT)


def opened(page: Any, file: str, sentence: int = 1, server: str = "/") -> Any:
    page.goto("about:blank")
    page.goto(f"{server}#annotate?file={file}&sentence={sentence}")
    page.locator("#tree svg").wait_for()
    return page


def word(page: Any, number: int) -> Any:
    return page.locator(f"#tree .word[data-word='{number}']")


def arc(page: Any, number: int) -> Any:
    return page.locator(f"#tree .arc[data-word='{number}']").first


def head(page: Any, number: int) -> int:
    return int(arc(page, number).get_attribute("data-head"))


def heads(page: Any) -> dict[int, int]:
    """The head of each word, as it is drawn."""
    pairs = page.evaluate(
        "[...document.querySelectorAll('#tree .arc')].map((arc) => [arc.dataset.word, arc.dataset.head])"
    )
    return {int(own): int(above) for own, above in pairs}


def settled(page: Any, number: int, above: int) -> None:
    """Waits until a word has a head."""
    page.locator(f"#tree .arc[data-word='{number}'][data-head='{above}']").first.wait_for()


def on_disk(path: Path, holds: Any, seconds: float = 10) -> Treebank:
    """The file, once something holds of it: it is written soon after a change."""
    end = time.monotonic() + seconds
    while True:
        if path.exists() and holds(treebank := Treebank.read(path)):
            return treebank
        assert time.monotonic() < end, path.read_text(encoding="utf-8")
        time.sleep(0.02)


def refused(page: Any) -> None:
    """Browsers tell of refused requests on their console: that is as it should be."""
    assert all("status of 4" in told for told in page.told), page.told
    page.told.clear()
