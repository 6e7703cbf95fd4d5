"""The view that parses, in a real browser: by mouse and by keys."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from arcwise import Treebank
from arcwise.pages import stacked
from arcwise.picture import picture
from arcwise.svg import svg
from serving.browser import TIMEOUT

expect = pytest.importorskip(
    "playwright.sync_api", reason="needs playwright: pip install 'arcwise[test-browser]'"
).expect
expect.set_options(timeout=TIMEOUT)

TEXT = "She saw the man with the telescope. Time flies like an arrow."
UNSURE = "I saw the man with the telescope in the park with my old friend yesterday."
GERMAN = """\
# text = Zum Glück <&> "ja"
1-2\tZum\t_\t_\t_\t_\t_\t_\t_\t_
1\tzu\tzu\tADP\t_\t_\t3\tcase\t_\t_
2\tdem\tder\tDET\t_\t_\t3\tdet\t_\t_
3\tGlück\tGlück\tNOUN\t_\t_\t0\troot\t_\t_
4\t<&>\t_\tSYM\t_\t_\t5\tpunct\t_\t_
5\t"ja"\tja\tINTJ\t_\t_\t3\tdiscourse\t_\t_

"""
HEBREW = "1\tשלום\tשלום\tINTJ\t_\t_\t0\troot\t_\t_\n2\tעולם\tעולם\tNOUN\t_\t_\t1\tvocative\t_\t_\n\n"
ARABIC = """\
# text = وكتبها الولد
1-3\tوكتبها\t_\t_\t_\t_\t_\t_\t_\t_
1\tو\tو\tCCONJ\t_\t_\t2\tcc\t_\t_
2\tكتب\tكتب\tVERB\t_\t_\t0\troot\t_\tHeadProb=0.9|DeprelProb=0.9
3\tها\tهو\tPRON\t_\t_\t2\tobj\t_\tHeadProb=0.5|DeprelProb=0.4
4\tالولد\tولد\tNOUN\t_\t_\t2\tnsubj\t_\t_

"""
LONG = (
    "".join(f"{i}\tword{i}\t_\tNOUN\t_\t_\t{max(0, i - 1 - i % 3)}\tdep\t_\t_\n" for i in range(1, 50)) + "\n"
)
CROSSING = """\
1\ta\t_\tX\t_\t_\t3\tone\t_\t_
2\tb\t_\tX\t_\t_\t0\troot\t_\t_
3\tc\t_\tX\t_\t_\t2\tthree\t_\t_
4\td\t_\tX\t_\t_\t1\tfour\t_\t_

"""


def field(page: Any) -> Any:
    return page.get_by_role("textbox", name="Text", exact=True)


def opened(page: Any, text: str = TEXT) -> Any:
    page.goto("/")
    field(page).fill(text)
    page.locator("svg.tree").first.wait_for()
    return page


def drop(page: Any, name: str, content: str) -> None:
    """Drops a file on the page, once it listens."""
    page.locator("#model option").first.wait_for(state="attached")
    transfer = page.evaluate_handle(
        "([name, content]) => { const t = new DataTransfer();"
        " t.items.add(new File([content], name)); return t; }",
        [name, content],
    )
    page.dispatch_event("main", "dragover", {"dataTransfer": transfer})
    page.dispatch_event("main", "drop", {"dataTransfer": transfer})


def word(page: Any, number: int, tree: int = 0) -> Any:
    return page.locator("li.sentence").nth(tree).locator(f"> .tree-box .word[data-word='{number}']")


def counting(page: Any) -> list[str]:
    """The paths of calls from now on."""
    calls: list[str] = []
    page.on("request", lambda request: "/api/" in request.url and calls.append(request.url.split("/v1/")[1]))
    return calls


# Text in, trees out


def test_a_text_is_parsed_as_it_is_typed(page: Any) -> None:
    page.goto("/")
    field(page).press_sequentially("She sings. He", delay=5)
    expect(page.locator("li.sentence svg")).to_have_count(2)
    assert page.locator("li.sentence .form").all_text_contents() == ["She", "sings", ".", "He"]
    assert "nsubj" in page.locator("li.sentence").first.locator(".label").all_text_contents()
    assert page.locator("#status").text_content().startswith("2 sentences, 4 words")
    expect(page.locator("#live")).to_contain_text("Parsed: 2 sentences, 4 words")


def test_only_what_changed_is_drawn_anew(page: Any) -> None:
    opened(page, "She sings.\n\nHe sleeps.\n\nTime flies.")
    expect(page.locator("li.sentence svg")).to_have_count(3)
    page.evaluate(
        "document.querySelectorAll('li.sentence svg').forEach((svg, i) => { svg.dataset.old = i; })"
    )
    bodies: list[Any] = []
    page.on("request", lambda request: request.post_data and bodies.append(json.loads(request.post_data)))
    field(page).fill("She sings.\n\nHe never sleeps.\n\nTime flies.")
    expect(page.locator("#status")).to_contain_text("3 sentences, 10 words")
    kept = page.eval_on_selector_all(
        "li.sentence svg", "trees => trees.map(tree => tree.dataset.old ?? 'new')"
    )
    assert kept == ["0", "new", "2"]
    assert [body["text"] for body in bodies] == ["He never sleeps.\n\n"]


def test_an_example_can_be_tried(page: Any) -> None:
    page.goto("/")
    page.get_by_role("button", name="She saw the man").click()
    page.locator("svg.tree").wait_for()
    assert not page.locator(".examples").is_visible()


def test_text_is_never_markup(page: Any) -> None:
    markup = page.locator("main img, main script, [onerror], [onload]")
    page.on("dialog", lambda dialog: page.told.append("a dialog"))
    hostile = (
        "<img src=x onerror=alert(1)> sings.",
        "</script><script>alert(1)</script>",
        '"><svg onload=alert(1)>',
    )
    opened(page, "\n\n".join(hostile))
    expect(page.locator("#status")).to_contain_text("sentence")
    assert markup.count() == 0
    page.get_by_role("button", name="Table").click()
    page.locator("table.conllu").first.wait_for()
    assert markup.count() == 0
    drop(page, "<img src=x onerror=alert(1)>.conllu", GERMAN.replace("Glück", "<img/src=x/onerror=alert(1)>"))
    page.locator(".file-name").wait_for()
    page.get_by_role("cell", name="<img/src=x/onerror=alert(1)>").first.wait_for()
    assert markup.count() == 0


# How sure the parser is


def test_the_threshold_marks_arcs_without_a_request(page: Any) -> None:
    opened(page, UNSURE)
    calls = counting(page)
    probs = [float(p) for p in page.eval_on_selector_all(".arc", "arcs => arcs.map(arc => arc.dataset.prob)")]
    for percent in (0, 60, 95, 100):
        page.locator("#threshold").evaluate(
            "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }", percent
        )
        below = [prob for prob in probs if prob < percent / 100]
        assert page.locator(".arc.unsure").count() == len(below)
        assert page.locator(".arc .label", has_text=re.compile(r"^\? ")).count() == len(below)
    assert calls == []
    assert (
        len(
            {
                page.locator(".arc .line").nth(i).evaluate("l => getComputedStyle(l).strokeWidth")
                for i in range(8)
            }
        )
        > 1
    )


def test_the_threshold_moves_by_keys(page: Any) -> None:
    opened(page)
    page.locator("#threshold").focus()
    page.keyboard.press("ArrowLeft")
    assert page.locator("output").text_content() == "79 %"


def test_other_heads_are_shown_on_hover(page: Any) -> None:
    opened(page, UNSURE)
    calls = counting(page)
    word(page, 7).hover()
    rows = page.locator(".popover tbody tr")
    rows.nth(1).wait_for()
    assert rows.first.locator("td").all_text_contents()[:2] in (["saw", "obl"], ["man", "nmod"])
    assert page.locator(".ghost").count() >= 1
    word(page, 2).hover()
    page.locator(".popover-title", has_text="saw").wait_for()
    assert calls == ["marginals"]
    page.mouse.move(2, 2)
    page.locator(".popover").wait_for(state="hidden")


def test_words_and_arcs_are_walked_by_keys(page: Any) -> None:
    opened(page, "The old gardener waters his roses.")
    word(page, 1).focus()
    focused = "document.activeElement.dataset.word"
    for key, number in [
        ("ArrowRight", "2"), ("ArrowUp", "3"), ("ArrowUp", "4"), ("ArrowDown", "3"), ("ArrowDown", "1"),
        ("]", "2"), ("[", "1"), ("End", "7"), ("ArrowLeft", "6"), ("Home", "1"), ("ArrowLeft", "1"),
    ]:  # fmt: skip
        page.keyboard.press(key)
        assert page.evaluate(focused) == number, key
    page.locator(".popover tbody tr").first.wait_for()
    assert page.locator(".word.current").get_attribute("aria-label").startswith("The, DET, det of gardener")
    page.keyboard.press("Escape")
    assert page.locator(".popover").is_hidden()
    page.keyboard.press("Enter")
    page.locator(".popover tbody tr").first.wait_for()


def test_doubtful_words_are_found_by_a_key(page: Any) -> None:
    opened(page, UNSURE)
    page.locator("#threshold").evaluate("s => { s.value = 99; s.dispatchEvent(new Event('input')); }")
    doubted = page.eval_on_selector_all(".word.doubted", "words => words.map(word => word.dataset.word)")
    assert len(doubted) > 1
    word(page, 1).focus()
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.dataset.word") in doubted


def test_the_best_trees_stand_side_by_side(page: Any) -> None:
    opened(page, UNSURE)
    page.get_by_role("button", name="Other trees").click()
    trees = page.locator(".nbest-tree")
    trees.nth(4).wait_for()
    told = page.locator(".nbest-prob").all_text_contents()
    percents = [float(text.removeprefix("< ").split()[0]) for text in told]
    assert percents == sorted(percents, reverse=True) and percents[0] > 1
    boxes = [trees.nth(i).bounding_box() for i in (0, 1)]
    assert boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] < boxes[1]["x"]
    assert trees.nth(0).locator(".differs").count() == 0 and trees.nth(1).locator(".differs").count() >= 1
    page.get_by_role("button", name="Other trees").click()
    assert trees.count() == 0


# Choices


def test_model_search_and_columns_can_be_chosen(page: Any) -> None:
    opened(page)
    bodies: list[Any] = []
    page.on("request", lambda r: r.url.endswith("parse") and bodies.append(json.loads(r.post_data)))
    with page.expect_response("**/api/v1/parse"):
        page.get_by_label("Model").select_option("en-fast")
    with page.expect_response("**/api/v1/parse"):
        page.get_by_label("Search").select_option("Beam of 8")
    assert [(body["model"], body["beam"]) for body in bodies] == [("en-fast", 1), ("en-fast", 8)]
    page.get_by_label("Lemma").check()
    page.locator(".below", has_text=re.compile("^see$")).wait_for()
    page.get_by_label("UPOS").uncheck()
    expect(page.locator(".below", has_text="VERB")).to_have_count(0)
    page.get_by_label("Probabilities").check()
    page.locator(".label", has_text=re.compile(r"nsubj [01]\.\d\d$")).first.wait_for()


def test_the_table_has_the_columns_of_conllu(page: Any) -> None:
    opened(page, "They didn't see it.")
    page.keyboard.press("Tab")
    page.locator("body").click(position={"x": 3, "y": 400})
    page.keyboard.press("t")
    page.locator("table.conllu").wait_for()
    heads = page.get_by_role("columnheader").all_text_contents()
    assert heads[:10] == ["ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"]
    ids = page.locator("tbody th").all_text_contents()
    assert ids == ["1", "2-3", "2", "3", "4", "5", "6"]
    assert page.locator("tbody tr").nth(2).locator("td").all_text_contents()[:3] == ["did", "do", "AUX"]


# Files and links


def downloaded(page: Any, kind: str) -> tuple[str, str]:
    """The name and the content of a file."""
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Download {kind}").click()
    return download.value.suggested_filename, Path(download.value.path()).read_text("utf-8")


def test_trees_can_be_downloaded(page: Any) -> None:
    opened(page, "She sings.\n\nHe sleeps.")
    expect(page.locator("#status")).to_contain_text("2 sentences")
    name, content = downloaded(page, "CoNLL-U")
    treebank = Treebank.from_string(content)
    assert name == "parsed.conllu" and [sentence.id for sentence in treebank] == ["1", "2"]
    assert treebank[1][1].deprel == "root" and treebank[1][1].deprel_prob is not None
    name, content = downloaded(page, "JSON")
    sentences = json.loads(content)["sentences"]
    assert name == "parsed.json" and [sentence["text"] for sentence in sentences] == [
        "She sings.",
        "He sleeps.",
    ]
    assert sentences[1]["tokens"][0]["start"] == 12
    name, content = downloaded(page, "SVG")
    assert name == "parsed.svg" and content.startswith("<svg ") and content.count("<title>") == 2


def test_a_dropped_file_is_shown_with_its_own_trees_or_parsed(page: Any) -> None:
    opened(page, "Typed before.")
    drop(page, "german.conllu", GERMAN + CROSSING)
    page.locator(".label", has_text="discourse").wait_for()
    assert page.locator(".file-name").text_content() == "german.conllu 2 sentences in CoNLL-U"
    assert page.locator(".bracket").text_content() == "Zum"
    assert downloaded(page, "CoNLL-U") == ("german.conllu", GERMAN + CROSSING)
    pictures = [svg(sentence) for sentence in Treebank.from_string(GERMAN + CROSSING)]
    assert downloaded(page, "SVG") == ("german.svg", stacked(pictures))
    with page.expect_response("**/api/v1/parse"):
        page.get_by_label("parsed by the model").check()
    page.locator(".arc[data-prob]").first.wait_for()
    assert page.locator(".form").all_text_contents()[:3] == ["zu", "dem", "Glück"]
    page.get_by_role("button", name="Close the file").click()
    page.locator(".form", has_text="Typed").wait_for()
    assert field(page).input_value() == "Typed before."


def test_a_text_file_is_opened_and_what_was_there_can_come_back(page: Any) -> None:
    opened(page, "Typed before.")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open a file…").click()
    chooser.value.set_files(
        {"name": "letter.txt", "mimeType": "text/plain", "buffer": b"Dear Anna, come soon."}
    )
    page.locator(".form", has_text="Anna").wait_for()
    page.get_by_role("button", name="Put back what was there").click()
    page.locator(".form", has_text="Typed").wait_for()


def test_files_that_are_no_text_are_refused_in_a_sentence(page: Any) -> None:
    opened(page, "Typed before.")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open a file…").click()
    chooser.value.set_files({"name": "x.bin", "mimeType": "text/plain", "buffer": b"\xff\xfe\x00"})
    page.get_by_text("x.bin is not a text in UTF-8.").wait_for()
    assert page.locator(".form").first.text_content() == "Typed"


def test_a_link_holds_text_and_settings(page: Any, browser: Any) -> None:
    text = "Zażółć “gęślą” & <jaźń> 🌹?\n\nShe sings."
    opened(page, text)
    page.get_by_label("Lemma").check()
    page.get_by_label("Search").select_option("Beam of 4")
    page.locator("#threshold").evaluate("s => { s.value = 55; s.dispatchEvent(new Event('input')); }")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("The link is copied.").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    asked: list[str] = []
    other = browser.new_context().new_page()
    other.on("request", lambda request: asked.append(request.url))
    other.goto(link)
    other.locator(".form", has_text="sings").wait_for()
    assert field(other).input_value() == text
    assert other.get_by_label("Search").input_value() == "4" and other.get_by_label("Lemma").is_checked()
    assert other.locator("output").text_content() == "55 %"
    assert not any("?" in url.split("#")[0] for url in asked)
    # What is typed now is no longer what the link says.
    field(other).press_sequentially(" Go.")
    assert other.evaluate("location.hash") == "#parse"
    other.context.close()


def test_a_damaged_link_and_one_that_would_be_too_long_are_told(page: Any) -> None:
    page.goto("/#parse?d=AAAA")
    page.get_by_text("This link is damaged").wait_for()
    noise = " ".join(f"{i * 7919 % 10_007:x}{i * 104_729 % 1_000_003:x}" for i in range(9000))
    field(page).evaluate("(area, text) => { area.value = text; }", noise)
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("This text is too long for a link").wait_for()


def test_a_reload_loses_nothing(page: Any) -> None:
    opened(page, "She sings.")
    page.get_by_label("Lemma").check()
    page.reload()
    page.locator(".below", has_text="sing").first.wait_for()
    assert field(page).input_value() == "She sings."


# Errors


def test_errors_are_sentences_and_the_trees_stay(page: Any) -> None:
    opened(page, "She sings.")
    refuse = {
        "status": 503,
        "headers": {"Retry-After": "60"},
        "json": {"error": "The service is busy: wait."},
    }
    page.route("**/api/v1/parse", lambda route: route.fulfill(**refuse))
    field(page).fill("She sings well.")
    page.get_by_role("alert").get_by_text("The service is busy: wait. Trying again in 60 s.").wait_for()
    assert page.locator(".form").all_text_contents() == ["She", "sings", "."]
    page.unroute("**/api/v1/parse")
    page.get_by_role("button", name="Try again").click()
    page.locator(".form", has_text="well").wait_for()
    page.locator(".problem").wait_for(state="detached")
    page.route("**/api/v1/parse", lambda route: route.abort())
    field(page).fill("She sings very well.")
    page.get_by_text("The service does not answer.").wait_for()
    assert field(page).input_value() == "She sings very well."
    assert len(page.told) == 2 and all("Failed to load resource" in text for text in page.told)
    page.told.clear()


def test_a_slow_answer_does_not_overtake_a_later_one(page: Any) -> None:
    opened(page, "One.")
    held: list[Any] = []
    page.route("**/api/v1/parse", lambda route: held.append(route) if not held else route.continue_())
    field(page).fill("Two.")
    page.wait_for_event("request", lambda request: request.url.endswith("parse"))
    field(page).fill("Three.")
    page.locator(".form", has_text="Three").wait_for()
    assert page.locator(".form").all_text_contents() == ["Three", "."]


def test_the_token_is_asked_for(page: Any) -> None:
    def guarded(route: Any) -> None:
        if route.request.headers.get("authorization") == "Bearer secret":
            route.continue_(headers={k: v for k, v in route.request.headers.items() if k != "authorization"})
        else:
            route.fulfill(status=401, json={"error": "The service wants its token."})

    page.route("**/api/v1/**", guarded)
    page.goto("/")
    page.get_by_label("The token that").fill("secret")
    page.get_by_role("button", name="Go on").click()
    field(page).fill("She sings.")
    page.locator("svg.tree").wait_for()
    assert all("401" in text for text in page.told)
    page.told.clear()


# The drawing

_SHAPES = """svg => ({
  size: [svg.getAttribute("width"), svg.getAttribute("height")].map(Number),
  arcs: [...svg.querySelectorAll(".arc")].map(arc => [
    arc.dataset.word, arc.dataset.head, arc.querySelector(".line").getAttribute("d"),
    arc.querySelector(".arrow")?.getAttribute("d") ?? null,
    ...["x", "y"].map(name => Number(arc.querySelector(".label").getAttribute(name))),
    arc.querySelector(".label").textContent]),
  texts: [...svg.querySelectorAll(".word text, .bracket text")].map(text => [
    text.textContent, Number(text.getAttribute("x")), Number(text.getAttribute("y"))]).sort(),
  brackets: [...svg.querySelectorAll(".bracket path")].map(path => path.getAttribute("d")),
})"""


def shapes(made: dict[str, Any]) -> dict[str, Any]:
    rows = made["rows"]
    lists = [texts for row in rows for texts in (row["words"], *row["below"], row["brackets"])]
    return {
        "size": [made["width"], made["height"]],
        "arcs": [
            [str(a["word"]), str(a["head"]), a["path"], a.get("arrow"), a["x"], a["y"], a["label"]]
            for row in rows
            for a in row["arcs"]
        ],
        "texts": sorted([text["text"], text["x"], text["y"]] for texts in lists for text in texts),
        "brackets": [bracket["path"] for row in rows for bracket in row["brackets"]],
    }


def test_the_page_draws_what_python_lays_out(page: Any) -> None:
    """Multiword tokens, scripts from right to left, several rows, arcs that cross."""
    page.set_viewport_size({"width": 700, "height": 1600})
    page.goto("/")
    field(page).wait_for()
    treebank = Treebank.from_string(GERMAN + HEBREW + ARABIC + LONG + CROSSING)
    with page.expect_request("**/api/v1/draw") as asked:
        drop(page, "trees.conllu", treebank.to_string())
    expect(page.locator("svg.tree")).to_have_count(len(treebank))
    page.locator("#threshold").evaluate("s => { s.value = 0; s.dispatchEvent(new Event('input')); }")
    width = json.loads(asked.value.post_data)["drawing"]["width"]
    assert 500 < width < 700
    for index, sentence in enumerate(treebank):
        laid_out = shapes(picture(sentence, width=width, probabilities=False, room_for_marks=True).to_json())
        drawn = page.locator("svg.tree").nth(index).evaluate(_SHAPES)
        assert sorted(drawn.pop("texts")) == laid_out.pop("texts")
        assert drawn == laid_out


def test_a_tree_that_runs_to_the_left_is_walked_so(page: Any) -> None:
    page.goto("/")
    drop(page, "arabic.conllu", ARABIC)
    page.locator("svg.tree").wait_for()
    first, second = (word(page, number).bounding_box()["x"] for number in (1, 2))
    assert first > second
    assert page.locator(".tree-box").get_attribute("dir") == "rtl"
    assert page.locator(".arc.unsure").get_attribute("data-word") == "3"
    word(page, 1).focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.word") == "2"


def test_trees_fit_the_window_and_follow_it(page: Any) -> None:
    opened(page, UNSURE)
    box = page.locator(".tree-box")
    heights: list[str] = []
    for width in (1100, 700, 360):
        page.set_viewport_size({"width": width, "height": 800})
        expect(page.locator("svg.tree")).not_to_have_attribute("height", heights[-1] if heights else "")
        heights.append(page.locator("svg.tree").get_attribute("height"))
        assert box.evaluate("box => box.scrollWidth - box.clientWidth") <= 16  # of a long label
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert float(heights[0]) < float(heights[1]) < float(heights[2])


def test_of_a_long_text_only_what_is_seen_is_drawn(page: Any) -> None:
    page.goto("/")
    text = "\n\n".join(f"The gardener number {i} waters the roses." for i in range(400))
    field(page).evaluate(
        "(area, text) => { area.value = text; area.dispatchEvent(new Event('input')); }", text
    )
    expect(page.locator("#status")).to_contain_text("400 sentences")
    page.locator("svg.tree").first.wait_for()
    assert page.locator("li.sentence").count() == 400
    assert page.locator("svg.tree").count() < 40
    page.locator("li.sentence").nth(399).scroll_into_view_if_needed()
    page.locator("li.sentence").nth(399).locator("svg").wait_for()
    assert page.locator("svg.tree").count() < 60
    assert page.locator("li.sentence").first.locator("svg").count() == 0
    page.locator("li.sentence").first.scroll_into_view_if_needed()
    page.locator("li.sentence").first.locator("svg").wait_for()


# The page as a whole


def test_keys_are_told(page: Any) -> None:
    page.goto("/")
    page.locator(".brand").click()
    page.keyboard.press("?")
    page.get_by_role("dialog").get_by_text("along an arc").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.get_by_role("button", name="Keys").click()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("dialog").wait_for(state="hidden")
    field(page).press_sequentially("Why?")
    assert field(page).input_value() == "Why?"


def test_all_can_be_reached_by_keys(page: Any) -> None:
    opened(page, "She sings.")
    page.evaluate("document.activeElement.blur()")
    seen = []
    for _ in range(32):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            "(e => [e.id || e.dataset.word || e.textContent, e.closest('svg')"
            " ? getComputedStyle(e.querySelector('rect')).stroke : getComputedStyle(e).outlineStyle]"
            ")(document.activeElement)"
        )
        assert outline not in ("none", "rgba(0, 0, 0, 0)") or "arcwise" in name, name
        seen.append(name)
    wanted = [
        "Parse",
        "Derivation",
        "theme",
        "show-keys",
        "text",
        "Open a file…",
        "Copy link",
        "CoNLL-U",
        "JSON",
        "SVG",
    ]
    wanted += ["model", "beam", "Trees", "Table", "below-lemma", "numbers", "threshold", "Other trees", "1"]
    assert [one for one in wanted if one not in seen] == []


def test_the_page_is_light(page: Any) -> None:
    sizes: list[int] = []
    page.on("response", lambda response: sizes.append(len(response.body())))
    opened(page)
    assert sum(sizes) <= 300_000 and len(sizes) > 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_the_systems_until_one_is_chosen(page: Any, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto("/")
    field(page).wait_for()
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = "rgb(250, 249, 247)", "rgb(19, 22, 27)"
    assert page.evaluate(ground) == (light if scheme == "light" else dark)
    page.get_by_role("button", name="Theme").click()
    assert page.evaluate(ground) == light
    page.get_by_role("button", name="Theme").click()
    assert page.evaluate(ground) == dark
    page.reload()
    page.get_by_role("button", name="Theme: dark").wait_for()
    assert page.evaluate(ground) == dark


def test_nothing_moves_where_motion_is_not_wanted(page: Any) -> None:
    page.emulate_media(reduced_motion="reduce")
    opened(page)
    assert page.locator(".line").first.evaluate("line => getComputedStyle(line).transitionDuration") == "0s"
