"""What `evaluate` and `compare` share: treebanks that are read together, and sentences that are shown."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arcwise.cli.common import name_bad, say_how_many_bad

if TYPE_CHECKING:
    from arcwise.evaluation import SentenceErrors
    from arcwise.treebank import Treebank


def punctuation_option(function: Any) -> Any:
    """--punctuation, for both."""
    return click.option(
        "--punctuation",
        type=click.Choice(["upos", "form"]),
        default="upos",
        show_default=True,
        help="Tell punctuation by the gold tags, or by the characters of the form.",
    )(function)


def start_option(function: Any) -> Any:
    """--from, for both."""
    return click.option(
        "--from",
        "start",
        type=click.Choice(["text", "tokens", "tags"]),
        help="What a model starts from: the raw text of GOLD, its tokens, or its tags too.  "
        "[default: tokens, if MODEL has a tagger]",
    )(function)


def read_together(names: list[str], format: Any, skip_bad: bool) -> list[Treebank]:
    """The treebanks; what is bad in one is left out of all, so that their sentences still pair up."""
    from arcwise.treebank import Treebank

    if names.count("-") > 1:
        raise click.UsageError("Only one of the files can be standard input.")
    treebanks = [Treebank.read(name, format=format, skip_bad=skip_bad) for name in names]
    for treebank in treebanks:
        say_how_many_bad(name_bad(treebank.bad), treebank.source)
    if len(names) == 1 or not any(treebank.bad for treebank in treebanks) or "-" in names:
        return treebanks
    places = [_places(treebank, name) for treebank, name in zip(treebanks, names, strict=True)]
    shared = set.intersection(*map(set, places))
    return [
        treebank.select(index for index, place in enumerate(own) if place in shared)
        for treebank, own in zip(treebanks, places, strict=True)
    ]


def _places(treebank: Treebank, name: str) -> list[int]:
    """Which of the file's sentences, good and bad, each of the treebank's sentences is."""
    place, after_blank = -1, True
    place_of_line: dict[int, int] = {}
    for number, line in enumerate(Path(name).read_bytes().split(b"\n"), start=1):
        blank = not line.strip()
        if after_blank and not blank:
            place += 1
            place_of_line[number] = place
        after_blank = blank
    return [place_of_line[sentence.line] for sentence in treebank]


def terminal_width() -> int | None:
    """How wide the terminal is that standard output goes to; None if it goes elsewhere."""
    if not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


def show_errors(
    gold: Treebank, system: Treebank, found: Iterable[SentenceErrors], names: tuple[str, str]
) -> None:
    """Draws what gold and a system make of sentences."""
    from arcwise._terminal import counted
    from arcwise.draw import title
    from arcwise.evaluation.drawing import draw_compared

    for errors in found:
        sentence = gold[errors.index]
        click.echo(title(sentence))
        click.echo(
            f"# sentence {errors.index + 1}: {errors.errors} of {counted(errors.words, 'word')} wrong, "
            f"LAS {errors.las:.2f}"
        )
        drawn = draw_compared(
            sentence,
            system[errors.index],
            errors.classes,
            names=names,
            color=sys.stdout.isatty(),
            width=terminal_width(),
        )
        click.echo(drawn.encode("utf-8", "backslashreplace"))
        click.echo()


def in_json(gold: Treebank, system: Treebank, errors: SentenceErrors) -> dict[str, Any]:
    """A sentence with both trees."""
    sentence = gold[errors.index]
    return {
        "sentence": errors.index + 1,
        "sent_id": sentence.id,
        "text": sentence.text,
        "words": errors.words,
        "errors": errors.errors,
        "las": errors.las,
        "tokens": [
            {
                "id": word.id,
                "form": word.form,
                "gold": {"head": word.head, "deprel": word.deprel},
                "system": {"head": other.head, "deprel": other.deprel},
                "error": error,
            }
            for word, other, error in zip(sentence, system[errors.index], errors.classes, strict=True)
        ],
    }
