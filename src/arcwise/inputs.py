"""What text may be read from: raw text, words, CoNLL or JSON, as a file's name or its first bytes tell."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arcwise._files import is_standard_stream, open_input
from arcwise.errors import TreebankError

if TYPE_CHECKING:
    from arcwise.pipeline import Pipeline
    from arcwise.treebank import Treebank

CONLL = ("conllu", "conllx")
INPUTS = ("text", "lines", "horizontal", "vertical", *CONLL, "json")
WITH_TAGS = (*CONLL, "json")
"""Those whose words may have tags."""
CONLL_BYTES = 2_000_000
TEXT_BYTES = 32_000
_SNIFFED_BYTES = 4096
_CONLLX_ENDINGS = (".conll", ".conllx")
JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
_JSON_KEYS = re.compile(rb'^(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*"(text|sent_id|tokens|sentences|comments)"\s*:')
_LEAST_COLUMNS = 8


def kind_of(path: str, model: Pipeline) -> str:
    """What a file is: by its name, or by how it begins if the model can read raw text."""
    ending = Path(path).suffix.lower()
    if ending in _CONLLX_ENDINGS:
        return "conllx"
    if ending in JSON_ENDINGS:
        return "json"
    if ending == ".conllu":
        return "conllu"
    if ending == ".txt" and model.segmenter is not None:
        return "text"
    if model.segmenter is None and is_standard_stream(path):
        return "conllu"  # or JSON, as will be seen when there is something to read
    beginning = _beginning(path)
    if _JSON_KEYS.match(beginning):
        return "json"
    return "conllu" if model.segmenter is None or _looks_like_conllu(beginning) else "text"


class Reading(NamedTuple):
    """How files are read."""

    skip_bad: bool
    check_trees: bool
    errors: Any
    ranges: bool
    max_words: int


def sentences_of(path: str, kind: Any, model: Pipeline, how: Reading) -> Iterator[Treebank]:
    """The sentences of a file in parts; the model finds those of raw text."""
    from arcwise.treebank import Treebank

    if kind == "conllu" and is_standard_stream(path) and _JSON_KEYS.match(_beginning(path)):
        kind = "json"
    if kind in CONLL:
        yield from Treebank.stream(
            path,
            batch_bytes=CONLL_BYTES,
            format=kind,
            check_trees=how.check_trees,
            skip_bad=how.skip_bad,
            max_words=how.max_words,
        )
    elif kind == "json":
        from arcwise import json_input

        yield from json_input.stream_json(
            path,
            batch_bytes=CONLL_BYTES,
            how=json_input.Reading(how.check_trees, how.skip_bad, how.max_words),
        )
    elif kind in ("horizontal", "vertical"):
        yield from _of_words(path, kind, how)
    else:
        yield from model.demand("segmenter").stream(
            path,
            batch_bytes=TEXT_BYTES,
            sentences="lines" if kind == "lines" else "learnt",
            errors=how.errors,
            ranges=how.ranges,
            max_words=how.max_words,
        )


def _of_words(path: str, kind: str, how: Reading) -> Iterator[Treebank]:
    """Text that is cut into words already, in parts of about TEXT_BYTES."""
    from arcwise import text
    from arcwise.segmenter import checked_text
    from arcwise.treebank import readable

    source = name_of(path)
    cut = text.horizontal_sentences if kind == "horizontal" else text.vertical_sentences
    with readable(source), open_input(path) as file:
        chunks = checked_text(iter(lambda: file.read(TEXT_BYTES), b""), how.errors, source)
        decoded = (chunk.decode("utf-8", "surrogatepass") for chunk in chunks)
        part: list[list[str]] = []
        size = 0
        for sentence in cut(decoded, max_words=how.max_words, source=source):
            part.append(sentence)
            size += sum(map(len, sentence)) + len(sentence)
            if size >= TEXT_BYTES:
                yield text.from_tokens(part, source=source)
                part, size = [], 0
        if part:
            yield text.from_tokens(part, source=source)


def name_of(path: str) -> str:
    """How messages call a file."""
    return "<stdin>" if is_standard_stream(path) else path


def _beginning(path: str) -> bytes:
    from arcwise.treebank import readable

    with readable(name_of(path)):
        if not is_standard_stream(path):
            with Path(path).open("rb") as file:
                return file.read(_SNIFFED_BYTES)
        stream: Any = sys.stdin.buffer
        if hasattr(stream, "peek"):
            return bytes(stream.peek(_SNIFFED_BYTES)[:_SNIFFED_BYTES])
        at = stream.tell()
        beginning: bytes = stream.read(_SNIFFED_BYTES)
        stream.seek(at)
        return beginning


def _looks_like_conllu(beginning: bytes) -> bool:
    """Whether the first line that is no comment has columns, or all are comments as sentences have them."""
    lines = beginning.splitlines()
    for line in lines:
        if line and not line.startswith(b"#"):
            columns = line.split(b"\t")
            return len(columns) >= _LEAST_COLUMNS and columns[0][:1].isdigit()
    return any(line.startswith((b"# sent_id", b"# text", b"# newdoc")) for line in lines)


def demand_readable(path: str, *, or_model: bool = False) -> None:
    """Refuses a file that is not there before those that come before it are parsed.

    Where it might have been meant for the name of a model, it says which there are."""
    if is_standard_stream(path):
        return
    if not Path(path).exists():
        if not or_model:
            raise TreebankError(f"{path} does not exist; check the name.")
        from arcwise.models import names_of_installed

        raise TreebankError(
            f"{path} does not exist, and there is no model of this name: installed are "
            f"{names_of_installed()}; check the name."
        )
    if Path(path).is_dir():
        raise TreebankError(f"{path} is a directory; name one of the files in it.")
