"""Which sentences are chosen to be annotated next."""

from __future__ import annotations

import numpy as np
import pytest

from arcwise import OptionError, Parser, Treebank, TreebankError
from arcwise.suggest import CRITERIA, suggest
from derivations import trained


@pytest.fixture(scope="module")
def parser() -> Parser:
    return trained("arc-eager", False, "adagrad")


def by_hand(parser: Parser, treebank: Treebank, criterion: str, length_bias: float) -> list[float]:
    scores = []
    for sentence in parser.parse(treebank, probabilities="moves"):
        of = {
            "errors": sum(1 - token.deprel_prob for token in sentence),
            "entropy": sentence.entropy,
            "least-confident": -sentence.log_prob,
        }
        scores.append(of[criterion] / len(sentence) ** (1 - length_bias))
    return scores


@pytest.mark.parametrize("criterion", ["errors", "entropy", "least-confident"])
@pytest.mark.parametrize("length_bias", [0.0, 0.5, 1.0])
def test_the_highest_scores_come_first(parser, garden_dev, criterion, length_bias):
    found = suggest(parser, garden_dev, 10, criterion=criterion, length_bias=length_bias)
    scores = by_hand(parser, garden_dev, criterion, length_bias)
    assert found.indices == sorted(range(len(scores)), key=lambda i: -scores[i])[:10]
    assert found.scores == pytest.approx([scores[i] for i in found.indices], rel=1e-6)
    for index, sentence in zip(found.indices, found.trees, strict=True):
        assert [token.form for token in sentence] == [token.form for token in garden_dev[index]]
        assert sentence[0].head_prob is not None


def test_a_length_bias_lengthens_what_is_chosen(parser, garden_dev):
    lengths = [suggest(parser, garden_dev, 10, length_bias=b).trees.word_count for b in (-1, 0, 1, 2)]
    assert lengths == sorted(lengths) and lengths[0] < lengths[-1]


def test_random_choices_depend_on_the_seed_alone(parser, garden_dev):
    chosen = [suggest(parser, garden_dev, 10, criterion="random", seed=seed).indices for seed in (1, 1, 2)]
    assert chosen[0] == chosen[1] != chosen[2]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_same_sentence_is_chosen_once(parser, garden_dev, criterion):
    several = garden_dev.select([0, 1, 0, 2, 1, 0])
    found = suggest(parser, several, 6, criterion=criterion)
    assert sorted(garden_dev[[0, 1, 0, 2, 1, 0][i]].id for i in found.indices) == [
        garden_dev[i].id for i in range(3)
    ]
    if criterion != "random":
        assert set(found.indices) == {0, 1, 3}


def test_words_are_a_budget_that_the_last_sentence_may_exceed(parser, garden_dev):
    found = suggest(parser, garden_dev, words=50)
    assert found.trees.word_count >= 50 > found.trees[:-1].word_count
    assert suggest(parser, garden_dev, words=10**6).trees.word_count == garden_dev.word_count


def test_neither_trees_in_the_file_nor_threads_change_the_choice(parser, garden_dev):
    nothing = np.full(garden_dev.word_count, -1)
    unlabelled = garden_dev.with_trees(nothing, nothing, [])
    chosen = suggest(parser, garden_dev, 10).indices
    assert suggest(parser, unlabelled, 10, threads=3).indices == chosen


def test_what_makes_no_sense_is_refused(parser, garden_dev):
    for wrong in ({}, {"n": 3, "words": 10}, {"n": 0}, {"words": 0}, {"n": 3, "criterion": "beauty"}):
        with pytest.raises(OptionError):
            suggest(parser, garden_dev, **wrong)
    with pytest.raises(TreebankError, match="no sentences to choose from"):
        suggest(parser, garden_dev[:0], 3)
    with pytest.raises(OptionError, match="no probabilities"):
        suggest(trained("arc-eager", False, "perceptron"), garden_dev, 3)
