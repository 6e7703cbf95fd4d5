"""Probabilities of moves, trees and arcs: drawn and estimated, against all derivations of small sentences."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest

from arcwise import OptionError, Parser, Treebank, TreebankError
from arcwise.options import PROBABILISTIC
from derivations import Derivation, Reference, Tree, first_words, short_sentences, trained
from walks import ANY_TREE, LEFT_TO_RIGHT, SYSTEMS

SETTINGS = [(*system, "adagrad") for system in [*SYSTEMS, *ANY_TREE]] + [
    (*system, "network") for system in LEFT_TO_RIGHT
]
each_setting = pytest.mark.parametrize(("system", "root_first", "learner"), SETTINGS)
each_left_to_right = pytest.mark.parametrize(
    ("system", "root_first", "learner"), [setting for setting in SETTINGS if setting[0] != "easy-first"]
)


def tree_of(sentence) -> Tree:
    return tuple(sentence.heads.tolist()), tuple(token.deprel for token in sentence)


def drawn_trees(parser: Parser, treebank: Treebank, samples: int, seed: int = 1) -> list[Counter[Tree]]:
    """How often each tree was drawn, for each sentence."""
    candidates = parser.nbest(treebank, samples, samples=samples, seed=seed)
    return [
        Counter({tree_of(sentence): round(math.exp(score) * samples) for sentence, score in best})
        for best in candidates
    ]


def as_dict(arcs):
    return {(arc.word, arc.head, arc.deprel): arc.prob for arc in arcs}


def shares(trees: dict[Tree, float]) -> dict[tuple[int, int, str], float]:
    """The probability of each arc, from those of trees."""
    arcs: Counter[tuple[int, int, str]] = Counter()
    for (heads, deprels), prob in trees.items():
        for word, (head, deprel) in enumerate(zip(heads, deprels, strict=True), 1):
            arcs[word, head, deprel] += prob
    return arcs


def entropy(reference: Reference, derivation: Derivation) -> float:
    """Of the distribution over derivations."""
    if derivation.walk.done:
        return 0.0
    gains = reference.gains(derivation)
    return sum(
        math.exp(gain) * (entropy(reference, reference.after(derivation, move, gain)) - gain)
        for move, gain in gains.items()
    )


# Moves


@each_setting
def test_probabilities_of_moves_are_those_of_the_reference(system, root_first, learner):
    parser = trained(system, root_first, learner)
    treebank = short_sentences()[:3]
    for index, sentence in enumerate(treebank):
        reference = Reference(parser, treebank, index)
        derivation = reference.start
        for step in parser.trace(sentence).steps:
            gains = reference.gains(derivation)
            probs = sorted(math.exp(gain) for gain in gains.values())
            assert sum(move.prob for move in step.moves) == pytest.approx(1)
            assert sorted(move.prob for move in step.moves) == pytest.approx(probs, rel=1e-5)
            best = max(gains, key=lambda move: gains[move])
            assert step.chosen.prob == pytest.approx(math.exp(gains[best]), rel=1e-5)
            derivation = reference.after(derivation, best, gains[best])
        assert derivation.walk.done
        parsed = parser.parse(treebank[index : index + 1], probabilities="moves")[0]
        assert tree_of(parsed) == reference.tree(derivation)
        assert parsed.log_prob == pytest.approx(derivation.score, rel=1e-5)
        assert parsed.prob == pytest.approx(math.exp(derivation.score), rel=1e-5)


# Drawing trees


@each_setting
def test_draws_are_as_frequent_as_all_derivations_make_them(system, root_first, learner):
    parser, treebank = trained(system, root_first, learner), first_words(3)
    reference = Reference(parser, treebank)
    trees = reference.distribution()
    assert sum(trees.values()) == pytest.approx(1)
    expected, samples = shares(trees), 4000
    found = as_dict(parser.marginals(treebank, samples=samples)[0])
    assert found.keys() <= expected.keys()
    for arc, prob in expected.items():
        # Five standard deviations, and the seed is fixed.
        error = 5 * math.sqrt(prob * (1 - prob) / samples) + 2 / samples
        assert found.get(arc, 0) == pytest.approx(prob, abs=error)
    parsed = parser.parse(treebank, probabilities="samples", samples=samples)
    assert parsed[0].entropy == pytest.approx(entropy(reference, reference.start), rel=0.1)


GOLDEN_RATIO = 0x9E3779B97F4A7C15
TO_64_BITS = 2**64 - 1


def mix(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & TO_64_BITS
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & TO_64_BITS
    return x ^ (x >> 31)


def hash_bytes(data: bytes, seed: int) -> int:
    h = seed ^ (GOLDEN_RATIO * (len(data) + 1) & TO_64_BITS)
    whole = len(data) // 8 * 8
    for i in range(0, whole, 8):
        h = (mix(h ^ int.from_bytes(data[i : i + 8], "little")) + 0x2545F4914F6CDD1D) & TO_64_BITS
    return mix(h ^ int.from_bytes(data[whole:], "little"))


def one_draw(reference: Reference, seed: int, number: int) -> Tree:
    """The draw of this number, by itself: with the random numbers that are its own."""
    key = mix(seed)
    for form in reference.treebank.column("form"):
        key = hash_bytes(form.encode(), key)
    state = mix((key + number) & TO_64_BITS)
    derivation = reference.start
    while not derivation.walk.done:
        gains = reference.gains(derivation)
        moves = list(gains)
        move = moves[0]
        if len(moves) > 1:
            state = (state + GOLDEN_RATIO) & TO_64_BITS
            ends = np.cumsum([math.exp(gain) for gain in gains.values()])
            place = int(np.searchsorted(ends, (mix(state) >> 11) * 2.0**-53, side="right"))
            move = moves[min(place, len(moves) - 1)]
        derivation = reference.after(derivation, move, gains[move])
    return reference.tree(derivation)


@each_left_to_right
def test_draws_that_walk_together_are_those_that_walk_alone(system, root_first, learner):
    parser, treebank = trained(system, root_first, learner), short_sentences()[:1]
    reference = Reference(parser, treebank)
    for seed in (1, 2):
        alone = Counter(one_draw(reference, seed, number) for number in range(12))
        assert drawn_trees(parser, treebank, 12, seed) == [alone]


@each_setting
def test_a_draw_does_not_depend_on_how_many_others_there_are(system, root_first, learner):
    parser, treebank = trained(system, root_first, learner), short_sentences()
    before = [Counter() for _ in treebank]
    for samples in range(1, 20):
        now = drawn_trees(parser, treebank, samples)
        assert all((after - earlier).total() == 1 for after, earlier in zip(now, before, strict=True))
        assert not any(earlier - after for after, earlier in zip(now, before, strict=True))
        before = now


@each_setting
def test_neither_threads_nor_other_sentences_change_what_is_drawn(system, root_first, learner, garden_dev):
    parser = trained(system, root_first, learner)
    order = [*range(len(garden_dev))] * 4
    assert len(order) > 64, "there is more than one share"
    treebank = garden_dev.select(order)
    one, three = (
        parser.parse(treebank, probabilities="samples", samples=9, threads=threads) for threads in (1, 3)
    )
    assert one.to_string() == three.to_string()
    assert [s.entropy for s in one] == [s.entropy for s in three]
    random.Random(1).shuffle(order)
    shuffled = parser.parse(garden_dev.select(order), probabilities="samples", samples=9)
    assert all(shuffled[i].to_string() == one[place].to_string() for i, place in enumerate(order))


def test_another_seed_draws_other_trees(garden_dev):
    parser = trained("arc-eager", False, "adagrad")
    first, again, other = (parser.marginals(garden_dev, samples=5, seed=seed) for seed in (1, 1, 2))
    assert list(first) == list(again)
    assert list(first) != list(other)


def test_a_sentence_of_other_words_has_other_random_numbers():
    parser = Parser.train(first_words(3).with_trees([0, 1, 1], [0, 1, 1], ["root", "dep"]), learner="network")
    draws = [drawn_trees(parser, Treebank.from_words([words]), 50) for words in (["a"] * 8, ["b"] * 8)]
    assert draws[0] != draws[1]


@each_setting
def test_trees_of_a_search_have_the_shares_of_the_draws(system, root_first, learner, garden_dev):
    parser = trained(system, root_first, learner)
    for beam in (None,) if system == "easy-first" else (None, 4):
        parsed = parser.parse(garden_dev, beam=beam, probabilities="samples", samples=20, seed=3)
        plain = parser.parse(garden_dev, beam=beam)
        assert (parsed.heads == plain.heads).all()
        assert (parsed.labels == plain.labels).all()
        for sentence, arcs in zip(parsed, parser.marginals(garden_dev, samples=20, seed=3), strict=True):
            share = as_dict(arcs)
            for token in sentence:
                of_head = sum(share.get((token.id, token.head, d), 0) for d in parser.info.label_names)
                assert token.head_prob == pytest.approx(of_head, abs=1e-6)
                assert token.deprel_prob == pytest.approx(share.get((token.id, token.head, token.deprel), 0))


def test_marginals_of_a_word_add_up_to_1(garden_dev):
    parser = trained("arc-eager", False, "network")
    marginals = parser.marginals(garden_dev, samples=30)
    assert len(marginals) == len(garden_dev)
    totals = np.bincount(marginals.words, marginals.probs, garden_dev.word_count)
    assert totals == pytest.approx(np.ones(garden_dev.word_count), abs=1e-5)
    assert marginals[-1] == marginals[len(marginals) - 1] == list(marginals)[-1] == marginals[-1:][0]
    for arcs in marginals:
        assert [arc.word for arc in arcs] == sorted(arc.word for arc in arcs)


def test_lifted_words_are_lowered_in_what_is_drawn():
    crossing = Treebank.from_words([["a", "hearing", "is", "scheduled", "on", "it", "today"]] * 3)
    treebank = crossing.with_trees([2, 4, 4, 0, 2, 5, 4] * 3, [0, 1, 2, 3, 4, 5, 6] * 3, list("abcrdef"))
    parser = Parser.train(treebank, learner="adagrad", epochs=10)
    assert any(label[1] != -2 for label in parser.info.labels), "something was lifted"
    for how in ("moves", "samples"):
        parsed = parser.parse(treebank[:1], probabilities=how)
        assert parsed.heads.tolist() == [2, 4, 4, 0, 2, 5, 4]
        assert parsed[0][4].head_prob > 0.5


# Estimates from the moves


# With a single root, arc-eager has arcs that no move makes but completion.
@pytest.mark.parametrize(
    ("system", "single_root"), [("arc-eager", False), ("arc-hybrid", False), ("arc-hybrid", True)]
)
@pytest.mark.parametrize("learner", PROBABILISTIC)
def test_an_estimate_is_what_was_left_to_moves_that_keep_the_arc_possible(system, single_root, learner):
    """By the dynamic oracle; and in the end the share of the moves that make the arc."""
    parser = trained(system, False, learner, single_root=single_root)
    treebank = short_sentences()
    for index, sentence in enumerate(parser.parse(treebank, probabilities="moves")):
        reference = Reference(parser, treebank, index)
        arcs = np.full((len(sentence), len(sentence)), -1, dtype=np.int32)
        np.fill_diagonal(arcs, sentence.heads)
        expected = np.ones(len(sentence))
        derivation = reference.start
        while not derivation.walk.done:
            walk, gains = derivation.walk, reference.gains(derivation)
            best = max(gains, key=lambda move: gains[move])
            probs = np.exp(list(gains.values()))
            keeps = walk.costs(arcs, np.full_like(arcs, -1)) <= 0
            makes = np.array([walk.move_name(move) == walk.move_name(best) for move in gains])
            derivation = reference.after(derivation, best, gains[best])
            before, after = np.array(walk.heads) >= 0, np.array(derivation.walk.heads) >= 0
            expected[~after] *= (probs * keeps).sum(axis=1)[~after]
            expected[after & ~before] *= (probs * makes).sum()
        assert [token.head_prob for token in sentence] == pytest.approx(expected.tolist(), abs=1e-5)


@pytest.mark.parametrize("learner", PROBABILISTIC)
@pytest.mark.parametrize("system", ["arc-eager", "arc-hybrid", "arc-standard"])
def test_of_two_words_the_estimate_is_exact(system, learner):
    parser, treebank = trained(system, False, learner, single_root=system != "arc-eager"), first_words(2)
    expected = shares(Reference(parser, treebank).distribution())
    parsed = parser.parse(treebank, probabilities="moves")[0]
    for token in parsed:
        of_head = sum(p for (word, head, _), p in expected.items() if (word, head) == (token.id, token.head))
        assert token.head_prob == pytest.approx(of_head, abs=1e-5)
        assert token.deprel_prob == pytest.approx(expected[token.id, token.head, token.deprel], abs=1e-5)


@each_setting
def test_estimates_have_bounds(system, root_first, learner, garden_dev):
    parser = trained(system, root_first, learner)
    for beam in (None,) if system == "easy-first" else (None, 4):
        parsed = parser.parse(garden_dev, beam=beam, probabilities="moves")
        plain = parser.parse(garden_dev, beam=beam)
        assert (parsed.heads == plain.heads).all()
        assert (parsed.labels == plain.labels).all()
        assert (parsed.deprel_probs > 0).all()
        assert (parsed.deprel_probs <= parsed.head_probs).all()
        assert (parsed.head_probs <= 1).all()
        assert (parsed.head_probs < 0.9).any()
        for sentence in parsed:
            assert sentence.log_prob <= 0
            assert sentence.entropy >= 0


@each_left_to_right
def test_a_beam_of_width_1_estimates_as_greedy_search_does(system, root_first, learner, garden_dev):
    parser = trained(system, root_first, learner)
    greedy, beam = (parser.parse(garden_dev, beam=beam, probabilities="moves") for beam in (None, 1))
    assert greedy.to_string() == beam.to_string()
    assert [s.log_prob for s in greedy] == [s.log_prob for s in beam]
    [best] = parser.nbest(garden_dev[:1], 1, beam=6)[0]
    of_beam = parser.parse(garden_dev[:1], beam=6, probabilities="moves")[0]
    assert of_beam.log_prob == pytest.approx(best.score, rel=1e-5)


def test_a_long_sentence_has_probabilities(garden_dev):
    forms, upos = (np.resize(garden_dev.column(name), 3000).tolist() for name in ("form", "upos"))
    treebank = Treebank.from_words([forms], upos=[upos])
    for system in ("arc-eager", "easy-first"):
        parsed = trained(system, False, "adagrad").parse(treebank, probabilities="moves")[0]
        assert parsed.prob == 0.0
        assert parsed.log_prob < -700


# What is refused


@pytest.mark.parametrize("learner", ["perceptron", "l2s"])
def test_learners_without_probabilities_say_so(learner):
    parser = trained("arc-eager", False, learner)
    assert learner not in PROBABILISTIC
    for ask in (
        lambda: parser.parse([["one"]], probabilities="moves"),
        lambda: parser.parse([["one"]], probabilities="samples"),
        lambda: parser.marginals([["one"]]),
        lambda: parser.nbest([["one"]], 2, samples=10),
    ):
        with pytest.raises(OptionError, match="has no probabilities: its learner, "):
            ask()
    with pytest.raises(ValueError, match="no probabilities"):
        parser._core.drawn(first_words(2)._core, 1, 1, 1)


def test_what_cannot_be_drawn_is_refused():
    parser = trained("arc-eager", False, "adagrad")
    with pytest.raises(OptionError, match="choose one of moves, samples"):
        parser.parse([["one"]], probabilities="guesses")
    for samples in (0, -1, 2**31):
        with pytest.raises(OptionError, match="at least one sample"):
            parser.parse([["one"]], probabilities="samples", samples=samples)
    for seed in (-1, 2**64):
        with pytest.raises(OptionError, match="seed"):
            parser.marginals([["one"]], seed=seed)
    with pytest.raises(OptionError, match="beam or"):
        parser.nbest([["one"]], 2, beam=4, samples=10)
    assert len(parser.marginals([])) == 0
    assert len(parser.parse([], probabilities="samples")) == 0


# MISC


def text_of(misc: str) -> str:
    lines = (
        "# sent_id = one",
        "1-2\tgonna" + "\t_" * 7 + "\tX=1",
        f"1\tgo\t_\tVERB\t_\t_\t0\troot\t_\t{misc}",
        "2\tna\t_\tPART\t_\t_\t1\tdep\t_\t_",
    )
    return "\n".join(lines) + "\n\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("_", "HeadProb=0.250|DeprelProb=0.125"),
        ("SpaceAfter=No", "SpaceAfter=No|HeadProb=0.250|DeprelProb=0.125"),
        ("HeadProb=0.9|A=b|c|DeprelProb=0.1", "A=b|c|HeadProb=0.250|DeprelProb=0.125"),
        ("MyHeadProb=1", "MyHeadProb=1|HeadProb=0.250|DeprelProb=0.125"),
    ],
)
def test_probabilities_are_written_in_misc_and_read_from_it(before, after):
    treebank = Treebank.from_string(text_of(before))
    sure = treebank.with_probabilities([0.25, 1], [0.125, 0.5])
    written = sure.to_string()
    expected = text_of(after).replace("dep\t_\t_\n", "dep\t_\tHeadProb=1.000|DeprelProb=0.500\n")
    assert written == expected
    again = Treebank.from_string(written)
    for read in (sure, again, sure.select([0]), sure[:1]):
        assert [token.head_prob for token in read[0]] == [0.25, 1]
        assert [token.deprel_prob for token in read[0]] == [0.125, 0.5]
        assert read.head_probs.tolist() == [0.25, 1]
        assert read.to_string() == written
    assert again.with_probabilities([0.5, 0.5], [0.5, 0.5])[0][0].head_prob == 0.5
    assert again.with_trees([0, 1], [0, 1], ["root", "dep"])[0][0].head_prob is None, (
        "that was of other trees"
    )


def test_probabilities_of_sentences_go_with_them():
    two = Treebank.from_string(text_of("_") * 2)
    sure = two.with_probabilities([1] * 4, [1] * 4, log_probs=[-1.0, -2.0], entropies=[0.1, 0.2])
    assert [(s.log_prob, s.entropy) for s in sure.select([1, 0, 1])] == [(-2, 0.2), (-1, 0.1), (-2, 0.2)]
    assert sure[1].prob == pytest.approx(math.exp(-2))
    assert two[0].prob is two[0].log_prob is two[0].entropy is None


@pytest.mark.parametrize("misc", ["_", "HeadProb", "HeadProb=", "HeadProb=x", "HeadProb=2", "HeadProb=0.5x"])
def test_what_is_no_probability_in_misc_is_none(misc):
    treebank = Treebank.from_string(text_of(misc))
    assert treebank[0][0].head_prob is None
    assert treebank[0][0].deprel_prob is None
    assert np.isnan(treebank.head_probs).all()


def test_conllx_has_no_place_for_probabilities():
    treebank = Treebank.from_string(text_of("_")).with_probabilities([0.5, 0.5], [0.5, 0.5])
    assert "Prob" not in treebank.to_string("conllx")
    x = Treebank.from_string(treebank.to_string("conllx"), format="conllx")
    sure = x.with_probabilities([0.5, 0.5], [0.5, 0.5])
    assert "Prob" not in sure.to_string()
    assert sure.to_string("conllu").count("HeadProb=0.500|DeprelProb=0.500") == 2


def test_probabilities_that_are_none_are_refused():
    treebank = Treebank.from_string(text_of("_"))
    with pytest.raises(TreebankError, match="1 probabilities of heads, and 2 are needed"):
        treebank.with_probabilities([1], [1, 1])
    with pytest.raises(TreebankError, match="go together"):
        treebank.with_probabilities([1, 1], [])
    with pytest.raises(TreebankError, match="from 0 to 1"):
        treebank.with_probabilities([1, 1.5], [1, 1])
    with pytest.raises(TreebankError, match="from 0 to 1"):
        treebank.with_probabilities([1, float("nan")], [1, 1])
