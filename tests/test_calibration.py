"""Calibration: maps and measures against slow references, and what it does to a parser."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arcwise import EvaluationError, ModelError, OptionError, Parser, Treebank, TreebankError
from arcwise.calibration import KINDS, Calibration, Map, check, choose, fit, isotonic, reliability
from arcwise.calibration.fitting import ESTIMATORS, TARGETS, fit_temperature_of_moves, moves_of
from arcwise.calibration.maps import log_loss
from arcwise.parser import ModelInfo
from derivations import trained
from walks import SYSTEMS

SETTINGS = [(*system, "adagrad") for system in SYSTEMS] + [("arc-eager", False, "network")]
SURE = Map("platt", ((-14.0, -6.0), (14.0, 8.0)))

probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=60)
observations = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


@pytest.fixture(scope="module")
def dev(garden_dev: Treebank) -> Treebank:
    return garden_dev


@pytest.fixture(scope="module")
def parser() -> Parser:
    return trained("arc-eager", False, "adagrad")


@pytest.fixture(scope="module")
def calibrated(parser: Parser, dev: Treebank) -> Parser:
    return parser.calibrate(dev)


# Maps


def slow_isotonic(values: list[float], weights: list[float]) -> list[float]:
    """Of the least means of stretches from a place before to any place after, the greatest."""

    def mean(begin: int, end: int) -> float:
        own = weights[begin:end]
        return sum(w * v for w, v in zip(own, values[begin:end], strict=True)) / sum(own)

    n = len(values)
    return [max(min(mean(i, j + 1) for j in range(k, n)) for i in range(k + 1)) for k in range(n)]


@given(st.lists(st.tuples(st.floats(-5, 5), st.integers(1, 9)), min_size=1, max_size=25))
def test_isotonic_is_the_least_of_greatest_means(pairs):
    values, weights = [v for v, _ in pairs], [float(w) for _, w in pairs]
    fitted = isotonic(values, weights)
    assert fitted == pytest.approx(slow_isotonic(values, weights), abs=1e-9)
    assert (np.diff(fitted) >= 0).all()
    assert fitted @ np.array(weights) == pytest.approx(np.dot(values, weights), abs=1e-6)


@given(observations, probabilities, st.sampled_from(KINDS))
@example([(0.498046875, False)], [0.0], "temperature")
def test_maps_are_monotone_and_never_certain(pairs, asked, kind):
    probs, right = zip(*pairs, strict=True)
    fitted = fit(kind, probs, right)
    told = fitted(sorted(asked))
    assert fitted.kind == kind
    assert ((told > 0) & (told < 1)).all()
    assert (np.diff(told) >= -1e-12).all()


@given(observations)
def test_a_map_survives_json(pairs):
    fitted = fit("isotonic", *zip(*pairs, strict=True))
    assert Map.from_dict(json.loads(json.dumps(fitted.to_dict()))) == fitted


def observed(n: int, distort) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities that are off by `distort`, of events that happen as often as they should."""
    random = np.random.default_rng(1)
    truth = random.beta(4, 1, n)
    return distort(truth), random.random(n) < truth


def overconfident(p: np.ndarray) -> np.ndarray:
    return 1 / (1 + ((1 - p) / p) ** 2)


@pytest.mark.parametrize("kind", ["temperature", "platt", "beta", "isotonic"])
def test_maps_mend_what_is_overconfident(kind):
    probs, right = observed(20_000, overconfident)
    mended = fit(kind, probs, right)
    assert reliability(probs, right).ece > 0.04
    assert reliability(mended(probs), right).ece < 0.01
    assert log_loss(mended(probs), right) < log_loss(probs, right)


@pytest.mark.parametrize(("kind", "parameters"), [("temperature", 1), ("platt", 2)])
def test_lines_are_those_of_the_least_loss(kind, parameters):
    probs, right = observed(2_000, overconfident)
    fitted = fit(kind, probs, right)
    least = log_loss(fitted(probs), right)
    for turn in (0.98, 1.02):
        knots = tuple((x, turn * y) for x, y in fitted.knots)
        assert log_loss(Map(fitted.kind, knots)(probs), right) > least
    for shift in (-0.05, 0.05)[: 2 * (parameters - 1)]:
        knots = tuple((x, y + shift) for x, y in fitted.knots)
        assert log_loss(Map(fitted.kind, knots)(probs), right) > least


def test_beta_follows_its_formula_and_drops_a_slope_that_falls():
    probs, right = observed(20_000, lambda p: p**3)
    fitted = fit("beta", probs, right)
    assert fitted(probs) == pytest.approx(np.clip(probs, 1e-6, 1 - 1e-6) ** (1 / 3), abs=0.03)
    probs, right = observed(2_000, lambda p: p)
    assert np.ptp(fit("beta", 1 - probs, right)([0.1, 0.9])) < 0.01  # a map that is monotone says nothing


def test_an_isotonic_map_has_few_knots_and_the_accuracies_of_their_blocks():
    probs, right = observed(20_000, lambda p: p**3)
    fitted = fit("isotonic", probs, right)
    assert 5 < len(fitted.knots) <= 40
    assert all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(fitted.knots))
    assert np.mean(fitted(probs)) == pytest.approx(right.mean(), abs=0.005)


def test_the_kind_is_chosen_on_held_out_folds():
    probs, right = observed(20_000, lambda p: np.where(p < 0.7, p / 2, p))  # no line mends a step
    folds = np.arange(len(probs)) % 5
    found, losses = choose(probs, right, folds)
    assert found.kind == "isotonic" == min(losses, key=losses.get)
    by_hand = [
        log_loss(fit("platt", probs[folds != f], right[folds != f])(probs[folds == f]), right[folds == f])
        for f in range(5)
    ]
    assert losses["platt"] == pytest.approx(np.mean(by_hand))


def test_few_observations_leave_probabilities_as_they_are_rather_than_following_chance():
    random = np.random.default_rng(3)
    probs = random.uniform(0.05, 0.95, 300)
    right = random.random(300) < probs
    found, _ = choose(probs, right, np.arange(300) % 5)
    assert found.kind != "isotonic"


# Measures


def test_measures_are_those_computed_by_hand():
    found = reliability([0.95, 0.85, 0.85, 0.3, 1.0], [True, True, False, False, True])
    counts = [bin.count for bin in found.bins]
    assert counts == [0, 0, 0, 1, 0, 0, 0, 0, 2, 2]
    assert [bin.accuracy for bin in found.bins if bin.count] == [0, 0.5, 1]
    assert found.bins[9].confidence == pytest.approx(0.975)
    assert found.bins[0].accuracy is None
    # |0 - 0.3| · 1/5 + |0.5 - 0.85| · 2/5 + |1 - 0.975| · 2/5
    assert found.ece == pytest.approx(0.06 + 0.14 + 0.01)
    assert found.brier == pytest.approx((0.05**2 + 0.15**2 + 0.85**2 + 0.3**2) / 5)
    losses = [math.log(0.95), math.log(0.85), math.log(0.15), math.log(0.7), math.log(1 - 1e-6)]
    assert found.log_loss == pytest.approx(-sum(losses) / 5)
    assert found.accuracy == 0.6
    assert found.confidence == pytest.approx(3.95 / 5)


def test_bins_of_equal_mass_hold_equally_many():
    probs = [0.91, 0.92, 0.93, 0.94]
    found = reliability(probs, [False, True, True, True], bins=2)
    # Of width: one bin, |3.70 - 3| / 4. Of mass: |1.83 - 1| / 4 + |1.87 - 2| / 4.
    assert found.ece == pytest.approx(0.7 / 4)
    assert found.ece_equal_mass == pytest.approx((0.83 + 0.13) / 4)


def test_errors_in_the_lowest_tenth():
    probs = np.linspace(0.01, 0.99, 40)
    right = np.ones(40, dtype=bool)
    right[[0, 2, 30]] = False
    assert reliability(probs, right).errors_in_lowest_tenth == pytest.approx(2 / 3)
    assert reliability(probs, np.ones(40)).errors_in_lowest_tenth is None


def test_the_edge_of_a_bin_belongs_to_it_in_single_precision_too():
    found = reliability(np.arange(10, dtype=np.float32) / np.float32(10), np.ones(10))
    assert [bin.count for bin in found.bins] == [1] * 10


@pytest.mark.parametrize(
    ("probs", "right", "why"),
    [([], [], "no probability"), ([0.5], [True, False], "as many"), ([1.5], [True], "from 0 to 1")],
)
def test_what_cannot_be_measured_is_refused(probs, right, why):
    with pytest.raises(EvaluationError, match=why):
        reliability(probs, right)


# Moves


@pytest.mark.parametrize(("system", "root_first", "learner"), SETTINGS)
@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_checked_moves_are_those_of_a_trace(system, root_first, learner, temperature, dev):
    parser = trained(system, root_first, learner).with_calibration(Calibration(temperature=temperature))
    gold = dev[:8]
    probs, right, forced = moves_of(parser, gold, [1.0, temperature], threads=2)
    steps = [step for sentence in gold for step in parser.trace(sentence, gold=sentence).steps]
    choices = [step for step in steps if len(step.moves) > 1]
    assert forced == len(steps) - len(choices)
    assert probs[:, 1] == pytest.approx([step.chosen.prob for step in choices], rel=1e-5)
    assert right.tolist() == [step.chosen.cost == min(m.cost for m in step.moves) for step in choices]
    assert 0 < right.sum() < len(right)


def test_a_trace_says_how_probable_it_is_that_a_move_is_right(parser, calibrated, dev):
    found = calibrated.info.calibration
    for step in calibrated.trace(dev[0]).steps:
        sure = 1 if len(step.moves) == 1 else found.of_moves(step.chosen.prob)
        assert step.confidence == pytest.approx(sure)
    assert {step.confidence for step in parser.trace(dev[0]).steps} == {None}


def test_a_trace_against_what_is_no_tree_is_refused(parser, dev):
    heads = dev[:1].heads.copy()
    heads[:2] = 2, 1
    cycle = dev[:1].with_trees(heads, dev[:1].labels, dev.label_names)[0]
    with pytest.raises(TreebankError, match=rf"{dev.source}:\d+: sentence .*the heads make no tree"):
        parser.trace(cycle, gold=cycle)
    assert parser.trace(cycle).steps


def test_labels_that_were_lifted_from_nowhere_are_refused(parser):
    header = parser.info.to_header()
    with pytest.raises(ModelError, match="a label has no name"):
        ModelInfo.from_header({**header, "labels": [[0, len(header["label_names"]), False]]})


def test_a_trace_has_probabilities_at_the_temperature(parser, dev):
    hot = parser.with_calibration(Calibration(temperature=2.0))
    for step, own in zip(hot.trace(dev[0]).steps, parser.trace(dev[0]).steps, strict=True):
        odds = np.array([move.prob for move in own.moves]) ** 0.5
        assert [move.prob for move in step.moves] == pytest.approx(odds / odds.sum(), rel=1e-6)


@pytest.mark.parametrize(("system", "root_first", "learner"), [SETTINGS[0], SETTINGS[3], SETTINGS[-1]])
def test_the_temperature_of_moves_reaches_the_minimum(system, root_first, learner, dev):
    parser = trained(system, root_first, learner)
    temperature = fit_temperature_of_moves(parser, dev, threads=1)
    others = [temperature * factor for factor in (0.2, 0.5, 0.9, 0.97, 1.0, 1.03, 1.1, 2.0, 5.0)]
    probs, right, _ = moves_of(parser, dev, others, threads=1)
    losses = [log_loss(probs[:, i], right) for i in range(len(others))]
    assert min(losses) == losses[4]


# Parsers


def test_calibration_mends_what_it_was_fitted_to(parser, calibrated, dev):
    for how in ESTIMATORS:
        report = check(calibrated, dev, probabilities=how)
        assert report.after is not None
        for name, before in report.before.items():
            assert report.after[name].log_loss < before.log_loss
            assert report.after[name].accuracy == before.accuracy
        assert check(parser, dev, probabilities=how).after is None
        assert check(parser, dev, probabilities=how).before == report.before


@pytest.mark.parametrize("beam", [None, 4])
@pytest.mark.parametrize("how", [None, *ESTIMATORS])
def test_trees_stay_the_same(parser, calibrated, dev, beam, how):
    own = parser.parse(dev, beam=beam, probabilities=how)
    mended = calibrated.parse(dev, beam=beam, probabilities=how)
    assert own.heads.tolist() == mended.heads.tolist()
    assert own.column("deprel") == mended.column("deprel")
    if how is not None:
        assert own.head_probs.tolist() != mended.head_probs.tolist()
        assert (mended.deprel_probs <= mended.head_probs).all()
        raw = calibrated.parse(dev, beam=beam, probabilities=how, calibrated=False)
        assert raw.head_probs.tolist() == own.head_probs.tolist()
        assert raw.deprel_probs.tolist() == own.deprel_probs.tolist()


def test_nbest_trees_of_a_beam_stay_the_same(parser, calibrated, dev):
    own, mended = (
        [[(c.sentence.heads.tolist(), c.score) for c in best] for best in p.nbest(dev[:10], 3)]
        for p in (parser, calibrated)
    )
    assert own == mended


def test_maps_apply_where_they_were_fitted(parser, dev):
    tempered = parser.with_calibration(Calibration(temperature=1.5))
    for how in ESTIMATORS:
        for target in TARGETS:
            mapped = parser.with_calibration(Calibration(1.5, maps={(how, target): SURE}))
            for asked in ESTIMATORS:
                plain = tempered.parse(dev, probabilities=asked, samples=50)
                told = mapped.parse(dev, probabilities=asked, samples=50)
                expected = {"head": plain.head_probs, "deprel": plain.deprel_probs}
                if asked == how:
                    given = expected[target]
                    expected[target] = SURE(given if how == "moves" else (given * 50 + 0.5) / 51)
                assert told.head_probs == pytest.approx(expected["head"], abs=1e-6)
                limited = np.minimum(expected["deprel"], expected["head"])
                assert told.deprel_probs == pytest.approx(limited, abs=1e-6)


def test_draws_come_from_the_tempered_distribution(parser, dev):
    cold = parser.with_calibration(Calibration(temperature=0.01))
    greedy = parser.parse(dev[:10])
    drawn = cold.parse(dev[:10], probabilities="samples")
    assert drawn.head_probs.min() > 0.9 > parser.parse(dev[:10], probabilities="samples").head_probs.min()
    for sentence, best in zip(greedy, cold.nbest(dev[:10], 1, samples=20), strict=True):
        assert best[0].sentence.heads.tolist() == sentence.heads.tolist()
    assert cold.marginals(dev[:10]).probs.max() == 1


def test_calibration_is_stored_in_the_model(calibrated, dev, tmp_path):
    # The name of the treebank is, and not where on whose machine it lies.
    assert calibrated.info.calibration.about["treebank"] == Path(dev.source).name
    calibrated.save(tmp_path / "model")
    read = Parser.load(tmp_path / "model")
    assert read.info.calibration == calibrated.info.calibration
    for how in ESTIMATORS:
        own, again = (p.parse(dev, probabilities=how) for p in (calibrated, read))
        assert own.deprel_probs.tolist() == again.deprel_probs.tolist()


@pytest.mark.parametrize(
    "damage",
    [
        lambda c: c.pop("temperature"),
        lambda c: c.update(temperature=0),
        lambda c: c.update(of_moves=1),
        lambda c: c.update(temperature="hot"),
        lambda c: c.update(temperature=float("inf")),
        lambda c: c.update(maps=[]) or c.update(about=None),
        lambda c: c["maps"].update({"moves.tail": c["maps"]["moves.head"]}),
        lambda c: c["maps"]["moves.head"].update(kind="magic"),
        lambda c: c["maps"]["moves.head"].update(knots=[[0, 0], [0, 1]]),
        lambda c: c["maps"]["moves.head"].update(knots=[[0, 1], [1, 0]]),
        lambda c: c["maps"]["moves.head"].update(knots=[[0, 1, 2], [1, 2, 3]]),
        lambda c: c["maps"]["moves.head"].update(knots=[]),
    ],
)
def test_a_damaged_calibration_is_refused(calibrated, damage):
    stored = json.loads(json.dumps(calibrated.info.calibration.to_dict()))
    damage(stored)
    with pytest.raises(ModelError, match="damaged"):
        Calibration.from_dict(stored)


def test_words_without_gold_heads_and_labels_are_not_counted(parser, dev):
    heads, labels = dev.heads.copy(), dev.labels.copy()
    heads[::3] = -1
    labels[::2] = -1
    partial = dev.with_trees(heads, labels, dev.label_names)
    report = check(parser, partial)
    assert report.before["heads"].count == (heads >= 0).sum()
    assert report.before["heads and labels"].count == ((heads >= 0) & (labels >= 0)).sum()
    assert parser.calibrate(partial).info.calibration.about["words"] == (heads >= 0).sum()


def test_the_number_of_threads_changes_nothing(parser, calibrated, dev):
    assert parser.calibrate(dev, threads=3).info.calibration == calibrated.info.calibration


def test_steps_are_told(parser, dev):
    seen = []
    parser.calibrate(dev, samples=5, on_step=lambda done, steps: seen.append((done, steps)))
    assert [done for done, _ in seen] == list(range(1, seen[0][1] + 1))


@pytest.mark.parametrize("learner", ["perceptron", "l2s"])
def test_learners_without_probabilities_are_refused(learner, dev):
    parser = trained("arc-eager", False, learner)
    with pytest.raises(OptionError, match="the learner network or adagrad"):
        parser.calibrate(dev)
    with pytest.raises(OptionError, match="the learner network or adagrad"):
        check(parser, dev)


def test_too_little_to_calibrate_with_is_refused(parser, dev):
    for few in (dev[:0], dev[:5]):
        with pytest.raises(TreebankError, match="too small to calibrate with"):
            parser.calibrate(few)
    with pytest.raises(TreebankError, match="0 words whose heads are known"):
        parser.calibrate(Treebank.from_words([["Go", "on"]] * 300))
    with pytest.raises(TreebankError, match="no trees to check"):
        check(parser, Treebank.from_words([["Go", "on"]]))


# Low confidence


def test_marks_follow_probabilities_through_selection_and_go_with_other_trees(calibrated, dev):
    sure = calibrated.parse(dev, probabilities="moves")
    marked = sure.with_min_confidence(0.9)
    unsure = sure.deprel_probs < 0.9
    assert ["LowConfidence=Yes" in misc for misc in misc_of(marked)] == unsure.tolist()
    assert marked.heads.tolist() == sure.heads.tolist()
    assert misc_of(marked[3:5]) == misc_of(marked)[dev.first_words[3] : dev.first_words[5]]
    assert not any(
        "LowConfidence" in misc for misc in misc_of(calibrated.parse(marked, probabilities="moves"))
    )
    assert misc_of(sure.with_min_confidence(0)) == misc_of(sure)


def misc_of(treebank: Treebank) -> list[str]:
    return Treebank.from_string(treebank.to_string()).column("misc")


def test_dropped_words_have_neither_head_nor_label_and_keep_their_probabilities(calibrated, dev):
    sure = calibrated.parse(dev, probabilities="moves")
    partial = sure.with_min_confidence(0.9, drop=True)
    unsure = sure.deprel_probs < 0.9
    assert (partial.heads == np.where(unsure, -1, sure.heads)).all()
    assert [token.deprel is None for sentence in partial for token in sentence] == unsure.tolist()
    assert partial.deprel_probs.tolist() == sure.deprel_probs.tolist()
    assert partial[0].prob == sure[0].prob
    assert Treebank.from_string(partial.to_string()).heads.tolist() == partial.heads.tolist()


def test_trees_without_probabilities_have_no_confidence(calibrated, dev):
    with pytest.raises(TreebankError, match="no probabilities: parse with probabilities"):
        calibrated.parse(dev).with_min_confidence(0.5)
    with pytest.raises(TreebankError, match="from 0 to 1"):
        calibrated.parse(dev, probabilities="moves").with_min_confidence(1.5)
