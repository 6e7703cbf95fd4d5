"""Texts in files of tables: what is read, what is carried along, and runs that were broken off."""

from __future__ import annotations

import csv
import gzip
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import arcwise
from arcwise import Document, OptionError, Pipeline, TextError
from arcwise.cli import cli

pa = pytest.importorskip("pyarrow", reason="the extra `arrow` is not installed")

import pyarrow.parquet as pq  # noqa: E402

from arcwise.corpus import parse_files, parse_table  # noqa: E402

TEXTS = ["Dogs bark. Cats sleep.", "", "I can't go.", None, "Hush!"]
KILLS = int(os.environ.get("ARCWISE_KILLED_RUNS", "1"))
"""How many runs of each kind are killed, several times each."""


@pytest.fixture(scope="module")
def model() -> Pipeline:
    return arcwise.load("en-fast")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.parquet"
    ids = [f"0{number}" for number in range(len(TEXTS))]
    table = pa.table({"id": ids, "text": TEXTS, "tags": [["a", "b"], [], None, ["c"], []]})
    pq.write_table(table, path, row_group_size=2)
    return path


def invoke(*arguments: object) -> str:
    done = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.output


def forms(row: dict) -> list[str]:
    return [word["form"] for sentence in row["sentences"] for word in sentence["words"]]


def test_documents_have_their_sentences_beside_what_was_there(model, corpus, tmp_path):
    output = tmp_path / "parsed.parquet"
    invoke("parse", "en-fast", corpus, "--text-column", "text", "-o", output)
    table = pq.read_table(output)
    assert table.column_names == ["id", "text", "tags", "sentences"]
    assert table.select(["id", "text", "tags"]).equals(pq.read_table(corpus))
    for row, text in zip(table.to_pylist(), TEXTS, strict=True):
        expected = model(text or "")
        assert forms(row) == [token.form for token in expected.tokens]
        heads = [word["head"] for sentence in row["sentences"] for word in sentence["words"]]
        assert heads == expected.treebank.heads.tolist()
    assert [path.name for path in tmp_path.iterdir() if "parsed" in path.name] == ["parsed.parquet"]


def test_rows_may_be_sentences_words_or_conllu(model, corpus, tmp_path):
    tables = {}
    for rows in ("sentence", "word", "conllu"):
        output = tmp_path / f"{rows}.parquet"
        parse_files(model, corpus, output, rows=rows)
        tables[rows] = pq.read_table(output)
    documents = [model(text or "") for text in TEXTS]
    assert tables["sentence"].num_rows == sum(map(len, documents))
    assert tables["sentence"]["id"].to_pylist() == ["00", "00", "02", "04"]
    words = tables["word"].to_pylist()
    assert [word["form"] for word in words] == [token.form for d in documents for token in d.tokens]
    # The input has a column of this name already.
    assert [word["parsed_id"] for word in words] == [token.id for d in documents for token in d.tokens]
    assert {word["id"] for word in words} == {"00", "02", "04"}
    for conllu, document in zip(tables["conllu"]["conllu"].to_pylist(), documents, strict=True):
        assert conllu == document.to_conllu()


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".jsonl.xz", ".jsonl.zst", ".ndjson.bz2"])
def test_json_lines_go_in_and_out(model, tmp_path, ending):
    rows = [
        {"id": 7, "text": "Dogs bark.", "when": "2020-01-01", "more": {"a": [1, 2]}},
        {"id": 8, "text": "Hush!", "when": None, "more": None},
    ]
    given = tmp_path / "in.jsonl"
    given.write_text("".join(json.dumps(row) + "\n\n" for row in rows))
    middle, output = tmp_path / f"out{ending}", tmp_path / "again.jsonl"
    parse_files(model, given, middle, columns=("form",), part_bytes=1)
    parse_files(model, middle, output, rows="conllu")
    for row, before in zip(map(json.loads, output.read_text().splitlines()), rows, strict=True):
        assert {name: row[name] for name in before} == before
        assert forms(row) == [token.form for token in model(before["text"]).tokens]
        assert Document.from_conllu(row["conllu"])


def test_csv_goes_in_and_out(model, tmp_path):
    given = tmp_path / "in.csv.gz"
    with gzip.open(given, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["no", "text"], ["007", "Dogs, he said,\nbark."], ["008", 'A "b".']])
    output = tmp_path / "out.tsv"
    parse_files(model, given, output, rows="word", columns=("form",), part_bytes=1)
    with output.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert {row["no"] for row in rows} == {"007", "008"}
    assert "said" in [row["form"] for row in rows]
    with pytest.raises(OptionError, match="CSV has no room for 'sentences'"):
        parse_files(model, given, tmp_path / "nested.csv")


def test_folders_and_patterns_are_all_their_tables(model, tmp_path):
    folder = tmp_path / "corpus" / "inner"
    folder.mkdir(parents=True)
    for number in range(3):
        pq.write_table(pa.table({"text": [f"Text {number}."]}), folder / f"{number}.parquet")
    (folder / "notes.txt").write_text("no table")
    expected = [f"Text {number}." for number in range(3)]
    for meant in (tmp_path / "corpus", tmp_path / "corpus" / "*" / "*.parquet"):
        parse_files(model, meant, tmp_path / "out.parquet")
        assert pq.read_table(tmp_path / "out.parquet")["text"].to_pylist() == expected
    parse_files(model, folder, f"{tmp_path}/parts/", part_bytes=1)
    assert len(list((tmp_path / "parts").iterdir())) == 3
    assert pq.read_table(tmp_path / "parts").num_rows == 3
    with pytest.raises(OptionError, match="has files in it"):
        parse_files(model, folder, f"{tmp_path}/parts/")


def test_nothing_is_a_table_without_rows(model, tmp_path):
    for rows in ("document", "word"):
        pq.write_table(
            pa.table({"id": pa.array([], "int64"), "text": pa.array([], "string")}), tmp_path / "i.parquet"
        )
        parse_files(model, tmp_path / "i.parquet", tmp_path / "o.parquet", rows=rows)
        table = pq.read_table(tmp_path / "o.parquet")
        assert table.num_rows == 0 and table.column_names[0] == "id"


def test_probabilities_and_other_options_are_handed_on(corpus, tmp_path):
    output = tmp_path / "o.parquet"
    invoke(
        "parse", "en-fast", corpus, "-o", output, "--rows", "word", "--probabilities", "moves", "--beam", 2
    )
    probabilities = pq.read_table(output)["head_prob"].to_pylist()
    assert all(0 < probability <= 1 for probability in probabilities)


def test_texts_that_cannot_be_read_are_named_replaced_or_left_empty(model, tmp_path):
    pq.write_table(pa.table({"text": ["Dogs bark.", "a\0b"]}), tmp_path / "in.parquet")
    with pytest.raises(TextError, match=r"in\.parquet: row 1"):
        parse_files(model, tmp_path / "in.parquet", tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()
    # What was done before is not done again.
    done = parse_files(model, tmp_path / "in.parquet", tmp_path / "out.parquet", errors="skip")
    assert done.rows == 2
    assert [len(row["sentences"]) for row in pq.read_table(tmp_path / "out.parquet").to_pylist()] == [1, 0]
    parse_files(model, tmp_path / "in.parquet", tmp_path / "out.parquet", errors="replace")
    assert "\ufffd" in "".join(forms(pq.read_table(tmp_path / "out.parquet").to_pylist()[1]))


def test_what_makes_no_sense_is_refused(model, corpus, tmp_path):
    output = tmp_path / "out.parquet"
    with pytest.raises(TextError, match=r"no column 'body' of texts .* id, text, tags"):
        parse_files(model, corpus, output, text_column="body")
    with pytest.raises(TextError, match="of the type list"):
        parse_files(model, corpus, output, text_column="tags", restart=True)
    with pytest.raises(OptionError, match="does not say what table"):
        parse_files(model, corpus, tmp_path / "out.conllu")
    with pytest.raises(OptionError, match="is no table"):
        parse_files(model, tmp_path / "in.txt", output)
    (tmp_path / "in.jsonl").write_text('{"text": "a"}\n[1]\n')
    with pytest.raises(TextError, match=r"in\.jsonl:2: .* no JSON object"):
        parse_files(model, tmp_path / "in.jsonl", output, restart=True)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(TextError, match=r"bad\.parquet is no parquet file"):
        parse_files(model, tmp_path / "bad.parquet", output, restart=True)
    pq.write_table(pa.table({"other": ["a"]}), tmp_path / "other.parquet")
    with pytest.raises(TextError, match="parse them one by one"):
        parse_files(model, [corpus, tmp_path / "other.parquet"], output, restart=True)


def test_a_field_that_comes_up_late_is_not_lost_silently(model, tmp_path):
    lines = [json.dumps({"text": "a"})] * 1000 + [json.dumps({"text": "b", "late": 1})]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    with pytest.raises(TextError, match="field 'late' comes up after row 1000"):
        parse_files(model, tmp_path / "in.jsonl", tmp_path / "out.parquet", columns=("form",))


def test_the_command_line_refuses_what_tables_cannot_have(corpus, tmp_path):
    def refusal(*arguments: object) -> str:
        done = CliRunner().invoke(cli, ["parse", "en-fast", *map(str, arguments)])
        assert done.exit_code != 0
        return done.output + str(done.exception)

    output = ("-o", tmp_path / "out.parquet")
    assert "--nbest cannot be said of tables" in refusal(corpus, *output, "--nbest", 2)
    assert "name a file or a folder (-o)" in refusal(corpus)
    assert "--rows is said of tables" in refusal(tmp_path / "in.jsonl", *output, "--rows", "word")


def test_a_run_goes_on_only_as_it_began(model, corpus, tmp_path):
    output = tmp_path / "out.parquet"
    pq.write_table(pa.table({"text": ["a"] * 1000 + ["b\0"]}), corpus)
    with pytest.raises(TextError):
        parse_files(model, corpus, output)
    with pytest.raises(OptionError, match="other options"):
        parse_files(model, corpus, output, rows="word", errors="replace")
    with pytest.raises(OptionError, match="another model"):
        parse_files(arcwise.load("en"), corpus, output, errors="replace")
    os.utime(corpus)
    with pytest.raises(OptionError, match="they have changed"):
        parse_files(model, corpus, output, errors="replace")
    assert parse_files(model, corpus, output, errors="replace", restart=True).resumed == 0


def test_two_runs_do_not_write_the_same_output(model, corpus, tmp_path):
    output = tmp_path / "out.parquet"

    def meanwhile(progress):
        with pytest.raises(OptionError, match="Another run is writing"):
            parse_files(model, corpus, output)

    parse_files(model, corpus, output, on_progress=meanwhile)


def test_tables_in_memory_are_parsed(model):
    parsed = parse_table(model, pa.table({"text": ["Dogs bark."], "n": [1]}))
    assert parsed.to_pylist()[0]["n"] == 1 and forms(parsed.to_pylist()[0])
    polars = pytest.importorskip("polars", reason="polars is not installed")
    assert parse_table(model, polars.DataFrame({"text": ["Hush."]})).num_rows == 1


RUN = """
import sys
import arcwise
from arcwise.corpus import parse_files
inputs, output = sys.argv[1:]
parse_files(arcwise.load("en-fast"), inputs, output, part_bytes=60_000, jobs=2, columns=("form", "head"))
"""


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "jsonl.gz", "folder"])
@pytest.mark.parametrize("run", range(KILLS))
def test_a_run_that_was_killed_has_every_row_once(model, tmp_path, kind, run):
    rows = 8_000
    texts = [f"Text number {number} is here." for number in range(rows)]
    if kind == "jsonl":
        given = tmp_path / "in.jsonl"
        given.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in enumerate(texts)))
    else:
        given = tmp_path / "in.parquet"
        pq.write_table(pa.table({"id": range(rows), "text": texts}), given, row_group_size=1500)
    output = tmp_path / ("out" if kind == "folder" else f"out.{kind}")
    parts = tmp_path / f"{output.name}.parts"
    command = [sys.executable, "-c", RUN, str(given), f"{output}/" if kind == "folder" else str(output)]
    chance = random.Random(f"{kind}{run}")
    killed = resumed = 0
    while not output.exists() and killed < 2 + run % 3:
        process = subprocess.Popen(command)
        before = len(list(parts.glob("part-*")))
        # At some moment after there is something new, as like as not while more is written.
        while process.poll() is None and len(list(parts.glob("part-*"))) <= before:
            time.sleep(0.002)
        time.sleep(chance.random() * 0.1)
        if process.poll() is None:
            process.kill()
            killed += 1
            resumed += before > 0
        process.wait()
    if not output.exists():
        subprocess.run(command, check=True)
    assert killed and not parts.exists()
    if kind == "jsonl.gz":
        with gzip.open(output, "rt", encoding="utf-8") as file:
            found = [json.loads(line) for line in file]
    elif kind == "jsonl":
        found = [json.loads(line) for line in output.read_text().splitlines()]
    else:
        found = pq.read_table(output).to_pylist()
    if kind == "folder":
        found.sort(key=lambda row: row["id"])
    assert [(row["id"], row["text"]) for row in found] == list(enumerate(texts))
    assert all(row["sentences"] for row in found)
