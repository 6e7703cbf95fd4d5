"""`/api/v1/trace` without a server: what is asked for, what is answered, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arcwise import Parser, Pipeline, Treebank
from arcwise.errors import ArcwiseError, OptionError
from arcwise.models import load
from arcwise.serve.derivation import MOST_BY_HAND, MOST_WORDS, trace
from arcwise.serve.models import Models, UnknownModelError
from arcwise.trace import Trace
from arcwise.transitions.from_files import system_named
from treebank_texts import line, sentence

GARDEN = Path(__file__).resolve().parents[2] / "examples" / "garden"
GOLD = (GARDEN / "dev.conllu").read_text("utf-8")


@pytest.fixture(scope="module")
def models() -> Models:
    return Models({"en-fast": load("en-fast")})


def asked(models: Models, **body: Any) -> dict[str, Any]:
    answer = trace(body, models, [system_named("examples/systems/attardi.py")])
    return json.loads(json.dumps(answer, allow_nan=False))


def names(answer: dict[str, Any]) -> list[str]:
    taken = (step["moves"][step["chosen"]] for step in answer["steps"])
    return [move["move"] if move["label"] is None else f"{move['move']}({move['label']})" for move in taken]


def test_a_model_and_an_oracle_show_what_python_shows(models: Models) -> None:
    treebank = Treebank.from_string(GOLD)
    own = asked(models, conllu=GOLD, sentence=3, gold=True, moves={"3": "SHIFT"}, follow={"5": "oracle"})
    expected = models.pipelines["en-fast"].trace(
        treebank[2], gold=treebank[2], moves={3: "SHIFT"}, follow={5: "oracle"}
    )
    assert names(own) == [str(step.chosen) for step in expected.steps]
    assert (own["model"], own["sentence"], own["count"]) == ("en-fast", 3, len(treebank))
    assert own["cost"] == expected.cost and own["steps"][2]["by_hand"]
    oracle = asked(models, system="covington", conllu=GOLD, sentence=3)
    assert oracle["model"] is None
    assert names(oracle) == [str(step.chosen) for step in Trace.of_gold(treebank[2], "covington").steps]
    assert asked(models, system="attardi", conllu=GOLD)["system"] == "attardi"


def test_a_text_has_the_models_tree(models: Models) -> None:
    answer = asked(models, text="Dogs bark. Cats sleep.", sentence=2, gold="own")
    assert answer["sentences"] == ["Dogs bark.", "Cats sleep."] and answer["cost"] is not None
    built = asked(models, text="Cats sleep.", system="arc-standard", model="en-fast")
    assert built["cost"] == 0 and len(built["arcs"]) == 3
    words = asked(models, sentences=[["Cats", "sleep"]], drawing={"width": 300})
    assert words["words"] == ["Cats", "sleep"] and words["picture"]["width"] <= 300


def test_all_moves_of_a_step_are_told_if_asked_for(models: Models) -> None:
    few, all_moves = (asked(models, text="Dogs bark.", all_moves_of=step)["steps"][1] for step in (0, 2))
    assert len(few["moves"]) < few["legal"] == len(all_moves["moves"])


LONG = "".join(line(word, "w", word - 1, "dep" if word > 1 else "root") for word in range(1, MOST_WORDS + 2))
REFUSED = {
    "nothing": ({}, "Give the sentence as"),
    "both": ({"text": "a", "conllu": GOLD}, "Give the sentence as"),
    "no words": ({"text": "  "}, "no words"),
    "an unknown key": ({"text": "a", "beam": 4}, "has no “beam”"),
    "an oracle of a text": ({"text": "a", "system": "arc-eager"}, "An oracle builds a gold tree"),
    "an unknown system": ({"conllu": GOLD, "system": "arc-lazy"}, "choose one of arc-eager.*attardi"),
    "no such sentence": ({"text": "a", "sentence": 2}, "There is no sentence 2"),
    "sentence 0": ({"text": "a", "sentence": 0}, "from 1"),
    "sentence true": ({"text": "a", "sentence": True}, "whole number"),
    "a long sentence": ({"conllu": LONG + "\n", "system": "arc-eager"}, "250 can be shown"),
    "no gold tree": ({"text": "a", "gold": True}, "Raw text has no gold tree"),
    "a part of a tree": ({"conllu": sentence(0, "_"), "gold": True}, "without a head"),
    "the tree of another": ({"text": "a", "gold": sentence(0, 1, 1)}, "The gold tree has 3 words"),
    "gold of a kind": ({"text": "a", "gold": 3}, "“gold” must be"),
    "moves in a list": ({"text": "a", "moves": ["SHIFT"]}, "“moves” must be"),
    "a move that is a number": ({"text": "a", "moves": {"1": 2}}, "“moves” must be"),
    "step 0": ({"text": "a", "moves": {"0": "SHIFT"}}, "counted from 1"),
    "step x": ({"text": "a", "moves": {"x": "SHIFT"}}, "“moves” must be"),
    "an illegal move": ({"text": "a", "moves": {"1": "LEFT"}}, "LEFT is not legal at step 1: only SHIFT is"),
    "a step beyond": ({"text": "a", "moves": {"99": "SHIFT"}}, "There is no step 99"),
    "many moves": ({"text": "a", "moves": {str(i): "SHIFT" for i in range(1, MOST_BY_HAND + 2)}}, "must be"),
    "nobody": ({"text": "a", "follow": "me"}, "say model or oracle"),
    "an oracle without gold": ({"text": "a", "follow": "oracle"}, "needs a gold tree"),
    "follow 3": ({"text": "a", "follow": 3}, "“follow” must be"),
    "a narrow picture": ({"text": "a", "drawing": {"width": 1}}, "width"),
    "words of no letters": ({"sentences": [[""]]}, "lists of words"),
    "CoNLL-U that is none": ({"conllu": "nothing"}, "the CoNLL-U"),
}


@pytest.mark.parametrize(("body", "told"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_shown_is_refused_in_a_sentence(models: Models, body: Any, told: str) -> None:
    with pytest.raises(ArcwiseError, match=told):
        asked(models, **body)


def test_moves_are_bounded(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise.serve.derivation.MOST_MOVES", 100)
    with pytest.raises(OptionError, match="more than 100 moves to show"):
        asked(models, text="The dogs bark at the cats.")
    with pytest.raises(UnknownModelError):
        asked(models, text="a", model="xx")


def test_models_of_systems_in_python_are_served(tmp_path) -> None:
    system = system_named("examples/systems/arc_hybrid.py")
    treebank = Treebank.read(GARDEN / "train.conllu")[:30]
    parser = Parser.train(treebank, system=system, learner="perceptron", epochs=1)
    Pipeline(parser=parser).save(tmp_path / "mine.model")
    with pytest.raises(ArcwiseError, match="written in Python"):
        Models.load([str(tmp_path / "mine.model")])
    models = Models.load([str(tmp_path / "mine.model")], [system])
    assert models.described()["models"][0]["system"] == "python-arc-hybrid"
    answer = asked(models, conllu=GOLD, gold=True, moves={"2": "SHIFT"})
    assert answer["system"] == "python-arc-hybrid" and answer["cost"] >= 1
