"""Help in sections, for a command with more options than one list can hold."""

from __future__ import annotations

from typing import Any

import click

_ALL = "arcwise.help_all"


class SectionedOption(click.Option):
    """An option that names the section of the help that it stands in; short help has the common ones."""

    def __init__(self, *args: Any, section: str, common: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section
        self.common = common


class SectionedCommand(click.Command):
    """A command whose help has a list of options for each section, in the order of the options.

    --help shows those that most people need, --help-all shows all.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _HELP_ALL]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        everything = ctx.meta.get(_ALL, False)
        for parameter in self.get_params(ctx):
            if not everything and not getattr(parameter, "common", True):
                continue
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                sections.setdefault(getattr(parameter, "section", "Other options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def _show_all(ctx: click.Context, option: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show all options, of every learner, and exit.",
)
