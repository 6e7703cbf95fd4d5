"""`arcwise draw`: trees to be looked at."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arcwise._files import is_standard_stream, open_output
from arcwise.cli.common import counted, demand_writable, name_bad, reading_options, say, say_how_many_bad
from arcwise.cli.pictures import PICTURES, PictureFile, drawn
from arcwise.cli.scored import terminal_width
from arcwise.errors import OptionError
from arcwise.inputs import CONLL_BYTES, JSON_ENDINGS
from arcwise.options import MAX_WORDS

if TYPE_CHECKING:
    from arcwise.treebank import Treebank

_AT_ONCE = 100
_NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")


@click.command(
    short_help="Draw trees, for people to look at.",
    epilog="""\b
Examples:
  arcwise draw parsed.conllu | less
  arcwise draw parsed.conllu --sentence 7 --sentence 12-15
  arcwise draw treebank.conllu --sentence weblog-0012 --to svg -o tree.svg
  arcwise draw treebank.conllu --to html -o treebank.html
  arcwise parse letter.txt | arcwise draw
""",
)
@click.argument("file", metavar="[FILE|-]", default="-")
@click.option(
    "--to",
    type=click.Choice(PICTURES),
    default="tree",
    show_default=True,
    help="Text for a terminal, one picture in SVG, or a page of pictures in HTML.",
)
@click.option(
    "-o", "--output", metavar="FILE", default="-", help="Where to write.  [default: standard output]"
)
@click.option(
    "--sentence",
    "chosen",
    metavar="N|N-M|ID",
    multiple=True,
    help="Only this one: by its sent_id, or its number in the file, counted from 1; can be given several "
    "times.",
)
@reading_options
def draw(file: str, to: str, output: str, chosen: tuple[str, ...], format: Any, skip_bad: bool) -> None:
    """Draw trees, for people to look at.

    FILE is CoNLL-U or CoNLL-X. As text, each word has a line, and an arrow leads
    into it from its head; on a terminal, columns are left out where it is too
    narrow for them. In pictures long sentences go on in several rows.

    Where a file has probabilities (arcwise parse --probabilities), they are shown
    beside the labels, and words that the parser was not sure of
    (--min-confidence) are marked by ?, by dashes and in colour.
    """
    from arcwise.treebank import Treebank

    demand_writable(output)
    if is_standard_stream(file) and sys.stdin.isatty():
        say("Reading CoNLL-U from the terminal: end with Ctrl-D on an empty line.")
    # What is no tree can be looked at, too.
    if format is None and Path(file).suffix.lower() in JSON_ENDINGS:
        from arcwise.json_input import Reading, stream_json

        how = Reading(check_trees=False, skip_bad=skip_bad, max_words=MAX_WORDS)
        parts = list(stream_json(file, batch_bytes=CONLL_BYTES, how=how))
        bad, treebank = [text for part in parts for text in part.bad], Treebank.concat(parts)
    else:
        treebank = Treebank.read(file, format=format, check_trees=False, skip_bad=skip_bad)
        bad = treebank.bad
    say_how_many_bad(name_bad(bad), file)
    if chosen:
        treebank = treebank.select(_numbers(treebank, chosen))
    on_terminal = is_standard_stream(output) and sys.stdout.isatty()
    pictures = PictureFile(to, [file])
    with open_output(output) as written:
        written.write(pictures.begin())
        for first in range(0, len(treebank), _AT_ONCE):
            part = treebank[first : first + _AT_ONCE]
            text = drawn(part, to, color=on_terminal, width=terminal_width() if on_terminal else None)
            written.write(pictures.add(text))
        written.write(pictures.end())


def _numbers(treebank: Treebank, chosen: Sequence[str]) -> Iterable[int]:
    """Which sentences are meant, counted from 0: an id is taken for an id, though it may be a number."""
    ids: dict[str, list[int]] = {}
    for number, sentence in enumerate(treebank):
        ids.setdefault(sentence.id or "", []).append(number)
    found: list[int] = []
    for name in chosen:
        span = _NUMBERS.fullmatch(name)
        if name and name in ids:
            found += ids[name]
        elif span is None:
            raise OptionError(
                f"There is no sentence {name} in {treebank.source}: give a sent_id that it has, or a number "
                f"from 1 to {len(treebank)}."
            )
        else:
            first, last = int(span[1]), int(span[2] or span[1])
            if not 1 <= first <= last <= len(treebank):
                raise OptionError(
                    f"There is no sentence {name}: {treebank.source} has "
                    f"{counted(len(treebank), 'sentence')}."
                )
            found += range(first - 1, last)
    return found
