"""Where the service listens, what it serves, and what it allows."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise.options.fields import Options, option


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Settings(Options):
    """How `arcwise serve` runs."""

    host: str = option("127.0.0.1", "The address to listen on.", metavar="ADDRESS")
    port: int = option(8080, "The port; 0: any that is free.", least=0, most=65535, metavar="N")
    model: tuple[str, ...] = option((), "A model, by its name or file; may be given several times.", metavar="MODEL", several=True)
