"""A project for the tests of the page: one server and one browser for all, each test has files of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arcwise import Treebank
from serving.browser import TIMEOUT, served

expect = pytest.importorskip(
    "playwright.sync_api", reason="needs playwright: pip install 'arcwise[test-browser]'"
).expect
expect.set_options(timeout=TIMEOUT)

TELESCOPE = "I saw the man with the telescope in the park yesterday ."
PLAIN = ("The old man feeds the ducks .", "She gave him a book about birds .", "Dogs bark at night .")
HOSTILE = """\
# sent_id = <img src=x onerror=alert(1)>
# text = <script>alert(1)</script> "&lt;
# note = </textarea><script>alert(2)</script>
1\t<script>alert(1)</script>\t<b>x</b>\tNOUN\t"><i>\tA=<u>\t0\troot\t_\tX='onclick=1
2\t"&lt;\t</svg>\tPUNCT\t_\t_\t1\t<p>\t_\t_

"""
ARABIC = """\
# text = وكتبها الولد
1-3\tوكتبها\t_\t_\t_\t_\t_\t_\t_\t_
1\tو\tو\tCCONJ\t_\t_\t2\tcc\t_\t_
2\tكتب\tكتب\tVERB\t_\t_\t0\troot\t_\t_
3\tها\tهو\tPRON\t_\t_\t2\tobj\t_\t_
4\tالولد\tولد\tNOUN\t_\t_\t2\tnsubj\t_\t_

"""
LEFT = """\
# sent_id = one
# text = Dogs bark
1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_

# sent_id = two
# text = She reads books
1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_
2\treads\tread\tVERB\t_\t_\t0\troot\t_\t_
3\tbooks\tbook\tNOUN\t_\t_\t2\tobj\t_\t_

"""
RIGHT = LEFT.replace("2\tobj", "2\tobl").replace("Dogs\tdog\tNOUN", "Dogs\tdog\tPROPN")
LONG = 2_000
"""Sentences of the long file."""


def words_only(*texts: str) -> str:
    """Sentences without trees: the model proposes them."""
    rest = "\t_" * 8
    return "".join(
        f"# sent_id = s{number}\n# text = {text}\n"
        + "".join(f"{place}\t{form}{rest}\n" for place, form in enumerate(text.split(), 1))
        + "\n"
        for number, text in enumerate(texts, 1)
    )


def write_project(folder: Path) -> None:
    files = {
        "correct.conllu": words_only(TELESCOPE, *PLAIN),
        "keys.conllu": words_only(TELESCOPE, *PLAIN),
        "structure.conllu": words_only("He can not go .", "We gonna win .", "Birds sing ."),
        "tabs.conllu": words_only(TELESCOPE, *PLAIN),
        "gone.conllu": words_only(TELESCOPE, *PLAIN),
        "outside.conllu": words_only(*PLAIN),
        "look.conllu": words_only(TELESCOPE, *PLAIN),
        "hostile.conllu": HOSTILE,
        "arabic.conllu": ARABIC,
        "left.conllu": LEFT,
        "right.conllu": RIGHT,
        "long.conllu": words_only(*(f"Number {n} sings ." for n in range(1, LONG + 1))),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("project")
    write_project(made)
    return made


@pytest.fixture(scope="session")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of `arcwise serve --project`."""
    pytest.importorskip("starlette", reason="the service needs starlette: pip install 'arcwise[serve]'")
    pytest.importorskip("uvicorn", reason="the service needs uvicorn: pip install 'arcwise[serve]'")
    log = tmp_path_factory.mktemp("annotate") / "log"
    with served(log, "--project", str(folder), "--model", "en-fast") as address:
        yield address


def opened(page: Any, file: str, sentence: int = 1, server: str = "/") -> Any:
    page.goto("about:blank")
    TEMP(page)
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
        treebank = Treebank.read(path)
        if holds(treebank):
            return treebank
        assert time.monotonic() < end, path.read_text(encoding="utf-8")
        time.sleep(0.02)


def refused(page: Any) -> None:
    """Browsers tell of refused requests on their console: that is as it should be."""
    assert all("status of 4" in told for told in page.told), page.told
    page.told.clear()


def TEMP(page):
    def fix(route):
        r = route.fetch()
        route.fulfill(response=r, body=r.text().replace('<html lang="en">', '<html lang="en" data-project>'))
    page.route(lambda u: u.split("#")[0].endswith("/") and "api" not in u, fix)
