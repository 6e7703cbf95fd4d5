"""Traces: an oracle's derivation of a gold tree, and what is written of a trace."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import OptionError, Treebank, TreebankError, names
from arcwise.trace import MOST_WORDS, Trace
from arcwise.trace_output import MOST_STEPS, to_view
from arcwise.transitions import System, Walk, policies
from derivations import trained
from treebank_texts import heads_of_trees, line, sentence

CROSSING = sentence(3, 4, 0, 3)


def treebank(heads: list[int]) -> Treebank:
    def label(word: int, head: int) -> str:
        return "root" if head == 0 else "left" if head > word else "right"

    lines = [line(word, f"w{word}", head, label(word, head)) for word, head in enumerate(heads, 1)]
    return Treebank.from_string("".join(lines) + "\n")


trees = heads_of_trees(max_words=7).map(lambda heads: [head or 0 for head in heads])


@given(st.sampled_from(names.SYSTEMS), trees)
def test_an_oracle_builds_the_gold_tree_without_a_loss(system: str, heads: list[int]) -> None:
    words = treebank(heads)[0]
    trace = Trace.of_gold(words, system)
    assert {step.chosen.cost for step in trace.steps} == {0.0}
    built = {arc.dependent: (arc.head, arc.label) for arc in trace.arcs}
    lifted = {word for word, (_, label) in built.items() if "↑" in label}
    assert names.system(system).projective or not lifted
    assert {word: arc for word, arc in built.items() if word not in lifted} == {
        word.id: (word.head, word.deprel) for word in words if word.id not in lifted
    }
    assert len(trace.arcs) == len(built) == len(words)


@pytest.mark.parametrize("system", [s for s in names.SYSTEMS if names.system(s).static_oracle])
def test_the_moves_are_those_of_the_static_oracle(system: str) -> None:
    words = treebank([2, 0, 5, 5, 2, 2])[0]
    walk = Walk(system, [word.form for word in words])
    expected = [move.name for move in walk.finish(policies.static(words))]
    assert [step.chosen.action for step in Trace.of_gold(words, system).steps] == expected


def test_crossing_arcs_are_lifted_or_built() -> None:
    words = Treebank.from_string(CROSSING)[0]
    lifted = Trace.of_gold(words, "arc-eager")
    assert [(a.dependent, a.head, a.label) for a in sorted(lifted.arcs, key=lambda a: a.dependent)] == [
        (1, 3, "dep"), (2, 3, "dep↑dep"), (3, 0, "dep"), (4, 3, "dep"),
    ]  # fmt: skip
    built = Trace.of_gold(words, "arc-hybrid-swap")
    assert "SWAP" in {step.chosen.action for step in built.steps}


def test_a_system_in_python_has_derivations_too() -> None:
    class Chain(System):
        """Hangs each word on the one before it: enough for a tree that is a chain."""

        name = "chain"
        moves: ClassVar = {"HANG": "right", "BEGIN": "root"}

        def legal(self, state):
            return ["BEGIN" if len(state.stack) == 1 else "HANG"]

        def apply(self, state, move, label):
            head, word = state.stack[-1], state.buffer[0]
            state.shift()
            state.add_arc(head, word, label)

        def costs(self, state, gold):
            head = state.stack[-1]
            return {self.legal(state)[0]: float(gold.head(state.buffer[0]) != head)}

    trace = Trace.of_gold(treebank([0, 1, 2])[0], Chain())
    assert trace.system == "chain"
    assert [str(step.chosen) for step in trace.steps] == ["BEGIN(root)", "HANG(right)", "HANG(right)"]


def test_several_words_may_be_under_root() -> None:
    assert len(Trace.of_gold(treebank([0, 0, 1])[0], "arc-hybrid").arcs) == 3


def test_each_kind_of_move_comes_first_with_its_best_label() -> None:
    step = Trace.of_gold(treebank([2, 0, 2])[0], "arc-eager").steps[1]
    assert [str(move) for move in step.moves[:3]] == ["LEFT(left)", "SHIFT", "RIGHT(left)"]
    assert len(step.moves) == 5 and step.moves[0] == step.chosen


def test_what_has_no_derivation_is_refused_in_a_sentence() -> None:
    words = Treebank.from_string(sentence(0, "_"))[0]
    with pytest.raises(TreebankError, match="words without a head"):
        Trace.of_gold(words)
    with pytest.raises(TreebankError, match="make no tree"):
        Trace.of_gold(Treebank.from_string(sentence(2, 1), check_trees=False)[0])
    with pytest.raises(OptionError, match="no transition system called 'arc-lazy': choose one of arc-eager"):
        Trace.of_gold(treebank([0])[0], "arc-lazy")
    with pytest.raises(OptionError, match="1,001 words, and a trace shows 1,000 at most"):
        Trace.of_gold(treebank([0, *[1] * MOST_WORDS])[0])


def test_moves_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise.trace.MOST_MOVES", 20)
    assert Trace.of_gold(treebank([2, 0, 2])[0], "arc-eager")
    with pytest.raises(OptionError, match="more than 20 moves to show"):
        Trace.of_gold(treebank([2, 0, 2, 3, 4])[0], "easy-first")


def check_json(trace: Trace) -> None:
    document = json.loads(trace.to_json())
    assert document["words"] == list(trace.words)
    assert document["system"] == trace.system
    assert len(document["steps"]) == len(trace.steps)
    known = len(document["words"])
    for told, step in zip(document["steps"], trace.steps, strict=True):
        assert [document["words"][i - 1] if i else "ROOT" for i in told["stack"]] == list(step.stack)
        assert [document["words"][i - 1] if i else "ROOT" for i in told["buffer"]] == list(step.buffer)
        assert all(0 <= i <= known for i in (*told["stack"], *told["buffer"]))
        assert [arc["dependent"] for arc in told["arcs"]] == [arc.dependent for arc in step.arcs]
        assert told["moves"][told["chosen"]]["move"] == step.chosen.action
        for move, own in zip(told["moves"], step.moves, strict=True):
            assert (move["score"], move["prob"], move["cost"]) == (own.score, own.prob, own.cost)
    assert document["arcs"] == [arc._asdict() for arc in trace.arcs]


@settings(max_examples=40)
@given(st.sampled_from(names.SYSTEMS), trees)
def test_json_has_stack_buffer_arcs_and_every_move(system: str, heads: list[int]) -> None:
    check_json(Trace.of_gold(treebank(heads)[0], system))


def test_the_trace_of_a_model_is_written_with_scores_and_probabilities(garden_dev: Treebank) -> None:
    parser = trained("arc-hybrid", False, "adagrad")
    trace = parser.trace(garden_dev[0], gold=garden_dev[0])
    check_json(trace)
    assert trace.measures == ("prob", "cost")
    assert sorted(trace.arcs, key=lambda a: a.dependent) == [
        (w.head, w.deprel, w.id) for w in parser.parse(garden_dev[:1])[0]
    ]
    assert trained("arc-hybrid", False, "perceptron").trace(garden_dev[0]).measures == ("score",)
    assert repr(trace).startswith("<Trace of arc-hybrid, ") and "\n" not in repr(trace)


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_table_has_a_row_for_each_state_and_no_tags_of_its_words() -> None:
    hostile = sentence(0, 1, 1).replace("w2", "<script>\x1b").replace("dep", "a<b>")
    trace = Trace.of_gold(Treebank.from_string(hostile)[0], "arc-standard", moves={3: "LEFT"})
    part = trace._repr_html_()
    found = Tags(part)
    assert "<html" not in part
    assert found.tags.count("tbody") == len(trace.steps)
    assert "script" not in found.tags and "b" not in found.tags and "\x1b" not in part
    assert "w1 ← a<b> – <script>\\x1b" in found.text and "☞ LEFT(a<b>)" in found.text
    assert found.tags.count("svg") == 1 + sum(bool(step.arcs) for step in trace.steps)


def test_a_page_has_the_trace_as_text_and_a_script_that_is_allowed() -> None:
    hostile = sentence(0, 1, 1).replace("w2", "</script><b>\x1b").replace("dep", "a<b>")
    trace = Trace.of_gold(Treebank.from_string(hostile)[0], "arc-standard")
    page = trace.to_html()
    found = Tags(page)
    assert page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n")
    assert found.tags.count("script") == 2 and "b" not in found.tags and "\x1b" not in page
    assert found.tags.count("tbody") == len(trace.steps) and found.tags.count("svg") == 1
    data, script = re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)
    document = json.loads(data)
    assert document["words"] == list(trace.words) and document["arcs"] == [a._asdict() for a in trace.arcs]
    assert [step["arcs"] for step in document["steps"]] == [len(step.arcs) for step in trace.steps]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page
    assert not re.search(r"(src|href)=|url\(|@import", page)
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)


def test_moves_of_a_page_are_the_first_and_those_that_are_taken() -> None:
    trace = Trace.of_gold(treebank([2, 0, 2, 3])[0], "easy-first", moves={1: "RIGHT(left) 3 · 4"})
    view = to_view(trace, 500, most_moves=2, all_of=2)
    assert len(view["steps"][0]["moves"]) == 3 < view["steps"][0]["legal"]
    assert len(view["steps"][1]["moves"]) == view["steps"][1]["legal"] == len(trace.steps[1].moves)
    for told, step in zip(view["steps"], trace.steps, strict=True):
        for key, move in (("chosen", step.chosen), ("own", step.own)):
            assert tuple(told["moves"][told[key]]["at"]) == move.at
        assert any(move["cost"] == 0 for move in told["moves"])
    assert view["picture"]["width"] <= 500


def test_a_page_is_bounded() -> None:
    trace = Trace.of_gold(treebank([0, *[1] * MOST_STEPS])[0], "arc-hybrid")
    page = trace.to_html(1)
    assert page.count("<tbody>") == MOST_STEPS and "<script" not in page
    assert f"… and {len(trace.steps) - MOST_STEPS:,} more steps." in page
