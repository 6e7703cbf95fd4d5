"""Every kind of learner and model behind one interface."""

import re
from pathlib import Path

import numpy as np
import pytest

from arcwise import OptionError, Parser, ParserOptions, Training, learners
from arcwise.options import with_a_tagger
from arcwise.options.tagger import TaggerOptions
from arcwise.tagger_training import TaggerTraining

PACKAGE = Path(learners.__file__).parents[1]
SMALL = {
    "network": {"width": 16, "hidden": 16, "layers": 1},
    "perceptron": {"features": "zn2011"},
    "adagrad": {"features": "zn2011"},
    "l2s": {"bits": 12, "system": "arc-hybrid"},
}


def begun(treebank, learner):
    return Training(treebank, options=ParserOptions.of(learner=learner, epochs=1, **SMALL[learner]))


@pytest.mark.parametrize("learner", learners.LEARNERS)
def test_a_learner_and_its_model_are_a_pair(garden, learner):
    training = begun(garden[:10], learner)
    parser = training.finish()
    own = parser.info.learner
    assert own is training.learner and own.name == learner
    again = Parser(parser.info, parser._arrays)
    assert again.parse(garden[:10]).to_bytes() == parser.parse(garden[:10]).to_bytes()
    assert (parser.encoder is not None) == own.has_encoder
    assert own.in_full(parser.info).startswith(own.title) and own.facts(parser.info)["weights"]
    assert own.to_be_trained(training.inputs, training.weight_count)


@pytest.mark.parametrize("learner", learners.LEARNERS)
def test_trainers_give_models_by_name(garden, learner):
    core = begun(garden[:10], learner)._core
    learnt = core.learnt()
    assert list(learnt) == (["encoder", "parser"] if learner == "network" else ["parser"])
    for parts in learnt.values():
        assert any(isinstance(part, np.ndarray) for part in parts.values())
        assert all(isinstance(part, np.ndarray | int | float) for part in parts.values())
    linear = learner in ("perceptron", "adagrad")
    assert (core.weights() is not None) == linear
    assert (core.parameters is not None) == (learner == "network")


def test_what_is_learnt_together_has_one_encoder(garden):
    options = ParserOptions.of(**{**with_a_tagger(500), **SMALL["network"]})
    joint = Training(garden[:10], options=options, tagger=TaggerOptions())
    assert list(joint._core.learnt()) == ["encoder", "parser", "tagger"]
    alone = TaggerTraining(garden[:10], options=TaggerOptions(width=16, hidden=16))
    assert list(alone._core.learnt()) == ["encoder", "tagger"]


def test_there_is_no_other_learner():
    with pytest.raises(OptionError, match="choose one of network, perceptron, adagrad, l2s"):
        learners.learner("svm")


def test_nobody_else_asks_which_learner_it_is():
    asks = re.compile(r"learner (==|!=|in|not in) |network is (not )?None|\.search is (not )?None")
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in PACKAGE.rglob("*.py")
        if path.parent.name != "learners"
        for line in path.read_text(encoding="utf-8").splitlines()
        if asks.search(line)
    ]
    assert found == []
