"""`/api/v1/draw`: trees as they are given, as pictures, SVG and CoNLL-U; without a server."""

from __future__ import annotations

from typing import Any

import pytest

from arcwise import Treebank
from arcwise.errors import OptionError
from arcwise.picture import picture
from arcwise.serve.drawing import draw
from arcwise.svg import svg

CONLLU = """\
# sent_id = a
# text = She sings
1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\tHeadProb=0.900|DeprelProb=0.500
2\tsings\tsing\tVERB\t_\t_\t0\troot\t_\tHeadProb=0.990|DeprelProb=0.990

"""
SENTENCE = Treebank.from_string(CONLLU)[0]


def test_pictures_are_those_of_python() -> None:
    answer = draw({"conllu": CONLLU, "drawing": {"width": 300, "columns": ["lemma"]}})
    assert answer["drawings"] == [picture(SENTENCE, width=300, columns=("lemma",)).to_json()]
    again = draw({"sentences": answer["sentences"], "answer": ["conllu", "svg"]})
    assert again == {"conllu": CONLLU, "svg": svg(SENTENCE) + "\n"}


def test_several_pictures_are_one_svg() -> None:
    made = draw({"conllu": CONLLU * 2, "answer": ["svg"]})["svg"]
    assert made.count("<svg") == 3 and made.count("sings") == 2 * svg(SENTENCE).count("sings")


def test_what_is_not_sure_is_marked() -> None:
    answer = draw({"conllu": CONLLU, "drawing": {"min_confidence": 0.8, "probabilities": False}})
    arcs = answer["drawings"][0]["rows"][0]["arcs"]
    assert {arc["word"]: (arc["look"], arc["label"]) for arc in arcs} == {
        1: ("unsure", "? nsubj"),
        2: ("plain", "root"),
    }
    without = CONLLU.replace("HeadProb=0.900|DeprelProb=0.500", "_")
    unmarked = draw({"conllu": without, "drawing": {"min_confidence": 0.8}})["drawings"][0]
    assert {arc["look"] for arc in unmarked["rows"][0]["arcs"]} == {"plain"}


def test_nothing_is_drawn_of_nothing() -> None:
    assert draw({"conllu": ""}) == {"sentences": [], "drawings": []}
    assert draw({"sentences": [], "answer": ["conllu"]}) == {"conllu": ""}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, "Give the trees"),
        ({"conllu": CONLLU, "sentences": []}, "Give the trees"),
        ({"conllu": CONLLU, "answer": ["png"]}, "must be a list of"),
        ({"conllu": CONLLU, "drawing": {"width": 3}}, "must be from 100 to"),
        ({"conllu": CONLLU, "drawing": {"width": True}}, "must be from 100 to"),
        ({"conllu": CONLLU, "drawing": {"columns": ["head"]}}, "must be a list of at most"),
        ({"conllu": CONLLU, "drawing": {"marks": 1}}, "true or false"),
        ({"conllu": CONLLU, "drawing": {"min_confidence": 2}}, "from 0 to 1"),
        ({"conllu": CONLLU, "drawing": {"colour": "red"}}, "has no “colour”"),
        ({"conllu": CONLLU, "drawing": []}, "must be an object"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(body: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        draw(body)
