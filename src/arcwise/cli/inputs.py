"""What commands that parse read: raw text, words, CoNLL or JSON, as a file's name or its first bytes tell."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from arcwise._files import is_standard_stream, open_input
from arcwise.cli.common import F, name_bad, say_how_many_bad, skip_bad_option
from arcwise.errors import TreebankError
from arcwise.options import MAX_WORDS

if TYPE_CHECKING:
    from arcwise.pipeline import Pipeline
    from arcwise.treebank import Treebank

CONLL = ("conllu", "conllx")
INPUTS = ("text", "lines", "horizontal", "vertical", *CONLL, "json")
WITH_TAGS = (*CONLL, "json")
"""Those whose words may have tags."""
CONLL_BYTES = 2_000_000
TEXT_BYTES = 50_000
_SNIFFED_BYTES = 4096
_CONLLX_ENDINGS = (".conll", ".conllx")
JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
_JSON_KEYS = re.compile(rb'^(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*"(text|sent_id|tokens|sentences|comments)"\s*:')
_LEAST_COLUMNS = 8


def input_options(function: F) -> F:
    """--format and how to read what is in it, for commands that parse whatever there is."""
    for option in (
        skip_bad_option,
        click.option(
            "--max-words",
            type=click.IntRange(1, 2**31 - 1),
            metavar="N",
            default=MAX_WORDS,
            show_default=True,
            help="Cut longer sentences of text after punctuation, naming them on standard error, and refuse "
            "those of CoNLL. Memory grows with this number.",
        ),
        click.option(
            "--errors",
            type=click.Choice(["strict", "replace"]),
            default="strict",
            show_default=True,
            help="Refuse raw text that is not UTF-8 or has NULs in it, or replace what is bad by U+FFFD.",
        ),
        click.option(
            "--format",
            type=click.Choice(INPUTS),
            help="What is read: raw text; raw text with a sentence a line (lines); tokens with spaces "
            "between them, a sentence a line (horizontal); a token a line, blank lines between sentences "
            "(vertical); CoNLL; JSON, as 'arcwise parse --to json' writes it.  [default: by the ending of a "
            "file's name, .txt, .conllu, .conll, .json or .jsonl, or how it begins]",
        ),
    ):
        function = option(function)
    return function


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


def parts_of(path: str, kind: str, model: Pipeline, how: Reading) -> Iterator[tuple[Treebank, int]]:
    """The sentences of a file in parts, and how many bytes have been read with each, more or less."""
    size = size_of(path)
    step = CONLL_BYTES if kind in WITH_TAGS else TEXT_BYTES
    for number, part in enumerate(_parts(path, kind, model, how), start=1):
        yield part, min(number * step, size)


def read_all(path: str, format: str | None, model: Pipeline, how: Reading) -> Treebank:
    """All sentences of a file; those that are bad have been named."""
    from arcwise.treebank import Treebank

    demand_readable(path)
    kind: Any = format or kind_of(path, model)
    if kind in CONLL:
        reading: dict[str, Any] = {
            "check_trees": how.check_trees,
            "skip_bad": how.skip_bad,
            "max_words": how.max_words,
        }
        treebank = Treebank.read(path, format=kind, **reading)
        say_how_many_bad(name_bad(treebank.bad), treebank.source)
        return treebank
    text = b"".join(part.to_bytes() for part in _parts(path, kind, model, how))
    return Treebank.from_string(text, check_trees=False, source=_name(path))


def read_gold(path: str, format: Any, skip_bad: bool, model: Pipeline) -> Treebank:
    """The trees of a CoNLL file; raw text, which other commands read, has none."""
    from arcwise.treebank import Treebank

    demand_readable(path)
    if format is None and kind_of(path, model) not in CONLL:
        raise TreebankError(
            f"{_name(path)} looks like raw text, which has no trees to compare with: give CoNLL-U with gold "
            "trees, or say what it is (--format)."
        )
    treebank = Treebank.read(path, format=format, skip_bad=skip_bad)
    say_how_many_bad(name_bad(treebank.bad), treebank.source)
    return treebank


def _parts(path: str, kind: Any, model: Pipeline, how: Reading) -> Iterator[Treebank]:
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

    source = _name(path)
    sentences_of = text.horizontal_sentences if kind == "horizontal" else text.vertical_sentences
    with readable(source), open_input(path) as file:
        chunks = checked_text(iter(lambda: file.read(TEXT_BYTES), b""), how.errors, source)
        decoded = (chunk.decode("utf-8", "surrogatepass") for chunk in chunks)
        part: list[list[str]] = []
        size = 0
        for sentence in sentences_of(decoded, max_words=how.max_words, source=source):
            part.append(sentence)
            size += sum(map(len, sentence)) + len(sentence)
            if size >= TEXT_BYTES:
                yield text.from_tokens(part, source=source)
                part, size = [], 0
        if part:
            yield text.from_tokens(part, source=source)


def _name(path: str) -> str:
    return "<stdin>" if is_standard_stream(path) else path


def _beginning(path: str) -> bytes:
    from arcwise.treebank import readable

    with readable(_name(path)):
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


def size_of(path: str) -> int:
    """The size of a file; 0 for a pipe, which does not tell."""
    return 0 if is_standard_stream(path) else Path(path).stat().st_size


def demand_readable(path: str) -> None:
    """Refuses a file that is not there before those that come before it are parsed."""
    if is_standard_stream(path):
        return
    if not Path(path).exists():
        raise TreebankError(f"{path} does not exist; check the name.")
    if Path(path).is_dir():
        raise TreebankError(f"{path} is a directory; name one of the files in it.")
