"""Texts in tables, for `arcwise parse`: Parquet, JSON Lines and CSV, here or on a cluster of Ray's."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from arcwise._files import is_standard_stream
from arcwise._progress import Bar
from arcwise.cli.common import F, cores, say
from arcwise.errors import OptionError
from arcwise.table_kinds import kind_of

if TYPE_CHECKING:
    from arcwise.corpus.runs import Progress
    from arcwise.pipeline import Pipeline

_NOT_OF_TABLES = (
    "format", "to", "tags", "retag", "ranges", "max_words", "keep_heads", "constraints", "nbest",
    "min_confidence", "drop",
)  # fmt: skip
_NOT_OF_RAY = ("threads", "restart")
_OF_TABLES_ALONE = {"rows": "--rows", "restart": "--restart"}


def table_options(function: F) -> F:
    """--text-column and what goes with it."""
    for option in (
        click.option(
            "--ray",
            metavar="ADDRESS",
            help="Parse tables on a cluster of Ray's: its address, auto for the one that this machine is in, "
            "or local. FILEs may be s3://… and the like, and a folder is written (-o).",
        ),
        click.option(
            "--restart",
            is_flag=True,
            help="Begin a run over tables anew that would go on where it was broken off.",
        ),
        click.option(
            "--rows",
            type=click.Choice(["document", "sentence", "word", "conllu"]),
            help="What a row of the table that is written has: a document with a list of its sentences, a "
            "sentence, a word, or a document in CoNLL-U.  [default: document]",
        ),
        click.option(
            "--text-column",
            metavar="NAME",
            help="FILEs are tables, which end in .parquet, .jsonl or .csv, and this column has the texts; "
            "others are carried along.  [default: text, of .parquet and .csv]",
        ),
    ):
        function = option(function)
    return function


def are_meant(inputs: Sequence[str], text_column: str | None, ray: str | None) -> bool:
    """Whether what is to be parsed are tables."""
    is_table = any(kind_of(path) in ("parquet", "csv") for path in inputs)
    if text_column is not None or ray is not None or is_table:
        return True
    asked = click.get_current_context().get_parameter_source
    for name, flag in _OF_TABLES_ALONE.items():
        if asked(name) is click.core.ParameterSource.COMMANDLINE:
            raise OptionError(f"{flag} is said of tables: name their column of texts, too (--text-column).")
    return False


def parse_tables(
    pipeline: Pipeline,
    inputs: Sequence[str],
    output: str,
    *,
    text_column: str | None,
    rows: str | None,
    parsing: dict[str, Any],
    errors: str,
    skip_bad: bool,
    threads: int | None,
    restart: bool,
    ray: str | None,
) -> None:
    """What `arcwise parse` does with tables."""
    _refuse(_NOT_OF_TABLES, "tables of texts")
    if is_standard_stream(output):
        raise OptionError("What becomes of tables is a table: name a file or a folder (-o).")
    if any(is_standard_stream(path) for path in inputs):
        raise OptionError("Tables are read from files: name them.")
    how: dict[str, Any] = {
        "rows": rows or "document",
        "errors": "skip" if skip_bad else errors,
        "parsing": {name: value for name, value in parsing.items() if value is not None},
    }
    column = text_column or "text"
    if ray is not None:
        _refuse(_NOT_OF_RAY, "--ray")
        import arcwise.ray

        arcwise.ray.parse_files(inputs, output, address=ray, column=column, model=pipeline, **how)
        return
    from arcwise.corpus import parse_files

    with _RowsBar() as bar:
        done = parse_files(
            pipeline,
            list(inputs),
            output,
            jobs=threads or cores(),
            restart=restart,
            on_progress=bar.advance,
            text_column=column,
            **how,
        )
    if done.resumed:
        say(f"Gone on after {done.resumed:,} of {done.rows:,} rows, which were done before.")


def _refuse(names: Sequence[str], what: str) -> None:
    context = click.get_current_context()
    flags = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    given = [
        flags[name]
        for name in names
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    if given:
        raise OptionError(f"{', '.join(given)} cannot be said of {what}: leave it out.")


class _RowsBar:
    """How many rows have been parsed, and how fast."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._started = time.monotonic()
        self._first: int | None = None

    def __enter__(self) -> _RowsBar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(*error)

    def advance(self, done: Progress) -> None:
        if self._bar is None or self._first is None:
            self._bar = Bar("parsing", done.total)
            self._first = done.rows
        seconds = max(time.monotonic() - self._started, 1e-9)
        rate = (done.rows - self._first) / seconds
        self._bar.show(done.rows, f"{done.rows:,} rows, {rate:,.0f}/s")
