"""Where the service listens, whom it answers, and how much it takes on."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from arcwise.options.fields import Options, option

LEAST_TOKEN = 16
"""Characters of a token that cannot be guessed."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Settings(Options):
    """How `arcwise serve` runs."""

    TITLE: ClassVar[str] = "Options"

    model: tuple[str, ...] = option(
        (),
        "A model to serve, by its name or file; the first is the default. May be given several times.",
        metavar="MODEL",
        several=True,
        unset="en",
    )
    project: tuple[str, ...] = option(
        (),
        "A folder of treebanks, or a .conllu file, to annotate on the page. May be given several times.",
        metavar="PATH",
        several=True,
    )
    inception: bool = option(
        False,
        "Be an external recommender for INCEpTION: /MODEL/predict and /MODEL/train. Needs the extra "
        "'arcwise[inception]'.",
    )
    port: int = option(8080, "The port to listen on; 0: one that is free.", least=0, most=65535, metavar="N")
    host: str = option(
        "127.0.0.1",
        "The address to listen on. Any but this machine's own (loopback) needs a token.",
        metavar="ADDRESS",
    )
    token: str | None = option(
        None,
        "What requests must bring along, as 'Authorization: Bearer TOKEN'. Better given in the environment "
        "variable ARCWISE_TOKEN: others on the machine can see flags.",
        metavar="TOKEN",
        unset="none is needed",
    )
    no_token: bool = option(False, "Answer anyone who can reach --host.")
    allow_host: tuple[str, ...] = option(
        (),
        "A name that the service may be called by, behind a proxy for instance. May be given several times.",
        metavar="NAME",
        several=True,
    )
    allow_origin: tuple[str, ...] = option(
        (),
        "A web page elsewhere that may call the service, such as https://example.org. May be given several "
        "times.",
        metavar="ORIGIN",
        several=True,
    )
    processes: int = option(
        1, "Processes that answer; they share one copy of the models.", least=1, most=256, metavar="N"
    )
    threads: int | None = option(
        None, "Threads that parse, in each process.", least=1, most=1024, metavar="N", unset="all cores"
    )
    max_bytes: int = option(4 * 2**20, "The size of a request, in bytes.", least=1024, metavar="N")
    max_words: int = option(100_000, "The words of an answer that is not streamed.", least=1, metavar="N")
    max_sentence: int = option(
        1000, "The words of a sentence: longer ones of text are cut, others refused.", least=1, metavar="N"
    )
    max_seconds: float = option(30.0, "How long a request may wait and be worked on.", above=0, most=86400)
    max_requests: int = option(
        128, "Requests that wait or are worked on, in each process; more are refused.", least=1, metavar="N"
    )
    max_per_client: int = option(
        32,
        "How many of them may come from one address; one on this machine, such as a proxy, has no limit.",
        least=1,
        metavar="N",
    )
    max_connections: int = option(
        1000, "Connections that are open at a time, in each process.", least=1, metavar="N"
    )
    max_silence: float = option(
        15.0,
        "Seconds after which a client that does not send its request, or does not read its answer, is cut "
        "off.",
        above=0,
        most=86400,
    )
    log: str | None = option(
        None,
        "What is told on standard error, as lines of JSON: all requests, or problems alone.",
        choices=("all", "problems"),
        unset="problems on a terminal, otherwise all",
    )

    def requirements(self) -> Iterator[tuple[bool, str]]:
        yield (
            self.token is None or not self.no_token,
            "A service has a token or none: give one of (token) and (no_token).",
        )
        yield (
            self.token is None
            or (len(self.token) >= LEAST_TOKEN and self.token.isascii() and " " not in self.token),
            f"A token has at least {LEAST_TOKEN} characters of ASCII and no spaces, so that nobody guesses "
            "it (token).",
        )
        yield (
            not (self.project or self.inception) or self.processes == 1,
            "What is changed, or learns, is with one process: leave (processes) out.",
        )
        for origin in self.allow_origin:
            scheme, _, rest = origin.partition("://")
            yield (
                scheme in ("http", "https") and bool(rest) and not set(rest) & set("/*?#@ "),
                f"An origin is a scheme and a host, such as https://example.org, not '{origin}' "
                "(allow_origin).",
            )
        yield (
            self.is_loopback or self.token is not None or self.no_token,
            f"On {self.host}, others can reach the service: set a token in the environment variable "
            "ARCWISE_TOKEN, or answer anyone (no_token).",
        )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine for itself alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
