"""Cost-sensitive learners equal slow references written from the papers, and learn what they should."""

import itertools
import math
import random

import numpy as np
import pytest

from arcwise import _core

Learner = _core.CostSensitiveLearner
UPDATES = ["sgd", "default", "ftrl"]
RATES = {"sgd": 0.05, "default": 0.5, "ftrl": 0.2}


class Table:
    """One regression with the squared loss for each column, feature by feature, in double precision."""

    def __init__(self, update, rate, *, power_t=0.0, beta=1.0, l1=0.0, l2=0.0):
        self.update, self.rate, self.power_t = update, rate, power_t
        self.beta, self.l1, self.l2 = beta, l1, l2
        self.weights, self.squares, self.extras = {}, {}, {}
        self.updates = self.weight = self.norms = 0.0

    def predict(self, rows, column):
        return sum(self.weights.get(slot + column, 0.0) * x for slot, x in rows)

    def observe(self, rows, importances):
        """The predictions; the normalised update first looks at how large the features are."""
        self.sizes = {}
        if self.update == "default":
            for slot, x in rows:
                for column, importance in importances.items():
                    scale = self.extras.get(slot + column, 0.0)
                    if importance > 0 and abs(x) > scale:
                        if scale > 0:
                            self.weights[slot + column] = (
                                self.weights.get(slot + column, 0.0) * scale / abs(x)
                            )
                        self.extras[slot + column] = scale = abs(x)
                    if importance > 0:
                        self.sizes[column] = self.sizes.get(column, 0.0) + (x / scale) ** 2
        return {column: self.predict(rows, column) for column in importances}

    def learn(self, rows, residuals, importances, pull=1.0):
        getattr(self, f"learn_{self.update}")(rows, residuals, importances, pull)

    def learn_sgd(self, rows, residuals, importances, pull):
        self.updates += 1
        for slot, x in rows:
            for column, r in residuals.items():
                at = slot + column
                step = self.rate / self.updates**self.power_t * importances[column] * r * x
                self.weights[at] = self.weights.get(at, 0.0) - step

    def learn_default(self, rows, residuals, importances, pull):
        """Ross, Mineiro & Langford 2013, Algorithm 2, with the step of Karampatziakis & Langford 2011."""
        for column, h in importances.items():
            self.weight += h
            self.norms += h * self.sizes.get(column, 0.0)
        if self.norms == 0:
            return
        overall = self.rate * math.sqrt(self.weight / self.norms)
        rates, curvature = {}, dict.fromkeys(residuals, 0.0)
        for i, (slot, x) in enumerate(rows):
            for column, r in residuals.items():
                at = slot + column
                self.squares[at] = self.squares.get(at, 0.0) + importances[column] * (r * x) ** 2
                below = self.extras.get(at, 0.0) * math.sqrt(self.squares[at])
                rates[i, column] = overall / below if below > 0 else 0.0
                curvature[column] += pull * rates[i, column] * x * x
        for i, (slot, x) in enumerate(rows):
            for column, r in residuals.items():
                c = curvature[column]
                step = r * (1 - math.exp(-importances[column] * c)) / c if c > 0 else 0.0
                self.weights[slot + column] = (
                    self.weights.get(slot + column, 0.0) - step * rates[i, column] * x
                )

    def learn_ftrl(self, rows, residuals, importances, pull):
        """McMahan et al. 2013, Algorithm 1."""
        for slot, x in rows:
            for column, r in residuals.items():
                if importances[column] == 0:
                    continue
                at, g = slot + column, importances[column] * r * x
                n, z, w = self.squares.get(at, 0.0), self.extras.get(at, 0.0), self.weights.get(at, 0.0)
                z += g - (math.sqrt(n + g * g) - math.sqrt(n)) / self.rate * w
                n += g * g
                self.squares[at], self.extras[at] = n, z
                over = max(0.0, abs(z) - self.l1)
                below = (self.beta + math.sqrt(n)) / self.rate + self.l2
                self.weights[at] = -math.copysign(over, z) / below


def all_pairs(costs):
    """The weight of each pair (cheaper, dearer): the integral over t, between their costs, of 1 / (how many
    actions cost no more than t)."""
    weights = {}
    steps = sorted(set(costs.values()))
    for i in costs:
        for j in costs:
            if costs[i] < costs[j]:
                weights[i, j] = sum(
                    (high - low) / sum(c <= low for c in costs.values())
                    for low, high in itertools.pairwise(steps)
                    if costs[i] <= low and high <= costs[j]
                )
    return weights


def weigh(reduction, costs):
    if reduction == "oaa":
        return dict.fromkeys(costs, 1.0)
    return {a: sum(w for pair, w in all_pairs(costs).items() if a in pair) for a in costs}


def residuals_of(reduction, costs, predictions):
    if reduction == "oaa":
        return {a: predictions[a] - c for a, c in costs.items()}
    total, sums = weigh("wap", costs), dict.fromkeys(costs, 0.0)
    for (i, j), weight in all_pairs(costs).items():
        apart = predictions[i] - predictions[j] + 1
        sums[i] += weight * apart
        sums[j] -= weight * apart
    return {a: sums[a] / total[a] if total[a] > 0 else 0.0 for a in costs}


class Reference:
    """A linear learner; where the weights of a feature begin it asks the one that it is compared with."""

    def __init__(self, learner, reduction, table):
        self.learner, self.reduction, self.table = learner, reduction, table

    def rows(self, features):
        slots, values = self.learner.rows(features)
        return list(zip(slots.tolist(), values.tolist(), strict=True))

    def costs(self, features, allowed):
        return [self.table.predict(self.rows(features), a) for a in allowed]

    def learn(self, features, costs, allowed, importance=1.0):
        rows, costs = self.rows(features), dict(zip(allowed, costs, strict=True))
        importances = {a: importance * w for a, w in weigh(self.reduction, costs).items()}
        predictions = self.table.observe(rows, importances)
        residuals = residuals_of(self.reduction, costs, predictions)
        self.table.learn(rows, residuals, importances, pull=2.0 if self.reduction == "wap" else 1.0)


def random_decisions(count, actions, seed):
    """Features with values, some of them again and again; costs of some of the actions."""
    generator = random.Random(seed)
    for _ in range(count):
        features = {
            "a": [(f"f{generator.randrange(8)}", generator.choice([1.0, 0.5, -2.0, 3.0])) for _ in range(3)],
            "b": [generator.randrange(5)],
        }
        allowed = generator.sample(range(actions), generator.randint(2, actions))
        costs = [generator.choice([0.0, 1.0, 2.0, 0.25]) for _ in allowed]
        yield features, allowed, costs, generator.choice([1.0, 1.0, 0.5, 3.0])


@pytest.mark.parametrize("reduction", ["oaa", "wap"])
@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize(
    ("actions", "bits"), [(3, 16), (11, 16), (3, 5), (11, 6), (2, 4)], ids=lambda value: str(value)
)
def test_a_linear_learner_equals_the_papers_formulas(update, reduction, actions, bits):
    # With 16 bits no two features collide; with few, nearly all do.
    options = {"ftrl": {"l1": 0.02, "l2": 0.1, "beta": 0.5}, "sgd": {"power_t": 0.25}}.get(update, {})
    rate = RATES[update] / 10 if update == "sgd" else RATES[update]
    learner = Learner(
        actions,
        bits=bits,
        update=update,
        reduction=reduction,
        rate=rate,
        interactions=[["a", "b"], ["a", "a"]],
        **options,
    )
    reference = Reference(learner, reduction, Table(update, rate, **options))
    for features, allowed, costs, importance in random_decisions(150, actions, seed=3):
        expected = reference.costs(features, allowed)
        assert learner.costs(features, allowed) == pytest.approx(expected, rel=2e-3, abs=2e-3)
        learner.learn(features, costs, allowed, importance=importance)
        reference.learn(features, costs, allowed, importance)
    weights = {s: w for s, w in reference.table.weights.items() if w != 0}
    state = learner.state()
    learnt = {s: w for s, w in zip(state["slots"].tolist(), state["weights"].tolist(), strict=True) if w != 0}
    assert learnt == pytest.approx(weights, rel=1e-2, abs=2e-3)


class NetworkReference:
    """One layer of tanh units that all actions share; its first weights are those of the learner."""

    def __init__(self, learner, reduction, tables, *, actions, hidden, bits, direct):
        self.learner, self.reduction, self.hidden, self.direct = learner, reduction, hidden, direct
        self.table, self.unit_table = tables
        width, unit_width = -(-actions // 4) * 4, -(-hidden // 4) * 4
        self.units = [(1 << bits) + width + unit_width + u * width for u in range(hidden)]
        # One table in the learner, two here: each has its own counts. What both hold, they share.
        for name in ("weights", "squares", "extras"):
            values = dict(zip(*(learner.state()[k].tolist() for k in ("slots", name)), strict=True))
            setattr(self.table, name, values)
            setattr(self.unit_table, name, values)

    def rows(self, features, units):
        slots, values = self.learner.rows(features, units=units)
        return list(zip(slots.tolist(), values.tolist(), strict=True))

    def activate(self, features, sums):
        self.activations = [math.tanh(sums[u]) for u in range(self.hidden)]
        return self.rows(features, False) + list(zip(self.units, self.activations, strict=True))

    def costs(self, features, allowed):
        inputs = self.rows(features, True)
        rows = self.activate(features, [self.unit_table.predict(inputs, u) for u in range(self.hidden)])
        return [self.table.predict(rows, a) for a in allowed]

    def learn(self, features, costs, allowed, importance=1.0):
        inputs, costs = self.rows(features, True), dict(zip(allowed, costs, strict=True))
        importances = {a: importance * w for a, w in weigh(self.reduction, costs).items()}
        ones = dict.fromkeys(range(self.hidden), 1.0)
        rows = self.activate(features, self.unit_table.observe(inputs, ones))
        residuals = residuals_of(self.reduction, costs, self.table.observe(rows, importances))
        back = {
            u: (1 - self.activations[u] ** 2)
            * sum(importances[a] * r * self.table.weights[self.units[u] + a] for a, r in residuals.items())
            for u in range(self.hidden)
        }
        self.unit_table.learn(inputs, back, ones)
        self.table.learn(rows, residuals, importances, pull=2.0 if self.reduction == "wap" else 1.0)


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("reduction", ["oaa", "wap"])
@pytest.mark.parametrize("update", UPDATES)
def test_a_network_equals_the_papers_formulas(update, reduction, direct):
    actions, hidden, bits = 6, 5, 16
    options = {"ftrl": {"l1": 0.01, "l2": 0.1}}.get(update, {})
    rate = RATES[update] / 10 if update == "sgd" else RATES[update]
    learner = Learner(
        actions,
        bits=bits,
        update=update,
        reduction=reduction,
        rate=rate,
        hidden=hidden,
        direct=direct,
        interactions=[["a", "b"]],
        **options,
    )
    tables = Table(update, rate, **options), Table(update, rate, **options)
    reference = NetworkReference(
        learner, reduction, tables, actions=actions, hidden=hidden, bits=bits, direct=direct
    )
    for features, allowed, costs, importance in random_decisions(80, actions, seed=4):
        expected = reference.costs(features, allowed)
        assert learner.costs(features, allowed) == pytest.approx(expected, rel=5e-3, abs=5e-3)
        learner.learn(features, costs, allowed, importance=importance)
        reference.learn(features, costs, allowed, importance)


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("reduction", ["oaa", "wap"])
def test_actions_that_are_not_allowed_are_not_touched(update, reduction):
    learner = Learner(7, bits=12, update=update, reduction=reduction)
    before = learner.costs(["x"]).tolist()
    learner.learn(["x"], [0, 1, 5], [2, 3, 6])
    after = learner.costs(["x"]).tolist()
    assert [a for a in range(7) if before[a] != after[a]] in ([2, 3, 6], [3, 6])


def test_an_update_of_importance_two_is_two_of_importance_one():
    # In the long run of adaptive rates one update more or less hardly changes them.
    once, twice = Learner(2, bits=12), Learner(2, bits=12)
    generator = random.Random(1)
    for _ in range(300):
        features, cost = [f"f{generator.randrange(6)}" for _ in range(3)], generator.random()
        once.learn(features, [cost, 1 - cost], importance=2.0)
        for _ in range(2):
            twice.learn(features, [cost, 1 - cost])
    for f in range(6):
        assert once.costs([f"f{f}"]) == pytest.approx(twice.costs([f"f{f}"]), abs=0.02)


def test_an_update_of_any_importance_does_not_overshoot():
    learner = Learner(2, bits=12)
    learner.learn(["x", ("y", 30.0)], [0.5, 2.0], importance=1e6)
    assert learner.costs(["x", ("y", 30.0)]) == pytest.approx([0.5, 2.0], rel=1e-4)
    pairs = Learner(2, bits=12, reduction="wap")
    pairs.learn(["x", ("y", 30.0)], [0.5, 2.0], importance=1e6)
    low, high = pairs.costs(["x", ("y", 30.0)])
    assert high - low == pytest.approx(1, rel=1e-4)


def test_the_unit_of_a_feature_does_not_matter():
    metres, millimetres = Learner(2, bits=12), Learner(2, bits=12)
    generator = random.Random(2)
    for _ in range(300):
        x, y = generator.uniform(-1, 1), generator.uniform(-1, 1)
        costs = [max(0.0, x + y / 2), max(0.0, -x)]
        metres.learn([("x", x), ("y", y)], costs)
        millimetres.learn([("x", 1000 * x), ("y", y)], costs)
    for x, y in [(0.5, 0.5), (-0.5, 0.2), (0.9, -0.9)]:
        expected = metres.costs([("x", x), ("y", y)])
        assert millimetres.costs([("x", 1000 * x), ("y", y)]) == pytest.approx(expected, rel=1e-3, abs=1e-4)


def learns_xor(**options):
    learner = Learner(2, bits=12, **options)
    cases = [(a, b) for a in (0, 1) for b in (0, 1)]
    generator = random.Random(3)
    for _ in range(3000):
        a, b = generator.choice(cases)
        learner.learn({"a": [a], "b": [b]}, [a ^ b, 1 - (a ^ b)])
    return all(learner.best({"a": [a], "b": [b]}) == (a ^ b) for a, b in cases)


@pytest.mark.parametrize("reduction", ["oaa", "wap"])
@pytest.mark.parametrize("update", UPDATES)
def test_xor_needs_an_interaction_or_hidden_units(update, reduction):
    options = {"update": update, "reduction": reduction, "rate": RATES[update]}
    assert not learns_xor(**options)
    assert learns_xor(interactions=[["a", "b"]], **options)
    assert learns_xor(hidden=5, direct=False, **options)
    assert learns_xor(hidden=5, direct=True, **options)


@pytest.mark.parametrize("reduction", ["oaa", "wap"])
@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("hidden", [0, 5])
def test_the_likeliest_class_is_found_where_classifiers_one_against_all_are_lost(update, reduction, hidden):
    # Chang et al. 2015, footnote 2: labels of probability 0.4, 0.3 and 0.3; against the other two together,
    # every one of them loses.
    learner = Learner(3, bits=12, update=update, reduction=reduction, hidden=hidden)
    generator = random.Random(4)
    for _ in range(4000):
        label = generator.choices(range(3), [0.4, 0.3, 0.3])[0]
        learner.learn(["x"], [float(a != label) for a in range(3)], importance=0.1)
    assert learner.best(["x"]) == 0


@pytest.mark.parametrize("reduction", ["oaa", "wap"])
def test_costs_count_and_not_how_often_an_action_is_best(reduction):
    # Action 0 is the best seven times in ten, and ruinous else; 1 is never the best and always cheap.
    learner = Learner(2, bits=12, reduction=reduction)
    generator = random.Random(5)
    for _ in range(3000):
        learner.learn(["x"], [0, 1] if generator.random() < 0.7 else [10, 1], importance=0.1)
    assert learner.best(["x"]) == 1


def trained(seed=1, decisions=60, **options):
    learner = Learner(5, bits=12, interactions=[["a", "b"]], seed=seed, **options)
    for features, allowed, costs, importance in random_decisions(decisions, 5, seed=6):
        learner.learn(features, costs, allowed, importance=importance)
    return learner


def same(left, right):
    return all(np.array_equal(left.state()[name], array) for name, array in right.state().items())


@pytest.mark.parametrize("hidden", [0, 5])
@pytest.mark.parametrize("update", UPDATES)
def test_the_same_seed_gives_the_same_weights(update, hidden):
    options = {"update": update, "hidden": hidden, "rate": RATES[update] / 10}
    assert same(trained(1, **options), trained(1, **options))
    assert same(trained(1, **options), trained(2, **options)) == (hidden == 0)


@pytest.mark.parametrize("hidden", [0, 5])
@pytest.mark.parametrize("reduction", ["oaa", "wap"])
@pytest.mark.parametrize("update", UPDATES)
def test_a_restored_learner_goes_on_as_the_old_one(update, reduction, hidden):
    options = {"update": update, "hidden": hidden, "reduction": reduction, "rate": RATES[update] / 10}
    old = trained(**options)
    new = Learner(5, bits=12, interactions=[["a", "b"]], seed=9, **options)
    new.restore(**old.state())
    for features, allowed, costs, importance in random_decisions(30, 5, seed=7):
        assert new.costs(features, allowed).tolist() == old.costs(features, allowed).tolist()
        loss = old.learn(features, costs, allowed, importance=importance)
        assert new.learn(features, costs, allowed, importance=importance) == loss
    assert same(old, new)


def test_weights_alone_predict_but_do_not_learn():
    old = trained()
    new = Learner(5, bits=12, interactions=[["a", "b"]])
    new.restore(**old.state(training=False))
    for features, allowed, _, _ in random_decisions(10, 5, seed=8):
        assert new.costs(features, allowed).tolist() == old.costs(features, allowed).tolist()
    with pytest.raises(RuntimeError, match="can predict but not learn"):
        new.learn(["x"], [0, 1, 1, 1, 1])


def test_policies_have_weights_of_their_own():
    learner = Learner(2, bits=12, policies=2)
    learner.learn(["x"], [0.0, 1.0], policy=1)
    assert learner.costs(["x"], policy=0).tolist() == [0, 0]
    assert learner.best(["x"], policy=1) == 0


def test_of_equal_costs_the_first_allowed_action_is_best():
    learner = Learner(4, bits=12)
    assert learner.best(["x"], [2, 1, 3]) == 2


def test_the_default_update_is_used_unless_another_is_asked_for():
    assert same(trained(), trained(update="default", reduction="oaa", hidden=0, rate=0.5))


# Features


def seen(features):
    d = _core.features_in(features)
    return list(zip(d["names"].tolist(), d["keys"].tolist(), d["values"].tolist(), strict=True))


def test_a_list_is_the_namespace_without_a_name():
    assert seen(["a", 3, ("b", 0.5)]) == seen({"": ["a", 3, ("b", 0.5)]})
    assert [value for _, _, value in seen(["a", 3, ("b", 0.5)])] == [1, 1, 0.5]


def test_text_and_integers_are_different_features():
    assert len({key for _, key, _ in seen(["3", 3, -3, "x"])}) == 4


def test_namespaces_keep_features_apart():
    (left, _, _), (right, _, _) = seen({"left": ["x"], "right": ["x"]})
    assert left != right
    learner = Learner(2, bits=16)
    assert set(learner.rows({"left": ["x"]})[0]) != set(learner.rows({"right": ["x"]})[0])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "bool"])
def test_an_array_has_its_indices_as_keys(dtype):
    array = np.array([1, 0, 1, 1], dtype)
    assert seen({"v": array}) == seen({"v": [(0, 1), (2, 1), (3, 1)]})
    assert seen({"v": array[::2]}) == seen({"v": [(0, 1), (1, 1)]})


def test_single_features_dicts_tuples_and_numpy_numbers_are_taken():
    assert seen({"w": "dog"}) == seen({"w": ["dog"]})
    assert seen({"w": 3}) == seen({"w": [3]})
    assert seen({"w": {"length": 3.0}}) == seen({"w": [("length", 3)]})
    assert seen({"w": ("a", "b")}) == seen({"w": ["a", "b"]})
    assert seen({"w": [np.int64(3), ("x", np.float32(2))]}) == seen({"w": [3, ("x", 2)]})


def test_the_hash_of_features_stays_what_it_is():
    (name, key, _), *_ = seen({"word": ["Häuser"]})
    assert (hex(name), hex(key)) == ("0", "0")


def test_interactions_are_the_products_of_different_features():
    def values(interaction, features):
        learner = Learner(2, bits=20, interactions=[interaction])
        return sorted(learner.rows(features)[1].tolist()[1 + sum(map(len, features.values())) :])

    features = {"a": [("x", 2), ("y", 3)], "b": [("z", 5), ("u", 7), ("v", 11)]}
    assert values(["a", "b"], features) == [10, 14, 15, 21, 22, 33]
    assert values(["b", "b"], features) == [35, 55, 77]
    assert values(["a", "b", "a"], features) == [30, 42, 66]
    assert values(["b", "b", "b"], features) == [385]
    assert values(["a", "missing"], features) == []


def test_an_interaction_given_twice_counts_once():
    once = Learner(2, interactions=[["a", "b"]])
    twice = Learner(2, interactions=[["a", "b"], ["b", "a"]])
    features = {"a": ["x"], "b": ["y"]}
    assert once.rows(features)[0].tolist() == twice.rows(features)[0].tolist()


# Errors


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"actions": 0}, "number of actions"),
        ({"policies": 0}, "number of policies"),
        ({"bits": 0}, "number of bits"),
        ({"bits": 31}, "number of bits"),
        ({"actions": 40, "bits": 4}, "more bits"),
        ({"reduction": "ova"}, "no such reduction: 'ova'. Choose oaa or wap"),
        ({"update": "adam"}, "no such update: 'adam'. Choose sgd, default or ftrl"),
        ({"hidden": -1}, "hidden units"),
        ({"rate": 0.0}, "rate must be a positive number"),
        ({"rate": math.nan}, "rate must be a positive number"),
        ({"power_t": -1.0}, "power_t must not be negative"),
        ({"power_t": 0.5}, "power_t belongs to sgd"),
        ({"l1": 0.1}, "penalties of ftrl"),
        ({"update": "ftrl", "l2": -0.1}, "must not be negative"),
        ({"update": "ftrl", "beta": 0.0}, "beta must be a positive number"),
        ({"interactions": [["a"]]}, "two or three namespaces, not 1"),
        ({"interactions": [["a", "b", "c", "d"]]}, "two or three namespaces, not 4"),
    ],
)
def test_options_out_of_range_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        Learner(**{"actions": 3, **options})


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"costs": [0, math.nan]}, "cost is not a number"),
        ({"costs": [0, math.inf]}, "cost is not a number"),
        ({"costs": [0, 1, 2]}, "2 actions and 3 costs"),
        ({"allowed": []}, "No action is allowed"),
        ({"allowed": [0, 2]}, "no action 2: the learner was made for 2"),
        ({"allowed": [-1, 0]}, "no action -1"),
        ({"allowed": [1, 1]}, "Action 1 is allowed twice"),
        ({"policy": 1}, "no policy 1"),
        ({"importance": -1.0}, "importance"),
        ({"importance": math.nan}, "importance"),
        ({"features": [("x", math.nan)]}, "not a number"),
        ({"features": [("x", math.inf)]}, "not a number"),
        ({"features": np.array([1.0, math.nan])}, "not a number"),
        ({"features": {"a": [("x", 1e9)], "b": [("x", 1e9)]}}, "interactions multiply values"),
        ({"features": np.ones((2, 2))}, "one dimension"),
        ({"features": [("x", 1, 2)]}, "must be a pair"),
        ({"features": [1 << 70]}, "64 bits"),
    ],
)
def test_decisions_that_make_no_sense_are_refused_and_change_nothing(arguments, sentence):
    learner = Learner(2, bits=12, interactions=[["a", "b"]])
    before = learner.state()
    with pytest.raises(ValueError, match=sentence):
        learner.learn(**{"features": ["x"], "costs": [0.0, 1.0], **arguments})
    assert all(np.array_equal(before[name], array) for name, array in learner.state().items())


@pytest.mark.parametrize(
    ("features", "sentence"),
    [
        (3.5, "A float cannot be the features of a namespace"),
        (None, "A NoneType cannot be the features of a namespace"),
        ([2.5], "A float cannot be a feature"),
        ([None], "A NoneType cannot be a feature"),
        ([["x"]], "A list cannot be a feature"),
        ([("x", "y")], "A str cannot be the value of a feature"),
        ({3: ["x"]}, "A int cannot be the name of a namespace"),
        (np.array(["x"]), "features"),
        (np.ones(2, "complex64"), "must hold float32"),
    ],
)
def test_what_is_no_feature_is_refused(features, sentence):
    with pytest.raises(TypeError, match=sentence):
        Learner(2, bits=12).best(features)


def test_divergence_is_said():
    learner = Learner(2, bits=12, update="sgd", rate=10.0)
    with pytest.raises(RuntimeError, match="Lower the rate"):
        for _ in range(200):
            learner.learn(["x", ("y", 100.0)], [0.0, 1.0])


@pytest.mark.parametrize(
    "change",
    [
        {"slots": np.array([5000], "uint32"), "weights": np.ones(1, "float32")},
        {"slots": np.array([3, 3], "uint32"), "weights": np.ones(2, "float32")},
        {"weights": np.ones(1, "float32")},
        {"counts": np.zeros(2)},
        {"slots": np.array([3], "uint32"), "weights": np.array([math.nan], "float32")},
        {"counts": np.full(6, math.inf)},
    ],
)
def test_a_damaged_state_is_refused(change):
    learner = Learner(2, bits=12)
    state = learner.state() | change
    for name in ("squares", "extras"):
        state[name] = np.zeros(len(state["slots"]), "float32")
    with pytest.raises(ValueError, match="state is damaged"):
        learner.restore(**state)
