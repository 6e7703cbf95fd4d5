"""Learning to search: who acts where, what deviations cost, and what a task may not do."""

from __future__ import annotations

import itertools
import math
import re
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import _core, model_file, search
from arcwise.errors import ModelError, OptionError, SearchError
from walks import random_trees

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "search"
STEPS = 12
NOTHING_IS_LEARNT = {"update": "ftrl", "l1": 1e30}
"""All weights stay 0, and the learned policy with the first allowed action."""


class TwoWays(search.Task):
    """Each step goes the reference's way (1) or the other (0), which a policy without weights takes."""

    actions = (0, 1)

    def __init__(self):
        self.runs = []

    def run(self, search, example):
        taken = []
        for _ in range(STEPS):
            taken.append(search.predict(["always"], reference=1))
        if search.is_training:
            self.runs.append(taken)
        search.loss(STEPS - sum(taken))
        return taken


def runs_of(examples=1, **options):
    """The roll-ins, each with its roll-outs, of a task from which nothing is learnt."""
    task = TwoWays()
    model = search.train(task, range(examples), shuffle=False, **NOTHING_IS_LEARNT, **options)
    return task.runs, model


# Who acts where. Every example has one roll-in; a roll-out is a prefix of it, a deviation, and the rest.


def test_the_reference_rolls_in_and_out():
    runs, model = runs_of(epochs=1, rollin="reference", rollout="reference")
    assert runs[0] == [1] * STEPS
    # The action taken is followed by what the roll-in did: only the other one is rolled out.
    assert runs[1:] == [[1] * t + [0] + [1] * (STEPS - t - 1) for t in range(STEPS)]
    assert model.epochs[0].roll_outs == STEPS


def test_the_learned_policy_rolls_in_and_out():
    runs, _ = runs_of(epochs=1, rollin="learned", rollout="learned")
    assert runs[0] == [0] * STEPS
    assert runs[1:] == [[0] * t + [1] + [0] * (STEPS - t - 1) for t in range(STEPS)]


def test_learned_roll_in_and_reference_roll_out():
    runs, _ = runs_of(epochs=1, rollin="learned", rollout="reference")
    assert runs[0] == [0] * STEPS
    # Neither action of a step is followed by what the roll-in did, but after the last there is nothing.
    expected = [[0] * t + [a] + [1] * (STEPS - t - 1) for t in range(STEPS) for a in (0, 1)]
    assert runs[1:] == [run for run in expected if run != [0] * STEPS]


def test_dagger_rolls_in_with_the_reference_and_then_with_the_learned_policy():
    runs, model = runs_of(epochs=3, preset="dagger", deviations=1)
    assert model.options.resolved().rollout == "reference"
    starts = list(itertools.accumulate((1 + e.roll_outs for e in model.epochs), initial=0))
    assert [runs[s] for s in starts[:-1]] == [[1] * STEPS, [0] * STEPS, [0] * STEPS]


def test_aggrevate_rolls_in_with_a_mixture_and_out_with_the_reference():
    runs, model = runs_of(300, epochs=3, preset="aggrevate", rollout="none")
    assert model.options.resolved().per == "state"
    for epoch, share in ((0, 1.0), (1, 0.5), (2, 0.25)):
        taken = [a for run in runs[epoch * 300 : (epoch + 1) * 300] for a in run]
        assert sum(taken) / len(taken) == pytest.approx(share, abs=0.03)
    assert search.SearchOptions(preset="aggrevate").resolved().rollout == "reference"


def test_searn_rolls_in_and_out_with_the_mixture():
    runs, _ = runs_of(200, epochs=1, preset="searn", mixing="constant", beta=0.7, deviations=1)
    taken = [a for run in runs for a in run]
    assert sum(taken) / len(taken) == pytest.approx(0.7, abs=0.05)
    # Drawn in each state: hardly any run is of one policy.
    assert sum(len(set(run)) == 1 for run in runs) < len(runs) / 10


def test_lols_rolls_in_with_the_learned_policy_and_out_with_either_for_a_whole_roll_out():
    runs, _ = runs_of(200, preset="lols", epochs=1, deviations=1)
    tails = []
    for run in runs:
        if 1 in run:
            first = run.index(1)
            tails.append(run[first + 1 :])
    assert all(len(set(tail)) <= 1 for tail in tails)
    long = [tail for tail in tails if tail]
    assert 0.35 < sum(tail[0] for tail in long) / len(long) < 0.75


def test_the_paper_s_l2s_rolls_in_with_more_and_more_of_the_learned_policy():
    options = search.SearchOptions().resolved()
    assert (options.rollin, options.rollout, options.mixing, options.alpha) == (
        "mix",
        "reference",
        "anneal",
        1e-5,
    )
    runs, model = runs_of(400, epochs=1, alpha=1e-3, rollout="none")
    assert model.epochs[0].decisions == 400 * STEPS
    for begin in (0, 100, 300):
        taken = [a for run in runs[begin : begin + 40] for a in run]
        share = sum((1 - 1e-3) ** (n * STEPS) for n in range(begin, begin + 40)) / 40
        assert sum(taken) / len(taken) == pytest.approx(share, abs=0.08)


@pytest.mark.parametrize(
    ("options", "shares"),
    [
        ({"mixing": "constant", "beta": 0.3}, [0.3, 0.3, 0.3]),
        ({"mixing": "epochs", "beta": 0.5}, [1, 0.5, 0.25]),
        ({"mixing": "epochs", "beta": 0.0}, [1, 0, 0]),
        ({"mixing": "anneal", "alpha": 0.1}, [1, 1, 1]),  # nothing has been learnt from
    ],
)
def test_the_share_of_the_reference(options, shares):
    core = _core.Search(
        _core.CostSensitiveLearner(2), (0, 1), search.SearchOptions(**options)._for_the_core()
    )
    assert [core.reference_share(epoch) for epoch in (1, 2, 3)] == pytest.approx(shares)


def test_a_mixture_drawn_for_a_trajectory_is_one_policy_throughout():
    runs, _ = runs_of(100, epochs=1, rollin="mix", per="trajectory", mixing="constant", rollout="none")
    assert all(len(set(run)) == 1 for run in runs)
    assert 20 < sum(run[0] for run in runs) < 80


def test_deviations_are_sampled():
    task = TwoWays()
    search.train(task, range(100), epochs=1, rollin="reference", rollout="reference", deviations=2)
    deviating = [run.index(0) for run in task.runs if 0 in run]
    assert len(task.runs) == 300 and len(deviating) == 200
    assert set(deviating) == set(range(STEPS))
    assert all(a < b for a, b in zip(deviating[::2], deviating[1::2], strict=True))


def test_with_no_roll_outs_the_decoder_runs_once():
    runs, model = runs_of(5, epochs=2, rollout="none")
    assert len(runs) == 10
    assert [epoch.roll_outs for epoch in model.epochs] == [0, 0]


def test_features_are_not_computed_where_they_are_not_needed():
    calls = []

    class Counting(search.Task):
        actions = "ab", "c"

        def run(self, search, example):
            for _ in range(5):
                search.predict(lambda: calls.append(1) or ["x"], reference="c")
            search.predict(lambda: calls.append(1) or ["x"], allowed=["c"])
            search.loss(0 if search.is_training else 5)

    search.train(Counting(), [0], epochs=1, rollout="reference")
    assert len(calls) == 5


# What deviations cost.


def test_costs_are_differences_of_losses():
    assert search.examine(TwoWays(), None, rollin="reference", rollout="reference") == [
        (t, 1, {0: 1.0, 1: 0.0}) for t in range(STEPS)
    ]


def test_costs_given_by_the_task_are_used_instead_of_reference_roll_outs():
    class Priced(TwoWays):
        def run(self, search, example):
            self.runs.append(search.predict(["x"], reference=1, costs={0: 7, 1: 2}))
            search.predict(["x"], allowed=(1, 0), reference=1, costs=[0, 3.5])
            search.loss(0)

    for rollout in ("reference", "exact"):
        task = Priced()
        assert search.examine(task, None, rollout=rollout) == [
            (0, 1, {0: 5.0, 1: 0.0}),
            (1, 1, {0: 3.5, 1: 0.0}),
        ]
        assert len(task.runs) == 1
    # After a roll-out by the learned policy another loss is to be expected.
    assert search.examine(Priced(), None, rollout="learned") == []


def test_without_roll_outs_every_reference_is_free():
    class Several(search.Task):
        actions = ("a", "b", "c", "d")

        def run(self, search, example):
            search.predict(["x"], reference=["c", "a"], allowed=["a", "b", "c"])
            search.predict(["x"], reference={"d", "b"})
            search.loss(1)

    steps = search.examine(Several(), None, rollin="reference", rollout="none")
    assert steps == [(0, "c", {"a": 0, "b": 1, "c": 0}), (1, "b", {"a": 1, "b": 0, "c": 1, "d": 0})]


SYSTEMS = [("arc-hybrid", False), ("arc-eager", False), ("arc-eager", True)]


@pytest.mark.parametrize(("system", "root_first"), SYSTEMS)
@pytest.mark.parametrize("label_apart", [True, False])
@given(
    tree=random_trees(max_words=6, single_root=True),
    seed=st.integers(0, 1000),
    beta=st.sampled_from([0.2, 0.5, 0.9]),
    paper_loss=st.booleans(),
)
def test_exact_costs_equal_those_of_reference_roll_outs(
    system, root_first, label_apart, tree, seed, beta, paper_loss
):
    heads, labels = tree
    # Arc-eager completes trees in the end, and what it then gets half right its oracle takes for wrong.
    wrong_head = 2 if paper_loss and system == "arc-hybrid" else 1
    options = search.SearchOptions(rollin="mix", mixing="constant", beta=beta, seed=seed)._for_the_core()
    exact, rolled_out = (
        _core.examine_system(
            system,
            heads,
            labels,
            label_count=3,
            root_first=root_first,
            single_root=True,
            label_apart=label_apart,
            exact=exact,
            wrong_head=wrong_head,
            wrong_label=1,
            options=options,
        )
        for exact in (True, False)
    )
    assert exact == rolled_out


def test_a_step_that_makes_no_difference_teaches_nothing():
    class Idle(TwoWays):
        def run(self, search, example):
            search.predict(["x"], reference=1)
            search.loss(3)

    assert search.train(Idle(), [0], epochs=1).epochs[0].decisions == 0


# What is learnt.


class Tagger(search.Task):
    """Tags follow each other: a word alone does not tell."""

    actions = ("A", "B", "C")

    def run(self, search, example):
        words, gold = example
        tags = []
        for i, word in enumerate(words):
            features = {"word": [word], "last": [tags[-1] if tags else "-"]}
            tags.append(search.predict(features, reference=gold[i] if gold else None))
        if gold:
            search.loss(sum(a != b for a, b in zip(tags, gold, strict=True)))
        return tags


TAGGED = [
    (words, "".join("ABC"[(i + len(words[0])) % 3] if w == "x" else "C" for i, w in enumerate(words)))
    for words in (["x"] * 5, ["y", "x", "y"], ["xx", *"xxxx"], list("yyxx"), list("xyxyx"))
]


@pytest.mark.parametrize("preset", search.PRESETS)
@pytest.mark.parametrize("update", ["default", "sgd", "ftrl"])
def test_every_preset_learns_with_every_update(preset, update):
    data = [(words, [{"x": "A", "y": "B"}.get(w, "C") for w in words]) for words, _ in TAGGED]
    model = search.train(Tagger(), data, preset=preset, update=update, epochs=40)
    assert model.predict([(words, None) for words, _ in data]) == [list(gold) for _, gold in data]


def test_a_predictor_sees_its_own_predictions():
    """Every other x is an A, which only the last tag tells."""
    data = [(["x"] * n, ["A" if i % 2 == 0 else "B" for i in range(n)]) for n in (3, 4, 7, 8)]
    model = search.train(Tagger(), data, epochs=15, interactions=[("word", "last")])
    assert model.predict_one((["x"] * 20, None)) == ["A", "B"] * 10


def test_lols_learns_more_than_a_poor_reference_knows():
    """What is best at first depends on what comes second, and the reference does not know that.

    Second, right is better than the reference's left. So first left seems better as long as the reference
    goes on, and right if the learned policy does.
    """

    class Fork(search.Task):
        actions = ("left", "right")

        def run(self, search, example):
            first = search.predict([f"{example} first"], reference="left")
            second = search.predict([f"{example} second"], reference="left")
            loss = {"left left": 3, "left right": 2, "right left": 4, "right right": 0}[f"{first} {second}"]
            search.loss(loss)
            return loss

    def losses(**options):
        return search.train(Fork(), range(4), epochs=60, **options).predict(range(4))

    assert losses(rollin="reference", rollout="none") == [3] * 4  # as the reference
    assert losses(preset="l2s") == [2] * 4
    assert losses(preset="lols") == [0] * 4


def test_a_decoder_may_be_recursive():
    class Tree(search.Task):
        """Each node of a nested list gets a mark: whether there are more than two leaves under it."""

        actions = (False, True)

        def run(self, search, example):
            wrong = 0

            def leaves(node):
                return sum(map(leaves, node)) if isinstance(node, list) else 1

            def visit(node):
                nonlocal wrong
                if not isinstance(node, list):
                    return node
                inner = [visit(child) for child in node]
                marks = sum(child[0] for child in inner if isinstance(child, tuple))
                gold = leaves(node) > 2
                mark = search.predict([f"{len(node)} {marks > 0}", len(node)], reference=gold)
                wrong += mark != gold
                return mark, inner

            tree = visit(example)
            search.loss(wrong)
            return tree

    nested = [[1, 2], [[1, 2], 3], [[1], [2]], [[[1, 2, 3]], 4], [1], [[1, 2, 3]]]
    model = search.train(Tree(), nested, epochs=20)
    assert model.predict([[[1, 2, 3], 4]]) == [(True, [(True, [1, 2, 3]), 4])]


def test_actions_of_different_policies_have_weights_of_their_own():
    class Two(search.Task):
        actions = ("a", "b")
        policies = 2

        def run(self, search, example):
            answers = [search.predict(["x"], reference="ab"[p], policy=p) for p in (0, 1)]
            search.loss((answers[0] != "a") + (answers[1] != "b"))
            return answers

    assert search.train(Two(), [0], epochs=10).predict_one(0) == ["a", "b"]


def test_the_same_seed_gives_the_same_model():
    def weights(seed):
        model = search.train(
            Tagger(), TAGGED, preset="searn", mixing="constant", deviations=2, seed=seed, hidden=3
        )
        return {name: array.tobytes() for name, array in model._learner.state().items()}

    assert weights(3) == weights(3)
    assert weights(3) != weights(4)


# Saving and loading.


def test_a_model_that_was_saved_predicts_the_same(tmp_path):
    model = search.train(Tagger(), TAGGED, hidden=2, interactions=[("word", "last")])
    model.save(tmp_path / "m")
    loaded = search.load(tmp_path / "m", Tagger())
    text = [(words, None) for words, _ in TAGGED]
    assert loaded.predict(text) == model.predict(text)
    assert loaded.options == model.options
    assert loaded.actions == model.actions


def test_a_task_may_leave_its_actions_to_the_file(tmp_path):
    class Any(search.Task):
        def run(self, search, example):
            return search.actions, search.predict(["x"], reference=example)

    task = Any()
    task.actions = (("a", 1), "a", 2, 2.5, True)
    task.run = lambda search, example: (search.predict(["x"], reference=("a", 1)), search.loss(0))
    search.train(task, [0], rollout="none").save(tmp_path / "m")
    assert search.load(tmp_path / "m", Any()).predict_one(None) == (task.actions, ("a", 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"actions": ("A", "C", "B")}, "action 1 is 'B' in the file and 'C' in the task"),
        ({"actions": ("A", "B")}, "the file has 3 and the task 2"),
        ({"policies": 2}, "was trained with 1 policies and the task has 2"),
    ],
)
def test_a_model_of_another_task_is_refused(tmp_path, change, message):
    search.train(Tagger(), TAGGED).save(tmp_path / "m")
    task = Tagger()
    vars(task).update(change)
    with pytest.raises(ModelError, match=message):
        search.load(tmp_path / "m", task)


@pytest.mark.parametrize(
    "damage",
    [
        {"options": {"preset": "other"}},
        {"options": {"new": 1}},
        {"options": {"bits": 10}},
        {"options": None},
        {"actions": ["A"]},
        {"actions": ["A", "A", "B"]},
        {"actions": [["A"], "B", "C"]},
        {"actions": None},
        {"policies": "1"},
        {"policies": 0},
    ],
)
def test_a_damaged_header_is_refused(tmp_path, damage):
    search.train(Tagger(), TAGGED).save(tmp_path / "m")
    header, arrays = model_file.read(tmp_path / "m", search.KIND)
    kept = {name: value for name, value in header.items() if name not in ("format", "arrays")}
    for name, value in damage.items():
        kept[name] = {**kept[name], **value} if isinstance(value, dict) else value
    model_file.write(tmp_path / "damaged", kept, arrays)
    with pytest.raises(ModelError, match="damaged"):
        search.load(tmp_path / "damaged", Tagger())


def test_missing_arrays_are_refused(tmp_path):
    search.train(Tagger(), TAGGED).save(tmp_path / "m")
    header, arrays = model_file.read(tmp_path / "m", search.KIND)
    kept = {name: value for name, value in header.items() if name not in ("format", "arrays")}
    model_file.write(tmp_path / "damaged", kept, {n: a for n, a in arrays.items() if n != "weights"})
    with pytest.raises(ModelError, match="damaged"):
        search.load(tmp_path / "damaged", Tagger())


def test_actions_that_json_does_not_know_cannot_be_stored(tmp_path):
    task = TwoWays()
    task.actions = (frozenset("a"), frozenset("b"))
    task.run = lambda search, example: (search.predict(["x"], reference=frozenset("a")), search.loss(0))
    with pytest.raises(ModelError, match="cannot be stored: use text, numbers"):
        search.train(task, [0], rollout="none").save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


# The examples.


@pytest.mark.parametrize(
    ("name", "score", "least"),
    [
        ("tagger", r"Accuracy: ([\d.]+)%", 95),
        ("chunker", r"F1 ([\d.]+)%", 50),
        ("parser", r"LAS ([\d.]+)", 80),
    ],
)
def test_an_example_runs_and_learns(name, score, least):
    program = [sys.executable, EXAMPLES / f"{name}.py"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(re.search(score, done.stdout)[1]) > least


# What a task may not do.


def trained(run, **options):
    task = search.Task()
    task.actions = ("a", "b", "c")
    task.run = run
    return search.train(task, ["example"], **{"epochs": 1, **options})


def test_a_reference_that_is_not_allowed():
    with pytest.raises(
        SearchError,
        match=r"Example 0, prediction 1 \(both counted from 0\): The reference is 'c', which is not allowed "
        r"here: allowed are 'a', 'b'\.",
    ):
        trained(
            lambda search, _: (
                search.predict(["x"], reference="c"),
                search.predict(["x"], reference="c", allowed=["a", "b"]),
            )
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"allowed": []}, "No action is allowed"),
        ({"allowed": ["a", "z"]}, "'z' is not one of the task's actions"),
        ({"allowed": ["a", "b", "a"]}, "'a' is allowed twice"),
        ({"reference": "z"}, "'z' is not one of the task's actions"),
        ({"costs": [1, 2]}, "There are 2 costs for 3 allowed actions"),
        ({"costs": []}, "There are no costs"),
        ({"costs": [1, math.nan, 2]}, "The cost of 'b' is not a finite number"),
        ({"costs": {"a": 1, "c": 2}}, "There is no cost for 'b'"),
        ({"costs": "abc"}, "A cost is 'a', which is not a number"),
    ],
)
def test_a_bad_prediction(arguments, message):
    with pytest.raises(SearchError, match=r"Example 0, prediction 0 \(both counted from 0\): .*" + message):
        trained(lambda search, _: search.predict(["x"], **{"reference": "a", **arguments}))


@pytest.mark.parametrize("loss", [math.nan, math.inf, "much", None])
def test_a_loss_that_is_no_number(loss):
    with pytest.raises(SearchError, match=r"Example 0.*loss is .*not a"):
        trained(lambda search, _: (search.predict(["x"], reference="a"), search.loss(loss)))


def test_a_loss_that_is_never_stated():
    with pytest.raises(SearchError, match="ended without a loss"):
        trained(lambda search, _: search.predict(["x"], reference="a"))


def test_a_reference_that_is_missing():
    def run(search, _):
        search.predict(["x"])
        search.loss(0)

    with pytest.raises(SearchError, match="to act and there is no reference"):
        trained(run)
    with pytest.raises(SearchError, match="no roll-outs and there is no reference"):
        trained(run, rollin="learned", rollout="none")
    with pytest.raises(SearchError, match="Roll-outs are exact and there are no costs"):
        trained(run, rollin="learned", rollout="exact")
    trained(run, rollin="learned", rollout="learned")


def test_a_run_that_asks_something_else_the_second_time():
    times = itertools.count()

    def run(search, _):
        search.predict(["x"], reference="a")
        search.predict(["x"], reference="a", allowed=["a", "b"] if next(times) == 0 else ["a", "c"])
        search.loss(0)

    with pytest.raises(SearchError, match=r"another question .* were 'a', 'b' .* are 'a', 'c' .*nothing but"):
        trained(run)


def test_a_run_that_ends_earlier_the_second_time():
    times = itertools.count()

    def run(search, _):
        for _ in range(3 if next(times) == 0 else 1):
            search.predict(["x"], reference="a")
        search.loss(0)

    with pytest.raises(SearchError, match="ended after 1 predictions, but with the same answers it asked"):
        trained(run)


def test_a_search_is_of_no_use_outside_its_run():
    kept = []

    def run(search, _):
        kept.append(search)
        search.predict(["x"], reference="a")
        search.loss(0)

    model = trained(run)
    del model
    with pytest.raises(SearchError, match="prediction was asked for outside a run"):
        kept[0].predict(["x"])
    with pytest.raises(SearchError, match="loss was stated outside a run"):
        kept[0].loss(1)
    assert not kept[0].is_training


class OfTheUser(Exception):
    pass


@pytest.mark.parametrize("where", ["run", "features"])
def test_errors_of_the_user_come_through_with_their_traceback(where):
    def broken():
        raise OfTheUser("mine")

    def run(search, _):
        if where == "run":
            broken()
        search.predict(broken, reference="a")

    with pytest.raises(OfTheUser, match=r"^mine$") as caught:
        trained(run)
    assert [frame.name for frame in traceback.extract_tb(caught.tb)][-2:] == ["run", "broken"]


def test_a_search_works_after_an_error():
    model = search.train(Tagger(), TAGGED)
    with pytest.raises(TypeError):
        model.predict([None])
    assert model.predict([(["x"], None)])


def test_a_run_may_ask_another_model():
    helper = search.train(Tagger(), TAGGED)

    def run(search, _):
        hint = helper.predict_one((["x", "y"], None))
        search.predict(hint, reference="a")
        search.loss(0)
        return hint

    assert trained(run).predict_one(None) == helper.predict_one((["x", "y"], None))


def test_references_and_losses_are_ignored_in_prediction():
    model = search.train(Tagger(), TAGGED)
    model.task.run = lambda search, _: (search.predict(["x"], reference=object()), search.loss("no"))
    model.predict([None])


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (None, "The task has no actions"),
        ((), "The task has no actions"),
        ("abc", "actions are one text"),
        (("a", None), "None cannot be an action"),
        (("a", "b", "a"), "'a' is there twice"),
    ],
)
def test_bad_actions(actions, message):
    task = Tagger()
    task.actions = actions
    with pytest.raises(SearchError, match=message):
        search.train(task, TAGGED)


def test_no_examples():
    with pytest.raises(SearchError, match="There are no examples"):
        search.train(Tagger(), [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "dager"}, "There is no preset called 'dager': choose one of l2s, dagger"),
        ({"rollin": "none"}, "There is no rollin"),
        ({"rollout": "oracle"}, "There is no rollout"),
        ({"alpha": 2}, "alpha must be"),
        ({"beta": math.nan}, "beta must be"),
        ({"deviations": 0}, "At least one prediction"),
        ({"epochs": 0}, "at least one epoch"),
        ({"seed": -1}, "The seed"),
        ({"rate": 0}, "rate must be"),
        ({"bits": 99}, "bits"),
        ({"interactions": ["word"]}, "Interactions are of two or three"),
        ({"roll_in": "mix"}, "There is no option called roll_in"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(OptionError, match=message):
        search.train(Tagger(), TAGGED, **options)


def test_options_are_kept_word_for_word():
    options = search.SearchOptions(preset="lols", interactions=(("a", "b", "b"),), rate=0.1)
    assert search.SearchOptions.from_dict(options.to_dict()) == options


def test_long_roll_outs_that_nobody_asked_for_are_named(monkeypatch, caplog):
    monkeypatch.setattr(search, "SECONDS_BEFORE_A_WARNING", 0.0)
    words, tags = ["x", "y", "z"] * 4, ["A", "B", "C"] * 4
    search.train(Tagger(), [(words, tags)], epochs=2, progress=False)
    assert caplog.text.count("rollout='none' is faster") == 1
    caplog.clear()
    for asked in ({"preset": "l2s"}, {"rollout": "none"}, {"rollout": "reference"}):
        search.train(Tagger(), [(words, tags)], epochs=1, progress=False, **asked)
    assert not caplog.text
