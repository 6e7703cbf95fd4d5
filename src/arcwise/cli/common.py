"""What the commands share: options, paths, and what they say on standard error."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arcwise import options
from arcwise._files import is_standard_stream
from arcwise._terminal import counted as counted
from arcwise._terminal import file_size as file_size
from arcwise._terminal import visible, visible_json, visible_lines
from arcwise.errors import ArcwiseError, ModelError
from arcwise.options import SEARCHES

if TYPE_CHECKING:
    from arcwise.grammar import Grammar
    from arcwise.parser import Parser
    from arcwise.pipeline import Pipeline

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = click.Choice(["conllu", "conllx"])


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def skip_bad_option(function: F) -> F:
    """--skip-bad, for every command that reads CoNLL files."""
    return click.option(
        "--skip-bad", is_flag=True, help="Go on without malformed sentences, naming them on standard error."
    )(function)


def reading_options(function: F) -> F:
    """--format and --skip-bad, for commands that read nothing else."""
    return click.option(
        "--format",
        type=FORMATS,
        help="The format of what is read.  [default: conllx for names in .conll and .conllx, "
        "otherwise conllu]",
    )(skip_bad_option(function))


def tags_option(function: F) -> F:
    """--tags, for commands that parse words which may have some."""
    return click.option(
        "--tags",
        type=click.Choice(["auto", "given", "new"]),
        default="auto",
        show_default=True,
        help="Tags that stand in CoNLL stay, and tell the parser more if one of a sentence is not what MODEL "
        "would give (auto), or in any case (given); or words get new ones (new).",
    )(function)


def threads_option(what: str) -> Callable[[F], F]:
    """--threads, or --jobs, for commands that parse."""
    return click.option(
        "--threads",
        "--jobs",
        "threads",
        type=click.IntRange(min=1),
        metavar="N",
        help=f"Threads that parse{what}; the trees are the same for any number.  [default: all cores]",
    )


def beam_option(function: F) -> F:
    """--beam, for commands that parse."""
    return click.option(
        "--beam",
        type=click.IntRange(min=1),
        metavar="N",
        help="Search with a beam of N derivations, not with easy-first; 1: greedily.  [default: as MODEL was "
        "trained]",
    )(function)


def search_options(function: F) -> F:
    """--search and --beam, for commands that parse in any way."""
    return click.option(
        "--search",
        type=click.Choice(SEARCHES),
        help="Greedily, with a beam, or with a beam among whose trees MODEL's ranker chooses (hc).  "
        "[default: as MODEL was trained]",
    )(beam_option(function))


def probabilities_option(help: str, default: str | None = None) -> Callable[[F], F]:
    """--probabilities, for commands that ask how sure the parser is."""
    return click.option(
        "--probabilities",
        type=click.Choice(["moves", "samples"]),
        default=default,
        show_default=default is not None,
        help=help,
    )


def samples_option(function: F) -> F:
    """--samples, for the same."""
    return click.option(
        "--samples",
        type=click.IntRange(min=1),
        metavar="N",
        default=100,
        show_default=True,
        help="How many trees are drawn for a sentence, with --probabilities samples.",
    )(function)


def with_flags(message: str) -> str:
    """A message of the package, in which options stand in brackets as Python has them: (max_words)."""
    commands: Any = click.get_current_context().find_root().command
    return str(commands.with_flags(message))


def say(text: str) -> None:
    """A line on standard error."""
    click.echo(visible(text), err=True)


def show(text: str) -> None:
    """Lines on standard output, for someone to read."""
    click.echo(visible_lines(text))


def echo_json(document: Any) -> None:
    """A JSON document on standard output."""
    click.echo(visible_json(document).encode("utf-8", "backslashreplace"))


class FromCore(click.Choice):  # type: ignore[type-arg,unused-ignore]
    """One of the names that the core knows, which is asked when they are needed: other help does without."""

    def __init__(self, names: str) -> None:
        super().__init__(())
        self._names = names

    @property
    def choices(self) -> tuple[str, ...]:
        return tuple(getattr(options, self._names))

    @choices.setter
    def choices(self, value: object) -> None:
        pass  # what click has been given is nothing yet

    def get_metavar(self, param: click.Parameter, *context: Any, **more: Any) -> str:
        """The names, in lines that fit on a terminal."""
        import textwrap

        lines = textwrap.wrap("| ".join(self.choices), width=60, break_on_hyphens=False)
        return f"[{chr(10).join(line.replace('| ', '|') for line in lines)}]".replace("\n", "\n" + " " * 12)


def name_bad(bad: Sequence[str]) -> int:
    """Names the sentences that were left out, and gives their number."""
    for sentence in bad:
        say(f"Skipped: {sentence}")
    return len(bad)


def say_how_many_bad(number: int, source: str) -> None:
    if number:
        say(f"{counted(number, 'malformed sentence')} skipped in {source}.")


def demand_grammar(pipeline: Pipeline, name: str) -> Grammar:
    """The grammar of a model's parser; refuses one that has none."""
    rules: Grammar | None = pipeline.demand("parser").info.grammar
    if rules is None:
        raise ModelError(f"{name} has no grammar: learn one with 'arcwise grammar', or leave out --grammar.")
    return rules


def demand_writable(path: str) -> None:
    """Refuses a file that could not be written in the end, before any work is done for it."""
    if is_standard_stream(path):
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise ArcwiseError(f"{path} is a directory: name a file in it.")
    if target.exists():
        if not os.access(target, os.W_OK):
            raise ArcwiseError(f"{path} is read-only: choose another name, or make it writable.")
        if not target.is_file():
            return
    folder = target.parent
    if not folder.is_dir():
        raise ArcwiseError(f"{path} cannot be written: there is no folder {folder}. Make it first.")
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ArcwiseError(
            f"{path} cannot be written: {error.strerror}. Choose another folder, or make this one writable."
        ) from error


def is_model(name: str) -> bool:
    """Whether this is the file of a model, or the name of one that is installed."""
    from arcwise.model_file import MAGIC
    from arcwise.models import is_installed

    if is_standard_stream(name):
        return False
    if Path(name).is_file():
        with Path(name).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    return is_installed(name)


def load_with_parser(name: str) -> tuple[Pipeline, Parser]:
    """A model, and its parser, which it must have."""
    from arcwise.models import load

    pipeline = load(name)
    return pipeline, pipeline.demand("parser")
