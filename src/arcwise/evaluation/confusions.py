"""What is taken for what: labels, tags, and the heads that words are attached to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from arcwise.errors import EvaluationError
from arcwise.evaluation.arcs import Arcs, Bools, Ints
from arcwise.evaluation.pairing import AnnotatedWords, Punctuation, paired

Of: TypeAlias = Literal["deprel", "upos", "head-upos"]
KINDS: tuple[Of, ...] = get_args(Of)
MOST_NAMES = 2000
"""Of a table, which has a cell for each pair of them."""
ROOT, NOTHING = "ROOT", "_"


@dataclass(frozen=True, repr=False)
class Confusion:
    """How often words of each kind in gold are right, and what they are taken for otherwise.

    Kinds are labels (`deprel`), tags (`upos`), or the gold tags of heads (`head-upos`). In the last, words
    with another head of the same tag are wrong too: they stand on the diagonal of `wrong`.
    """

    of: Of
    names: list[str]
    """The kinds, the most frequent in gold first; `_` is none."""
    right: Ints
    """How many words of each kind are right."""
    wrong: Ints
    """How many are not: a row for the kind in gold, a column for the system's."""

    def __repr__(self) -> str:
        return f"<Confusion of {self.of}: {self.errors:,} errors in {self.words:,} words>"

    @property
    def errors(self) -> int:
        return int(self.wrong.sum())

    @property
    def words(self) -> int:
        return int(self.right.sum()) + self.errors

    def most_frequent(self, count: int | None = None) -> list[tuple[str, str, int]]:
        """The confusions from the most frequent down: in gold, in the system, how often."""
        rows, columns = np.nonzero(self.wrong)
        found = zip(rows.tolist(), columns.tolist(), self.wrong[rows, columns].tolist(), strict=True)
        ordered = sorted(found, key=lambda item: (-item[2], item[0], item[1]))[:count]
        return [(self.names[row], self.names[column], times) for row, column, times in ordered]

    def most_confused(self, count: int) -> Confusion:
        """The same of the names alone that have most to do with errors."""
        blame = self.wrong.sum(axis=0) + self.wrong.sum(axis=1)
        chosen = np.sort(np.argsort(-blame, kind="stable")[:count])
        chosen = chosen[blame[chosen] > 0]
        names = [self.names[index] for index in chosen.tolist()]
        return Confusion(self.of, names, self.right[chosen], self.wrong[np.ix_(chosen, chosen)])

    def to_dict(self) -> dict[str, Any]:
        """Everything there is to say, ready for JSON."""
        return {
            "names": self.names,
            "right": dict(zip(self.names, self.right.tolist(), strict=True)),
            "wrong": [
                {"gold": gold, "system": system, "count": count}
                for gold, system, count in self.most_frequent()
            ],
        }


def confusion(
    gold: AnnotatedWords, system: AnnotatedWords, of: Of = "deprel", *, punctuation: Punctuation = "upos"
) -> Confusion:
    """What words of each label, of each tag, or under heads of each tag are taken for.

    Raises `EvaluationError` where the words differ, and if there is no such table.
    """
    if of not in KINDS:
        raise EvaluationError(f"There is no confusion of {of!r}: choose one of {', '.join(KINDS)}.")
    arcs = paired(gold, system, punctuation)
    if of == "deprel":
        names = [*arcs.label_names, NOTHING]
        counted = arcs.labelled
        return _confusion(of, names, arcs.gold_labels % len(names), arcs.system_labels % len(names), counted)
    tags = gold.column("upos")
    if of == "upos":
        own = system.column("upos")
        names = list(dict.fromkeys([*tags, *own]))
        index = {name: number for number, name in enumerate(names)}
        ids, own_ids = (np.array([index[tag] for tag in side], dtype=np.int64) for side in (tags, own))
        return _confusion(of, names, ids, own_ids, np.array([tag != NOTHING for tag in tags], dtype=bool))
    return _of_heads(arcs, tags)


def _of_heads(arcs: Arcs, tags: Sequence[str]) -> Confusion:
    names = list(dict.fromkeys([*tags, ROOT, NOTHING]))
    index = {name: number for number, name in enumerate(names)}
    ids = np.array([index[tag] for tag in tags], dtype=np.int64)

    def tag_of(heads: Ints) -> Ints:
        words = np.arange(len(heads)) - arcs.position + np.maximum(heads, 1)
        return np.where(heads > 0, ids[words], np.where(heads == 0, index[ROOT], index[NOTHING]))

    return _confusion(
        "head-upos",
        names,
        tag_of(arcs.gold_heads),
        tag_of(arcs.system_heads),
        arcs.counted,
        arcs.head_right,
    )


def _confusion(
    of: Of, names: list[str], gold: Ints, system: Ints, counted: Bools, right: Bools | None = None
) -> Confusion:
    size = len(names)
    if size > MOST_NAMES:
        raise EvaluationError(
            f"There are {size:,} different names of {of}, and a table has {MOST_NAMES:,} at most: are the "
            "files what they should be?"
        )
    right = counted & ((gold == system) if right is None else right)
    hits = np.bincount(gold[right], minlength=size)
    missed = counted & ~right
    misses = np.bincount(gold[missed] * size + system[missed], minlength=size * size).reshape(size, size)
    total = hits + misses.sum(axis=1)
    seen = np.flatnonzero((total > 0) | (misses.sum(axis=0) > 0))
    order = seen[np.argsort(-total[seen], kind="stable")]
    return Confusion(of, [names[i] for i in order.tolist()], hits[order], misses[np.ix_(order, order)])
