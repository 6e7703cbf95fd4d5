"""A tagger and a parser that share a network: what they learn together, and how they work together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise import ModelError, OptionError, Pipeline, Segmenter, Tagger, Treebank, _core, cli, tagging
from arcwise.encoder import ARRAYS as ENCODER_ARRAYS
from arcwise.learners import learner
from arcwise.options import ParserOptions, with_a_tagger
from arcwise.options.tagger import TaggerOptions
from arcwise.parser import Parser
from arcwise.tagger_training import TaggerTraining
from arcwise.training import Training
from conftest import GARDEN
from damage import header_of, put, with_header

TAGS = ("upos", "xpos", "feats")
TASKS = (("arc-standard", "static"), ("arc-hybrid", "sample"))
SMALL = {"width": 32, "hidden": 32, "epochs": 3}


@pytest.fixture(scope="module")
def nlp(garden: Treebank, garden_dev: Treebank) -> Pipeline:
    pipeline = Pipeline.train(garden, dev=garden_dev, components=["tagger", "parser"], **SMALL)
    assert pipeline.tagger is not None and pipeline.parser is not None
    return pipeline


def start(treebank: Treebank, **changes: Any) -> Training:
    options = ParserOptions.of(**{**with_a_tagger(500), **SMALL, **changes})
    return Training(treebank, options=options, tagger=TaggerOptions())


@pytest.mark.parametrize("how", [{}, {"threads": 2}, {"beam": 4}, {"probabilities": "moves"}])
def test_one_pass_gives_what_two_would(nlp, garden_dev, how):
    bare = garden_dev.without("lemma", *TAGS)
    assert nlp.tagger.shares_with(nlp.parser_of_own_tags)
    how = {**how, "grammar": False}  # by which tags and trees would have a say in each other
    together = nlp.parse(bare, **how)
    trees = nlp.parser.parse(bare, **how)
    tags = nlp.tagger.tag(bare)
    assert (together.heads == trees.heads).all() and together.column("deprel") == trees.column("deprel")
    assert all(together.column(name) == tags.column(name) for name in ("lemma", *TAGS))
    assert nlp.parse(garden_dev, tags="new", **how).to_bytes() == together.to_bytes()


def test_tags_that_are_given_tell_the_parser_more(nlp, garden_dev):
    assert not nlp.parser.needs_tags and nlp.parser.missing_columns(garden_dev.without(*TAGS)) == []
    given = nlp.parse(garden_dev)
    assert all(given.column(name) == garden_dev.column(name) for name in TAGS)
    seen = scores_of(nlp.parser, garden_dev.without(*TAGS))
    assert (scores_of(nlp.parser, garden_dev) != seen).any()
    assert (scores_of(nlp.parser_of_own_tags, garden_dev) == seen).all()


def scores_of(parser: Parser, treebank: Treebank) -> Any:
    return parser._core.scores(treebank._core, 0, [(0, 0)])


def test_a_file_holds_the_network_once(nlp, garden_dev, tmp_path):
    nlp.save(tmp_path / "shared.arc")
    loaded = Pipeline.load(tmp_path / "shared.arc")
    assert loaded.parse(garden_dev, tags="new").to_bytes() == nlp.parse(garden_dev, tags="new").to_bytes()
    assert loaded.tagger is not None and loaded.parser is not None
    assert loaded.tagger.shares_with(loaded.parser_of_own_tags)
    assert loaded.tagger.encoder is loaded.parser.encoder
    for name in ENCODER_ARRAYS:
        own, others = loaded.tagger._arrays[name], loaded.parser._arrays[name]
        assert np.shares_memory(own, others) or own.size == others.size == 0
    # One that has learnt more has a network of its own.
    updated = loaded.with_parser(loaded.parser.update(garden_dev[:5]))
    updated.save(tmp_path / "updated.arc")
    assert "encoder" not in header_of((tmp_path / "updated.arc").read_bytes())["components"]
    again = Pipeline.load(tmp_path / "updated.arc")
    assert again.tagger is not None and not again.tagger.shares_with(again.parser_of_own_tags)
    assert again.parse(garden_dev, tags="new").column("upos") == nlp.parse(garden_dev, tags="new").column(
        "upos"
    )
    assert (tmp_path / "updated.arc").stat().st_size > (tmp_path / "shared.arc").stat().st_size


def test_the_encoder_is_a_component_that_the_others_name(nlp, garden_dev, tmp_path):
    path = tmp_path / "shared.arc"
    nlp.save(path)
    header = header_of(path.read_bytes())
    components = header["components"]
    assert components["encoder"]["kind"] == "encoder"
    assert components["parser"]["encoder"] == components["tagger"]["encoder"] == "encoder"
    holders = {name: [n for n in header["arrays"] if n.endswith(f".{name}")] for name in ENCODER_ARRAYS}
    assert holders == {name: [f"encoder.{name}"] for name in ENCODER_ARRAYS}
    # Each of them can be had by itself.
    bare = garden_dev.without("lemma", *TAGS)
    assert Parser.load(path).parse(bare).to_bytes() == nlp.parser.parse(bare).to_bytes()
    assert Tagger.load(path).tag(bare).to_bytes() == nlp.tagger.tag(bare).to_bytes()
    with pytest.raises(ModelError, match="no segmenter, only a tagger and a parser: open"):
        Segmenter.load(path)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("parser", "encoder"), "nothing", "its encoder is missing"),
        (("tagger", "encoder"), "parser", "its encoder is missing"),
        (("tagger", "encoder"), 1, "its encoder is missing"),
        (("tagger", "encoder"), None, "damaged"),
        (("encoder", "kind"), "parser", "damaged"),
        (("encoder", "width"), 16, "damaged"),
        (("encoder", "layers"), 1, "damaged"),
        (("encoder", "token_scale"), "x", "damaged"),
        (("parser", "network", "width"), 16, "another shape than its encoder"),
        (("tagger", "options", "layers"), 1, "another shape than its encoder"),
    ],
)
def test_an_encoder_that_does_not_fit_is_refused(nlp, tmp_path, place, value, message):
    path = tmp_path / "damaged.arc"
    nlp.save(path)
    path.write_bytes(with_header(path.read_bytes(), lambda h: put(h, ("components", *place), value)))
    with pytest.raises(ModelError, match=message):
        Pipeline.load(path)


def test_a_dictionary_leaves_the_network_shared(nlp):
    known = nlp.tagger.with_dictionary([("Anna", "VERB", "_", "_", "_")])
    assert known.shares_with(nlp.parser_of_own_tags)
    assert Pipeline(tagger=known, parser=nlp.parser).parse([["Anna"]]).column("upos") == ["VERB"]


def test_the_gradient_is_that_of_both_tasks(garden):
    """What a step makes of the shared weights is what it would make of them for the one and for the other."""
    still = {"dropout": 0.0, "word_dropout": 0.0, "clip": 1e9, "k": 9, "batch": 10**6, "shown_tags": 0.0}
    still |= {"affixes": 4, "decay": 0.0}
    inputs = "form shape prefix suffix"  # by which nothing is seen elsewhere
    alone = {name: value for name, value in still.items() if name != "shown_tags"}
    options = TaggerOptions(
        hidden_dropout=0.0, tokens=inputs, width=32, layers=2, epochs=3, rate=0.002, **alone
    )
    joint = Training(
        garden,
        options=ParserOptions.of(
            **{**with_a_tagger(500), **SMALL, **still, "hidden_dropout": 0.0, "tokens": inputs}
        ),
        tagger=TaggerOptions(hidden_dropout=0.0),
    )
    tagger = TaggerTraining(garden, options=options)
    parser = _core.Trainer.network(
        garden._core,
        joint._run_options(),
        joint.learner.core_options(joint.run, least_affix=TaggerOptions.least_affix),
    )
    state = joint._core.state()
    shared = {name: state["learner"][name] for name in ("tokens.weights", "extras.weights", "dense.weights")}
    of_tags = {
        name.removeprefix("tags."): array for name, array in state["learner"].items() if "tags." in name
    }
    head = of_tags["dense.weights"].view(np.float32)
    before = tagger._core.state()
    dense = before["learner"]["dense.weights"].view(np.float32).copy()
    encoder = len(dense) - len(head)
    dense[:encoder] = state["learner"]["dense.weights"].view(np.float32)[:encoder]
    dense[encoder:] = head
    tagger._core.restore(
        **{
            **before,
            "learner": {
                **before["learner"],
                "tokens.weights": shared["tokens.weights"],
                "extras.weights": of_tags["extras.weights"],
                "dense.weights": dense.view(np.uint8),
            },
        }
    )
    own = parser.state()
    parser.restore(**{**own, "learner": {**own["learner"], **shared}})

    def step(core: _core.Trainer) -> tuple[int, Any, Any]:
        decisions = core.run(1).decisions
        learner = core.state()["learner"]
        moments = (learner[f"{table}.first"].view(np.float32).astype(float) for table in ("tokens", "dense"))
        return decisions, *moments

    of_parser, of_tagger = step(parser), step(tagger._core)
    _, tokens, weights = step(joint._core)
    total = of_parser[0] + of_tagger[0]
    expected = (of_parser[0] * of_parser[1] + of_tagger[0] * of_tagger[1]) / total
    assert np.abs(expected).max() > 1e-5
    np.testing.assert_allclose(tokens, expected, rtol=1e-3, atol=1e-8)
    expected = (of_parser[0] * of_parser[2][:encoder] + of_tagger[0] * of_tagger[2][:encoder]) / total
    np.testing.assert_allclose(weights[:encoder], expected, rtol=1e-3, atol=1e-8)


def test_training_can_be_stored_and_taken_up(garden, tmp_path):
    whole = start(garden)
    expected = whole.finish()
    broken = start(garden)
    next(iter(broken.epochs()))
    broken.save_checkpoint(tmp_path / "checkpoint")
    again = start(garden)
    again.resume(tmp_path / "checkpoint")
    parser = again.finish()
    for one, other in ((expected, parser), (whole.tagger(), again.tagger())):
        assert one is not None and other is not None and one._arrays.keys() == other._arrays.keys()
        for name, array in one._arrays.items():
            assert (array == other._arrays[name]).all(), name


def test_the_best_of_a_stored_run_share_their_network(garden, garden_dev, tmp_path):
    def begin() -> Training:
        options = ParserOptions.of(**{**with_a_tagger(500), **SMALL, "epochs": 2})
        return Training(garden[:20], dev=garden_dev[:5], options=options, tagger=TaggerOptions())

    training = begin()
    next(training.epochs())
    training.save_checkpoint(tmp_path / "checkpoint")
    again = begin()
    again.resume(tmp_path / "checkpoint")
    best, stored = (Pipeline(tagger=run.tagger(), parser=run.parser()) for run in (training, again))
    assert stored.tagger.shares_with(stored.parser_of_own_tags)
    best.save(tmp_path / "best.arc")
    stored.save(tmp_path / "stored.arc")
    assert (tmp_path / "stored.arc").read_bytes() == (tmp_path / "best.arc").read_bytes()


def test_taggers_follow_their_own_predictions_though_parsers_may_not(garden):
    """A parser that is trained statically has nothing to explore with, and a tagger has."""
    static, sampled = (start(garden, system=s, policy=p, epochs=2) for s, p in TASKS)
    for training in (static, sampled):
        training.finish()
        assert training.tagger().evaluate(garden).upos > 50


def test_threads_train_the_same_model(garden):
    options = ParserOptions.of(**{**with_a_tagger(500), **SMALL, "epochs": 1})
    one, two = (Training(garden, options=options, tagger=TaggerOptions(), threads=n) for n in (1, 2))
    assert all((a == two.finish()._arrays[n]).all() for n, a in one.finish()._arrays.items())


def test_what_is_shared_is_given_to_the_parser(garden):
    for changes, name in (
        ({"width": 64}, "width"),
        ({"tokens": "form"}, "tokens"),
        ({"epochs": 9}, "epochs"),
    ):
        with pytest.raises(OptionError, match=rf"give {name} to the parser"):
            Training(garden, options=ParserOptions.of(**with_a_tagger(500)), tagger=TaggerOptions(**changes))
    with pytest.raises(OptionError, match="can do without tags: lower"):
        Training(garden, options=ParserOptions.of(shown_tags=1.0), tagger=TaggerOptions())
    with pytest.raises(OptionError, match="cannot look at lemmas"):
        start(garden, tokens="lower lemma")
    planned = learner("network").planned(ParserOptions.of(width=96), 500, shared=True)
    along = tagging.along(TaggerOptions(hidden=64), planned, ["lower", "upos"])
    assert (along.width, along.hidden, along.tokens) == (96, 64, "lower")


@pytest.mark.parametrize(
    ("options", "shared"),
    [
        ([], True),
        (["--preset", "fast"], True),
        (["--separate-tagger", "--tag-folds", "2", "--tagger", "lexicon=2,epochs=1"], False),
        (["--gold-tags", "--tagger", "lexicon=2,epochs=1"], False),
        (["--learner", "perceptron", "--tag-folds", "2", "--tagger", "lexicon=2,epochs=1"], False),
    ],
)
def test_one_command_trains_them_together_or_apart(options, shared, tmp_path):
    path = tmp_path / "garden.arc"
    train, dev = str(GARDEN / "train.conllu"), str(GARDEN / "dev.conllu")
    given = [
        "train",
        train,
        "--dev",
        dev,
        "-o",
        str(path),
        "--epochs",
        "1",
        "--tagger",
        "lexicon=2",
        "--quiet",
    ]
    with pytest.raises(SystemExit) as exit:
        cli.main([*given, *options])
    assert not exit.value.code
    pipeline = Pipeline.load(path)
    assert pipeline.tagger is not None and pipeline.tagger.info.options.lexicon == 2
    assert pipeline.tagger.shares_with(pipeline.parser_of_own_tags) == shared
    assert Path(path).exists() and not (tmp_path / "garden.arc.parts").exists()


def test_pre_trained_vectors_are_shared_too(garden, tmp_path):
    vectors = tmp_path / "some.vec"
    vectors.write_text("the 1 0.5\ngarden 0.5 1\nroses 0 1\n", encoding="utf-8")
    pipeline = Pipeline.train(
        garden[:60], components=("tagger", "parser"), epochs=2, width=16, hidden=16, vectors=str(vectors)
    )
    assert pipeline.tagger.info.options.tokens.split()[0] == "word"
    pipeline.save(tmp_path / "m")
    copy = Pipeline.load(tmp_path / "m")
    assert copy.tagger.shares_with(copy.parser_of_own_tags)
    parsed = copy.parse(garden[60:], tags="new")
    assert parsed.to_bytes() == copy.parser_of_own_tags.parse(copy.tagger.tag(garden[60:])).to_bytes()
    with pytest.raises(OptionError, match="give them to the parser"):
        Tagger.train(garden, tokens="lower vector")
