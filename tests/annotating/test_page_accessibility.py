"""No violation that axe-core finds in the view that annotates, light and dark, on phones and wide screens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotating.page_steps import expect, opened, refused, settled, word
from serving.test_accessibility import PHONE, check, check_themes


def tree(page: Any) -> None:
    opened(page, "look.conllu")
    word(page, 2).click()
    word(page, 4).click()
    settled(page, 2, 4)
    word(page, 5).click()
    page.locator(".picked").wait_for()


def proposals(page: Any) -> None:
    opened(page, "look.conllu", 2)
    word(page, 2).focus()
    page.keyboard.press("l")
    page.keyboard.press("ArrowDown")
    page.locator(".proposals li:visible").first.wait_for()
    page.keyboard.press("ArrowDown")


def structure(page: Any) -> None:
    opened(page, "look.conllu", 2)
    word(page, 2).focus()
    page.keyboard.press("t")
    page.get_by_role("dialog").wait_for()


def conflict(page: Any) -> None:
    opened(page, "look.conllu", 3)
    page.evaluate("""() => {
      const send = window.fetch;
      const older = (body) => body.replace(/"version":"[^"]*"/, '"version":"0123456789"');
      window.fetch = (url, options) => send(url, url.endsWith("/edit")
        ? { ...options, body: older(options.body) } : options);
    }""")
    word(page, 1).click()
    word(page, 4).click()
    page.get_by_role("alertdialog").wait_for()
    refused(page)


def differences(page: Any) -> None:
    opened(page, "left.conllu")
    page.get_by_role("button", name="Two annotators").click()
    page.get_by_label("Right", exact=True).select_option("right.conllu")
    page.locator(".difference svg").first.wait_for()


def teach(page: Any) -> None:
    opened(page, "look.conllu")
    page.get_by_role("button", name="Teach").click()
    expect(page.get_by_role("button", name="Learn from what is checked")).to_be_enabled()


STATES = [tree, proposals, structure, conflict, differences, teach]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_no_violation(page: Any, state: Callable[[Any], None]) -> None:
    check_themes(page, state)
    page.set_viewport_size(PHONE)
    check(page, f"{state.__name__}, phone")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
