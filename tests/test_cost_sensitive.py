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


def in_column(x, column):
    """The value of a feature: one for all columns, or one for each."""
    return x[column] if isinstance(x, dict) else x


class Table:
    """One regression with the squared loss for each column, feature by feature, in double precision."""

    def __init__(self, update, rate, *, power_t=0.0, beta=1.0, l1=0.0, l2=0.0):
        self.update, self.rate, self.power_t = update, rate, power_t
        self.beta, self.l1, self.l2 = beta, l1, l2
        self.weights, self.squares, self.extras = {}, {}, {}
        self.updates = self.weight = self.norms = 0.0

    def predict(self, rows, column):
        return sum(self.weights.get(slot + column, 0.0) * in_column(x, column) for slot, x in rows)

    def observe(self, rows, importances):
        """The predictions; the normalised update first looks at how large the features are."""
        self.sizes = {}
        if self.update == "default":
            for slot, value in rows:
                for column, importance in importances.items():
                    x = in_column(value, column)
                    scale = self.extras.get(slot + column, 0.0)
                    if importance > 0 and abs(x) > scale:
                        if scale > 0 and slot + column in self.weights:
                            self.weights[slot + column] *= scale / abs(x)
                        self.extras[slot + column] = scale = abs(x)
                    if importance > 0 and scale > 0:
                        self.sizes[column] = self.sizes.get(column, 0.0) + (x / scale) ** 2
        return {column: self.predict(rows, column) for column in importances}

    def learn(self, rows, residuals, importances, pull=1.0):
        getattr(self, f"learn_{self.update}")(rows, residuals, importances, pull)

    def learn_sgd(self, rows, residuals, importances, pull):
        self.updates += 1
        for slot, value in rows:
            for column, r in residuals.items():
                at, x = slot + column, in_column(value, column)
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
        for i, (slot, value) in enumerate(rows):
            for column, r in residuals.items():
                at, x = slot + column, in_column(value, column)
                self.squares[at] = self.squares.get(at, 0.0) + importances[column] * (r * x) ** 2
                below = self.extras.get(at, 0.0) * math.sqrt(self.squares[at])
                rates[i, column] = overall / below if below > 0 else 0.0
                curvature[column] += pull * rates[i, column] * x * x
        for i, (slot, value) in enumerate(rows):
            for column, r in residuals.items():
                at, x, c = slot + column, in_column(value, column), curvature[column]
                step = r * (1 - math.exp(-importances[column] * c)) / c if c > 0 else 0.0
                self.weights[at] = self.weights.get(at, 0.0) - step * rates[i, column] * x

    def learn_ftrl(self, rows, residuals, importances, pull):
        """McMahan et al. 2013, Algorithm 1."""
        for slot, value in rows:
            for column, r in residuals.items():
                if importances[column] == 0:
                    continue
                at, g = slot + column, importances[column] * r * in_column(value, column)
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


WORD = (1 << 64) - 1


def mix(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & WORD
    return x ^ (x >> 31)


def projections(features, hidden, seed, size):
    """What hidden units begin as: the features' direction in random coordinates, one byte of a hash each."""
    d = _core.features_in(features)
    sums, squares = [0.0] * hidden, 0.0
    for name, key, value in zip(*(d[k].tolist() for k in ("names", "keys", "values")), strict=True):
        squares += value**2
        salted = mix(key ^ (name + mix(1) & WORD))
        for u in range(hidden):
            bits = mix(salted + mix(seed + 0x9E3779B97F4A7C15 & WORD) + u // 8 * 8 & WORD)
            byte = bits >> u % 8 * 8 & 255
            sums[u] += value * (byte - 256 if byte > 127 else byte)
    return [size * total / 74 / math.sqrt(squares) for total in sums]


class NetworkReference:
    """One layer of tanh units, those of an action or of all; its first weights are those of the learner."""

    def __init__(self, learner, tables, *, reduction, actions, hidden, bits, direct, shared, seed):
        self.learner, self.reduction, self.seed = learner, reduction, seed
        self.hidden, self.direct, self.shared = hidden, direct, shared
        self.table, self.unit_table = tables
        self.width = -(-actions // 4) * 4
        unit_width = -(-hidden // 4) * 4 if shared else hidden * self.width
        self.unit_rows = [(1 << bits) + self.width + unit_width + u * self.width for u in range(hidden)]
        # One table in the learner, two here: each has its own counts. What both hold, they share.
        for name in ("weights", "squares", "extras"):
            array = learner.state()[name].tolist() or [0.0] * len(learner.state()["slots"])
            values = dict(zip(learner.state()["slots"].tolist(), array, strict=True))
            setattr(self.table, name, values)
            setattr(self.unit_table, name, values)

    def rows(self, features, units):
        slots, values = self.learner.rows(features, units=units)
        return list(zip(slots.tolist(), values.tolist(), strict=True))

    def units(self, allowed):
        """Which column each unit has; that of an action stands beside those of the others."""
        if self.shared:
            return {(u, None): u for u in range(self.hidden)}
        return {(u, a): u * self.width + a for u in range(self.hidden) for a in allowed}

    def activate(self, features, allowed, sums):
        first = projections(features, self.hidden, self.seed, 1.0 if self.direct else 0.1)
        self.active = {
            at: math.tanh(sums[column] + first[at[0]]) for at, column in self.units(allowed).items()
        }
        return self.rows(features, False) + [
            (row, {a: self.active[u, None if self.shared else a] for a in allowed})
            for u, row in enumerate(self.unit_rows)
        ]

    def costs(self, features, allowed):
        inputs = self.rows(features, True)
        sums = {column: self.unit_table.predict(inputs, column) for column in self.units(allowed).values()}
        rows = self.activate(features, allowed, sums)
        return [self.table.predict(rows, a) for a in allowed]

    def learn(self, features, costs, allowed, importance=1.0):
        inputs, costs = self.rows(features, True), dict(zip(allowed, costs, strict=True))
        importances = {a: importance * w for a, w in weigh(self.reduction, costs).items()}
        units = self.units(allowed)
        unit_importances = {c: 1.0 if self.shared else importances[a] for (_, a), c in units.items()}
        rows = self.activate(features, allowed, self.unit_table.observe(inputs, unit_importances))
        residuals = residuals_of(self.reduction, costs, self.table.observe(rows, importances))

        def through(u, a):
            return residuals[a] * self.table.weights.get(self.unit_rows[u] + a, 0.0)

        back = {
            column: (1 - self.active[u, a] ** 2)
            * (sum(importances[b] * through(u, b) for b in allowed) if self.shared else through(u, a))
            for (u, a), column in units.items()
        }
        self.unit_table.learn(inputs, back, unit_importances)
        self.table.learn(rows, residuals, importances, pull=2.0 if self.reduction == "wap" else 1.0)


@pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])
@pytest.mark.parametrize("direct", [False, True], ids=["alone", "direct"])
@pytest.mark.parametrize("reduction", ["oaa", "wap"])
@pytest.mark.parametrize("update", UPDATES)
def test_a_network_equals_the_papers_formulas(update, reduction, direct, shared):
    options = {"ftrl": {"l1": 0.01, "l2": 0.1}}.get(update, {})
    rate = RATES[update] / 10 if update == "sgd" else RATES[update]
    shape = {
        "actions": 6,
        "hidden": 5,
        "bits": 16,
        "direct": direct,
        "shared": shared,
        "seed": 7,
        "reduction": reduction,
    }
    learner = Learner(**shape, update=update, rate=rate, interactions=[["a", "b"]], **options)
    tables = Table(update, rate, **options), Table(update, rate, **options)
    reference = NetworkReference(learner, tables, **shape)
    for features, allowed, costs, importance in random_decisions(80, 6, seed=4):
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
    # Once some gradients are behind it, one more hardly changes a rate: what is left is the step itself.
    before, once, twice = trained(), trained(), trained()
    features, costs = {"a": ["f1", "f2"], "b": [3]}, [0.0, 3.0, -2.0, 0.5, 6.0]
    once.learn(features, costs, importance=2.0)
    for _ in range(2):
        twice.learn(features, costs)
    moved = once.costs(features) - before.costs(features)
    assert np.abs(moved).min() > 0.05
    assert twice.costs(features) - before.costs(features) == pytest.approx(moved, rel=0.15, abs=0.01)


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
    assert learns_xor(hidden=5, **options)
    assert learns_xor(hidden=5, shared=True, **options)


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
    new = Learner(5, bits=12, interactions=[["a", "b"]], **options)
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
    assert (hex(name), hex(key)) == ("0x8696bef70c636433", "0x86721b7a5b6f8660")


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
        ({"actions": 1 << 17, "policies": 256, "hidden": 50, "shared": True}, "room for: ask for fewer"),
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
