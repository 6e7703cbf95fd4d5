"""A project for the tests of the page: one server and one browser for all, each test has files of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from serving.browser import served

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
BROKEN = """\
# sent_id = bad
# text = Dogs bark
1\tDogs\tnsubj
2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_

"""
SUBJECTS = ("She", "He", "We", "They")
VERBS = {"saw": "see", "met": "meet", "found": "find", "heard": "hear", "liked": "like", "knew": "know"}
PEOPLE = ("man", "dog", "girl", "king", "child", "nurse")
THINGS = ("hat", "stick", "flag", "lamp", "ring", "coat")
TAUGHT = 24
"""Sentences with “the man with a hat”: the model puts the hat under the verb, the annotator under the man."""
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


def taught() -> str:
    """Checked sentences of a kind that the model has wrong; the first one has no tree yet."""
    blocks = []
    for n in range(TAUGHT):
        verb, lemma = list(VERBS.items())[n % 6]
        words = [
            (SUBJECTS[n % 4], SUBJECTS[n % 4].lower(), "PRON", "PRP", 2, "nsubj"),
            (verb, lemma, "VERB", "VBD", 0, "root"),
            ("the", "the", "DET", "DT", 4, "det"),
            (PEOPLE[(n * 5 + n // 6) % 6],) * 2 + ("NOUN", "NN", 2, "obj"),
            ("with", "with", "ADP", "IN", 7, "case"),
            ("a", "a", "DET", "DT", 7, "det"),
            (THINGS[(n * 7 + n // 4) % 6],) * 2 + ("NOUN", "NN", 4, "nmod"),
            (".", ".", "PUNCT", ".", 2, "punct"),
        ]
        text = " ".join(form for form, *_ in words)
        if not n:
            blocks.append(words_only(text))
            continue
        rows = (
            f"{place}\t{form}\t{lemma}\t{upos}\t{xpos}\t_\t{head}\t{deprel}\t_\t_\n"
            for place, (form, lemma, upos, xpos, head, deprel) in enumerate(words, 1)
        )
        blocks.append(f"# sent_id = t{n}\n# text = {text}\n# checked = yes\n{''.join(rows)}\n")
    return "".join(blocks)


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
        "broken.conllu": LEFT + BROKEN,
        "close.conllu": LEFT,
        "left.conllu": LEFT,
        "right.conllu": RIGHT,
        "learn.conllu": taught(),
        "fresh.conllu": words_only("We met the child with a ring .", "They knew the girl with a flag ."),
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
