"""`arcwise serve`: a page and a service on this machine."""

from __future__ import annotations

from typing import Any

import click

from arcwise.cli.flags import flags_of, given
from arcwise.serve.settings import Settings


@click.command(short_help="Serve a page and an API on this machine.")
@flags_of(Settings)
def serve(**flags: Any) -> None:
    """Serve a page on which people parse, and a service that programs call."""
    import uvicorn

    from arcwise.serve.app import create_app

    settings = Settings(**given(flags))
    click.echo(f"http://{settings.host}:{settings.port}/")
    uvicorn.run(create_app(settings), host=settings.host, port=settings.port, log_level="warning")
