"""Treebanks, documents and models go to other processes, and are the same there."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import shutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings

import arcwise
from arcwise import Document, ModelError, Parser, Pipeline, Segmenter, Tagger, Treebank, pickling
from arcwise.transitions import System
from treebank_texts import sentence, texts

TEXT = "Time flies like an arrow."
ENGLISH = Path(arcwise.__file__).parent / "data" / "en.arc"


@pytest.fixture(autouse=True)
def _no_models_are_kept() -> None:
    pickling._opened.clear()


@pytest.fixture(scope="module")
def english() -> Pipeline:
    return arcwise.load("en")


def through(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


# Treebanks


@settings(max_examples=30)
@given(texts())
def test_treebanks_are_what_they_were(text: str) -> None:
    treebank = Treebank.from_string(text, source="s")
    parsed = treebank.with_trees([0] * treebank.word_count, [1] * treebank.word_count, ["b", "new"])
    sure = parsed.with_probabilities(*[[0.25] * treebank.word_count] * 2, log_probs=[-1.5] * len(treebank))
    for one in (treebank, parsed, sure, treebank[::-1]):
        for again in (through(one), copy.copy(one), copy.deepcopy(one)):
            assert again.to_bytes() == one.to_bytes() and again.to_bytes("conllx") == one.to_bytes("conllx")
            assert np.array_equal(again.heads, one.heads) and np.array_equal(again.labels, one.labels)
            assert again.label_names == one.label_names and again.source == "s"
            assert [words.line for words in again] == [words.line for words in one]
            assert np.array_equal(again.head_probs, one.head_probs, equal_nan=True)
            assert [words.log_prob for words in again] == [words.log_prob for words in one]


def test_what_was_skipped_and_corrected_travels_too() -> None:
    treebank = Treebank.from_string(sentence(2, 1, id="bad") + sentence(0, 1), skip_bad=True)
    treebank[0][1].deprel = "obj"
    again = through(treebank)
    assert again.bad == treebank.bad and len(again.bad) == 1
    assert again[0][1].deprel == "obj"
    assert through(Treebank.from_string(sentence(0), format="conllx")).format == "conllx"


def test_a_sentence_travels_without_the_others_and_stays_at_its_place() -> None:
    treebank = Treebank.from_words([["Dogs", "bark"], ["Hush"]] * 500)
    hush = through(treebank[1])
    assert [word.form for word in hush] == ["Hush"] and (hush[0].start, hush[0].end) == (10, 14)
    assert len(pickle.dumps(treebank[1])) < 3000
    word = through(treebank[2][1])
    assert (word.form, word.id, word.start, word.sentence.text) == ("bark", 2, 20, "Dogs bark")
    assert through(through(word)).start == 20
    first, second = through(list(treebank[2]))
    assert first.sentence is second.sentence
    assert through(Treebank.from_string(sentence(0), format="conllx")[0][0]).form == "w1"


def test_a_document_travels_with_its_text() -> None:
    document = Document(Treebank.from_words([["Dogs", "bark"]]), "Dogs  bark")
    assert through(document).text == "Dogs  bark"
    assert through(document).to_conllu() == document.to_conllu()
    assert through(Document(document.treebank)).text == "Dogs bark "


# Models


def parts(pipeline: Pipeline) -> list[Any]:
    return [pipeline, pipeline.segmenter, pipeline.tagger, pipeline.parser]


def test_models_with_a_file_are_pickled_as_references(english: Pipeline) -> None:
    expected = english(TEXT).to_conllu()
    for model in parts(english):
        data = pickle.dumps(model)
        assert len(data) < 500
        assert type(pickle.loads(data)) is type(model)
    assert b"en.arc" not in pickle.dumps(english)  # but its name
    assert through(english)(TEXT).to_conllu() == expected
    assert through(english.parser).parse([["Dogs", "bark"]]).heads.tolist() == [2, 0]


def test_models_without_a_file_are_pickled_whole(english: Pipeline) -> None:
    expected = english(TEXT).to_conllu()
    own = Pipeline.from_bytes(english.to_bytes())
    assert len(pickle.dumps(own)) > 1_000_000
    again = through(own)
    assert again(TEXT).to_conllu() == expected
    assert again.to_bytes() == english.to_bytes()
    for kind, model in ((Segmenter, own.segmenter), (Tagger, own.tagger), (Parser, own.parser)):
        assert type(through(model)) is kind


def test_what_is_no_longer_in_the_file_is_pickled_whole(english: Pipeline) -> None:
    parser = english.parser
    assert parser is not None
    changed = parser.with_calibration(None)
    assert len(pickle.dumps(changed)) > 1_000_000
    assert len(pickle.dumps(parser)) < 500
    assert len(pickle.dumps(english.with_parser(changed))) > 1_000_000


def test_copies_of_models_are_the_same_models(english: Pipeline) -> None:
    for model in parts(english):
        for again in (copy.copy(model), copy.deepcopy(model)):
            assert again is not model and vars(again).keys() == vars(model).keys()
            assert len(pickle.dumps(again)) < 500
    assert copy.deepcopy(english)(TEXT).to_conllu() == english(TEXT).to_conllu()


def test_a_file_that_has_changed_or_gone_is_told(tmp_path: Path, english: Pipeline) -> None:
    path = tmp_path / "my.model"
    shutil.copy(ENGLISH, path)
    model = arcwise.load(path)
    data = pickle.dumps(model)
    assert os.fsencode(path) in data
    # Another model of the same name.
    (english.with_parser(english.parser.without_tags())).save(path)  # type: ignore[union-attr]
    with pytest.raises(ModelError, match="another is there now"):
        pickle.loads(data)
    assert len(pickle.dumps(model)) > 1_000_000
    path.unlink()
    with pytest.raises(ModelError, match=r"cannot be opened here: There is no file .* Put the file there"):
        pickle.loads(data)
    assert len(pickle.dumps(model)) > 1_000_000
    # The same file, written anew.
    shutil.copy(ENGLISH, path)
    assert len(pickle.dumps(model)) < 500
    assert pickle.loads(data)(TEXT).to_conllu() == english(TEXT).to_conllu()


def test_a_relative_path_is_found_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ENGLISH, tmp_path / "my.model")
    monkeypatch.chdir(tmp_path)
    data = pickle.dumps(arcwise.load("my.model"))
    monkeypatch.chdir("/")
    assert isinstance(pickle.loads(data), Pipeline)


def test_bytes_that_are_no_model_are_refused() -> None:
    for data in (b"", b"x" * 100, ENGLISH.read_bytes()[:-1]):
        with pytest.raises(ModelError, match=r"^The model is"):
            Pipeline.from_bytes(data)


class Chain(System):
    """Hangs every word on the next."""

    name = "chain"
    moves: ClassVar = {"SHIFT": None, "LEFT": "left", "ROOT": "root"}

    def legal(self, state: Any) -> list[str]:
        if len(state.stack) == 1:
            return ["SHIFT"]
        return ["LEFT"] if state.buffer else ["ROOT"]

    def apply(self, state: Any, move: str, label: int | None) -> None:
        if move == "SHIFT":
            state.shift()
        elif move == "LEFT":
            state.add_arc(state.buffer[0], state.pop(), label)
        else:
            state.add_arc(0, state.pop(), label)

    def costs(self, state: Any, gold: Any) -> dict[str, float]:
        return dict.fromkeys(self.legal(state), 0)


def chained(system: System) -> Parser:
    treebank = Treebank.from_words([["a", "b", "c"]]).with_trees([2, 3, 0], [0, 0, 1], ["dep", "root"])
    return Parser.train(treebank, system=system, learner="perceptron", epochs=1)


def test_a_system_in_python_travels_with_its_parser(tmp_path: Path) -> None:
    parser = chained(Chain())
    assert through(parser).parse([["x", "y"]]).heads.tolist() == [2, 0]
    parser.save(tmp_path / "m")
    opened = Pipeline.load(tmp_path / "m", system=Chain())
    assert len(pickle.dumps(opened)) < 500
    assert through(opened).parse([["x", "y"]]).heads.tolist() == [2, 0]


def test_a_system_that_cannot_be_pickled_is_told() -> None:
    class Local(Chain):
        pass

    with pytest.raises(ModelError, match=r"a system .*'chain', which cannot be pickled: define its class"):
        pickle.dumps(chained(Local()))


# Other processes


def annotate(pipeline: Pipeline, text: str) -> Document:
    return pipeline(text)


def corrected(document: Document) -> Document:
    document[0][0].lemma = "corrected"
    return document


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_models_and_documents_cross_processes(english: Pipeline, start: str) -> None:
    context: Any = multiprocessing.get_context(start)
    own = Pipeline.from_bytes(english.to_bytes()) if start == "spawn" else english
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        submit: Callable[..., Any] = pool.submit
        document = submit(annotate, own, TEXT).result()
        assert submit(corrected, document).result()[0][0].lemma == "corrected"
    assert document.text == TEXT and document.to_conllu() == english(TEXT).to_conllu()


def test_joblib_takes_pipelines(english: Pipeline) -> None:
    joblib = pytest.importorskip("joblib")
    done = joblib.Parallel(n_jobs=2)(joblib.delayed(annotate)(english, text) for text in (TEXT, "Go."))
    assert [document.text for document in done] == [TEXT, "Go."]
