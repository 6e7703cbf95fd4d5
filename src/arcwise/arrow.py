r"""Treebanks and documents as tables: polars, pandas, DuckDB, pyarrow and others take them as they are.

>>> from arcwise import Treebank
>>> table = Treebank.from_words([["Dogs", "bark"], ["Hush"]]).to_arrow(columns=["id", "form"])
>>> table
<ArrowTable: 3 rows; sentence, id, form>

`polars.DataFrame(table)`, `pandas.DataFrame.from_arrow(table)` and `pyarrow.table(table)` read what it has in
memory, without a copy (Arrow's PyCapsule interface). arcwise itself needs none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from arcwise import _core
from arcwise.errors import OptionError, TreebankError

if TYPE_CHECKING:
    from arcwise.document import Document
    from arcwise.treebank import Treebank

__all__ = ["ArrowTable", "Rows", "default_columns", "table"]

Rows: TypeAlias = Literal["word", "sentence", "document"]
"""What the rows of a table are."""
ROWS: dict[Rows, _core.ArrowRows] = {
    "word": _core.ArrowRows.WORD,
    "sentence": _core.ArrowRows.SENTENCE,
    "document": _core.ArrowRows.DOCUMENT,
}
OF_WORDS, OF_SENTENCES, WHOLE = map(tuple, _core.arrow_names())
PROBABILITIES = ("head_prob", "deprel_prob")


class ArrowTable:
    """A table that others read by Arrow's PyCapsule interface, as often as they like; it never changes."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.ArrowTable) -> None:
        """Wraps what the core has laid out; use `table`, `Treebank.to_arrow` or `Document.to_arrow`."""
        self._core = core

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return self._core.column_names

    def __len__(self) -> int:
        return self._core.row_count

    def __arrow_c_schema__(self) -> object:
        """The types of the columns, as a PyCapsule."""
        return self._core.schema()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The columns, as a PyCapsule. They have their own types, whatever is requested."""
        return self._core.stream()

    def __repr__(self) -> str:
        from arcwise.sentence import counted

        return f"<ArrowTable: {counted(len(self), 'row')}; {', '.join(self.column_names)}>"


def table(
    documents: Iterable[Document], *, rows: Rows = "document", columns: Sequence[str] | None = None
) -> ArrowTable:
    """Many documents as one table: a row a document, a sentence or a word.

    Rows of sentences and words say which document they are of, counted from 0. Columns as of
    `Treebank.to_arrow`.

    >>> from arcwise import Document, Treebank
    >>> documents = [Document(Treebank.from_words([words.split()])) for words in ("Dogs bark", "Hush")]
    >>> table(documents, rows="word", columns=["form"])
    <ArrowTable: 3 rows; document, sentence, form>
    """
    from arcwise.treebank import Treebank

    treebanks = [document.treebank for document in documents]
    ends, end = [], 0
    for treebank in treebanks:
        end += len(treebank)
        ends.append(end)
    return made(Treebank.concat(treebanks), ends, rows=rows, columns=columns)


def made(
    treebank: Treebank, ends: Sequence[int] = (), *, rows: Rows, columns: Sequence[str] | None = None
) -> ArrowTable:
    """The sentences of a treebank as a table; `ends` says where documents end in it, if there are several."""
    if rows not in ROWS:
        raise OptionError(f"The rows of a table are {', '.join(ROWS)}, not {rows!r}.")
    if columns is None:
        columns = default_columns(rows, probabilities=_has_probabilities(treebank))
    known = (*OF_WORDS, *(() if rows == "word" else (*OF_SENTENCES, *WHOLE)))
    if isinstance(columns, str) or any(name not in known for name in columns):
        wrong = columns if isinstance(columns, str) else next(n for n in columns if n not in known)
        raise OptionError(
            f"A table with a row a {rows} has no column {wrong!r}: give a list of {', '.join(known)}."
        )
    if not columns:
        raise OptionError("A table has at least one column (columns).")
    try:
        core = _core.arrow_table(
            treebank._core,
            list(ends),
            rows=ROWS[rows],
            columns=list(columns),
            dictionaries=True,
        )
    except ValueError as error:  # more text than fits
        raise TreebankError(f"{treebank.source}: {error}") from error
    return ArrowTable(core)


def default_columns(rows: Rows, *, probabilities: bool = False) -> tuple[str, ...]:
    """The columns that a table has unless others are asked for: all but `conllu`."""
    of_words = tuple(name for name in OF_WORDS if probabilities or name not in PROBABILITIES)
    return of_words if rows == "word" else (*OF_SENTENCES, *of_words)


def _has_probabilities(treebank: Treebank) -> bool:
    probabilities: Any = treebank.head_probs
    return bool((probabilities == probabilities).any())  # not a number is no probability
