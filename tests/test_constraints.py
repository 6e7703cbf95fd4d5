"""Parsing under constraints: every parser honours them, by every search, and says what contradicts what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import ConstraintError, Constraints, Parser, Sentence, Treebank
from arcwise.options import LEARNERS
from conftest import GARDEN
from constrained import (
    HEAD,
    NOT_HEAD,
    SUBTREE,
    Constraint,
    all_trees,
    any_constraints,
    satisfies,
    subtrees_of,
)
from walks import SYSTEMS, is_tree, random_projective_heads

LACK = {"easy-first": ("network", "l2s"), "arc-standard": ("l2s",)}
SETTINGS = [
    (*system, learner) for system in SYSTEMS for learner in LEARNERS if learner not in LACK.get(system[0], ())
]
each_setting = pytest.mark.parametrize(("system", "root_first", "learner"), SETTINGS)
each_root = pytest.mark.parametrize("single_root", [True, False])
UNKNOWN = "unheard-of"
LABELS = ["det", "nsubj", "obj", "punct", UNKNOWN]
"""Labels of arcs from words, and one that no parser here knows."""


@cache
def trained(system: str, root_first: bool, learner: str, single_root: bool = True) -> Parser:
    """A parser that has learnt too little to want the trees that are asked for."""
    treebank = Treebank.read(GARDEN / "train.conllu")[:20]
    root = "first" if root_first else "last"
    return Parser.train(
        treebank,
        system=system,
        root=root,
        learner=learner,
        single_root=single_root,
        alpha=0.03,
        bits=16,
        epochs=1,
    )


@cache
def vocabulary() -> list[tuple[str, str]]:
    dev = Treebank.read(GARDEN / "dev.conllu")
    return sorted({(token.form, token.upos) for sentence in dev for token in sentence})


@st.composite
def texts(draw: st.DrawFn, words: int) -> Treebank:
    forms, upos = zip(*(draw(st.sampled_from(vocabulary())) for _ in range(words)), strict=True)
    return Treebank.from_words([forms], upos=[upos])


def parses(parser: Parser, text: Treebank, constraints: Constraints) -> Iterator[Sentence]:
    """By every search that the parser has."""
    yield parser.parse(text, constraints=[constraints])[0]
    if parser.info.options.system != "easy-first" and parser.info.options.learner != "l2s":
        yield parser.parse(text, constraints=[constraints], beam=3)[0]
        yield from (sentence for sentence, _ in parser.nbest(text, 3, constraints=[constraints])[0])


def demand(sentence: Sentence, constraints: Constraints, single_root: bool) -> None:
    heads = sentence.heads.tolist()
    assert is_tree(heads)
    assert not single_root or heads.count(0) == 1
    assert {word: heads[word - 1] for word in constraints.heads} == constraints.heads
    assert {word: sentence[word - 1].deprel for word in constraints.labels} == constraints.labels
    assert not {(head, word) for word, head in enumerate(heads, 1)} & set(constraints.forbidden)
    assert set(constraints.subtrees) <= {*subtrees_of(heads), (1, len(heads))}


@st.composite
def trees(draw: st.DrawFn, max_words: int, single_root: bool) -> list[int]:
    """Any, most of them not projective: words come under ROOT or a word that has come before."""
    words = draw(st.integers(1, max_words))
    order = draw(st.permutations(range(1, words + 1)))
    heads = [0] * words
    for place, word in enumerate(order[1:], 1):
        heads[word - 1] = draw(st.sampled_from(order[:place] if single_root else [0, *order[:place]]))
    return heads


@st.composite
def constraints_from(draw: st.DrawFn, heads: Sequence[int]) -> Constraints:
    """Some of what is true of a tree."""
    words = range(1, len(heads) + 1)
    some = st.sets(st.sampled_from(words), max_size=len(heads))
    arcs = {
        (head, word)
        for word in words
        for head in range(len(heads) + 1)
        if head not in (word, heads[word - 1])
    }
    spans = sorted(set(subtrees_of(heads)))
    return Constraints(
        heads={word: heads[word - 1] for word in draw(some)},
        labels={
            word: draw(st.sampled_from(LABELS if heads[word - 1] else ["root", UNKNOWN]))
            for word in draw(some)
        },
        forbidden=draw(st.lists(st.sampled_from(sorted(arcs)), max_size=6)) if arcs else [],
        subtrees=draw(st.lists(st.sampled_from(spans), max_size=3)) if spans else [],
    )


# What is honoured


@each_root
@each_setting
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_what_is_true_of_a_tree_is_true_of_the_parse(system, root_first, learner, single_root, data):
    parser = trained(system, root_first, learner, single_root)
    heads = data.draw(st.one_of(random_projective_heads(9, single_root), trees(9, single_root)))
    text, constraints = data.draw(texts(len(heads))), data.draw(constraints_from(heads))
    for sentence in parses(parser, text, constraints):
        demand(sentence, constraints, single_root)


@each_root
@each_setting
@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_a_whole_tree_comes_out_as_it_is(system, root_first, learner, single_root, data):
    parser = trained(system, root_first, learner, single_root)
    heads = data.draw(trees(10, single_root))
    text, labels = (
        data.draw(texts(len(heads))),
        data.draw(st.lists(st.integers(0, 4), min_size=10, max_size=10)),
    )
    whole = text.with_trees(heads, labels[: len(heads)], LABELS)
    for sentence in parses(parser, whole, Constraints.from_tree(whole[0])):
        assert sentence.to_string() == whole[0].to_string()


# What contradicts what


def in_words(constraints: Sequence[Constraint]) -> Constraints:
    given = Constraints({}, {}, [], [])
    for kind, word, value in constraints:
        if kind == HEAD:
            given.heads[word] = value
        elif kind == NOT_HEAD:
            given.forbidden.append((value, word))
        else:
            given.subtrees.append((word, value))
    return given


def named(message: str) -> list[Constraint]:
    """The constraints that an error tells of."""
    patterns = {
        HEAD: r"word (\d+) has head (\d+)",
        NOT_HEAD: r"word (\d+) does not have head (\d+)",
        SUBTREE: r"words (\d+) to (\d+) are a subtree",
    }
    found = [
        (kind, int(w), int(v)) for kind, pattern in patterns.items() for w, v in re.findall(pattern, message)
    ]
    return found + [(SUBTREE, int(w), int(w)) for w in re.findall(r"word (\d+) is a subtree", message)]


@each_root
@settings(deadline=None, max_examples=300)
@given(data=st.data(), words=st.integers(1, 5))
def test_what_no_tree_satisfies_is_refused_and_nothing_else(single_root, data, words):
    parser = trained("arc-eager", False, "perceptron", single_root)
    drawn = data.draw(any_constraints(words))
    heads = {word for kind, word, _ in drawn if kind == HEAD}
    drawn = [c for i, c in enumerate(drawn) if c[0] != HEAD or all(c[:2] != other[:2] for other in drawn[:i])]
    text = data.draw(texts(words))

    def possible(constraints: Sequence[Constraint]) -> bool:
        return any(satisfies(tree, constraints) for tree in all_trees(words, single_root))

    if possible(drawn):
        for sentence in parses(parser, text, in_words(drawn)):
            demand(sentence, in_words(drawn), single_root)
            assert heads <= set(range(1, words + 1))
        return
    with pytest.raises(ConstraintError, match="^<words>:1: no tree satisfies these constraints: ") as error:
        parser.parse(text, constraints=[in_words(drawn)])
    contradiction = named(str(error.value))
    assert set(contradiction) <= set(drawn)
    assert not possible(contradiction)
    assert all(possible([*contradiction[:i], *contradiction[i + 1 :]]) for i in range(len(contradiction)))
    of_root = single_root and any(satisfies(tree, contradiction) for tree in all_trees(words, False))
    assert ("one word under ROOT" in str(error.value)) == of_root
