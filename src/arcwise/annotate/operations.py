"""What can be done to a sentence: small operations, each a mapping as programs send it.

>>> block = Block.from_bytes(b"1\\tGo\\tgo\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
>>> [one] = apply(block, {"op": "set", "word": 1, "field": "lemma", "value": "walk"})
>>> one.text
'1\\tGo\\twalk\\tVERB\\t_\\t_\\t0\\troot\\t_\\tFixed=lemma\\n\\n'

An operation makes blocks of blocks. So the inverse of every change is to put back what was there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from arcwise.annotate import arcs, marks, tokens
from arcwise.annotate.lines import (
    COLUMNS,
    DEPREL,
    FORM,
    HEAD,
    ID,
    MISC,
    ROOT,
    Block,
    Draft,
    no_space_after,
)
from arcwise.annotate.refusals import RefusedEditError
from arcwise.corrections import NO_VALUE, checked_value
from arcwise.errors import ArcwiseError
from arcwise.treebank import can_be_label

Operation = Mapping[str, Any]
MOST_CHARACTERS = 10_000
"""Of a value."""
SETTABLE = ("form", "lemma", "upos", "xpos", "feats", "deprel", "misc")
_IN_CONLLX = ("head", "set", "replace")


def _no_label(draft: Draft, name: str, head: str) -> str | None:
    return None


@dataclass(frozen=True)
class How:
    """How operations are carried out."""

    follow: bool = False
    """Whether the rest of the tree will be parsed again, so that free arcs may be in the way."""
    label: arcs.LabelFor = _no_label
    following: Block | None = None
    """The next sentence of the file."""
    new_id: str | None = None
    """For a sentence that comes of another."""


PLAIN = How()


def apply(block: Block, operation: Operation, how: How = PLAIN) -> list[Block]:
    """What comes of a sentence: one, or two of a split. `join_sentence` takes `how.following` with it."""
    if not isinstance(operation, Mapping):
        raise RefusedEditError(
            "value", 'An operation is an object, such as {"op": "head", "word": 3, "head": 5}.'
        )
    name = operation.get("op")
    if name not in OPERATIONS:
        raise RefusedEditError(
            "value", f"There is no operation {name!r}: choose from {', '.join(OPERATIONS)}."
        )
    if block.format == "conllx" and name not in _IN_CONLLX:
        raise RefusedEditError(
            "readonly",
            "CoNLL-X has no place for this: heads and columns alone can be changed. Convert to CoNLL-U.",
        )
    given = _Given(operation)
    made = OPERATIONS[name](block, given, how)
    given.demand_nothing_else()
    return made


class _Given:
    """The fields of an operation, which are asked for one by one."""

    def __init__(self, operation: Operation) -> None:
        self._left = {key: value for key, value in operation.items() if key != "op"}
        self._name = operation["op"]

    def _take(self, field: str, what: str, is_one: Callable[[Any], bool], default: Any) -> Any:
        value = self._left.pop(field, None)
        if value is None and default is not ...:
            return default
        if not is_one(value):
            raise RefusedEditError("value", f"“{field}” of {self._name} must be {what}.")
        return value

    def name(self, field: str) -> str:
        """The number of a word, or the id of another token."""
        return str(
            self._take(
                field,
                "the number of a word",
                lambda v: (type(v) is int and 0 <= v < 10**9) or (isinstance(v, str) and 0 < len(v) < 30),
                ...,
            )
        )

    def text(self, field: str, default: Any = ...) -> Any:
        return self._take(field, f"a text of at most {MOST_CHARACTERS:,} characters", _is_text, default)

    def number(self, field: str) -> int | None:
        found: int | None = self._take(field, "a number", lambda v: type(v) is int, None)
        return found

    def flag(self, field: str, default: Any = False) -> bool:
        return bool(self._take(field, "true or false", lambda v: isinstance(v, bool), default))

    def texts(self, field: str, default: Any = ...) -> Any:
        return self._take(
            field,
            "a list of texts",
            lambda v: isinstance(v, list) and len(v) <= 1000 and all(map(_is_text, v)),
            default,
        )

    def demand_nothing_else(self) -> None:
        if self._left:
            raise RefusedEditError("value", f"{self._name} has no “{next(iter(self._left))}”: leave it out.")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_CHARACTERS


def _head(block: Block, given: _Given, how: How) -> list[Block]:
    draft = Draft(block)
    word, head, deprel = given.name("word"), given.name("head"), given.text("deprel", None)
    if deprel is not None:
        _demand_label(deprel)
        if block.format == "conllu" and (deprel == "root") != (head == ROOT):
            raise RefusedEditError("label", "“root” is the label of the word under ROOT, and of no other.")
    swap = given.flag("swap")
    arcs.give_head(draft, word, head, deprel, swap=swap, follow=how.follow, label=how.label)
    return [draft.finish()]


def _demand_label(label: str) -> None:
    if not can_be_label(label) or label in ("", NO_VALUE):
        raise RefusedEditError("label", f"{label!r} can be no label.")


def _set(block: Block, given: _Given, how: How) -> list[Block]:
    draft = Draft(block)
    id, field = given.name("word"), given.text("field")
    if field not in SETTABLE:
        raise RefusedEditError("value", f"“field” must be one of {', '.join(SETTABLE)}: heads have “head”.")
    row = draft.token(id)
    column = COLUMNS.index(field)
    try:
        value = checked_value(field, given.text("value", None))
    except ArcwiseError as error:
        raise RefusedEditError("value", f"That cannot be written: {error}") from None
    is_multiword = "-" in row[ID]
    if is_multiword and field not in ("form", "misc"):
        raise RefusedEditError("multiword", f"A multiword token has no {field}: its words have.")
    if field == "misc":
        value = _misc_with_marks(value, row[MISC]) if block.format == "conllu" else value
        draft.tokens_changed = no_space_after(row) != ("SpaceAfter=No" in value.split("|"))
    elif field == "form":
        if value.strip() != value or (value == NO_VALUE and not Draft.is_empty(row)):
            raise RefusedEditError("value", "A form has no white space around it, and is not empty.")
        draft.tokens_changed = draft.multiword_of(id) is None if not is_multiword else True
    elif field == "feats":
        value = _features(value)
    elif field == "upos" and any(map(str.isspace, value)):
        raise RefusedEditError("value", "A tag has no white space in it.")
    elif field == "deprel":
        if value != NO_VALUE:
            _demand_label(value)
        is_root = draft.resolved(row[HEAD]) == ROOT
        if (
            block.format == "conllu"
            and not Draft.is_empty(row)
            and is_root != (value == "root")
            and (value == "root" or row[DEPREL] == "root")
        ):
            raise RefusedEditError(
                "label",
                "“root” is the label of the word under ROOT, and of no other: change its head.",
                {"op": "head", "word": _number(row[ID]), "head": 0} if value == "root" else None,
            )
        arcs.set_arc(draft, row[ID], draft.resolved(row[HEAD]), value)
    row[column] = value
    if field in marks.FIELDS and block.format == "conllu" and not Draft.is_empty(row):
        marks.fix(row, field)
    return [draft.finish()]


def _number(id: str) -> int | str:
    return int(id) if id.isdigit() else id


def _misc_with_marks(value: str, before: str) -> str:
    """Marks are not for the hand: those that are there stay."""
    return marks.with_fixed(value, marks.fixed_fields(before))


def _features(value: str) -> str:
    """Features in the order of their names, as CoNLL-U wants them."""
    if value == NO_VALUE:
        return value
    items = value.split("|")
    if not all(re.fullmatch(r"[^\s=|]+=[^\s=|]+", item) for item in items):
        raise RefusedEditError("value", "Features are written Case=Nom|Number=Sing.")
    names = [item.partition("=")[0] for item in items]
    if len(set(names)) < len(names):
        raise RefusedEditError("value", "A feature is there twice: write several values as Case=Acc,Dat.")
    return "|".join(sorted(items, key=lambda item: (item.partition("=")[0].lower(), item)))


def _fields(given: _Given) -> list[str]:
    fields: list[str] = given.texts("fields", list(marks.FIELDS))
    if any(name not in marks.FIELDS for name in fields):
        raise RefusedEditError("value", f"“fields” are some of {', '.join(marks.FIELDS)}.")
    return fields


def _free(block: Block, given: _Given, how: How) -> list[Block]:
    draft = Draft(block)
    marks.free(draft.word(given.name("word")), *_fields(given))
    return [draft.finish()]


def _fix(block: Block, given: _Given, how: How) -> list[Block]:
    draft = Draft(block)
    marks.fix(draft.word(given.name("word")), *_fields(given))
    return [draft.finish()]


def _check(block: Block, given: _Given, how: How) -> list[Block]:
    return [block.with_comment(marks.CHECKED, "yes" if given.flag("checked", True) else None)]


def _reparse(block: Block, given: _Given, how: How) -> list[Block]:
    return [block]  # which is parsed after all operations


def _split_token(block: Block, given: _Given, how: How) -> list[Block]:
    draft = Draft(block)
    word, at, forms = given.name("word"), given.number("at"), given.texts("forms", None)
    form = draft.word(word)[FORM]
    if (at is None) == (forms is None):
        raise RefusedEditError(
            "value", "Say where the word is cut (“at”, in characters) or into which “forms”."
        )
    if at is not None:
        if not 0 < at < len(form):
            raise RefusedEditError("token", f"“{form}” can be cut after 1 to {len(form) - 1} characters.")
        forms = [form[:at], form[at:]]
    for one in forms:
        checked_value("form", one or None)
    tokens.split_token(draft, word, forms)
    return [draft.finish()]


def _form(given: _Given) -> str | None:
    form: str | None = given.text("form", None)
    if form is not None:
        try:
            checked_value("form", form)
        except ArcwiseError as error:
            raise RefusedEditError("value", str(error)) from None
        if form.strip() != form:
            raise RefusedEditError("value", "A form has no white space around it.")
    return form


def _join_tokens(block: Block, given: _Given, how: How) -> list[Block]:
    draft = Draft(block)
    tokens.join_tokens(draft, given.name("first"), given.name("last"), _form(given))
    return [draft.finish()]


def _make_multiword(block: Block, given: _Given, how: How) -> list[Block]:
    draft = Draft(block)
    tokens.make_multiword(draft, given.name("first"), given.name("last"), _form(given))
    return [draft.finish()]


def _unmake_multiword(block: Block, given: _Given, how: How) -> list[Block]:
    draft = Draft(block)
    tokens.unmake_multiword(draft, given.name("first"))
    return [draft.finish()]


def _split_sentence(block: Block, given: _Given, how: How) -> list[Block]:
    return list(tokens.split_sentence(block, given.name("word"), how.new_id))


def _join_sentence(block: Block, given: _Given, how: How) -> list[Block]:
    if how.following is None:
        raise RefusedEditError("sentence", "No sentence comes after this one.")
    return [tokens.join_sentences(block, how.following)]


def _comments(block: Block, given: _Given, how: How) -> list[Block]:
    lines = given.texts("lines")
    for line in lines:
        if not line.startswith("#") or re.search("[\r\n\0]", line) or line != line.strip():
            raise RefusedEditError("comment", "A comment is a line that begins with “#”.")
    made = replace(block, comments=tuple(lines))
    for key in (marks.CHECKED, marks.PARSED_BY):  # have operations of their own
        made = made.with_comment(key, block.comment(key))
    if made.comment("text") is not None:
        made = made.with_comment("text", Draft(block).text())
    return [made]


def _replace(block: Block, given: _Given, how: How) -> list[Block]:
    text = given._take("conllu", "a sentence", lambda v: isinstance(v, str) and len(v) < 2**22, ...)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise RefusedEditError("sentence", "The text has halves of characters in it.") from None
    body = data.rstrip(b"\r\n")
    if b"\n\n" in body or b"\n\r\n" in body:
        raise RefusedEditError("sentence", "That are several sentences: give one.")
    newline = b"\r\n" if b"\r\n" in body else b"\n"
    made = Block.from_bytes(body + newline + newline, block.format)
    return [replace(made, tail=made.newline * max(1, block.tail.count("\n")))]


OPERATIONS: dict[str, Callable[[Block, _Given, How], list[Block]]] = {
    "head": _head,
    "set": _set,
    "free": _free,
    "fix": _fix,
    "check": _check,
    "reparse": _reparse,
    "split_token": _split_token,
    "join_tokens": _join_tokens,
    "make_multiword": _make_multiword,
    "unmake_multiword": _unmake_multiword,
    "split_sentence": _split_sentence,
    "join_sentence": _join_sentence,
    "comments": _comments,
    "replace": _replace,
}


def told(operation: Operation) -> str:
    """An operation in a few words, for the history."""
    name, word = operation.get("op"), operation.get("word", operation.get("first", ""))
    if name == "set":
        return f"{operation.get('field')} of {word}"
    if name == "head":
        return f"head of {word}"
    return f"{name} {word}".strip().replace("_", " ")
