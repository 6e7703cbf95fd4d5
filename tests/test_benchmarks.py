"""Tables of pages are those of the store of results, and the frame of benchmarks keeps what it is told."""

import doctest
import importlib
import json
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
PROGRAMS = sorted(path.stem for path in BENCHMARKS.glob("*.py") if path.stem != "worker")


@pytest.fixture(autouse=True)
def found(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def module(name):
    return importlib.import_module(name)


def test_generated_pages_are_up_to_date():
    assert module("report").out_of_date() == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_examples_of_a_program_run(name):
    assert doctest.testmod(module(name)).failed == 0


@pytest.mark.parametrize("path", sorted((BENCHMARKS / "results").glob("*.json")), ids=lambda path: path.stem)
def test_a_result_says_what_it_was_measured_by(path):
    assert path.stem == "earlier" or path.stem in PROGRAMS
    for record in json.loads(path.read_text("utf-8")):
        assert {"setting", "commit", "date", "values"} <= record.keys()
        assert ("seed" in record and "unit" in record) or ("seeds" in record and "source" in record)


def test_a_run_replaces_the_one_before(tmp_path):
    store = module("store").Store(tmp_path, "some")
    store.add({"row": "a"}, 1, {"las": 80.0})
    store.add({"row": "a"}, 2, {"las": 82.0})
    store.add({"row": "a"}, 1, {"las": 84.0})
    assert store.results().values("las") == [84.0, 82.0]
    store.add({"row": "a"}, 1, {"las": 90.0}, anew=True)
    assert store.results().values("las") == [90.0]
    assert [path.name for path in tmp_path.iterdir()] == ["some.json"]


def test_runs_count_for_more_than_what_was_taken_over(tmp_path):
    store = module("store").Store(tmp_path, "some")
    earlier = {"setting": {"row": "a"}, "seeds": 3, "commit": "0", "date": "", "source": "measured earlier"}
    store.write([{**earlier, "values": {"las": [80.0, 0.5]}}])
    mean = module("tables").mean
    assert mean(store.results(), "las") == "80.00 ± 0.50"
    assert store.results().seeds == 3
    store.add({"row": "a"}, 1, {"las": 82.0})
    assert mean(store.results(), "las") == "82.00"


@pytest.fixture
def command(monkeypatch, tmp_path):
    """A program of two rows, and the runs that it was asked for."""
    frame, tables = module("frame"), module("tables")
    runs = []

    def run(data, setting, seed):
        runs.append((setting["row"], seed))
        if setting["row"] == "stop":
            raise KeyboardInterrupt
        return {"las": 80.0 + seed}

    def table(results):
        yield tables.Table("Some", ("row", "LAS"), [("a", tables.mean(results, "las"))])

    @frame.benchmark(run, table, seeds=2)
    def main(data):
        yield "first", {"row": "first", "epochs": None}
        yield "stop", {"row": "stop"}

    def call(*arguments):
        main.main([*arguments, "--store", str(tmp_path)], standalone_mode=False)
        return runs

    return call


def test_a_run_in_the_store_is_not_made_again(command, capsys):
    assert command("--only", "first") == [("first", 1), ("first", 2)]
    assert "81.50 ± 0.71" in capsys.readouterr().out
    assert command("--only", "first", "--seeds", "3") == [("first", 1), ("first", 2), ("first", 3)]
    assert len(command("--only", "first", "--again")) == 5


def test_an_interrupt_leaves_what_is_done(command, capsys):
    assert command() == [("first", 1), ("stop", 1)]
    printed = capsys.readouterr()
    assert "81.00" in printed.out
    assert "Interrupted" in printed.err


def test_an_unknown_row_is_refused(command):
    click = module("click")
    with pytest.raises(click.ClickException, match="The rows: first, stop"):
        command("--only", "nothing")


def test_a_table_in_markdown():
    table = module("tables").Table("Some", ("row", "LAS"), [("a", "80.00")], ["A note."])
    assert table.lines(True) == ["| row |   LAS |", "| --- | ----: |", "| a   | 80.00 |", "", "A note."]
