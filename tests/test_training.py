"""Training: reproducible, resumable, and able to learn whatever treebank and options are given.

With linear learners, which learn the sample treebank in no time; `test_network_training.py` has the network.
"""

import itertools
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from arcwise import (
    ModelError,
    OptionError,
    Parser,
    ParserOptions,
    Training,
    Treebank,
    TreebankError,
    evaluate,
    names,
    network,
    training,
)
from arcwise.options import ENCODINGS, ORACLES, POLICIES, SYSTEMS
from trained import Interrupted, interrupted_after, las, model_bytes, trees_of
from walks import is_projective, is_tree

LINEAR = ("perceptron", "adagrad")
PLACES_OF_ROOT = [(system, "last") for system in SYSTEMS] + [("arc-eager", "first")]


def treebank(*sentences):
    """A treebank of (form, head, label) triples; a head of None is unknown."""
    text = ""
    for words in sentences:
        for number, (form, head, label) in enumerate(words, 1):
            shown = "_" if head is None else head
            text += f"{number}\t{form}\t_\t{form[0].upper()}\t_\t_\t{shown}\t{label}\t_\t_\n"
        text += "\n"
    return Treebank.from_string(text)


# The same seed, the same model.


@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path, some, system, learner):
    models = [
        model_bytes(Parser.train(some, system=system, learner=learner, epochs=2, seed=seed), tmp_path / "m")
        for seed in (1, 1, 2)
    ]
    assert models[0] == models[1]
    assert models[0] != models[2]


@pytest.mark.parametrize("system", SYSTEMS)
def test_threads_do_not_change_parses(garden, some, system):
    parser = Parser.train(some, system=system, learner="perceptron", epochs=2)
    parses = [parser.parse(garden, threads=threads).to_bytes() for threads in (1, 2, 5)]
    assert parses[0] == parses[1] == parses[2]


def test_parsing_one_sentence_at_a_time_gives_the_same_trees(garden_dev, some):
    parser = Parser.train(some, learner="perceptron", epochs=2)
    together = parser.parse(garden_dev).to_string()
    assert "".join(parser.parse(sentence).to_string() for sentence in garden_dev) == together


# Stopping and going on.


@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.parametrize("system", ["arc-hybrid", "easy-first"])
@pytest.mark.parametrize("with_dev", [True, False], ids=["dev", "no dev"])
def test_a_run_resumed_in_the_middle_of_an_epoch_ends_in_the_same_bytes(
    tmp_path, monkeypatch, some, garden_dev, system, learner, with_dev
):
    monkeypatch.setattr(training, "WORDS_A_STEP", 150)
    options = ParserOptions.of(system=system, learner=learner, epochs=3, k=0)
    dev = garden_dev if with_dev else None
    whole = Training(some, dev=dev, options=options)
    expected = model_bytes(whole.finish(), tmp_path / "whole.model")

    stopped = Training(some, dev=dev, options=options)
    with pytest.raises(Interrupted):
        list(stopped.epochs(interrupted_after(6)))
    assert len(stopped.history) == 1
    assert not stopped._core.epoch_is_done
    stopped.save_checkpoint(tmp_path / "checkpoint")

    resumed = Training(some, dev=dev, options=options)
    resumed.resume(tmp_path / "checkpoint")
    assert model_bytes(resumed.finish(), tmp_path / "resumed.model") == expected
    assert [epoch.wrong for epoch in resumed.history] == [epoch.wrong for epoch in whole.history]


def test_a_run_can_be_stopped_after_any_step(tmp_path, monkeypatch, some):
    """Also after the last step of an epoch, before the epoch is over."""
    monkeypatch.setattr(training, "WORDS_A_STEP", 150)
    options = ParserOptions.of(learner="perceptron", epochs=2)
    steps = []
    whole = Training(some, options=options)
    list(whole.epochs(lambda *step: steps.append(step)))
    expected = model_bytes(whole.parser(), tmp_path / "whole.model")
    assert len(steps) > 4
    for number in range(1, len(steps) + 1):
        stopped = Training(some, options=options)
        with pytest.raises(Interrupted):
            list(stopped.epochs(interrupted_after(number)))
        stopped.save_checkpoint(tmp_path / "checkpoint")
        resumed = Training(some, options=options)
        resumed.resume(tmp_path / "checkpoint")
        assert model_bytes(resumed.finish(), tmp_path / "resumed.model") == expected, number


def test_a_run_that_is_done_can_be_given_more_epochs(tmp_path, some):
    short = Training(some, options=ParserOptions.of(learner="perceptron", epochs=1))
    short.finish()
    short.save_checkpoint(tmp_path / "checkpoint")
    longer = Training(some, options=ParserOptions.of(learner="perceptron", epochs=3))
    longer.resume(tmp_path / "checkpoint")
    expected = Parser.train(some, learner="perceptron", epochs=3)
    assert model_bytes(longer.finish(), tmp_path / "a") == model_bytes(expected, tmp_path / "b")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"options": ParserOptions.of(learner="perceptron", epochs=2, seed=7)}, "with other options"),
        ({"treebank": "other"}, "on another treebank"),
        ({"dev": "other"}, "with another dev set"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(tmp_path, some, garden_dev, change, reason):
    options = ParserOptions.of(learner="perceptron", epochs=2)
    Training(some, options=options).save_checkpoint(tmp_path / "checkpoint")
    other = Training(
        garden_dev if "treebank" in change else some,
        dev=garden_dev if "dev" in change else None,
        options=change.get("options", options),
    )
    with pytest.raises(ModelError, match=reason):
        other.resume(tmp_path / "checkpoint")


# The epoch that is kept.


def test_with_a_dev_set_the_first_of_the_best_epochs_is_kept(tmp_path, monkeypatch, some, garden_dev):
    scores = iter([(60.0, 50.0), (80.0, 70.0), (90.0, 60.0), (80.0, 70.0)])
    monkeypatch.setattr(training, "_attachment", lambda *_: next(scores))
    run = Training(some, dev=garden_dev, options=ParserOptions.of(learner="perceptron", epochs=4))
    kept = run.finish()
    assert kept.info.training["epoch"] == 2
    after_two = Parser.train(some, learner="perceptron", epochs=2)
    assert all(np.array_equal(kept._arrays[name], after_two._arrays[name]) for name in kept._arrays)


def test_the_scores_on_dev_are_those_of_the_parser_that_is_kept(some, garden_dev):
    run = Training(some, dev=garden_dev, options=ParserOptions.of(learner="perceptron", epochs=4))
    parser = run.finish()
    best = max(run.history, key=lambda epoch: epoch.dev_las)
    assert parser.info.training["epoch"] == best.number
    assert best.dev_las == pytest.approx(100 * las(parser, garden_dev))


def test_without_a_dev_set_the_last_epoch_is_kept(some):
    assert Parser.train(some, learner="perceptron", epochs=3).info.training["epoch"] == 3


def test_there_is_no_parser_before_the_first_epoch(some):
    with pytest.raises(OptionError, match="no parser before the end of the first epoch"):
        Training(some).parser()


# Whatever goes together learns its treebank; whatever does not is refused.


def goes_together(system, oracle, policy, learner):
    """The rules of the papers, once more."""
    has_oracle = {
        "static": system != "easy-first",
        "nondeterministic": True,
        "dynamic": True,
    }[oracle]
    has_policy = {
        "static": True,
        "ambiguity": oracle != "static",
        "explore": oracle == "dynamic",
        "sample": oracle == "dynamic" and learner != "perceptron",
    }[policy]
    return has_oracle and has_policy


@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize(("system", "root"), PLACES_OF_ROOT)
def test_every_combination_learns_its_treebank_or_is_refused(some, system, root, oracle, policy, learner):
    options = ParserOptions.of(
        system=system, root=root, oracle=oracle, policy=policy, learner=learner, epochs=6
    )
    if goes_together(system, oracle, policy, learner):
        parser = Training(some, options=options).finish()
        assert las(parser, some) > 0.97
    else:
        with pytest.raises(OptionError, match=r": use --|: choose "):
            Training(some, options=options)


@pytest.mark.parametrize("learner", ["network", "perceptron", "adagrad", None])
@pytest.mark.parametrize("system", SYSTEMS)
def test_what_options_leave_open_is_filled_in_so_that_it_goes_together(system, learner):
    if (system, learner) == ("easy-first", "network"):
        with pytest.raises(OptionError, match=r"left-to-right systems only: choose the learner perceptron"):
            ParserOptions.of(system=system, learner=learner)
        return
    options = ParserOptions.of(system=system, learner=learner).resolved()
    assert goes_together(system, options.policy.oracle, options.policy.name, options.learner.name)
    assert options.learner.name == learner or learner is None
    assert options.resolved() == options


def test_the_learner_is_a_network_where_there_can_be_one():
    chosen = {system: ParserOptions.of(system=system).resolved() for system in SYSTEMS}
    assert {system for system, options in chosen.items() if options.learner.name == "network"} == {
        "arc-eager",
        "arc-standard",
        "arc-hybrid",
        "arc-hybrid-swap",
        "covington",
    }
    assert chosen["easy-first"].learner.name == "perceptron"
    assert chosen["easy-first"].epochs == 15


def test_a_network_takes_more_epochs_the_smaller_the_treebank(some):
    # A tenth of a million words are forty times in four million, more than the most.
    epochs = [network.epochs(None, words) for words in (1, 100_000, 200_000, 10**9)]
    assert epochs == [30, 30, 20, 10]
    assert Training(some).options.epochs == 30
    assert Training(some, options=ParserOptions.of(epochs=3)).options.epochs == 3


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (
            {"features": "zn2011"},
            "The learner network has no use for features: leave it out, or choose the learner perceptron or",
        ),
        (
            {"learner": "perceptron", "tokens": "form"},
            "The learner perceptron has no use for tokens: leave it out, or choose the learner network",
        ),
        ({"learner": "adagrad", "states": "S0"}, "The learner adagrad has no use for states"),
        ({"system": "easy-first", "vectors": "cc.vec"}, "The learner perceptron has no use for vectors"),
    ],
    ids=str,
)
def test_what_the_learner_would_not_look_at_is_refused(given, reason):
    with pytest.raises(OptionError, match=reason):
        ParserOptions.of(**given).resolved()


def test_a_preset_is_options_that_go_together_and_changes_win_over_it():
    fast = ParserOptions.preset("fast")
    assert fast != ParserOptions.of() == ParserOptions.preset("default")
    assert ParserOptions.preset("fast", width=96) == fast.changed(width=96)
    with pytest.raises(OptionError, match="no preset called 'faster': choose one of default, fast"):
        ParserOptions.preset("faster")


def test_options_come_back_from_json_as_they_were():
    options = ParserOptions.of(leave_out=("xpos", "upos", "upos"), tokens="form", learner="network")
    assert options.leave_out == ("upos", "xpos")
    assert ParserOptions.from_dict(json.loads(json.dumps(options.to_dict()))) == options


ADAGRAD_REFUSES = [("alpha", 0.0), ("rho", 0.0), ("penalty", -1.0), ("cutoff", 1.0)]
NETWORKS_REFUSE = [
    ("encoder", "lstm"),
    ("tokens", "form tag"),
    ("tokens", "form form"),
    ("tokens", "vector"),
    ("affixes", 0),
    ("affixes", 33),
    ("layers", 0),
    ("layers", 17),
    ("window", -1),
    ("window", 9),
    ("width", 0),
    ("width", 40),
    ("width", 1040),
    ("hidden", 8),
    ("rate", 0.0),
    ("rate", float("nan")),
    ("rate", float("inf")),
    ("decay", -0.1),
    ("average", 1.0),
    ("clip", 0.0),
    ("dropout", 1.0),
    ("hidden_dropout", -0.5),
    ("word_dropout", -1.0),
    ("batch", 0),
    ("batch", 2**31),
    ("vectors_limit", 0),
]


@pytest.mark.parametrize(
    "wrong",
    [
        {"system": "arc-weary"},
        {"oracle": "delphic"},
        {"policy": "greedy"},
        {"learner": "svm"},
        {"root": "middle"},
        {"encoding": "tail"},
        {"nonprojective": "ignore"},
        {"epochs": 0},
        {"seed": -1},
        {"root": "first", "system": "easy-first"},
        {"k": -1},
        {"p": 1.5},
        {"p": float("nan")},
        {"epochs": 2**31},
        {"patience": 0},
        {"leave_out": ("form",)},
        {"leave_out": "upos"},
        {"features": ["S0.form"]},
        {"tokens": ["form", "upos"]},
        *({"learner": "adagrad", name: value} for name, value in ADAGRAD_REFUSES),
        *({name: value} for name, value in NETWORKS_REFUSE),
    ],
    ids=str,
)
def test_an_option_that_cannot_be_is_refused_by_a_sentence(some, wrong):
    with pytest.raises(OptionError, match=r"^[A-Z].*\.$"):
        Training(some, options=ParserOptions.of(**wrong))


def test_a_learning_rate_that_leads_nowhere_is_named(some):
    with pytest.raises(OptionError, match=r"no longer a finite number: lower the learning rate \(alpha\)"):
        Parser.train(some, learner="adagrad", alpha=1e38)


def test_options_are_given_whole_or_one_by_one(some):
    with pytest.raises(OptionError, match="not both"):
        Parser.train(some, options=ParserOptions.of(), epochs=2)


# Early stop.


@pytest.mark.parametrize(
    ("patience", "scores", "expected"),
    [
        (None, [70, 60, 60, 60, 60, 60], 6),
        (1, [50, 70, 70, 80, 80, 80], 3),
        (2, [50, 70, 60, 70, 80, 80], 4),
        (2, [50, 40, 60, 50, 70, 60], 6),
        (9, [70, 60, 60, 60, 60, 60], 6),
    ],
)
def test_patience_ends_training_after_so_many_epochs_without_a_better_score(
    monkeypatch, some, garden_dev, patience, scores, expected
):
    each = iter(scores)
    monkeypatch.setattr(training, "_attachment", lambda *_: (0.0, float(next(each))))
    options = ParserOptions.of(learner="perceptron", epochs=6, patience=patience)
    run = Training(some, dev=garden_dev, options=options)
    parser = run.finish()
    assert len(run.history) == expected
    assert run.done
    assert parser.info.training["epoch"] == 1 + scores.index(max(scores[:expected]))


def test_a_run_that_patience_ended_stays_ended_when_it_is_resumed(tmp_path, monkeypatch, some, garden_dev):
    scores = iter([(0.0, 70.0), (0.0, 60.0)])
    monkeypatch.setattr(training, "_attachment", lambda *_: next(scores))
    options = ParserOptions.of(learner="perceptron", epochs=6, patience=1)
    run = Training(some, dev=garden_dev, options=options)
    expected = model_bytes(run.finish(), tmp_path / "a")
    run.save_checkpoint(tmp_path / "checkpoint")
    resumed = Training(some, dev=garden_dev, options=options)
    resumed.resume(tmp_path / "checkpoint")
    assert model_bytes(resumed.finish(), tmp_path / "b") == expected


def test_patience_needs_a_dev_set(some):
    with pytest.raises(OptionError, match="a better score on a dev set: give one"):
        Training(some, options=ParserOptions.of(patience=2))


# Columns that are left out.


def without(treebank, *columns):
    """The same treebank with nothing in some columns."""
    numbers = [("lemma", "upos", "xpos", "feats").index(column) + 2 for column in columns]
    lines = []
    for line in treebank.to_string().splitlines():
        fields = line.split("\t")
        if len(fields) > 1:
            for number in numbers:
                fields[number] = "_"
        lines.append("\t".join(fields))
    return Treebank.from_string("\n".join(lines) + "\n")


@pytest.mark.parametrize("columns", [("upos", "xpos"), ("lemma", "upos", "xpos", "feats")], ids="+".join)
def test_leaving_columns_out_is_training_without_them(some, garden_dev, columns):
    left_out = Parser.train(some, learner="perceptron", epochs=2, leave_out=columns)
    bare = Parser.train(without(some, *columns), learner="perceptron", epochs=2)
    assert left_out.info.templates == bare.info.templates
    assert left_out.info.templates != Training(some, options=ParserOptions.of(learner="perceptron")).templates
    assert all(np.array_equal(left_out._arrays[name], bare._arrays[name]) for name in bare._arrays)
    assert left_out.missing_columns(without(garden_dev, *columns)) == []
    assert trees_of(left_out.parse(garden_dev)) == trees_of(left_out.parse(without(garden_dev, *columns)))


# Non-projective trees.

# "what is the dog barking at": `at` belongs to `what`, across the verb.
QUESTIONS = treebank(
    *(
        [
            ("what", 5, "obl"),
            ("is", 5, "aux"),
            ("the", 4, "det"),
            (animal, 5, "nsubj"),
            (verb, 0, "root"),
            ("at", 1, "case"),
        ]
        for animal, verb in itertools.product(["dog", "cat", "bird"], ["barking", "looking", "shouting"])
    )
)


def test_skipping_leaves_non_projective_trees_out(garden):
    crossing = sum(not is_projective(heads) for heads in trees_of(garden))
    assert crossing > 0
    skipping = Training(garden, options=ParserOptions.of(learner="perceptron", nonprojective="skip"))
    lifting = Training(garden, options=ParserOptions.of(learner="perceptron", nonprojective="lift"))
    assert (skipping.left_out, skipping.lifted) == (crossing, 0)
    assert (lifting.left_out, lifting.words) == (0, garden.word_count)
    assert lifting.lifted >= crossing


def test_a_treebank_with_nothing_left_is_refused():
    with pytest.raises(OptionError, match="There is no tree to train on"):
        Training(QUESTIONS, options=ParserOptions.of(learner="perceptron", nonprojective="skip"))


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("system", names.systems_with("projective"))
def test_lifting_learns_non_projective_trees(system, encoding):
    parser = Parser.train(QUESTIONS, system=system, encoding=encoding, learner="perceptron", epochs=5)
    parsed = parser.parse(QUESTIONS)
    assert trees_of(parsed) == trees_of(QUESTIONS)
    assert parsed.column("deprel") == QUESTIONS.column("deprel")


ANY_TREE = [system for system in SYSTEMS if not names.system(system).projective]


@pytest.mark.parametrize("learner", ["perceptron", "adagrad", "network", "l2s"])
@pytest.mark.parametrize("system", ANY_TREE)
def test_systems_for_any_tree_learn_crossing_arcs_and_lift_none(tmp_path, system, learner):
    training = Training(QUESTIONS, options=ParserOptions.of(system=system, learner=learner, epochs=25))
    assert (training.lifted, training.left_out) == (0, 0)
    parser = training.finish()
    assert all(lifted_from == -2 for _, lifted_from, _ in parser.info.labels)
    parser.save(tmp_path / "m")
    parsed = Parser.load(tmp_path / "m").parse(QUESTIONS)
    assert trees_of(parsed) == trees_of(QUESTIONS)
    assert parsed.column("deprel") == QUESTIONS.column("deprel")


@pytest.mark.parametrize("system", ANY_TREE)
def test_systems_for_any_tree_have_nothing_to_skip(system):
    with pytest.raises(OptionError, match=f"and {system} builds any"):
        ParserOptions.of(system=system, nonprojective="skip")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_encoded_label_leaks_into_output(tmp_path, garden, garden_dev, encoding):
    mixed = Treebank.from_string(garden[:60].to_string() + QUESTIONS.to_string())
    parser = Parser.train(mixed, encoding=encoding, learner="perceptron", epochs=2)
    assert any(lifted_from != -2 for _, lifted_from, _ in parser.info.labels)
    parser.save(tmp_path / "m")
    odd = Treebank.from_words([["at", "what", "at", "at", "what", "barking"]])
    for text in (garden_dev, QUESTIONS, odd):
        parsed = Parser.load(tmp_path / "m").parse(text)
        assert set(parsed.column("deprel")) <= set(mixed.label_names)
        assert all(is_tree(heads) for heads in trees_of(parsed))


# Partial trees.


@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.parametrize(("system", "root"), PLACES_OF_ROOT)
def test_partial_trees_train(some, system, root, learner):
    heads, labels = some.heads.copy(), some.labels.copy()
    heads[::3] = labels[::3] = -1
    partial = some.with_trees(heads, labels, some.label_names)
    parser = Parser.train(partial, system=system, root=root, learner=learner, epochs=6)
    assert las(parser, partial) > 0.97
    # What was not annotated is learnt from what was.
    assert las(parser, some) > 0.7


@pytest.mark.parametrize("system", ["arc-eager", "arc-standard", "arc-hybrid"])
@pytest.mark.parametrize("oracle", ["static", "nondeterministic"])
def test_partial_trees_train_with_oracles_that_do_not_leave_the_gold_path(some, system, oracle):
    heads, labels = some.heads.copy(), some.labels.copy()
    heads[::3] = labels[::3] = -1
    partial = some.with_trees(heads, labels, some.label_names)
    parser = Parser.train(
        partial, system=system, oracle=oracle, policy="static", learner="perceptron", epochs=6
    )
    assert las(parser, partial) > 0.97


def test_sentences_without_any_head_are_left_out(some):
    heads, labels = some.heads.copy(), some.labels.copy()
    heads[: len(some[0])] = labels[: len(some[0])] = -1
    run = Training(some.with_trees(heads, labels, some.label_names))
    assert run.left_out == 1
    assert run.words == some.word_count - len(some[0])


def test_heads_without_labels_train():
    unlabelled = treebank([("a", 2, "_"), ("b", 0, "root")], [("c", 2, "_"), ("d", 0, "root")])
    parser = Parser.train(unlabelled, learner="perceptron", epochs=3)
    assert trees_of(parser.parse(unlabelled)) == [[2, 0], [2, 0]]


def test_a_treebank_without_any_label_is_refused():
    with pytest.raises(OptionError, match="There is no label to train on"):
        Parser.train(treebank([("a", 2, "_"), ("b", 0, "_")]), learner="perceptron")


# Small and odd treebanks.

ODD_SENTENCES = {
    "one sentence": [("a", 2, "x"), ("b", 0, "root"), ("c", 2, "y")],
    "one word": [("a", 0, "root")],
    "no arcs to the right": [("a", 2, "x"), ("b", 3, "y"), ("c", 0, "root")],
    "no arcs to the left": [("a", 0, "root"), ("b", 1, "x"), ("c", 2, "y")],
    "one label": [("a", 2, "dep"), ("b", 0, "dep"), ("c", 2, "dep")],
    "several roots": [("a", 0, "root"), ("b", 1, "x"), ("c", 0, "root"), ("d", 3, "x")],
    "roots alone": [("a", 0, "root"), ("b", 0, "root"), ("c", 0, "root")],
}


@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.parametrize(("system", "root"), PLACES_OF_ROOT)
@pytest.mark.parametrize("odd", ODD_SENTENCES)
def test_an_odd_treebank_is_learnt(odd, system, root, learner):
    gold = treebank(ODD_SENTENCES[odd])
    # On so few words the usual penalty takes away most of what is learnt.
    own = {"penalty": 0.0} if learner == "adagrad" else {}
    parser = Parser.train(gold, system=system, root=root, learner=learner, epochs=8, **own)
    assert las(parser, gold) == 1
    # Other text, too, is given trees.
    other = parser.parse([["d", "c", "b", "a", "e"], ["f"]])
    assert all(is_tree(heads) for heads in trees_of(other))


@pytest.mark.parametrize(("system", "root"), PLACES_OF_ROOT)
def test_a_treebank_of_several_roots_can_be_trained_to_give_one(system, root):
    gold = treebank(ODD_SENTENCES["several roots"])
    parser = Parser.train(gold, system=system, root=root, single_root=True, learner="perceptron", epochs=3)
    assert [heads.count(0) for heads in trees_of(parser.parse(gold))] == [1]


def test_whether_there_is_a_single_root_is_read_off_the_treebank(some):
    assert Parser.train(some, learner="perceptron", epochs=1).info.single_root
    assert not Parser.train(
        treebank(ODD_SENTENCES["several roots"]), learner="perceptron", epochs=1
    ).info.single_root


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(("system", "root"), PLACES_OF_ROOT)
def test_a_sentence_of_3000_words_gets_a_tree(some, system, root, single_root):
    parser = Parser.train(
        some, system=system, root=root, single_root=single_root, learner="perceptron", epochs=1
    )
    words = (some.column("form") * 10)[:3000]
    (heads,) = trees_of(parser.parse([words]))
    assert len(heads) == 3000
    assert is_tree(heads)
    if single_root:
        assert heads.count(0) == 1


def test_an_evaluation_of_what_was_learnt_counts_as_the_tests_do(some):
    parser = Parser.train(some, learner="perceptron", epochs=2)
    scores = evaluate(some, parser.parse(some), name=repr(parser))
    assert scores == parser.evaluate(some)


def test_one_sentence_given_as_words_alone_is_refused(garden):
    parser = Parser.train(garden[:20], learner="perceptron", epochs=1)
    with pytest.raises(TreebankError):
        parser.parse(["The", "cat", "sleeps"])


def test_a_machine_without_wide_vectors_gives_the_same_trees(garden, garden_dev, tmp_path):
    parser = Parser.train(garden, learner="perceptron", epochs=3)
    parser.save(tmp_path / "garden.model")
    program = (
        "import sys, arcwise; sys.stdout.buffer.write("
        "arcwise.Parser.load(sys.argv[1]).parse(arcwise.Treebank.read(sys.argv[2])).to_bytes())"
    )
    portable = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "garden.model", garden_dev.source],
        env={**os.environ, "ARCWISE_VECTORS": "portable"},
        capture_output=True,
        check=True,
    )
    assert portable.stdout == parser.parse(garden_dev).to_bytes()
