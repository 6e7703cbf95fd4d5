"""The list of sentences: only what is seen is drawn, it is searched, and what is checked is marked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotating.page_project import LONG
from annotating.page_steps import expect, on_disk, opened, refused


def test_a_long_list_has_only_what_is_seen(page: Any) -> None:
    opened(page, "long.conllu")
    rows = page.locator(".entry")
    assert 0 < rows.count() < 60
    page.locator(".list").evaluate("list => { list.scrollTop = list.scrollHeight }")
    page.locator(".entry", has_text=f"Number {LONG} sings").wait_for()
    assert rows.count() < 60
    for part in range(25):
        page.locator(".list").evaluate(f"list => {{ list.scrollTop = list.scrollHeight * {part / 25} }}")
    page.locator(".entry", has_text=f"Number {24 * LONG // 25 + 3} sings").wait_for()
    assert page.locator("*").count() < 900
    page.locator(".list").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.locator(".place b", has_text=f"{LONG}").wait_for()
    page.locator("#tree .form", has_text=f"{LONG}").wait_for()


def test_sentences_are_searched(page: Any) -> None:
    opened(page, "look.conllu")
    page.keyboard.press("/")
    search = page.get_by_role("searchbox")
    expect(search).to_be_focused()
    page.keyboard.type("form=ducks")
    expect(page.locator(".entry")).to_have_count(1)
    expect(page.locator("#found")).to_contain_text("1 sentence")
    page.keyboard.press("Enter")
    page.locator("#tree .form", has_text="ducks").wait_for()
    expect(page.locator("#tree .word[tabindex='0'] .form")).to_have_text("ducks")
    search.fill("upos=(")
    expect(search).to_have_attribute("aria-invalid", "true")
    refused(page)
    search.fill("")
    expect(page.locator(".entry")).to_have_count(4)
    expect(search).to_have_attribute("aria-invalid", "false")


def test_orders(page: Any) -> None:
    opened(page, "look.conllu")
    for order in ("suggest", "rarest", "file"):
        page.get_by_label("Order").select_option(order)
        expect(page.locator(".entry")).to_have_count(4)
    page.get_by_label("Order").select_option("suggest")
    page.locator(".entry-note").first.wait_for()
    expect(page.locator(".entry.current .entry-number")).to_have_text("1")  # wherever it stands now
    first = page.locator(".entry[data-index='0']")
    first.click()
    expect(first).to_have_attribute("aria-selected", "true")
    expect(page.locator(".place b")).to_have_text(first.locator(".entry-number").inner_text())


def test_checked_sentences_are_marked_and_counted(page: Any, folder: Path) -> None:
    opened(page, "look.conllu")
    expect(page.locator(".progress-text")).to_have_text("0 of 4 checked")
    page.keyboard.press("c")
    page.locator(".place b", has_text="2").wait_for()
    expect(page.locator(".progress-text")).to_have_text("1 of 4 checked")
    expect(page.locator(".entry").first).to_contain_text("✓")
    assert "# checked = yes" in (folder / "look.conllu").read_text() or on_disk(
        folder / "look.conllu", lambda read: "checked = yes" in str(read[0].comments)
    )
    page.get_by_label("only what is not checked").check()
    expect(page.locator(".entry")).to_have_count(3)
    page.get_by_label("only what is not checked").uncheck()
    expect(page.locator(".entry")).to_have_count(4)
    page.keyboard.press("k")
    page.locator(".place b", has_text="1").wait_for()
    page.get_by_role("button", name="Checked ✓").click()
    expect(page.locator(".progress-text")).to_have_text("0 of 4 checked")


def test_keys_are_told(page: Any) -> None:
    opened(page, "look.conllu")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    assert "pick the word up" in dialog.inner_text()
