"""Tasks of learning to search, decoded with a beam: what it finds, and what replays demand of a task."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import _core, search
from arcwise.errors import OptionError, SearchError


class Tree(search.Task):
    """Walks down a random tree: which actions there are, and whether any, depends on those before."""

    actions = (0, 1, 2)

    def __init__(self, seed, depth=4):
        self.seed, self.depth = seed, depth
        self.runs = 0

    def allowed(self, prefix):
        draw = random.Random(f"{self.seed} {prefix}")
        if prefix and (len(prefix) == self.depth or draw.random() < 0.2):
            return ()
        return tuple(draw.sample(self.actions, draw.choice((1, 2, 3, 3))))

    def run(self, search, example):
        self.runs += 1
        prefix = ()
        while allowed := self.allowed(prefix):
            prefix += (search.predict([str(prefix)], allowed=allowed),)
        return prefix

    def model(self):
        """Of some states the costs are known, and the others are much alike: there are ties."""
        learner = _core.CostSensitiveLearner(3, bits=12)
        draw = random.Random(self.seed)
        for length in range(self.depth):
            for prefix in itertools.product(self.actions, repeat=length):
                allowed = self.allowed(prefix)
                if len(allowed) > 1 and draw.random() < 0.7:
                    costs = [draw.choice((0.0, 0.3, 1.0)) for _ in allowed]
                    learner.learn([str(prefix)], costs, list(allowed))
        return search.Model(self, self.actions, search.SearchOptions(), learner)


def children(model, cost, prefix):
    """What each action comes to: the sum of costs, the predicted cost, and the longer prefix."""
    allowed = model.task.allowed(prefix)
    costs = [0.0] * len(allowed)
    if len(allowed) > 1:
        costs = model._learner.costs([str(prefix)], list(allowed)).tolist()
    return [(cost + max(c, 0.0), c, (*prefix, a)) for a, c in zip(allowed, costs, strict=True)]


def beam_of(model, width):
    """The same search where states can be had without replays."""
    beam = [(0.0, ())]
    while any(model.task.allowed(prefix) for _, prefix in beam):
        candidates = []
        for place, (cost, prefix) in enumerate(beam):
            longer = children(model, cost, prefix) or [(cost, 0.0, prefix)]
            candidates += [(c, place, p, i, after) for i, (c, p, after) in enumerate(longer)]
        beam = [(cost, after) for cost, *_, after in sorted(candidates)[:width]]
    return beam[0][1]


def all_derivations(model, cost=0.0, prefix=()):
    """Each with its cost."""
    below = children(model, cost, prefix)
    if not below:
        yield cost, prefix
    for longer, _, after in below:
        yield from all_derivations(model, longer, after)


@given(seed=st.integers(0, 10**6), width=st.integers(2, 9))
def test_a_beam_of_replays_is_a_beam(seed, width):
    model = Tree(seed).model()
    greedy = model.predict_one(None)
    assert greedy == model.predict_one(None, beam=1) == beam_of(model, 1)
    model.task.runs = 0
    found = model.predict_one(None, beam=width)
    assert found == beam_of(model, width)
    # The first run, at most width - 1 at each step, and one for the output.
    assert model.task.runs <= 2 + (width - 1) * model.task.depth


@given(seed=st.integers(0, 10**6))
def test_a_wide_beam_finds_the_best_of_all_derivations(seed):
    model = Tree(seed).model()
    costs = {prefix: cost for cost, prefix in all_derivations(model)}
    assert costs[model.predict_one(None, beam=1000)] == min(costs.values())


class Tagger(search.Task):
    """Sees one word and the last tag, together."""

    actions = ("A", "B")

    def run(self, search, example):
        words, gold = example
        tags = []
        for i, word in enumerate(words):
            last = tags[-1] if tags else "-"
            tags.append(search.predict([f"{last} {word}"], reference=gold[i] if gold else None))
        search.loss(sum(a != b for a, b in zip(tags, gold or tags, strict=True)))
        return tags


TAGGED = [*[("xa", "AA")] * 3, *[("xb", "BB")] * 2]


@pytest.mark.parametrize("options", [{}, {"update": "sgd", "rate": 0.1}, {"update": "ftrl", "rate": 0.2}])
def test_a_beam_recovers_where_greedy_search_errs(options):
    """An x is more often A; after an A a b was never seen, and whatever it gets is thought to cost more."""
    model = search.train(Tagger(), TAGGED, rollin="reference", rollout="none", epochs=40, **options)
    assert model.predict_one(("xb", None)) == ["A", "A"]
    assert model.predict_one(("xb", None), beam=2) == ["B", "B"]
    assert model.predict([("xb", None), ("xa", None)], beam=8) == [["B", "B"], ["A", "A"]]


def test_what_a_run_leaves_behind_is_that_of_the_best_derivation():
    class Marker(Tagger):
        def run(self, search, example):
            words, gold, marks = example
            marks[:] = super().run(search, (words, gold))

    model = search.train(Marker(), [(*e, []) for e in TAGGED], rollin="reference", rollout="none", epochs=40)
    for width, expected in ((1, ["A", "A"]), (2, ["B", "B"]), (4, ["B", "B"])):
        marks = []
        assert model.predict_one(("xb", None, marks), beam=width) is None
        assert marks == expected


@pytest.mark.parametrize("beam", [0, -5, 1.5, "8", None, 2**31])
def test_a_beam_that_is_none(beam):
    model = Tree(1).model()
    for ask in (lambda: model.predict([None], beam=beam), lambda: model.predict_one(None, beam=beam)):
        with pytest.raises(OptionError, match=r"A beam is at least 1 wide.* is not: give a whole number"):
            ask()


def test_the_core_refuses_a_beam_of_none():
    model = Tree(1).model()
    core = _core.Search(model._learner, model.actions, model.options._for_the_core())
    with pytest.raises(ValueError, match="at least 1 wide"):
        core.predict(model.task.run, None, 0, 0)


def test_pairs_have_no_costs_to_add_up():
    model = search.train(Tagger(), TAGGED, reduction="wap")
    assert model.predict_one(("xa", None), beam=1) == model.predict_one(("xa", None))
    with pytest.raises(OptionError, match=r"wap predicts only which .* or train with reduction='oaa'"):
        model.predict_one(("xa", None), beam=2)


def with_run(run, actions=("a", "b", "c")):
    """A model without weights: all actions cost the same, and the first are taken."""
    task = search.Task()
    task.run = run
    return search.Model(task, actions, search.SearchOptions(), _core.CostSensitiveLearner(3, bits=8))


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda n: [{"allowed": "ab" if n == 0 else "ac"}], r"another question .*'a', 'b' .*'a', 'c'"),
        (lambda n: [{"policy": 0}, {"policy": 0}] if n == 0 else [], "ended after 0 predictions, but"),
    ],
)
def test_a_replay_that_departs(question, message):
    times = itertools.count()

    def run(search, _):
        for asked in question(next(times)):
            search.predict(**{"features": ["x"], "allowed": "abc", **asked})

    with pytest.raises(SearchError, match=rf"Example 0.*{message}.*: a run may depend on nothing but its"):
        with_run(run).predict_one(None, beam=3)


@pytest.mark.parametrize(
    ("change", "message"), [("features", "other features than before"), ("length", "ended here before")]
)
def test_an_output_that_departs(change, message):
    """The first run is the best one, and when it is run again for its output it is another."""
    learner = _core.CostSensitiveLearner(3, bits=8)
    learner.learn(["x"], [0.0, 0.4, 1.0])
    taken = []

    def run(search, _):
        again = "a" in taken
        taken.append(search.predict(["y" if again and change == "features" else "x"]))
        if again and change == "length" and taken[-1] == "a":
            search.predict(["x"])

    model = with_run(run)
    model._learner = learner
    with pytest.raises(SearchError, match=rf"{message}: a run may depend on nothing but"):
        model.predict_one(None, beam=2)


def test_costs_beyond_all_numbers():
    learner = _core.CostSensitiveLearner(3, bits=8, update="sgd")
    learner.learn(["x"], [1e37, 2e37, 3e37])
    model = with_run(lambda search, _: search.predict([("x", 1e12)]))
    model._learner = learner
    with pytest.raises(SearchError, match=r"predicted cost of 'a' is not a finite number: give features"):
        model.predict_one(None, beam=2)


class OfTheUser(Exception):
    pass


@pytest.mark.parametrize("error", [OfTheUser, KeyboardInterrupt])
def test_errors_in_a_replay_come_through(error):
    times = itertools.count()

    def run(search, _):
        answer = search.predict(["x"])
        if next(times) == 1:
            raise error
        return answer

    model = with_run(run)
    with pytest.raises(error):
        model.predict_one(None, beam=2)
    assert model.predict_one(None, beam=2) == "a"


def test_a_question_in_a_replay_that_failed_counts_for_nothing():
    def run(search, _):
        taken = []
        for i in range(3):
            for bad in ({"allowed": ["z"]}, {"allowed": []}):
                with pytest.raises(SearchError):
                    search.predict(**{"features": ["x"], **bad})
            taken.append(search.predict([str(i)]))
        return taken

    assert with_run(run).predict_one(None, beam=5) == ["a", "a", "a"]


def test_a_replay_does_not_start_another_in_the_same_search():
    core = _core.Search(
        _core.CostSensitiveLearner(2, bits=8), ("a", "b"), search.SearchOptions()._for_the_core()
    )
    refused = []

    def run(search, _):
        for beam in (1, 2):
            with pytest.raises(SearchError, match="inside another of the same search"):
                core.predict(run, None, 0, beam)
            refused.append(beam)
        return [search.predict([str(i)]) for i in range(3)]

    assert core.predict(run, None, 0, 4) == ["a", "a", "a"]
    assert len(refused) > 4


def test_features_of_repeated_decisions_are_not_computed():
    """But once more for the output, to see that it is the same."""
    calls = []

    def run(search, _):
        return [search.predict(lambda i=i: calls.append(i) or [str(i)]) for i in range(2)]

    with_run(run).predict_one(None, beam=3)
    # Three runs have their first decision given and one is the output's.
    assert calls.count(0) == 2
