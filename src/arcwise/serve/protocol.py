"""HTTP as uvicorn speaks it, with an end to its patience: clients that send or read nothing are cut off."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from arcwise.serve.metrics import Metrics

_TOLD = b'{"error":"Too many connections are open: close some, or try again later."}'
TOO_MANY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s"
) % (len(_TOLD), _TOLD)


class PatientProtocol(H11Protocol):
    """One connection."""

    max_silence = 15.0
    max_connections = 1000
    metrics: Metrics | None = None

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._has_asked = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.metrics is not None:
            self.metrics.set("connections", len(self.connections))
        if len(self.connections) > self.max_connections:
            transport.write(TOO_MANY)
            transport.close()
        self._wait("request")

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        super().connection_lost(exc)
        if self.metrics is not None:
            self.metrics.set("connections", len(self.connections))

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._has_asked = True
            self._go_on("request")  # whose body the service waits for
        else:
            self._wait("request")

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait("reading")

    def resume_writing(self) -> None:
        super().resume_writing()
        self._go_on("reading")

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._wait("closing")

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._wait("closing")

    def shutdown(self) -> None:
        """The service stops: who has just come may still ask."""
        if self._has_asked or self.transport.is_closing():
            super().shutdown()
        else:
            self.loop.call_later(0.5, self._shut_down)

    def _shut_down(self) -> None:
        if self.transport is not None and not self.transport.is_closing():
            super().shutdown()

    def _wait(self, what: str) -> None:
        if what not in self._timers and self.transport is not None:
            self._timers[what] = self.loop.call_later(self.max_silence, self._cut_off)

    def _go_on(self, what: str) -> None:
        if (timer := self._timers.pop(what, None)) is not None:
            timer.cancel()

    def _cut_off(self) -> None:
        if self.metrics is not None:
            self.metrics.add("cut")
        self.transport.abort()
