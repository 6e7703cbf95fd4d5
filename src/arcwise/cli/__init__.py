"""The command `arcwise`: one file a command, and this one that brings them together.

Nothing here imports another command than the one that is asked for, or numpy, rich or the core before it
needs them: `--help` answers at once.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import click

from arcwise import __version__
from arcwise._terminal import visible, visible_lines
from arcwise.cli.common import say
from arcwise.cli.interrupts import CLOSED_PIPE, Terminated, raise_on_terminate
from arcwise.cli.streams import give_up_output, open_closed_streams
from arcwise.errors import ArcwiseError, LongSentenceWarning

__all__ = ["main"]

_HOMES = {
    "train": "train",
    "distill": "distill",
    "parse": "parse",
    "evaluate": "evaluate",
    "compare": "compare",
    "draw": "draw",
    "calibrate": "calibrate",
    "grammar": "grammar",
    "suggest": "suggest",
    "analyse": "analyse",
    "trace": "trace",
    "update": "update",
    "strip": "update",
    "info": "info",
    "serve": "serve",
    "annotate": "annotate",
    "models": "models",
    "package": "package",
    "features": "features",
}
"""The commands, and the modules that have them."""


class _Commands(click.Group):
    """Shows commands in the order of a user's day, and turns what goes wrong into a sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_HOMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _HOMES:
            return None
        found = getattr(importlib.import_module(f"arcwise.cli.{_HOMES[cmd_name]}"), cmd_name)
        assert isinstance(found, click.Command)
        return found

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        given = list(args)
        ctx = super().make_context(info_name, args, parent, **extra)
        ctx.meta["arcwise.arguments"] = given
        return ctx

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with raise_on_terminate(), _warnings_said():
                return super().invoke(ctx)
        except ArcwiseError as error:
            raise click.ClickException(self.with_flags(str(error))) from error
        except BrokenPipeError:
            # Whoever read the output has seen enough.
            give_up_output()
            ctx.exit(CLOSED_PIPE)
        except OSError as error:
            give_up_output()
            raise click.ClickException(visible(_sentence(error))) from error
        except click.ClickException as error:
            # It may have the name of a file in it.
            vars(error)["message"] = visible_lines(error.message)
            raise
        except MemoryError as error:
            raise click.ClickException("There is not enough memory for this.") from error
        except KeyboardInterrupt as interrupt:
            # A terminal has shown ^C on the line.
            click.echo("\nInterrupted." if sys.stderr.isatty() else "Interrupted.", err=True)
            ctx.exit(Terminated.exit_code if isinstance(interrupt, Terminated) else 130)

    def with_flags(self, message: str) -> str:
        """A message of the package, in which options stand in brackets as Python has them: (max_words)."""
        with click.Context(self) as ctx:
            commands = [self.get_command(ctx, name) for name in _HOMES]
        options = [p for command in commands if command is not None for p in command.params if p.name]
        flags = {str(p.name): p.opts[-1] for p in options if p.opts[-1].startswith("--")}

        def flags_of(found: re.Match[str]) -> str:
            own = [flags.get(name, name) for name in found[1].split(", ")]
            return f"({', '.join(own)})"

        return re.sub(r"\(([a-z_]+(?:, [a-z_]+)*)\)(?=[,.:;]?(?:\s|$))", flags_of, message)


@contextlib.contextmanager
def _warnings_said() -> Iterator[None]:
    """Shows warnings as what else is said on standard error."""

    def show(message: Warning | str, *where: Any, **more: Any) -> None:
        say(f"Warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", LongSentenceWarning)
        warnings.showwarning = show
        yield


def _sentence(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename:
        return f"{error.filename}: {reason}."
    # What goes wrong with an open file says no name, and input has its own errors.
    return f"The output cannot be written: {reason}."


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="""\b
Examples:
  arcwise train train.conllu --dev dev.conllu -o my.model
  arcwise parse my.model text.conllu > parsed.conllu
  arcwise evaluate my.model test.conllu

'arcwise COMMAND --help' says more about each command.""",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Train dependency parsers from treebanks, and parse text with them.

    Treebanks and text are CoNLL-U files, or CoNLL-X files (2006/2007) whose
    names end in .conll or .conllx.
    """


def main(args: Sequence[str] | None = None, prog_name: str = "arcwise") -> None:
    """Runs the command line; never returns."""
    # What is imported stays to the end: it is not searched for cycles time and again, nor when Python leaves.
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)
    open_closed_streams()
    # A label or a form that the terminal's encoding lacks is spelled out rather than fatal.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        cli(args, prog_name=prog_name)
    except OSError as error:  # of --help, say, before there is a command that would tell of it
        give_up_output()
        say(f"Error: {_sentence(error)}")
        sys.exit(1)
