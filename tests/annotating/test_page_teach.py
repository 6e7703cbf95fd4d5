"""The model learns what was checked, and is taken back."""

from __future__ import annotations

from typing import Any

from annotating.page_project import TAUGHT
from annotating.page_steps import expect, head, opened, settled, word


def test_a_corrected_kind_is_right_in_a_new_sentence(page: Any) -> None:
    opened(page, "fresh.conllu")
    assert head(page, 7) == 2
    opened(page, "learn.conllu")
    assert head(page, 7) == 2
    word(page, 7).click()
    word(page, 4).click()
    settled(page, 7, 4)
    page.keyboard.press("c")
    expect(page.locator(".progress-text")).to_have_text(f"{TAUGHT} of {TAUGHT} checked")
    page.get_by_role("button", name="Teach").click()
    page.get_by_role("button", name="Learn from what is checked").click()
    page.locator("progress[aria-label='Progress of learning']").wait_for()
    result = page.get_by_role("region", name="Before and after")
    result.wait_for()
    assert "LAS" in result.inner_text()
    cells = result.locator("tr", has_text="LAS").locator("td").all_inner_texts()
    before, after = float(cells[0]), float(cells[1])
    assert after > before
    expect(result.get_by_role("button", name="The new model is in use")).to_be_visible()
    opened(page, "fresh.conllu")
    settled(page, 7, 4)
    page.get_by_role("button", name="Teach").click()
    page.get_by_role("button", name="Go back to the model before").click()
    expect(page.get_by_role("button", name="The model before is in use")).to_be_visible()
    opened(page, "fresh.conllu")
    settled(page, 7, 2)
