"""`arcwise serve`: a page and a service on this machine."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from arcwise.cli.common import cores, say
from arcwise.cli.flags import flags_of, given
from arcwise.errors import OptionError
from arcwise.serve.settings import Settings


@click.command(
    short_help="Serve a page and an API on this machine.",
    epilog="""\b
Examples:
  arcwise serve --open
  arcwise serve --model en --model sv.arc --port 8000
  arcwise serve --project treebanks/ --open
  curl 127.0.0.1:8080/api/v1/parse --json '{"text": "Dogs bark."}'
  curl 127.0.0.1:8080/process -F data=@a.txt -F tokenizer= -F parser=
  ARCWISE_TOKEN=$(openssl rand -hex 16) arcwise serve --host 0.0.0.0

Needs the extra: pip install 'arcwise[serve]'. docs/serve.md says more.""",
)
@flags_of(Settings)
@click.option(
    "--system",
    metavar="FILE",
    multiple=True,
    help="A transition system in a Python file, for derivations: mine.py:Mine. The file is run. May be "
    "given several times.",
)
@click.option("--open", "opens", is_flag=True, help="Show the page in a browser.")
def serve(system: tuple[str, ...], opens: bool, **flags: Any) -> None:
    """Serve a page on which people parse text and step through derivations,
    and a service that programs call: JSON under /api/v1/ (see
    /api/v1/openapi.json), and UDPipe's REST dialect, so that its clients work
    unchanged.

    Only this machine can reach it, unless you give --host and a token. It
    prints its address, and runs until Ctrl-C.
    """
    start("serve", system, opens, flags)


def start(command: str, system: tuple[str, ...], opens: bool, flags: dict[str, Any]) -> None:
    """Runs the service with what the flags of a command say."""
    if flags["token"] is None and not flags["no_token"]:
        flags["token"] = os.environ.get("ARCWISE_TOKEN") or None
    settings = Settings(**given(flags))
    try:
        from arcwise.serve.app import create_app
        from arcwise.serve.running import address_of, open_socket, run
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "arcwise":
            raise
        raise OptionError(
            f"'arcwise {command}' needs {error.name}, which is not installed: pip install 'arcwise[serve]'."
        ) from None
    from arcwise.serve.logs import Log
    from arcwise.transitions.from_files import system_named

    systems = tuple(one for one in map(system_named, system) if not isinstance(one, str))
    everything = settings.log == "all" or (settings.log is None and not sys.stderr.isatty())
    with open_socket(settings) as opened:
        service = create_app(settings, threads=cores(), log=Log(everything), systems=systems)
        if settings.no_token and not settings.is_loopback:
            say(f"Note: anyone who can reach {settings.host} can use this service (--no-token).")
        address = address_of(opened)
        click.echo(f"arcwise is at {address} (Ctrl-C ends it)")
        sys.stdout.flush()
        if opens:
            import webbrowser

            webbrowser.open(address)
        run(service, opened)
