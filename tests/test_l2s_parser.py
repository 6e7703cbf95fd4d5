"""Parsers that are learnt by learning to search."""

import itertools

import numpy as np
import pytest

from arcwise import ModelError, OptionError, Parser, ParserOptions, Training, training
from arcwise.options import ALGORITHMS, BASES, REDUCTIONS, ROLLINS, ROLLOUTS
from walks import is_tree

SYSTEMS = ("arc-eager", "arc-hybrid")
SMALL = {"learner": "l2s", "system": "arc-hybrid", "bits": 18}


@pytest.fixture(scope="module")
def some(garden):
    return garden[:60]


def las(parser, gold):
    parsed = parser.parse(gold)
    same_label = np.array(gold.column("deprel")) == np.array(parsed.column("deprel"))
    return ((gold.heads == parsed.heads) & same_label).mean()


def bytes_of(parser, path):
    parser.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("label_apart", [True, False], ids=["label apart", "label at once"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_small_treebank_is_learnt(some, system, label_apart):
    parser = Parser.train(some, **{**SMALL, "system": system, "bits": 20}, label_apart=label_apart, epochs=5)
    assert las(parser, some) > 0.95
    assert all(is_tree(sentence.heads) for sentence in parser.parse(some))


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("base", BASES)
def test_every_base_learner_learns(some, base, reduction):
    # FTRL begins slowly, and pairs of forty labels want small steps of SGD.
    rate = 1e-3 if (base, reduction) == ("sgd", "wap") else None
    options = {**SMALL, "bits": 20, "epochs": 6}
    parser = Parser.train(some, **options, base=base, reduction=reduction, base_rate=rate)
    # Without learning, about one word in twenty would be right.
    assert las(parser, some) > 0.6


def test_hidden_units_are_those_that_were_trained_whatever_the_seed(some):
    options = {**SMALL, "bits": 20, "epochs": 6, "base": "nn"}
    first, second = (las(Parser.train(some, **options, seed=seed), some) for seed in (1, 2))
    assert second > first - 0.05


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_learns(some, algorithm):
    assert las(Parser.train(some[:20], **SMALL, algorithm=algorithm, epochs=2), some[:20]) > 0.4


def test_deviations_are_drawn(some):
    def decisions(deviations):
        options = ParserOptions.of(**SMALL, epochs=1, deviations=deviations)
        return Training(some, options=options)._core.run(10**6).decisions

    assert 0 < decisions(2) <= 2 * len(some) < decisions(None)


@pytest.mark.parametrize(("rollin", "rollout"), list(itertools.product(ROLLINS, ROLLOUTS)))
def test_every_way_to_roll_in_and_out_learns(some, rollin, rollout):
    parser = Parser.train(some[:12], **SMALL, rollin=rollin, rollout=rollout, epochs=2)
    assert las(parser, some[:12]) > 0.4


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path, some):
    models = [
        bytes_of(Parser.train(some, **SMALL, base="nn", epochs=2, seed=seed), tmp_path / "m")
        for seed in (1, 1, 2)
    ]
    assert models[0] == models[1]
    assert models[0] != models[2]


def test_a_stored_parser_gives_the_same_trees_with_any_number_of_threads(tmp_path, garden, some):
    parser = Parser.train(some, **SMALL, epochs=2)
    parser.save(tmp_path / "m")
    trees = parser.parse(garden).to_bytes()
    assert Parser.load(tmp_path / "m").parse(garden).to_bytes() == trees
    assert parser.parse(garden, threads=3).to_bytes() == trees


class Interrupted(Exception):
    """Stands for the user's interrupt."""


@pytest.mark.parametrize("base", ["default", "nn+ftrl"])
def test_a_run_resumed_in_the_middle_of_an_epoch_ends_in_the_same_bytes(
    tmp_path, monkeypatch, some, garden_dev, base
):
    monkeypatch.setattr(training, "WORDS_A_STEP", 150)
    options = ParserOptions.of(**SMALL, base=base, epochs=3)
    expected = bytes_of(Training(some, dev=garden_dev, options=options).finish(), tmp_path / "whole")

    stopped = Training(some, dev=garden_dev, options=options)
    steps = itertools.count(1)

    def stop(*_):
        if next(steps) == 5:
            raise Interrupted

    with pytest.raises(Interrupted):
        list(stopped.epochs(stop))
    stopped.save_checkpoint(tmp_path / "checkpoint")
    resumed = Training(some, dev=garden_dev, options=options)
    resumed.resume(tmp_path / "checkpoint")
    assert bytes_of(resumed.finish(), tmp_path / "resumed") == expected


@pytest.mark.parametrize("changes", [{"bits": 12}, {"label_apart": False}, {"actions": 3}])
def test_a_model_whose_parts_do_not_fit_is_refused(some, changes):
    parser = Parser.train(some, **SMALL, epochs=1)
    info = parser.info.__class__(**{**parser.info.__dict__, "search": {**parser.info.search, **changes}})
    with pytest.raises(ModelError):
        Parser(info, parser._arrays)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"system": "easy-first"}, "from left to right"),
        ({"policy": "explore"}, "in place of a policy"),
        ({"oracle": "static"}, "in place of a policy"),
        ({"base": "svm"}, "no base called 'svm'"),
        ({"algorithm": "none"}, "no algorithm called 'none'"),
        ({"bits": 40}, "bits"),
        ({"prune": -0.1}, "not negative"),
        ({"deviations": 0}, "at least one deviation"),
        ({"vectors": "x.vec"}, "l2s has no use for vectors: .* the learner network"),
    ],
)
def test_what_does_not_go_together_is_refused(some, changes, reason):
    with pytest.raises(OptionError, match=reason):
        Parser.train(some, **{**SMALL, **changes})


def test_a_rate_that_is_too_high_is_found_out(some):
    with pytest.raises(OptionError, match="Lower the rate"):
        Parser.train(some, **SMALL, base="sgd", base_rate=10.0)


def test_there_is_no_beam(some):
    parser = Parser.train(some[:5], **SMALL, epochs=1)
    with pytest.raises(OptionError, match="has no beam"):
        parser.parse(some[:5], beam=4)


def test_the_features_are_the_papers_unless_others_are_named(some):
    assert Training(some, options=ParserOptions.of(**SMALL)).options.learner.features == "l2s"
    assert (
        Training(some, options=ParserOptions.of(**SMALL, features="zn2011")).options.learner.features
        == "zn2011"
    )


def test_small_weights_are_pruned(some):
    whole, pruned = (Parser.train(some, **SMALL, epochs=2, prune=size) for size in (0, 0.01))
    weights = whole._arrays["weights"]
    assert 0 < pruned.info.weights == (np.abs(weights) >= 0.01).sum() < len(weights)
    assert las(pruned, some) > las(whole, some) - 0.05
