"""arcwise on a cluster: texts of a Ray dataset become their trees (docs/ray.md).

Needs the extra `ray`. Ray deals batches out to a pool of actors, each of which has the model and one core;
it waits with reading where they do not keep up, and hands the batches of a worker that was lost to another.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arcwise.errors import OptionError

try:
    import ray
    import ray.data
except ImportError as error:
    raise OptionError(
        "Ray is not installed, which arcwise.ray runs on: pip install 'arcwise[ray]'."
    ) from error

import arcwise.models
from arcwise.corpus.parsing import TableParsing, parse_table
from arcwise.pipeline import Pipeline
from arcwise.table_kinds import kind_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["parse", "parse_files", "read"]

BATCH_ROWS = 256
"""Of texts that a worker parses together."""


class Worker:
    """What an actor of the pool does: it has one model, and parses batches."""

    def __init__(self, model: Any, given: Mapping[str, Any], how: TableParsing) -> None:
        self._pipeline = Pipeline.from_bytes(ray.get(model), **given)
        self._how = how

    def __call__(self, batch: pa.Table) -> pa.Table:
        """The rows of a batch with what becomes of their texts."""
        return parse_table(self._pipeline, batch, self._how, source="<batch>")


def parse(
    dataset: ray.data.Dataset,
    *,
    column: str = "text",
    model: str | os.PathLike[str] | Pipeline = "en",
    workers: int | tuple[int, int] | None = None,
    batch_size: int = BATCH_ROWS,
    num_cpus: float = 0.5,
    memory: int | None = None,
    **how: Any,
) -> ray.data.Dataset:
    """A dataset with the trees of its texts, which are parsed when they are asked for.

    Args:
        dataset: Any dataset of Ray's with a column of texts.
        column: That column.
        model: A model, by its name or file, which are looked up here and not on the cluster: all of it is
            sent along, once to each node.
        workers: How many there are, or from how many to how many. A worker keeps a core busy; by default
            there are up to as many as the cluster has cores.
        batch_size: How many texts a worker parses together.
        num_cpus: How much of a core Ray sets aside for each worker. With all of it, workers on all cores
            would leave none to read and write with, and wait forever.
        memory: How many bytes Ray keeps free for each worker.
        how: As of `arcwise.corpus.TableParsing`: `rows`, `columns`, `errors`, `parsing`.
    """
    pipeline = model if isinstance(model, Pipeline) else arcwise.models.load(model)
    pipeline.demand("segmenter")
    if batch_size < 1:
        raise OptionError("A batch has at least one text (batch_size).")
    parsing = TableParsing(text_column=column, **how)
    if not ray.is_initialized():
        ray.init()
    least, most = workers if isinstance(workers, tuple) else (workers or 1, workers or _cores())
    # Ray starts a worker again that was lost, and has done again what it was at.
    return dataset.map_batches(
        Worker,
        fn_constructor_args=(ray.put(pipeline.to_bytes()), pipeline._given, parsing),
        batch_size=batch_size,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most),
        num_cpus=num_cpus,
        memory=memory,
    )


def _cores() -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def read(paths: Sequence[str]) -> ray.data.Dataset:
    """A dataset of files or folders, of this machine or of `s3://…` and the like: Parquet, JSON Lines or CSV.

    What does not say by its name what it is, such as a folder, is Parquet.
    """
    kinds = {kind_of(path) or "parquet" for path in paths}
    if len(kinds) > 1:
        raise OptionError(f"Files of one kind are read at a time, not {' and '.join(sorted(kinds))}.")
    readers = {"parquet": ray.data.read_parquet, "jsonl": ray.data.read_json, "csv": ray.data.read_csv}
    return readers[kinds.pop()](list(paths))


def parse_files(
    paths: Sequence[str], output: str, *, address: str | None = None, **how: Any
) -> ray.data.Dataset:
    """Reads, parses and writes a folder of Parquet files: what `arcwise parse … --ray ADDRESS` does.

    `address` is that of a cluster, `auto` for the one that this machine is in, or `local`. Other arguments as
    of `parse`.
    """
    if kind_of(output) is not None:
        raise OptionError(
            f"Workers write a folder of Parquet files, each its own, and {output} is a file: name a "
            "folder (-o)."
        )
    if not ray.is_initialized():
        ray.init(address=address)
    dataset = parse(read(paths), **how)
    dataset.write_parquet(output)
    return dataset
