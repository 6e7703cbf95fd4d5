"""The files of treebanks: what is none, and parts of those that are large."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO, TypeAlias

from arcwise import _core
from arcwise._files import is_standard_stream
from arcwise.errors import TreebankError

PathLike: TypeAlias = str | os.PathLike[str]
Opened: TypeAlias = Callable[[PathLike], AbstractContextManager[BinaryIO]]
"""How a file is opened for reading."""

_END_OF_SENTENCE = re.compile(rb"\n\r?\n")
_WORD_LINE = re.compile(rb"^[0-9]+\t.*\n", re.MULTILINE)
_SNIFFED_BYTES = 8192
_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip"}
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*"')


def source_name(path: PathLike) -> str:
    if is_standard_stream(path):
        return "<stdin>"
    # Names of files need not be UTF-8; messages must be.
    return os.fspath(path).encode("utf-8", "backslashreplace").decode()


@contextlib.contextmanager
def readable(source: str) -> Iterator[None]:
    """Says in a TreebankError why a file cannot be read."""
    try:
        yield
    except FileNotFoundError as error:
        raise TreebankError(f"{source} does not exist; check the name.") from error
    except IsADirectoryError as error:
        raise TreebankError(f"{source} is a directory; name one of the files in it.") from error
    except OSError as error:
        raise TreebankError(f"{source} cannot be read: {error.strerror or error}.") from error


def refuse_other_files(text: bytes, source: str) -> None:
    """Gives the wrong kind of file a better message than what is wrong with its first line."""
    start = text[:_SNIFFED_BYTES]
    for magic, name in _COMPRESSED.items():
        if start.startswith(magic):
            raise TreebankError(f"{source} is a {name} file; decompress it first.")
    if b"\0" in start:
        raise TreebankError(
            f"{source} is a binary file or UTF-16; a treebank is text in UTF-8 (convert it first)."
        )
    if _JSON.match(start):
        raise TreebankError(
            f"{source} is JSON, and a treebank is CoNLL-U: convert it, Document.from_json(text).to_conllu()."
        )


def batches(
    path: PathLike,
    source: str,
    batch_bytes: int,
    max_words: int | None,
    opened: Opened,
) -> Iterator[tuple[bytes, int]]:
    """The bytes of a file, cut after blank lines into parts of about `batch_bytes`, and the lines of each.

    Of a sentence that is too long there is no more than it takes to see that, as a part of its own.
    """
    with readable(source), opened(path) as file:
        rest = bytearray()
        too_long: bytes | None = None  # the beginning of a sentence whose end is not in sight
        lines = 0  # of that sentence
        first = True
        while chunk := file.read(batch_bytes):
            if first:
                refuse_other_files(chunk, source)
                first = False
            # A blank line may have begun in the bytes already searched.
            searched = max(0, len(rest) - 2)
            rest += chunk
            if too_long is not None:
                found = _END_OF_SENTENCE.search(rest, searched)
                end = found.end() if found else len(rest) - 2
                lines += rest.count(b"\n", 0, end)
                del rest[:end]
                if found is None:
                    continue
                yield too_long, lines
                too_long, searched = None, 0
            cut = max(rest.rfind(b"\n\n", searched) + 2, rest.rfind(b"\n\r\n", searched) + 3)
            if cut > 2:
                yield bytes(rest[:cut]), rest.count(b"\n", 0, cut)
                del rest[:cut]
            if max_words is not None and _is_too_long(rest, max_words):
                too_long, lines = bytes(rest[: rest.rfind(b"\n")]) + b"\n\n", rest.count(b"\n", 0, -2)
                del rest[:-2]
        if too_long is not None:
            yield too_long, lines
        elif rest:
            yield bytes(rest), 0


def _is_too_long(sentence: bytearray, max_words: int) -> bool:
    if len(sentence) > _core.max_sentence_bytes(max_words):
        return True
    return sentence.count(b"\n") > max_words and sum(1 for _ in _WORD_LINE.finditer(sentence)) > max_words
