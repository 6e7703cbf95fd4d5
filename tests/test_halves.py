"""English annotated by hand, in halves: files that are written as they are read, and sound trees."""

import importlib
from pathlib import Path

import pytest

from arcwise import Treebank
from arcwise.text import rebuild

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
FILES = [
    BENCHMARKS / f"{files}-{half}.conllu" for files in ("web/web", "english/hand") for half in ("dev", "test")
]


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture
def half(path):
    return Treebank.read(path)


@pytest.fixture
def halves(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("halves")


def test_a_file_is_written_as_it_is_read(path, half):
    assert half.to_string() == path.read_text("utf-8")


def test_the_text_is_that_of_the_tokens(half):
    assert " ".join(sentence.text for sentence in half) == rebuild(half).replace("\n\n", " ").strip()


def test_a_tree_has_one_root_and_reaches_every_word(half):
    for sentence in half:
        assert [*sentence.heads].count(0) == 1
        for word in range(1, len(sentence.heads) + 1):
            steps = 0
            while word and steps <= len(sentence.heads):
                word, steps = sentence.heads[word - 1], steps + 1
            assert word == 0, sentence.id


def test_punctuation_has_its_label_and_no_dependents(half):
    for sentence in half:
        for token in sentence:
            if token.head:
                assert (token.upos == "PUNCT") == (token.deprel == "punct"), (sentence.id, token.form)
                assert token.head_token.upos != "PUNCT" or token.upos == "PUNCT", (sentence.id, token.form)


def test_paragraphs_have_line_ends_or_blank_lines_between(halves):
    gold = halves.gold_of("web/web", "dev")
    assert len(halves.text_of(gold, halves.LINES).strip().split("\n")) == 150
    assert len(halves.text_of(gold, halves.BLANK_LINES).strip().split("\n")) == 299


def test_places_do_not_depend_on_how_the_text_is_cut(halves):
    rows = [
        f"{i}\t{form}\t_\t_\t_\t_\t{i - 1}\tdep\t_\t_" for i, form in enumerate(("Dogs", "bark"), start=1)
    ]
    together = Treebank.from_string("\n".join(rows) + "\n\n")
    apart = Treebank.from_string(
        "\n\n".join(row.replace("2\tbark\t_\t_\t_\t_\t1", "1\tbark\t_\t_\t_\t_\t0") for row in rows) + "\n\n"
    )
    assert (len(together), len(apart)) == (1, 2)
    assert [place for _, own in halves.places(together) for place in own] == [(0, 4), (4, 8)]
    assert [place for _, own in halves.places(apart) for place in own] == [(0, 4), (4, 8)]
