"""A tree is corrected, by mouse and by keys, and the rest follows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from annotating.page_steps import arc, expect, head, heads, on_disk, opened, refused, settled, word


def pull(page: Any, dependent: int, above: int) -> None:
    """Drags a word to another."""
    start, end = word(page, dependent).bounding_box(), word(page, above).bounding_box()
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + 12)
    page.mouse.down()
    page.mouse.move(end["x"], end["y"] - 30, steps=3)
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + 12, steps=3)
    page.mouse.up()


def test_an_arc_is_dragged_and_the_rest_follows_and_is_undone_and_saved(page: Any, folder: Path) -> None:
    opened(page, "correct.conllu")
    before = heads(page)
    assert before[2] == 0
    pull(page, 2, 4)
    settled(page, 2, 4)
    after = heads(page)
    assert sum(after[n] != before[n] for n in before if n != 2) >= 1, "the rest has not followed"
    assert list(after.values()).count(0) == 1
    assert "fixed-head" in arc(page, 2).get_attribute("class")
    assert page.locator("#tree .arc.fixed-head").count() == 1
    expect(page.locator("#live")).to_contain_text(re.compile("saw: .* of man.*followed"))
    page.get_by_role("button", name="Undo").click()
    settled(page, 2, 0)
    assert heads(page) == before
    page.get_by_role("button", name="Redo").click()
    settled(page, 2, 4)
    assert heads(page) == after
    treebank = on_disk(folder / "correct.conllu", lambda read: len(read[0]) and read[0][1].head == 4)
    assert {number: token.head for number, token in enumerate(treebank[0], 1)} == after
    page.reload()
    settled(page, 2, 4)
    assert heads(page) == after
    page.keyboard.press("Control+z")
    settled(page, 2, 0)


def test_two_clicks_make_an_arc_and_the_rest_stays_when_told_so(page: Any) -> None:
    opened(page, "correct.conllu", 2)
    before = heads(page)
    page.keyboard.press("a")
    expect(page.get_by_label("The rest follows each correction")).not_to_be_checked()
    own, above = next(
        (n, m) for n in before for m in before if before[n] not in (0, m) and n != m and before[m] == 0
    )
    target = next(m for m in before if m not in (own, above) and before[m] != own)
    word(page, own).click()
    page.locator("#tree .word.picked").wait_for()
    word(page, target).click()
    settled(page, own, target)
    assert {n: h for n, h in heads(page).items() if n != own} == {n: h for n, h in before.items() if n != own}


def test_a_cycle_is_refused_with_the_reason_and_nothing_is_lost(page: Any) -> None:
    opened(page, "correct.conllu", 3)
    page.keyboard.press("a")
    before = heads(page)
    root = next(n for n in before if before[n] == 0)
    below = next(n for n in before if before[n] == root)
    word(page, root).click()
    word(page, below).click()
    page.locator(".problems .problem").wait_for()
    assert "cannot be above each other" in page.locator(".problems").inner_text()
    assert heads(page) == before
    refused(page)
    page.get_by_role("button", name="Swap them").click()
    settled(page, root, below)
    assert list(heads(page).values()).count(0) == 1
    assert page.locator(".problem").count() == 0


def test_an_arc_is_made_by_keys_alone(page: Any, folder: Path) -> None:
    opened(page, "keys.conllu")
    word(page, 1).focus()
    press = page.keyboard.press
    press("ArrowRight")
    press("Enter")
    page.locator("#tree .word.picked[data-word='2']").wait_for()
    press("ArrowRight")
    press("ArrowRight")
    page.locator("#tree .word.target[data-word='4']").wait_for()
    press("Enter")
    settled(page, 2, 4)
    expect(page.locator("#tree .word:focus")).to_have_attribute("data-word", "2")
    press("Enter")
    press("Escape")
    assert page.locator(".picked").count() == 0
    press("r")
    settled(page, 2, 0)
    press("z")
    settled(page, 2, 4)
    press("y")
    settled(page, 2, 0)
    press("o")
    expect(page.locator("#tree .fixed-head")).to_have_count(0)


def test_tags_and_labels_are_typed_with_proposals(page: Any, folder: Path) -> None:
    opened(page, "keys.conllu", 2)
    word(page, 2).focus()
    page.keyboard.press("l")
    field = page.get_by_role("combobox", name="Label")
    expect(field).to_be_focused()
    page.keyboard.press("ArrowDown")
    first = page.locator(".proposals li:visible").first
    first.wait_for()
    assert "%" in first.inner_text()
    page.keyboard.type("compound")
    expect(page.locator(".proposals li[aria-selected=true] .value")).to_have_text("compound")
    page.keyboard.press("Enter")
    expect(arc(page, 2)).to_have_attribute("data-deprel", "compound")
    expect(page.locator("#tree .word:focus")).to_have_attribute("data-word", "2")
    page.keyboard.press("u")
    page.keyboard.type("VERB")
    page.keyboard.press("Enter")
    page.locator("#tree .word.fixed-upos[data-word='2'] .upos", has_text="VERB").wait_for()
    page.keyboard.press("m")
    page.keyboard.type("olden")
    page.keyboard.press("Enter")
    treebank = on_disk(folder / "keys.conllu", lambda read: read[1][1].lemma == "olden")
    token = treebank[1][1]
    assert (token.deprel, token.upos) == ("compound", "VERB")


def test_words_and_sentences_are_taken_apart_and_put_together(page: Any, folder: Path) -> None:
    opened(page, "structure.conllu", 2)
    dialog = page.get_by_role("dialog")

    def structure(number: int) -> None:
        word(page, number).focus()
        page.keyboard.press("t")
        dialog.wait_for()

    structure(2)
    dialog.get_by_label("Split the word").fill("gon na")
    dialog.get_by_role("button", name="Split", exact=True).click()
    expect(page.locator("#tree .form")).to_have_text(["We", "gon", "na", "win", "."])
    structure(2)
    dialog.get_by_role("button", name="Make it").click()
    page.locator("#tree .bracket", has_text="gonna").wait_for()
    opened(page, "structure.conllu", 1)
    structure(2)
    dialog.get_by_label("Join with “not”").fill("cannot")
    dialog.get_by_role("button", name="Join", exact=True).click()
    expect(page.locator("#tree .form")).to_have_text(["He", "cannot", "go", "."])
    structure(3)
    dialog.get_by_role("button", name="A sentence begins with “go”").click()
    expect(page.locator("#tree .form")).to_have_text(["He", "cannot"])
    expect(page.locator(".place b")).to_have_text("1")
    expect(page.locator(".entry")).to_have_count(4)
    structure(1)
    dialog.get_by_role("button", name="Join with the next sentence").click()
    expect(page.locator("#tree .form")).to_have_text(["He", "cannot", "go", "."])
    expect(page.locator(".entry")).to_have_count(3)
    treebank = on_disk(folder / "structure.conllu", lambda read: len(read) == 3 and len(read[0]) == 4)
    assert [sentence.text for sentence in treebank][:2] == ["He cannot go .", "We gonna win ."]
    assert [token.form for token in treebank[1].multiword_tokens] == ["gonna"]
    opened(page, "structure.conllu", 2)
    structure(3)
    dialog.get_by_role("button", name="Unmake the multiword token").click()
    expect(page.locator("#tree .bracket")).to_have_count(0)


def test_comments_are_edited(page: Any, folder: Path) -> None:
    opened(page, "structure.conllu", 3)
    page.keyboard.press("e")
    field = page.get_by_label("Comments of the sentence")
    field.fill(field.input_value() + "\nseen = twice")
    page.get_by_role("button", name="Save the comments").click()
    on_disk(folder / "structure.conllu", lambda read: "seen = twice" in str(read[-1].comments))


def test_what_is_hostile_in_a_file_is_text(page: Any) -> None:
    opened(page, "hostile.conllu")
    assert page.locator("#tree .form").all_text_contents() == ["<script>alert(1)</script>", '"&lt;']
    assert page.locator(".entry-text").inner_text() == '<script>alert(1)</script> "&lt;'
    word(page, 1).focus()
    page.keyboard.press("m")
    expect(page.get_by_role("combobox", name="Lemma")).to_have_value("<b>x</b>")
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    assert "</textarea><script>" in page.get_by_label("Comments of the sentence").input_value()
    assert page.locator("main script, main b > i, main img").count() == 0


def test_words_that_run_from_right_to_left(page: Any) -> None:
    opened(page, "arabic.conllu")
    assert page.locator("#tree").get_attribute("dir") == "rtl"
    word(page, 1).focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#tree .word:focus")).to_have_attribute("data-word", "2")
    assert head(page, 4) == 2
