"""What a word may be given by hand, and whether the heads of a sentence make a tree."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence

from arcwise.errors import TreebankError

NO_VALUE = "_"
_NOT_IN_A_COLUMN = re.compile("[\t\r\n\0\ud800-\udfff]")
_OF_ARCS = {"HeadProb", "DeprelProb", "LowConfidence"}


def checked_value(name: str, value: object) -> str:
    """A value that can be written in a column."""
    if value is None:
        return NO_VALUE
    if not isinstance(value, str):
        raise TreebankError(f"{name} is a str or None, and not of the type {type(value).__name__}.")
    if not value:
        raise TreebankError(f"{name} cannot be empty; None or '_' says that there is none.")
    if _NOT_IN_A_COLUMN.search(value):
        raise TreebankError(
            f"{name} cannot be {value[:80]!r}: tabs, line ends, NULs and halves of characters have no place "
            "in a column."
        )
    return value


def checked_head(head: object, word: int, length: int) -> str:
    """The head of a word in a sentence of so many words, as HEAD has it."""
    if head is None:
        return NO_VALUE
    number = None if isinstance(head, bool) or not hasattr(head, "__index__") else operator.index(head)
    if number is None:
        raise TreebankError(f"a head is the id of a word, 0 for ROOT or None for unknown, and not {head!r}.")
    if number == word:
        raise TreebankError("a word cannot be its own head; 0 is ROOT.")
    if not 0 <= number <= length:
        raise TreebankError(
            f"there is no word {number} to be its head: the sentence has {length}; 0 is ROOT."
        )
    return str(number)


def without_probabilities(misc: str) -> str:
    """MISC without what it says of an arc that is no longer there."""
    if not any(name in misc for name in _OF_ARCS):
        return misc
    kept = [item for item in misc.split("|") if item.partition("=")[0] not in _OF_ARCS]
    return "|".join(kept) or NO_VALUE


def check_tree(heads: Sequence[int], where: str, *, partial: bool, single_root: bool) -> None:
    """Refuses heads, counted from 1, that make no tree; -1 is an unknown head.

    Raises:
        TreebankError: A word has no head, two are under ROOT, none is, or some lead back to themselves.
    """
    unknown = [word for word, head in enumerate(heads, start=1) if head < 0]
    if unknown and not partial:
        raise TreebankError(
            f"{where}: word {unknown[0]} has no head: give it one, or check for a part of a tree (partial)."
        )
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    if single_root and len(roots) > 1:
        raise TreebankError(
            f"{where}: words {_listed(roots)} have the head 0 (ROOT), and one may: choose one, or allow more "
            "(single_root)."
        )
    walked = [0] * (len(heads) + 1)  # by which walk each word was passed
    for start in range(1, len(heads) + 1):
        word = start
        while word > 0 and not walked[word]:
            walked[word] = start
            word = heads[word - 1]
        if word > 0 and walked[word] == start:
            cycle = [word]
            while (word := heads[word - 1]) != cycle[0]:
                cycle.append(word)
            shown = " → ".join(map(str, [*cycle[:10], *(["…"] if len(cycle) > 10 else []), cycle[0]]))
            raise TreebankError(
                f"{where}: the heads make a cycle, {shown}: give one of these words another head."
            )
    if not roots and not unknown:
        raise TreebankError(f"{where}: no word is under ROOT: give one of them the head 0.")


def _listed(words: Sequence[int]) -> str:
    shown = [str(word) for word in words[:5]]
    return f"{', '.join(shown)} and others" if len(words) > 5 else f"{', '.join(shown[:-1])} and {shown[-1]}"
