"""Learning from corrections: they are learnt, what was known stays, and a file is as good as memory."""

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
    network,
)
from arcwise.parser import STATE
from arcwise.updating import Update, UpdateOptions
from trained import Interrupted, interrupted_after, las, model_bytes

LEARNERS = {
    "network": {"epochs": 8},
    "conv": {"encoder": "conv", "layers": 1, "epochs": 6},
    "perceptron": {"learner": "perceptron", "epochs": 5},
    "adagrad": {"learner": "adagrad", "epochs": 5},
    "l2s": {"learner": "l2s", "system": "arc-hybrid", "bits": 18},
}
NETWORKS = ("network", "conv")
FAST = {"network": 0.3, "perceptron": 1.0}
"""Rates at which little is enough to learn from."""


@pytest.fixture(scope="module")
def parsers(some):
    """One of each kind, with its training state."""
    return {
        name: Parser.train(some, keep_training_state=True, **options) for name, options in LEARNERS.items()
    }


def fast(parser, sentences, **options):
    """An update that learns with force."""
    return parser.update(sentences, rate=FAST.get(parser.info.options.learner.name), **options)


@pytest.fixture(params=LEARNERS)
def parser(request, parsers):
    return parsers[request.param]


@pytest.fixture(scope="module")
def corrected(garden_dev):
    return garden_dev[:10]


def annotated_otherwise(treebank):
    """Trees as nobody would annotate them: every word depends on the one before it."""
    heads = np.concatenate([np.arange(len(sentence)) for sentence in treebank])
    return treebank.with_trees(heads, np.where(heads == 0, 0, 1), ["root", "conj"])


def test_what_was_corrected_is_learnt(parser, corrected):
    assert las(fast(parser, corrected), corrected) > las(parser, corrected)


def test_a_parser_can_be_brought_to_another_annotation(parser, corrected):
    otherwise = annotated_otherwise(corrected)
    assert las(parser, otherwise) < 0.4 < 0.8 < las(fast(parser, otherwise, epochs=30), otherwise)


def test_other_sentences_are_parsed_nearly_as_before(parser, corrected, garden, garden_dev):
    updated = parser.update(corrected, replay=garden[:60])
    others = garden_dev[10:]
    before, after = parser.parse(others), updated.parse(others)
    assert np.mean(before.heads == after.heads) > 0.75
    # And this would show: what is learnt with force is not kept apart from the rest.
    forced = fast(parser, annotated_otherwise(corrected), epochs=30).parse(others)
    assert np.mean(before.heads == forced.heads) < np.mean(before.heads == after.heads)


def test_an_update_leaves_the_parser_as_it_was(parser, corrected, tmp_path):
    before = model_bytes(parser, tmp_path / "a.model")
    fast(parser, corrected, epochs=1)
    assert model_bytes(parser, tmp_path / "a.model") == before


def test_what_was_saved_goes_on_as_what_is_in_memory(parser, corrected, tmp_path):
    parser.save(tmp_path / "a.model")
    once = parser.update(corrected)
    assert model_bytes(
        Parser.load(tmp_path / "a.model").update(corrected), tmp_path / "b.model"
    ) == model_bytes(once, tmp_path / "c.model")
    # And so does the second time.
    again = Parser.load(tmp_path / "c.model").update(corrected, seed=2)
    assert model_bytes(again, tmp_path / "d.model") == model_bytes(
        once.update(corrected, seed=2), tmp_path / "e.model"
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_of_threads_makes_no_difference(parsers, corrected, threads, tmp_path):
    one = model_bytes(parsers["network"].update(corrected), tmp_path / "a.model")
    assert model_bytes(parsers["network"].update(corrected, threads=threads), tmp_path / "b.model") == one


def test_the_seed_makes_a_difference(parser, corrected, tmp_path):
    one, other = (model_bytes(parser.update(corrected, seed=seed), tmp_path / "a.model") for seed in (1, 2))
    assert one != other


# What the file holds.


def test_a_state_is_kept_only_if_asked_for(garden, parser, tmp_path):
    assert parser.info.state is not None
    assert parser.info.state["bytes"] == sum(array.nbytes for array in parser.training_state.values()) > 0
    stripped = parser.without_training_state()
    assert stripped.info.state is None and not stripped.training_state
    options = ParserOptions.from_dict(parser.info.options.to_dict())
    plain = Parser.train(garden[:60], options=options)
    assert model_bytes(stripped, tmp_path / "a.model") == model_bytes(plain, tmp_path / "b.model")


def test_parsing_does_not_read_the_state(parser, garden_dev, tmp_path):
    """Were any of it looked at, a parser with another state would not parse alike."""
    nonsense = {name: np.full_like(array, 255) for name, array in parser.training_state.items()}
    parser.with_training_state(7, nonsense).save(tmp_path / "a.model")
    loaded = Parser.load(tmp_path / "a.model")
    assert loaded.parse(garden_dev).to_bytes() == parser.parse(garden_dev).to_bytes()


def test_a_state_of_another_model_is_refused(parser, corrected):
    cut = {name: array[: len(array) // 2 + 1] for name, array in parser.training_state.items()}
    with pytest.raises(ModelError, match="training state of the model is damaged"):
        parser.with_training_state(7, cut).update(corrected)


def test_the_state_is_that_of_the_epoch_that_is_kept(garden, garden_dev, tmp_path):
    """A run that ends with the epoch that dev has chosen in a longer one leaves the same parser."""
    options = ParserOptions.of(learner="perceptron", epochs=6)
    long = Training(garden[:60], dev=garden_dev, options=options, keep_training_state=True)
    parser = long.finish()
    kept = parser.info.training["epoch"]
    short = Training(
        garden[:60], options=ParserOptions.of(learner="perceptron", epochs=kept), keep_training_state=True
    )
    expected = short.finish().training_state
    assert {name: array.tobytes() for name, array in parser.training_state.items()} == {
        name: array.tobytes() for name, array in expected.items()
    }


def test_an_interrupted_run_keeps_the_same_state(garden, garden_dev, tmp_path):
    def run():
        options = ParserOptions.of(learner="adagrad", epochs=3)
        return Training(garden[:60], dev=garden_dev, options=options, keep_training_state=True)

    expected = model_bytes(run().finish(), tmp_path / "a.model")
    first = run()
    with pytest.raises(Interrupted):
        for _ in first.epochs(interrupted_after(2)):
            pass
    first.save_checkpoint(tmp_path / "checkpoint")
    second = run()
    second.resume(tmp_path / "checkpoint")
    assert model_bytes(second.finish(), tmp_path / "b.model") == expected


def test_a_checkpoint_without_a_state_is_not_resumed_with_one(garden, tmp_path):
    options = ParserOptions.of(learner="perceptron", epochs=2)
    plain = Training(garden[:20], options=options)
    next(plain.epochs())
    plain.save_checkpoint(tmp_path / "checkpoint")
    with pytest.raises(ModelError, match=r"resume without one \(keep_training_state\)"):
        Training(garden[:20], options=options, keep_training_state=True).resume(tmp_path / "checkpoint")


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_without_a_state_goes_on_from_its_weights(parsers, name, corrected):
    plain = parsers[name].without_training_state()
    updated = fast(plain, corrected)
    assert las(updated, corrected) > las(plain, corrected)
    assert updated.info.state is None


@pytest.mark.parametrize("name", NETWORKS)
def test_thawed_weights_are_the_learner_s(parsers, name):
    """As near as 8 bits of an embedding and 16 of others are; but for the unit of hidden units, which does
    not show."""
    parser = parsers[name]
    thawed = network.thawed(parser.info.network, parser._arrays)
    kept = parser.training_state
    assert (
        thawed.keys() == {"dense.weights", "tokens.weights", "extras.weights", "most_hidden"} <= kept.keys()
    )

    def floats(parts, table):
        return parts[table].view(np.float32)

    width = parser.info.network["width"]
    tokens, again = (floats(parts, "tokens.weights").reshape(-1, width) for parts in (kept, thawed))
    assert (np.abs(again - tokens) <= np.abs(tokens).max(axis=1, keepdims=True) / 127 + 1e-6).all()
    unit = floats(thawed, "most_hidden")[0] / floats(kept, "most_hidden")[0]
    assert 0.2 < unit < 5
    extras = floats(kept, "extras.weights") * unit
    np.testing.assert_allclose(floats(thawed, "extras.weights"), extras, atol=np.abs(extras).max() / 100)
    mine, its = floats(thawed, "dense.weights").copy(), floats(kept, "dense.weights")
    assert mine.shape == its.shape
    assert np.corrcoef(mine, its)[0, 1] > 0.99


def test_a_network_that_learns_nothing_is_frozen_as_it_was(parsers, corrected, garden_dev):
    """Thawing and freezing change no tree: next to no rate leaves the weights where they are."""
    for name in NETWORKS:
        for start in (parsers[name], parsers[name].without_training_state()):
            updated = start.update(corrected, rate=1e-12, epochs=1)
            same = updated.parse(garden_dev).heads == start.parse(garden_dev).heads
            # Of weights in 8 bits, which are rounded again, some become their neighbours.
            assert np.mean(same) > 0.98


@pytest.mark.parametrize("name", [name for name in LEARNERS if name not in NETWORKS])
def test_other_learners_need_their_state(parsers, name, corrected):
    with pytest.raises(ModelError, match=r"train it with one \(keep_training_state\)"):
        parsers[name].without_training_state().update(corrected)


@pytest.mark.parametrize("tuned", [False, True])
def test_pre_trained_vectors_are_learnt_on_like_other_vectors(garden, corrected, tuned, tmp_path):
    words = dict.fromkeys(garden.column("form"))
    lines = [
        f"{word} {index % 7} {index % 3} {index % 5}\n" for index, word in enumerate(words) if " " not in word
    ]
    (tmp_path / "some.vec").write_text("".join(lines), encoding="utf-8")
    parser = Parser.train(
        garden[:60],
        vectors=str(tmp_path / "some.vec"),
        tune_vectors=tuned,
        epochs=4,
        keep_training_state=True,
    )
    (tmp_path / "some.vec").unlink()
    same = parser.update(corrected, rate=1e-12, epochs=1)
    assert np.mean(same.parse(garden).heads == parser.parse(garden).heads) > 0.99
    for start in (parser, parser.without_training_state()):
        assert las(fast(start, corrected), corrected) > las(start, corrected)


# What an update is given.


def test_corrections_come_as_a_treebank_a_file_or_sentences(parsers, corrected, tmp_path):
    corrected.write(tmp_path / "c.conllu")
    parser = parsers["perceptron"]
    expected = parser.update(corrected).parse(corrected).to_bytes()
    for given in (tmp_path / "c.conllu", str(tmp_path / "c.conllu"), list(corrected), iter(corrected)):
        assert parser.update(given).parse(corrected).to_bytes() == expected
    assert las(fast(parser, corrected[0], epochs=20), corrected[:1]) == 1


def test_a_sentence_may_be_corrected_in_part(parsers, corrected):
    known = np.arange(corrected.word_count) % 2 == 0
    heads = np.where(known, corrected.heads, -1)
    partly = corrected.with_trees(heads, np.where(known, corrected.labels, -1), corrected.label_names)
    parser = parsers["network"]
    assert las(fast(parser, partly), partly) > las(parser, partly)


def test_replayed_sentences_are_learnt_along(parsers, corrected, garden):
    parser = parsers["perceptron"]
    known = garden[:60]
    run = Update(parser, corrected, replay=known, options=UpdateOptions(replayed=3, epochs=2))
    assert run.replayed is not None
    assert run.sentences == 2 * len(corrected) + len(run.replayed)
    texts = [sentence.to_string() for sentence in run.replayed]
    assert len(texts) == len(set(texts)) == 2 * 3 * len(corrected)
    assert set(texts) <= {sentence.to_string() for sentence in known}
    assert run.finish().info.training["updates"][0]["replayed"] == len(texts)
    # Of few sentences, all are replayed again and again.
    few = Update(parser, corrected, replay=garden[:25], options=UpdateOptions(replayed=3, epochs=2)).replayed
    assert few is not None
    assert len(few) == 60 and len({sentence.to_string() for sentence in few}) == 25


def test_the_model_says_what_it_was_updated_with(parsers, corrected):
    before = parsers["perceptron"]
    twice = before.update(corrected, epochs=2).update(corrected[:3], rate=0.5)
    assert twice.info.options == before.info.options
    first, second = twice.info.training["updates"]
    assert (first["sentences"], first["epochs"], first["rate"]) == (10, 2, 0.1)
    assert (second["sentences"], second["words"], second["rate"]) == (3, corrected[:3].word_count, 0.5)
    assert {**twice.info.training, "updates": None} == {**before.info.training, "updates": None}


def test_words_that_are_new_are_learnt_by_what_they_look_like(parsers, garden):
    """A word without a vector of its own can change what its sentence is taken for."""
    text = garden[:1].to_string()
    form = next(token.form for token in garden[0] if token.upos == "NOUN")
    new = annotated_otherwise(Treebank.from_string(text.replace(form, "Zwibbelquarks")))
    updated = fast(parsers["network"], new)
    assert las(updated, new) > las(parsers["network"], new)


def test_a_label_in_a_place_that_no_move_gives_it_teaches_the_head(parsers, corrected):
    """`root` is a label of the parser, but not of arcs between words."""
    names = corrected.label_names
    odd = corrected.with_trees(corrected.heads, np.full(corrected.word_count, names.index("root")), names)
    for parser in parsers.values():
        # At the usual rate a network that has learnt little changes more than it is told to.
        updated = parser.update(odd, rate=0.001 if parser.info.learner.has_encoder else None)
        before, after = parser.parse(odd), updated.parse(odd)
        assert np.mean(after.heads == odd.heads) > np.mean(before.heads == odd.heads) - 0.05
        assert np.mean(np.array(after.column("deprel")) == np.array(before.column("deprel"))) > 0.8


@pytest.mark.parametrize(
    "change, sentence",
    [
        (lambda t: t[:0], "has no sentence to learn from: give at least one"),
        (lambda t: [], "has no sentence to learn from"),
        (lambda t: [["Dogs", "bark"]], "Corrections are trees: give a treebank"),
        (
            lambda t: t.with_trees(t.heads, [0] * t.word_count, ["nonsense"]),
            "the label 'nonsense', which the parser",
        ),
        (
            lambda t: Treebank.from_words([["Dogs"]]).with_trees([0], [0], ["root"]),
            "lacks .*XPOS.* fill it in",
        ),
    ],
    ids=["empty", "no sentences", "no trees", "unknown label", "missing columns"],
)
def test_what_cannot_be_learnt_from_is_refused_with_a_remedy(parser, corrected, change, sentence):
    with pytest.raises(TreebankError, match=sentence):
        parser.update(change(corrected))


def test_trees_without_heads_are_refused(parser, corrected):
    nothing = Treebank.from_words(
        [["Dogs", "bark"]], **{name: [["X", "Y"]] for name in ("lemma", "upos", "xpos", "feats")}
    )
    with pytest.raises(OptionError, match="no tree to train on"):
        parser.update(nothing)


@pytest.mark.parametrize(
    "options",
    [{"epochs": 0}, {"rate": 0.0}, {"rate": float("nan")}, {"replayed": 0}, {"seed": -1}],
    ids=lambda options: next(iter(options)),
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(OptionError):
        UpdateOptions(**options)


def test_only_some_learners_take_a_rate(parsers, corrected):
    for name in ("adagrad", "l2s"):
        with pytest.raises(OptionError, match="leave the rate out"):
            parsers[name].update(corrected, rate=0.1)
    with pytest.raises(OptionError, match="rate of an update is too small"):
        parsers["perceptron"].update(corrected, rate=1e-6)
    with pytest.raises(OptionError, match="whole or one by one"):
        parsers["perceptron"].update(corrected, options=UpdateOptions(), epochs=3)


def test_a_state_is_told_from_what_parsing_needs(parser):
    assert {name for name in parser._arrays if name.startswith(STATE)} == {
        STATE + name for name in parser.training_state
    }
