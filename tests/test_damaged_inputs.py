"""Damaged treebanks, texts, models, checkpoints and tasks: refused in a sentence, or still sound.

These run with every build, and under sanitizers in `.ci/run` (tests/sanitize.py). The seeds in `damaged/` are
damaged in many ways, the same ones in every run; beside them there are files that ask for trouble.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import numpy as np
import pytest

from arcwise import (
    ArcwiseError,
    ModelError,
    Parser,
    ParserOptions,
    Pipeline,
    TextError,
    Training,
    Treebank,
    TreebankError,
    hc,
    model_file,
    search,
)
from arcwise.options.ranking import RankingOptions
from mutations import damaged_bytes, damaged_component
from walks import is_tree

FOLDER = Path(__file__).parent / "damaged"
SEED = FOLDER / "seed.conllu"
TIMES = int(os.environ.get("ARCWISE_DAMAGE", "200"))
"""How often a seed is damaged: more find more."""
SMALL = {"epochs": 1, "seed": 1}
NETWORK = {**SMALL, "width": 16, "hidden": 16, "batch": 100}


def each_damage(data: bytes):
    for seed in range(TIMES):
        yield seed, damaged_bytes(data, Random(seed))


@pytest.fixture(scope="module")
def pipeline(garden: Treebank) -> Pipeline:
    """One with all components."""
    return Pipeline.train(garden[:20], tagger={"hidden": 16}, segmenter={"epochs": 1}, **NETWORK)


# Treebanks


def check_reading(text: bytes, format: str, pipeline: Pipeline) -> int:
    """Reads it in all ways; says how many of them it was good enough for."""
    read = 0
    for options in ({}, {"skip_bad": True}, {"check_trees": False}):
        try:
            treebank = Treebank.from_string(text, format=format, **options)
        except TreebankError:
            assert "skip_bad" not in options or text.count(b"\0")
            continue
        read += 1
        again = treebank.to_bytes()
        assert Treebank.from_string(again, format=format, **options).to_bytes() == again
        for sentence in treebank:
            assert all(-1 <= head <= len(sentence) for head in sentence.heads)
            str(sentence)
        treebank.without("upos").to_string()
        treebank.column("form")
        parsed = pipeline.parse(treebank, tags="new")
        assert all(is_tree(sentence.heads.tolist()) for sentence in parsed)
    return read


@pytest.mark.parametrize("format", ["conllu", "conllx"])
def test_damaged_treebanks(format, pipeline):
    seed = (FOLDER / f"seed.{format}").read_bytes()
    assert check_reading(seed, format, pipeline) == 3
    read = {check_reading(text, format, pipeline) for _, text in each_damage(seed)}
    assert read == {1, 2, 3} or read == {0, 1, 2, 3}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.conll*")), ids=lambda path: path.name)
def test_treebanks_that_have_been_trouble(path, pipeline):
    check_reading(path.read_bytes(), path.suffix.removeprefix("."), pipeline)


def test_a_damaged_treebank_is_trained_on_or_refused():
    seed = SEED.read_bytes()
    for number, text in each_damage(seed):
        if number % 4:
            continue
        treebank = Treebank.from_string(text, skip_bad=True) if b"\0" not in text else None
        for options in (NETWORK, {**SMALL, "learner": "perceptron", "system": "easy-first"}):
            try:
                Parser.train(treebank or Treebank.from_string(text), **options)
            except ArcwiseError:
                continue


# Texts


def test_damaged_texts(pipeline, tmp_path):
    seed = (FOLDER / "seed.txt").read_bytes()
    refused = 0
    for number, text in each_damage(seed):
        document = pipeline.segmenter.segment(text, errors="replace")
        assert all(is_tree(sentence.heads.tolist()) for sentence in pipeline.parse(document))
        (tmp_path / "text").write_bytes(text)
        try:
            whole = pipeline.segmenter.segment(text)
        except TextError:
            refused += 1
            continue
        parts = pipeline.segmenter.stream(tmp_path / "text", batch_bytes=1 + number % 50)
        assert b"".join(part.to_bytes() for part in parts) == whole.to_bytes()
        pipeline.segmenter.segment(text, sentences="lines", most_words=3, ranges=False)
    assert 0 < refused < TIMES


# Models and checkpoints


@pytest.fixture(scope="module")
def models(garden: Treebank, pipeline: Pipeline, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of each kind, as small as they get."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "templates").write_text("S0.form N0.form\nN0.upos\n", encoding="utf-8")
    some = garden[:12]
    linear = {**SMALL, "features": str(folder / "templates")}
    made = {
        "pipeline": pipeline,
        "network": pipeline.parser,
        "linear": Parser.train(some, learner="adagrad", **linear),
        "compact": Parser.train(some, learner="perceptron", compact=1, **linear),
        "l2s": Parser.train(some, learner="l2s", bits=10, **linear),
        "hc": hc.train(
            some,
            learner="perceptron",
            ranking=RankingOptions(beam=2, folds=2, epochs=1, bits=10),
            **linear,
        ),
    }
    paths = {kind: folder / f"{kind}.arc" for kind in made}
    for kind, model in made.items():
        model.save(paths[kind])
    return paths


def refused_or_sound(path: Path) -> bool:
    """Whether a model that may be damaged is refused; if it is not, it still gives trees."""
    words = Treebank.from_words([["the", "cat", "saw", "the", "dog"], ["ü"]])
    try:
        model = Pipeline.load(path)
    except ModelError as error:
        assert str(path) in str(error)
        return True
    if model.segmenter is not None:
        words = model.segmenter.segment("The cat saw the dog. It didn't.")
    if model.parser is not None:
        try:
            for how in ({}, {"beam": 2}, {"probabilities": True}):
                trees = model.parse(words, tags="new", **how)
                assert all(is_tree(sentence.heads.tolist()) for sentence in trees)
        except ArcwiseError:
            return False  # what the parser cannot do, it says
    return False


KINDS = ["pipeline", "network", "linear", "compact", "l2s", "hc"]


@pytest.mark.parametrize("kind", KINDS)
def test_models_with_damaged_bytes(kind, models, tmp_path):
    data, path = models[kind].read_bytes(), tmp_path / "damaged.arc"
    assert not refused_or_sound(models[kind])
    for number in range(TIMES // 4):
        path.write_bytes(damaged_bytes(data, Random(number)))
        refused_or_sound(path)


@pytest.mark.parametrize("kind", KINDS)
def test_models_with_damaged_values(kind, models, tmp_path):
    model = model_file.Component.load(models[kind], *Pipeline.KINDS)
    path = tmp_path / "damaged.arc"
    refused = 0
    for number in range(TIMES):
        damaged_component(model, Random(number)).save(path)
        refused += refused_or_sound(path)
    assert refused > TIMES // 4


@pytest.mark.parametrize(
    ("options", "has_silver"),
    [(NETWORK, False), (NETWORK, True), ({**SMALL, "learner": "perceptron"}, False)],
    ids=["network", "silver", "linear"],
)
def test_damaged_checkpoints(options, has_silver, garden, tmp_path, monkeypatch):
    options = ParserOptions.of(**{**options, "epochs": 2})
    some, path = garden[:12], tmp_path / "damaged.checkpoint"
    silver = garden[12:20] if has_silver else None
    first = Training(some, dev=some, options=options, silver=silver)
    next(first.epochs())
    first.save_checkpoint(path)
    checkpoint = model_file.Component.load(path, "checkpoint")
    refused = 0
    for number in range(TIMES // 2):
        damaged_component(checkpoint, Random(number)).save(path)
        second = Training(some, dev=some, options=options, silver=silver)
        try:
            second.resume(path)
        except ModelError:
            refused += 1
            continue
        try:
            second.finish()
        except ArcwiseError:
            continue  # numbers that have grown out of bounds
    assert refused > TIMES // 8


# Tasks of learning to search


class Hostile(search.Task):
    """Gives a search whatever it is told to."""

    actions = (0, 1, "two")

    def run(self, search, example):
        answers = [search.predict(**asked) for asked in example]
        search.loss(0.0)
        return answers


ODD = [
    None, 0, -1, 2**63, 2**64, 1.5, float("nan"), float("inf"), "", "\ud800", b"x", object(), [], (), {},
    set(), [None], [[]], [("a",)], [("a", "b")], [("a", float("nan"))], [("a", 1e300)], {"": {"a": None}},
    {1: ["a"]},
    {"n": np.arange(3)}, {"n": np.arange(8.0)[::-2]}, {"n": np.zeros((2, 2))}, {"n": np.array(["a"])},
    {"n": np.arange(3, dtype=np.float16)}, np.array(2), [np.int8(-3)], [True], ["a"] * 5000, lambda: 1 / 0,
    lambda: ["a"], lambda: None, [0, 1], {0, "two"}, ["two", "two"], range(3), iter([1]), {0: 1.0}, [1, 2, 3],
]  # fmt: skip
"""Values for features, references, allowed actions, costs and policies, of which few are possible."""


def test_tasks_that_give_what_they_must_not(tmp_path):
    random = Random(1)
    done = 0
    for _ in range(TIMES * 5):
        example = [
            {"features": ["a", "b"], "reference": 0},
            {
                "features": random.choice(ODD),
                **{
                    name: random.choice(ODD)
                    for name in ("reference", "allowed", "costs", "policy")
                    if random.random() < 0.3
                },
            },
        ]
        try:
            search.train(Hostile(), [example], epochs=1, bits=8, progress=False)
        except (ArcwiseError, TypeError, ValueError, ZeroDivisionError, OverflowError, UnicodeError):
            continue
        done += 1
    assert done > 0


def test_damaged_models_of_tasks(tmp_path):
    path = tmp_path / "task.model"
    example = [{"features": ["a", "b"], "reference": 0}, {"features": {"n": ["c"]}, "reference": "two"}]
    search.train(Hostile(), [example], bits=6, progress=False, hidden=2).save(path)
    model = model_file.Component.load(path, search.KIND)
    for number in range(TIMES):
        damaged_component(model, Random(number)).save(path)
        try:
            loaded = search.load(path, Hostile())
        except ModelError:
            continue
        loaded.predict([example], progress=False)
