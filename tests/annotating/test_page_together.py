"""More than one at work: two tabs, another program, two annotators, a service that goes and comes."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

from annotating.page_project import LEFT, write_project
from annotating.page_steps import expect, on_disk, opened, refused, settled, word
from serving.browser import served


def correct(page: Any, dependent: int, above: int) -> None:
    word(page, dependent).click()
    word(page, above).click()


def test_two_tabs_do_not_overwrite_each_other(page: Any, folder: Path) -> None:
    opened(page, "tabs.conllu")
    other = page.context.new_page()
    opened(other, "tabs.conllu")
    page.bring_to_front()
    correct(page, 5, 2)
    settled(page, 5, 2)
    other.bring_to_front()
    correct(other, 2, 4)
    conflict = other.get_by_role("alertdialog", name="This sentence was changed elsewhere")
    conflict.wait_for()
    assert conflict.locator("svg").count() == 2
    conflict.get_by_role("button", name="Take this one").click()
    settled(other, 5, 2)
    assert other.locator(".conflict").count() == 0
    correct(other, 7, 2)
    settled(other, 7, 2)
    page.bring_to_front()
    correct(page, 2, 4)
    conflict = page.get_by_role("alertdialog", name="This sentence was changed elsewhere")
    conflict.get_by_role("button", name="Keep yours").click()
    settled(page, 2, 4)
    on_disk(folder / "tabs.conllu", lambda read: read[0][1].head == 4)
    other.close()
    refused(page)


def test_a_file_that_another_program_changes_is_shown_in_both_versions(page: Any, folder: Path) -> None:
    opened(page, "outside.conllu")
    correct(page, 1, 5)
    settled(page, 1, 5)
    path = folder / "outside.conllu"
    on_disk(path, lambda read: read[0][0].head == 5)
    changed = path.read_text(encoding="utf-8").replace("Dogs", "Cats")
    path.write_text(changed, encoding="utf-8", newline="\n")
    correct(page, 1, 3)
    conflict = page.get_by_role("alertdialog", name="The file was changed by another program")
    conflict.wait_for()
    expect(conflict).to_contain_text("Dogs")
    expect(conflict).to_contain_text("Cats")
    conflict.get_by_role("button", name="Put both together").click()
    expect(page.locator(".conflict")).to_have_count(0)
    page.locator(".entry", has_text="Cats").wait_for()
    settled(page, 1, 3)  # what was refused is made then
    refused(page)
    on_disk(path, lambda read: read[0][0].head == 3 and read[2][0].form == "Cats")


def test_nothing_is_lost_while_the_service_is_gone(page: Any, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    write_project(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    flags = ("--project", str(folder), "--model", "en-fast")
    address = f"http://127.0.0.1:{port}/"
    with served(tmp_path / "log", *flags, port=port):
        opened(page, "gone.conllu", server=address)
    correct(page, 2, 4)
    expect(page.locator(".banner")).to_contain_text("Your changes are kept")
    with served(tmp_path / "log", *flags, port=port):
        settled(page, 2, 4)
        expect(page.locator(".banner")).to_contain_text("The service is back")
        on_disk(folder / "gone.conllu", lambda read: read[0][1].head == 4)
    page.told.clear()


def test_a_change_that_was_not_answered_is_made_after_a_reload(page: Any, folder: Path) -> None:
    opened(page, "gone.conllu")
    page.route("**/project/edit", lambda route: route.abort())
    correct(page, 2, 4)
    expect(page.locator(".banner")).to_contain_text("Your changes are kept")
    page.on("dialog", lambda dialog: dialog.accept())
    page.unroute("**/project/edit")
    page.reload()
    settled(page, 2, 4)
    on_disk(folder / "gone.conllu", lambda read: read[0][1].head == 4)
    page.told.clear()


def test_differences_are_walked_through_and_taken(page: Any, folder: Path) -> None:
    page.goto("/#annotate?file=left.conllu&mode=differences")
    page.get_by_label("Right", exact=True).select_option("right.conllu")
    figures = page.locator(".figures")
    expect(figures).to_contain_text("LAS")
    place = page.locator(".difference-place")
    expect(place).to_contain_text("1 of 2")
    expect(place).to_contain_text("Dogs")
    assert page.locator(".difference svg").count() == 2
    page.get_by_label("Decided into").fill("gold.conllu")
    page.keyboard.press("Tab")
    page.keyboard.press("n")
    expect(place).to_contain_text("books")
    page.keyboard.press("p")
    expect(place).to_contain_text("Dogs")
    page.keyboard.press("2")
    expect(place).to_contain_text("books")
    page.get_by_role("button", name="Take this (1)").click()
    expect(place).to_contain_text("Dogs")
    expect(page.locator(".version.taken")).to_have_count(1)
    gold = on_disk(
        folder / "gold.conllu", lambda read: read[0][0].upos == "PROPN" and read[1][2].deprel == "obj"
    )
    assert len(gold) == 2
    assert (folder / "left.conllu").read_text(encoding="utf-8") == LEFT
