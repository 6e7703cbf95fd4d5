"""Many clients at once, on this machine alone: some ask, some are slow, some leave before their answer."""

from __future__ import annotations

import asyncio
import json
import random
import time
from dataclasses import dataclass, field

_HEAD = (
    "POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
    "Content-Length: {length}\r\n\r\n"
)
LIMIT = 60.0
"""Seconds after which a request counts as lost."""


@dataclass
class Told:
    """What became of the requests of the clients that wait for their answers."""

    asked: int = 0
    answered: int = 0
    refused: int = 0
    lost: int = 0
    slow: int = 0
    vanished: int = 0
    seconds: list[float] = field(default_factory=list)
    refused_seconds: list[float] = field(default_factory=list)

    def percentile(self, share: float, of: str = "seconds") -> float:
        """
        >>> Told(seconds=[3.0, 1.0, 2.0]).percentile(0.5)
        2.0
        """
        values = sorted(getattr(self, of))
        return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def storm(
    host: str,
    port: int,
    *,
    clients: int,
    seconds: float,
    text: str,
    slow: int = 0,
    vanishing: int = 0,
    period: float = 0.0,
) -> Told:
    """Has clients ask for so long, slow and vanishing ones on top.

    Each client makes a request every `period` seconds, whether or not it was refused before, or later if the
    one before is not answered by then.
    """
    if host not in ("127.0.0.1", "localhost", "::1"):
        raise ValueError("Load is put on this machine alone.")
    return asyncio.run(_storm(host, port, clients, min(seconds, 600), text, slow, vanishing, period))


async def _storm(
    host: str, port: int, clients: int, seconds: float, text: str, slow: int, vanishing: int, period: float
) -> Told:
    told = Told()
    body = json.dumps({"text": text}).encode()
    head = _HEAD.format(path="/api/v1/parse", host=host, port=port, length=len(body)).encode()
    end = time.monotonic() + seconds
    tasks = [_client(host, port, head + body, end, told, period) for _ in range(clients)]
    tasks += [_slow(host, port, head + body, end, told) for _ in range(slow)]
    tasks += [_vanishing(host, port, head + body, end, told) for _ in range(vanishing)]
    await asyncio.gather(*tasks)
    return told


async def _client(host: str, port: int, request: bytes, end: float, told: Told, period: float) -> None:
    """Asks, waits for the answer, and asks again; without a period, after a refusal when it is told to."""
    await asyncio.sleep(random.random() * max(period, 0.2))
    reader = writer = None
    while time.monotonic() < end:
        begun = time.monotonic()
        told.asked += 1
        is_fresh = writer is None
        try:
            if writer is None:
                reader, writer = await asyncio.open_connection(host, port)
            assert reader is not None
            writer.write(request)
            status, headers, _ = await asyncio.wait_for(_answer(reader), LIMIT)
        except (OSError, ValueError, asyncio.TimeoutError, asyncio.IncompleteReadError) as error:
            if writer is not None:
                writer.close()
            reader = writer = None
            # One that was idle may be closed by the other side at any time: HTTP says to ask again.
            was_idle = isinstance(error, OSError) or not getattr(error, "partial", True)
            if was_idle and not is_fresh:
                told.asked -= 1
                continue
            told.lost += 1
            await asyncio.sleep(0.1)
            continue
        took = time.monotonic() - begun
        wait = period - took
        if status == 200:
            told.answered += 1
            told.seconds.append(took)
        elif status in (429, 503):
            told.refused += 1
            told.refused_seconds.append(took)
            if not period:
                wait = float(headers["retry-after"])
        else:
            told.lost += 1
        if headers.get("connection") == "close":
            writer.close()
            reader = writer = None
        await asyncio.sleep(max(0.0, min(wait, end - time.monotonic())))
    if writer is not None:
        writer.close()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers["content-length"]))
    status = int(head[0].split()[1])
    if status == 200 and not (body.startswith(b'{"model"') and body.endswith(b"}")):
        raise ValueError("an answer that is not whole")
    return status, headers, body


async def _slow(host: str, port: int, request: bytes, end: float, told: Told) -> None:
    """Sends a byte now and then, until it is cut off."""
    while time.monotonic() < end:
        try:
            _, writer = await asyncio.open_connection(host, port)
            told.slow += 1
            for byte in request:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.3)
                if time.monotonic() >= end:
                    break
            writer.close()
        except OSError:
            await asyncio.sleep(0.1)


async def _vanishing(host: str, port: int, request: bytes, end: float, told: Told) -> None:
    """Asks and leaves."""
    while time.monotonic() < end:
        try:
            _, writer = await asyncio.open_connection(host, port)
            writer.write(request)
            await writer.drain()
            await asyncio.sleep(0.05 * random.random())
            told.vanished += 1
            writer.transport.abort()
        except OSError:
            pass
        await asyncio.sleep(0.5 + random.random())
