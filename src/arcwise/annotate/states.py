"""Sentences and files as they are told: plain data, which a page draws."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from arcwise.annotate import marks
from arcwise.annotate.editing import Model, shown
from arcwise.annotate.lines import Block
from arcwise.annotate.reparsing import MOST_WORDS, fixed_arcs, with_probabilities, without_crossing
from arcwise.annotate.tree_file import TreeFile, version_of
from arcwise.document import Document
from arcwise.errors import ArcwiseError
from arcwise.grammar import Grammar
from arcwise.treebank import Treebank

Draw = Callable[[Treebank], Any]
_KEPT = 500
"""Sentences whose probabilities are remembered."""


class Probabilities:
    """Sentences with their probabilities, for as long as they stay the same."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], Treebank] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, data: bytes, model: Model, treebank: Treebank) -> None:
        """Remembers a sentence that came with its probabilities."""
        with self._lock:
            self._kept[version_of(data), model.name] = treebank
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)

    def of(self, block: Block, model: Model) -> Treebank:
        if model.pipeline is None or model.pipeline.parser is None:
            return block.treebank()
        key = version_of(block.to_bytes()), model.name
        with self._lock:
            if (kept := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return kept
        try:
            made = with_probabilities(block, model.pipeline)
        except ArcwiseError:
            made = block.treebank()
        self.keep(block.to_bytes(), model, made)
        return made


class Looks(NamedTuple):
    """What of sentences is told, where it is wanted."""

    probabilities: Probabilities | None = None
    grammar: Grammar | None = None
    draw: Draw | None = None


def file_told(file: TreeFile) -> dict[str, Any]:
    undo, redo = file.undo_change, file.redo_change
    return {
        "file": file.name,
        "format": file.format,
        "sentences": len(file),
        "checked": file.checked,
        "bytes": sum(map(len, file.blocks)),
        "saved": file.is_saved and file.problem is None,
        "conflict": file.conflict,
        "readonly": file.problem,
        "undo": None if undo is None else {"change": undo.number, "what": undo.what},
        "redo": None if redo is None else {"change": redo.number, "what": redo.what},
    }


def state(
    file: TreeFile,
    place: int,
    model: Model,
    looks: Looks,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """A sentence of a file."""
    data = file.blocks[place]
    made = {"file": file.name, "key": str(file.keys[place]), "index": place, "version": version_of(data)}
    try:
        block = Block.from_bytes(data, file.format)
    except ArcwiseError as error:
        return {**made, **_unreadable(data, str(error))}
    return {
        **made,
        **told(block, model, looks, notes),
    }


def _unreadable(data: bytes, error: str) -> dict[str, Any]:
    return {
        "sent_id": None,
        "text": "",
        "sentence": None,
        "conllu": data.decode("utf-8", "replace"),
        "fixed": {},
        "checked": False,
        "parsed_by": None,
        "proposed": False,
        "follows": False,
        "problems": [],
        "notes": [],
        "left_by_hand": [],
        "drawing": None,
        "error": error,
    }


def told(
    block: Block,
    model: Model,
    looks: Looks,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """What is told of a sentence, wherever it stands."""
    looked_at = shown(block, model)
    probabilities, grammar, draw = looks
    treebank = looked_at.treebank() if probabilities is None else probabilities.of(looked_at, model)
    document = Document(treebank)
    [sentence] = json.loads(document.to_json())["sentences"]
    heads, _ = fixed_arcs(looked_at)
    by_hand = sorted(heads.keys() - without_crossing(heads).keys()) if heads else []
    return {
        "sent_id": treebank[0].id,
        "text": treebank[0].text,
        "sentence": sentence,
        "conllu": looked_at.text,
        "fixed": marks.fixed_of(looked_at),
        "checked": marks.is_checked(looked_at),
        "parsed_by": looked_at.comment(marks.PARSED_BY),
        "proposed": looked_at is not block and not block.has_tree,
        "follows": model.can_parse and marks.follows(looked_at),
        "problems": [] if grammar is None else _problems(grammar, treebank),
        "notes": list(notes),
        "left_by_hand": by_hand,
        "drawing": None if draw is None or len(treebank[0]) > MOST_WORDS else draw(treebank),
        "error": None,
    }


def _problems(grammar: Grammar, treebank: Treebank) -> list[dict[str, Any]]:
    return [
        {"words": list(found.words), "rule": str(found.rule), "message": str(found)}
        for found in grammar.violations(treebank)
    ]
