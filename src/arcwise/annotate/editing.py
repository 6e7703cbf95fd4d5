"""One edit of a sentence, from what was asked to what is in the journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arcwise.annotate import marks
from arcwise.annotate.lines import Block, Draft
from arcwise.annotate.operations import How, Operation, apply, told
from arcwise.annotate.refusals import ConflictError, RefusedEditError
from arcwise.annotate.reparsing import can_parse, likely_label, proposed, reparse
from arcwise.annotate.tree_file import Edited, TreeFile
from arcwise.errors import ArcwiseError
from arcwise.pipeline import Pipeline
from arcwise.treebank import Treebank

MOST_OPERATIONS = 200
_OF_SENTENCES = ("split_sentence", "join_sentence")
_NOT_PARSED = ("check", "comments", "replace", "fix")
"""After these the rest stays as it is."""


@dataclass(frozen=True)
class Model:
    """The pipeline that parses the rest, and its name."""

    pipeline: Pipeline | None = None
    name: str = ""

    @property
    def can_parse(self) -> bool:
        return can_parse(self.pipeline)


@dataclass(frozen=True)
class Outcome:
    """What an edit has come to."""

    edited: Edited
    notes: tuple[str, ...] = ()
    probable: tuple[Treebank | None, ...] = ()
    """Of each sentence, itself with probabilities, where these are known."""


@dataclass(frozen=True)
class Made:
    """The sentences that an edit makes of one."""

    blocks: list[Block]
    count: int
    """Of sentences whose place they take."""
    notes: tuple[str, ...] = ()
    probable: tuple[Treebank | None, ...] = ()


def edit(
    file: TreeFile,
    key: int,
    version: str,
    operations: Sequence[Operation],
    model: Model,
    *,
    follow: bool | None = None,
    following: tuple[int, str] | None = None,
) -> Outcome:
    """Carries operations out, one after the other, as one change; all of them or none.

    `follow` says whether the rest of the tree is parsed again; None: if it is a model's. `following` is the
    key and the version of the next sentence, to join it.

    Raises:
        RefusedEditError: An operation makes no sense, or would leave no tree.
        ConflictError: The sentence is no longer what the version has.
    """
    if not 1 <= len(operations) <= MOST_OPERATIONS:
        raise RefusedEditError("value", f"An edit has from 1 to {MOST_OPERATIONS} operations.")
    with file.lock:
        place = file.demand_version(key, version)
        after: Block | None = None
        if following is not None:
            if file.demand_version(*following) != place + 1:
                raise ConflictError("conflict", "The sentence that was next is no longer next: look again.")
            after = file.block(place + 1)
        made = make(file, file.blocks[place], operations, model, follow=follow, after=after)
        blocks = [block.to_bytes() for block in made.blocks]
        edited = file.replace(place, made.count, blocks, "; ".join(map(told, operations))[:200])
        return Outcome(edited, made.notes, made.probable)


def make(
    file: TreeFile,
    data: bytes,
    operations: Sequence[Operation],
    model: Model,
    *,
    follow: bool | None = None,
    after: Block | None = None,
) -> Made:
    """What operations make of a sentence; the file stays as it is."""
    names = [operation.get("op") if isinstance(operation, dict) else None for operation in operations]
    if any(name in _OF_SENTENCES for name in names) and len(names) > 1:
        raise RefusedEditError("sentence", "Sentences are split and joined one at a time.")
    block = _readable(file, data, names)
    if not block.has_tree and model.can_parse and names[0] != "replace":
        block = shown(block, model)
    if names == ["join_sentence"] and after is None:
        raise RefusedEditError("sentence", "To join sentences, name the next one with its version (“next”).")
    does_follow = _follows(block, names, follow, model)
    pipeline = model.pipeline
    how = How(
        follow=does_follow,
        label=lambda draft, word, head: None if does_follow else _likely(draft, pipeline, word, head),
        following=after if after is None or after.has_tree or not model.can_parse else shown(after, model),
        new_id=_new_id(file, block) if names == ["split_sentence"] else None,
    )
    blocks = [block]
    for operation in operations:
        blocks = apply(blocks[0], operation, how)
    notes: tuple[str, ...] = ()
    probable: tuple[Treebank | None, ...] = ()
    if does_follow and pipeline is not None:
        parsed = [reparse(one, pipeline, model.name) for one in blocks]
        blocks = [one.block for one in parsed]
        notes = tuple(note for one in parsed for note in one.notes)
        probable = tuple(one.probable for one in parsed)
    for one in blocks:
        _demand_readable(one)
    return Made(blocks, 2 if names == ["join_sentence"] else 1, notes, probable)


def shown(block: Block, model: Model) -> Block:
    """A sentence as it is looked at: without a tree of its own, with the model's."""
    if block.has_tree or not model.can_parse or block.format == "conllx":
        return block
    assert model.pipeline is not None
    try:
        return proposed(block, model.pipeline, model.name)
    except ArcwiseError:
        return block


def _readable(file: TreeFile, data: bytes, names: Sequence[object]) -> Block:
    try:
        return Block.from_bytes(data, file.format)
    except ArcwiseError as error:
        if names == ["replace"]:
            tail = data[len(data.rstrip(b"\r\n")) :].decode()
            return Block((), (), tail=tail, format=file.format)
        raise RefusedEditError("sentence", f"{error} Write it anew (replace), or mend the file.") from None


def _demand_readable(block: Block) -> None:
    """Nothing is written that could not be read again."""
    try:
        treebank = block.treebank()
    except ArcwiseError as error:
        raise RefusedEditError("sentence", f"That would be no sentence: {error}") from None
    assert len(treebank) == 1


def _follows(block: Block, names: Sequence[object], follow: bool | None, model: Model) -> bool:
    if "reparse" in names:
        if not model.can_parse or block.format == "conllx":
            raise RefusedEditError("readonly", "There is no parser for this: start arcwise with --model.")
        return True
    if not model.can_parse or block.format == "conllx" or all(name in _NOT_PARSED for name in names):
        return False
    return marks.follows(block) if follow is None else follow


def _likely(draft: Draft, pipeline: Pipeline | None, word: str, head: str) -> str | None:
    """The label that the model would give, if the words still have the numbers that they are called by."""
    if pipeline is None or not (word.isdigit() and head.isdigit()):
        return None
    if [row[0] for row in draft.words] != [str(i) for i in range(1, len(draft.words) + 1)]:
        return None
    block = replace(draft.block, rows=tuple(map(tuple, draft.rows)))
    try:
        found = likely_label(block, pipeline, int(word), int(head))
    except ArcwiseError:
        return None
    return None if found == "root" else found


def _new_id(file: TreeFile, block: Block) -> str | None:
    """An id for a sentence that comes of another, which no other has."""
    id = block.comment("sent_id")
    if id is None:
        return None
    number = 2
    while any(f"# sent_id = {id}-{number}".encode() in other for other in file.blocks):
        number += 1
    return f"{id}-{number}"
