"""Treebanks: what is read, what is refused, and that it is written back as it was."""

from __future__ import annotations

import doctest
import io
import os
import re
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise.treebank
from arcwise.errors import ArcwiseError, TreebankError
from arcwise.treebank import Treebank
from treebank_texts import fields, line, sentence, texts

EXAMPLE = (
    "# newdoc\n"
    "# sent_id = fr-1\n"
    "# text = Va au  parc !\n"
    "1\tVa\taller\tVERB\tV\tMood=Imp\t0\troot\t0:root\t_\n"
    "1.1\tdonc\tdonc\tADV\t_\t_\t_\t_\t1:advmod\t_\n"
    "2-3\tau\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tà\tà\tADP\tP\t_\t4\tcase\t4:case\t_\n"
    "3\tle\tle\tDET\tD\tDefinite=Def\t4\tdet\t4:det\t_\n"
    "4\tparc zoo\tparc zoo\tNOUN\tN\t_\t1\tobl:à\t1:obl\tSpaceAfter=No\n"
    "5\t_\t_\tPUNCT\tS\t_\t_\t_\t_\t_\n"
    "\n"
)


def trees(treebank: Treebank) -> list[tuple[str, int | None, str | None]]:
    return [(token.form, token.head, token.deprel) for words in treebank for token in words]


def refusal(text: str | bytes, **options: object) -> str:
    with pytest.raises(TreebankError) as caught:
        Treebank.from_string(text, **options)  # type: ignore[arg-type]
    return str(caught.value)


# Reading


def test_a_token_has_the_columns_of_its_word() -> None:
    token = Treebank.from_string(EXAMPLE)[0][3]
    assert (token.id, token.form, token.lemma, token.upos) == (4, "parc zoo", "parc zoo", "NOUN")
    assert (token.xpos, token.feats, token.head, token.deprel) == ("N", "_", 1, "obl:à")
    assert (token.deps, token.misc) == ("1:obl", "SpaceAfter=No")
    assert repr(token) == "<Token 4 'parc zoo' ←obl:à– 1>"


def test_ranges_and_empty_nodes_are_no_words() -> None:
    assert [token.form for token in Treebank.from_string(EXAMPLE)[0]] == [
        "Va", "à", "le", "parc zoo", "_",
    ]  # fmt: skip


def test_an_underscore_is_an_unknown_head_and_label_but_may_be_a_form() -> None:
    token = Treebank.from_string(EXAMPLE)[0][-1]
    assert (token.form, token.head, token.deprel) == ("_", None, None)
    assert repr(token) == "<Token 5 '_' ←_– _>"


def test_a_sentence_has_its_id_text_and_comments() -> None:
    words = Treebank.from_string(EXAMPLE)[0]
    assert words.id == "fr-1"
    assert words.text == "Va au  parc !"
    assert words.comments == ["# newdoc", "# sent_id = fr-1", "# text = Va au  parc !"]
    assert len(words) == 5
    assert words.heads.tolist() == [0, 4, 4, 1, -1]
    assert repr(words) == "<Sentence fr-1: Va à le parc zoo _>"


def test_comments_end_before_either_line_end() -> None:
    words = Treebank.from_string(EXAMPLE.replace("\n", "\r\n"))[0]
    assert words.comments == ["# newdoc", "# sent_id = fr-1", "# text = Va au  parc !"]
    assert (words.id, words[-1].misc) == ("fr-1", "_")


def test_a_sentence_without_comments_has_no_id_and_its_words_as_text() -> None:
    words = Treebank.from_string(sentence(0, 1))[0]
    assert (words.id, words.text, words.comments) == (None, "w1 w2", [])


def test_arrays_number_the_words_through_the_treebank() -> None:
    treebank = Treebank.from_string(sentence(0, 1) + EXAMPLE)
    assert treebank.word_count == 7
    assert treebank.first_words.tolist() == [0, 2, 7]
    assert treebank.first_words.dtype == np.int64
    assert treebank.heads.tolist() == [0, 1, 0, 4, 4, 1, -1]
    assert treebank.labels.tolist() == [0, 0, 1, 2, 3, 4, -1]
    assert treebank.heads.dtype == treebank.labels.dtype == np.int32
    assert treebank.label_names == ["dep", "root", "case", "det", "obl:à"]


def test_arrays_cannot_change_the_treebank_and_outlive_it() -> None:
    treebank = Treebank.from_string(sentence(0, 1))
    heads = treebank.heads
    with pytest.raises(ValueError, match="read-only"):
        heads[0] = 2
    del treebank
    assert heads.tolist() == [0, 1]


def test_a_column_has_a_value_for_each_word() -> None:
    treebank = Treebank.from_string(EXAMPLE)
    assert treebank.column("upos") == ["VERB", "ADP", "DET", "NOUN", "PUNCT"]
    assert treebank.column("head") == ["0", "4", "4", "1", "_"]
    assert treebank.column("deprel") == ["root", "case", "det", "obl:à", "_"]
    with pytest.raises(TreebankError, match="no column 'tag'; choose from id, form"):
        treebank.column("tag")


def test_several_words_may_be_under_root() -> None:
    assert Treebank.from_string(sentence(0, 0)).heads.tolist() == [0, 0]


def test_an_empty_text_is_an_empty_treebank() -> None:
    for text in ("", "\n", "\ufeff", "\ufeff\r\n\n"):
        treebank = Treebank.from_string(text)
        assert (len(treebank), treebank.word_count, treebank.to_string()) == (0, 0, text)
        assert treebank.heads.tolist() == [] and treebank.first_words.tolist() == [0]


def test_indexing_counts_from_either_end_and_refuses_what_is_outside() -> None:
    treebank = Treebank.from_string(sentence(0, id="a") + sentence(0, 1, id="b"))
    assert [words.id for words in treebank] == ["a", "b"]
    assert treebank[-1].id == "b" and treebank[-1][-1].form == "w2"
    for outside in (2, -3):
        with pytest.raises(IndexError, match="2 sentences"):
            treebank[outside]
    with pytest.raises(IndexError, match="no word 1: there are 1 word"):
        treebank[0][1]


def test_a_slice_is_a_treebank_of_those_sentences() -> None:
    whole = Treebank.from_string("\n" + "".join(sentence(*[0] * n, id=str(n)) for n in range(1, 6)))
    for part in (slice(1, 3), slice(None), slice(None, None, -2), slice(4, 1), slice(-2, 99)):
        treebank = whole[part]
        assert [words.id for words in treebank] == [words.id for words in list(whole)[part]]
        assert treebank.to_string() == "".join(words.to_string() for words in list(whole)[part])
        assert [words.line for words in treebank] == [words.line for words in list(whole)[part]]
    assert whole.select([3, 3, -1]).heads.tolist() == [0] * 13
    with pytest.raises(IndexError):
        whole.select([5])


def test_sentences_and_tokens_are_equal_if_they_are_the_same_in_the_same_treebank() -> None:
    treebank, other = Treebank.from_string(sentence(0, 1)), Treebank.from_string(sentence(0, 1))
    assert treebank[0] == treebank[-1] and treebank[0] != other[0]
    assert treebank[0][1] in treebank[0] and treebank[0][1] not in other[0]
    assert len({*treebank[0], *treebank[0]}) == 2


def test_lines_are_counted_in_the_file() -> None:
    treebank = Treebank.from_string("\n\n" + sentence(0, id="a") + "\n" + sentence(0))
    assert [words.line for words in treebank] == [3, 7]


# Writing what was read


@given(texts())
def test_writing_what_was_read_gives_the_same_bytes(text: str) -> None:
    assert Treebank.from_string(text).to_bytes() == text.encode()


@given(texts(conllx=True))
def test_writing_conllx_that_was_read_gives_the_same_bytes(text: str) -> None:
    assert Treebank.from_string(text, format="conllx").to_bytes() == text.encode()


@given(texts())
def test_putting_a_treebanks_own_trees_in_place_changes_nothing(text: str) -> None:
    treebank = Treebank.from_string(text)
    same = treebank.with_trees(treebank.heads, treebank.labels, treebank.label_names)
    assert same.to_string() == text


@given(texts(), st.integers(1, 300))
def test_streamed_parts_are_together_the_whole(text: str, batch_bytes: int) -> None:
    whole = Treebank.from_string(text)
    parts = list(_stream_bytes(text.encode(), batch_bytes))
    assert b"".join(part.to_bytes() for part in parts) == text.encode()
    assert [trees(part[i : i + 1]) for part in parts for i in range(len(part))] == [
        trees(whole[i : i + 1]) for i in range(len(whole))
    ]
    assert [words.line for part in parts for words in part] == [words.line for words in whole]


def _stream_bytes(data: bytes, batch_bytes: int) -> list[Treebank]:
    stdin = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))
    try:
        return list(Treebank.stream("-", batch_bytes=batch_bytes))
    finally:
        sys.stdin = stdin


def test_development_treebanks_are_written_back_byte_for_byte(treebank_file: Path) -> None:
    data = treebank_file.read_bytes()
    treebank = Treebank.read(treebank_file)
    assert treebank.to_bytes() == data
    replaced = treebank.with_trees(treebank.heads, treebank.labels, treebank.label_names)
    assert replaced.to_bytes() == data
    parts = Treebank.stream(treebank_file, batch_bytes=100_000)
    assert b"".join(part.to_bytes() for part in parts) == data


def test_a_development_treebank_has_the_words_it_is_known_for(shared_data: Path) -> None:
    treebank = Treebank.read(shared_data / "en_ewt" / "en_ewt-ud-dev.conllu")
    assert (len(treebank), treebank.word_count) == (2001, 25147)


@given(st.binary(max_size=60) | texts().map(str.encode), st.data())
def test_any_bytes_are_read_or_refused_and_what_is_left_is_sound(data: bytes, draws: st.DataObject) -> None:
    at = draws.draw(st.integers(0, len(data)))
    broken = data[:at] + draws.draw(st.binary(max_size=3)) + data[at + 1 :]
    rest = Treebank.from_string(broken, skip_bad=True)
    again = Treebank.from_string(rest.to_bytes())
    assert trees(again) == trees(rest)
    if rest.bad:
        assert refusal(broken) == rest.bad[0]
    else:
        assert rest.to_bytes() == broken


# Replacing trees


def test_with_trees_changes_head_and_deprel_and_nothing_else() -> None:
    treebank = Treebank.from_string(EXAMPLE.replace("\n", "\r\n"))
    parsed = treebank.with_trees([2, 0, -1, 5, 2], [1, 0, -1, 1, 1], ["ROOT", "x:y"])
    arcs = [("2", "x:y"), ("0", "ROOT"), ("_", "_"), ("5", "x:y"), ("2", "x:y")]
    columns = {str(word): arc for word, arc in enumerate(arcs, 1)}
    expected = []
    for text in EXAMPLE.split("\n"):
        row = text.split("\t")
        if row[0] in columns:
            row[6:8] = columns[row[0]]
        expected.append("\t".join(row))
    assert parsed.to_string() == "\r\n".join(expected)
    assert parsed[0].to_string() == parsed.to_string()
    assert trees(parsed)[:3] == [("Va", 2, "x:y"), ("à", 0, "ROOT"), ("le", None, None)]
    assert parsed.column("head") == ["2", "0", "_", "5", "2"]
    assert parsed[:].to_string() == parsed.to_string()
    assert treebank.to_string() == EXAMPLE.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("heads", "labels", "names", "reason"),
    [
        ([0], [0, 0], ["a"], "1 heads for 2 words"),
        ([0, 1], [0], ["a"], "1 labels for 2 words"),
        ([0, 3], [0, 0], ["a"], "head 3 of word 2 in sentence 0"),
        ([0, -2], [0, 0], ["a"], "head -2 of word 2"),
        ([0, 1], [0, 1], ["a"], "label 1 has no name"),
        ([0, 1], [0, -2], ["a"], "label -2 has no name"),
        ([0, 1], [0, 0], ["a\tb"], "label name"),
        ([0, 1], [0, 0], [""], "label name"),
        ([0, 1.5], [0, 0], ["a"], "heads must be a flat array of whole numbers"),
        ([[0, 1]], [0, 0], ["a"], "heads must be a flat array"),
        ([0, 2**32 + 1], [0, 0], ["a"], "heads has numbers that do not fit"),
    ],
)
def test_with_trees_refuses_what_cannot_be_written(
    heads: list[int], labels: list[int], names: list[str], reason: str
) -> None:
    with pytest.raises(TreebankError, match=reason):
        Treebank.from_string(sentence(0, 1)).with_trees(heads, labels, names)


# Converting


def test_conllx_has_no_comments_ranges_empty_nodes_and_spaces() -> None:
    assert Treebank.from_string(EXAMPLE.replace("\n", "\r\n")).to_string("conllx") == (
        "1\tVa\taller\tVERB\tV\tMood=Imp\t0\troot\t_\t_\n"
        "2\tà\tà\tADP\tP\t_\t4\tcase\t_\t_\n"
        "3\tle\tle\tDET\tD\tDefinite=Def\t4\tdet\t_\t_\n"
        "4\tparc_zoo\tparc_zoo\tNOUN\tN\t_\t1\tobl:à\t_\t_\n"
        "5\t_\t_\tPUNCT\tS\t_\t_\t_\t_\t_\n"
        "\n"
    )


def test_conllx_keeps_spaces_outside_form_and_lemma() -> None:
    treebank = Treebank.from_words([["a b", "c"]], xpos=[["x y", "z"]])
    assert treebank.to_string("conllx").startswith("1\ta_b\t_\t_\tx y\t_\t_\t_\t_\t_\n2\tc\t")


def test_conllu_from_conllx_drops_projective_heads_and_keeps_comments() -> None:
    text = "# sent_id = 1\n1\ta\ta\tX\tx\t_\t0\troot\t0\tROOT\n\n"
    treebank = Treebank.from_string(text, format="conllx")
    assert treebank.format == "conllx"
    assert treebank[0].to_string("conllu") == "# sent_id = 1\n1\ta\ta\tX\tx\t_\t0\troot\t_\t_\n\n"


@given(texts())
def test_converting_keeps_the_trees(text: str) -> None:
    treebank = Treebank.from_string(text)
    converted = Treebank.from_string(treebank.to_string("conllx"), format="conllx")
    assert trees(converted) == [(f.replace(" ", "_"), h, d) for f, h, d in trees(treebank)]
    assert Treebank.from_string(converted.to_string("conllu")).heads.tolist() == (treebank.heads.tolist())


def test_converting_writes_replaced_trees() -> None:
    parsed = Treebank.from_string(EXAMPLE).with_trees([0, 1, 1, 1, 1], [0] * 5, ["dep"])
    assert Treebank.from_string(parsed.to_bytes("conllx"), format="conllx").heads.tolist() == [
        0, 1, 1, 1, 1,
    ]  # fmt: skip


# Refusing

# What is bad, and in which of its lines (0 is the comment that names the sentence).
REFUSED = {
    "too few columns": (line(1) + "2\tw\t_\n\n", 2, "10 columns are expected, found 3"),
    "too many columns": (line(1)[:-1] + "\t_\n\n", 1, "10 columns are expected, found 11"),
    "spaces for tabs": ("1 w _ _ _ _ 0 root _ _\n\n", 1, "separated by tabs"),
    "an empty column": (line(1, form="") + "\n", 1, "column FORM is empty; write _"),
    "an empty last column": (line(1)[:-2] + "\n\n", 1, "column MISC is empty"),
    "a gap": (line(1) + line(3) + "\n", 2, "word id 3 where 2 is expected; a word is missing"),
    "a duplicate": (line(1) + line(1, "x") + "\n", 2, "word id 1 where 2"),
    "a later duplicate": (line(1) + line(2) + line(2) + "\n", 3, "the id comes twice"),
    "no blank line": (line(1) + line(2) + line(1) + "\n", 3, "is the blank line between"),
    "a first id of 0": (line(0) + "\n", 1, "word id 0 where 1 is expected"),
    "no id": (line("x") + "\n", 1, "the id 'x' is neither a word"),
    "a leading zero": (line("01") + "\n", 1, "the id '01' is neither"),
    "a late range": (line(1) + line("1-2") + line(2) + "\n", 2, "range '1-2' is out of place"),
    "an early range": (line("2-3") + line(1) + "\n", 1, "the next word here is 1"),
    "a backward range": (line(1) + line("2-1") + line(2) + "\n", 2, "ends before it starts"),
    "a range too long": (line("1-3") + line(1) + line(2) + "\n", 1, "ends at word 3, but the"),
    "overlapping ranges": (
        line("1-2") + line(1) + line("2-3") + line(2) + line(3) + "\n", 3, "overlaps the range",
    ),
    "a range twice": (line("1-2") + line("1-2") + line(1) + line(2) + "\n", 2, "overlaps"),
    "an early empty node": (line("1.1") + line(1) + "\n", 1, "the next empty node here would"),
    "a gap in empty nodes": (line(1) + line("1.2") + "\n", 2, "would be 1.1"),
    "empty nodes as decimals": (
        line(1) + "".join(line(f"1.{n}") for n in (1, 10)) + "\n", 3, "would be 1.2",
    ),
    "an empty node in a range's way": (
        line("1-2") + line("0.1") + line(1) + line(2) + "\n", 2, "a range is followed by its first",
    ),
    "no words but empty nodes": (line("0.1") + "\n", 0, "no words"),
    "no words but comments": ("# a\n# b\n\n", 0, "comment lines without words"),
    "a comment among words": (line(1) + "# a\n" + line(2) + "\n", 2, "a comment between the words"),
    "a head that is no number": (line(1, head="x") + "\n", 1, "HEAD is 'x', which is not a number"),
    "a negative head": (line(1, head=-1) + "\n", 1, "HEAD is '-1', which is not a number"),
    "two heads": (line(1, head="0|2") + line(2) + "\n", 1, "several heads in one field, '0|2'"),
    "a head out of range": (sentence(2, 0, 4), 3, "HEAD is 4, but the sentence's last word is 3"),
    "a huge head": (sentence(10**30), 1, f"HEAD is {10**30}, but"),
    "its own head": (sentence(0, 2), 2, "the word is its own head"),
    "a cycle": (sentence(0, 3, 4, 2), 2, "the heads make a cycle, 2 → 3 → 4 → 2"),
    "a cycle beside an unknown head": (sentence("_", 3, 2), 2, "a cycle, 2 → 3 → 2"),
    "no root": (sentence(2, 3, 1), 1, "no root; give one word HEAD 0"),
    "invalid UTF-8": ((line(1) + line(2, "é") + "\n").encode("latin-1"), 2, "UTF-8"),
    "a NUL byte": (line(1, form="\0") + "\n", 1, "NUL byte"),
    "a last line without end": (sentence(0)[:-2], 1, "the text ends within a sentence"),
    "no blank line at the end": (sentence(0, 1)[:-1], 2, "the text ends within a sentence"),
    "a line cut short": ("1\tw\t_", 1, "the text ends within a sentence"),
}  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("text", "bad_line", "reason"), REFUSED.values(), ids=REFUSED)
def test_refused_with_file_line_sentence_id_and_reason(
    text: str | bytes, bad_line: int, reason: str, end: str
) -> None:
    data = text.encode() if isinstance(text, str) else text
    before = sentence(0, id="fine") + "# sent_id = s-2\n"  # four lines
    data = (before.encode() + data).replace(b"\n", end.encode())
    message = refusal(data, source="f.conllu")
    assert message.startswith(f"f.conllu:{4 + bad_line}: sentence s-2: ")
    assert reason in message


def test_a_refusal_without_a_sentence_id_names_file_and_line() -> None:
    assert refusal(sentence(1)) == "<text>:1: the word is its own head"


def test_long_fields_are_cut_short_in_messages_between_characters() -> None:
    assert f"'{'é' * 40}…'" in refusal(line("é" * 1000) + "\n")


def test_conllx_has_no_ranges() -> None:
    text = line("1-2") + line(1) + line(2) + "\n"
    assert "CoNLL-X has no multiword ranges" in refusal(text, format="conllx")
    assert "column PDEPREL is empty" in refusal(line(1)[:-2] + "\n\n", format="conllx")


def test_a_treebank_error_is_an_arcwise_error_and_a_value_error() -> None:
    assert issubclass(TreebankError, ArcwiseError) and issubclass(TreebankError, ValueError)


@given(st.binary(min_size=1, max_size=12).filter(lambda form: not set(form) & set(b"\t\r\n\0")))
def test_a_form_is_accepted_if_and_only_if_it_is_utf8(form: bytes) -> None:
    text = line(1, "FORM").encode().replace(b"FORM", form) + b"\n"
    try:
        expected = form.decode()
    except UnicodeDecodeError:
        assert "not valid UTF-8" in refusal(text)
    else:
        assert Treebank.from_string(text)[0][0].form == expected


@pytest.mark.parametrize("code_point", [0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF])
def test_the_bounds_of_utf8_are_exact(code_point: int) -> None:
    padding = "a" * 13
    assert Treebank.from_words([[padding + chr(code_point)]])[0][0].form[-1] == chr(code_point)


@pytest.mark.parametrize(
    "form", [b"\xc0\x80", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf",
             b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\x80", b"\xe2\x82", b"\xc3"],
)  # fmt: skip
def test_overlong_surrogate_cut_and_too_high_sequences_are_refused(form: bytes) -> None:
    assert "not valid UTF-8" in refusal(line(1, "aFORMa").encode().replace(b"FORM", form) + b"\n")


def test_a_lone_surrogate_in_a_string_is_refused() -> None:
    assert refusal(line(1, "\ud800") + "\n").startswith("<text>:1: the line is not valid UTF-8")


@given(st.lists(st.integers(-1, 6), min_size=1, max_size=6))
def test_heads_are_accepted_if_and_only_if_every_word_leads_to_root(heads: list[int]) -> None:
    def leads_to_root(word: int) -> bool:
        for _ in heads:
            word = heads[word - 1]
            if word <= 0 or word > len(heads):
                return word <= 0
        return False

    text = sentence(*("_" if head < 0 else head for head in heads))
    if all(leads_to_root(word) for word in range(1, len(heads) + 1)):
        assert Treebank.from_string(text).heads.tolist() == heads
    else:
        refusal(text)


def test_a_long_chain_and_a_long_cycle_are_told_apart() -> None:
    length = 50_000
    assert len(Treebank.from_string(sentence(*range(length)))[0]) == length
    assert "1 → 3 → 4" in refusal(sentence(3, 0, *range(4, length), 1))


def test_skipping_bad_sentences_names_them_and_keeps_the_others() -> None:
    good = [sentence(0, id="a"), sentence(2, 0, id="b")]
    bad = ["# sent_id = c\n" + line(1, head=0, deprel="lost") + line(2, head=2) + "\n\n", "# d\n\n"]
    text = "\ufeff" + bad[0] + good[0] + bad[1] + good[1] + sentence(0, id="e")[:-1]
    treebank = Treebank.from_string(text, skip_bad=True, source="x")
    assert treebank.to_string() == "\ufeff" + "".join(good)
    assert trees(treebank) == trees(Treebank.from_string("".join(good)))
    assert treebank.label_names == ["dep"]
    assert [message.split(": ")[0] for message in treebank.bad] == ["x:3", "x:9", "x:16"]
    assert treebank.bad[0] == "x:3: sentence c: the word is its own head"


# Text to be parsed


@pytest.mark.parametrize("head", ["x", "0|2", "9", "1", "-1", "01", "99999999999", "_"])
def test_without_checking_trees_an_impossible_head_is_unknown(head: str) -> None:
    text = line(1, head=head) + line(2, head=1) + "\n"
    treebank = Treebank.from_string(text, check_trees=False)
    assert treebank.heads.tolist() == [-1, 1]
    assert treebank.to_string() == text


def test_without_checking_trees_cycles_pass_and_the_form_is_still_checked() -> None:
    assert Treebank.from_string(sentence(2, 1), check_trees=False).heads.tolist() == [2, 1]
    for name in ("a gap", "too few columns", "invalid UTF-8", "no blank line at the end"):
        assert REFUSED[name][2] in refusal(REFUSED[name][0], check_trees=False)


# Words


@given(st.lists(st.lists(fields, min_size=1, max_size=5), max_size=3))
def test_words_come_out_as_they_went_in(words: list[list[str]]) -> None:
    tags = [[form[::-1] for form in one] for one in words]
    treebank = Treebank.from_words(words, xpos=tags, misc=words)
    assert [[token.form for token in one] for one in treebank] == words
    assert [[token.xpos for token in one] for one in treebank] == tags
    assert [[token.misc for token in one] for one in treebank] == words
    assert set(treebank.column("upos") + treebank.column("lemma")) <= {"_"}
    assert (treebank.heads == -1).all() and (treebank.labels == -1).all()


@pytest.mark.parametrize(
    ("words", "upos", "reason"),
    [
        (["a b"], None, "sentence 0 .*column form is a string"),
        ([["a"], []], None, "sentence 1 .*has no words"),
        ([["a", ""]], None, "the value ''"),
        ([["a\tb"]], None, "neither tabs nor line ends"),
        ([["a\r"]], None, "neither tabs nor line ends"),
        ([["a"]], [["X", "Y"]], "column upos has 2 values for 1 words"),
        ([["a"]], [], "column upos has 0 sentences, but there are 1"),
        ([["a"]], ["X"], "column upos is a string"),
    ],
)
def test_words_that_cannot_be_written_are_refused(
    words: list[list[str]], upos: list[list[str]] | None, reason: str
) -> None:
    with pytest.raises(TreebankError, match=reason):
        Treebank.from_words(words, upos=upos)


# Files


@pytest.mark.parametrize(
    ("name", "format"),
    [("a.conllu", "conllu"), ("a.conll", "conllx"), ("a.CONLLX", "conllx"), ("a.txt", "conllu")],
)
def test_the_format_is_guessed_from_the_files_ending(tmp_path: Path, name: str, format: str) -> None:
    path = tmp_path / name
    path.write_text(sentence(0))
    assert Treebank.read(path).format == format
    assert next(Treebank.stream(str(path))).format == format
    assert Treebank.read(path, format="conllu").format == "conllu"


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match="no format 'xml'; choose from conllu, conllx"):
        Treebank.from_string("", format="xml")  # type: ignore[arg-type]
    with pytest.raises(TreebankError, match="no format 'xml'"):
        Treebank.stream(tmp_path, format="xml")  # type: ignore[arg-type]


def test_files_that_are_no_treebanks_are_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "packed").write_bytes(b"\x1f\x8b\x08")
    (tmp_path / "x.json").write_bytes(b' [{"tokens": []}]')
    reasons = {
        ".": "is a directory; name one",
        "missing": "does not exist",
        "binary": "is a binary file",
        "packed": "is a gzip file; decompress it",
        "x.json": "is JSON, and a treebank is CoNLL-U: convert it",
        "binary/x": "cannot be read",
    }
    for name, reason in reasons.items():
        message = re.escape(str(tmp_path / name)) + " " + reason
        with pytest.raises(TreebankError, match=message):
            Treebank.read(tmp_path / name)
        with pytest.raises(TreebankError, match=message):
            list(Treebank.stream(tmp_path / name))


def test_a_file_beyond_4_gib_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.conllu"
    with path.open("wb") as file:
        file.truncate(2**32)
    with pytest.raises(TreebankError, match=r"larger than 4 GiB; read it in parts with Treebank\.stream"):
        Treebank.read(path)


def test_a_file_whose_name_is_not_utf8_is_read_and_named(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.conllu")
    Path(path).write_text(sentence(1))
    with pytest.raises(TreebankError, match=r"\\udcff\.conllu:1: the word is its own head"):
        Treebank.read(path)


def test_a_refusal_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(sentence(0) + sentence(2, 1))
    with pytest.raises(TreebankError, match=re.escape(f"{path}:3: the sentence has no root")):
        Treebank.read(path)
    assert len(Treebank.read(path, skip_bad=True).bad) == 1


def test_a_stream_counts_lines_through_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(sentence(0, 1) * 50 + sentence(2, 1))
    parts = Treebank.stream(path, batch_bytes=100)
    assert len(next(parts)) < 50
    with pytest.raises(TreebankError, match=r"bad\.conllu:151: the sentence has no root"):
        list(parts)
    assert sum(len(part.bad) for part in Treebank.stream(path, batch_bytes=1, skip_bad=True)) == 1


def test_a_byte_order_mark_is_one_only_at_the_start_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "joined.conllu"
    path.write_text(("\ufeff" + sentence(0)) * 2)
    for read in (Treebank.read, lambda path: list(Treebank.stream(path, batch_bytes=1))):
        with pytest.raises(TreebankError, match=r"joined\.conllu:3: the id '\ufeff1' is neither"):
            read(path)


def test_a_stream_reads_a_pipe_before_its_end(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    first_part_read = threading.Event()

    def write() -> None:
        with path.open("wb", buffering=0) as pipe:
            pipe.write(sentence(0).encode() * 100)
            first_part_read.wait(timeout=10)
            pipe.write(sentence(0, 1).encode())

    writer = threading.Thread(target=write)
    writer.start()
    parts = Treebank.stream(path, batch_bytes=200)
    assert next(parts)[0].heads.tolist() == [0]
    first_part_read.set()
    assert list(parts)[-1][-1].heads.tolist() == [0, 1]
    writer.join()


def test_standard_input_is_read_by_the_name_of_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sentence(0).encode())))
    treebank = Treebank.read(Path("-"))
    assert (treebank.source, len(treebank)) == ("<stdin>", 1)
    assert not sys.stdin.closed


def test_a_written_file_has_the_bytes_that_were_read(tmp_path: Path) -> None:
    path = tmp_path / "out.conllu"
    path.write_text("old")
    path.chmod(0o640)
    text = "\ufeff" + EXAMPLE.replace("\n", "\r\n")
    Treebank.from_string(text).write(path)
    assert path.read_bytes() == text.encode()
    assert path.stat().st_mode & 0o777 == 0o640
    Treebank.from_string(text).write(str(path), "conllx")
    assert path.read_text().startswith("1\tVa\t")
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.conllu"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TreebankError, match=r"out.conllu cannot be written: No space left on device\."):
        Treebank.from_string(EXAMPLE).write(path)
    assert [p.read_text() for p in tmp_path.iterdir()] == ["old"]


def test_writing_goes_through_links_and_into_pipes_without_replacing_them(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_text("old")
    link.symlink_to(target)
    Treebank.from_string(EXAMPLE).write(link)
    assert link.is_symlink() and target.read_text() == EXAMPLE
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    Treebank.from_string(EXAMPLE).write(pipe)
    reader.join()
    assert received == [EXAMPLE.encode()] and pipe.is_fifo()


def test_a_directory_cannot_be_written_over(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match="cannot be written: Is a directory"):
        Treebank.from_string(EXAMPLE).write(tmp_path)


def test_standard_output_is_written_by_the_name_of_a_dash(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    Treebank.from_string(EXAMPLE).write("-")
    assert capfdbinary.readouterr().out == EXAMPLE.encode()


def test_the_documentations_examples_are_true() -> None:
    assert doctest.testmod(arcwise.treebank).attempted > 5
    assert doctest.testmod(arcwise.treebank).failed == 0


@given(st.lists(st.integers(1, 9), max_size=8), st.integers(1, 8), st.integers(1, 200))
def test_long_sentences_are_skipped_in_a_stream_as_in_a_file(lengths, max_words, batch_bytes):
    text = "".join(
        f"# sent_id = {number}\n" + sentence(0, *[1] * (length - 1)) for number, length in enumerate(lengths)
    )
    with tempfile.NamedTemporaryFile(suffix=".conllu") as file:
        file.write(text.encode())
        file.flush()
        how = {"skip_bad": True, "max_words": max_words}
        whole = Treebank.read(file.name, **how)
        parts = list(Treebank.stream(file.name, batch_bytes=batch_bytes, **how))
    assert [len(words) for words in whole] == [length for length in lengths if length <= max_words]
    assert [(words.id, words.line) for part in parts for words in part] == [(w.id, w.line) for w in whole]
    assert [bad for part in parts for bad in part.bad] == whole.bad
    assert len(whole.bad) == len(lengths) - len(whole)


def test_a_stream_keeps_no_more_of_a_sentence_than_shows_that_it_is_too_long(monkeypatch, tmp_path):
    path = tmp_path / "long.conllu"
    path.write_text("# comment\n" * 200_000 + sentence(0))
    largest = 0
    parse = Treebank._parse.__func__

    def measured(cls, text, *how, **more):
        nonlocal largest
        largest = max(largest, len(text))
        return parse(cls, text, *how, **more)

    monkeypatch.setattr(Treebank, "_parse", classmethod(measured))
    [part] = Treebank.stream(path, batch_bytes=10_000, max_words=1, skip_bad=True)
    assert "more than 1001000 bytes" in part.bad[0]
    assert largest < 1_020_000


def test_limits_are_checked():
    for max_words in (0, -1, 2**31):
        with pytest.raises(TreebankError, match="max_words is"):
            Treebank.from_string(sentence(0), max_words=max_words)
