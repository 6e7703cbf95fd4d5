"""Tables: what polars, pandas, DuckDB and pyarrow read of treebanks, and what memory that takes."""

from __future__ import annotations

import gc
import math
from pathlib import Path

import pytest

import arcwise
from arcwise import Document, OptionError, Treebank
from arcwise.arrow import default_columns, table

pa = pytest.importorskip("pyarrow", reason="the extra `arrow` is not installed")

TEXT = "I can't go. Dogs bark.  Hush!"


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    nlp = arcwise.load("en-fast")
    return list(nlp.pipe([TEXT, "", "Look!\nIt's a crab."], probabilities="moves"))


def test_rows_of_words_have_the_columns_of_the_treebank(garden: Treebank):
    words = pa.table(garden.to_arrow())
    words.validate(full=True)
    assert words.num_rows == garden.word_count
    for name in ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc"):
        expected = [None if value == "_" and name != "form" else value for value in garden.column(name)]
        assert words[name].to_pylist() == expected, name
    assert words["head"].to_pylist() == garden.heads.tolist()
    assert [*zip(words["start"].to_pylist(), words["end"].to_pylist(), strict=True)] == garden.spans
    assert pa.types.is_dictionary(words.schema.field("upos").type)


def test_what_is_unknown_is_null():
    treebank = Treebank.from_words([["a", "_"]], upos=[["X", "_"]])
    words = pa.table(treebank.to_arrow()).to_pylist()
    assert [(w["form"], w["upos"], w["head"], w["deprel"], w["token"]) for w in words] == [
        ("a", "X", None, None, None),
        ("_", None, None, None, None),
    ]


def test_corrections_are_in_the_table():
    treebank = Treebank.from_words([["Hush"]])
    treebank[0][0].upos, treebank[0][0].head, treebank[0][0].deprel = "INTJ", 0, "root"
    (word,) = pa.table(treebank.to_arrow()).to_pylist()
    assert (word["upos"], word["head"], word["deprel"]) == ("INTJ", 0, "root")


def test_rows_of_sentences_hold_their_words(garden: Treebank):
    sentences = pa.table(garden.to_arrow("sentence", columns=["sent_id", "text", "id", "form", "conllu"]))
    sentences.validate(full=True)
    for row, sentence in zip(sentences.to_pylist(), garden, strict=True):
        assert (row["sent_id"], row["text"]) == (sentence.id, sentence.text)
        assert [(word["id"], word["form"]) for word in row["words"]] == [(t.id, t.form) for t in sentence]
        assert row["conllu"] == sentence.to_string()


def test_rows_of_documents_hold_all_that_is_known(documents: list[Document]):
    columns = [*default_columns("document", probabilities=True), "conllu"]
    rows = pa.table(table(documents, columns=columns))
    rows.validate(full=True)
    assert rows["text"].to_pylist() == [document.text for document in documents]
    for row, document in zip(rows.to_pylist(), documents, strict=True):
        assert Document.from_conllu(row["conllu"]).to_conllu() == document.to_conllu()
        words = [word for sentence in row["sentences"] for word in sentence["words"]]
        for word, token in zip(words, document.tokens, strict=True):
            assert (word["form"], word["start"], word["end"]) == (token.form, token.start, token.end)
            assert math.isclose(word["head_prob"], token.head_prob)
    tokens = [word["token"] for word in rows.to_pylist()[0]["sentences"][0]["words"]]
    assert tokens == [None, "can't", "can't", None, None]


def test_places_count_in_each_document(documents: list[Document]):
    words = pa.table(table(documents, rows="word")).to_pylist()
    assert next(word["start"] for word in words if word["document"] == 2) == 0
    assert [(w["document"], w["sentence"]) for w in words if w["id"] == 1] == [
        (number, sentence) for number, document in enumerate(documents) for sentence in range(len(document))
    ]


@pytest.mark.parametrize("rows", ["word", "sentence", "document"])
def test_nothing_is_a_table_without_rows(rows):
    nothing = pa.table(Document(Treebank.from_words([])).to_arrow(rows))
    nothing.validate(full=True)
    assert nothing.num_rows == (1 if rows == "document" else 0)


def test_a_table_is_read_as_often_as_one_likes_and_outlives_its_treebank(garden: Treebank):
    arrow = garden[:10].to_arrow()
    first, second = pa.table(arrow), pa.table(arrow)
    assert pa.schema(arrow) == first.schema
    del arrow
    gc.collect()
    assert first.equals(second)
    assert first["form"].to_pylist() == garden[:10].column("form")


def test_readers_share_its_memory(garden: Treebank):
    arrow = garden.to_arrow(columns=["head"])
    addresses = {pa.table(arrow)["head"].chunk(0).buffers()[1].address for _ in range(3)}
    assert len(addresses) == 1


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc says what memory is used")
def test_capsules_that_nobody_reads_leave_nothing_behind(garden: Treebank):
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    def use() -> None:
        arrow = garden.to_arrow("sentence")
        arrow.__arrow_c_stream__()
        arrow.__arrow_c_schema__()
        reader = pa.RecordBatchReader.from_stream(arrow)  # and reads none of it
        reader.close()
        child = pa.table(arrow)["words"].chunk(0).values.field("form")  # a child outlives the rest
        del arrow
        assert len(child) == garden.word_count

    for _ in range(20):
        use()
    gc.collect()
    before = resident()
    for _ in range(200):
        use()
    gc.collect()
    # Each time takes some 300 KB.
    assert resident() - before < 20_000_000


def test_columns_that_are_not_there_are_refused(garden: Treebank):
    with pytest.raises(OptionError, match="no column 'size'"):
        garden.to_arrow(columns=["size"])
    with pytest.raises(OptionError, match="no column 'conllu'"):
        garden.to_arrow(columns=["conllu"])
    with pytest.raises(OptionError, match="not 'page'"):
        garden.to_arrow("page")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="at least one column"):
        garden.to_arrow(columns=[])


def test_polars_reads_it(garden: Treebank):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame(garden.to_arrow())
    assert frame["form"].to_list() == garden.column("form")
    nested = polars.DataFrame(garden.to_arrow("sentence"))
    assert nested["words"].list.len().to_list() == [len(sentence) for sentence in garden]


def test_pandas_reads_it(garden: Treebank):
    pandas = pytest.importorskip("pandas", minversion="3.0", reason="no pandas that takes tables")
    frame = pandas.DataFrame.from_arrow(garden.to_arrow())
    assert frame["form"].tolist() == garden.column("form")
    assert frame["head"].tolist() == garden.heads.tolist()


def test_duckdb_queries_it(garden: Treebank):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    words = garden.to_arrow()
    assert len(words) == garden.word_count
    ((count,),) = duckdb.sql("select count(*) from words where upos = 'NOUN'").fetchall()
    assert count == garden.column("upos").count("NOUN")


def test_what_was_read_makes_a_treebank_again(garden: Treebank):
    words = pa.table(garden.to_arrow(columns=["form", "upos", "head", "deprel"]))
    columns = {name: words[name].to_pylist() for name in words.column_names}
    again = Treebank.from_columns(columns)
    assert again.column("upos") == garden.column("upos")
    assert again.heads.tolist() == garden.heads.tolist()
