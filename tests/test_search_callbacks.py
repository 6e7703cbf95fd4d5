"""Whatever a task's Python code does while it is asked: errors are sentences, and memory stays whole.

A crash here ends the whole test run; under a sanitizer it need not come to that.
"""

from __future__ import annotations

import gc
import itertools
import threading

import numpy as np
import pytest

from arcwise import _core, search
from arcwise.errors import SearchError

AGAIN = "while another prediction is being made"
MANY = 200
"""Of features or questions: enough for what was kept of them to move elsewhere in memory."""


class Does:
    """Does something when it is converted, hashed or compared, and is then a number like others."""

    def __init__(self, action, value=1):
        self.action = action
        self.value = value

    def __index__(self):
        self.action()
        return self.value

    def __float__(self):
        self.action()
        return float(self.value)

    def __hash__(self):
        self.action()
        return hash("a")

    def __eq__(self, other):
        self.action()
        return other == "a"


class Task(search.Task):
    actions = ("a", "b")

    def __init__(self, run):
        self.run = run


def trained(run, **options):
    return search.train(Task(run), range(3), epochs=2, bits=10, progress=False, **options)


def ask_again(search):
    """Asks so often that everything is moved that can be."""

    def ask():
        for _ in range(MANY):
            search.predict([str(i) for i in range(MANY)], reference="a")

    return ask


QUESTIONS = {
    "features": lambda do: {"features": lambda: do() or ["x"]},
    "a feature": lambda do: {"features": ["x", Does(do), "y"]},
    "a feature's value": lambda do: {"features": [("x", Does(do)), "y"]},
    "a value in a dict": lambda do: {"features": {"n": {"x": Does(do), "y": 2}}},
    "a cost": lambda do: {"costs": [Does(do), 0]},
    "a cost in a dict": lambda do: {"costs": {"a": Does(do), "b": 0}},
    "a reference": lambda do: {"reference": Does(do)},
    "one of several references": lambda do: {"reference": ["a", Does(do)]},
    "an allowed action": lambda do: {"allowed": [Does(do), "b"]},
    "a tuple of allowed actions": lambda do: {"allowed": (Does(do), "b")},
    "an iterator over actions": lambda do: {"allowed": (do() or action for action in ("a", "b"))},
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("rollout", ["reference", "learned"])
def test_a_question_does_not_ask_another(question, rollout):
    def run(search, _):
        search.predict(["first"], reference="a")
        search.predict(**{"features": ["x"], "reference": "a", **question(ask_again(search))})
        search.loss(0)

    with pytest.raises(SearchError, match=AGAIN):
        trained(run, rollout=rollout)


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_a_question_states_no_loss(question):
    def run(search, _):
        given = {"features": ["x"], "reference": "a", **question(lambda: search.loss(1))}
        search.predict(**given)
        search.loss(0)

    with pytest.raises(SearchError, match=AGAIN):
        trained(run)


def test_a_loss_does_not_ask():
    def run(search, _):
        search.predict(["x"], reference="a")
        search.loss(Does(ask_again(search)))

    with pytest.raises(SearchError, match=AGAIN):
        trained(run)


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_a_question_that_failed_counts_for_nothing(question):
    """A run that goes on after it learns what one would that never asked."""

    def run_with(fails):
        def run(search, _):
            taken = []
            for i in range(5):
                if fails:
                    with pytest.raises(SearchError, match=AGAIN):
                        given = {"features": ["x"], "reference": "a", **question(ask_again(search))}
                        search.predict(**given)
                taken.append(search.predict([str(i)], reference="a"))
            search.loss(taken.count("b"))

        return trained(run, rollout="none")._learner.state()

    expected = run_with(False)
    for name, array in run_with(True).items():
        np.testing.assert_array_equal(array, expected[name])


@pytest.mark.parametrize(
    "change",
    [
        lambda features: features.clear(),
        lambda features: features.extend(str(i) for i in range(10 * MANY)),
        lambda features: features.append(Does(lambda: None)),
    ],
    ids=["clear", "extend", "append"],
)
@pytest.mark.parametrize("as_value", [False, True])
def test_a_list_of_features_that_changes_while_it_is_read(change, as_value):
    features = [str(i) for i in range(MANY)]
    does = Does(lambda: change(features))
    features[1] = ("x", does) if as_value else does
    with pytest.raises(ValueError, match="changed while they were read"):
        _core.features_in(features)


@pytest.mark.parametrize("change", ["clear", "update"])
def test_a_dict_of_features_that_changes_while_it_is_read(change):
    group = {str(i): 1 for i in range(MANY)}
    arguments = () if change == "clear" else (dict.fromkeys(range(10 * MANY), 1),)
    group["0"] = Does(lambda: getattr(group, change)(*arguments))
    with pytest.raises(ValueError, match="changed while they were read"):
        _core.features_in({"n": group})


def test_namespaces_that_change_while_they_are_read():
    features = {"a": [Does(lambda: features.clear()), "x"], "b": ["y"]}
    with pytest.raises(ValueError, match="changed while they were read"):
        _core.features_in(features)


def test_items_that_are_replaced_while_they_are_read():
    """As many as before, but others: those that were there are held for as long as they are needed."""
    features = [str(i) for i in range(MANY)]

    def replace():
        features[:] = [str(i) * 3 for i in range(MANY)]
        gc.collect()

    features[0] = Does(replace)
    assert len(_core.features_in(features)["keys"]) == MANY


def test_an_item_whose_end_changes_the_list():
    features = []

    class Last:
        def __index__(self):
            features[0] = "x"  # this is the last that is heard of it
            return 1

        def __del__(self):
            features.clear()

    features.extend([Last(), "a", "b"])
    with pytest.raises(ValueError, match="changed while they were read"):
        _core.features_in(features)


def test_costs_in_a_dict_that_is_cleared():
    costs = {"a": Does(lambda: costs.clear()), "b": 0}

    def run(search, _):
        search.predict(["x"], reference="a", costs=costs)
        search.loss(0)

    with pytest.raises(SearchError, match="no cost for 'b'"):
        trained(run)


def test_references_in_a_list_that_changes():
    def run(search, _):
        references = ["a"]
        references.append(Does(lambda: references.clear()))
        search.predict(["x"], reference=references)
        search.loss(0)

    trained(run)


def test_costs_without_an_end_are_refused():
    def run(search, _):
        search.predict(["x"], reference="a", costs=itertools.repeat(1))
        search.loss(0)

    with pytest.raises(SearchError, match="more costs than the 2 allowed actions"):
        trained(run)


class OfTheUser(Exception):
    pass


@pytest.mark.parametrize("where", ["a cost", "a feature", "a feature's value", "a reference"])
def test_errors_in_conversions_come_through(where):
    def fail():
        raise OfTheUser

    def run(search, _):
        search.predict(**{"features": ["x"], "reference": "a", **QUESTIONS[where](fail)})
        search.loss(0)

    with pytest.raises(OfTheUser):
        trained(run)


def test_a_message_survives_any_repr():
    class Odd:
        def __repr__(self):
            return "\ud800 odd"

    def run(search, _):
        search.predict(["x"], reference=Odd())

    with pytest.raises(SearchError, match=r"\\ud800 odd is not one of the task's actions"):
        trained(run)


# The search itself.


def core_search(actions=("a", "b")):
    learner = _core.CostSensitiveLearner(2, bits=10)
    options = search.SearchOptions(rollout="learned")._for_the_core()
    return _core.Search(learner, actions, options), learner


@pytest.mark.parametrize("inner", ["train", "examine", "predict"])
@pytest.mark.parametrize("where", ["run", "features"])
def test_a_run_inside_another_of_the_same_search(inner, where):
    core, _ = core_search()
    refused = []

    def nested(*_):
        arguments = (0,) if inner == "predict" else (1, 0)
        try:
            getattr(core, inner)(decode, None, *arguments)
        except SearchError as error:
            refused.append(str(error))
        return ["x"]

    def decode(search, _):
        for i in range(3):
            search.predict([str(i)], reference="a")
        search.loss(0)

    def run(search, _):
        taken = []
        for i in range(5):
            if where == "run":
                nested()
            taken.append(search.predict(nested if where == "features" else [str(i)], reference="a"))
        search.loss(taken.count("b"))

    for _ in range(3):
        core.train(run, None, 1, 0)
    # A prediction has a run of its own, which is no other's; inside another question it cannot ask.
    assert bool(refused) == (inner != "predict" or where == "features")


def test_a_run_that_is_shown_to_another_thread():
    shown = []

    def ask(search):
        for question in (lambda: search.predict(["x"]), lambda: search.loss(1)):
            try:
                question()
            except SearchError as error:
                shown.append(str(error))

    def run(search, _):
        search.predict(["x"], reference="a")
        other = threading.Thread(target=ask, args=(search,))
        other.start()
        other.join()
        search.loss(0)

    trained(run)
    assert shown and all("in another thread than that of the run" in message for message in shown)


def test_a_task_in_several_threads_at_once():
    """Of a search of their own each gets its answers; one that they share refuses the others."""
    turns = threading.Barrier(2)

    def run(search, _):
        def features():
            turns.wait(timeout=10)  # both are in the middle of a question
            return ["x"]

        for _ in range(20):
            search.predict(features, reference="a")
        search.loss(0)
        return "done"

    def in_two_threads(work):
        outcomes = []

        def collect():
            try:
                outcomes.append(work())
            except (SearchError, threading.BrokenBarrierError) as error:
                outcomes.append(error)
                turns.abort()

        threads = [threading.Thread(target=collect) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return outcomes

    model = search.Model(Task(run), ("a", "b"), search.SearchOptions(), core_search()[1])
    assert in_two_threads(lambda: model.predict([None], progress=False)) == [["done"], ["done"]]
    core, _ = core_search()
    outcomes = in_two_threads(lambda: core.train(run, None, 1, 0))
    assert any("inside another of the same search" in str(outcome) for outcome in outcomes)


def test_actions_that_are_not_those_of_the_learner():
    for actions in ((), ("a",), ("a", "b", "c")):
        with pytest.raises(ValueError, match="another number of actions"):
            core_search(actions)


# A learner by itself.


@pytest.mark.parametrize("call", ["costs", "best", "learn", "rows"])
def test_features_do_not_come_back_to_the_learner(call):
    learner = _core.CostSensitiveLearner(2, bits=10)

    def come_back():
        learner.best([str(i) for i in range(MANY)])

    arguments = {"costs": [0.0, 1.0]} if call == "learn" else {}
    with pytest.raises(RuntimeError, match="at work already"):
        getattr(learner, call)([Does(come_back), "x"], **arguments)
    getattr(learner, call)(["x"], **arguments)


def test_lists_of_numbers_that_change_while_they_are_read():
    learner = _core.CostSensitiveLearner(3, bits=10)
    costs, allowed = [0.0, 1.0, 2.0], [0, 1, 2]
    costs[0] = Does(lambda: (costs.clear(), gc.collect()))
    allowed[0] = Does(lambda: (allowed.clear(), gc.collect()), 0)
    learner.learn(["x"], costs)
    assert learner.best(["x"], allowed) in (0, 1, 2)
