"""Two annotations of the same sentences: how far they agree, and where they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arcwise.annotate.lines import COLUMNS, DEPREL, FEATS, FORM, HEAD, ID, LEMMA, UPOS, XPOS, Block, Row
from arcwise.annotate.tree_file import TreeFile
from arcwise.errors import ArcwiseError

COMPARED = (HEAD, DEPREL, UPOS, XPOS, FEATS, LEMMA)
FIELDS = tuple(COLUMNS[column] for column in COMPARED)
MOST_UNPAIRED = 200


@dataclass(frozen=True)
class Pair:
    """A sentence that both have, with the same words."""

    left_key: int
    right_key: int
    left: Block
    right: Block

    @property
    def words(self) -> list[tuple[Row, Row]]:
        return list(zip(self.left.words, self.right.words, strict=True))


@dataclass(frozen=True)
class Agreement:
    pairs: list[Pair]
    unpaired: list[dict[str, Any]]

    def figures(self) -> dict[str, Any]:
        """How many words in a hundred have the same, and kappa: how much more than by chance."""
        words = [pair for one in self.pairs for pair in one.words]
        heads = sum(left[HEAD] == right[HEAD] for left, right in words)
        arcs = sum(left[HEAD] == right[HEAD] and left[DEPREL] == right[DEPREL] for left, right in words)
        tags = sum(left[UPOS] == right[UPOS] for left, right in words)
        return {
            "sentences": len(self.pairs),
            "words": len(words),
            "uas": _percent(heads, len(words)),
            "las": _percent(arcs, len(words)),
            "label_kappa": kappa([(left[DEPREL], right[DEPREL]) for left, right in words]),
            "upos": _percent(tags, len(words)),
            "upos_kappa": kappa([(left[UPOS], right[UPOS]) for left, right in words]),
        }

    def differences(self) -> list[dict[str, Any]]:
        """Word by word, the fields in which they differ."""
        found = []
        for pair in self.pairs:
            for left, right in pair.words:
                columns = [column for column in COMPARED if left[column] != right[column]]
                if columns:
                    found.append(
                        {
                            "left_key": str(pair.left_key),
                            "right_key": str(pair.right_key),
                            "sent_id": pair.left.comment("sent_id"),
                            "text": (pair.left.comment("text") or "")[:200],
                            "word": int(left[ID]),
                            "form": left[FORM],
                            "fields": [COLUMNS[column] for column in columns],
                            "left": _values(left, columns),
                            "right": _values(right, columns),
                        }
                    )
        return found


def _values(row: Row, columns: Sequence[int]) -> dict[str, Any]:
    return {
        COLUMNS[column]: int(row[column]) if column == HEAD and row[column].isdigit() else row[column]
        for column in columns
    }


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa of two people's choices (Cohen 1960); None if there was nothing to choose.

    >>> kappa([("NOUN", "NOUN"), ("VERB", "VERB"), ("NOUN", "VERB"), ("VERB", "VERB")])
    0.5
    """
    if not pairs:
        return None
    total = len(pairs)
    observed = sum(left == right for left, right in pairs) / total
    of_left, of_right = Counter(left for left, _ in pairs), Counter(right for _, right in pairs)
    expected = sum(of_left[value] * of_right[value] for value in of_left) / total**2
    if expected >= 1:
        return None
    return round((observed - expected) / (1 - expected), 4)


def agreement(left: TreeFile, right: TreeFile) -> Agreement:
    """Pairs sentences by their sent_id; those without, by their place."""
    own, others = _sentences(left), _sentences(right)
    unpaired: list[dict[str, Any]] = []

    def tell(id: Any, why: str) -> None:
        unpaired.append({"sent_id": None if isinstance(id, int) else id, "why": why})

    pairs = []
    for id, (key, block) in own.items():
        if id not in others:
            tell(id, f"{right.name} does not have it.")
            continue
        other_key, other = others[id]
        if [row[FORM] for row in block.words] != [row[FORM] for row in other.words]:
            tell(id, "The words are not the same.")
            continue
        pairs.append(Pair(key, other_key, block, other))
    for id in others:
        if id not in own:
            tell(id, f"{left.name} does not have it.")
    return Agreement(pairs, unpaired)


def _sentences(file: TreeFile) -> Mapping[str | int, tuple[int, Block]]:
    with file.lock:
        blocks = list(zip(file.keys, file.blocks, strict=True))
    found: dict[str | int, tuple[int, Block]] = {}
    for number, (key, data) in enumerate(blocks):
        try:
            block = Block.from_bytes(data, file.format)
        except ArcwiseError:
            continue
        id = block.comment("sent_id")
        found[number if id is None or id in found else id] = key, block
    return found


def taken(block: Block, other: Row, fields: Sequence[str]) -> list[dict[str, Any]]:
    """The operations that give a word the values that another annotation has."""
    word = int(other[ID])
    made: list[dict[str, Any]] = []
    values = {COLUMNS[column]: other[column] for column in COMPARED}
    if "head" in fields and values["head"].isdigit():
        made.append({"op": "head", "word": word, "head": int(values["head"])})
        if "deprel" in fields and values["deprel"] != "_":
            made[0]["deprel"] = values["deprel"]
    elif "deprel" in fields:
        made.append({"op": "set", "word": word, "field": "deprel", "value": values["deprel"]})
    for name in ("upos", "xpos", "feats", "lemma"):
        if name in fields:
            made.append({"op": "set", "word": word, "field": name, "value": values[name]})
    return made
