"""Bodies as they come: in bounded time and size; and who leaves before the answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.types import Receive

from arcwise.serve.requests import RequestError
from arcwise.serve.work import Memory


class LeftError(Exception):
    """The client has gone."""


@asynccontextmanager
async def received(
    receive: Receive, length: str | None, memory: Memory, *, most: int, seconds: float
) -> AsyncIterator[bytes]:
    """A request's body, which takes memory for as long as it is worked on."""
    too_large = RequestError(f"A request has at most {most:,} bytes: send less at a time.", 413)
    if length is not None and length.isdigit() and int(length) > most:
        raise too_large
    body = bytearray()
    deadline = time.monotonic() + seconds
    try:
        while True:
            try:
                message = await asyncio.wait_for(receive(), max(0.0, deadline - time.monotonic()))
            except asyncio.TimeoutError:
                raise RequestError(
                    f"The request did not arrive within {seconds:g} seconds: send it again.", 408
                ) from None
            if message["type"] == "http.disconnect":
                raise LeftError
            chunk = message.get("body", b"")
            if len(body) + len(chunk) > most:
                raise too_large
            memory.take(len(chunk))
            body += chunk
            if not message.get("more_body", False):
                break
        yield bytes(body)
    finally:
        memory.give_back(len(body))


async def gone(receive: Receive) -> None:
    """Returns when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
