"""No violation that axe-core finds, in any view, light and dark, on phones and wide screens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from serving.test_page_parse import ARABIC, UNSURE, drop, field, opened, word

PHONE = {"width": 360, "height": 740}


def check(page: Any, where: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="tests of accessibility need axe-playwright-python: pip install 'arcwise[test-browser]'",
    )
    results = axe.Axe().run(page)
    assert results.violations_count == 0, f"{where}: {results.generate_report()}"


def check_themes(page: Any, state: Callable[[Any], None]) -> None:
    """Checks what a function shows, light and dark."""
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    state(page)
    check(page, f"{state.__name__}, light")
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    check(page, f"{state.__name__}, dark")


def empty(page: Any) -> None:
    page.goto("/")
    field(page).wait_for()


def trees(page: Any) -> None:
    opened(page, UNSURE)
    page.get_by_role("button", name="Other trees").click()
    page.locator(".nbest-tree").first.wait_for()
    word(page, 7).focus()
    page.locator(".popover tbody tr").first.wait_for()


def table(page: Any) -> None:
    opened(page, UNSURE)
    page.get_by_role("button", name="Table").click()
    page.locator("table.conllu").wait_for()


def file(page: Any) -> None:
    empty(page)
    drop(page, "arabic.conllu", ARABIC)
    page.locator("svg.tree").wait_for()


def keys(page: Any) -> None:
    empty(page)
    page.get_by_role("button", name="Keys").click()


def derivation(page: Any) -> None:
    page.goto("/#derivation?text=She+saw+him.")
    page.locator("main :is(button, textarea, input)").first.wait_for()
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize(
    "state", [empty, trees, table, file, keys, derivation], ids=lambda state: state.__name__
)
def test_no_violation(page: Any, state: Callable[[Any], None]) -> None:
    check_themes(page, state)


@pytest.mark.parametrize("state", [trees, derivation], ids=lambda state: state.__name__)
def test_no_violation_on_a_phone(page: Any, state: Callable[[Any], None]) -> None:
    page.set_viewport_size(PHONE)
    page.emulate_media(reduced_motion="reduce")
    state(page)
    check(page, f"{state.__name__}, phone")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
