"""What is wrong: classes of errors, confusions, and the worst sentences."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import ArcwiseError, EvaluationError, Parser, Pipeline, Treebank, evaluate
from arcwise.evaluation import confusion, error_classes, tags_used, worst
from arcwise.evaluation.classes import CLASSES
from arcwise.evaluation.drawing import WRONG, draw_compared
from arcwise.evaluation.plot import draw
from treebank_texts import heads_of_trees, sentence

Row = tuple[str, str, int, str]
SEES: list[Row] = [
    ("Ann", "PROPN", 2, "nsubj"),
    ("sees", "VERB", 0, "root"),
    ("the", "DET", 4, "det"),
    ("man", "NOUN", 2, "obj"),
    ("with", "ADP", 6, "case"),
    ("dogs", "NOUN", 4, "nmod"),
    ("and", "CCONJ", 8, "cc"),
    ("cats", "NOUN", 6, "conj"),
    ("who", "PRON", 10, "nsubj"),
    ("sleep", "VERB", 6, "acl:relcl"),
    ("soundly", "ADV", 10, "advmod"),
    (".", "PUNCT", 2, "punct"),
]


def treebank(rows: list[Row]) -> Treebank:
    lines = [f"{i}\t{f}\t_\t{u}\t_\t_\t{h}\t{d}\t_\t_\n" for i, (f, u, h, d) in enumerate(rows, 1)]
    return Treebank.from_string("".join(lines) + "\n", check_trees=False)


def changed(word: int, head: int, label: str | None = None) -> Treebank:
    """The sentence with one word's arc changed; words count from 1."""
    rows = list(SEES)
    form, upos, _, own = rows[word - 1]
    rows[word - 1] = form, upos, head, label or own
    return treebank(rows)


@pytest.mark.parametrize(
    ("system", "name"),
    [
        (changed(12, 4), "punctuation"),
        (changed(4, 2, "iobj"), "label only"),
        (changed(2, 4, "ccomp"), "root"),
        (changed(6, 0, "root"), "root"),
        (changed(8, 4), "coordination"),
        (changed(11, 6, "conj"), "coordination"),
        (changed(6, 2, "obl"), "PP attachment"),
        (changed(10, 4), "clause"),
        (changed(9, 6), "argument"),
        (changed(3, 6), "noun phrase"),
        (changed(11, 2), "modifier"),
        (changed(5, 4), "function word"),
    ],
)
def test_a_wrong_arc_is_of_the_class_that_its_gold_arc_says(system: Treebank, name: str) -> None:
    found = error_classes(treebank(SEES), system)
    assert {kind: row.errors for kind, row in found.items()} == {name: 1}
    assert found[name].las == pytest.approx(100 / len(SEES))
    assert found[name].uas == (0 if name == "label only" else pytest.approx(100 / len(SEES)))


def test_a_genitive_particle_makes_no_prepositional_phrase() -> None:
    def rows(head: int) -> list[Row]:
        mark: Row = ("'s", "PART", 1, "case")
        return [
            ("Ann", "PROPN", head, "nmod:poss"),
            mark,
            ("red", "ADJ", 4, "amod"),
            ("hat", "NOUN", 0, "root"),
        ]

    assert list(error_classes(treebank(rows(4)), treebank(rows(3)))) == ["noun phrase"]


def test_a_word_that_is_left_without_a_head_is_an_error_of_its_own() -> None:
    system = treebank(SEES).with_trees([-1] * len(SEES), [-1] * len(SEES), [])
    assert {name: row.errors for name, row in error_classes(treebank(SEES), system).items()} == {
        "no head": len(SEES)
    }


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Treebank, Treebank]:
    """Two annotations of the same words, either of which may leave heads and labels open."""
    names = ["nsubj", "nmod", "case", "conj", "punct", "root", "acl:relcl"]
    tags = ["NOUN", "ADP", "PART", "PUNCT", "_"]
    sides: list[list[str]] = [[], []]
    for _ in range(draw(st.integers(1, 3))):
        heads = draw(heads_of_trees(max_words=7))
        upos = draw(st.lists(st.sampled_from(tags), min_size=len(heads), max_size=len(heads)))
        others = [draw(st.sampled_from([head, head, 0, 1])) for head in heads]
        for side, own in zip(sides, (heads, others), strict=True):
            labels = [draw(st.sampled_from([*names, "_"])) for _ in own]
            side.append(
                "".join(
                    f"{i}\tw{i}\t_\t{tag}\t_\t_\t{'_' if head is None else head}\t{label}\t_\t_\n"
                    for i, (head, tag, label) in enumerate(zip(own, upos, labels, strict=True), 1)
                )
            )
    gold, system = (Treebank.from_string("\n".join(side) + "\n", check_trees=False) for side in sides)
    return gold, system


@settings(max_examples=30)
@given(pairs())
def test_every_lost_point_of_las_is_in_one_class(pair: tuple[Treebank, Treebank]) -> None:
    evaluation = evaluate(*pair, conll18=False)
    labelled = sum(row.gold for row in evaluation.attachment.relations.values())
    if labelled:
        lost = sum(row.las for row in evaluation.errors.values())
        assert lost == pytest.approx(100 - evaluation.attachment.las)
        assert sum(row.share for row in evaluation.errors.values()) == pytest.approx(100 if lost else 0)
    assert set(evaluation.errors) <= set(CLASSES)
    counts = [row.errors for row in evaluation.errors.values()]
    assert counts == sorted(counts, reverse=True)


def words_of(pair: tuple[Treebank, Treebank]) -> list[tuple[object, object]]:
    gold, system = pair
    return [(w, o) for s, t in zip(gold, system, strict=True) for w, o in zip(s, t, strict=True)]


@settings(max_examples=30)
@given(pairs())
def test_confusions_are_counted_word_by_word(pair: tuple[Treebank, Treebank]) -> None:
    def tag(word, head):
        return "_" if head is None else word.sentence[head - 1].upos if head else "ROOT"

    both = words_of(pair)
    expected = {
        "deprel": Counter(
            (w.deprel, o.deprel or "_", w.deprel == o.deprel)
            for w, o in both
            if w.head is not None and w.deprel is not None
        ),
        "upos": Counter((w.upos, o.upos, w.upos == o.upos) for w, o in both if w.upos != "_"),
        "head-upos": Counter(
            (tag(w, w.head), tag(w, o.head), w.head == o.head) for w, o in both if w.head is not None
        ),
    }
    for of, counts in expected.items():
        found = confusion(*pair, of)
        wrong = Counter({key[:2]: n for key, n in counts.items() if not key[2]})
        assert {(gold, system): n for gold, system, n in found.most_frequent()} == wrong
        right = Counter()
        for key, n in counts.items():
            right[key[0]] += n * key[2]
        assert dict(zip(found.names, found.right.tolist(), strict=True)) == {n: right[n] for n in found.names}
        assert (found.words, found.errors) == (counts.total(), wrong.total())


def test_there_are_three_kinds_of_confusion() -> None:
    with pytest.raises(EvaluationError, match="choose one of deprel, upos, head-upos"):
        confusion(treebank(SEES), treebank(SEES), "lemma")


def test_a_table_of_confusion_is_bounded() -> None:
    many = treebank([("w", "X", 0, f"label{number}") for number in range(2001)])
    with pytest.raises(EvaluationError, match="2,002 different names of deprel, and a table has 2,000"):
        confusion(many, many)


@settings(max_examples=30)
@given(pairs(), st.integers(1, 4))
def test_the_worst_sentences_have_the_most_errors(pair: tuple[Treebank, Treebank], count: int) -> None:
    gold, system = pair
    wrong = [
        sum(
            w.head is not None and w.deprel is not None and (w.head, w.deprel) != (o.head, o.deprel)
            for w, o in zip(one, other, strict=True)
        )
        for one, other in zip(gold, system, strict=True)
    ]
    found = worst(gold, system, count)
    assert [errors.errors for errors in found] == [n for n in sorted(wrong, reverse=True) if n][:count]
    for errors in found:
        assert errors.errors == wrong[errors.index] == sum(name is not None for name in errors.classes)
        assert len(errors.classes) == len(gold[errors.index])


def test_gold_and_system_are_drawn_side_by_side(golden: Callable[[str, str], None]) -> None:
    gold, system = treebank(SEES), changed(6, 2, "obl")
    errors = worst(gold, system, 1)[0]
    wide = draw_compared(gold[0], system[0], errors.classes)
    narrow = draw_compared(gold[0], system[0], errors.classes, width=50)
    golden("draw-compared", f"{wide}\n\n{narrow}\n")
    assert max(map(len, narrow.split("\n"))) <= 50 < max(map(len, wide.split("\n")))
    assert next(line for line in wide.split("\n") if WRONG in line).startswith("6  dogs")
    colored = draw_compared(gold[0], system[0], errors.classes, color=True)
    assert "\x1b[1;31m✗ PP attachment" in colored


def test_an_evaluation_is_shown_in_a_line_and_names_its_system(garden_dev: Treebank) -> None:
    parser = Parser.train(garden_dev[:5], learner="perceptron", epochs=1)
    evaluation = parser.evaluate(garden_dev)
    assert evaluation.gold == garden_dev.source
    assert evaluation.system == repr(parser)
    for value in (evaluation, evaluation.attachment, evaluation.attachment.no_punct, evaluation.conll18):
        assert len(repr(value)) < 250 and "\n" not in repr(value)
    assert f"LAS {evaluation.attachment.las:.2f}" in repr(evaluation)
    assert Pipeline(parser=parser).evaluate(garden_dev).system == "<Pipeline: parser>"


def test_an_evaluation_says_which_tags_the_parser_knows(garden_dev: Treebank) -> None:
    some = garden_dev[:5]
    by_tags = Parser.train(some, learner="perceptron", epochs=1)
    found = Pipeline(parser=by_tags).evaluate(some).tags
    assert found is not None and found.to_dict() == {"trained": "gold", "given": "gold"}
    bare = Parser.train(some.without("lemma", "upos", "xpos", "feats"), epochs=1)
    assert str(tags_used(Pipeline(parser=bare), some, None)) == (
        "The parser was trained with no tags, and was given no tags."
    )
    jackknifed = Pipeline(parser=by_tags, about={"tags": "predicted"})
    assert str(tags_used(jackknifed, some, None)) == (
        "The parser was trained with predicted tags, and was given the tags of the gold file."
    )
    assert tags_used(Pipeline(), some, None) is None


def test_a_model_with_a_tagger_is_given_its_tags_or_none(garden_dev: Treebank) -> None:
    some = garden_dev[:10]
    together = Pipeline.train(some, components=["tagger", "parser"], epochs=1)
    apart = Pipeline(tagger=together.tagger, parser=Parser.train(some, learner="perceptron", epochs=1))
    assert [tags_used(apart, some, start).given for start in (None, "tokens", "tags")] == [
        "predicted", "predicted", "gold",
    ]  # fmt: skip
    assert [tags_used(each, some, None).trained for each in (together, apart)] == ["shared", "unknown"]
    assert tags_used(together, some, None).given == "none"
    assert tags_used(together, some, "tags").given == "gold"


def test_without_matplotlib_no_confusion_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ArcwiseError, match=r"arcwise\[plot\]"):
        draw([confusion(treebank(SEES), treebank(SEES))], str(tmp_path / "a.svg"))
    assert not list(tmp_path.iterdir())


def test_the_names_that_are_most_confused_are_kept() -> None:
    gold = Treebank.from_string(sentence(0, 1, 1, 1))
    system = gold.with_trees([0, 1, 1, 1], [0, 1, 1, 2], ["dep", "obj", "iobj"])
    found = confusion(gold, system).most_confused(2)
    assert found.names == ["dep", "obj"]
    assert np.array_equal(found.wrong, [[0, 2], [0, 0]])
