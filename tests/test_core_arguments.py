"""The private functions of the core refuse what makes no sense: none crashes, hangs or reads beyond."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from arcwise import Parser, Treebank, _core, names, network
from arcwise.errors import TreebankError
from arcwise.options import ParserOptions
from arcwise.search import SearchOptions
from arcwise.training import Training

Kind = _core.ConstraintKind
MOST = 2**31 - 1
REFUSALS = (ValueError, IndexError, TypeError, OverflowError)


NOTHING = np.zeros(0, np.float32)
ONE = np.zeros(1, np.float32)


def int32s(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


@pytest.fixture(scope="module")
def few(garden: Treebank) -> Treebank:
    return garden[:5]


@pytest.fixture(scope="module")
def parsers(some: Treebank) -> dict[str, Parser]:
    def trained(system: str) -> Parser:
        return Training(some, options=ParserOptions.of(epochs=1, learner="adagrad", system=system)).finish()

    return {system: trained(system) for system in ("arc-eager", "easy-first")}


BAD_PARSING = {
    "a beam of 0": lambda p, t: p.parse(t, beam=0),
    "a beam of -5": lambda p, t: p.parse(t, beam=-5),
    "a beam beyond all measure": lambda p, t: p.parse(t, beam=MOST),
    "estimates of a beam of 0": lambda p, t: p.estimates(t, beam=0),
    "a temperature of 0": lambda p, t: p.estimates(t, temperature=0.0),
    "a temperature that is no number": lambda p, t: p.estimates(t, temperature=math.nan),
    "a negative temperature": lambda p, t: p.drawn(t, 1, 1, 1, temperature=-1.0),
    "alpha that is no number": lambda p, t: p.parse(t, beam=2, alpha=math.nan),
    "no tree": lambda p, t: p.best(t, 0, 4),
    "-1 trees": lambda p, t: p.best(t, -1, 4),
    "the best of a beam of 0": lambda p, t: p.best(t, 1, 0),
    "no samples": lambda p, t: p.marginals(t, t.heads, t.labels, 0, 1),
    "-1 samples": lambda p, t: p.marginals(t, t.heads, t.labels, -1, 1),
    "samples beyond all measure": lambda p, t: p.marginals(t, t.heads, t.labels, MOST, 1),
    "a tree too short": lambda p, t: p.marginals(t, t.heads[1:], t.labels, 5, 1),
    "labels too short": lambda p, t: p.marginals(t, t.heads, t.labels[1:], 5, 1),
    "a sample of no trees": lambda p, t: p.drawn(t, 0, 5, 1),
    "trees of no samples": lambda p, t: p.drawn(t, 1, 0, 1),
    "gold heads beyond the sentence": lambda p, t: p.check_moves(t, t.heads + 1000, t.labels, [1.0]),
    "negative gold heads": lambda p, t: p.check_moves(t, t.heads - 1000, t.labels, [1.0]),
    "gold heads of -2": lambda p, t: p.check_moves(t, t.heads * 0 - 2, t.labels, [1.0]),
    "a gold tree too short": lambda p, t: p.check_moves(t, t.heads[:0], t.labels[:0], [1.0]),
    "temperatures of 0": lambda p, t: p.check_moves(t, t.heads, t.labels * 0, [0.0]),
    "a trace of no sentence": lambda p, t: p.trace(t, 5),
    "a trace of sentence -1": lambda p, t: p.trace(t, -1),
    "a choice beyond the legal moves": lambda p, t: p.trace(t, 0, choose=lambda *state: 10**6),
    "a choice of -1": lambda p, t: p.trace(t, 0, choose=lambda *state: -1),
    "a choice of none": lambda p, t: p.trace(t, 0, choose=lambda *state: None),
    "scores of no sentence": lambda p, t: p.scores(t, 99, []),
    "a move that is not legal": lambda p, t: p.scores(t, 0, [(0, 9999)]),
    "a move of -1": lambda p, t: p.scores(t, 0, [(0, -1)]),
    "a site far away": lambda p, t: p.scores(t, 0, [(MOST, 0)]),
    "a negative site": lambda p, t: p.scores(t, 0, [(-1000, 0)]),
}


@pytest.mark.parametrize("system", ["arc-eager", "easy-first"])
@pytest.mark.parametrize("call", BAD_PARSING.values(), ids=BAD_PARSING)
def test_parsing_refuses(parsers, few, system, call):
    with pytest.raises(REFUSALS):
        call(parsers[system]._core, few._core)


def test_constraints_of_longer_sentences_are_refused(parsers, few):
    parser = parsers["arc-eager"]._core
    by_length = sorted(range(len(few)), key=lambda i: len(few[i]))
    longest = few[by_length[-1]]
    of_longest, of_shortest = (few.select([by_length[i]])._core for i in (-1, 0))
    for kind, value in ((Kind.HEAD, 1), (Kind.LABEL, 0), (Kind.SUBTREE, len(longest))):
        given = _core.Constraints(
            of_longest,
            "text",
            list(few._core.label_names),
            int32s(0),
            int32s(int(kind)),
            int32s(len(longest)),
            int32s(value),
        )
        with pytest.raises(ValueError, match="constraints of another treebank"):
            parser.parse(of_shortest, constraints=given)


@pytest.mark.parametrize(
    ("sentences", "kinds", "words", "values"),
    [
        ([0], [4], [1], [2]),
        ([0], [-1], [1], [2]),
        ([0], [256], [1], [2]),
        ([0], [0], [0], [1]),
        ([0], [0], [MOST], [1]),
        ([0], [0], [1], [MOST]),
        ([0], [0], [1], [-1]),
        ([0], [0], [1], [1]),
        ([0], [2], [1], [1]),
        ([0], [2], [1], [-1]),
        ([0], [3], [2], [1]),
        ([-1], [0], [1], [2]),
        ([99], [0], [1], [2]),
        ([1, 0], [0, 0], [1, 1], [2, 2]),
        ([0, 0], [0], [1], [2]),
        ([], [0], [], []),
    ],
)
def test_constraints_refuse(few, sentences, kinds, words, values):
    arrays = (int32s(*column) for column in (sentences, kinds, words, values))
    with pytest.raises(ValueError):
        _core.Constraints(few._core, "text", ["det"], *arrays)


@pytest.mark.parametrize(
    ("words", "constraints"),
    [(-1, []), (MOST, []), (3, [(Kind.HEAD, 4, 1)]), (3, [(Kind.HEAD, 1, -1)]), (0, [(Kind.SUBTREE, 1, 1)])],
)
def test_any_tree_refuses(words, constraints):
    with pytest.raises(ValueError):
        _core.any_tree(words, True, constraints)


@pytest.mark.parametrize("system", names.SYSTEMS)
@pytest.mark.parametrize(
    "arguments",
    [
        {"words": -1},
        {"words": MOST},
        {"labels": []},
        {"labels": [-1]},
        {"root_labels": []},
        {"root_labels": [-7]},
        {"right_labels": []},
        {"system": "arc-odd"},
        {"constraints": [(Kind.HEAD, 0, 1)]},
        {"constraints": [(Kind.HEAD, 1, 1)]},
        {"constraints": [(Kind.HEAD, 99, 1)]},
        {"constraints": [(Kind.HEAD, 1, 99)]},
        {"constraints": [(Kind.LABEL, 9, 1)]},
        {"constraints": [(Kind.LABEL, 0, 1)]},
        {"constraints": [(Kind.LABEL, 1, -1)]},
        {"constraints": [(Kind.LABEL, 1, MOST)]},
        {"constraints": [(Kind.SUBTREE, 2, 1)]},
        {"constraints": [(Kind.SUBTREE, 1, 99)]},
        {"constraints": [(Kind.NOT_HEAD, -3, 0)]},
    ],
)
def test_walks_refuse(system, arguments):
    with pytest.raises(ValueError):
        _core.Walk.start(**{"system": system, "words": 3, "labels": [0, 1], "root_labels": [2], **arguments})


@pytest.mark.parametrize("system", names.SYSTEMS)
def test_walks_bear_any_moves_and_any_gold_heads(system):
    """Cycles, words that are their own heads and crossing arcs among them."""
    chance = random.Random(1)
    for trial in range(60):
        words = chance.randint(0, 6)
        walk = _core.Walk.start(system, words, [0, 1], [2], root_first=trial % 2 == 1)
        for move in ((0, 9999), (-1, 0), (MOST, 0), (words + 2, 0), (0, -1)):
            with pytest.raises(ValueError, match="not legal"):
                walk.apply(move)
        while True:
            heads, labels = (int32s(*(chance.randint(-1, m) for _ in range(words))) for m in (words, 9))
            walk.costs(heads[None], labels[None])
            if walk.done:
                break
            if system != "easy-first":
                walk.static_move(heads, labels)
            walk.apply(chance.choice(walk.legal()))
        assert walk.legal() == []
        if system != "easy-first":
            with pytest.raises(ValueError, match="done"):
                walk.static_move(heads, labels)


def test_gold_trees_of_another_length_are_refused():
    walk = _core.Walk.start("arc-eager", 3, [0], [1])
    good, short, far = np.zeros((1, 3), np.int32), np.zeros((1, 2), np.int32), np.full((1, 3), 9, np.int32)
    for heads, labels in ((short, short), (good, short), (far, good), (-far, good), (good, good[:0])):
        with pytest.raises(ValueError):
            walk.costs(heads, labels)
    for heads, labels in ((short[0], short[0]), (good[0], short[0]), (far[0], good[0])):
        with pytest.raises(ValueError):
            walk.static_move(heads, labels)


@pytest.mark.parametrize(
    "arguments",
    [
        {"labels": []},
        {"labels": [0]},
        {"heads": [9, 0]},
        {"heads": [-2, 0]},
        {"labels": [3, 0]},
        {"labels": [-2, 0]},
        {"label_count": 0},
        {"label_count": -5},
        {"label_count": MOST},
        {"system": "easy-first"},
        {"system": "arc-odd"},
        {"wrong_head": math.nan},
        {"wrong_label": math.inf},
    ],
)
def test_examining_a_system_refuses(arguments):
    given = {
        "system": "arc-eager",
        "heads": [2, 0],
        "labels": [0, 1],
        "label_count": 1,
        "root_first": False,
        "single_root": True,
        "label_apart": True,
        "exact": True,
        "wrong_head": 2.0,
        "wrong_label": 1.0,
        "options": SearchOptions()._for_the_core(),
    }
    assert _core.examine_system(**given)
    with pytest.raises(ValueError):
        _core.examine_system(**{**given, **arguments})


def test_examining_a_system_bears_any_heads():
    chance = random.Random(2)
    for system, label_apart, exact in itertools.product(
        ("arc-eager", "arc-hybrid"), (True, False), (True, False)
    ):
        for _ in range(5):
            words = chance.randint(0, 5)
            _core.examine_system(
                system,
                [chance.randint(-1, words) for _ in range(words)],
                [chance.randint(-1, 2) for _ in range(words)],
                label_count=2,
                root_first=False,
                single_root=True,
                label_apart=label_apart,
                exact=exact,
                wrong_head=2.0,
                wrong_label=1.0,
                options=SearchOptions()._for_the_core(),
            )


def frozen_network(**changes) -> object:
    def zeros(*shape):
        return np.zeros(math.prod(shape), np.float32)

    width, hidden, positions, classes = 16, 16, 2, 3
    sizes = {
        "encoder": "conv",
        "layers": 1,
        "window": 1,
        "width": width,
        "hidden": hidden,
        "keys": np.zeros(0, np.uint64),
        "tokens": zeros(5, width),
        "encoder_weights": [zeros(3 * width, 2 * width)],
        "encoder_bias": [zeros(2 * width)],
        "positions": zeros(width, positions, hidden),
        "absent": zeros(positions, hidden),
        "extras": zeros(1, hidden),
        "hidden_bias": zeros(hidden),
        "moves": zeros(hidden, classes),
        "move_bias": zeros(classes),
        "most_hidden": 1.0,
    }
    return _core.freeze_network(**{**sizes, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"encoder": "odd"},
        {"layers": 2},
        {"layers": -1},
        {"layers": MOST},
        {"window": -1},
        {"window": MOST},
        {"width": 0},
        {"width": -16},
        {"width": MOST},
        {"hidden": 0},
        {"hidden": MOST},
        {"encoder_weights": []},
        {"encoder_weights": [ONE]},
        {"encoder_bias": []},
        {"encoder_bias": [ONE]},
        {"most_hidden": 0.0},
        {"most_hidden": math.nan},
        *({name: value} for name in ("positions", "hidden_bias", "moves") for value in (NOTHING, ONE)),
        *({name: ONE} for name in ("tokens", "absent", "extras")),
        {"absent": NOTHING},
        {"move_bias": NOTHING},
        {"move_bias": ONE},
    ],
    ids=lambda changes: " ".join(f"{name}-{np.size(value)}" for name, value in changes.items()),
)
def test_freezing_a_network_refuses(changes):
    frozen_network()
    with pytest.raises(ValueError):
        frozen_network(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"left": [2]},
        {"left": [-1]},
        {"right": []},
        {"root": [MOST]},
        {"completion": 2},
        {"completion": -1},
    ],
)
def test_label_sets_refuse(changes):
    given = {
        "labels": [(0, -2, False), (1, -2, False)],
        "left": [0],
        "right": [0],
        "root": [1],
        "completion": 0,
    }
    _core.LabelSet(**given)
    with pytest.raises(ValueError):
        _core.LabelSet(**{**given, **changes})


def test_tags_of_another_treebank_are_refused(garden):
    training = Training(garden[:5], options=ParserOptions.of(learner="network"))
    tags = _core.TaggingSet(garden[5:10]._core, leave_out=[], least_forms=1, least_uses=1)
    network, run = training.learner.core_options(training.run), training._run_options()
    for make in (
        lambda: _core.Trainer.tagger(garden[:5]._core, run, network, tags),
        lambda: _core.Trainer.joint(garden[:5]._core, run, network, tags, network),
        lambda: _core.TaggingWalk(tags, garden[:5]._core, 0),
    ):
        with pytest.raises(ValueError, match="those of another treebank"):
            make()


@pytest.mark.parametrize(
    "changes",
    [
        {"epochs": 0},
        {"epochs": -1},
        {"batch": 0},
        {"longest_affix": 99},
        {"longest_affix": -1},
        {"width": -16},
        {"hidden": MOST},
        {"layers": -1},
        {"window": MOST},
        {"rate": math.nan},
        {"vectors": ONE, "vector_keys": np.zeros(2, np.uint64)},
    ],
)
def test_network_options_refuse(few, changes):
    training = Training(few, options=ParserOptions.of(learner="network"))
    learning = network.learning(training.options.learner, few.word_count)
    given = {**training.network, **learning, "epochs": 1, "threads": 1}
    _core.Trainer.network(few._core, training._run_options(), _core.NetworkOptions(**given))
    with pytest.raises(ValueError):
        options = _core.NetworkOptions(**{**given, **changes})
        _core.Trainer.network(few._core, training._run_options(), options)


def test_walks_of_taggers_refuse_words_that_are_not_tagged(garden):
    tags = _core.TaggingSet(garden[:5]._core, leave_out=[], least_forms=1, least_uses=1)
    for sentence in (5, -1, MOST):
        with pytest.raises((IndexError, TypeError)):
            _core.TaggingWalk(tags, garden[:5]._core, sentence)
    walk = _core.TaggingWalk(tags, garden[:5]._core, 0)
    for word in (-1, 0, MOST, -MOST):
        for look in (walk.values, walk.rule):
            with pytest.raises(IndexError):
                look(word)
    for move in (-1, MOST):
        with pytest.raises(ValueError):
            walk.apply(move)


def segmentation_trainer(**changes) -> object:
    given = {
        "texts": ["so it is"],
        "ends": [np.array([2, 5, 8], np.uint32)],
        "boundaries": [np.array([1, 1, 3], np.uint8)],
        "splits": _core.Splits([], []),
        "alpha": 0.1,
        "rho": 0.1,
        "penalty": 0.1,
        "cutoff": 0.0,
        "k": 1,
        "seed": 1,
        "prune": 0.0,
        "plain": 1,
    }
    return _core.SegmentationTrainer(**{**given, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"texts": []},
        {"texts": ["a", "b"]},
        {"ends": []},
        {"boundaries": []},
        {"boundaries": [np.array([1], np.uint8)]},
        {"boundaries": [np.array([1, 1, 77], np.uint8)]},
        {"alpha": 0.0},
        {"rho": math.nan},
        {"penalty": -1.0},
        {"cutoff": 1.0},
        {"k": -1},
        {"prune": math.nan},
    ],
)
def test_training_a_segmenter_refuses(changes):
    segmentation_trainer()
    with pytest.raises(ValueError):
        segmentation_trainer(**changes)


def test_segmenting_refuses():
    trainer = segmentation_trainer()
    trainer.epoch()
    arrays = {n: a for n, a in trainer.arrays().items() if n not in ("features", "weights")}
    segmenter = _core.Segmenter(**arrays, splits=_core.Splits([], []), bias=0.0)

    def segment(text=b"so it is", max_words=10):
        return segmenter.segment(
            text,
            _core.TextPosition(),
            line_is_sentence=False,
            blank_lines=False,
            max_words=max_words,
            ranges=False,
            whole=True,
        )

    assert segment()[1] == 8
    for words in (0, -1, -MOST):
        with pytest.raises(ValueError):
            segment(max_words=words)
    for text in (b"\xff\xfe", b"\xe2\x82", b"\xed\xa0\x80", b"so\0"):
        with pytest.raises(ValueError, match="UTF-8"):
            segment(text)


@pytest.mark.parametrize("bits", [0, -1, 9, 31, 64, MOST])
def test_features_of_trees_refuse(few, bits):
    with pytest.raises(ValueError):
        _core.tree_features(["arc: h.form"], ["x"], bits, few._core, 0, [], [])


def test_features_of_trees_refuse_trees_that_are_none(few):
    words = len(few[0])
    for heads, labels in (
        ([[0] * words], []),
        ([[0]], [[0]]),
        ([[99] * words], [[0] * words]),
        ([[0] * words], [[9] * words]),
    ):
        with pytest.raises(ValueError):
            _core.tree_features(["arc: h.form"], ["x"], 12, few._core, 0, heads, labels)


def test_rankers_refuse_candidates_that_do_not_fit(few):
    ranker = _core.Ranker(
        templates=["arc: h.form"],
        labels=list(few._core.label_names),
        weights=np.ones(1 << 12, np.int16),
        scale=1.0,
    )
    counts, heads, labels = np.ones(5, np.int32), few.heads, few._core.labels
    ranker.scores(few._core, counts, heads, labels)
    for bad in (
        (counts[1:], heads, labels),
        (counts * 0, heads, labels),
        (-counts, heads, labels),
        (counts * MOST, heads, labels),
        (counts, heads[1:], labels),
        (counts, heads, labels[1:]),
        (counts, heads + 999, labels),
        (counts, heads * 0 - 2, labels),
        (counts, heads, labels + 999),
        (counts, heads, labels - 999),
    ):
        with pytest.raises(ValueError):
            ranker.scores(few._core, *bad)


def test_other_functions_refuse(few):
    for call in (
        lambda: _core.shuffled(2**40, 1, 1),
        lambda: _core.best_mixture(np.zeros(0), np.zeros(0), 0.5),
        lambda: _core.best_mixture(np.zeros(2), np.zeros(3), 0.5),
        lambda: _core.boundary_keys("abc", 3),
        lambda: _core.boundary_keys("abc", -1),
        lambda: few._core.slice(0, 99),
        lambda: few._core.select([99]),
        lambda: few._core.select([-1]),
        lambda: few._core.text(10**9, _core.Column.FORM),
        lambda: few._core.with_trees(few.heads[1:], few._core.labels, []),
        lambda: few._core.with_trees(few.heads, few._core.labels, []),
        lambda: _core.projectivize(int32s(5), int32s(0), "head"),
        lambda: _core.projectivize(int32s(0), int32s(), "head"),
        lambda: _core.deprojectivize(int32s(0), int32s(), int32s(), np.zeros(0, bool), "head"),
        lambda: _core.deprojectivize(int32s(1), int32s(0), int32s(-2), np.zeros(1, bool), "head"),
        lambda: _core.is_projective(int32s(-2)),
        lambda: _core.CostSensitiveLearner(0),
        lambda: _core.CostSensitiveLearner(2, bits=99),
    ):
        with pytest.raises((*REFUSALS, TreebankError)):
            call()
    assert isinstance(_core.character_kind(2**32 - 1), int)
