"""Two systems compared: the test against brute force, and that a comparison says what evaluations say."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import EvaluationError, OptionError, Treebank, evaluate
from arcwise.evaluation import compare, randomisation_p
from arcwise.evaluation.comparison import LEAST_P
from arcwise.evaluation.comparison_tables import in_figures
from treebank_texts import sentence


@given(st.lists(st.integers(-6, 6), max_size=9))
def test_p_is_the_share_of_all_signs_with_as_large_a_sum(differences: list[int]) -> None:
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    expected = sum(value >= observed for value in sums) / len(sums)
    assert randomisation_p(differences) == pytest.approx(expected, abs=1e-12)


def test_p_of_many_differences_is_found_exactly() -> None:
    assert randomisation_p([1] * 30) == pytest.approx(2.0**-29, rel=1e-4)
    assert randomisation_p([1] * 5000) == LEAST_P
    assert randomisation_p([1, -1] * 50_000) == 1.0
    assert randomisation_p([3] * 10 + [-2] * 10 + [0] * 1000) == pytest.approx(
        randomisation_p([-3] * 10 + [2] * 10)
    )


@pytest.fixture(scope="module")
def sides(garden_dev: Treebank) -> tuple[Treebank, Treebank, Treebank]:
    """Gold trees; those with every seventh label and head wrong; and with some of these and others wrong."""
    gold = garden_dev

    def spoilt(step: int, offset: int) -> Treebank:
        heads, labels = gold.heads.copy(), gold.labels.copy()
        labels[offset::step] = (labels[offset::step] + 1) % len(gold.label_names)
        for word in range(offset, len(heads), 2 * step):
            heads[word] = 1 if heads[word] != 1 else 0
        return gold.with_trees(heads, labels, gold.label_names)

    return gold, spoilt(7, 0), spoilt(23, 2)


def test_scores_are_those_of_evaluations(sides: tuple[Treebank, Treebank, Treebank]) -> None:
    gold, a, b = sides
    found = compare(gold, a, b)
    one, other = (evaluate(gold, side, conll18=False).attachment for side in (a, b))
    for name in ("uas", "las", "label_accuracy", "uem", "lem"):
        row = found.scores[name]
        assert (row.a, row.b) == (pytest.approx(getattr(one, name)), pytest.approx(getattr(other, name)))
        assert row.difference == pytest.approx(row.a - row.b)
        assert row.interval is not None and row.interval[0] <= row.difference <= row.interval[1]
    assert found.scores["las_no_punct"].a == pytest.approx(one.no_punct.las)
    for name, scores in one.by_length.items():
        assert found.by_length[name].a == pytest.approx(scores.las)
    for name, scores in one.relations.items():
        if scores.gold:
            assert found.by_relation[name].a == pytest.approx(scores.recall)
            assert found.by_relation[name].count == scores.gold
    for name, scores in one.by_arc.items():
        if scores.gold:
            assert found.by_arc[name].a == pytest.approx(scores.recall)
    assert sum(row.a for row in found.by_class.values()) == pytest.approx(100 - one.las)
    assert sum(row.count for row in found.by_upos.values()) == gold.word_count


def test_the_better_system_is_told_from_the_worse(sides: tuple[Treebank, Treebank, Treebank]) -> None:
    gold, a, b = sides
    found = compare(gold, a, b)
    assert found.scores["las"].difference < 0 and found.scores["las"].p < 0.001
    assert found.scores["las"].interval[1] < 0


def test_turned_round_a_comparison_says_the_same(sides: tuple[Treebank, Treebank, Treebank]) -> None:
    gold, a, b = sides
    one, other = compare(gold, a, b), compare(gold, b, a)
    for name, row in one.scores.items():
        assert other.scores[name].difference == pytest.approx(-row.difference)
        assert other.scores[name].p == pytest.approx(row.p)
    assert (one.only_a, one.only_b) == (other.only_b, other.only_a)


def test_a_system_is_as_good_as_itself(sides: tuple[Treebank, Treebank, Treebank]) -> None:
    gold, a, _ = sides
    found = compare(gold, a, a)
    assert {row.p for row in found.scores.values()} == {1.0}
    assert {row.interval for row in found.scores.values()} == {(0.0, 0.0)}
    assert found.only_a == found.only_b == ()


def test_sentences_that_one_alone_has_right(sides: tuple[Treebank, Treebank, Treebank]) -> None:
    gold, a, b = sides

    def right(side: Treebank, index: int) -> bool:
        return [(w.head, w.deprel) for w in side[index]] == [(w.head, w.deprel) for w in gold[index]]

    found = compare(gold, a, b)
    assert set(found.only_b) == {i for i in range(len(gold)) if right(b, i) and not right(a, i)}
    assert set(found.only_a) == {i for i in range(len(gold)) if right(a, i) and not right(b, i)}
    assert found.only_b


def test_draws_are_those_of_their_seed(sides: tuple[Treebank, Treebank, Treebank]) -> None:
    intervals = [
        [row.interval for row in compare(*sides, resamples=50, seed=seed).scores.values()]
        for seed in (1, 1, 2)
    ]
    assert intervals[0] == intervals[1] != intervals[2]
    assert {row.interval for row in compare(*sides, resamples=0).scores.values()} == {None}
    with pytest.raises(OptionError, match="resamples"):
        compare(*sides, resamples=-1)


def test_p_in_a_table_is_corrected_for_its_rows() -> None:
    """One row alone: as it is. Of two, the smaller is doubled."""
    gold = Treebank.from_string(sentence(0, 1) * 6)
    relabelled = [label for _ in range(6) for label in (0, 1)]
    a = gold.with_trees(gold.heads, gold.labels, gold.label_names)
    b = gold.with_trees(gold.heads, relabelled, ["dep", "obj"])
    found = compare(gold, a, b, resamples=0)
    assert found.by_relation["dep"].p == pytest.approx(2 / 2**6)
    assert found.by_arc["before 1"].p == pytest.approx(2 * 2 / 2**6)
    assert found.by_arc["root"].p == 1.0


def test_a_comparison_goes_to_json_and_is_shown_in_a_line(
    sides: tuple[Treebank, Treebank, Treebank],
) -> None:
    found = compare(*sides, names=("one", "other"))
    document = json.loads(json.dumps(found.to_dict()))
    assert document["scores"]["las"]["p"] == found.scores["las"].p
    assert document["only_b"] == list(found.only_b)
    assert repr(found).startswith("<Comparison of 'one' and 'other': LAS ") and len(repr(found)) < 120


def test_other_words_are_refused(sides: tuple[Treebank, Treebank, Treebank]) -> None:
    gold, a, _ = sides
    with pytest.raises(EvaluationError, match="part at sentence"):
        compare(gold, a, Treebank.from_words([["other"]]))


def test_no_sentences_are_compared_without_a_fall() -> None:
    nothing = Treebank.from_string("")
    assert compare(nothing, nothing, nothing).scores["las"].p == 1.0


def test_p_is_written_as_people_write_it() -> None:
    assert [in_figures(p) for p in (0.5, 0.0123, 0.00099, LEAST_P)] == ["0.500", "0.012", "<0.001", "<0.001"]
