"""A table of texts becomes a table of their trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pyarrow as pa

from arcwise import arrow
from arcwise.errors import OptionError, TextError
from arcwise.segmenter import EncodedText

if TYPE_CHECKING:
    from arcwise.pipeline import Pipeline

Rows: TypeAlias = Literal["document", "sentence", "word", "conllu"]
ROWS = ("document", "sentence", "word", "conllu")
OWN = "parsed_"
"""What goes before the name of a column of ours where the input has one of that name."""


@dataclass(frozen=True, kw_only=True)
class TableParsing:
    """What is made of a table."""

    text_column: str = "text"
    """The column that has the texts."""
    rows: Rows = "document"
    """A row a document, with a list of its sentences; a row a sentence or a word, beside the other columns of
    its document; or, with `conllu`, a row a document with all of it as CoNLL-U."""
    columns: tuple[str, ...] | None = None
    """What is told of sentences and words, in place of all that is known: as of `Treebank.to_arrow`."""
    errors: Literal["strict", "replace", "skip"] = "strict"
    """Texts that cannot be read are refused; have U+FFFD where they cannot; or are rows without sentences."""
    parsing: Mapping[str, Any] = field(default_factory=dict)
    """Options of `Parser.parse`."""

    def __post_init__(self) -> None:
        if self.rows not in ROWS:
            raise OptionError(f"The rows of a table are {', '.join(ROWS)}, not {self.rows!r}.")
        if self.errors not in ("strict", "replace", "skip"):
            raise OptionError(f"Errors are strict, replace or skip, not {self.errors!r}.")
        if self.columns is not None and self.rows == "conllu":
            raise OptionError("CoNLL-U has all of its columns: leave out columns, or ask for other rows.")

    @property
    def made_columns(self) -> tuple[str, ...]:
        """What is made of texts."""
        if self.rows == "conllu":
            return ("conllu",)
        if self.columns is not None:
            return self.columns
        of_words = arrow.default_columns("word", probabilities=bool(self.parsing.get("probabilities")))
        # Documents have their text already.
        return of_words if self.rows == "word" else (*arrow.OF_SENTENCES, *of_words)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "parsing": dict(self.parsing)}


def parse_table(
    pipeline: Pipeline,
    table: Any,
    how: TableParsing | None = None,
    *,
    source: str = "<table>",
    first: int = 0,
) -> pa.Table:
    """What becomes of a table, all of it at once: of a `pyarrow.Table`, or what pyarrow makes one of.

    Texts that are null have no sentences. `source` and the number of the `first` row are for messages.
    """
    how = how or TableParsing()
    table = table if isinstance(table, pa.Table) else pa.table(table)
    texts = _texts(table, how, source)
    if not texts:
        # The types are those of any other table.
        row = pa.table([pa.nulls(1, column.type) for column in table.schema], schema=table.schema)
        return parse_table(pipeline, row, how, source=source).slice(0, 0)
    encoded = [_encoded(text, how, f"{source}: row {first + number}") for number, text in enumerate(texts)]
    treebank, ends = pipeline.demand("segmenter").segment_all(encoded)
    treebank.source = source
    done = pipeline.parse(treebank, tags="new", **how.parsing)
    rows: arrow.Rows = "document" if how.rows == "conllu" else how.rows
    made = pa.table(arrow.made(done, ends, rows=rows, columns=how.made_columns))
    if rows == "document":
        made = made.select([name for name in made.column_names if name != "text"])
        return _beside(table, made)
    carried = table.drop_columns([how.text_column]).take(made["document"])
    return _beside(carried, made.drop_columns(["document"]))


def _texts(table: pa.Table, how: TableParsing, source: str) -> list[str | None]:
    name = how.text_column
    if name not in table.column_names:
        raise TextError(
            f"{source}: there is no column {name!r} of texts (--text-column): it has "
            f"{', '.join(table.column_names) or 'none'}."
        )
    type = table.schema.field(name).type
    if pa.types.is_dictionary(type):
        type = type.value_type
    if not (
        pa.types.is_string(type)
        or pa.types.is_large_string(type)
        or pa.types.is_string_view(type)
        or pa.types.is_null(type)
    ):
        raise TextError(f"{source}: the column {name!r} has values of the type {type}, and not texts.")
    texts: list[str | None] = table[name].to_pylist()
    return texts


def _encoded(text: str | None, how: TableParsing, name: str) -> EncodedText:
    try:
        return EncodedText.of(text or "", "replace" if how.errors == "replace" else "strict", name)
    except TextError:
        if how.errors == "skip":
            return EncodedText(b"", False, name)
        raise


def _beside(given: pa.Table, made: pa.Table) -> pa.Table:
    """The columns of both; of ours, those whose names are taken have others."""
    names: Sequence[str] = [OWN + name if name in given.column_names else name for name in made.column_names]
    return pa.table([*given.columns, *made.columns], names=[*given.column_names, *names])
