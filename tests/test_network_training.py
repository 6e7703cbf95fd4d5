"""Training networks: reproducible, resumable, with every system, oracle and policy, on whatever is known of
words."""

from dataclasses import replace

import numpy as np
import pytest

from arcwise import (
    FeatureError,
    ModelError,
    OptionError,
    Parser,
    ParserOptions,
    Training,
    Treebank,
    network,
    training,
)
from arcwise.options import ORACLES, POLICIES, NetworkOptions
from arcwise.options.tagger import TaggerOptions
from networks import UNKNOWN_FORM_ROW
from trained import Interrupted, interrupted_after, las, model_bytes, trees_of
from walks import is_tree

TINY = {"learner": "network", "width": 16, "hidden": 16, "layers": 1, "epochs": 2}
"""The smallest network that there is."""
SMALL = {
    "learner": "network",
    "width": 32,
    "hidden": 32,
    "layers": 1,
    "rate": 0.01,
    "batch": 20,
    "epochs": 20,
}
"""One that learns a part of the sample in no time."""
LEFT_TO_RIGHT = [
    ("arc-eager", "last"),
    ("arc-eager", "first"),
    ("arc-hybrid", "last"),
    ("arc-standard", "last"),
    ("arc-hybrid-swap", "last"),
    ("covington", "last"),
]


@pytest.fixture(scope="module")
def vectors(tmp_path_factory, garden, garden_dev):
    """A file of vectors for the words of the garden, in which words of a tag are near each other."""
    rng = np.random.default_rng(3)
    centre = {}
    lines = []
    for treebank in (garden, garden_dev):
        for form, tag in zip(treebank.column("form"), treebank.column("xpos"), strict=True):
            own = centre.setdefault(tag, 40 * rng.standard_normal(12)) + rng.standard_normal(12)
            lines.append(f"{form} " + " ".join(f"{value:.4f}" for value in own))
    path = tmp_path_factory.mktemp("vectors") / "garden.vec"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


# The same seed, the same model.


@pytest.mark.parametrize("encoder", ["none", "conv", "rnn"])
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path, some, encoder):
    models = [
        model_bytes(Parser.train(some, **TINY, encoder=encoder, seed=seed), tmp_path / "m")
        for seed in (1, 1, 2)
    ]
    assert models[0] == models[1]
    assert models[0] != models[2]


@pytest.mark.parametrize("policy", ["explore", "sample"])
def test_threads_do_not_change_the_model(tmp_path, some, garden_dev, policy):
    options = ParserOptions.of(**TINY, policy=policy, k=0)
    models = [
        model_bytes(Training(some, dev=garden_dev, options=options, threads=threads).finish(), tmp_path / "m")
        for threads in (1, 2, 3)
    ]
    assert models[0] == models[1] == models[2]


def test_training_takes_at_least_one_thread(some):
    with pytest.raises(OptionError, match="at least one thread"):
        Training(some, threads=0)


@pytest.mark.parametrize("with_dev", [True, False], ids=["dev", "no dev"])
@pytest.mark.parametrize(
    "changes", [{}, {"policy": "sample", "system": "arc-hybrid"}, {"tune_vectors": True}], ids=str
)
def test_a_run_resumed_in_the_middle_of_an_epoch_ends_in_the_same_bytes(
    tmp_path, monkeypatch, some, garden_dev, vectors, with_dev, changes
):
    monkeypatch.setattr(training, "WORDS_A_STEP", 100)
    if "tune_vectors" in changes:
        changes = {**changes, "vectors": vectors}
    options = ParserOptions.of(**{**TINY, "epochs": 3}, k=0, batch=60, **changes)
    dev = garden_dev if with_dev else None
    whole = Training(some, dev=dev, options=options)
    expected = model_bytes(whole.finish(), tmp_path / "whole.model")

    stopped = Training(some, dev=dev, options=options)
    with pytest.raises(Interrupted):
        list(stopped.epochs(interrupted_after(6)))
    assert len(stopped.history) == 1
    assert not stopped._core.epoch_is_done
    stopped.save_checkpoint(tmp_path / "checkpoint")

    resumed = Training(some, dev=dev, options=options, threads=2)
    resumed.resume(tmp_path / "checkpoint")
    assert model_bytes(resumed.finish(), tmp_path / "resumed.model") == expected
    assert [epoch.loss for epoch in resumed.history] == [epoch.loss for epoch in whole.history]


def test_a_run_of_another_number_of_epochs_is_refused_with_the_reason(tmp_path, some):
    Training(some, options=ParserOptions.of(**TINY)).save_checkpoint(tmp_path / "checkpoint")
    longer = Training(some, options=ParserOptions.of(**{**TINY, "epochs": 3}))
    with pytest.raises(ModelError, match=r"of 2 epochs, not 3: a network's learning rate depends on"):
        longer.resume(tmp_path / "checkpoint")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rate": 0.1}, "other options"),
        ({"states": "S0 N0"}, "other options"),
        ({"seed": 2}, "other options"),
    ],
    ids=str,
)
def test_a_checkpoint_of_another_run_is_refused(tmp_path, some, change, reason):
    Training(some, options=ParserOptions.of(**TINY)).save_checkpoint(tmp_path / "checkpoint")
    with pytest.raises(ModelError, match=reason):
        Training(some, options=ParserOptions.of(**TINY, **change)).resume(tmp_path / "checkpoint")


def test_a_checkpoint_with_other_vectors_in_the_file_is_refused(tmp_path, some):
    path = tmp_path / "some.vec"
    options = ParserOptions.of(**TINY, vectors=str(path))
    path.write_text("the 1 2\ngarden 2 1\n", encoding="utf-8")
    Training(some, options=options).save_checkpoint(tmp_path / "checkpoint")
    Training(some, options=options).resume(tmp_path / "checkpoint")
    path.write_text("the 1 2\ngarden 2 3\n", encoding="utf-8")
    with pytest.raises(ModelError, match="with other vectors in the file"):
        Training(some, options=options).resume(tmp_path / "checkpoint")


# What is learnt.


def combinations():
    """What goes together, by the papers' rules."""
    for system, root in LEFT_TO_RIGHT:
        for oracle in ORACLES:
            for policy in POLICIES:
                off_the_path = policy in ("explore", "sample")
                if (policy != "ambiguity" or oracle != "static") and (
                    oracle == "dynamic" or not off_the_path
                ):
                    yield system, root, oracle, policy


@pytest.mark.parametrize(("system", "root", "oracle", "policy"), list(combinations()))
def test_every_combination_learns_its_treebank(some, garden_dev, system, root, oracle, policy):
    parser = Parser.train(some, **SMALL, system=system, root=root, oracle=oracle, policy=policy)
    assert las(parser, some) > 0.97
    assert all(is_tree(heads) for heads in trees_of(parser.parse(garden_dev)))


@pytest.mark.parametrize("encoder", ["none", "conv", "rnn"])
def test_encoders_of_any_kind_learn(some, encoder):
    parser = Parser.train(some, **{**SMALL, "encoder": encoder, "layers": 2, "epochs": 30})
    assert las(parser, some) > 0.95


def test_the_default_network_learns_the_sample_and_parses_what_is_new(garden, garden_dev):
    parser = Parser.train(garden, epochs=10)
    assert parser.info.options.learner.name == "network"
    assert las(parser, garden) > 0.97
    assert las(parser, garden_dev) > 0.88


@pytest.mark.parametrize(("system", "root"), LEFT_TO_RIGHT)
def test_partial_trees_train(some, system, root):
    heads, labels = some.heads.copy(), some.labels.copy()
    heads[::3] = labels[::3] = -1
    partial = some.with_trees(heads, labels, some.label_names)
    parser = Parser.train(partial, **SMALL, system=system, root=root)
    assert las(parser, partial) > 0.97
    # What was not annotated is learnt from what was.
    assert las(parser, some) > 0.7


@pytest.mark.parametrize(("system", "root"), LEFT_TO_RIGHT)
def test_one_sentence_of_one_word_is_learnt(system, root):
    gold = Treebank.from_string("1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    parser = Parser.train(gold, **TINY, system=system, root=root)
    assert las(parser, gold) == 1
    assert all(is_tree(heads) for heads in trees_of(parser.parse([["Go", "away", "now"]])))


def test_losses_fall(some):
    run = Training(some, options=ParserOptions.of(**{**SMALL, "epochs": 6}))
    run.finish()
    losses = [epoch.loss for epoch in run.history]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] / 3


@pytest.mark.parametrize("encoder", ["none", "rnn"])
def test_weights_that_grow_beyond_all_bounds_are_told_with_what_to_change(some, encoder):
    options = {**TINY, "encoder": encoder, "batch": 50, "rate": 1e30, "clip": 1e30, "epochs": 9}
    with pytest.raises(OptionError, match=r"lower the learning rate \(rate\)"):
        Parser.train(some, **options)


def test_weights_are_counted_before_and_after_training_alike(some):
    run = Training(some, options=ParserOptions.of(**TINY))
    assert run.finish().info.weights == run.weight_count
    assert Training(some, options=ParserOptions.of(learner="perceptron")).weight_count is None


def test_a_parser_says_what_it_is(some):
    parser = Parser.train(some, **TINY)
    assert repr(parser) == f"<Parser: arc-eager, network (rnn), {parser.info.weights:,} weights>"


@pytest.mark.parametrize("words, expected", [(100, 20), (10_000, 50), (1_000_000, 300)])
def test_small_treebanks_have_small_batches(words, expected):
    assert network.batch(NetworkOptions(), words) == expected
    assert network.batch(NetworkOptions(batch=77), words) == 77


# What it looks at.


def changed(treebank, change):
    """The treebank with other columns of words."""
    lines = [line.split("\t") for line in treebank.to_string().splitlines()]
    return Treebank.from_string("".join("\t".join(change(f) if len(f) == 10 else f) + "\n" for f in lines))


def test_word_dropout_teaches_what_to_make_of_unknown_words(some):
    # Each word at least twice, so that there are no rare ones to learn it from.
    twice = Treebank.from_string(some.to_string() * 2)

    def unknown_word(run):
        tokens = run._core.state()["learner"]["tokens.weights"].view(np.float32)
        return tokens.reshape(-1, run.options.learner.width)[UNKNOWN_FORM_ROW].tolist()

    unknown = changed(some, lambda fields: [fields[0], f"{fields[1]}qx", *fields[2:]])
    assert set(unknown.column("form")).isdisjoint(some.column("form"))
    for dropout in (0.5, 0.0):
        run = Training(twice, options=ParserOptions.of(**SMALL, tokens="form upos", word_dropout=dropout))
        before = unknown_word(run)
        parser = run.finish()
        assert (unknown_word(run) != before) == (dropout > 0)
        if dropout > 0:
            # Tags tell the rest.
            assert las(parser, unknown) > 0.85


@pytest.mark.parametrize("leave_out", [("upos", "xpos"), ("lemma", "upos", "xpos", "feats")], ids="+".join)
def test_columns_that_are_left_out_do_not_matter(some, garden_dev, leave_out):
    parser = Parser.train(some, **TINY, tokens="lower lemma upos xpos feats feature", leave_out=leave_out)
    numbers = [("lemma", "upos", "xpos", "feats").index(column) + 2 for column in leave_out]
    other = changed(garden_dev, lambda fields: ["X=y" if i in numbers else f for i, f in enumerate(fields)])
    assert other.column(leave_out[0]) != garden_dev.column(leave_out[0])
    assert trees_of(parser.parse(garden_dev)) == trees_of(parser.parse(other))
    assert parser.parse(garden_dev).column("deprel") == parser.parse(other).column("deprel")


def test_columns_that_the_treebank_lacks_are_no_inputs_and_those_it_has_are_missed():
    bare = Treebank.from_string("1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    run = Training(bare, options=ParserOptions.of(**TINY))
    assert run.network["token_inputs"] == ["lower", "shape", "prefix", "suffix", "upos"]
    parser = run.finish()
    assert parser.info.templates == []
    assert parser.missing_columns(Treebank.from_words([["Go"]])) == ["upos"]
    assert parser.missing_columns(bare) == []


def test_every_feature_is_read_from_feats():
    tagged = Treebank.from_string("1\tGo\t_\t_\t_\tMood=Imp|Number=Sing\t0\troot\t_\t_\n\n")
    parser = Parser.train(tagged, **TINY, tokens="feature")
    assert parser.missing_columns(Treebank.from_words([["Go"]])) == ["feats"]
    assert parser.info.features == 2


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"tokens": "upos xpos", "leave_out": ("upos", "xpos")}, "no input of words that the treebank has"),
        ({"tokens": ""}, "no input of words that the treebank has"),
        ({"states": "S0 S0"}, "State input 'S0': it is there twice"),
        ({"states": "S0 S0.form"}, r"State input 'S0\.form': a network can look at the deprel, left-count"),
        ({"states": "S0 X1"}, "'X1' is no place in a state"),
        ({"states": "S0 S0~N0.deprel"}, "two places have a distance and nothing else"),
        ({"states": "S0.deprel"}, "looks at no place of a state: give at least one"),
        ({"states": ""}, "looks at no place of a state: give at least one"),
        ({"states": "S0 R0"}, "The inputs of states look at R0, which arc-eager does not have"),
    ],
    ids=str,
)
def test_inputs_that_cannot_be_are_refused_by_a_sentence(some, options, reason):
    with pytest.raises(FeatureError, match=reason):
        Training(some, options=ParserOptions.of(**TINY, **options))


@pytest.mark.parametrize("system", network.DEFAULT_STATES)
def test_default_inputs_suit_the_system(some, system):
    inputs = network.default_states(system)
    again = network.states(NetworkOptions(states=" ".join(inputs)), system)
    assert again == inputs
    assert Training(some, options=ParserOptions.of(**TINY, system=system)).network["state_inputs"] == inputs


# Pre-trained vectors.


@pytest.mark.parametrize(("sure", "learns"), [(0.0, False), (1.0, True)])
@pytest.mark.parametrize("tagger", [None, TaggerOptions(epochs=1)])
def test_what_is_sure_to_be_right_teaches_nothing(garden, monkeypatch, tagger, sure, learns):
    learning = network.learning
    monkeypatch.setattr(network, "learning", lambda *given: {**learning(*given), "sure": sure, "decay": 0.0})
    options = ParserOptions.of(**{**SMALL, "epochs": 1})
    if tagger is not None:
        options = replace(options, learner=replace(options.network, shown_tags=0.5))
    run = Training(garden[:20], options=options, tagger=tagger)

    def weights():
        state = run._core.state()["learner"]
        return {name: np.array(part) for name, part in state.items() if name.endswith(".weights")}

    before = weights()
    run._core.run(10**9)
    for name, after in weights().items():
        assert after.size == 0 or np.array_equal(before[name], after) != learns, name


def test_vectors_are_learnt_from(garden, garden_dev, vectors):
    # Tags are in the vectors, and in nothing else that the network looks at.
    options = {**SMALL, "tokens": "form", "epochs": 12}
    gains = []
    for seed in (1, 2, 3):  # one alone says little
        without, with_vectors = (
            Parser.train(garden, **options, seed=seed, vectors=path) for path in (None, vectors)
        )
        assert with_vectors.info.network["token_inputs"] == ["form", "vector"]
        gains.append(las(with_vectors, garden_dev) - las(without, garden_dev))
    assert np.mean(gains) > 0.04


def test_words_never_trained_on_have_their_vectors(tmp_path, some):
    path = tmp_path / "some.vec"
    path.write_text("garden 1 0 0\nrose 0 1 0\nRose 0 0 9\nzebra 0 1 0\n", encoding="utf-8")
    assert "zebra" not in some.column("form")
    parser = Parser.train(some, **TINY, tokens="upos", vectors=str(path))
    words = ("garden", "GARDEN", "rose", "Rose", "ROSE", "zebra", "Zebra", "quagga")
    scores = {word: scores_of(parser, word) for word in words}
    assert scores["zebra"] == scores["Zebra"] == scores["rose"]
    # What has no vector of its own has that of its lower case.
    assert scores["garden"] == scores["GARDEN"] and scores["rose"] == scores["ROSE"]
    assert len({scores[word] for word in ("garden", "rose", "Rose", "quagga")}) == 4


def scores_of(parser, word):
    """What the parser makes of its first state of two words."""
    text = Treebank.from_words([[word, word]])
    return tuple(parser._core.scores(text._core, 0, [(0, 0)]).tolist())


def test_vectors_that_are_tuned_differ_from_those_that_are_not(some, vectors):
    fixed, tuned = (Parser.train(some, **TINY, vectors=vectors, tune_vectors=tune) for tune in (False, True))
    assert fixed._arrays["tokens"].shape == tuned._arrays["tokens"].shape
    assert not np.array_equal(fixed._arrays["tokens"], tuned._arrays["tokens"])


def test_only_so_many_words_of_a_file_are_read(some, vectors):
    run = Training(some, options=ParserOptions.of(**TINY, vectors=vectors, vectors_limit=7))
    assert 0 < len(run.inputs.vectors) <= 7
    told = run.finish().info.training["vectors"]
    assert told == {
        "file": "garden.vec",
        "words": len(run.inputs.vectors),
        "width": 12,
        "fingerprint": run.inputs.vectors.fingerprint,
    }


def test_a_model_with_vectors_needs_no_file_of_them(tmp_path, some, garden_dev):
    path = tmp_path / "some.vec"
    path.write_text("the 1 2\ngarden 2 1\n", encoding="utf-8")
    parser = Parser.train(some, **TINY, vectors=str(path))
    parser.save(tmp_path / "m")
    path.unlink()
    assert Parser.load(tmp_path / "m").parse(garden_dev).to_bytes() == parser.parse(garden_dev).to_bytes()
