"""Beam search: of width 1 it is greedy, of any width it is what a slow reference finds."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import OptionError, Parser, Treebank
from arcwise.options import LEARNERS
from derivations import Derivation, Reference, Tree, first_words, short_sentences, trained
from walks import LEFT_TO_RIGHT, at_random, finish, start

SETTINGS = [(*system, learner) for system in LEFT_TO_RIGHT for learner in LEARNERS if learner != "l2s"]
each_setting = pytest.mark.parametrize(("system", "root_first", "learner"), SETTINGS)


def trees(treebank: Treebank) -> list[bytes]:
    return [treebank.heads.tobytes(), treebank.labels.tobytes()]


# Searching


@each_setting
def test_a_beam_of_width_1_is_greedy(system, root_first, learner, garden_dev):
    parser = trained(system, root_first, learner)
    assert trees(parser.parse(garden_dev, beam=1)) == trees(parser.parse(garden_dev))


class Beam(Reference):
    """Beam search as one would write it down first."""

    def search(self, width: int) -> list[Derivation]:
        beam = [self.start]
        while not all(derivation.walk.done for derivation in beam):
            candidates = [child for derivation in beam for child in self.children(derivation)]
            # Sorting is stable: ties keep the order of the beam, and that of the moves.
            beam = sorted(candidates, key=lambda child: -round(child.score, 9))[:width]
        return beam

    def trees(self, width: int) -> dict[Tree, float]:
        """The distinct trees, each with the score of the best of its derivations."""
        found: dict[Tree, float] = {}
        for derivation in self.search(width):
            found.setdefault(self.tree(derivation), derivation.score)
        return found


@pytest.mark.parametrize("width", [1, 2, 3, 8, 20])
@each_setting
def test_a_beam_finds_what_the_reference_finds(system, root_first, learner, width):
    parser, treebank = trained(system, root_first, learner), short_sentences()
    candidates = parser.nbest(treebank, width, beam=width)
    for index, found in enumerate(candidates):
        expected = Beam(parser, treebank, index).trees(width)
        assert [score for _, score in found] == pytest.approx(list(expected.values()))
        given = [(tuple(s.heads.tolist()), tuple(token.deprel for token in s)) for s, _ in found]
        assert given == list(expected)


@each_setting
def test_a_beam_wide_enough_for_all_derivations_finds_the_best(system, root_first, learner):
    parser = trained(system, root_first, learner)
    treebank = first_words(3)
    reference = Reference(parser, treebank)

    def best(derivation: Derivation) -> float:
        if derivation.walk.done:
            return derivation.score
        return max(best(child) for child in reference.children(derivation))

    [[(_, score)]] = parser.nbest(treebank, 1, beam=10**6)
    assert score == pytest.approx(best(reference.start))


@pytest.mark.parametrize("beam", [2, 8])
@each_setting
def test_threads_do_not_change_what_a_beam_finds(system, root_first, learner, beam, garden_dev):
    parser = trained(system, root_first, learner)
    assert len(garden_dev) * 4 > 64, "there is more than one share"
    treebank = garden_dev.select([*range(len(garden_dev))] * 4)
    one, three = (parser.parse(treebank, beam=beam, threads=threads) for threads in (1, 3))
    assert trees(one) == trees(three)
    one, three = (parser.nbest(treebank, 3, beam=beam + 1, threads=threads) for threads in (1, 3))
    assert [[c.score for c in best] for best in one] == [[c.score for c in best] for best in three]


@each_setting
def test_a_sentence_does_not_depend_on_those_parsed_before_it(system, root_first, learner, garden_dev):
    parser = trained(system, root_first, learner)
    together = parser.parse(garden_dev, beam=4)
    for index in (0, 7, len(garden_dev) - 1):
        assert trees(parser.parse(garden_dev[index : index + 1], beam=4)) == trees(
            together[index : index + 1]
        )


# Taking moves back


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(("system", "root_first"), LEFT_TO_RIGHT)
@settings(max_examples=40)
@given(words=st.integers(1, 12), seed=st.integers(0, 2**32))
def test_moves_taken_back_leave_the_state_as_it_was(system, root_first, single_root, words, seed):
    chance = random.Random(seed)
    walk = start(system, words, labels=70, root_first=root_first, single_root=single_root)
    before = []
    while before or not walk.done:
        if walk.done or (before and chance.random() < 0.4):
            for _ in range(chance.randint(1, len(before))):
                walk.undo()
                assert walk.is_where(before.pop())
            if chance.random() < 0.2:
                break
        else:
            before.append(walk.copy())
            walk.apply(chance.choice(walk.legal()))
    fresh = start(system, words, labels=70, root_first=root_first, single_root=single_root)
    replayed = random.Random(seed)
    while before:
        walk.undo()
        before.pop()
    assert walk.is_where(fresh)
    finish(walk, at_random(replayed))
    finish(fresh, at_random(random.Random(seed)))
    assert walk.is_where(fresh)


def test_walks_in_different_states_are_told_apart():
    walk = start("arc-eager", 2, labels=2)
    walk.apply(walk.legal()[0])
    left, right = (walk.copy() for _ in range(2))
    names = {walk.move_name(move): move for move in walk.legal()}
    left.apply(names["LEFT"])
    right.apply(names["RIGHT"])
    assert not left.is_where(right)
    assert not left.is_where(walk)
    assert not walk.is_where(start("arc-standard", 2, labels=2))


def test_what_cannot_be_taken_back_is_said():
    with pytest.raises(ValueError, match="No move has been made"):
        start("arc-eager", 2).undo()
    with pytest.raises(ValueError, match="from left to right alone"):
        start("easy-first", 2).undo()


# Long sentences


@pytest.mark.parametrize(
    ("system", "root_first", "learner"),
    [setting for setting in SETTINGS if setting[0] != "covington"],  # which may pass every word at each
)
def test_a_long_sentence_takes_a_beam_as_much_work_a_word_as_a_short_one(
    system, root_first, learner, garden_dev
):
    parser = trained(system, root_first, learner)

    def work_for_a_word(words: int) -> float:
        columns = (np.resize(garden_dev.column(name), words).tolist() for name in ("form", "upos", "xpos"))
        forms, upos, xpos = columns
        sentence = Treebank.from_words([forms], upos=[upos], xpos=[xpos])
        best = parser._core.best(sentence._core, 1, 4)
        assert best["counts"].tolist() == [1]
        return float(best["moves"]) / words

    assert work_for_a_word(20_000) < 2 * work_for_a_word(1_000)


# The best trees


@each_setting
def test_the_best_trees_differ_and_their_scores_descend(system, root_first, learner, garden_dev):
    parser = trained(system, root_first, learner)
    parsed = parser.parse(garden_dev, beam=12)
    candidates = parser.nbest(garden_dev, 5, beam=12)
    assert len(candidates) == len(garden_dev)
    for index, best in enumerate(candidates):
        assert 1 <= len(best) <= 5
        scores = [score for _, score in best]
        assert scores == sorted(scores, reverse=True)
        distinct = {(s.heads.tobytes(), tuple(token.deprel for token in s)) for s, _ in best}
        assert len(distinct) == len(best)
        assert best[0].sentence.to_string() == parsed[index].to_string()
        assert all(s.id == garden_dev[index].id for s, _ in best)
    assert any(len(best) == 5 for best in candidates)


def test_lifted_words_are_lowered_in_the_best_trees():
    crossing = Treebank.from_words([["a", "hearing", "is", "scheduled", "on", "it", "today"]] * 3)
    treebank = crossing.with_trees([2, 4, 4, 0, 2, 5, 4] * 3, [0, 1, 2, 3, 4, 5, 6] * 3, list("abcrdef"))
    parser = Parser.train(treebank, learner="adagrad", epochs=10)
    assert any(label[1] != -2 for label in parser.info.labels), "something was lifted"
    best = parser.nbest(treebank[:1], 3)[0]
    assert best[0].sentence.heads.tolist() == [2, 4, 4, 0, 2, 5, 4]
    assert parser.parse(treebank[:1], beam=8).heads.tolist() == [2, 4, 4, 0, 2, 5, 4]


def test_a_beam_is_as_wide_as_the_trees_that_are_asked_for(garden_dev):
    parser = trained("arc-eager", False, "adagrad")
    by_default = parser.nbest(garden_dev, 20)
    assert [len(best) for best in by_default] == [len(best) for best in parser.nbest(garden_dev, 20, beam=20)]
    at_least = parser.nbest(garden_dev, 2)
    assert [best[0].score for best in at_least] == [
        best[0].score for best in parser.nbest(garden_dev, 2, beam=8)
    ]


def test_nothing_to_parse_is_nothing():
    parser = trained("arc-eager", False, "adagrad")
    assert parser.nbest([], 3) == []
    assert len(parser.parse([], beam=3)) == 0


def test_what_a_beam_cannot_do_is_refused(garden):
    parser = trained("arc-eager", False, "perceptron")
    for beam in (0, -1, 2**31):
        with pytest.raises(OptionError, match="at least 1 wide"):
            parser.parse([["one"]], beam=beam)
    with pytest.raises(OptionError, match="no more than 2 trees"):
        parser.nbest([["one"]], 3, beam=2)
    with pytest.raises(OptionError, match="at least one tree"):
        parser.nbest([["one"]], 0)
    easy = Parser.train(garden[:5], system="easy-first", learner="perceptron", epochs=1)
    for search in (easy.parse, lambda *words, **beam: easy.nbest(*words, 1, **beam)):
        with pytest.raises(OptionError, match="easy-first does not"):
            search([["one"]], beam=2)
    with pytest.raises(ValueError, match="easy-first does not"):
        easy._core.parse(garden._core, beam=2)
