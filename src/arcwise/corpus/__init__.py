"""Texts in tables: Parquet, JSON Lines and CSV in, the same with their trees out (docs/arrow.md).

Needs the extra `arrow`. Columns of the input are carried along, memory is bounded by a few batches, and a run
that was broken off goes on where it stopped.
"""

from __future__ import annotations

from arcwise.errors import OptionError

try:
    import pyarrow as _pyarrow  # noqa: F401
except ImportError as error:
    raise OptionError(
        "pyarrow is not installed, which reads and writes tables: pip install 'arcwise[arrow]'."
    ) from error

from arcwise.corpus.parsing import TableParsing, parse_table
from arcwise.corpus.runs import Summary, parse_files

__all__ = ["Summary", "TableParsing", "parse_files", "parse_table"]
