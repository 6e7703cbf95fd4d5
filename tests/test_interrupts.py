"""Ctrl-C ends every long computation of the core soon, within one long sentence too; things stay whole."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time

import numpy as np
import pytest

from arcwise import Parser, Treebank, _core
from arcwise.constraints import Constraints
from arcwise.errors import OptionError
from arcwise.options import ParserOptions
from arcwise.training import Training

FOREVER = 10**9


def sentence(words: int) -> str:
    chance = random.Random(1)
    forms = ["the", "cat", "saw", "a", "dog", "that", "ran", "home"]
    lines = ["1\tgo\tgo\tX\t_\t_\t0\troot\t_\t_"]
    for word in range(2, words + 1):
        head = word - 1 if word % 3 else max(1, word - 2)
        lines.append(f"{word}\t{chance.choice(forms)}\t_\tX\t_\t_\t{head}\tdet\t_\t_")
    return "\n".join(lines) + "\n\n"


@pytest.fixture(scope="module")
def longest() -> Treebank:
    """One sentence, which takes every parser a second at the least."""
    return Treebank.from_string(sentence(300_000))


@pytest.fixture(scope="module")
def long() -> Treebank:
    """One sentence, for what takes longer."""
    return Treebank.from_string(sentence(30_000))


@contextlib.contextmanager
def interrupt_in(seconds: float):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
        timer.join()
        time.sleep(1)  # the computation was over before it was interrupted, if it ever would have been
    finally:
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)


def assert_ends_early(compute, seconds: float = 0.05) -> None:
    """`compute` would go on for many times as long."""
    done = []
    with pytest.raises(KeyboardInterrupt), interrupt_in(seconds):
        compute()
        done.append(True)
    assert not done


@pytest.fixture(scope="module")
def parsers(some: Treebank) -> dict[str, Parser]:
    def trained(**options) -> Parser:
        return Training(some, options=ParserOptions.of(epochs=1, **options)).finish()

    return {
        "network": trained(learner="network"),
        "adagrad": trained(learner="adagrad"),
        "easy-first": trained(learner="adagrad", system="easy-first"),
        "l2s": trained(learner="l2s", bits=18),
    }


@pytest.mark.parametrize(
    ("model", "parse"),
    [
        ("network", lambda p, t: p._core.parse(t._core)),
        ("network", lambda p, t: p._core.parse(t._core, beam=4)),
        ("adagrad", lambda p, t: p._core.parse(t._core)),
        ("adagrad", lambda p, t: p._core.estimates(t._core)),
        ("adagrad", lambda p, t: p._core.best(t._core, 4, 4)),
        ("adagrad", lambda p, t: p._core.marginals(t._core, t.heads, t.heads, 20, 1)),
        ("adagrad", lambda p, t: p._core.drawn(t._core, 2, 20, 1)),
        ("adagrad", lambda p, t: p._core.trace(t._core)),
        ("adagrad", lambda p, t: p._core.check_moves(t._core, t.heads, t.heads * 0, [1.0])),
        ("easy-first", lambda p, t: p._core.parse(t._core)),
        ("l2s", lambda p, t: p._core.parse(t._core)),
        ("network", lambda p, t: p.parse(t, constraints=[Constraints(labels={5: "det"})])),
    ],
    ids=[
        "greedy",
        "beam",
        "linear",
        "estimates",
        "n-best",
        "marginals",
        "drawn",
        "trace",
        "moves",
        "easy-first",
        "l2s",
        "constraints",
    ],
)
def test_parsing_one_long_sentence_is_interrupted(parsers, longest, model, parse):
    assert_ends_early(lambda: parse(parsers[model], longest))


def test_helping_threads_are_interrupted(parsers, long):
    many = long._core.select([0] * 130)
    assert_ends_early(lambda: parsers["network"]._core.parse(many, threads=3))
    assert_ends_early(lambda: parsers["adagrad"]._core.best(many, 4, 4, threads=3))


LEARNERS = {
    "perceptron": {"learner": "perceptron"},
    "adagrad": {"learner": "adagrad"},
    "beam": {"learner": "perceptron", "train_beam": 4},
    "network": {"learner": "network"},
    "l2s": {"learner": "l2s", "bits": 18},
}


@pytest.mark.parametrize("learner", LEARNERS)
def test_training_on_one_long_sentence_is_interrupted(long, learner):
    training = Training(long, options=ParserOptions.of(**LEARNERS[learner]), threads=2)
    assert_ends_early(lambda: [training._core.run(FOREVER) for _ in range(100)], 0.2)


def sealed(state) -> dict:
    """What a run is, to be compared."""
    return {
        **{name: value for name, value in state.items() if name not in ("learner", "order")},
        "order": np.asarray(state["order"]).tobytes(),
        "learner": {name: np.asarray(part).tobytes() for name, part in state["learner"].items()},
    }


class Bell(Exception):
    """What the handler of a signal raises, again and again."""


@contextlib.contextmanager
def ringing(seconds: float):
    """Gives a list that is not empty while a bell is welcome: one, however slow its listener."""
    welcome: list[bool] = []

    def ring(*_):
        if welcome:
            welcome.clear()
            raise Bell

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield welcome
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def longer(garden):
    """What takes some time even on a fast machine: runs look for signals twenty times a second."""
    return Treebank.concat([garden] * 6)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_run_that_was_interrupted_goes_on_to_the_same_state(longer, learner):
    epochs = {"perceptron": 5, "l2s": 1}.get(learner, 2)

    def trainer():
        return Training(longer, options=ParserOptions.of(**LEARNERS[learner]), threads=2)._core

    whole, interrupted = trainer(), trainer()
    for _ in range(epochs):
        whole.run(FOREVER)
    bells = 0
    with ringing(0.03) as welcome:
        while interrupted.epoch < epochs or not interrupted.epoch_is_done:
            try:
                welcome.append(True)
                interrupted.run(FOREVER)
                welcome.clear()
            except Bell:
                bells += 1
    assert bells > 0
    assert sealed(interrupted.state()) == sealed(whole.state())


def test_a_sentence_that_was_learnt_from_in_part_is_not_gone_on_with(longest):
    training = Training(longest, options=ParserOptions.of(learner="adagrad"))
    start = training._core.state()
    assert_ends_early(lambda: training._core.run(FOREVER), 0.2)
    with pytest.raises(RuntimeError, match="in the middle of a sentence"):
        training._core.state()
    with pytest.raises(OptionError, match="in the middle of a sentence"):
        training.finish()
    training._core.restore(**start)
    training._core.state()


def test_reading_and_writing_are_interrupted():
    text = sentence(100_000).encode() * 10
    assert_ends_early(lambda: [_core.Treebank.read(text, format=_core.Format.CONLLU) for _ in range(20)])
    whole = _core.Treebank.read(text, format=_core.Format.CONLLU)
    assert_ends_early(lambda: whole.without([_core.Column.UPOS]), 0.02)


def test_ranking_is_interrupted(long):
    labels = list(long._core.label_names)
    counts = np.array([64], np.int32)
    heads, of_words = np.tile(long.heads, 64), np.tile(long._core.labels, 64)
    templates = ["arc: h.form"]
    ranker = _core.Ranker(templates=templates, labels=labels, weights=np.ones(1 << 12, np.int16), scale=1.0)
    assert_ends_early(lambda: [ranker.scores(long._core, counts, heads, of_words) for _ in range(20)])
    heads[1] = 1 - heads[1]
    trainer = _core.RankTrainer(
        long._core,
        counts=counts,
        heads=heads,
        labels=of_words,
        losses=np.arange(64, dtype=np.int32),
        label_names=labels,
        templates=templates,
        bits=12,
        fine=True,
        aggressiveness=1.0,
        seed=1,
    )
    assert_ends_early(lambda: [trainer.run(FOREVER) for _ in range(20)])


def test_segmentation_is_interrupted():
    text = "It is so, or it is not so, and who would say which of them it is? " * 200
    ends = np.arange(1, len(text), 3, dtype=np.uint32)
    trainer = _core.SegmentationTrainer(
        [text] * 20,
        [ends] * 20,
        [np.ones(len(ends), np.uint8)] * 20,
        _core.Splits([], []),
        alpha=0.1,
        rho=0.1,
        penalty=0.1,
        cutoff=0.0,
        k=1,
        seed=1,
        prune=0.0,
        plain=1,
    )
    trainer.epoch()
    arrays = trainer.arrays()
    assert_ends_early(lambda: [trainer.epoch() for _ in range(50)])
    with pytest.raises(RuntimeError, match="in the middle of an epoch"):
        trainer.epoch()
    for name in ("features", "weights"):
        del arrays[name]
    segmenter = _core.Segmenter(**arrays, splits=_core.Splits([], []), bias=0.0)
    position = _core.TextPosition()

    def segment():
        segmenter.segment(
            (text * 200).encode(),
            position,
            line_is_sentence=False,
            blank_lines=False,
            max_words=100,
            ranges=False,
            whole=True,
        )

    assert_ends_early(segment)


def test_only_the_main_thread_runs_handlers(parsers, longest):
    """The others go on with their work, and so does what they call."""
    parsed = []
    worker = threading.Thread(target=lambda: parsed.append(parsers["adagrad"].parse(longest)))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        worker.start()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10)
        worker.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(parsed[0]) == 1


def test_a_handler_cannot_use_a_run_that_is_at_work(longer):
    trainer = Training(longer, options=ParserOptions.of(learner="network"))._core
    refused = []

    def look(*_):
        try:
            trainer.state()
        except RuntimeError as error:
            refused.append(str(error))

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        trainer.run(FOREVER)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert refused and "at work already" in refused[0]
    trainer.state()
