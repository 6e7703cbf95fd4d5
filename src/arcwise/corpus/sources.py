"""Tables in files: Parquet, JSON Lines and CSV, compressed or not, read in parts."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from arcwise._files import open_decompressed, without_compression
from arcwise.errors import OptionError, TextError
from arcwise.table_kinds import KINDS, kind_of
from arcwise.treebank import readable

ROWS_AT_ONCE = 1000
CHARACTERS_AT_ONCE = 100_000


class Part(NamedTuple):
    """Some rows of a file."""

    table: pa.Table
    source: str
    first: int
    """The number of the first row in its file, counted from 0."""


@dataclass(frozen=True)
class Source:
    """A file with a table in it."""

    path: str
    kind: str

    def parts(self, skip: int = 0) -> Iterator[Part]:
        """Its rows without the first ones, a thousand at a time or fewer."""
        with self._readable():
            for first, table in _READERS[self.kind](self.path, skip):
                yield from _cut(table, first, self.path)

    def schema(self) -> pa.Schema:
        """The columns of a Parquet file."""
        with self._readable():
            return pq.read_schema(self.path).remove_metadata()

    def row_count(self) -> int | None:
        """How many rows it has, if it says so."""
        if self.kind != "parquet":
            return None
        with self._readable():
            return int(pq.read_metadata(self.path).num_rows)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Says of which file it is what is wrong."""
        with readable(self.path):
            try:
                yield
            except pa.ArrowException as error:
                raise TextError(f"{self.path} is no {self.kind} file, or damaged: {error}.") from error


def expanded(paths: Sequence[str]) -> list[Source]:
    """The files that are meant: of folders all tables in them, of patterns (`*.parquet`) those that match."""
    found: list[Source] = []
    for given in paths:
        path = Path(given)
        if path.is_dir():
            inside = sorted(str(p) for p in path.rglob("*") if p.is_file() and kind_of(str(p)) is not None)
            if not inside:
                raise TextError(f"{given} is a folder without {', '.join(KINDS.values())}.")
            files = inside
        elif not path.exists() and has_magic(given):
            matching = glob(given, recursive=True)  # noqa: PTH207 - a pattern may be absolute
            files = sorted(name for name in matching if Path(name).is_file())
            if not files:
                raise TextError(f"There is no file that matches {given}.")
        else:
            files = [given]
        found += [Source(file, _known_kind(file)) for file in files]
    return found


def _known_kind(path: str) -> str:
    kind = kind_of(path)
    if kind is None:
        raise OptionError(
            f"{path} is no table: those end in {', '.join(KINDS)}, and .gz, .zst, .xz or .bz2 if compressed."
        )
    return kind


def _cut(table: pa.Table, first: int, source: str) -> Iterator[Part]:
    """The rows of a table, so many at a time that they are parsed well together."""
    at = 0
    while at < table.num_rows:
        size = ROWS_AT_ONCE
        if (rows := table.slice(at, size)).nbytes > CHARACTERS_AT_ONCE:
            size = max(1, min(size, rows.num_rows * CHARACTERS_AT_ONCE // rows.nbytes))
        yield Part(table.slice(at, size), source, first + at)
        at += size


def _parquet(path: str, skip: int) -> Iterator[tuple[int, pa.Table]]:
    with pq.ParquetFile(path) as file:
        first = 0
        for group in range(file.metadata.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if first + rows <= skip:
                first += rows
                continue
            for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, row_groups=[group]):
                left = max(0, skip - first)
                if left < batch.num_rows:
                    yield first + left, pa.Table.from_batches([batch.slice(left)])
                first += batch.num_rows


def _jsonl(path: str, skip: int) -> Iterator[tuple[int, pa.Table]]:
    type: pa.DataType | None = None
    for first, rows in _in_lots(_objects(path)):
        try:
            inferred = pa.infer_type(rows)
            if type is None:
                type = _without_nulls(inferred)
            elif (new := _not_in(inferred, type)) is not None:
                raise TextError(
                    f"{path}: the field {new!r} comes up after row {first}, and not in the first "
                    f"{ROWS_AT_ONCE:,}, which say what columns there are: give it to one of them, as null."
                )
            table = pa.Table.from_struct_array(pa.array(rows, type=type))
        except pa.ArrowException as error:
            raise TextError(f"{path}: rows {first} to {first + len(rows) - 1}: {error}.") from error
        left = max(0, skip - first)
        if left < len(rows):
            yield first + left, table.slice(left)


def _objects(path: str) -> Iterator[dict[str, Any]]:
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise TextError(f"{path}:{number}: this line is no JSON: {error}.") from error
            if not isinstance(row, dict):
                raise TextError(f"{path}:{number}: this line is no JSON object, which has columns by name.")
            yield row


def _without_nulls(type: pa.DataType) -> pa.DataType:
    """Of what has no value in the first rows it is not known what it is: text, as likely as not."""
    if pa.types.is_null(type):
        return pa.string()
    if pa.types.is_struct(type):
        return pa.struct([field.with_type(_without_nulls(field.type)) for field in type])
    if pa.types.is_list(type):
        return pa.list_(_without_nulls(type.value_type))
    return type


def _not_in(type: pa.DataType, known: pa.DataType) -> str | None:
    """A field of a type that another has not, and would lose."""
    if pa.types.is_list(type) and pa.types.is_list(known):
        return _not_in(type.value_type, known.value_type)
    if not (pa.types.is_struct(type) and pa.types.is_struct(known)):
        return None
    for field in type:
        place = known.get_field_index(field.name)
        if place < 0:
            return str(field.name)
        if (inside := _not_in(field.type, known[place].type)) is not None:
            return f"{field.name}.{inside}"
    return None


def _csv(path: str, skip: int) -> Iterator[tuple[int, pa.Table]]:
    """Every value is text: what looks like a number may be an id that begins with 0."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    with opened(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        is_tabbed = without_compression(path).lower().endswith(".tsv")
        reader = csv.reader(text, delimiter="\t" if is_tabbed else ",", strict=True)
        try:
            names = next(reader, [])
            if not names or len(set(names)) < len(names):
                raise TextError(f"{path}: the first line has the names of the columns, each once.")
            schema = pa.schema([(name, pa.string()) for name in names])
            for first, rows in _in_lots(row for row in reader if row):
                for row in rows:
                    if len(row) != len(names):
                        raise TextError(
                            f"{path}: a row before line {reader.line_num + 1} has {len(row)} values for "
                            f"{len(names)} columns: {row[0][:40]!r} …"
                        )
                left = max(0, skip - first)
                if left < len(rows):
                    columns = zip(*rows[left:], strict=True)
                    yield first + left, pa.table([pa.array(c, pa.string()) for c in columns], schema=schema)
        except csv.Error as error:
            raise TextError(f"{path}: line {reader.line_num}: {error}.") from error
        except UnicodeDecodeError as error:
            raise TextError(f"{path} is not UTF-8: {error.reason}; convert it.") from error


def _in_lots(rows: Iterator[Any]) -> Iterator[tuple[int, list[Any]]]:
    first = 0
    lot: list[Any] = []
    for row in rows:
        lot.append(row)
        if len(lot) == ROWS_AT_ONCE:
            yield first, lot
            first, lot = first + len(lot), []
    if lot:
        yield first, lot


def opened(path: str) -> Any:
    """A file, decompressed if its name says that it is compressed."""
    if path.lower().endswith(".zst"):
        return io.BufferedReader(pa.input_stream(path, compression="zstd"))
    return open_decompressed(path)


_READERS: dict[str, Callable[[str, int], Iterator[tuple[int, pa.Table]]]] = {
    "parquet": _parquet,
    "jsonl": _jsonl,
    "csv": _csv,
}
