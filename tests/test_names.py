"""What the core says of systems, policies and learners, and what Python makes of it."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from arcwise import OptionError, ParserOptions, _core, features, learners, names, network, options
from arcwise.options import NetworkOptions

SOURCES = Path(__file__).resolve().parents[1]


def test_the_facts_of_systems():
    every = {"arc-eager", "arc-standard", "arc-hybrid", "easy-first", "arc-hybrid-swap", "covington"}
    assert {
        fact: set(names.systems_with(fact))
        for fact in (
            "left_to_right",
            "static_oracle",
            "dynamic_oracle",
            "projective",
            "root_first",
            "constraints",
        )
    } == {
        "left_to_right": every - {"easy-first"},
        "static_oracle": every - {"easy-first"},
        "dynamic_oracle": every,
        "projective": every - {"arc-hybrid-swap", "covington"},
        "root_first": {"arc-eager"},
        "constraints": every - {"arc-hybrid-swap", "covington"},
    }


def test_all_systems_that_can_be_built_are_told_of():
    with pytest.raises(ValueError) as refused:
        _core.Walk.start("arc-nonsense", 2, [0], [0])
    told = re.split(", | or ", str(refused.value).partition(": choose ")[2].rstrip("."))
    assert [system.name for system in _core.systems()] == told


def test_the_facts_of_policies_and_learners():
    assert {p.name: (p.leaves_the_gold_path, p.draws, p.follows_ambiguity) for p in _core.policies()} == {
        "static": (False, False, False),
        "ambiguity": (False, False, True),
        "explore": (True, False, False),
        "sample": (True, True, False),
    }
    assert {own.name: (own.probabilistic, own.trains_beams) for own in _core.linear_learners()} == {
        "perceptron": (False, True),
        "adagrad": (True, False),
    }
    assert _core.oracles() == ["static", "nondeterministic", "dynamic"]


def test_options_have_the_names_of_the_core():
    assert options.SYSTEMS == names.SYSTEMS == tuple(system.name for system in _core.systems())
    assert (
        options.LEARNERS
        == learners.LEARNERS
        == tuple(learners._LEARNERS)
        == ("network", "perceptron", "adagrad", "l2s")
    )
    assert options.PROBABILISTIC == ("network", "adagrad")
    with pytest.raises(AttributeError, match="nonsense"):
        _ = options.nonsense


@pytest.fixture
def arc_new(monkeypatch):
    """A left-to-right system that nothing in Python knows by name."""
    own = {
        "left_to_right": True,
        "static_oracle": True,
        "dynamic_oracle": False,
        "root_first": False,
        "projective": True,
    }
    monkeypatch.setitem(names._SYSTEMS, "arc-new", SimpleNamespace(**own))
    monkeypatch.setattr(names, "SYSTEMS", (*names.SYSTEMS, "arc-new"))
    return "arc-new"


def test_a_new_system_has_options_by_its_facts(arc_new):
    chosen = ParserOptions.of(system=arc_new).resolved()
    assert (str(chosen.learner), str(chosen.policy), chosen.policy.oracle) == ("network", "static", "static")
    with pytest.raises(OptionError, match="after a dynamic oracle: arc-new does not"):
        ParserOptions.of(system=arc_new, learner="l2s")
    with pytest.raises(OptionError, match="ROOT has one place in arc-new: only arc-eager takes"):
        ParserOptions.of(system=arc_new, root="first")
    beam = {"learner": "perceptron", "train_beam": 4}
    with pytest.raises(OptionError, match="no dynamic oracle for arc-new"):
        ParserOptions.of(system=arc_new, oracle="dynamic", **beam)
    assert ParserOptions.of(system=arc_new, **beam).resolved().policy.oracle == "nondeterministic"


def test_a_new_system_has_features(arc_new):
    for name in features.SETS:
        templates = features.builtin(name, arc_new)
        features.check(templates, arc_new)
        assert any(template.startswith("S0.form") for template in templates)
    inputs = network.states(NetworkOptions(), arc_new)
    assert {"S0", "N0"} <= set(_core.check_states(inputs))


def test_the_core_speaks_of_options_and_not_of_flags():
    """The same message is read on the command line and in Python."""
    flags = {
        (path.name, literal)
        for folder in ("cpp", "bindings")
        for path in (SOURCES / folder).rglob("*.*")
        for literal in re.findall(r'"(?:[^"\\\n]|\\.)*"', path.read_text(encoding="utf-8"))
        if re.search(r"(?<![\w-])--[a-z]", literal)
    }
    assert flags == set()
