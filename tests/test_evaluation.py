"""Evaluation: the CoNLL 2018 metrics, the papers' scores, and the tables that show them."""

from __future__ import annotations

import doctest
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from arcwise.errors import EvaluationError, TreebankError
from arcwise.evaluation import (
    attachment,
    attachment_scores,
    conll18_scores,
    evaluate,
    punctuation_mask,
    render,
    vocabulary_scores,
)
from arcwise.evaluation.conll18 import METRICS

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def conllu(*sentences: str) -> str:
    """CoNLL-U from lines with spaces between columns; columns missing at the end are `_`."""
    lines = []
    for sentence in sentences:
        for line in sentence.strip().splitlines():
            columns = line.split()
            lines.append("\t".join(columns + ["_"] * (10 - len(columns))))
        lines.append("")
    return "\n".join(lines) + "\n"


def tokens(*forms: str) -> str:
    """One sentence of tokens; `ab a b` is the multiword token ab of the words a and b."""
    lines: list[str] = []
    word = 0
    for token in forms:
        form, *parts = token.split()
        if parts:
            lines.append(f"{word + 1}-{word + len(parts)} {form}")
        for part in parts or [form]:
            word += 1
            lines.append(f"{word} {part} _ _ _ _ {0 if word == 1 else 1} dep")
    return conllu("\n".join(lines))


# The CoNLL 2018 metrics. The counts (correct, gold, system, aligned) are those of the shared task's
# own script on the same texts.

CATS = conllu("""
1 The the DET DT Definite=Def|PronType=Art 3 det
2 old old ADJ JJ Degree=Pos 3 amod
3 cats cat NOUN NNS Number=Plur 5 nsubj
4 have have AUX VBP Mood=Ind|Tense=Pres|VerbForm=Fin 5 aux
5 slept sleep VERB VBN Tense=Past|VerbForm=Part 0 root
6 in in ADP IN _ 8 case
7 their they PRON PRP$ Case=Gen|Poss=Yes 8 nmod:poss
8 beds bed NOUN NNS Number=Plur|Fancy=Yes 5 obl
9 . _ PUNCT . _ 5 punct
""")

CATS_PARSED = conllu("""
1 The the DET DT PronType=Art|Definite=Def 3 det
2 old old NOUN JJ Degree=Pos 3 compound
3 cats cats NOUN NNS Number=Plur 5 nsubj:outer
4 have have VERB VBP Mood=Ind|Tense=Pres|VerbForm=Fin 5 aux
5 slept sleep VERB VBD Tense=Past|VerbForm=Part 0 root
6 in in ADP IN _ 8 case
7 their their PRON PRP$ Case=Gen|Poss=Yes 8 nmod
8 beds bed NOUN NN Number=Plur 3 obl
9 . full-stop PUNCT . _ 8 punct
""")

CATS_COUNTS = {
    "Tokens": (9, 9, 9, None),
    "Sentences": (1, 1, 1, None),
    "Words": (9, 9, 9, None),
    "UPOS": (7, 9, 9, 9),
    "XPOS": (7, 9, 9, 9),
    "UFeats": (9, 9, 9, 9),
    "AllTags": (5, 9, 9, 9),
    "Lemmas": (7, 9, 9, 9),
    "UAS": (7, 9, 9, 9),
    "LAS": (6, 9, 9, 9),
    "CLAS": (3, 5, 5, 5),
    "MLAS": (2, 5, 5, 5),
    "BLEX": (1, 5, 5, 5),
}

CHAT = conllu(
    """
1 Il il PRON _ _ 2 nsubj
2 parle parler VERB _ _ 0 root
3-4 du
3 de de ADP _ _ 5 case
4 le le DET _ _ 5 det
5 chat chat NOUN _ _ 2 obl:arg
6 noir noir ADJ _ _ 5 amod
""",
    """
1 Elle elle PRON _ _ 2 nsubj
2 dort dormir VERB _ _ 0 root
3 aujourd'hui aujourd'hui ADV _ _ 2 advmod
""",
)

CHAT_PARSED = conllu(
    """
1 Il il PRON _ _ 2 nsubj
2 parle parler VERB _ _ 0 root
3 du de ADP _ _ 4 case
4 chatnoir chat NOUN _ _ 2 obl
5-6 Elle
5 el il PRON _ _ 7 nsubj
6 Elle elle PRON _ _ 7 nsubj
7 dort dormir VERB _ _ 2 conj
""",
    """
1 aujourd aujourd' ADV _ _ 0 root
2 'hui hui NOUN _ _ 1 flat
""",
)

CHAT_COUNTS = {
    "Tokens": (5, 8, 8, None),
    "Sentences": (0, 2, 2, None),
    "Words": (4, 9, 9, None),
    "UPOS": (4, 9, 9, 4),
    "XPOS": (4, 9, 9, 4),
    "UFeats": (4, 9, 9, 4),
    "AllTags": (4, 9, 9, 4),
    "Lemmas": (4, 9, 9, 4),
    "UAS": (3, 9, 9, 4),
    "LAS": (3, 9, 9, 4),
    "CLAS": (3, 7, 8, 4),
    "MLAS": (3, 7, 8, 4),
    "BLEX": (3, 7, 8, 4),
}


@pytest.mark.parametrize(
    ("gold", "system", "counts"),
    [(CATS, CATS_PARSED, CATS_COUNTS), (CHAT, CHAT_PARSED, CHAT_COUNTS)],
    ids=["same words", "other words"],
)
def test_conll18_counts_are_those_of_the_shared_task(
    gold: str, system: str, counts: dict[str, tuple[int, int, int, int | None]]
) -> None:
    scores = conll18_scores(gold, system)
    assert list(scores) == list(METRICS)
    assert {
        metric: (score.correct, score.gold, score.system, score.aligned) for metric, score in scores.items()
    } == counts


def test_conll18_percentages_follow_from_the_counts() -> None:
    clas = conll18_scores(CHAT, CHAT_PARSED)["CLAS"]
    assert clas.precision == pytest.approx(100 * 3 / 8)
    assert clas.recall == pytest.approx(100 * 3 / 7)
    assert clas.f1 == pytest.approx(100 * 6 / 15)
    assert clas.aligned_accuracy == pytest.approx(75)
    assert conll18_scores(CHAT, CHAT_PARSED)["Words"].aligned_accuracy is None


@pytest.mark.parametrize("system", ["gold", "parsed"])
@pytest.mark.parametrize("first", range(4))
def test_known_and_unknown_words_are_all_words(system: str, first: int) -> None:
    parsed = CHAT if system == "gold" else CHAT_PARSED
    forms = [line.split("\t")[1] for line in CHAT.splitlines() if line]
    together = conll18_scores(CHAT, parsed)
    apart = vocabulary_scores(CHAT, parsed, forms[first::2])
    assert [*apart] == ["known", "unknown"] and apart["known"]["Words"].gold
    for metric in ("Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS"):
        for count in ("correct", "gold", "system"):
            whole = getattr(together[metric], count)
            assert sum(getattr(own[metric], count) for own in apart.values()) == whole, (metric, count)


def test_a_word_is_known_by_its_form_as_it_is_written() -> None:
    gold = conllu("1 Cats cat NOUN _ _ 2 nsubj\n2 sleep sleep VERB _ _ 0 root")
    system = gold.replace("NOUN", "PROPN")
    apart = vocabulary_scores(gold, system, {"cats", "sleep"})
    assert (apart["known"]["UPOS"].f1, apart["unknown"]["UPOS"].f1) == (100, 0)
    assert (apart["known"]["Words"].gold, apart["unknown"]["Words"].gold) == (1, 1)
    assert vocabulary_scores(gold, system, {"Cats", "sleep"})["unknown"]["UPOS"].gold == 0


@pytest.mark.parametrize(
    ("gold", "system", "aligned"),
    [
        (["abc a b c", "d"], ["a", "bcd b c d"], 4),
        (["ab a B", "c"], ["a", "bc b c"], 3),
        (["a", "bc b c", "d"], ["ab", "cd"], 0),
        (["abcd x a b a"], ["ab a b", "cd a x"], 3),
        (["ab", "c"], ["a", "bc x c"], 1),
        # A word that sticks out of the span, at its start or its end, has no part in it.
        (["b", "ab"], ["ba", "b ab"], 0),
        (["b", "c bc"], ["bc"], 0),
        (["a ab", "b"], ["ab"], 0),
        # But the shared task takes the b before the multiword token into the span.
        (["ab", "cd b d"], ["a", "b", "cd"], 1),
    ],
)
def test_words_of_multiword_tokens_are_aligned_by_form_within_their_span(
    gold: list[str], system: list[str], aligned: int
) -> None:
    assert conll18_scores(tokens(*gold), tokens(*system))["Words"].correct == aligned


def test_spaces_within_a_token_do_not_count_as_characters() -> None:
    spaced = "1\t10\u00a0000 km\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    assert conll18_scores(spaced, tokens("10000", "km"))["Tokens"].correct == 0
    assert conll18_scores(spaced, tokens("10000km"))["Tokens"].correct == 1


def test_a_form_with_a_space_matches_a_word_of_a_multiword_token_without_it() -> None:
    spaced = tokens("ab").replace("\tab\t", "\ta b\t")
    assert conll18_scores(spaced, tokens("ab ab c"))["Words"].correct == 1


@pytest.mark.parametrize(
    "change",
    [("DT", "XX", 5), ("PronType=Art", "PronType=Dem", 4), ("DET", "PRON", 4), ("det", "case", 4)],
)
def test_mlas_asks_for_the_tags_features_and_relations_of_functional_dependents(
    change: tuple[str, str, int],
) -> None:
    old, new, correct = change
    assert conll18_scores(CATS, CATS.replace(old, new))["MLAS"].correct == correct


def test_empty_nodes_are_passed_over_even_within_a_multiword_token() -> None:
    with_empty_node = tokens("ab a b").replace("2\tb", "1.1\tz" + "\t_" * 8 + "\n2\tb")
    assert conll18_scores(with_empty_node, tokens("ab a b"))["Words"].correct == 2


def test_line_separators_other_than_newline_may_stand_in_a_column() -> None:
    odd = "1\ta\u2028b\t_\t_\t_\t_\t0\troot\t_\t_\r\n\r\n"
    assert conll18_scores(odd, odd)["Words"].correct == 1


def test_conll18_reads_files_by_their_path(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conllu"
    gold.write_text(CATS, encoding="utf-8")
    assert conll18_scores(gold, CATS_PARSED) == conll18_scores(CATS, CATS_PARSED)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1\tword\n\n", "line 1: 2 columns instead of 10"),
        (tokens("a", "b").replace("2\tb", "3\tb"), "line 2: the id is '3', not 2"),
        (tokens("a", "b").replace("2\tb", "two\tb"), "line 2: the id is 'two', not 2"),
        (tokens("ab a b").replace("1-2", "2-3"), "line 1: the multiword token 2-3 stands before"),
        (tokens("ab a b").replace("1-2", "1-3"), "goes on to word 3"),
        (tokens("a", "b").replace("\tb\t", "\t\u00a0\t"), "line 2: the form is empty"),
        (tokens("a").replace("\t0\t", "\t_\t"), "line 1: the head is '_'"),
        (tokens("a").replace("\t0\t", "\t-1\t"), "line 1: the head is '-1'"),
        (tokens("a").replace("\t0\t", "\t" + "9" * 5000 + "\t"), "line 1: the head is '99"),
        (tokens("a", "b").replace("\t1\tdep", "\t3\tdep"), "the head is 3, but the sentence has 2"),
        (tokens("a", "b").replace("\t1\tdep", "\t0\tdep"), "2 words have the head 0"),
        (tokens("a").replace("\t0\t", "\t1\t"), "0 words have the head 0"),
        (tokens("a", "b").replace("\t1\tdep", "\t2\tdep"), "line 2: the word is on a cycle"),
        (tokens("a") + "\n", "line 3: a sentence without words"),
        (tokens("a").removesuffix("\n"), "line 1: the file ends within a sentence"),
        ("gold.conllu", "give its path as a pathlib.Path"),
    ],
)
def test_malformed_conllu_is_refused_with_its_line_and_reason(text: str, complaint: str) -> None:
    with pytest.raises(TreebankError, match=r"^gold") as refused:
        conll18_scores(text, tokens("a"))
    assert complaint in str(refused.value)


def test_a_refusal_names_the_sentence_by_its_id() -> None:
    text = tokens("a") + "# sent_id = news-7\n" + tokens("b").replace("\t0\t", "\tx\t")
    with pytest.raises(TreebankError, match=r"^dev\.conllu, line 4, sentence news-7: the head is 'x'"):
        conll18_scores(text, tokens("a"), gold_source="dev.conllu")


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    latin = tmp_path / "latin.conllu"
    latin.write_bytes("1\té\n\n".encode("latin-1"))
    with pytest.raises(TreebankError, match="not UTF-8"):
        conll18_scores(latin, CATS)
    with pytest.raises(TreebankError, match="cannot be read"):
        conll18_scores(tmp_path / "absent.conllu", CATS)


@pytest.mark.parametrize(
    ("system", "complaint"),
    [(["a", "b", "x"], "'cd' where the other has 'x'"), (["a", "b"], "nothing more")],
)
def test_different_texts_are_refused_where_they_part(system: list[str], complaint: str) -> None:
    gold = tokens("a", "b") + tokens("cd")
    with pytest.raises(EvaluationError, match="from sentence 2") as refused:
        conll18_scores(gold, tokens(*system))
    assert complaint in str(refused.value)


def test_a_very_long_chain_of_heads_is_no_trouble() -> None:
    chain = "".join(f"{i}\tw\t_\t_\t_\t_\t{i - 1}\tdep\t_\t_\n" for i in range(1, 20_001)) + "\n"
    assert conll18_scores(chain, chain)["UAS"].correct == 20_000


@st.composite
def trees(draw: st.DrawFn, words: int) -> list[int]:
    """The heads of a random tree with one root."""
    order = draw(st.permutations(range(1, words + 1)))
    heads = [0] * words
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[draw(st.integers(0, place - 1))]
    return heads


LABELS = ["nsubj", "obj", "nmod", "case", "punct", "root"]
PairedArcs = list[tuple[list[int], list[str], list[int], list[str]]]


@st.composite
def paired_arcs(draw: st.DrawFn) -> PairedArcs:
    """Sentences, each as gold heads, gold labels, system heads and system labels."""
    sentences = []
    for words in draw(st.lists(st.integers(1, 12), min_size=1, max_size=4)):
        labels = st.lists(st.sampled_from(LABELS), min_size=words, max_size=words)
        system_heads = draw(trees(words))
        gold_heads = system_heads if draw(st.booleans()) else draw(trees(words))
        gold_labels = draw(labels)
        system_labels = gold_labels if draw(st.booleans()) else draw(labels)
        sentences.append((gold_heads, gold_labels, system_heads, system_labels))
    return sentences


def text_of(sentences: list[tuple[list[int], list[str]]]) -> str:
    return conllu(
        *(
            "\n".join(
                f"{word} w _ X _ _ {head} {label}"
                for word, (head, label) in enumerate(zip(heads, labels, strict=True), start=1)
            )
            for heads, labels in sentences
        )
    )


@given(paired_arcs())
def test_on_the_same_words_without_subtypes_both_kinds_of_uas_and_las_agree(
    sentences: PairedArcs,
) -> None:
    conll18 = conll18_scores(
        text_of([(heads, labels) for heads, labels, _, _ in sentences]),
        text_of([(heads, labels) for _, _, heads, labels in sentences]),
    )
    attachment = scores_of(sentences)
    assert conll18["UAS"].f1 == pytest.approx(attachment.uas)
    assert conll18["LAS"].f1 == pytest.approx(attachment.las)


@st.composite
def segmentations(draw: st.DrawFn, text: str) -> str:
    forms = []
    while text:
        size = draw(st.integers(1, 3))
        form, text = text[:size], text[size:]
        words = draw(st.one_of(st.just([]), st.lists(st.sampled_from("abc"), min_size=2, max_size=3)))
        forms.append(" ".join([form, *words]))
    return tokens(*forms)


@given(st.text("abc", min_size=1, max_size=10).flatmap(
    lambda text: st.tuples(segmentations(text), segmentations(text))
))  # fmt: skip
def test_no_word_is_aligned_twice_and_a_text_aligns_with_itself(texts: tuple[str, str]) -> None:
    gold, system = texts
    words = conll18_scores(gold, system)["Words"]
    assert words.correct <= min(words.gold, words.system)
    assert all(score.f1 == 100 for score in conll18_scores(gold, gold).values())
    swapped = conll18_scores(system, gold)["Tokens"]
    tokens_ = conll18_scores(gold, system)["Tokens"]
    assert (swapped.precision, swapped.recall) == (tokens_.recall, tokens_.precision)


# The papers' scores


def scores_of(sentences: PairedArcs) -> Any:
    gold_heads, gold_labels, system_heads, system_labels = (
        [value for sentence in sentences for value in sentence[column]] for column in range(4)
    )
    return attachment_scores(
        gold_heads,
        gold_labels,
        system_heads,
        system_labels,
        first_words=np.cumsum([0, *(len(sentence[0]) for sentence in sentences)]),
        punct=[label == "punct" for label in gold_labels],
    )


TWO_SENTENCES: PairedArcs = [
    (
        [2, 0, 4, 2, 2],
        ["nsubj", "root", "nmod:poss", "obj", "punct"],
        [2, 0, 4, 2, 4],
        ["nsubj", "root", "nmod", "obj", "punct"],
    ),
    ([0, 1], ["root", "obj"], [2, 0], ["obj", "root"]),
]


def test_attachment_counts_heads_labels_and_whole_sentences() -> None:
    scores = scores_of(TWO_SENTENCES)
    assert (scores.words, scores.sentences) == (7, 2)
    assert scores.uas == pytest.approx(100 * 4 / 7)
    assert scores.las == pytest.approx(100 * 3 / 7)
    assert scores.label_accuracy == pytest.approx(100 * 4 / 7)
    assert (scores.uem, scores.lem) == (0, 0)


def test_without_punctuation_its_arcs_are_neither_right_nor_wrong() -> None:
    scores = scores_of(TWO_SENTENCES).no_punct
    assert (scores.words, scores.sentences) == (6, 2)
    assert scores.uas == pytest.approx(100 * 4 / 6)
    assert scores.las == pytest.approx(100 * 3 / 6)
    assert (scores.uem, scores.lem) == (50, 0)
    assert "punct" not in scores.relations


def test_a_sentence_of_punctuation_alone_is_no_exact_match_without_punctuation() -> None:
    scores = scores_of([([0], ["punct"], [0], ["punct"]), ([0], ["root"], [0], ["obj"])])
    assert (scores.sentences, scores.uem, scores.lem) == (2, 100, 50)
    assert (scores.no_punct.sentences, scores.no_punct.uem, scores.no_punct.lem) == (1, 100, 0)


def test_labels_count_with_their_subtypes() -> None:
    relations = scores_of(TWO_SENTENCES).relations
    assert (relations["nmod:poss"].gold, relations["nmod:poss"].predicted) == (1, 0)
    assert (relations["nmod"].gold, relations["nmod"].predicted) == (0, 1)


def test_relation_scores_are_of_labelled_arcs_and_of_heads_alone() -> None:
    obj = scores_of(
        [
            (
                [0, 1, 1, 1],
                ["root", "obj", "obj", "obj"],
                [0, 1, 1, 2],
                ["root", "obj", "nmod", "obj"],
            )
        ]
    ).relations["obj"]
    assert (obj.gold, obj.predicted) == (3, 2)
    assert (obj.precision, obj.recall) == (50, pytest.approx(100 / 3))
    assert obj.f1 == pytest.approx(40)
    assert (obj.head_precision, obj.head_recall) == (50, pytest.approx(200 / 3))
    assert obj.head_f1 == pytest.approx(100 * 4 / 7)


def test_relations_stand_by_frequency_in_the_gold_standard() -> None:
    assert list(scores_of(TWO_SENTENCES).relations) == [
        "obj", "root", "nmod:poss", "nsubj", "punct", "nmod",
    ]  # fmt: skip


def test_words_with_unknown_gold_heads_are_not_counted() -> None:
    known = scores_of([([2, 0], ["obj", "root"], [2, 0], ["obj", "root"])])
    partial = scores_of([([2, 0, -1], ["obj", "root", "nmod"], [2, 0, 1], ["obj", "root", "case"])])
    assert (partial.words, partial.uas, partial.las, partial.lem) == (2, 100, 100, 100)
    assert partial.relations == known.relations


def test_unknown_gold_labels_count_for_heads_alone() -> None:
    scores = scores_of([([2, 0, 2], ["_", "root", "obj"], [2, 0, 1], ["obj", "root", "obj"])])
    assert scores.uas == pytest.approx(100 * 2 / 3)
    assert (scores.las, scores.label_accuracy) == (50, 100)


def test_what_the_system_leaves_unknown_is_wrong() -> None:
    scores = scores_of([([2, 0], ["obj", "root"], [-1, 0], ["_", "root"])])
    assert (scores.uas, scores.las, scores.label_accuracy) == (50, 50, 50)
    assert scores.relations["obj"].predicted == 0


@pytest.mark.parametrize(
    ("words", "name"), [(1, "1-10"), (10, "1-10"), (11, "11-20"), (40, "31-40"), (41, "41+")]
)
def test_sentences_fall_into_bins_by_length(words: int, name: str) -> None:
    heads, labels = list(range(words)), ["dep"] * words
    assert list(scores_of([(heads, labels, heads, labels)]).by_length) == [name]


def test_arcs_are_told_apart_by_where_the_head_stands() -> None:
    gold = [0, 1, 1, 1, 1, 1, 1, 1, 9 + 1, 1]
    system = [0, 1, 1, 1, 1, 1, 1, 1, 1, 8]
    labels = ["dep"] * len(gold)
    by_arc = scores_of([(gold, labels, system, labels)]).by_arc
    counts = {name: (scores.gold, scores.predicted) for name, scores in by_arc.items()}
    assert counts == {
        "root": (1, 1),
        "before 1": (1, 1),
        "before 2": (1, 2),
        "before 3-6": (4, 4),
        "before 7+": (2, 2),
        "after 1": (1, 0),
    }
    assert (by_arc["before 7+"].precision, by_arc["before 2"].recall) == (50, 100)


def test_no_sentences_score_nothing() -> None:
    scores = scores_of([])
    assert (scores.words, scores.uas, scores.lem) == (0, 0, 0)
    assert scores.relations == scores.by_length == {}


@given(paired_arcs())
def test_vectorised_scores_equal_counting_word_by_word(sentences: PairedArcs) -> None:
    scores = scores_of(sentences)
    for punctuation, got in ((True, scores), (False, scores.no_punct)):
        # For each sentence that has any: (head right, label right) of each counted word.
        counted = [
            [
                (gold_head == system_head, gold_label == system_label)
                for gold_head, gold_label, system_head, system_label in zip(*sentence, strict=True)
                if punctuation or gold_label != "punct"
            ]
            for sentence in sentences
        ]
        counted = [sentence for sentence in counted if sentence]
        words = [word for sentence in counted for word in sentence]
        expected = {
            "uas": [head for head, _ in words],
            "las": [head and label for head, label in words],
            "label_accuracy": [label for _, label in words],
            "uem": [all(head for head, _ in sentence) for sentence in counted],
            "lem": [all(head and label for head, label in sentence) for sentence in counted],
        }
        for name, right in expected.items():
            assert getattr(got, name) == pytest.approx(100 * sum(right) / max(len(right), 1)), name
        correct = sum(arc.recall * arc.gold for arc in got.relations.values())
        assert correct == pytest.approx(got.las * got.words)
        assert sum(arc.gold for arc in got.by_arc.values()) == got.words
        assert sum(part.words for part in got.by_length.values()) == got.words


def test_labels_may_be_indices_into_names() -> None:
    spelled = attachment_scores(
        [2, 0], ["obj", "root"], [2, 0], ["nmod", "root"], first_words=[0, 2], punct=[False, False]
    )
    indexed = attachment_scores(
        np.array([2, 0], dtype=np.int32),
        np.array([0, 1], dtype=np.int32),
        np.array([2, 0], dtype=np.int32),
        np.array([2, 1], dtype=np.int32),
        first_words=np.array([0, 2]),
        punct=np.array([False, False]),
        label_names=["obj", "root", "nmod"],
    )
    assert indexed == spelled


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"gold_heads": [0]}, "gold_heads has the shape"),
        ({"punct": [False]}, "punct has the shape"),
        ({"system_heads": [3, 0]}, "system_heads has 3 for word 1 of sentence 1"),
        ({"gold_heads": [-2, 0]}, "gold_heads has -2"),
        ({"first_words": [1, 2]}, "first_words has to start at 0"),
        ({"first_words": [0, 3, 2]}, "never to fall"),
        ({"gold_labels": [0, 1]}, "label_names is missing"),
        ({"label_names": ["obj"]}, "labels are indices"),
        ({"gold_labels": [0, 1], "system_labels": [0, 0], "label_names": ["a"]}, "outside label_"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, Any], complaint: str) -> None:
    arguments: dict[str, Any] = {
        "gold_heads": [2, 0],
        "gold_labels": ["obj", "root"],
        "system_heads": [2, 0],
        "system_labels": ["obj", "root"],
        "first_words": [0, 2],
        "punct": [False, False],
    }
    with pytest.raises(EvaluationError, match=complaint):
        attachment_scores(**(arguments | change))


def test_punctuation_is_told_by_tags_of_several_tag_sets() -> None:
    tags = ["PUNCT", ".", "PU", ",", "``", "NOUN", "SYM", "_"]
    assert punctuation_mask(tags, ["x"] * 8).tolist() == [True] * 5 + [False] * 3


def test_punctuation_by_form_is_every_character_of_a_unicode_category_p() -> None:
    forms = [".", "...", "«", "、", "?!", "-x", "$", "", "a"]
    mask = punctuation_mask(["NOUN"] * 9, forms, by="form")
    assert mask.tolist() == [True] * 5 + [False] * 4


def test_punctuation_by_anything_else_is_refused() -> None:
    with pytest.raises(EvaluationError, match="upos, form"):
        punctuation_mask([], [], by="xpos")  # type: ignore[arg-type]


def test_the_example_in_the_documentation_holds() -> None:
    results = doctest.testmod(attachment)
    assert results.attempted > 0
    assert results.failed == 0


# Treebanks and tables


@dataclass
class FakeTreebank:
    """As much of a treebank as evaluation asks for."""

    text: str
    source: str
    format: str = "conllu"

    def __post_init__(self) -> None:
        blocks = [block for block in self.text.split("\n\n") if block]
        sentences = [
            [line.split("\t") for line in block.split("\n") if line.split("\t")[0].isdigit()]
            for block in blocks
        ]
        self.words = [word for sentence in sentences for word in sentence]
        self.first_words = np.cumsum([0, *map(len, sentences)])
        self.heads = np.array([-1 if w[6] == "_" else int(w[6]) for w in self.words], dtype=np.int32)
        self.label_names = list(dict.fromkeys(w[7] for w in self.words if w[7] != "_"))
        self.labels = np.array(
            [-1 if w[7] == "_" else self.label_names.index(w[7]) for w in self.words],
            dtype=np.int32,
        )

    def column(self, name: str, /) -> list[str]:
        return [word[{"form": 1, "upos": 3}[name]] for word in self.words]

    def to_string(self) -> str:
        return self.text


def cats() -> tuple[FakeTreebank, FakeTreebank]:
    return FakeTreebank(CATS, "gold.conllu"), FakeTreebank(CATS_PARSED, "system.conllu")


def test_evaluate_gives_the_papers_scores_and_the_shared_tasks() -> None:
    evaluation = evaluate(*cats())
    assert evaluation.attachment.uas == pytest.approx(100 * 7 / 9)
    # Labels differ in `amod`, `nsubj:outer` and `nmod:poss`; the last two have the same base.
    assert evaluation.attachment.las == pytest.approx(100 * 4 / 9)
    assert evaluation.attachment.no_punct.uas == pytest.approx(100 * 7 / 8)
    assert evaluation.conll18 is not None
    assert evaluation.conll18["LAS"].f1 == pytest.approx(100 * 6 / 9)


def test_labels_are_matched_by_name_when_the_treebanks_number_them_differently() -> None:
    gold = FakeTreebank(tokens("a", "b") + tokens("c").replace("dep", "root"), "gold")
    system = FakeTreebank(gold.text, "system")
    system.label_names.reverse()
    system.labels = 1 - system.labels
    assert evaluate(gold, system).attachment.las == 100


def test_unknown_labels_stay_unknown_when_labels_are_renumbered() -> None:
    gold = FakeTreebank(tokens("a", "b").replace("1\tdep", "1\t_"), "gold")
    system = FakeTreebank(tokens("a", "b").replace("dep", "obj"), "system")
    attachment = evaluate(gold, system).attachment
    assert attachment.uas == 100
    assert attachment.relations["dep"].gold == attachment.relations["obj"].predicted == 1


@pytest.mark.parametrize(
    ("system", "complaint"),
    [
        (tokens("a", "b") + tokens("c", "x"), "sentence 2: word 2 is 'd' .* and 'x'"),
        (tokens("a", "b") + tokens("c"), "sentence 2: the first has 2 words and the second 1"),
        (tokens("a", "b"), "sentence 2: gold has 2 sentences and system 1"),
        (tokens("a", "b", "c", "d"), "sentence 1: the first has 2 words and the second 4"),
    ],
)
def test_other_words_are_refused_at_the_first_sentence_that_differs(system: str, complaint: str) -> None:
    gold = FakeTreebank(tokens("a", "b") + tokens("c", "d"), "gold")
    with pytest.raises(EvaluationError, match=complaint):
        evaluate(gold, FakeTreebank(system, "system"))


def test_trees_that_the_shared_task_does_not_score_still_get_the_papers_scores() -> None:
    partial = FakeTreebank(tokens("a", "b").replace("\t1\tdep", "\t_\tdep"), "gold")
    evaluation = evaluate(partial, FakeTreebank(tokens("a", "b"), "system"))
    assert evaluation.attachment.words == 1
    assert evaluation.conll18 is None
    assert "gold, line 2: the head is '_'" in str(evaluation.why_no_conll18)


def test_the_shared_tasks_metrics_can_be_left_out() -> None:
    evaluation = evaluate(*cats(), conll18=False)
    assert evaluation.conll18 is None
    assert evaluation.why_no_conll18 is None


def test_punctuation_can_be_told_by_form() -> None:
    untagged = FakeTreebank(CATS.replace("PUNCT", "_"), "gold")
    assert evaluate(untagged, untagged).attachment.no_punct.words == 9
    assert evaluate(untagged, untagged, punctuation="form").attachment.no_punct.words == 8


def test_conll_x_is_not_scored_as_universal_dependencies() -> None:
    gold = FakeTreebank(tokens("a"), "gold.conll", format="conllx")
    evaluation = evaluate(gold, gold)
    assert evaluation.conll18 is None
    assert "gold.conll is CoNLL-X" in str(evaluation.why_no_conll18)


def test_an_evaluation_as_json_keeps_the_two_kinds_of_las_apart() -> None:
    evaluation = evaluate(*cats())
    read_back = json.loads(json.dumps(evaluation.to_dict()))
    assert read_back["attachment"]["las"] == pytest.approx(100 * 4 / 9)
    assert read_back["attachment"]["no_punct"]["relations"]["obl"]["recall"] == 0
    assert read_back["conll18"]["LAS"]["f1"] == pytest.approx(100 * 6 / 9)
    assert read_back["gold"] == "gold.conllu"


def rendered(*, terminal: bool) -> str:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=terminal, color_system=None)
    render(evaluate(*cats()), console)
    return out.getvalue()


def test_tables_in_a_pipe_are_plain_aligned_text() -> None:
    text = rendered(terminal=False)
    assert text.isascii()
    assert text.startswith(
        "Attachment (labels in full)\n"
        "counted         words  sentences    UAS    LAS  label acc.   UEM   LEM\n"
        "all words           9          1  77.78  44.44       66.67  0.00  0.00\n"
        "no punctuation      8          1  87.50  50.00       62.50  0.00  0.00\n"
    )
    assert "conll18.LAS            66.67   66.67   66.67         66.67\n" in text
    assert "\nLAS " not in text


@pytest.mark.parametrize("terminal", [False, True])
def test_tables_fit_80_columns_without_folding(terminal: bool) -> None:
    lines = rendered(terminal=terminal).splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("nsubj:outer ") for line in lines)


def test_tables_say_why_the_shared_tasks_metrics_are_missing() -> None:
    out = io.StringIO()
    gold = FakeTreebank(tokens("a"), "[gold].conll", format="conllx")
    render(evaluate(gold, gold), Console(file=out, width=80))
    assert "No CoNLL 2018 metrics: [gold].conll is CoNLL-X" in out.getvalue()
    assert "conll18." not in out.getvalue()


@pytest.mark.parametrize("name", ["fr_sequoia", "got_proiel"])
def test_a_treebank_is_wholly_right_against_itself(name: str) -> None:
    path = DATA / name / f"{name}-ud-dev.conllu"
    if not path.exists():
        pytest.skip(f"the treebank {name} is not beside the project")
    assert {score.f1 for score in conll18_scores(path, path).values()} == {100.0}
