"""A file as a whole: what cannot be read, is downloaded, is taken back; and what is shown beside trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotating.page_project import BROKEN, LEFT
from annotating.page_steps import arc, expect, heads, on_disk, opened, settled, word


def correct(page: Any, dependent: int, above: int) -> None:
    word(page, dependent).click()
    word(page, above).click()


def test_a_sentence_that_cannot_be_read_is_mended_as_text(page: Any, folder: Path) -> None:
    page.goto("/#annotate?file=broken.conllu&sentence=3")
    lines = page.get_by_label("The lines of the sentence")
    lines.wait_for()
    assert "nsubj" in lines.input_value()
    assert page.locator(".raw-box p").inner_text()
    lines.fill(BROKEN.replace("nsubj\n", "dog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n"))
    page.get_by_role("button", name="Put this in its place").click()
    settled(page, 1, 2)
    assert len(on_disk(folder / "broken.conllu", lambda read: len(read) == 3)) == 3


def test_a_file_is_downloaded_and_closed_to_its_first_state(page: Any, folder: Path) -> None:
    opened(page, "close.conllu", 2)
    assert not page.get_by_label("The rest follows each correction").is_checked()
    before = heads(page)
    correct(page, 1, 3)
    settled(page, 1, 3)
    assert {n: h for n, h in heads(page).items() if n != 1} == {n: h for n, h in before.items() if n != 1}
    on_disk(folder / "close.conllu", lambda read: read[1][0].head == 3)
    page.locator(".file-menu summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download without marks").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert "Fixed" not in text
    assert "1\tShe\tshe\tPRON\t_\t_\t3" in text
    page.locator(".file-menu summary").click()
    page.get_by_role("button", name="Close: as it was at first…").click()
    page.get_by_role("button", name="Take all back").click()
    page.locator(".place b", has_text="1").wait_for()
    page.locator("#tree .form", has_text="Dogs").wait_for()
    assert (folder / "close.conllu").read_text(encoding="utf-8") == LEFT


def test_arcs_that_cross_are_drawn_and_a_click_on_one_opens_its_label(page: Any) -> None:
    opened(page, "look.conllu", 4)
    page.keyboard.press("a")
    expect(page.locator("#tree .form")).to_have_text(["Dogs", "bark", "at", "night", "."])
    before = heads(page)
    assert before[2] == 0
    correct(page, 3, 5)  # crosses what leads from the verb to “night”, which stands between
    settled(page, 3, 5)
    correct(page, 1, 4)
    settled(page, 1, 4)
    assert list(heads(page).values()).count(0) == 1
    arc(page, 1).locator(".label").click()
    expect(page.get_by_role("combobox", name="Label")).to_be_focused()
    page.keyboard.type("dep")
    page.keyboard.press("Enter")
    expect(arc(page, 1)).to_have_attribute("data-deprel", "dep")


def test_doubts_are_marked_and_walked_through(page: Any) -> None:
    opened(page, "fresh.conllu", 2)
    doubts = page.locator("#tree .word.doubted")
    if doubts.count():
        page.keyboard.press("n")
        expect(page.locator("#tree .word.doubted:focus")).to_have_count(1)
        assert page.locator(".doubts").first.inner_text() == f"? {doubts.count()} unsure"
    else:
        page.keyboard.press("n")
        expect(page.locator("#live")).to_contain_text("The model is sure of all arcs")


def test_what_the_grammar_forbids_stands_beside_the_tree(page: Any) -> None:
    opened(page, "fresh.conllu")
    page.route(
        "**/project/edit",
        lambda route: route.fulfill(json=_with_problem(route.fetch().json())),
    )
    correct(page, 7, 4)
    grammar = page.get_by_role("region", name="Grammar")
    expect(grammar).to_contain_text("no NOUN is <b>det</b>: 4")
    assert "has-problem" in word(page, 4).get_attribute("class")
    grammar.get_by_role("button").click()
    expect(page.locator("#tree .word:focus")).to_have_attribute("data-word", "4")
    page.unroute("**/project/edit")
    page.keyboard.press("z")
    settled(page, 7, 2)


def _with_problem(answer: Any) -> Any:
    answer["sentences"][0]["problems"] = [
        {"words": [4], "rule": "no NOUN is det", "message": "no NOUN is <b>det</b>: 4"}
    ]
    return answer
