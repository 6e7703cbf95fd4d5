"""Who may ask: this machine's own programs and pages, by name, and those who bring the token.

A page elsewhere that a browser shows must not reach the service. It cannot lie in three headers: `Host` is
the name that it called the service by (one of its own that resolves to this machine is refused), `Origin` is
where it comes from, and `Sec-Fetch-Site` says whether that is here.
"""

from __future__ import annotations

import base64
import ipaddress
import socket
from collections.abc import Mapping
from hmac import compare_digest
from urllib.parse import urlsplit

from arcwise.serve.settings import Settings

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"server", b"arcwise"),
)
"""Of every answer."""


class DeniedError(Exception):
    """Who asks may not: the status, and a sentence with a remedy."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class Doorkeeper:
    """Checks the headers of requests."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._names = {"localhost", *(name.lower().rstrip(".") for name in settings.allow_host)}
        if not settings.is_loopback:
            self._names.add(socket.gethostname().lower())
            if not _is_address(settings.host):
                self._names.add(settings.host.lower())
        self._origins = {origin.lower() for origin in settings.allow_origin}

    def check(self, headers: Mapping[str, str], *, is_page: bool, is_open: bool) -> None:
        """Lets a request pass, or raises; `is_page`: a file of the page, `is_open`: needs no token."""
        self._check_host(headers.get("host"))
        allowed = self._check_origin(headers)
        self._check_fetch(headers, allowed, is_page)
        if self._settings.token is not None and not (is_page or is_open):
            self._check_token(headers.get("authorization", ""))

    def cross_origin_headers(self, headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        """What tells a browser that a page elsewhere may read the answer, or that none may."""
        origin = headers.get("origin", "")
        if origin.lower() not in self._origins:
            return [(b"cross-origin-resource-policy", b"same-origin")]
        return [
            (b"access-control-allow-origin", origin.encode("latin-1")),
            (b"access-control-allow-methods", b"GET, POST"),
            (b"access-control-allow-headers", b"authorization, content-type"),
            (b"access-control-expose-headers", b"retry-after"),
            (b"access-control-max-age", b"600"),
            (b"vary", b"origin"),
        ]

    def _check_host(self, host: str | None) -> None:
        if not host:
            raise DeniedError(400, "The request does not say which host it is for: send a Host header.")
        name = _name(host)
        if name is None:
            raise DeniedError(400, "The Host header is no name of a host: send the service's own.")
        if name in self._names:
            return
        if _is_address(name) and (not self._settings.is_loopback or ipaddress.ip_address(name).is_loopback):
            return  # an address is no name that someone else could point here
        raise DeniedError(
            403,
            "The service does not go by this name: call it by its address or, if the name is its own, start "
            "it with --allow-host and the name.",
        )

    def _check_origin(self, headers: Mapping[str, str]) -> bool:
        """Whether the request comes from a page elsewhere that may ask."""
        origin = headers.get("origin")
        if origin is None:
            return False
        if origin.lower() in self._origins:
            return True
        parts = urlsplit(origin)
        if (
            parts.scheme in ("http", "https")
            and parts.netloc
            and parts.netloc.lower() == headers["host"].lower()
        ):
            return False
        raise DeniedError(
            403,
            "Pages from elsewhere may not ask: use the service's own page or, if you trust that page, start "
            "the service with --allow-origin and its origin.",
        )

    def _check_fetch(self, headers: Mapping[str, str], allowed: bool, is_page: bool) -> None:
        site = headers.get("sec-fetch-site", "none")
        if site in ("same-origin", "none") or allowed:
            return
        if (
            is_page
            and headers.get("sec-fetch-mode") == "navigate"
            and headers.get("sec-fetch-dest") == "document"
        ):
            return  # a link to the page
        raise DeniedError(
            403,
            "Pages from elsewhere may not use this: open the service's own page or, if you trust that page, "
            "start the service with --allow-origin and its origin.",
        )

    def _check_token(self, authorization: str) -> None:
        scheme, _, given = authorization.partition(" ")
        if scheme.lower() == "basic":  # for clients that can do no other: the token is the password
            try:
                given = base64.b64decode(given, validate=True).decode().partition(":")[2]
            except ValueError:
                given = ""
        elif scheme.lower() != "bearer":
            given = ""
        token = self._settings.token or ""
        if not compare_digest(given.strip().encode(), token.encode()):
            raise DeniedError(401, "The service wants its token: send 'Authorization: Bearer TOKEN'.")


def _name(host: str) -> str | None:
    """The name or address in a Host header, without its port."""
    try:
        parts = urlsplit(f"//{host}")
        parts.port  # noqa: B018 - which is checked
    except ValueError:
        return None
    if parts.path or parts.query or parts.fragment or "@" in host or parts.hostname is None:
        return None
    return parts.hostname.rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
