"""The 300 lines of web text: whole, well-formed, and annotated as their README says."""

import hashlib
import importlib
from pathlib import Path

import pytest

from arcwise import Treebank
from arcwise.text import rebuild

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "web"
HALVES = ("dev", "test")


def read(half):
    return Treebank.read(FOLDER / f"web-{half}.conllu")


def lines_of(half):
    return rebuild(read(half)).strip().split("\n\n")


@pytest.fixture
def web(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER.parent))
    return importlib.import_module("web")


@pytest.fixture(params=HALVES)
def half(request):
    return read(request.param)


def test_every_line_is_there_once_and_in_its_half():
    dev, test = map(lines_of, HALVES)
    every = sorted(dev + test, key=lambda line: hashlib.sha256(line.encode()).hexdigest())
    assert len(set(every)) == 300
    assert set(dev) == set(every[:150])


def test_numbers_of_lines_and_sentences_go_on():
    named = [
        (sentence.id.split("-"), "# newpar" in sentence.comments)
        for half in map(read, HALVES)
        for sentence in half
    ]
    places = sorted((int(line), int(sentence)) for (_, line, sentence), _ in named)
    assert sorted({line for line, _ in places}) == list(range(1, 301))
    for (_, _, sentence), starts_line in named:
        assert starts_line == (sentence == "1")
    assert all((line, number - 1) in places for line, number in places if number > 1)


def test_emoji_are_symbols_and_features_are_left_out(half):
    for sentence in half:
        for token in sentence:
            assert token.feats == "_"
            if any(ord(character) > 0x1F000 for character in token.form):
                assert (token.upos, token.xpos) == ("SYM", "NFP")
                assert token.deprel in ("discourse", "root")


def test_what_is_right_costs_no_sign(web, half):
    figures = web.sign_figures(half, half)
    assert figures["UPOS of signs"] == figures["UPOS of emoji"] == 100
    assert figures["signs as roots"] == 0


def test_a_sign_that_becomes_a_root_is_counted(web):
    words = "1\t•\t•\tPUNCT\tNFP\t_\t2\tpunct\t_\t_\n2\tSoup\tsoup\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"
    others = "1\t•\t•\tSYM\tNFP\t_\t0\troot\t_\t_\n2\tSoup\tsoup\tNOUN\tNN\t_\t1\tdep\t_\t_\n\n"
    emoji = "1\t🍲\t🍲\tSYM\tNFP\t_\t0\troot\t_\t_\n\n"
    figures = web.sign_figures(Treebank.from_string(words + emoji), Treebank.from_string(others + emoji))
    assert (figures["signs"], figures["UPOS of signs"], figures["UPOS of emoji"]) == (2, 50, 100)
    assert figures["signs as roots"] == 1
