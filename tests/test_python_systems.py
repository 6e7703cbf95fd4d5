"""Transition systems that are written in Python: the same as built-in ones, and checked."""

import gc
import importlib.util
import signal
import threading
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arcwise import (
    Constraints,
    ModelError,
    OptionError,
    Parser,
    ParserOptions,
    Pipeline,
    Training,
    TransitionError,
    Treebank,
    _core,
    cli,
    load,
    transitions,
)
from arcwise.model_file import Component
from arcwise.transitions import System, Walk, examine
from arcwise.transitions.examining import is_projective
from trained import las

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "systems"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ArcHybrid = example("arc_hybrid").ArcHybrid
Attardi = example("attardi").Attardi


@pytest.fixture(scope="module")
def few(some):
    return some[:12]


@pytest.fixture
def told(capfd):
    """What a command says, on one line, and whether it was refused."""

    def run(*arguments):
        capfd.readouterr()
        with pytest.raises(SystemExit) as exit:
            cli.main([str(argument) for argument in arguments])
        return " ".join("".join(capfd.readouterr()).split()), bool(exit.value.code)

    return run


def both(treebank, system=None, **options):
    """The parser of a system in Python, and that of the built-in one."""
    return [Parser.train(treebank, system=own, **options) for own in (system or ArcHybrid(), "arc-hybrid")]


def same_weights(mine, built_in):
    for name, array in built_in._arrays.items():
        assert mine._arrays[name].tobytes() == array.tobytes(), name
    return True


# Python's arc-hybrid is the built-in one.


@pytest.mark.parametrize("single_root", [True, False])
def test_states_moves_and_costs_are_those_of_the_built_in_system(single_root):
    def compare(mine, built_in):
        assert (mine.stack, mine.in_buffer, mine.heads, mine.done) == (
            built_in.stack,
            built_in.in_buffer,
            built_in.heads,
            built_in.done,
        )
        assert mine.legal() == built_in.legal()
        if mine.done:
            return 1
        rows = [mine.costs(gold, labels).tobytes() for gold, labels in trees]
        assert rows == [built_in.costs(gold, labels).tobytes() for gold, labels in trees]
        visited = 1
        for move in mine.legal():
            assert mine.move_label(move) == built_in.move_label(move)
            mine.apply(move)
            built_in.apply(move)
            visited += compare(mine, built_in)
            mine.undo()
            built_in.undo()
        return visited

    heads = np.array([[2, 0, 2], [0, 1, 2], [3, 3, 0], [2, -1, 2], [-1, -1, -1]], np.int32)
    trees = [(heads, np.array(labels * 5, np.int32)) for labels in ([[0, 2, 1]], [[-1, 2, -1]], [[1, 1, 1]])]
    walks = [
        _core.Walk.start(
            "arc-hybrid", 3, [0, 1], [2], single_root=single_root, right_labels=[1, 0], given=given
        )
        for given in (ArcHybrid().for_the_core(), None)
    ]
    assert compare(*walks) > 80


def test_the_static_oracle_is_that_of_the_built_in_system(garden):
    for sentence in garden[:40]:
        heads = sentence.heads.tolist()
        walks = [Walk(system, len(heads)) for system in (ArcHybrid(), "arc-hybrid")]
        if not is_projective(heads):
            continue
        mine, built_in = (
            [m.number for m in walk.finish(transitions.policies.static(sentence))] for walk in walks
        )
        assert mine == built_in
        assert walks[0].heads == heads


@pytest.mark.parametrize(
    "options",
    [
        {"learner": "perceptron", "policy": "explore", "k": 0},
        {"learner": "perceptron", "policy": "ambiguity"},
        {"learner": "perceptron", "policy": "static", "oracle": "static"},
        {"learner": "perceptron", "train_beam": 4},
        {"learner": "perceptron", "train_beam": 3, "oracle": "static", "violation": "early"},
        {"learner": "adagrad", "policy": "sample", "k": 0},
        {"learner": "network", "policy": "explore", "k": 0, "width": 16, "hidden": 16, "layers": 1},
    ],
    ids=lambda options: " ".join(str(value) for value in options.values() if isinstance(value, str)),
)
def test_what_is_learnt_is_the_same_to_the_byte(few, options):
    mine, built_in = both(few, epochs=2, **options)
    assert same_weights(mine, built_in)
    assert mine.info.training["epochs"] == built_in.info.training["epochs"]
    assert mine.parse(few).to_string() == built_in.parse(few).to_string()


@pytest.mark.parametrize("options", [{}, {"algorithm": "lols", "deviations": 3}, {"label_apart": False}])
def test_learning_to_search_learns_the_same(few, options):
    mine, built_in = both(few, learner="l2s", epochs=2, bits=18, **options)
    for name in ("slots", "weights"):  # ROOT is an action of its own, which is never a choice
        assert mine._arrays[name].tobytes() == built_in._arrays[name].tobytes()
    assert mine.parse(few).to_string() == built_in.parse(few).to_string()


@pytest.fixture(scope="module")
def with_probabilities(few):
    return both(few, learner="adagrad", epochs=2)


def test_every_search_finds_the_same(with_probabilities, some):
    new = some[12:30]

    def found(parser):
        yield parser.parse(new).to_string()
        yield parser.parse(new, beam=4, threads=2).to_string()
        yield parser.parse(new, probabilities="samples", samples=20).to_string()
        yield [[prob for *_, prob in arcs] for arcs in parser.marginals(new, samples=20)]
        yield [[score for _, score in trees] for trees in parser.nbest(new, 3)]
        yield [[score for _, score in trees] for trees in parser.nbest(new, 3, samples=20)]
        yield [sentence.prob for sentence in parser.parse(new, beam=4, probabilities="moves")]

    mine, built_in = map(list, map(found, with_probabilities))
    assert mine == built_in


def test_a_trace_shows_the_names_of_moves_and_their_costs(with_probabilities, few):
    mine, built_in = (parser.trace(few[0], gold=few[0]) for parser in with_probabilities)
    assert {move.action for step in mine.steps for move in step.moves} == set(ArcHybrid.moves)
    for own, other in zip(mine.steps, built_in.steps, strict=True):
        assert (own.stack, own.buffer, own.arcs) == (other.stack, other.buffer, other.arcs)
        assert [(m.label, m.prob, m.cost) for m in own.moves] == [
            (m.label, m.prob, m.cost) for m in other.moves
        ]


def test_every_arc_has_a_probability_wherever_it_was_made(few):
    elsewhere = arc_hybrid_that(slots=lambda _, state: {"S2": state.S(0), "N1": state.N(0)})
    parser = Parser.train(few, system=elsewhere, learner="adagrad", alpha=0.03, epochs=1)
    for sentence in parser.parse(few, probabilities="moves"):
        # Words have a choice of labels, and the root has none.
        assert all((0 < token.deprel_prob < 1) == (token.head != 0) for token in sentence)


def test_constraints_are_refused(with_probabilities, few):
    with pytest.raises(OptionError, match="python-arc-hybrid cannot say which moves constraints leave"):
        with_probabilities[0].parse(few, constraints=[Constraints(heads={1: 2})] * len(few))


def test_a_system_that_is_not_projective_learns_crossing_arcs():
    text = "1\tA\t_\tX\t_\t_\t3\ta\t_\t_\n2\tB\t_\tY\t_\t_\t4\tb\t_\t_\n"
    text += "3\tC\t_\tZ\t_\t_\t0\troot\t_\t_\n4\tD\t_\tV\t_\t_\t3\tc\t_\t_\n\n"
    crossing = Treebank.from_string(text * 3)
    training = Training(crossing, options=ParserOptions.of(system=Attardi(), learner="perceptron", epochs=8))
    parser = training.finish()
    assert (training.lifted, training.left_out) == (0, 0)
    assert parser.parse(crossing).heads.tolist() == [3, 4, 0, 3] * 3
    assert (
        max(move.cost for step in parser.trace(crossing[0], gold=crossing[0]).steps for move in step.moves)
        > 0
    )


# Examining.


def test_the_examples_are_what_they_say():
    assert examine(ArcHybrid(), 4).problem is None
    assert examine(ArcHybrid(), 3, single_root=False).problem is None
    found = examine(Attardi(), 4)
    assert found.trees > examine("arc-hybrid", 4).trees
    assert 0 < found.wrong < found.costs / 100


def test_a_system_may_turn_the_buffer_round(few, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    backwards = example("right_to_left").RightToLeft()
    assert repr(Walk(backwards, 4)) == "[ROOT | 4 3 2 1 | ]"
    assert examine(backwards, 4).problem is None
    # As good as its features let it: those of arc-hybrid are made for the other way.
    parser = Parser.train(few, system=backwards, learner="perceptron", epochs=5)
    assert las(parser, few) > 0.9
    assert parser.parse(few, beam=4).to_string() == parser.parse(few, beam=4, threads=2).to_string()


def test_a_wrong_cost_is_told_with_its_state_and_what_it_should_be():
    class Planted(ArcHybrid):
        def costs(self, state, gold):
            costs = super().costs(state, gold)
            if repr(state) == "[ROOT 1 2 | 3 | ]" and gold.heads == (2, 0, 2):
                costs["SHIFT"] += 2
            return costs

    assert examine(Planted(), 2).problem is None
    found = examine(Planted(), 3)
    assert found.problem == (
        "The cost of SHIFT of python-arc-hybrid in [ROOT 1 2 | 3 | ] against the gold tree of the heads "
        "2 0 2 is 2 and should be 0: of its 3 arcs 1 can be reached before the move, and 1 after it."
    )
    assert (found.wrong, str(found).endswith("1 of 212 costs are wrong.")) == (1, True), str(found)


def test_trees_that_cannot_be_reached_dead_ends_and_circles_are_told():
    class Lacks(ArcHybrid):
        def legal(self, state):
            return [move for move in super().legal(state) if move != "LEFT"]

    assert examine(Lacks(), 3).problem == "No walk of python-arc-hybrid ends in the tree of the heads 2 0."

    class Stops(ArcHybrid):
        def legal(self, state):
            return [move for move in super().legal(state) if move != "ROOT"]

    assert "these words have no head yet: 1." in examine(Stops(), 3).problem

    class Circles(ArcHybrid):
        moves = {**ArcHybrid.moves, "AGAIN": None}  # noqa: RUF012

        def legal(self, state):
            return [*super().legal(state), "AGAIN"]

        def apply(self, state, move, label):
            if move != "AGAIN":
                super().apply(state, move, label)

    assert examine(Circles(), 2).problem == (
        "A walk of python-arc-hybrid comes back to [ROOT 1 |  | ] and may go on for ever."
    )

    class Wanders(ArcHybrid):
        def static(self, state, gold):
            return next(iter(self.legal(state)))

    assert "leads to the tree of the heads 0 1 and not to the gold tree" in examine(Wanders(), 3).problem


# Misuse.


def arc_hybrid_that(**methods):
    return type("Other", (ArcHybrid,), methods)()


def walk_of(**methods):
    return Walk(arc_hybrid_that(**methods), 3)


def applying(change):
    """A system whose SHIFT does something else."""

    def apply(self, state, move, label):
        if move == "SHIFT":
            change(state, label)
        else:
            ArcHybrid.apply(self, state, move, label)

    return apply


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda s, _: [s.pop(), s.pop()], "there is nothing on the stack to pop"),
        (lambda s, _: s.push(0), "0 is on the stack already"),
        (lambda s, _: s.push(2), "2 is in the buffer"),
        (lambda s, _: s.push(4), "there is no node 4 to push"),
        (lambda s, _: s.push(-1), "there is no node -1 to push"),
        (lambda s, _: [s.shift() for _ in range(4)], "there is no word in the buffer to shift"),
        (lambda s, _: s.insert(2, 0), "2 is in the buffer"),
        (lambda s, _: s.insert(0, 0), "there is no word 0 to put into the buffer"),
        (
            lambda s, _: [s.shift(), s.insert(s.pop(), 3)],
            "the buffer has no place 3: its places go from 0 to 2",
        ),
        (lambda s, label: s.add_arc(0, 1, label), "it adds an arc and has no label for it"),
    ],
)
def test_a_change_that_cannot_be_is_refused_and_leaves_the_walk_as_it_was(change, says):
    walk = walk_of(apply=applying(change))
    with pytest.raises(TransitionError, match="SHIFT of 'python-arc-hybrid' in .*" + says):
        walk.apply("SHIFT")
    assert repr(walk) == "[ROOT | 1 2 3 | ]"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda s, label: s.add_arc(1, 1, label), "an arc from 1 to 1 closes a cycle"),
        (lambda s, label: s.add_arc(3, 4, label), "there is no word 4 to be given a head"),
        (lambda s, label: s.add_arc(4, 1, label), "there is no node 4 to be a head"),
        (lambda s, label: s.add_arc(2, 0, label), "there is no word 0 to be given a head"),
        (lambda s, label: [s.add_arc(2, 1, label), s.add_arc(3, 2, label)], "a move adds one arc"),
        (lambda s, label: s.add_arc(2, 1, label + 1), "another label than the move"),
        (lambda s, _: s.add_arc(2, 1, None), "another label than the move"),
    ],
)
def test_an_arc_that_cannot_be_is_refused(change, says):
    walk = walk_of(apply=lambda self, s, move, label: s.shift() if move == "SHIFT" else change(s, label))
    walk.apply("SHIFT")
    with pytest.raises(TransitionError, match=says):
        walk.apply("LEFT")
    assert repr(walk) == "[ROOT 1 | 2 3 | ]"


def test_second_heads_longer_cycles_and_second_roots_are_refused():
    class Anything(System):
        name = "anything"
        moves = {"ARC": "left", "BACK": "left", "AGAIN": "left", "ROOT": "root", "ROOT2": "root"}  # noqa: RUF012
        arcs = {"ARC": (1, 2), "BACK": (2, 1), "AGAIN": (3, 2), "ROOT": (0, 1), "ROOT2": (0, 3)}  # noqa: RUF012

        def legal(self, state):
            return self.moves

        def apply(self, state, move, label):
            state.add_arc(*self.arcs[move], label)

    for first, second, says in (
        ("ARC", "BACK", "an arc from 2 to 1 closes a cycle"),
        ("ARC", "AGAIN", "2 has a head already, 1"),
        ("ROOT", "ROOT2", "ROOT has a dependent already"),
    ):
        walk = Walk(Anything(), 3)
        walk.apply(first)
        with pytest.raises(TransitionError, match=says):
            walk.apply(second)
    walk = Walk(Anything(), 3, single_root=False)
    walk.apply("ROOT")
    walk.apply("ROOT2")
    assert walk.heads == [0, None, 0]


@pytest.mark.parametrize(
    ("methods", "says"),
    [
        ({"legal": lambda *_: "SHIFT"}, "legal .* gave 'SHIFT': give the names of moves, as a list"),
        ({"legal": lambda *_: 3}, "legal .* gave 3: give the names of moves"),
        ({"legal": lambda *_: [3]}, "legal .* gave 3, which is none of its moves: those are SHIFT, LEFT"),
        ({"legal": lambda *_: ["JUMP"]}, "legal .* gave 'JUMP', which is none of its moves"),
        ({"legal": lambda *_: []}, "No move .* is legal in .* no head yet: 1, 2, 3"),
        ({"legal": lambda _, s: s.shift()}, "only start and apply may change"),
        ({"legal": lambda _, s: s.head(9)}, r"There is no node 9 in \[ROOT \| 1 2 3 \| \]"),
        ({"costs": lambda *_: 3}, "costs .* gave 3: give a dictionary"),
        ({"costs": lambda *_: {}}, "costs .* says nothing of SHIFT, which is legal there"),
        ({"costs": lambda *_: {"SHIFT": "x"}}, "costs .* gave 'x' for SHIFT: give a number"),
        ({"costs": lambda *_: {"SHIFT": -1}}, "costs .* gave -1 for SHIFT: no move costs less than 0"),
        ({"costs": lambda *_: {"SHIFT": float("nan")}}, "costs .* gave nan for SHIFT"),
        ({"costs": lambda *_: {"JUMP": 0}}, "costs .* gave 'JUMP', which is none of its moves"),
        ({"costs": lambda *a: {"SHIFT": a[2].head(9)}}, "The gold tree has no node 9"),
    ],
)
def test_an_answer_that_cannot_be_is_refused(methods, says):
    with pytest.raises(TransitionError, match=says):
        walk_of(**methods).costs([2, 0, 2])


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({"S0": 99}, "slots .* gave 99 for 'S0': give a word"),
        ({"S0": "x"}, "slots .* gave 'x' for 'S0'"),
        ({"L0": 1}, "slots .* gave 'L0': places are S0"),
        ([1], r"slots .* gave \[1\]: give a dictionary"),
    ],
)
def test_slots_that_cannot_be_are_refused(few, answer, says):
    with pytest.raises(TransitionError, match=says):
        Parser.train(few, system=arc_hybrid_that(slots=lambda *_: answer), learner="perceptron", epochs=1)


def test_slots_say_what_features_look_at(few):
    def as_by_default(self, state):
        nodes = {f"S{i}": state.S(i) for i in range(4)}
        ahead = [*state.buffer, state.words + 1]
        return {**nodes, **{f"N{i}": node for i, node in enumerate(ahead[:4])}}

    mine, built_in = both(few, arc_hybrid_that(slots=as_by_default), learner="perceptron", epochs=2)
    assert same_weights(mine, built_in)
    blind = Parser.train(few, system=arc_hybrid_that(slots=lambda *_: {}), learner="perceptron", epochs=2)
    assert blind.info.weights < mine.info.weights / 10


def test_a_walk_that_never_ends_is_ended(few):
    class Dithers(ArcHybrid):
        def legal(self, state):
            return ["SHIFT"]

        def apply(self, state, move, label):
            pass

        def costs(self, state, gold):
            return {"SHIFT": 0}

    with pytest.raises(TransitionError, match=r"has not ended after \d+ moves, in \[ROOT \| 1 2"):
        Parser.train(few, system=Dithers(), learner="perceptron", epochs=1)
    with pytest.raises(TransitionError, match="through 2 words has not ended after 100 moves"):
        Walk(Dithers(), 2).finish(lambda walk: walk.legal()[0])


def test_a_state_and_a_gold_tree_are_gone_when_the_call_is_over():
    kept = []

    class Keeps(ArcHybrid):
        def legal(self, state):
            kept.append(state)
            return super().legal(state)

        def apply(self, state, move, label):
            kept.append(state)
            super().apply(state, move, label)

        def costs(self, state, gold):
            kept.append(gold)
            return super().costs(state, gold)

    walk = Walk(Keeps(), 2)
    walk.costs([2, 0])
    walk.apply("SHIFT")
    assert {repr(own) for own in kept} == {"<a state that is gone>", "<a gold tree that is gone>"}
    for own in kept:
        with pytest.raises(TransitionError, match="gone when the call"):
            _ = own.words
        with pytest.raises(TransitionError, match="gone when the call"):
            _ = own.heads
        if isinstance(own, transitions.State):
            for change in (own.shift, own.pop, lambda own=own: own.add_arc(0, 1, 0)):
                with pytest.raises(TransitionError, match="gone when the call"):
                    change()


def test_a_walk_that_is_asked_by_its_own_system_refuses():
    walks = []

    def legal(self, state):
        if walks:
            walks[0].apply("SHIFT")
        return ArcHybrid.legal(self, state)

    walk = walk_of(legal=legal)
    walks.append(walk)
    with pytest.raises(RuntimeError, match="asked for something by the system that it is asking"):
        walk.legal()
    walks.clear()
    assert [str(move) for move in walk.legal()] == ["SHIFT"]


def test_a_system_may_parse_and_train_while_it_is_asked(few):
    inner = Parser.train(few[:2], system=ArcHybrid(), learner="perceptron", epochs=1)
    calls = []

    def legal(self, state):
        if len(calls) < 3:
            calls.append(inner.parse(few[:2], threads=2).heads.tolist())
            Parser.train(few[:1], system=ArcHybrid(), learner="perceptron", epochs=1)
        return ArcHybrid.legal(self, state)

    mine, built_in = both(few, arc_hybrid_that(legal=legal), learner="perceptron", epochs=1)
    assert same_weights(mine, built_in)
    assert calls[0] == calls[2] == inner.parse(few[:2]).heads.tolist()


def test_a_run_that_is_asked_by_its_own_system_refuses(few):
    runs = []

    def legal(self, state):
        if runs:
            next(iter(runs[0].epochs()))
        return ArcHybrid.legal(self, state)

    runs.append(
        Training(few, options=ParserOptions.of(system=arc_hybrid_that(legal=legal), learner="perceptron"))
    )
    with pytest.raises(OptionError, match="at work already"):
        next(iter(runs[0].epochs()))


@pytest.mark.parametrize("method", ["legal", "costs"])
def test_what_cannot_be_called_is_no_method(method):
    methods = dict.fromkeys(("start", "legal", "apply", "costs", "static", "slots"), print)
    with pytest.raises(TypeError, match="cannot be called"):
        _core.PythonSystem("x", [("A", None)], projective=True, **{**methods, method: 3})


class Mistake(ValueError):
    """A system's own."""


@pytest.mark.parametrize("learner", ["perceptron", "network", "l2s"])
@pytest.mark.parametrize("method", ["start", "legal", "apply", "costs", "slots"])
def test_errors_of_methods_reach_the_caller_as_they_are(few, learner, method):
    error, own = Mistake("what a mistake"), {"bits": 14} if learner == "l2s" else {}

    def fails(self, *_):
        raise error

    with pytest.raises(Mistake) as raised:
        Parser.train(
            few, system=arc_hybrid_that(**{method: fails}), learner=learner, epochs=1, threads=2, **own
        )
    assert raised.value is error


def test_errors_in_other_threads_reach_the_caller_as_they_are(few):
    treebank = Treebank.from_string(few.to_string() * 20)
    parser = Parser.train(few, system=ArcHybrid(), learner="perceptron", epochs=1)
    elsewhere = threading.Event()

    def legal(self, state):
        if threading.current_thread() is not threading.main_thread():
            elsewhere.set()
            raise Mistake("elsewhere")
        elsewhere.wait(0.01)
        return ArcHybrid.legal(self, state)

    options = parser.info.options.changed(system=arc_hybrid_that(legal=legal))
    parser = parser.with_info(replace(parser.info, options=options))
    with pytest.raises(Mistake, match="elsewhere"):
        parser.parse(treebank, threads=4)


def test_an_interrupt_is_heard_in_a_method(few):
    def legal(self, state):
        signal.raise_signal(signal.SIGINT)
        return ArcHybrid.legal(self, state)

    with pytest.raises(KeyboardInterrupt):
        Parser.train(few, system=arc_hybrid_that(legal=legal), learner="perceptron", epochs=1)


def test_a_system_goes_when_nobody_has_it_any_more(few):
    system = ArcHybrid()
    parser = Parser.train(few[:2], system=system, learner="perceptron", epochs=1)
    walk = Walk(system, 2)
    gone = weakref.ref(system)
    del system
    assert gone() is not None
    del parser, walk
    gc.collect()
    assert gone() is None


# Options.


@pytest.mark.parametrize(
    ("system", "says"),
    [
        (ArcHybrid, r"ArcHybrid is a class: write ArcHybrid\(\)"),
        (3, "the name of one, or an arcwise.transitions.System"),
        (type("NoName", (ArcHybrid,), {"name": ""})(), "NoName needs a name that no built-in system has"),
        (type("Taken", (ArcHybrid,), {"name": "arc-eager"})(), "needs a name that no built-in system has"),
        (type("NoMoves", (ArcHybrid,), {"moves": None})(), "does not say which moves it has"),
        (type("Odd", (ArcHybrid,), {"moves": {"SHIFT": "up"}})(), "carries labels of 'up' arcs: choose left"),
        (type("Many", (ArcHybrid,), {"moves": dict.fromkeys("abcdefg")})(), "from 1 to 6 moves, .* has 7"),
        (type("None_", (ArcHybrid,), {"moves": {}})(), "from 1 to 6 moves"),
        (type("Like", (ArcHybrid,), {"features_of": "easy-first"})(), "has the features of 'easy-first'"),
    ],
)
def test_what_is_no_system_is_refused(system, says):
    with pytest.raises(OptionError, match=says):
        ParserOptions.of(system=system)


def test_training_needs_costs(few):
    silent = arc_hybrid_that(costs=System.costs)
    with pytest.raises(OptionError, match="says nothing of costs, and training needs them: write the method"):
        Parser.train(few, system=silent)
    with pytest.raises(TransitionError, match="says nothing of costs"):
        Walk(silent, 2).costs([2, 0])
    assert "says nothing of costs" in str(examine(silent, 3))


def test_options_follow_from_what_a_system_has(few):
    assert ParserOptions.of(system=ArcHybrid(), policy="static").resolved().policy.oracle == "static"
    without = arc_hybrid_that(static=System.static)
    assert ParserOptions.of(system=without, policy="static").resolved().policy.oracle == "nondeterministic"
    with pytest.raises(OptionError, match="There is no static oracle for python-arc-hybrid"):
        Parser.train(few, system=without, policy="static", oracle="static")
    with pytest.raises(OptionError, match="ROOT has one place in python-arc-hybrid"):
        ParserOptions.of(system=ArcHybrid(), root="first")


# Model files.


@pytest.mark.parametrize("learner", ["perceptron", "network", "l2s"])
def test_a_model_file_is_loaded_with_the_system_that_it_needs(few, tmp_path, learner):
    own = {"bits": 14} if learner == "l2s" else {}
    parser = Parser.train(few, system=ArcHybrid(), learner=learner, epochs=1, **own)
    path = tmp_path / "my.model"
    parser.save(path)
    needs = "needs the transition system 'python-arc-hybrid', which is written in Python"
    for opened in (Parser.load, Pipeline.load, load):
        with pytest.raises(ModelError, match=needs + r".*: load it in Python, with Parser.load"):
            opened(path)
        assert opened(path, system=ArcHybrid()).parse(few).to_string() == parser.parse(few).to_string()
    again = tmp_path / "again.model"
    Parser.load(path, system=ArcHybrid()).save(again)
    assert again.read_bytes() == path.read_bytes()


def test_labelled_moves_of_its_own_are_asked_for_in_learning_to_search(few, tmp_path):
    parser = Parser.train(few, system=Attardi(), learner="l2s", epochs=1, bits=14)
    parser.save(tmp_path / "my.model")
    loaded = Parser.load(tmp_path / "my.model", system=Attardi())
    assert loaded.parse(few).to_string() == parser.parse(few).to_string()


def test_another_system_than_the_files_is_refused(few, tmp_path):
    path = tmp_path / "my.model"
    Parser.train(few, system=ArcHybrid(), learner="perceptron", epochs=1).save(path)
    with pytest.raises(
        ModelError, match="needs the transition system 'python-arc-hybrid', and 'attardi' was"
    ):
        Parser.load(path, system=Attardi())
    moves = {"LEFT": "left", "SHIFT": None, "RIGHT": "right", "ROOT": "root"}
    other = type("Other", (ArcHybrid,), {"moves": moves})()
    with pytest.raises(
        ModelError, match=r"of the moves SHIFT, LEFT \(left\), .* and not LEFT \(left\), SHIFT"
    ):
        Parser.load(path, system=other)
    built_in = tmp_path / "built-in.model"
    Parser.train(few, learner="perceptron", epochs=1).save(built_in)
    with pytest.raises(ModelError, match="has the built-in system arc-eager: load it without a system"):
        Parser.load(built_in, system=ArcHybrid())


@pytest.mark.parametrize(
    "described",
    [3, None, {}, {"python": "x"}, {"python": 3, "moves": {}, "projective": True}]
    + [{"python": "x", "moves": moves, "projective": True} for moves in ({}, {"A": "up"}, {"A": 3}, [1])],
)
def test_a_file_that_is_damaged_where_it_describes_its_system_is_refused(few, tmp_path, told, described):
    component = Parser.train(few[:2], system=ArcHybrid(), learner="perceptron", epochs=1).to_component()
    options = {**component.header["options"], "system": described}
    path = tmp_path / "my.model"
    Component("parser", {**component.header, "options": options}, component.arrays).save(path)
    with pytest.raises(ModelError):
        Parser.load(path, system=ArcHybrid())
    sentence, refused = told("info", path)
    assert refused
    assert "damaged" in sentence


def test_the_command_line_tells_of_the_system_and_refuses_to_parse(few, tmp_path, told):
    path = tmp_path / "my.model"
    Parser.train(few, system=ArcHybrid(), learner="perceptron", epochs=1).save(path)
    assert "python-arc-hybrid, written in Python, one word under ROOT" in told("info", path)[0]
    (tmp_path / "text.conllu").write_text(few.to_string(), encoding="utf-8")
    sentence, refused = told("parse", "-m", path, tmp_path / "text.conllu")
    assert refused
    assert "load it in Python, with Parser.load(path, system=…) and that system" in sentence


def test_a_run_is_taken_up_again_with_its_system(few, tmp_path):
    path = tmp_path / "run.checkpoint"

    def training(system):
        return Training(few, dev=few, options=ParserOptions.of(system=system, learner="perceptron", epochs=3))

    whole = training(ArcHybrid()).finish()
    begun = training(ArcHybrid())
    for epoch in begun.epochs():
        begun.save_checkpoint(path)
        if epoch.number == 2:
            break
    resumed = training(ArcHybrid())
    resumed.resume(path)
    assert same_weights(resumed.finish(), whole)
    with pytest.raises(ModelError, match="with other options"):
        training("arc-hybrid").resume(path)
    with pytest.raises(ModelError, match="with other options"):
        training(Attardi()).resume(path)


def test_a_parser_is_updated_with_its_system(few):
    parser = Parser.train(few, system=ArcHybrid(), learner="perceptron", epochs=1, keep_training_state=True)
    assert isinstance(parser.update(few[:1]).info.options.system.name, ArcHybrid)


# Walks.


def test_the_facts_of_systems():
    built_in = {facts.name: facts for facts in transitions.systems()}
    assert list(built_in) == [facts.name for facts in _core.systems()]
    assert "python-arc-hybrid" not in built_in
    mine = ArcHybrid().facts
    assert (mine.left_to_right, mine.dynamic_oracle, mine.static_oracle, mine.projective) == (True,) * 4


def test_a_walk_has_labels_and_goes_back():
    walk = Walk("arc-hybrid", ["She", "eats"], labels=["nsubj", "obj"])
    walk.apply("SHIFT")
    assert [str(move) for move in walk.legal()] == ["SHIFT", "LEFT(nsubj)", "LEFT(obj)"]
    costs = walk.costs([2, 0], ["nsubj", "root"])
    assert {str(move): cost for move, cost in costs.items()} == {
        "SHIFT": 2.0,
        "LEFT(nsubj)": 0.0,
        "LEFT(obj)": 1.0,
    }
    copy = walk.copy()
    walk.apply("LEFT(nsubj)")
    assert (repr(walk), walk.labels) == ("[ROOT | eats | eats→She]", ["nsubj", None])
    assert repr(copy) == "[ROOT She | eats | ]"
    walk.undo()
    assert repr(walk) == repr(copy)
    walk.finish(transitions.policies.static([2, 0]))
    assert (walk.heads, walk.labels, walk.legal()) == ([2, 0], ["nsubj", "root"], [])


def test_policies_walk_to_a_tree_and_correct_ones_to_the_gold_tree(some):
    for system in ("arc-eager", "easy-first", ArcHybrid()):
        for sentence in some[:5]:
            walk = Walk(system, len(sentence))
            walk.finish(transitions.policies.ambiguity(sentence))
            assert walk.heads == sentence.heads.tolist()
            walk = Walk(system, len(sentence))
            walk.finish(transitions.policies.explore(sentence, p=0.5))
            assert None not in walk.heads


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: Walk("arc-weary", 2), "There is no transition system called 'arc-weary'"),
        (lambda: Walk("arc-eager", 2, labels=[]), "Arcs need a label"),
        (lambda: Walk("arc-eager", 2).costs([2]), "The sentence has 2 words"),
        (lambda: Walk("arc-eager", 2).costs([9, 0]), "The head of word 1 is 9: heads go from 0 to 2"),
        (lambda: Walk("arc-eager", 2).undo(), "No move has been made"),
        (lambda: Walk("arc-eager", 0).apply("SHIFT"), "the walk is done"),
        (lambda: Walk("easy-first", 2).static_move([2, 0]), "Easy-first has no static oracle"),
        (lambda: examine("arc-eager", 9), "sentences of 1 to 6 words"),
    ],
)
def test_what_a_walk_cannot_do_is_refused(ask, says):
    with pytest.raises(OptionError, match=says):
        ask()
