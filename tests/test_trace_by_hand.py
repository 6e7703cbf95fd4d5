"""Traces with moves by hand: where they lead, what they cost, and who goes on."""

from __future__ import annotations

import json
import math
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import OptionError, Treebank, names
from arcwise.trace import Trace
from arcwise.transitions import System
from arcwise.transitions.from_files import system_named
from derivations import trained
from treebank_texts import heads_of_trees, line
from walks import is_tree

NOT_EXACT = {"arc-hybrid-swap"}
"""Its oracle is static for SWAP (docs/oracles.md)."""


def treebank(heads: list[int], labels: int = 2) -> Treebank:
    def label(word: int, head: int) -> str:
        return "root" if head == 0 else f"d{word % labels}"

    lines = [line(word, f"w{word}", head, label(word, head)) for word, head in enumerate(heads, 1)]
    return Treebank.from_string("".join(lines) + "\n")


trees = heads_of_trees(max_words=6).map(lambda heads: [head or 0 for head in heads])


def heads_of(trace: Trace) -> list[int]:
    built = {arc.dependent: arc.head for arc in trace.arcs}
    return [built[word] for word in range(1, len(trace.words) + 1)]


def gold_arcs(sentence, system: str) -> set[tuple[int, str, int]]:
    """As the system has them: lifted where they cross."""
    return set(Trace.of_gold(sentence, system).arcs)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(names.SYSTEMS), trees, st.data())
def test_what_moves_by_hand_cost_is_what_is_lost_in_the_end(system: str, heads: list[int], data) -> None:
    """Any choices by hand lead to a tree, which lacks as many gold arcs as they cost."""
    sentence = treebank(heads)[0]
    taken = {}
    trace = Trace.of_gold(sentence, system)
    gold = gold_arcs(sentence, system)
    number = 1
    while number <= len(trace.steps):
        if data.draw(st.integers(0, 2)) == 0:
            taken[number] = data.draw(st.sampled_from(trace.steps[number - 1].moves))
            trace = Trace.of_gold(sentence, system, moves=taken)
        number += 1
    for number, step in enumerate(trace.steps, 1):
        assert step.by_hand == (number in taken)
        assert step.by_hand or step.chosen == step.own
        assert step.cost == sum(before.chosen.cost for before in trace.steps[: number - 1])
        assert min(move.cost for move in step.moves) == step.own.cost
        if system not in NOT_EXACT:
            assert step.cost == len(step.lost) and step.own.cost == 0
        assert set(step.lost) <= gold and not set(step.lost) & set(step.arcs)
    assert is_tree(heads_of(trace)) and len(trace.arcs) == len(sentence)
    assert set(trace.end.lost) == gold - set(trace.arcs)
    assert system in NOT_EXACT or trace.cost == len(trace.end.lost)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([("arc-hybrid", False), ("arc-eager", True), ("easy-first", False)]), st.data())
def test_a_model_goes_on_from_where_moves_by_hand_lead(system, data) -> None:
    parser = trained(*system, "adagrad")
    gold = Treebank.read("examples/garden/dev.conllu")
    sentence = gold[data.draw(st.integers(0, 4))]
    own = parser.trace(sentence, gold=sentence)
    number = data.draw(st.integers(1, len(own.steps)))
    move = data.draw(st.sampled_from(own.steps[number - 1].moves))
    trace = parser.trace(sentence, gold=sentence, moves={number: move})
    assert trace.steps[: number - 1] == own.steps[: number - 1]
    step = trace.steps[number - 1]
    assert step.by_hand and step.chosen == move and step.own == own.steps[number - 1].chosen
    assert step.moves == own.steps[number - 1].moves
    for after in trace.steps[number:]:
        assert after.chosen.score == max(m.score for m in after.moves) and not after.by_hand
        assert math.isclose(sum(m.prob for m in after.moves), 1, rel_tol=1e-5)
    assert is_tree(heads_of(trace))
    assert trace.cost == len(trace.end.lost)
    if move == own.steps[number - 1].chosen:
        assert [s.chosen for s in trace.steps] == [s.chosen for s in own.steps]


def test_an_oracle_goes_on_where_the_model_is_left() -> None:
    parser = trained("arc-hybrid", False, "perceptron")
    sentence = Treebank.read("examples/garden/dev.conllu")[4]
    led = parser.trace(sentence, gold=sentence, follow="oracle")
    assert led.cost == 0 and not led.end.lost
    for step in led.steps:
        free = [move.score for move in step.moves if move.cost == 0]
        assert step.chosen.score == max(free)
    wrong = next(move for move in led.steps[3].moves if move.cost)
    mixed = parser.trace(sentence, gold=sentence, moves={4: wrong}, follow={1: "model", 5: "oracle"})
    assert mixed.cost == wrong.cost + mixed.steps[3].cost
    with pytest.raises(OptionError, match="An oracle needs a gold tree"):
        parser.trace(sentence, follow="oracle")
    with pytest.raises(OptionError, match="Nobody called 'me' chooses moves"):
        parser.trace(sentence, gold=sentence, follow="me")


def test_moves_are_known_by_their_text() -> None:
    sentence = treebank([2, 0, 2, 3])[0]
    hand = {2: "SHIFT", 3: "LEFT(d0)"}
    assert [str(step.chosen) for step in Trace.of_gold(sentence, "arc-hybrid", moves=hand).steps[:3]] == [
        "SHIFT", "SHIFT", "LEFT(d0)",
    ]  # fmt: skip
    trace = Trace.of_gold(sentence, "arc-hybrid", moves={2: "LEFT"})
    assert str(trace.steps[1].chosen) == "LEFT(d1)" and trace.cost == 0
    assert "☞ LEFT(d1)" in trace.to_text(1)
    by_text = Trace.of_gold(sentence, "easy-first", moves={1: "RIGHT(d1) w1 · w2"})
    by_number = Trace.of_gold(sentence, "easy-first", moves={1: "RIGHT(d1) 1 · 2"})
    assert by_text == by_number and by_text.steps[0].chosen.at == (1, 2) and by_text.cost > 0


def test_what_cannot_be_taken_is_refused_with_what_can() -> None:
    sentence = treebank([2, 0, 2])[0]
    with pytest.raises(OptionError, match=r"REDUCE is not legal at step 2: choose one of SHIFT; LEFT \(d1\)"):
        Trace.of_gold(sentence, "arc-hybrid", moves={2: "REDUCE"})
    with pytest.raises(OptionError, match=r"LEFT is not legal at step 1: only SHIFT is"):
        Trace.of_gold(sentence, "arc-hybrid", moves={1: "LEFT"})
    with pytest.raises(
        OptionError, match=r"There is no step 9 at which SHIFT could be taken: .* after 6 steps"
    ):
        Trace.of_gold(sentence, "arc-hybrid", moves={9: "SHIFT"})
    with pytest.raises(OptionError, match="steps are counted from 1"):
        Trace.of_gold(sentence, "arc-hybrid", moves={0: "SHIFT"})
    with pytest.raises(OptionError, match=r"LEFT\(d1\) can be taken in 2 places .* 'LEFT\(d1\) 1 · 2'"):
        Trace.of_gold(sentence, "easy-first", moves={1: "LEFT(d1)"})
    with pytest.raises(OptionError, match=r"SHIFT is not legal at step 1: choose .*, between 1 · 2, 2 · 3"):
        Trace.of_gold(sentence, "easy-first", moves={1: "SHIFT"})


class Chain(System):
    """Puts words on the stack, and hangs them on their neighbours; its static oracle is all it has."""

    name = "chain"
    moves: ClassVar = {"SHIFT": None, "RIGHT": "right", "ROOT": "root"}

    def legal(self, state):
        if state.buffer:
            yield "SHIFT"
        if state.S(1):
            yield "RIGHT"
        elif state.S(1) == 0 and not state.buffer:
            yield "ROOT"

    def apply(self, state, move, label):
        if move == "SHIFT":
            state.shift()
        else:
            word = state.pop()
            state.add_arc(state.S(0), word, label)

    def static(self, state, gold):
        return "SHIFT" if state.buffer else "RIGHT" if state.S(1) else "ROOT"


def test_a_static_oracle_knows_costs_on_its_own_path_alone() -> None:
    sentence = treebank([0, 1, 2])[0]
    own = Trace.of_gold(sentence, Chain())
    assert own.oracle == "static" and own.cost == 0
    assert [str(step.chosen) for step in own.steps] == [
        "SHIFT", "SHIFT", "SHIFT", "RIGHT(d1)", "RIGHT(d0)", "ROOT(root)",
    ]  # fmt: skip
    assert {move.cost for step in own.steps for move in step.moves if move != step.own} <= {None}
    led = Trace.of_gold(sentence, Chain(), moves={3: "RIGHT"})
    assert [step.cost for step in led.steps] == [0, 0, 0, None, None, None]
    assert {move.cost for step in led.steps[3:] for move in step.moves} == {None}
    assert led.cost is None and led.end.lost == () and len(led.arcs) == 3
    assert json.loads(led.to_json())["oracle"] == "static"


def test_systems_come_from_files(tmp_path) -> None:
    assert system_named("covington") == "covington"
    assert str(system_named("examples/systems/attardi.py:Attardi")) == "attardi"
    sentence = treebank([2, 0, 2])[0]
    trace = Trace.of_gold(sentence, system_named("examples/systems/right_to_left.py"))
    assert trace.system == "right-to-left" and heads_of(trace) == [2, 0, 2]
    for text, told in {
        "arc-lazy": "choose one of arc-eager",
        "nowhere.py:Mine": "There is no file nowhere.py",
        "examples/systems/attardi.py:Mine": "no transition system called 'Mine'.*Attardi",
    }.items():
        with pytest.raises(OptionError, match=told):
            system_named(text)
    (tmp_path / "broken.py").write_text("import nothing_like_this\n")
    with pytest.raises(OptionError, match="cannot be run: ModuleNotFoundError"):
        system_named(str(tmp_path / "broken.py"))
    (tmp_path / "none.py").write_text("x = 1\n")
    with pytest.raises(OptionError, match="name the system after a colon"):
        system_named(str(tmp_path / "none.py"))
