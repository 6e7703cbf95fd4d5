"""The view of derivations in a real browser, by mouse, keys and touch; and the file of `Trace.to_html`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from arcwise import Treebank, names
from arcwise.trace import Trace

GOLD = """\
# text = The old man saw a dog.
1\tThe\tthe\tDET\t_\t_\t3\tdet\t_\t_
2\told\told\tADJ\t_\t_\t3\tamod\t_\t_
3\tman\tman\tNOUN\t_\t_\t4\tnsubj\t_\t_
4\tsaw\tsee\tVERB\t_\t_\t0\troot\t_\t_
5\ta\ta\tDET\t_\t_\t6\tdet\t_\t_
6\tdog\tdog\tNOUN\t_\t_\t4\tobj\t_\t_
7\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_

# text = Dogs bark.
1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""
HEBREW = "1\tשלום\tשלום\tINTJ\t_\t_\t0\troot\t_\t_\n2\tעולם\tעולם\tNOUN\t_\t_\t1\tvocative\t_\t_\n\n"
HOSTILE = "</script><script>alert(1)</script>"


def shown(page: Any, **params: Any) -> Any:
    """The view of what the address says."""
    page.goto("/#derivation?" + urlencode(params, doseq=True))
    page.locator(".player:not(.waiting) .step").first.wait_for()
    return page


def nodes(page: Any, row: str) -> list[str]:
    return page.locator(f".{row} .node .form").all_inner_texts()


def where(page: Any) -> str:
    return page.locator(".where").inner_text()


SEEN = """() => {
  const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
  const forward = document.querySelector('[aria-label="Step forward"]');
  const seen = [];
  for (;;) {
    const made = document.querySelectorAll('.tree .arc:is([data-when=made], [data-when=newest])');
    seen.push({
      where: document.querySelector('.where').textContent,
      stack: texts(':is(.stack, .list) .node .form'),
      buffer: texts('.buffer .node .form'),
      arcs: [...new Set([...made].map((arc) => Number(arc.dataset.word)))].sort((a, b) => a - b),
      move: texts('.step[aria-current] .name'),
      action: texts('tr.is-taken .action'),
    });
    if (forward.disabled) return seen;
    forward.click();
  }
}"""
"""Goes through all steps by the button, and tells what is to be seen at each."""


def check_every_step(page: Any, trace: Trace) -> None:
    """What is seen is what Python has."""
    *seen, end = page.evaluate(SEEN)
    assert len(seen) == len(trace.steps)
    for number, (there, step) in enumerate(zip(seen, trace.steps, strict=True), 1):
        assert there == {
            "where": f"{number} of {len(trace.steps)}",
            "stack": list(step.stack),
            "buffer": list(step.buffer),
            "arcs": sorted(arc.dependent for arc in step.arcs),
            "move": [str(step.chosen)],
            "action": [step.chosen.action],
        }
    assert end["where"] == f"end, {len(trace.steps)} moves"
    assert end["arcs"] == list(range(1, len(trace.words) + 1))


@pytest.mark.parametrize("system", ["arc-hybrid", "covington", "easy-first"])
def test_an_oracle_shows_what_python_shows(page: Any, system: str) -> None:
    sentence = Treebank.from_string(GOLD)[0]
    check_every_step(shown(page, conllu=GOLD, system=system), Trace.of_gold(sentence, system))


def test_systems_sentences_and_models_are_chosen_by_mouse(page: Any) -> None:
    shown(page, conllu=GOLD, system="arc-standard")
    for system in names.SYSTEMS:
        page.get_by_label("Moves by").select_option(f"system:{system}")
        steps = len(Trace.of_gold(Treebank.from_string(GOLD)[0], system).steps)
        page.locator(".where", has_text=re.compile(f"^1 of {steps}$")).wait_for()
    page.get_by_label("Sentence", exact=True).select_option("2")
    page.locator(".tree .word", has_text="Dogs").wait_for()
    page.get_by_label("Moves by").select_option("model:en")
    page.locator("td.prob").first.wait_for()
    assert "Cost" in page.locator("thead").inner_text()
    page.get_by_label("Compare with the tree in the text").uncheck()
    page.locator(".oracle", has_text="There is no gold tree").wait_for()


def test_a_text_is_typed_and_an_oracle_builds_the_models_tree(page: Any) -> None:
    shown(page, text="Dogs bark.")
    assert nodes(page, "buffer") == ["Dogs", "bark", ".", "ROOT"]
    page.locator("#derivation-text").fill("Cats sleep.")
    page.locator(".tree .word", has_text="Cats").wait_for()
    page.get_by_label("Moves by").select_option("system:arc-standard")
    page.locator(".stack .node.root").wait_for()
    assert "text=Cats+sleep." in page.url and "system=arc-standard" in page.url


def test_keys_go_through_the_steps(page: Any) -> None:
    shown(page, conllu=GOLD, system="arc-eager")
    steps = len(Trace.of_gold(Treebank.from_string(GOLD)[0], "arc-eager").steps)
    press = page.keyboard.press
    press("ArrowRight")
    press("ArrowRight")
    assert where(page) == f"3 of {steps}"
    page.locator(
        "#live", has_text=f"Step 3 of {steps}. Top of the stack: old. Front of the buffer: man."
    ).wait_for()
    press("ArrowLeft")
    assert where(page) == f"2 of {steps}"
    press("End")
    assert where(page) == f"end, {steps} moves"
    page.locator("#live", has_text="The end after").wait_for()
    press("Home")
    assert where(page) == f"1 of {steps}"
    # A step has to stand for longer than a busy machine looks away.
    page.get_by_label("Speed").select_option("Normal")
    page.locator("body").evaluate("() => document.activeElement.blur()")
    press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    page.locator(".where", has_text=re.compile("^3 of")).wait_for()
    press(" ")
    page.get_by_role("button", name="Play").wait_for()
    page.locator("#derivation-text").focus()
    place = where(page)
    press("End")
    press("ArrowLeft")
    assert where(page) == place  # whoever writes moves in the text
    page.get_by_label("Step", exact=True).focus()
    press("Home")
    press("ArrowRight")
    assert where(page) == f"2 of {steps}"


def test_a_move_is_taken_by_keys_and_undone(page: Any) -> None:
    sentence = Treebank.from_string(GOLD)[0]
    shown(page, conllu=GOLD, system="arc-hybrid", step=4)
    moves = Trace.of_gold(sentence, "arc-hybrid").steps[3].moves
    other = next(move for move in moves[1:] if move.cost)
    for _ in range(moves.index(other) + 1):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(".by-hand .chip", has_text=f"4: {other}").wait_for()
    led = Trace.of_gold(sentence, "arc-hybrid", moves={4: other})
    assert where(page) == f"5 of {len(led.steps)}"
    assert page.locator(".total b").inner_text() == f"{led.steps[4].cost:g}"
    assert page.locator(".lost li").all_inner_texts() == [led.in_words(arc) for arc in led.steps[4].lost]
    page.locator("#live", has_text=f"{other} is taken by hand at step 4. It costs {other.cost:g}.").wait_for()
    assert page.evaluate("document.activeElement.matches('button.move')")
    assert f"take=4%3A{other.action}" in page.url
    page.keyboard.press("ArrowLeft")
    assert page.locator("tr.is-taken .tag").inner_text() == "by hand"
    assert page.locator(".tag.own").inner_text() == "oracle’s choice"
    page.keyboard.press("u")
    page.locator(".by-hand").wait_for(state="hidden")
    assert where(page) == f"4 of {len(Trace.of_gold(sentence, 'arc-hybrid').steps)}"
    assert page.locator(".total b").inner_text() == "0"


def test_moves_are_taken_by_mouse_and_the_oracle_goes_on(page: Any) -> None:
    shown(page, conllu=GOLD, model="en", step=3)
    page.get_by_role("button", name=re.compile("Show all")).click()
    page.locator("tbody tr").nth(20).wait_for()
    page.get_by_role("button", name=re.compile(r"^Take RIGHT\(amod\)$")).click()
    page.locator(".by-hand .chip", has_text="3: RIGHT(amod)").wait_for()
    lost = int(page.locator(".total b").inner_text())
    assert lost > 0
    page.get_by_label("the oracle goes on").check()
    page.locator(".where", has_text=re.compile("^4 of")).wait_for()
    page.get_by_role("button", name="To the end").click()
    assert page.locator(".total b").inner_text() == str(lost)
    assert page.locator(".lost li").count() == lost
    page.get_by_role("button", name="Start over").click()
    page.locator(".where", has_text=re.compile("^1 of")).wait_for()
    assert page.locator(".by-hand .chip").count() == 0


def test_a_link_has_the_moves_by_hand(page: Any) -> None:
    shown(page, conllu=GOLD, system="arc-hybrid", take=["2:SHIFT", "4:SHIFT"], step=5)
    assert page.locator(".by-hand .chip").all_inner_texts() == ["2: SHIFT", "4: SHIFT"]
    assert where(page).startswith("5 of")


def test_files_are_opened_and_what_is_wrong_is_a_sentence(page: Any, tmp_path: Path) -> None:
    shown(page, text="Dogs bark.")
    (tmp_path / "gold.conllu").write_text(HEBREW, "utf-8")
    page.locator("#derivation-file").set_input_files(tmp_path / "gold.conllu")
    page.locator(".tree .word", has_text="שלום").wait_for()
    assert page.locator(".state").get_attribute("dir") == "rtl"
    page.get_by_label("Moves by").select_option("system:arc-eager")
    page.locator("#derivation-text").fill(HEBREW.replace("\t0\troot", "\t2\troot"))
    page.locator(".notice.problem", has_text="make no tree").wait_for()
    page.told.clear()  # the browser tells of the answer 422


@pytest.mark.parametrize(
    "window", [{"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}]
)
def test_a_phone_has_room_for_it(page: Any) -> None:
    shown(page, conllu=GOLD, model="en")
    page.get_by_role("button", name="Step forward").tap()
    page.get_by_role("button", name="Step forward").tap()
    assert where(page).startswith("3 of")
    page.get_by_role("button", name=re.compile("^Take LEFT")).nth(1).tap()
    page.locator(".by-hand .chip").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sizes = page.eval_on_selector_all(
        ".control, button.move", "all => all.map(one => one.getBoundingClientRect().height)"
    )
    assert min(sizes) >= 40


def test_a_state_with_costs_and_moves_by_hand_is_accessible(page: Any) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="pip install 'arcwise[test-browser]'"
    )
    shown(page, conllu=GOLD, model="en", take="3:SHIFT", step=3)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        results = axe.Axe().run(page)
        assert results.violations_count == 0, results.generate_report()


# --- the file --------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> tuple[str, Trace]:
    """A trace with hostile words, as a file."""
    hostile = GOLD.replace("\tdog\t", f"\t{HOSTILE}\t").replace("\tobj\t", "\t<img src=x onerror=alert(1)>\t")
    trace = Trace.of_gold(Treebank.from_string(hostile)[0], "arc-hybrid", moves={4: "LEFT"})
    path = tmp_path / "trace.html"
    path.write_text(trace.to_html(), "utf-8")
    return path.as_uri(), trace


def test_a_file_is_stepped_through(browser: Any, file: tuple[str, Trace]) -> None:
    address, trace = file
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    page, told = context.new_page(), []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("request", lambda request: request.url == address or told.append(request.url))
    page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
    page.goto(address)
    check_every_step(page, trace)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert where(page) == f"2 of {len(trace.steps)}"
    assert page.locator("button.move").count() == 0 and page.get_by_text("takes none of them").is_visible()
    assert page.locator("#table").get_attribute("open") is None
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="pip install 'arcwise[test-browser]'"
    )
    results = axe.Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function("document.querySelector('.tree').getBoundingClientRect().width < 340")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
    assert told == []


def test_a_file_is_a_table_without_scripts(browser: Any, file: tuple[str, Trace]) -> None:
    address, trace = file
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("#table tbody").count() == len(trace.steps)
    assert page.locator("#table svg").is_visible()
    context.close()


def test_the_data_in_a_file_are_what_the_service_answers(page: Any, file: tuple[str, Trace]) -> None:
    _, trace = file
    text = trace.to_html()
    data = re.search(r'<script type="application/json" id="trace">\n(.*)\n</script>', text)
    assert data is not None and "<" not in data[1]
    document = json.loads(data[1])
    assert document["words"] == list(trace.words)
    asked = {"system": "arc-hybrid", "conllu": GOLD, "moves": {"4": "LEFT"}}
    answer = page.request.post("/api/v1/trace", data=asked).json()
    assert [step["chosen"] for step in answer["steps"]] == [step["chosen"] for step in document["steps"]]
    assert set(document) - {"pictures"} == set(answer) - {
        "model",
        "sentence",
        "sentences",
        "count",
        "picture",
    }
