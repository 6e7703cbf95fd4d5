"""What can be done to a sentence, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from annotating.blocks import HUSH, ROSES, TEA, block, heads, row
from arcwise import Treebank
from arcwise.annotate.lines import Block
from arcwise.annotate.operations import How, apply
from arcwise.annotate.refusals import RefusedEditError


def done(text: str, *operations: dict[str, Any], how: How | None = None) -> Block:
    made = block(text)
    for operation in operations:
        [made] = apply(made, operation, how or How())
        Treebank.from_string(made.to_bytes())
    return made


def refused(text: str, operation: dict[str, Any], how: How | None = None) -> RefusedEditError:
    with pytest.raises(RefusedEditError) as found:
        apply(block(text), operation, how or How())
    return found.value


@pytest.mark.parametrize("text", [ROSES, TEA, HUSH, ROSES.replace("\n", "\r\n"), HUSH.rstrip("\n")])
def test_a_sentence_is_written_with_the_bytes_that_it_was_read_from(text: str) -> None:
    assert block(text).to_bytes() == text.encode()


def test_a_head_that_is_given_is_marked_and_nothing_else_changes() -> None:
    made = done(ROSES, {"op": "head", "word": 7, "head": 6})
    before = block(ROSES)
    assert row(made, "7") == ("7", ".", ".", "PUNCT", "_", "_", "6", "punct", "6:punct", "Fixed=head")
    assert made.rows[:-1] == before.rows[:-1] and made.comments == before.comments


def test_a_head_below_the_word_is_refused_and_a_swap_is_offered() -> None:
    error = refused(ROSES, {"op": "head", "word": 4, "head": 5})
    assert error.kind == "cycle" and error.offer is not None
    made = done(ROSES, dict(error.offer))
    assert heads(made) == [4, 4, 4, 5, 6, 0, 4]
    assert row(made, "6")[7] == "root" and row(made, "6")[8] == "0:root"


def test_a_second_root_is_refused_and_the_old_one_goes_below_it_if_wanted() -> None:
    error = refused(ROSES, {"op": "head", "word": 6, "head": 0})
    assert error.kind == "second_root" and error.offer is not None
    assert heads(done(ROSES, dict(error.offer))) == [4, 4, 4, 6, 6, 0, 4]


def test_arcs_that_are_free_give_way_where_the_rest_is_parsed_again() -> None:
    follow = How(follow=True)
    assert heads(done(ROSES, {"op": "head", "word": 4, "head": 6}, how=follow))[3] == 6
    fixed = {"op": "fix", "word": 6, "fields": ["head"]}
    with pytest.raises(RefusedEditError, match="All of these arcs are fixed"):
        done(ROSES, fixed, {"op": "head", "word": 4, "head": 6}, how=follow)


def test_arcs_may_cross() -> None:
    assert heads(done(ROSES, {"op": "head", "word": 1, "head": 6}))[0] == 6


def test_root_is_the_label_of_the_word_under_root_alone() -> None:
    error = refused(ROSES, {"op": "set", "word": 6, "field": "deprel", "value": "root"})
    assert error.kind == "label" and error.offer == {"op": "head", "word": 6, "head": 0}
    assert refused(ROSES, {"op": "head", "word": 6, "head": 4, "deprel": "root"}).kind == "label"


def test_values_are_set_and_marked_and_features_are_sorted() -> None:
    made = done(
        ROSES,
        {"op": "set", "word": 6, "field": "feats", "value": "Number=Plur|Case=Acc"},
        {"op": "set", "word": 6, "field": "upos", "value": "PROPN"},
    )
    assert row(made, "6")[3:6] == ("PROPN", "_", "Case=Acc|Number=Plur")
    assert row(made, "6")[9] == "SpaceAfter=No|Fixed=upos,feats"
    freed = apply(made, {"op": "free", "word": 6})[0]
    assert row(freed, "6")[9] == "SpaceAfter=No"


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "set", "word": 6, "field": "lemma", "value": "a\tb"},
        {"op": "set", "word": 6, "field": "lemma", "value": "a\nb"},
        {"op": "set", "word": 6, "field": "lemma", "value": ""},
        {"op": "set", "word": 6, "field": "id", "value": "9"},
        {"op": "set", "word": 6, "field": "feats", "value": "Plur"},
        {"op": "set", "word": 6, "field": "feats", "value": "A=b|A=c"},
        {"op": "set", "word": 6, "field": "upos", "value": "NO UN"},
        {"op": "set", "word": 6, "field": "form", "value": " roses"},
        {"op": "set", "word": 99, "field": "lemma", "value": "x"},
        {"op": "set", "word": "2-3", "field": "upos", "value": "X"},
        {"op": "head", "word": 6, "head": 6},
        {"op": "head", "word": 6, "head": 99},
        {"op": "head", "word": True, "head": 1},
        {"op": "head", "word": 6, "head": 4, "more": 1},
        {"op": "comments", "lines": ["no comment"]},
        {"op": "comments", "lines": ["# a\nb"]},
        {"op": "replace", "conllu": "1\tone"},
        {"op": "replace", "conllu": HUSH + HUSH},
        {"op": "nothing"},
        {},
    ],
)
def test_what_cannot_be_written_is_refused(operation: dict[str, Any]) -> None:
    assert refused(ROSES, operation).kind


def test_the_text_follows_a_form() -> None:
    made = done(ROSES, {"op": "set", "word": 6, "field": "form", "value": "tulips"})
    assert made.comment("text") == "He doesn't sell red tulips."
    assert done(ROSES, {"op": "set", "word": 3, "field": "form", "value": "not"}).comment("text") == block(
        ROSES
    ).comment("text")
    made = done(ROSES, {"op": "set", "word": "2-3", "field": "form", "value": "does not"})
    assert made.comment("text") == "He does not sell red roses."


def test_the_text_follows_space_after() -> None:
    made = done(ROSES, {"op": "set", "word": 5, "field": "misc", "value": "SpaceAfter=No"})
    assert made.comment("text") == "He doesn't sell redroses."


def test_a_token_is_split_and_all_numbers_follow() -> None:
    made = done(ROSES, {"op": "split_token", "word": 5, "at": 2})
    assert [row[1] for row in made.words] == ["He", "does", "n't", "sell", "re", "d", "roses", "."]
    assert heads(made) == [4, 4, 4, 0, 7, 5, 4, 4]
    assert row(made, "5")[8] == "7:amod" and row(made, "5")[9] == "SpaceAfter=No"
    assert made.comment("text") == block(ROSES).comment("text")


def test_splitting_renumbers_empty_nodes_and_what_refers_to_them() -> None:
    made = done(TEA, {"op": "split_token", "word": 1, "at": 2})
    assert row(made, "6.1")[8] == "3:conj" and row(made, "7")[8] == "6.1:obj"
    assert row(made, "5")[8] == "6.1:cc"


def test_splitting_and_joining_gives_the_sentence_back() -> None:
    for text, word, form in ((ROSES, 5, "red"), (TEA, 1, "Anna"), (HUSH, 2, "now")):
        made = done(
            text,
            {"op": "split_token", "word": word, "at": 1},
            {"op": "join_tokens", "first": word, "last": word + 1},
        )
        assert row(made, str(word))[1] == form and made.text == text


def test_joining_refuses_what_would_be_broken() -> None:
    assert refused(ROSES, {"op": "join_tokens", "first": 1, "last": 2}).kind == "multiword"
    assert refused(ROSES, {"op": "join_tokens", "first": 2, "last": 3}).kind == "multiword"
    assert refused(TEA, {"op": "join_tokens", "first": 5, "last": 6}).kind == "empty_node"
    assert refused(TEA, {"op": "join_tokens", "first": 6, "last": 5}).kind == "token"


def test_joined_tokens_keep_the_head_that_lies_outside() -> None:
    made = done(ROSES, {"op": "join_tokens", "first": 5, "last": 6})
    assert row(made, "5")[1:4] == ("redroses", "rose", "NOUN")
    assert row(made, "5")[6:9] == ("4", "obj", "4:obj")
    assert made.comment("text") == "He doesn't sell redroses."


def test_multiword_tokens_are_unmade_and_made_again() -> None:
    made = done(ROSES, {"op": "unmake_multiword", "first": 2})
    assert [row[0] for row in made.rows] == ["1", "2", "3", "4", "5", "6", "7"]
    assert row(made, "2")[9] == "SpaceAfter=No" and made.comment("text") == block(ROSES).comment("text")
    [again] = apply(made, {"op": "make_multiword", "first": 2, "last": 3})
    assert again.text == ROSES
    assert refused(ROSES, {"op": "make_multiword", "first": 1, "last": 2}).kind == "multiword"


def test_a_split_word_of_a_multiword_token_stays_in_it() -> None:
    made = done(ROSES, {"op": "split_token", "word": 3, "forms": ["n", "ot"]})
    assert row(made, "2-4")[1] == "doesn't" and made.comment("text") == block(ROSES).comment("text")


def test_a_sentence_is_split_into_two_trees() -> None:
    first, second = apply(block(ROSES), {"op": "split_sentence", "word": 5}, How(new_id="roses-2"))
    for made in (first, second):
        Treebank.from_string(made.to_bytes())[0].check()
    assert first.comment("text") == "He doesn't sell" and second.comment("text") == "red roses."
    assert second.comment("sent_id") == "roses-2" and heads(second) == [2, 0, 2]
    assert row(second, "2")[7:9] == ("root", "0:root")


def test_a_sentence_is_not_split_where_dependencies_would_be_lost() -> None:
    assert refused(ROSES, {"op": "split_sentence", "word": 3}).kind == "multiword"
    assert refused(ROSES, {"op": "split_sentence", "word": 1}).kind == "sentence"
    assert refused(TEA, {"op": "split_sentence", "word": 6}).kind == "deps"


def test_sentences_are_joined_and_the_second_hangs_on_the_first() -> None:
    made = done(HUSH, {"op": "join_sentence"}, how=How(following=block(TEA)))
    assert made.comment("text") == "Hush now Anna likes tea and Ben coffee."
    assert made.comment("sent_id") == "hush" and heads(made) == [0, 1, 4, 1, 4, 7, 4, 7, 4]
    assert row(made, "7.1")[8] == "4:conj" and row(made, "8")[8] == "7.1:obj"
    assert refused(HUSH, {"op": "join_sentence"}, How(following=block("# newpar\n" + TEA))).kind == "sentence"


def test_constraints_in_misc_are_renumbered() -> None:
    text = ROSES.replace("SpaceAfter=No", "SpaceAfter=No|FixedHead=4|NotHead=1,7|Subtree=5-6")
    made = done(text, {"op": "split_token", "word": 1, "at": 1})
    assert row(made, "7")[9] == "SpaceAfter=No|FixedHead=5|NotHead=1,8|Subtree=6-7"


def test_comments_are_changed_but_marks_and_text_stay_true() -> None:
    made = done(
        ROSES, {"op": "check"}, {"op": "comments", "lines": ["# sent_id = r", "# text = wrong", "# note"]}
    )
    assert made.comments == (
        "# sent_id = r",
        "# text = He doesn't sell red roses.",
        "# note",
        "# checked = yes",
    )


def test_of_conllx_heads_and_columns_alone_change() -> None:
    made = Block.from_bytes(
        b"1\tGo\t_\tV\tV\t_\t0\tROOT\t_\t_\n2\tup\t_\tP\tP\t_\t1\tadv\t_\t_\n\n", "conllx"
    )
    [made] = apply(made, {"op": "set", "word": 2, "field": "deprel", "value": "mod"})
    assert made.to_bytes().endswith(b"2\tup\t_\tP\tP\t_\t1\tmod\t_\t_\n\n")
    with pytest.raises(RefusedEditError, match="Convert to CoNLL-U"):
        apply(made, {"op": "check"})
