"""What tables are called in files; without pyarrow, which the command line imports for tables alone."""

from __future__ import annotations

KINDS = {".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "csv"}
"""By the endings of files."""
COMPRESSED = (".gz", ".zst", ".xz", ".bz2")


def kind_of(path: str) -> str | None:
    """What kind of table a file has, as its name says."""
    name = path.lower()
    for ending in COMPRESSED:
        if name.endswith(ending):
            kind = kind_of(name.removesuffix(ending))
            return None if kind == "parquet" else kind
    return next((kind for ending, kind in KINDS.items() if name.endswith(ending)), None)
