"""Treebanks as columns: arrays of all words' values, for pandas and its like, and treebanks from them.

>>> import numpy as np
>>> from arcwise import Treebank
>>> treebank = Treebank.from_columns({"form": ["Dogs", "bark"], "head": np.array([2, 0])})
>>> treebank[0][0].head
2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.corrections import NO_VALUE, checked_value
from arcwise.errors import TreebankError

if TYPE_CHECKING:
    from arcwise.treebank import Treebank

COLUMNS = tuple(column.name.lower() for column in _core.Column)
_NUMBERS = ("id", "head")


class Categories(NamedTuple):
    """A column as numbers, and the values that they stand for: `pandas.Categorical.from_codes` takes both."""

    codes: NDArray[np.int32]
    values: list[str]

    def to_array(self) -> NDArray[Any]:
        """The values of all words, `_` where there is none."""
        values: NDArray[Any] = np.array([*self.values, NO_VALUE], dtype=object)
        return values[self.codes]  # where -1 leads to the last


def categories(treebank: Treebank, name: str) -> Categories:
    """A column of all words; see `Treebank.categories`."""
    if name == "deprel":
        return Categories(treebank.labels, treebank.label_names)
    if name not in COLUMNS or name in _NUMBERS:
        known = ", ".join(column for column in COLUMNS if column not in _NUMBERS)
        raise TreebankError(f"There is no column {name!r} of categories; choose from {known}.")
    numbered, values = treebank._core.categories(_core.Column[name.upper()])
    codes = np.asarray(numbered, np.int32)
    if name == "form" or NO_VALUE not in values:
        return Categories(codes, values)
    none = values.index(NO_VALUE)
    values.remove(NO_VALUE)
    numbers = np.arange(len(values) + 1, dtype=np.int32)
    numbers[none + 1 :] -= 1
    numbers[none] = -1
    return Categories(numbers[codes], values)


def to_columns(treebank: Treebank) -> dict[str, NDArray[Any]]:
    """All columns of all words; see `Treebank.to_columns`."""
    starts = treebank.first_words
    lengths = np.diff(starts)
    columns: dict[str, NDArray[Any]] = {
        "sentence": np.repeat(np.arange(len(treebank), dtype=np.int32), lengths),
        "id": (np.arange(treebank.word_count) - np.repeat(starts[:-1], lengths) + 1).astype(np.int32),
    }
    for name in COLUMNS[1:]:
        columns[name] = treebank.heads if name == "head" else categories(treebank, name).to_array()
    return columns


def text_from_columns(columns: Mapping[str, Any], source: str) -> str:
    """What columns have, in CoNLL-U."""
    if unknown := [name for name in columns if name not in (*COLUMNS, "sentence")]:
        known = ", ".join(("sentence", *COLUMNS))
        raise TreebankError(f"{source}: there is no column {unknown[0]!r}; choose from {known}.")
    if "form" not in columns:
        raise TreebankError(f"{source}: the column form is missing, which has the words themselves.")
    given = {name: _listed(values, name, source) for name, values in columns.items()}
    length = len(given["form"])
    for name, values in given.items():
        if len(values) != length:
            raise TreebankError(
                f"{source}: column {name} has {len(values)} values for {length} words; give as many."
            )
    starts = _starts(given, length)
    ids = np.arange(length) - np.repeat(starts, np.diff([*starts, length])) + 1
    if "id" in given and [*map(_number, given["id"])] != ids.tolist():
        raise TreebankError(f"{source}: column id does not count the words of each sentence from 1.")
    texts = [list(map(str, ids.tolist()))]
    for name in COLUMNS[1:]:
        texts.append(_written(given[name], name, source) if name in given else [NO_VALUE] * length)
    lines = list(map("\t".join, zip(*texts, strict=True)))
    for start in starts[1:]:
        lines[start] = "\n" + lines[start]
    return "\n".join(lines) + "\n\n" if lines else ""


def _listed(values: Any, name: str, source: str) -> Sequence[Any]:
    if isinstance(values, str):
        raise TreebankError(f"{source}: column {name} is a string; give a sequence of values, one a word.")
    if isinstance(values, Categories):
        values = values.to_array()
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    return listed if isinstance(listed, list) else [listed]


def _starts(given: Mapping[str, Sequence[Any]], length: int) -> list[int]:
    """Where sentences begin."""
    if "sentence" in given:
        numbers = given["sentence"]
        return [i for i in range(length) if i == 0 or numbers[i] != numbers[i - 1]]
    if "id" in given:
        return [i for i in range(length) if i == 0 or _number(given["id"][i]) == 1]
    return [0] if length else []


def _number(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None


def _written(values: Sequence[Any], name: str, source: str) -> list[str]:
    """A column as it is written; values that come again are looked at once."""
    seen: dict[Any, str] = {}
    for value in dict.fromkeys(values):
        try:
            seen[value] = _spelled(value, name)
        except TreebankError as error:
            raise TreebankError(f"{source}: word {values.index(value) + 1}: {error}") from None
    return [seen[value] for value in values]


def _spelled(value: Any, name: str) -> str:
    if value is None or value != value:  # not a number is what pandas has for nothing
        return NO_VALUE
    if name != "head" or isinstance(value, str):
        return checked_value(name, value)
    if (number := _number(value)) != value:
        raise TreebankError(f"the head {value!r} is not a whole number.")
    return NO_VALUE if value < 0 else str(number)
