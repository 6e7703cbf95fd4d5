"""Tables written to files."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from arcwise._files import open_output, without_compression
from arcwise.errors import OptionError

COMPRESSION = "zstd"  # of Parquet: at its lowest level, next to nothing beside parsing


def write(table: pa.Table, path: Path, kind: str, *, is_first: bool) -> None:
    """Writes a part, whole or not at all; the first one of CSV has the names of the columns."""
    with open_output(path) as file:
        if kind == "parquet":
            pq.write_table(table, file, compression=COMPRESSION, compression_level=1)
            return
        text = _jsonl(table) if kind == "jsonl" else _csv(table, path, is_first)
        file.write(_compressed(text.encode(), path))


def join(parts: Sequence[Path], path: Path, kind: str) -> None:
    """Makes one file of parts, which are left where they are."""
    with open_output(path) as file:
        if kind == "parquet":
            _join_parquet(parts, file)
            return
        for part in parts:  # which may be compressed: one after the other they are a file as well
            with part.open("rb") as source:
                shutil.copyfileobj(source, file)


def _join_parquet(parts: Sequence[Path], file: BinaryIO) -> None:
    with pq.ParquetWriter(
        file, pq.read_schema(parts[0]), compression=COMPRESSION, compression_level=1
    ) as writer:
        for part in parts:
            with pq.ParquetFile(part) as source:
                for group in range(source.metadata.num_row_groups):
                    writer.write_table(source.read_row_group(group))


def _jsonl(table: pa.Table) -> str:
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode
    return "".join(f"{encode(row)}\n" for row in table.to_pylist())


def _csv(table: pa.Table, path: Path, is_first: bool) -> str:
    refuse_nested(table.schema)
    is_tabbed = without_compression(path.with_suffix("") if path.suffix == ".zst" else path).endswith(".tsv")
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t" if is_tabbed else ",", lineterminator="\n")
    if is_first:
        writer.writerow(table.column_names)
    writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return text.getvalue()


def refuse_nested(schema: pa.Schema) -> None:
    """Says what CSV cannot have."""
    for column in schema:
        if pa.types.is_nested(column.type):
            raise OptionError(
                f"CSV has no room for {column.name!r}, which has several values in each row: write .parquet "
                "or .jsonl, or, if these are sentences, ask for a row a word (--rows word) or for CoNLL-U "
                "(--rows conllu)."
            )


def _compressed(data: bytes, path: Path) -> bytes:
    compressed: bytes = _COMPRESSORS.get(path.suffix.lower(), bytes)(data)
    return compressed


def _zstd(data: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(data)
    found: bytes = out.getvalue().to_pybytes()
    return found


_COMPRESSORS: dict[str, Callable[[bytes], Any]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": _zstd,
}
