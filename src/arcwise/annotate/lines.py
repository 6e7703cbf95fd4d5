"""A sentence as its file has it, line by line, and a draft of it in which lines come and go.

`Block` is what stands in the file: it never changes, and gives back the bytes that it was read from. A
`Draft` is what an edit works on. In it words and empty nodes are called by names that stay the same whatever
is put before them: heads, enhanced dependencies and the keys of constraints in MISC refer to names, and get
their numbers when the draft becomes a block again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from arcwise.annotate.refusals import RefusedEditError
from arcwise.corrections import NO_VALUE
from arcwise.treebank import Treebank

Format = Literal["conllu", "conllx"]
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
ROOT = "0"

_WORD = re.compile(r"[1-9][0-9]*")
_RANGE = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
_EMPTY = re.compile(r"(0|[1-9][0-9]*)\.([1-9][0-9]*)")
_NAME = re.compile(r"[n+]?(0|[1-9][0-9]*)(\.[1-9][0-9]*)?")
_COMMENT = re.compile(r"#[ \t]*(?P<key>[^=\s]+)[ \t]*=[ \t]?(?P<value>.*)")

Row = tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """A sentence and the blank lines after it."""

    comments: tuple[str, ...]
    rows: tuple[Row, ...]
    newline: str = "\n"
    tail: str = "\n\n"
    """What follows the last line: its end, and one or more blank lines, or none at the end of a file."""
    format: Format = "conllu"

    @classmethod
    def from_bytes(cls, data: bytes, format: Format = "conllu") -> Block:
        """Reads what is written as one sentence; refuses what would not be written back as it was."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise RefusedEditError("sentence", "The sentence is not in UTF-8: mend the file first.") from None
        newline = "\r\n" if "\r\n" in text else "\n"
        body = text.rstrip("\r\n")
        lines = body.split(newline)
        comments = tuple(line for line in lines if line.startswith("#")) if format == "conllu" else ()
        rows = tuple(tuple(line.split("\t")) for line in lines[len(comments) :])
        made = cls(comments, rows, newline, text[len(body) :], format)
        if not rows or any(len(row) != len(COLUMNS) for row in rows) or made.to_bytes() != data:
            raise RefusedEditError(
                "sentence",
                "The sentence cannot be read: its lines must have ten columns with tabs between them, after "
                "its comments.",
            )
        made.treebank()
        return made

    def to_bytes(self) -> bytes:
        lines = [*self.comments, *("\t".join(row) for row in self.rows)]
        return (self.newline.join(lines) + self.tail).encode()

    @property
    def text(self) -> str:
        return self.to_bytes().decode()

    @property
    def words(self) -> list[Row]:
        return [row for row in self.rows if _WORD.fullmatch(row[ID])]

    @property
    def has_tree(self) -> bool:
        """Whether any word has a head."""
        return any(row[HEAD] not in ("_", "") for row in self.words)

    def comment(self, key: str) -> str | None:
        for line in self.comments:
            found = _COMMENT.fullmatch(line)
            if found is not None and found["key"] == key:
                return found["value"]
        return None

    def with_comment(self, key: str, value: str | None) -> Block:
        """The same with another value of a comment, or without it."""
        made, done = [], value is None
        for line in self.comments:
            found = _COMMENT.fullmatch(line)
            if found is None or found["key"] != key:
                made.append(line)
            elif not done:
                made.append(f"# {key} = {value}")
                done = True
        if not done:
            made.append(f"# {key} = {value}")
        return replace(self, comments=tuple(made))

    def treebank(self, source: str = "the sentence") -> Treebank:
        return Treebank.from_string(
            closed(self.to_bytes()), format=self.format, check_trees=False, source=source
        )


def closed(data: bytes) -> bytes:
    """Sentences with a blank line after the last, which the end of a file may lack."""
    return data if data.endswith((b"\n\n", b"\n\r\n")) or not data else data.rstrip(b"\r\n") + b"\n\n"


def misc_items(misc: str) -> list[str]:
    return [] if misc == NO_VALUE else misc.split("|")


def misc_value(misc: str, key: str) -> str | None:
    for item in misc_items(misc):
        name, _, value = item.partition("=")
        if name == key:
            return value
    return None


def with_misc(misc: str, key: str, value: str | None) -> str:
    """MISC with another value of a key, in its place, or without it."""
    items = misc_items(misc)
    kept: list[str] = []
    done = value is None
    for item in items:
        if item.partition("=")[0] != key:
            kept.append(item)
        elif not done:
            kept.append(f"{key}={value}")
            done = True
    if not done:
        kept.append(f"{key}={value}")
    return "|".join(kept) or NO_VALUE


def no_space_after(row: Sequence[str]) -> bool:
    return misc_value(row[MISC], "SpaceAfter") == "No"


@dataclass
class Multiword:
    """A token that stands for several words, which are named."""

    first: str
    last: str
    row: list[str]


class Draft:
    """A sentence that is being changed."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.comments = list(block.comments)
        self.rows: list[list[str]] = []
        """Of words and empty nodes, whose ID is their name."""
        self.multiwords: list[Multiword] = []
        self.aliases: dict[str, str] = {}
        """Of names that are gone, what stands for them."""
        self._made = 0
        self.tokens_changed = False
        """Whether the text is to be made anew of the tokens."""
        for row in block.rows:
            found = _RANGE.fullmatch(row[ID])
            if found is not None:
                self.multiwords.append(Multiword(found[1], found[2], list(row)))
            elif _WORD.fullmatch(row[ID]) or _EMPTY.fullmatch(row[ID]):
                self.rows.append(list(row))
            else:
                raise RefusedEditError(
                    "sentence", f"'{row[ID]}' is no number of a word: mend the file first."
                )

    # --- what there is -------------------------------------------------------------------------------------

    @staticmethod
    def is_empty(row: Sequence[str]) -> bool:
        return "." in row[ID]

    @property
    def words(self) -> list[list[str]]:
        return [row for row in self.rows if not self.is_empty(row)]

    def place(self, name: str) -> int:
        for place, row in enumerate(self.rows):
            if row[ID] == name:
                return place
        raise RefusedEditError("token", f"There is no word {name} in the sentence: look at it again.")

    def row(self, name: str) -> list[str]:
        return self.rows[self.place(name)]

    def word(self, name: str) -> list[str]:
        """A word that can have a head and a place in the text."""
        row = self.row(name)
        if self.is_empty(row):
            raise RefusedEditError(
                "empty_node", f"{name} is an empty node: it has no place in the text, and no basic head."
            )
        return row

    def token(self, id: str) -> list[str]:
        """A word, an empty node or a multiword token."""
        for multiword in self.multiwords:
            if f"{multiword.first}-{multiword.last}" == id:
                return multiword.row
        return self.row(id)

    def multiword_of(self, name: str) -> Multiword | None:
        """The multiword token that a word is in."""
        place = self.place(name)
        for multiword in self.multiwords:
            if self.place(multiword.first) <= place <= self.place(multiword.last):
                return multiword
        return None

    def head(self, name: str) -> str:
        """The name of a word's head, `0`, or `_`."""
        return self.resolved(self.row(name)[HEAD])

    def resolved(self, name: str) -> str:
        while name in self.aliases:
            name = self.aliases[name]
        return name

    def new_name(self) -> str:
        self._made += 1
        return f"+{self._made}"

    def surface(self) -> Iterator[list[str]]:
        """The tokens that make the text."""
        after: str | None = None
        first = {multiword.first: multiword for multiword in self.multiwords}
        for row in self.rows:
            if self.is_empty(row):
                continue
            if after is None and (multiword := first.get(row[ID])) is not None:
                yield multiword.row
                after = multiword.last
            elif after is None:
                yield row
            if after == row[ID]:
                after = None

    def text(self) -> str:
        return "".join(row[FORM] + ("" if no_space_after(row) else " ") for row in self.surface()).rstrip()

    # --- what comes of it ----------------------------------------------------------------------------------

    def finish(self) -> Block:
        """The block with all numbers as they are now."""
        numbers = {ROOT: ROOT, NO_VALUE: NO_VALUE}
        word, empty = 0, 0
        for row in self.rows:
            if self.is_empty(row):
                empty += 1
                numbers[row[ID]] = f"{word}.{empty}"
            else:
                word, empty = word + 1, 0
                numbers[row[ID]] = str(word)
        first = {multiword.first: multiword for multiword in self.multiwords}
        made: list[Row] = []
        for row in self.rows:
            if (multiword := first.get(row[ID])) is not None:
                id = f"{numbers[multiword.first]}-{numbers[multiword.last]}"
                made.append((id, *multiword.row[FORM:]))
            made.append(self._numbered(row, numbers))
        comments = self._comments_with_text() if self.tokens_changed else tuple(self.comments)
        return replace(self.block, comments=comments, rows=tuple(made))

    def _numbered(self, row: list[str], numbers: dict[str, str]) -> Row:
        def number(name: str) -> str:
            return numbers[self.resolved(name)]

        made = list(row)
        made[ID] = numbers[row[ID]]
        if not self.is_empty(row) and row[HEAD] not in numbers and self.resolved(row[HEAD]) not in numbers:
            raise RefusedEditError("token", f"Word {made[ID]} has the head {row[HEAD]}, which is no word.")
        if not self.is_empty(row):
            made[HEAD] = number(row[HEAD])
        if self.block.format == "conllx":
            return tuple(made)
        if row[DEPS] != NO_VALUE:
            made[DEPS] = self._renumbered_deps(row, made[ID], numbers)
        made[MISC] = self._renumbered_misc(row[MISC], numbers)
        return tuple(made)

    def _renumbered_deps(self, row: list[str], own: str, numbers: dict[str, str]) -> str:
        deps = split_deps(row[DEPS])
        if deps is None:
            if all(name == number for name, number in numbers.items()):
                return row[DEPS]
            raise RefusedEditError(
                "deps", f"DEPS of word {own} cannot be read ({row[DEPS][:60]}), so it cannot be renumbered."
            )
        made: list[tuple[str, str]] = []
        for head, label in deps:
            if (number := numbers.get(self.resolved(head))) is None:
                raise RefusedEditError(
                    "deps",
                    f"The enhanced dependency {head}:{label} of word {own} leads to what is no longer there: "
                    "change DEPS first.",
                )
            if number != own or label == "root":
                made.append((number, label))
        if made == deps:
            return row[DEPS]
        made = sorted(dict.fromkeys(made), key=lambda dep: _order(dep[0]))
        return "|".join(f"{head}:{label}" for head, label in made) or NO_VALUE

    def _renumbered_misc(self, misc: str, numbers: dict[str, str]) -> str:
        """Constraints in MISC have numbers of words."""
        for key, separators in (("FixedHead", ""), ("NotHead", ","), ("Subtree", ",-")):
            if (value := misc_value(misc, key)) is None:
                continue
            parts = re.split(f"([{separators}])", value) if separators else [value]
            named = [self.resolved(part) for part in parts]
            if all(name in numbers or name in (",", "-") for name in named):
                made = "".join(numbers.get(name, name) for name in named)
                misc = with_misc(misc, key, made) if made != value else misc
        return misc

    def _comments_with_text(self) -> tuple[str, ...]:
        block = replace(self.block, comments=tuple(self.comments))
        if block.format == "conllx" or block.comment("text") is None:
            return block.comments
        return block.with_comment("text", self.text()).comments


def split_deps(deps: str) -> list[tuple[str, str]] | None:
    """Heads and labels of enhanced dependencies; None if they are not written so."""
    if deps == NO_VALUE:
        return []
    found = []
    for item in deps.split("|"):
        head, colon, label = item.partition(":")
        if not colon or not _NAME.fullmatch(head):
            return None
        found.append((head, label))
    return found


def _order(id: str) -> tuple[int, int]:
    word, _, empty = id.partition(".")
    return int(word), int(empty or 0)
