"""The numbers that a model has for labels, in trees that another one has not."""

from __future__ import annotations

import numpy as np

from arcwise.errors import TreebankError
from arcwise.treebank import Treebank

_NEW = -2


def numbered_as(treebank: Treebank, label_names: list[str], why_not: str, remedy: str) -> Treebank:
    """The treebank with these numbers for labels.

    One that is not among them is refused: `why_not` says what is wrong with it, and `remedy` what to do.
    """
    known = {name: number for number, name in enumerate(label_names)}
    # An unknown label, -1, leads to the last of these.
    numbers = np.array([known.get(name, _NEW) for name in treebank.label_names] + [-1], dtype=np.int32)
    labels = numbers[treebank.labels]
    for word in np.flatnonzero(labels == _NEW)[:1]:
        sentence = treebank[int(np.searchsorted(treebank.first_words, word, side="right")) - 1]
        raise TreebankError(
            f"{treebank.source}: sentence {sentence.id or f'at line {sentence.line}'} has the label "
            f"'{treebank.label_names[treebank.labels[word]]}', {why_not}: choose from {' '.join(known)}; or "
            f"{remedy}."
        )
    return treebank.with_trees(treebank.heads, labels, label_names)
