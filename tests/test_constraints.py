"""Parsing under constraints: every parser honours them, by every search, and says what contradicts what."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import ConstraintError, Constraints, OptionError, Parser, Sentence, Treebank
from arcwise.options import LEARNERS, PROBABILISTIC
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
from walks import ANY_TREE, SYSTEMS, is_tree, random_projective_heads

LACK = {"easy-first": ("network", "l2s")}
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
        epochs=1,
        **{"adagrad": {"alpha": 0.03}, "l2s": {"bits": 16}}.get(learner, {}),
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
    if parser.info.options.system.name != "easy-first" and parser.info.options.learner.name != "l2s":
        yield parser.parse(text, constraints=[constraints], beam=3)[0]
        yield from (sentence for sentence, _ in parser.nbest(text, 3, constraints=[constraints])[0])
        if parser.info.options.learner.name in PROBABILISTIC:
            drawn = parser.nbest(text, 10, samples=10, constraints=[constraints])[0]
            yield from (sentence for sentence, _ in drawn)


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
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_what_is_true_of_a_tree_is_true_of_the_parse(system, root_first, learner, single_root, data):
    parser = trained(system, root_first, learner, single_root)
    heads = data.draw(st.one_of(random_projective_heads(9, single_root), trees(9, single_root)))
    text, constraints = data.draw(texts(len(heads))), data.draw(constraints_from(heads))
    for sentence in parses(parser, text, constraints):
        demand(sentence, constraints, single_root)


@each_root
@each_setting
@settings(deadline=None, max_examples=10)
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
@settings(deadline=None, max_examples=150)
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
    with pytest.raises(ConstraintError, match=r"^<words>:1: no tree satisfies these constraints: ") as error:
        parser.parse(text, constraints=[in_words(drawn)])
    contradiction = named(str(error.value))
    assert set(contradiction) <= set(drawn)
    assert not possible(contradiction)
    assert all(possible([*contradiction[:i], *contradiction[i + 1 :]]) for i in range(len(contradiction)))
    of_root = single_root and any(satisfies(tree, contradiction) for tree in all_trees(words, False))
    assert ("one word under ROOT" in str(error.value)) == of_root


@pytest.mark.parametrize(
    ("constraints", "contradiction"),
    [
        (
            Constraints(heads={1: 2, 2: 3, 3: 1, 5: 4}),
            "word 1 has head 2, word 2 has head 3 and word 3 has head 1;",
        ),
        (
            Constraints(subtrees=[(1, 3), (2, 5)]),
            "words 1 to 3 are a subtree and words 2 to 5 are a subtree;",
        ),
        (
            Constraints(heads={4: 0}, labels={2: "root", 3: "det"}),
            "word 4 has head 0 and word 2 has the label root (this parser puts one word under ROOT);",
        ),
        (
            Constraints(labels=dict.fromkeys(range(1, 6), "det")),
            " and ".join(
                [", ".join(f"word {w} has the label det" for w in range(1, 5)), "word 5 has the label det;"]
            ),
        ),
    ],
)
def test_a_contradiction_is_named_in_a_sentence(constraints, contradiction):
    parser = trained("arc-eager", False, "perceptron")
    with pytest.raises(ConstraintError) as error:
        parser.parse([["a", "b", "c", "d", "e"]], constraints=[constraints])
    beginning, end = "<words>:1: no tree satisfies these constraints: ", " change or drop one of them"
    assert str(error.value) == beginning + contradiction + end


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_sentence_that_contradicts_itself_is_named(threads, garden_dev):
    treebank = garden_dev.select([*range(len(garden_dev))] * 4)
    constraints = [Constraints(heads={1: 2, 2: 1}) if i % 70 == 69 else None for i in range(len(treebank))]
    with pytest.raises(ConstraintError, match=f"sentence {treebank[69].id}: no tree"):
        trained("arc-eager", False, "perceptron").parse(treebank, constraints=constraints, threads=threads)


# Labels


def test_a_label_of_roots_makes_the_root_and_one_of_others_does_not():
    parser = trained("arc-eager", False, "perceptron")
    words = [["one", "two", "three", "four"]]
    for word in range(1, 5):
        [root] = parser.parse(words, constraints=[Constraints(labels={word: "root"})])
        assert root.heads.tolist().index(0) == word - 1
        others = {other: "det" for other in range(1, 5) if other != word}
        [root] = parser.parse(words, constraints=[Constraints(labels=others)])
        assert root.heads.tolist().index(0) == word - 1


def test_a_head_that_is_given_takes_any_label():
    parser = trained("arc-eager", False, "perceptron")
    given = Constraints(heads={1: 0, 2: 1}, labels={1: "det", 2: "root"})
    [sentence] = parser.parse([["one", "two"]], constraints=[given])
    assert [(token.head, token.deprel) for token in sentence] == [(0, "det"), (1, "root")]


# What is lifted


def test_words_are_not_lowered_to_heads_that_they_must_not_have():
    crossing = Treebank.from_words([["a", "hearing", "is", "scheduled", "on", "it", "today"]] * 3)
    treebank = crossing.with_trees([2, 4, 4, 0, 2, 5, 4] * 3, [0, 1, 2, 3, 4, 5, 6] * 3, list("abcrdef"))
    parser = Parser.train(treebank, learner="adagrad", epochs=10)
    assert parser.parse(treebank[:1]).heads.tolist() == [2, 4, 4, 0, 2, 5, 4]

    def head_of_on(**given) -> int:
        return parser.parse(treebank[:1], constraints=[Constraints(**given)])[0][4].head

    assert head_of_on(forbidden=[(1, 5)]) == 2
    assert head_of_on(forbidden=[(2, 5)]) == 4
    assert head_of_on(subtrees=[(1, 2)]) == 4
    assert head_of_on(heads={5: 4}) == 4
    assert head_of_on(heads={5: 2}) == 2


# What stays as it was


@each_setting
def test_sentences_without_constraints_are_parsed_as_ever(system, root_first, learner, garden_dev):
    parser = trained(system, root_first, learner)
    as_ever = parser.parse(garden_dev)
    assert parser.parse(garden_dev, constraints=lambda sentence: None).to_bytes() == as_ever.to_bytes()
    some = [Constraints(heads={1: 0}) if i % 2 else Constraints() for i in range(len(garden_dev))]
    mixed = parser.parse(garden_dev, constraints=some)
    for i, (sentence, before) in enumerate(zip(mixed, as_ever, strict=True)):
        assert sentence.heads[0] == 0 if i % 2 else sentence.to_string() == before.to_string()


@each_setting
def test_threads_do_not_change_the_trees(system, root_first, learner, garden_dev):
    parser = trained(system, root_first, learner)
    treebank = garden_dev.select([*range(len(garden_dev))] * 3)
    assert len(treebank) > 64, "there is more than one share"

    def given(sentence: Sentence) -> Constraints:
        return Constraints(heads={2: 1}, forbidden=[(0, 1)], subtrees=[(1, 3)])

    one, three = (parser.parse(treebank, constraints=given, threads=threads) for threads in (1, 3))
    assert one.to_bytes() == three.to_bytes()


@pytest.mark.parametrize(("system", "root_first"), SYSTEMS)
def test_long_sentences_take_constraints_too(system, root_first, garden_dev):
    parser = trained(system, root_first, "perceptron")
    words = [garden_dev.column("form")[i % 200] for i in range(400)]
    given = Constraints(heads={7: 9, 150: 149}, forbidden=[(1, 2)], subtrees=[(200, 230), (201, 204)])
    demand(parser.parse([words], constraints=[given])[0], given, single_root=True)


# Where constraints come from


@pytest.mark.parametrize("beam", [None, 2])
@pytest.mark.parametrize("every", [2000, 10])
@pytest.mark.parametrize(("system", "root_first"), [s for s in SYSTEMS if s[0] != "easy-first"])
def test_the_work_grows_with_the_length_of_a_sentence_and_no_faster(system, root_first, every, beam):
    # A table over all words, asked in every state, would take hours.
    parser = trained(system, root_first, "perceptron")
    words = 8_000 if beam is None else 2_000
    forms, upos = zip(*itertools.islice(itertools.cycle(vocabulary()), words), strict=True)
    places = range(every // 2, words - 10, every)
    constraints = Constraints(
        heads={place: place + 1 for place in places},
        labels={place + 2: "nsubj" for place in places},
        forbidden=[(place + 3, place + 4) for place in places],
        subtrees=[(place + 5, place + 7) for place in places],
    )
    [sentence] = parser.parse(Treebank.from_words([forms], upos=[upos]), constraints=[constraints], beam=beam)
    heads = sentence.heads.tolist()
    assert is_tree(heads)
    for place in places:
        assert heads[place - 1] == place + 1
        assert heads[place + 1] != 0
        assert heads[place + 3] != place + 3
        inside = heads[place + 4 : place + 7]
        assert sum(not place + 5 <= head <= place + 7 for head in inside) == 1
        assert not any(
            place + 5 <= head <= place + 7 for head in heads[: place + 4] + heads[place + 7 : place + 50]
        )


def test_misc_says_what_must_be():
    misc = ["SpaceAfter=No|FixedHead=3", "NotHead=0,1|FixedDeprel=aux:pass", "_", "Subtree=1-2,4-4|Gloss=x"]
    [sentence] = Treebank.from_words([["a", "b", "c", "d"]], misc=[misc])
    assert Constraints.from_misc(sentence) == Constraints(
        heads={1: 3}, labels={2: "aux:pass"}, forbidden=[(0, 2), (1, 2)], subtrees=[(1, 2), (4, 4)]
    )


def test_a_tree_in_parts_is_completed():
    treebank = Treebank.from_words([["a", "b", "c"]]).with_trees([-1, 0, -1], [-1, 0, 1], ["x", "y"])
    constraints = Constraints.from_tree(treebank[0])
    assert constraints == Constraints(heads={2: 0}, labels={2: "x", 3: "y"})
    [sentence] = trained("arc-hybrid", False, "perceptron").parse(treebank, constraints=[constraints])
    assert sentence[1].head == 0 and [token.deprel for token in sentence][1:] == ["x", "y"]


def test_constraints_from_two_places_hold_together():
    both = Constraints(heads={1: 2}, forbidden=[(1, 3)]) | Constraints(heads={1: 2, 3: 0}, subtrees=[(1, 2)])
    assert both == Constraints({1: 2, 3: 0}, {}, [(1, 3)], [(1, 2)])
    with pytest.raises(ConstraintError, match="word 1 cannot have both the head 2 and the head 3"):
        Constraints(heads={1: 2}) | Constraints(heads={1: 3})
    with pytest.raises(ConstraintError, match="word 1 cannot have both the label a and the label b"):
        Constraints(labels={1: "a"}) | Constraints(labels={1: "b"})


@pytest.mark.parametrize(
    ("constraints", "reason"),
    [
        (Constraints(heads={4: 1}), "there is no word 4: the sentence's words are 1 to 3"),
        (Constraints(heads={1: 4}), "there is no word 4"),
        (Constraints(heads={0: 1}), "there is no word 0"),
        (Constraints(forbidden=[(-1, 2)]), "there is no word -1"),
        (Constraints(heads={2: 2}), "word 2 cannot be its own head"),
        (Constraints(subtrees=[(3, 2)]), "a subtree cannot begin at word 3 and end at 2"),
        (Constraints(subtrees=[(0, 2)]), "there is no word 0"),
        (Constraints(labels={1: ""}), "word 1 cannot have the label ''"),
        (Constraints(labels={1: "_"}), "word 1 cannot have the label '_'"),
        (Constraints(labels={1: "a\tb"}), "word 1 cannot have the label"),
    ],
)
def test_constraints_that_do_not_fit_their_sentence_are_refused(constraints, reason):
    parser = trained("arc-eager", False, "perceptron")
    with pytest.raises(ConstraintError, match=f"^<words>:3: {reason}"):
        parser.parse([["first"], ["a", "b", "c"]], constraints=[None, constraints])


@pytest.mark.parametrize("entry", ["FixedHead=x", "FixedHead", "NotHead=1;2", "Subtree=3", "Subtree=1-2-3"])
def test_what_cannot_be_read_in_misc_is_refused(entry):
    treebank = Treebank.from_words([["a", "b", "c"]], misc=[["_", entry, "_"]])
    with pytest.raises(ConstraintError, match=f"^<words>:1: word 2 has {entry}=? in MISC; write FixedHead=3"):
        trained("arc-eager", False, "perceptron").parse(treebank, constraints=Constraints.from_misc)


@pytest.mark.parametrize("number", ["1_0", " 1", "٣", "+1", "01", "1.0", "", "9" * 10, "9" * 5000])
def test_numbers_in_misc_are_plain_figures(number):
    for entry in (f"FixedHead={number}", f"NotHead=1,{number}", f"Subtree={number}-3"):
        [sentence] = Treebank.from_words([["a", "b", "c"]], misc=[["_", entry, "_"]])
        with pytest.raises(ConstraintError, match="with the numbers of words"):
            Constraints.from_misc(sentence)


def test_what_misc_says_twice_must_agree():
    def read(misc):
        return Constraints.from_misc(Treebank.from_words([["a", "b", "c"]], misc=[["_", misc, "_"]])[0])

    assert read("FixedHead=1|FixedHead=1|FixedDeprel=x|FixedDeprel=x") == Constraints(
        {2: 1}, {2: "x"}, [], []
    )
    with pytest.raises(ConstraintError, match="word 2 has both FixedHead=1 and FixedHead=3 in MISC"):
        read("FixedHead=1|FixedHead=3")
    with pytest.raises(ConstraintError, match="both FixedDeprel=x and FixedDeprel=y"):
        read("FixedDeprel=x|FixedDeprel=y")


def test_other_misuse_is_refused(garden_dev):
    parser = trained("arc-eager", False, "perceptron")
    with pytest.raises(ConstraintError, match="constraints for 1 sentences, but 2 to parse"):
        parser.parse([["a"], ["b"]], constraints=[None])
    conllx = Treebank.from_string(garden_dev[:1].to_string("conllx"), format="conllx")
    with pytest.raises(ConstraintError, match="MISC, which CoNLL-X has not"):
        parser.parse(conllx, constraints=Constraints.from_misc)


def test_trees_of_a_whole_treebank_are_kept_as_those_of_its_sentences(garden_dev):
    heads, labels = garden_dev.heads.copy(), garden_dev.labels.copy()
    heads[::2] = labels[::3] = -1
    half = garden_dev.with_trees(heads, labels, [*garden_dev.label_names[:-1], UNKNOWN])
    parser = trained("arc-eager", False, "perceptron")
    whole = parser.parse(half, constraints=Constraints.from_tree)
    assert (
        parser.parse(half, constraints=[Constraints.from_tree(s) for s in half]).to_bytes()
        == whole.to_bytes()
    )
    assert (whole.heads == heads)[heads >= 0].all()


@pytest.mark.parametrize("estimator", ["moves", "samples"])
@pytest.mark.parametrize("beam", [None, 3])
@pytest.mark.parametrize("learner", PROBABILISTIC)
def test_what_is_given_is_certain_and_the_rest_is_not(learner, beam, estimator, garden_dev):
    parser = trained("arc-eager", False, learner)
    heads, labels = garden_dev.heads.copy(), garden_dev.labels.copy()
    heads[::2] = -1
    labels[::3] = -1
    half = garden_dev.with_trees(heads, labels, garden_dev.label_names)
    how = {"beam": beam, "constraints": Constraints.from_tree}
    plain, sure = parser.parse(half, **how), parser.parse(half, probabilities=estimator, **how)
    assert sure.heads.tolist() == plain.heads.tolist()
    assert sure.labels.tolist() == plain.labels.tolist()
    tokens = [token for sentence in sure for token in sentence]
    free = [token for token, head in zip(tokens, heads, strict=True) if head < 0]
    assert all(token.head_prob == 1 for token, head in zip(tokens, heads, strict=True) if head >= 0)
    assert all(
        token.deprel_prob == token.head_prob
        for token, label in zip(tokens, labels, strict=True)
        if label >= 0
    )
    assert any(token.head_prob < 0.9 for token in free)
    assert all(0 <= token.deprel_prob <= token.head_prob for token in tokens)
    without = parser.parse(half, beam=beam, probabilities=estimator)
    assert [token.head_prob for sentence in without for token in sentence] != [t.head_prob for t in tokens]


def test_easy_first_has_no_probabilities_under_constraints(garden_dev):
    parser = trained("easy-first", False, "adagrad")
    with pytest.raises(OptionError, match="under constraints"):
        parser.parse(garden_dev, probabilities="moves", constraints=Constraints.from_tree)


@pytest.mark.parametrize("system", [system for system, _ in ANY_TREE])
def test_systems_for_any_tree_refuse_constraints_and_name_those_that_do_not(system, garden_dev):
    parser = trained(system, False, "perceptron")
    with pytest.raises(
        OptionError, match="another system, arc-eager, arc-standard, arc-hybrid or easy-first"
    ):
        parser.parse(garden_dev, constraints=Constraints.from_tree)
