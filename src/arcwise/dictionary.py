"""What a user knows of some words: a file of their tags and lemmas."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from arcwise.errors import OptionError

Line = tuple[str, str, str, str, str]
"""Form, UPOS, XPOS, FEATS, lemma; `_` is any."""
COLUMNS = ("form", "UPOS", "XPOS", "FEATS", "lemma")


def read_dictionary(path: str | os.PathLike[str]) -> list[Line]:
    """The lines of a file: form, UPOS, XPOS, FEATS and lemma with tabs between; blank lines are skipped.

    Raises:
        OptionError: The file cannot be read, or a line does not have five columns.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise OptionError(f"{path} is not UTF-8: write it as UTF-8.") from error
    lines = [line.removesuffix("\r").split("\t") for line in text.removeprefix("\ufeff").split("\n")]
    places = (f"{path}:{number}" for number in range(1, len(lines) + 1))
    return [
        checked(line, place) for line, place in zip(lines, places, strict=True) if any(map(str.strip, line))
    ]


def checked(line: Iterable[str], place: str = "The dictionary") -> Line:
    """A line with all its columns."""
    columns = tuple(line)
    if len(columns) != len(COLUMNS) or not all(columns):
        raise OptionError(
            f"{place}: a line of a dictionary has five columns with tabs between, {', '.join(COLUMNS)}, and "
            f"_ for any value; this one has {len(columns)}, or an empty one."
        )
    form, upos, xpos, feats, lemma = columns
    return form, upos, xpos, feats, lemma
