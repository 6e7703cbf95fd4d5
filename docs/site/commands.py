"""The reference of the command line, from the commands themselves."""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Iterator

import click

from arcwise.cli import cli


def names() -> list[str]:
    """The commands, in the order of `arcwise --help`."""
    return cli.list_commands(click.Context(cli))


def pages() -> Iterator[tuple[str, str]]:
    """The pages, by the name that each has."""
    with click.Context(cli, info_name="arcwise", **cli.context_settings) as context:
        commands = {name: cli.get_command(context, name) for name in names()}
        rows = [
            f"| [`arcwise {name}`]({name}.md) | {_escaped(command.get_short_help_str(200))} |"
            for name, command in commands.items()
            if command is not None
        ]
        own = _about(cli)
        yield "index", "\n".join(["# Commands", "", own, "", "| | |", "| --- | --- |", *rows, ""])
        for name, command in commands.items():
            if command is not None:
                yield name, _page(command, click.Context(command, info_name=name, parent=context))


def _page(command: click.Command, context: click.Context) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [f"# arcwise {command.name}", f"```text\n{usage}\n```", _about(command)]
    sections: dict[str, list[str]] = {}
    for parameter in command.get_params(context):
        if isinstance(parameter, click.Option) and (record := parameter.get_help_record(context)) is not None:
            title = getattr(parameter, "section", "Options")
            sections.setdefault(title, []).append(_option(command, parameter, *record))
    for title, options in sections.items():
        parts += [f"## {title}", "\n\n".join(options)]
    if command.epilog:
        title, _, examples = inspect.cleandoc(command.epilog.replace("\b", "")).strip().partition("\n")
        parts += [f"## {title.rstrip(':')}", f"```console\n{_as_prompts(examples)}\n```"]
    return "\n\n".join(parts) + "\n"


def _option(command: click.Command, option: click.Option, flags: str, help: str) -> str:
    # What it is by default, and its range, stand in brackets at the end.
    said, bracket, more = help.partition("  [")
    anchor = f"{command.name}-{option.opts[-1].lstrip('-')}"
    flags = re.sub(r"\s+", " ", flags)
    more = f' <span class="range">{_escaped(more.removesuffix("]").replace("]  [", "; "))}</span>' * bool(
        bracket
    )
    return f'<div class="option" markdown>\n\n`{flags}`{{ #{anchor} }}\n\n{_escaped(said)}{more}\n\n</div>'


def _about(command: click.Command) -> str:
    text = inspect.cleandoc(command.help or "").replace("\f", "")
    blocks = []
    for block in text.split("\n\n"):
        if block.startswith("\b"):
            blocks.append(f"```text\n{inspect.cleandoc(block[1:].lstrip(chr(10)))}\n```")
        else:
            blocks.append(_escaped(" ".join(block.split())))
    return "\n\n".join(blocks)


def _as_prompts(examples: str) -> str:
    lines = inspect.cleandoc(examples).splitlines()
    return "\n".join(f"$ {line}" if not line.startswith((" ", "#")) else line for line in lines)


def _escaped(text: str) -> str:
    """Plain text as Markdown: flags, and commands in quotation marks, are code."""
    text = re.sub(r"([\\*_|\[\]])", r"\\\1", html.escape(text, quote=False))
    text = re.sub(r"'(arcwise [^']+)'", r"`\1`", text)
    return re.sub(r"(?<![\w`-])(--[a-z][\w-]*)(?=[^`]*(?:`[^`]*`[^`]*)*$)", r"`\1`", text)
