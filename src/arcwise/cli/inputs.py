"""What commands that parse read: raw text, words, CoNLL or JSON, as a file's name or its first bytes tell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import arcwise.inputs
from arcwise._files import is_standard_stream
from arcwise.cli.common import F, name_bad, say_how_many_bad, skip_bad_option
from arcwise.errors import TreebankError
from arcwise.inputs import (
    CONLL,
    INPUTS,
    WITH_TAGS,
    Reading,
    demand_readable,
    kind_of,
    name_of,
    sentences_of,
)
from arcwise.options import MAX_WORDS

if TYPE_CHECKING:
    from arcwise.pipeline import Pipeline
    from arcwise.treebank import Treebank


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


def parts_of(path: str, kind: str, model: Pipeline, how: Reading) -> Iterator[tuple[Treebank, int]]:
    """The sentences of a file in parts, and how many bytes have been read with each, more or less."""
    size = size_of(path)
    step = arcwise.inputs.CONLL_BYTES if kind in WITH_TAGS else arcwise.inputs.TEXT_BYTES
    for number, part in enumerate(sentences_of(path, kind, model, how), start=1):
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
    text = b"".join(part.to_bytes() for part in sentences_of(path, kind, model, how))
    return Treebank.from_string(text, check_trees=False, source=name_of(path))


def read_gold(path: str, format: Any, skip_bad: bool, model: Pipeline) -> Treebank:
    """The trees of a CoNLL file; raw text, which other commands read, has none."""
    from arcwise.treebank import Treebank

    demand_readable(path)
    if format is None and kind_of(path, model) not in CONLL:
        raise TreebankError(
            f"{name_of(path)} looks like raw text, which has no trees to compare with: give CoNLL-U with "
            "gold trees, or say what it is (--format)."
        )
    treebank = Treebank.read(path, format=format, skip_bad=skip_bad)
    say_how_many_bad(name_bad(treebank.bad), treebank.source)
    return treebank


def size_of(path: str) -> int:
    """The size of a file; 0 for a pipe, which does not tell."""
    return 0 if is_standard_stream(path) else Path(path).stat().st_size
