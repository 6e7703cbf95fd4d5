"""arcwise on Ray: a real one, of two workers, one of which is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner

import arcwise
from arcwise import OptionError, Pipeline
from arcwise.cli import cli

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytest.importorskip("ray.data", reason="the extra `ray` is not installed")

import arcwise.ray  # noqa: E402

TEXT = "Document {} is here. Time flies like an arrow."


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """A cluster on this machine, whose workers find the package where these tests do."""
    package = str(Path(arcwise.__file__).parents[1])
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        object_store_memory=200_000_000,
        runtime_env={"env_vars": {"PYTHONPATH": package}},
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def model() -> Pipeline:
    return arcwise.load("en-fast")


def forms(row: dict) -> list[str]:
    return [word["form"] for sentence in row["sentences"] for word in sentence["words"]]


def test_every_document_comes_out_once_though_a_worker_is_killed(model, tmp_path):
    count = 2_000
    flag = tmp_path / "killed"

    def kill_one(batch):
        # In the process of a worker, once, with what it has done at that moment.
        if batch["id"][0].as_py() >= 500 and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return batch

    class Killed(arcwise.ray.Worker):
        def __call__(self, batch):
            return kill_one(super().__call__(batch))

    dataset = ray.data.from_items([{"id": i, "text": TEXT.format(i)} for i in range(count)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arcwise.ray, "Worker", Killed)
        parsed = arcwise.ray.parse(dataset, model="en-fast", workers=2, batch_size=50, columns=("form",))
    rows = sorted(parsed.take_all(), key=lambda row: row["id"])
    assert flag.exists()
    assert [row["id"] for row in rows] == list(range(count))
    for number in (0, 500, count - 1):
        assert forms(rows[number]) == [token.form for token in model(TEXT.format(number)).tokens]


def test_the_command_line_hands_tables_over(model, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    pq.write_table(pa.table({"id": [1, 2], "body": ["Dogs bark.", "Hush!"]}), tmp_path / "in.parquet")
    output = tmp_path / "out"
    arguments = ["parse", "en-fast", tmp_path / "in.parquet", "--text-column", "body", "-o", output]
    done = CliRunner().invoke(cli, [*map(str, arguments), "--ray", "auto", "--rows", "word"])
    assert done.exit_code == 0, done.output
    words = pq.read_table(output).sort_by([("id", "ascending")]).to_pylist()
    assert [word["form"] for word in words][-2:] == ["Hush", "!"]
    assert {word["id"] for word in words} == {1, 2}


def test_models_from_no_file_go_along():
    unnamed = Pipeline.from_bytes(arcwise.load("en-fast").to_bytes())
    dataset = ray.data.from_items([{"text": "Hush!"}])
    (row,) = arcwise.ray.parse(dataset, model=unnamed, workers=1, rows="conllu").take_all()
    assert "\tHush\t" in row["conllu"]


def test_what_makes_no_sense_is_refused(tmp_path):
    dataset = ray.data.from_items([{"text": "Hush!"}])
    with pytest.raises(OptionError, match="at least one text"):
        arcwise.ray.parse(dataset, batch_size=0)
    with pytest.raises(OptionError, match="not 'page'"):
        arcwise.ray.parse(dataset, rows="page")
    with pytest.raises(OptionError, match="name a folder"):
        arcwise.ray.parse_files(["in.parquet"], "out.parquet")
    with pytest.raises(OptionError, match="one kind"):
        arcwise.ray.read(["in.parquet", "in.csv"])
