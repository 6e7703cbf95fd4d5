"""The 200 English sentences: pairs of one kind, in their halves, annotated with what the treebank knows."""

import hashlib
import importlib
from collections import Counter
from pathlib import Path

import pytest

from arcwise import Treebank

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
NOT_IN_THE_TREEBANK = {
    ("PRON", "Poss=Yes|PronType=Int"),  # whose, of questions
    ("PRON", "Abbr=Yes|Case=Acc|Person=2|PronType=Prs"),  # u, as an object
}
"""Kinds of words that it could have."""


@pytest.fixture
def hand(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("hand")


@pytest.fixture
def dev(hand):
    return hand.gold_of(hand.FILES, "dev")


@pytest.fixture
def held_out(hand):
    return hand.gold_of(hand.FILES, "test")


def test_of_a_pair_the_smaller_hash_is_in_dev(hand, dev, held_out):
    def pairs(half):
        return {sentence.id[:-1]: sentence for sentence in half}

    def digest(sentence):
        return hashlib.sha256(sentence.text.encode()).hexdigest()

    first, second = pairs(dev), pairs(held_out)
    assert sorted(first) == sorted(second) == [f"hand-{number:03}" for number in range(1, 101)]
    for pair, sentence in first.items():
        other = second[pair]
        assert {sentence.id[-1], other.id[-1]} == {"a", "b"}
        assert hand.genre_of(sentence) == hand.genre_of(other)
        assert digest(sentence) < digest(other), pair


def test_no_sentence_is_there_twice(dev, held_out):
    assert len({sentence.text for half in (dev, held_out) for sentence in half}) == 200


def test_every_genre_is_in_both_halves(hand, dev, held_out):
    genres = Counter(map(hand.genre_of, dev))
    assert set(genres) == set(hand.GENRES)
    assert genres == Counter(map(hand.genre_of, held_out))


def test_labels_tags_and_features_are_those_of_the_treebank(dev, held_out, shared_data):
    def kinds(treebank):
        upos = treebank.column("upos")
        pairs = (zip(upos, treebank.column(name), strict=True) for name in ("xpos", "feats"))
        return set(treebank.column("deprel")), *map(set, pairs)

    known = kinds(Treebank.read(shared_data / "en_ewt" / "en_ewt-ud-train.conllu"))
    labels, tags, features = (
        (first | second) - of_train
        for first, second, of_train in zip(kinds(dev), kinds(held_out), known, strict=True)
    )
    assert (labels, tags) == (set(), set())
    assert features == NOT_IN_THE_TREEBANK


def test_roots_in_multiword_tokens_are_told_apart(hand):
    def tree(first, second):
        return Treebank.from_string(
            "1-2\tgonna\t_\t_\t_\t_\t_\t_\t_\t_\n"
            f"1\tgon\tgo\t_\t_\t_\t{first}\tdep\t_\t_\n2\tna\tto\t_\t_\t_\t{second}\tdep\t_\t_\n\n"
        )

    assert hand.roots(tree(0, 1)) == {((0, 5), 0)}
    assert hand.roots(tree(2, 0)) == {((0, 5), 1)}


def test_gold_trees_score_100(hand, dev, monkeypatch):
    monkeypatch.setattr(hand, "parsed_by", lambda nlp, gold, start: gold)
    assert set(hand.figures(None, dev, hand.STARTS[0]).values()) == {100}
