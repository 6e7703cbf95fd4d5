"""Runs over files of tables, which go on where they were broken off.

What is done is kept in parts, in a folder beside the output whose name ends in `.parts`. A part appears
there whole or not at all, under a name that says which rows of the input it was made of: what is there is
done, and what is not there is not. When all rows are done the parts become the output, and the folder goes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

from arcwise._files import write_whole
from arcwise.corpus import sinks
from arcwise.corpus.parsing import TableParsing, parse_table
from arcwise.corpus.sources import Part, Source, expanded
from arcwise.errors import OptionError, TextError
from arcwise.piping import in_order
from arcwise.table_kinds import KINDS, kind_of

if TYPE_CHECKING:
    from arcwise.pipeline import Pipeline

PART_BYTES = 64_000_000
"""Of a part in memory, and so of a row group."""
PART_SECONDS = 60.0
"""After which a part is written in any case: what a run that is broken off has to do again."""
_STATE = "_run.json"  # which readers of folders of tables pass over
_PART = re.compile(r"part-(\d{12})-(\d{12})(\..+)")


class Summary(NamedTuple):
    """What a run has done."""

    rows: int
    """Of the input."""
    resumed: int
    """Those of them that an earlier run had done."""


class Progress(NamedTuple):
    """How far a run has come."""

    rows: int
    total: int | None
    """Of all files, if they say how many they have."""


def parse_files(
    pipeline: Pipeline,
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    jobs: int = 1,
    part_bytes: int = PART_BYTES,
    part_seconds: float = PART_SECONDS,
    restart: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    **how: Any,
) -> Summary:
    """Parses the texts of tables in files, and writes a table with the columns of both.

    Args:
        pipeline: The model.
        inputs: Files, folders and patterns; tables end in `.parquet`, `.jsonl`, `.ndjson`, `.csv` or `.tsv`,
            and the last ones in `.gz`, `.zst`, `.xz` or `.bz2` as well if they are compressed.
        output: A file, whose name says what it is; or a folder, whose name ends in `/`, of Parquet files.
        jobs: How many batches are parsed at a time.
        part_bytes: About how much memory a part takes before it is written.
        part_seconds: After which time a part is written in any case.
        restart: Begin anew, whatever an earlier run has left.
        on_progress: Called after every batch.
        how: As of `TableParsing`.

    Raises:
        TextError: A table or a text cannot be read.
        OptionError: An earlier run of this output was another one.
    """
    paths = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    if not paths:
        raise OptionError("There is no file to be parsed.")
    pipeline.demand("segmenter")
    sources = expanded([os.fspath(path) for path in paths])
    parsing = TableParsing(**how)
    with _Run(sources, os.fspath(output), pipeline, parsing, restart) as run:
        resumed = run.done
        total = _total(sources)
        gathered = _Gathered(run, part_bytes, part_seconds)

        def work(part: Part) -> tuple[Part, pa.Table]:
            return part, parse_table(pipeline, part.table, parsing, source=part.source, first=part.first)

        try:
            for part, table in in_order(_left(sources, run.done), work, jobs):
                gathered.add(table, part.table.num_rows)
                if on_progress is not None:
                    on_progress(Progress(gathered.rows, total))
        finally:
            gathered.write()  # what is done is not lost for what is wrong with what comes after it
        if not run.parts:
            run.add(_nothing(pipeline, sources[0], parsing), 0)
        run.finish()
        return Summary(run.done, resumed)


def _nothing(pipeline: Pipeline, source: Source, how: TableParsing) -> pa.Table:
    """What becomes of files without rows."""
    texts = pa.schema([(how.text_column, pa.string())])
    schema = source.schema() if source.kind == "parquet" else texts
    return parse_table(pipeline, schema.empty_table(), how, source=source.path)


def _total(sources: Sequence[Source]) -> int | None:
    counts = [source.row_count() if source.kind == "parquet" else None for source in sources]
    return None if None in counts else sum(count or 0 for count in counts)


def _left(sources: Sequence[Source], skip: int) -> Iterator[Part]:
    """The parts of all files but for so many rows at the beginning, with the columns of the first file."""
    schema: pa.Schema | None = None
    for source in sources:
        if source.kind == "parquet" and schema is None:
            schema = source.schema()
        count = source.row_count()
        if count is not None and count <= skip:
            skip -= count
            continue
        end = 0
        for part in source.parts(0 if count is None else skip):
            end = part.first + part.table.num_rows
            if schema is None:
                schema = part.table.schema
            if end > skip:
                cut = max(0, skip - part.first)
                table = _like(part.table.slice(cut), schema, part.source, sources[0].path)
                yield Part(table, part.source, part.first + cut)
        skip = max(0, skip - end)


def _like(table: pa.Table, schema: pa.Schema, source: str, first: str) -> pa.Table:
    """The rows of a file as those of the first one are."""
    if table.schema.names != schema.names:
        raise TextError(
            f"{source} has the columns {', '.join(table.schema.names)}, and {first} has "
            f"{', '.join(schema.names)}: parse them one by one."
        )
    try:
        return table.cast(schema)
    except pa.ArrowException as error:
        raise TextError(f"{source} has columns of other types than {first}: {error}.") from error


class _Gathered:
    """What is done and not yet written."""

    def __init__(self, run: _Run, part_bytes: int, part_seconds: float) -> None:
        self._run = run
        self._most = part_bytes
        self._seconds = part_seconds
        self._tables: list[pa.Table] = []
        self._bytes = 0
        self._since = time.monotonic()
        self.rows = run.done

    def add(self, table: pa.Table, rows: int) -> None:
        self._tables.append(table)
        self._bytes += table.nbytes
        self.rows += rows
        if self._bytes >= self._most or time.monotonic() - self._since >= self._seconds:
            self.write()

    def write(self) -> None:
        if self._tables:
            table = pa.concat_tables(self._tables).unify_dictionaries().combine_chunks()
            self._run.add(table, self.rows)
        self._tables, self._bytes, self._since = [], 0, time.monotonic()


@dataclass
class _Run:
    """The folder of parts of an output."""

    sources: Sequence[Source]
    output: str
    pipeline: Pipeline
    how: TableParsing
    restart: bool

    def __post_init__(self) -> None:
        self.is_folder = self.output.endswith(("/", os.sep)) or Path(self.output).is_dir()
        self.target = Path(self.output)
        kind = "parquet" if self.is_folder else kind_of(self.output)
        if kind is None:
            raise OptionError(
                f"{self.output} does not say what table it is to be: end it in {', '.join(KINDS)}, or in / "
                "for a folder of Parquet files (-o)."
            )
        if self.is_folder and self.target.exists() and any(self.target.iterdir()):
            raise OptionError(f"The folder {self.output} is there and has files in it: name another.")
        self.kind = kind
        self.folder = self.target.with_name(f"{self.target.name}.parts")
        last = self.target.suffix if kind_of(f"_{self.target.suffix}") else "".join(self.target.suffixes[-2:])
        self.ending = ".parquet" if self.is_folder else last
        self.parts: list[Path] = []
        self.done = 0
        self._lock: int | None = None

    def __enter__(self) -> _Run:
        if self.restart and self.folder.exists():
            shutil.rmtree(self.folder)
        settings = self._settings()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._take_lock()
        try:
            state = self.folder / _STATE
            if state.exists():
                self._check(state, settings)
            else:
                write_whole(state, json.dumps(settings, indent=1).encode())
            self._find_parts()
        except BaseException:
            self._let_go()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if not self.parts and self.folder.exists():
            # Nothing is done that could be gone on with.
            shutil.rmtree(self.folder)
        self._let_go()

    def _let_go(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _take_lock(self) -> None:
        """No two runs write the same output."""
        if fcntl is None:
            return
        self._lock = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._lock)
            raise OptionError(
                f"Another run is writing {self.output}: wait for it, or name another."
            ) from error
        except OSError:  # a file system without locks
            pass

    def _settings(self) -> dict[str, Any]:
        """What a run must have in common with the one that it goes on with."""
        files = []
        for source in self.sources:
            try:
                known = Path(source.path).stat()
            except OSError as error:
                raise TextError(f"{source.path} cannot be read: {error.strerror}.") from error
            files.append([source.path, known.st_size, known.st_mtime_ns])
        origin = self.pipeline._origin
        model = origin.fingerprint if origin is not None else _digest(self.pipeline.to_bytes())
        # What is done about a text that cannot be read may be thought over when one has come up.
        how = {name: value for name, value in self.how.to_dict().items() if name != "errors"}
        return {"format": 1, "files": files, "model": model, "how": json.loads(json.dumps(how))}

    def _check(self, state: Path, settings: dict[str, Any]) -> None:
        try:
            known = json.loads(state.read_bytes())
        except ValueError:
            known = None
        if not isinstance(known, dict):
            raise OptionError(f"{state} is damaged: begin anew (--restart), or name another output.")
        words = {
            "files": "other files, or they have changed",
            "model": "another model",
            "how": "other options",
        }
        for name, other in words.items():
            if known.get(name) != settings[name]:
                raise OptionError(
                    f"{self.folder} has what a run was broken off with that had {other}: call it as it was "
                    "called then, begin anew (--restart), or name another output."
                )

    def _find_parts(self) -> None:
        found = sorted(path for path in self.folder.iterdir() if _PART.fullmatch(path.name))
        for path in found:
            match = _PART.fullmatch(path.name)
            assert match is not None
            begin, end = int(match[1]), int(match[2])
            if begin != self.done or end < begin:
                raise OptionError(f"{self.folder} lacks the part before {path.name}: begin anew (--restart).")
            self.parts.append(path)
            self.done = end

    def add(self, table: pa.Table, end: int) -> None:
        """Writes a part, which has all rows of the input up to this one."""
        path = self.folder / f"part-{self.done:012d}-{end:012d}{self.ending}"
        sinks.write(table, path, self.kind, is_first=not self.parts)
        self.parts.append(path)
        self.done = end

    def finish(self) -> None:
        """Makes the output of the parts. Broken off at any step, it is done again."""
        if self.is_folder:
            with contextlib.suppress(FileNotFoundError):
                self.target.rmdir()  # there was nothing in it
            self.folder.rename(self.target)
            (self.target / _STATE).unlink()
            return
        if len(self.parts) == 1:
            self.parts[0].replace(self.target)
        else:
            sinks.join(self.parts, self.target, self.kind)
        shutil.rmtree(self.folder)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
