"""What files say reaches people's terminals without obeying them: errors, notes, tables, drawn trees."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import ArcwiseError, Parser, Pipeline, Treebank, TreebankError, cli
from arcwise._terminal import visible, visible_json, visible_lines
from arcwise.draw import draw_all

ESCAPE, RIGHT_TO_LEFT, SEPARATOR, C1 = "\x1b]0;owned\x07", "\u202e", "\u2028", "\x9b31m"
HOSTILE = f"[red]{ESCAPE}{RIGHT_TO_LEFT}{C1}{SEPARATOR}\u2066\u200f\u061c\r\x08"
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]")
GARDEN = f"""\
# sent_id = {HOSTILE}
# text = Dogs{HOSTILE} bark
1\tDogs{HOSTILE}\tdog{HOSTILE}\tNOUN{HOSTILE}\t_\t_\t2\tnsubj{HOSTILE}\t_\t_
2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_

"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: object) -> tuple[int, str, str]:
        capfd.readouterr()
        with pytest.raises(SystemExit) as exit:
            cli.main([str(argument) for argument in arguments])
        return int(exit.value.code or 0), *capfd.readouterr()

    return run


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / f"{HOSTILE.replace('/', '')}.conllu"
    path.write_bytes(GARDEN.encode() * 120)
    return path


@pytest.fixture(scope="module")
def model(treebank: Path) -> Path:
    """One that was trained on it, and says as much."""
    trees = Treebank.read(treebank)
    parser = Parser.train(trees, dev=trees, learner="adagrad", epochs=2, keep_training_state=True)
    path = treebank.parent / f"{HOSTILE}.arc"
    about = {"description": HOSTILE, "licence": HOSTILE, "scores": {HOSTILE: {HOSTILE: 1.0}}}
    Pipeline(parser=parser, about=about).save(path)
    return path


def assert_safe(*texts: str) -> None:
    for text in texts:
        assert not UNSAFE.search(text), ascii(text)


@pytest.mark.parametrize(
    "arguments",
    [
        ("info", "MODEL"),
        ("info", "MODEL", "--json"),
        ("info", "MODEL", "--templates"),
        ("models",),
        ("evaluate", "MODEL", "TREEBANK"),
        ("evaluate", "TREEBANK", "TREEBANK", "--json"),
        ("evaluate", "MODEL", "TREEBANK", "--calibration"),
        ("evaluate", "MODEL", "TREEBANK", "--worst", "2", "--confusion", "deprel", "--confusion", "upos"),
        ("evaluate", "MODEL", "TREEBANK", "--worst", "2", "--json"),
        ("compare", "TREEBANK", "MODEL", "TREEBANK", "--show", "1"),
        ("compare", "TREEBANK", "MODEL", "TREEBANK", "--show", "1", "--json"),
        ("draw", "TREEBANK"),
        ("draw", "TREEBANK", "--to", "svg", "--sentence", "1-3"),
        ("draw", "TREEBANK", "--to", "html"),
        ("parse", "MODEL", "TREEBANK", "--to", "html"),
        ("trace", "--system", "covington", "TREEBANK"),
        ("trace", "MODEL", "TREEBANK", "--to", "html"),
        ("trace", "MODEL", "TREEBANK", "--gold"),
        ("suggest", "MODEL", "TREEBANK"),
        ("analyse", "MODEL", "TREEBANK"),
        ("parse", "MODEL", "TREEBANK", "--to", "tree"),
        ("parse", "MODEL", "TREEBANK", "--to", "tree", "--nbest", "2"),
        ("calibrate", "MODEL", "TREEBANK", "-o", "OUTPUT"),
        ("update", "MODEL", "TREEBANK", "-o", "OUTPUT"),
        ("strip", "MODEL", "-o", "OUTPUT"),
        ("train", "TREEBANK", "--dev", "TREEBANK", "-o", "OUTPUT", "--components", "parser", "--epochs", "1"),
    ],
    ids=" ".join,
)
def test_no_command_hands_on_what_a_terminal_would_obey(
    arguments: tuple[str, ...],
    run: Run,
    model: Path,
    treebank: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ARCWISE_MODELS", str(model.parent))
    names = {"MODEL": model, "TREEBANK": treebank, "OUTPUT": tmp_path / f"{HOSTILE}.out"}
    code, out, err = run(*(names.get(argument, argument) for argument in arguments))
    assert code == 0, err
    assert_safe(out, err)


@pytest.mark.parametrize(
    "arguments",
    [
        ("parse", "MODEL", HOSTILE + ".conllu"),
        ("parse", "MODEL", "TREEBANK", f"--{HOSTILE}"),
        ("parse", "MODEL", "BAD"),
        ("parse", "MODEL", "BAD", "--skip-bad"),
        ("parse", "-m", HOSTILE, "TREEBANK"),
        ("parse", "MODEL", "TREEBANK", "-o", f"/no{HOSTILE}/where"),
        ("info", "BAD"),
        ("evaluate", "TREEBANK", "OTHER"),
        (HOSTILE,),
    ],
    ids=range(9),
)
def test_errors_show_what_is_in_them(
    arguments: tuple[str, ...], run: Run, model: Path, treebank: Path, tmp_path: Path
) -> None:
    bad = tmp_path / f"{HOSTILE}.conllu"
    bad.write_text(
        GARDEN.replace("\t2\tnsubj", f"\t{HOSTILE}\tnsubj") + f"# sent_id = {HOSTILE}\n1\t{HOSTILE}\n\n"
    )
    other = tmp_path / "other.conllu"
    other.write_text(GARDEN)
    names = {"MODEL": model, "TREEBANK": treebank, "BAD": bad, "OTHER": other}
    _, out, err = run(*(names.get(argument, argument) for argument in arguments))
    assert err
    assert_safe(err)
    assert "[red]" in err
    if "parse" not in arguments:
        assert_safe(out)


def test_data_stays_as_it_is(run: Run, model: Path, treebank: Path) -> None:
    parsed = run("parse", model, treebank)[1]
    assert HOSTILE in parsed.replace("\r\n", "\n")
    objects = run("parse", model, treebank, "--to", "json")[1]
    assert json.loads(objects.split("\n")[0])["sent_id"] == HOSTILE.strip() or HOSTILE in objects


def test_errors_in_python_are_safe_too() -> None:
    with pytest.raises(TreebankError) as refused:
        Treebank.from_string(GARDEN.replace("\t2\tnsubj", f"\t{HOSTILE}\tnsubj"))
    assert_safe(str(refused.value))
    assert_safe(str(ArcwiseError(HOSTILE)), repr(Treebank.from_string(GARDEN)[0]))
    assert_safe(repr(Treebank.from_string(GARDEN)[0][0]))


@given(st.text())
def test_what_is_shown_is_safe_and_text_that_was_safe_stays(text: str) -> None:
    assert_safe(visible(text), visible_lines(text), visible_json([text]))
    assert "\n" not in visible(text)
    assert visible_lines(text).count("\n") == text.count("\n")
    assert json.loads(visible_json([text])) == [text]
    if not UNSAFE.search(text) and "\n" not in text and not set(text) & {"\ufffe", "\uffff"}:
        assert visible(text) == text or re.search("[\ufff9-\ufffb]", text)


def test_drawn_trees_are_not_turned_around() -> None:
    # An isolate that a word brings along would end the one that is put around it.
    drawn = draw_all(Treebank.from_words([["שלום\u2069\u202eabc", "x"]]))
    assert "\\u2069\\u202eabc" in drawn
    assert drawn.count("\u2068") == drawn.count("\u2069")


def test_a_notebook_is_watched_too(monkeypatch):
    from arcwise._progress import terminal

    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    assert terminal() is None
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name == "ipywidgets" or None)
    assert terminal() is not None
