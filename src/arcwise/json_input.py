r"""Treebanks from JSON: what `arcwise.json_output` and `Document.to_json` write (docs/formats.md).

>>> treebank, text = from_json('{"text":"Hush!","tokens":[{"id":1,"form":"Hush!","upos":"INTJ"}]}')
>>> treebank[0][0]
<Token 1 'Hush!' ←_– _>
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from arcwise import _core
from arcwise._files import open_input
from arcwise.text import Cursor
from arcwise.treebank import Treebank, readable, source_name

_SENTENCES_AT_ONCE = 1000


class Reading(NamedTuple):
    """How JSON is read; see `Treebank.read`."""

    check_trees: bool = True
    skip_bad: bool = False
    max_words: int | None = None


def from_json(
    text: str | bytes,
    *,
    source: str = "<json>",
    how: Reading = Reading(),  # noqa: B008
) -> tuple[Treebank, str | None]:
    """The sentences of a document, of lines or of an array, and the text of the whole, if it is said.

    Raises:
        TreebankError: It is no JSON, or other JSON, or a sentence makes no sense; the message says which.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return _read(data, Cursor(), source, how, first_line=1, first_sentence=1)


def stream_json(path: str | os.PathLike[str], *, batch_bytes: int, how: Reading) -> Iterator[Treebank]:
    """The sentences of a file in parts: of JSON Lines in bounded memory, of a document after all is read."""
    source = source_name(path)
    with readable(source), open_input(path) as file:
        cursor, line, sentence = Cursor(), 1, 1
        for chunk in _chunks(file, batch_bytes):
            part, _ = _read(chunk, cursor, source, how, first_line=line, first_sentence=sentence)
            line += chunk.count(b"\n")
            sentence += len(part) + len(part.bad)
            if part.bad or len(part) <= _SENTENCES_AT_ONCE:
                yield part
                continue
            for begin in range(0, len(part), _SENTENCES_AT_ONCE):
                yield part[begin : begin + _SENTENCES_AT_ONCE]


def _read(
    data: bytes, cursor: Cursor, source: str, how: Reading, *, first_line: int, first_sentence: int
) -> tuple[Treebank, str | None]:
    core, text = _core.read_json(
        data,
        cursor,
        source=source,
        check_trees=how.check_trees,
        skip_bad=how.skip_bad,
        max_words=how.max_words or 0,
        first_line=first_line,
        first_sentence=first_sentence,
    )
    return Treebank(core, source), text


def _chunks(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Whole lines, of about this size; all at once if a line is not an object by itself."""
    first = file.readline(size)
    if not _is_object(first):
        yield first + file.read()
        return
    rest = first
    while chunk := file.read(size):
        rest += chunk
        end = rest.rfind(b"\n") + 1
        if end:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
