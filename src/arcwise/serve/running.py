"""A service that runs: its socket, its processes, and how it stops.

With several processes the first one loads the models, opens the socket and forks: the others have the models
in the memory that they share with it. One that dies is replaced. On SIGTERM or Ctrl-C each answers what it
has accepted, and ends.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import uvicorn

from arcwise.errors import OptionError
from arcwise.serve.app import Service
from arcwise.serve.logs import Handler
from arcwise.serve.protocol import PatientProtocol
from arcwise.serve.settings import Settings

_BACKLOG = 512
_LEAST_LIFE = 1.0
"""Seconds that a process must have lived for another to be made at once."""


def open_socket(settings: Settings) -> socket.socket:
    """The socket to listen on; refuses an address that cannot be had."""
    host, port = settings.host.strip("[]"), settings.port
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        opened = socket.socket(family, kind, protocol)
    except OSError as error:
        raise OptionError(f"There is no address {settings.host} here: {error.strerror} (host).") from None
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise OptionError(
                f"Port {port} is taken, perhaps by another 'arcwise serve': choose another, or 0 for one "
                "that is free (port)."
            ) from None
        if error.errno == errno.EACCES:
            raise OptionError(f"Port {port} is not for everyone: choose one above 1023 (port).") from None
        reason = error.strerror or str(error)
        raise OptionError(f"{settings.host} is no address of this machine: {reason} (host).") from None
    opened.setblocking(False)
    return opened


def address_of(opened: socket.socket) -> str:
    """Where a browser finds it."""
    host, port = opened.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class _Server(uvicorn.Server):
    """uvicorn's server, which says that it stops, and leaves signals as they were."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        signals = (signal.SIGTERM, signal.SIGINT)
        try:
            for number in signals:
                loop.add_signal_handler(number, self.handle_exit, number, None)
        except (ValueError, RuntimeError):  # not in the main thread: whoever runs it ends it
            yield
            return
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._service.is_stopping = True
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._service.is_stopping = True
        # Who knocked before is let in; connections that nobody asks on are closed.
        await asyncio.sleep(0.2)
        await super().shutdown(sockets)
        self._service.work.stop()
        if self._service.recommender is not None:
            self._service.recommender.stop()
        if self._service.annotating is not None:
            self._service.annotating.finish()


def server_of(service: Service) -> _Server:
    """The HTTP server of a service."""
    settings = service.settings
    protocol = type(
        "Protocol",
        (PatientProtocol,),
        {
            "max_silence": settings.max_silence,
            "max_connections": settings.max_connections,
            "metrics": service.metrics,
        },
    )
    config = uvicorn.Config(
        service,
        http=protocol,
        ws="none",
        lifespan="off",
        loop="asyncio",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_keep_alive=int(max(1, min(75, settings.max_silence))),
        timeout_graceful_shutdown=int(settings.max_seconds + settings.max_silence) + 1,
    )
    return _Server(config, service)


def run(service: Service, opened: socket.socket) -> None:
    """Answers until it is told to stop."""
    _take_loggers(service)
    _raise_limit_of_files(service.settings.max_connections)
    if service.settings.processes == 1:
        _answer(service, opened)
    else:
        _Processes(service, opened).run()


def _answer(service: Service, opened: socket.socket) -> None:
    asyncio.run(server_of(service).serve([opened]))


def _take_loggers(service: Service) -> None:
    for name in ("uvicorn", "uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [Handler(service.log)]
        logger.propagate = False
        logger.setLevel(logging.WARNING)


def _raise_limit_of_files(connections: int) -> None:
    """Each connection is an open file."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = connections + 256
        if soft < wanted:
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class _Processes:
    """The parent of the processes that answer: it answers nothing itself."""

    def __init__(self, service: Service, opened: socket.socket) -> None:
        self._service, self._opened = service, opened
        self._rows: dict[int, tuple[int, float]] = {}
        """Of each process its row in the metrics, and when it was made."""
        self._stop: int | None = None

    def run(self) -> None:
        gc.collect()
        gc.freeze()  # what is never collected is never written, and stays shared
        before = {number: signal.signal(number, self._told) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            for row in range(self._service.settings.processes):
                self._make(row)
            while self._rows:
                self._wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _told(self, number: int, frame: FrameType | None) -> None:
        self._stop = number
        for process in self._rows:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)

    def _make(self, row: int) -> None:
        # A signal in between would find a process that is not on the list yet.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
        process = os.fork()
        if process == 0:
            self._child(row)
        self._rows[process] = row, time.monotonic()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT})

    def _child(self, row: int) -> None:
        code = 1
        try:
            self._service.metrics.row = row
            # Ctrl-C on a terminal reaches the parent too, which tells the others.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT})
            server = server_of(self._service)
            asyncio.run(_until_orphaned(server, self._opened, os.getppid()))
            code = 0
        except BaseException as error:
            self._service.log.error(error)
        finally:
            os._exit(code)

    def _wait(self) -> None:
        try:
            process, status = os.waitpid(-1, 0)
        except ChildProcessError:
            self._rows.clear()
            return
        if process not in self._rows:
            return
        row, made = self._rows.pop(process)
        if self._stop is not None:
            return
        for gauge in ("waiting", "connections", "held"):
            self._service.metrics.row = row
            self._service.metrics.set(gauge, 0)
        self._service.metrics.add("restarts")
        self._service.log.write("restart", process=process, status=os.waitstatus_to_exitcode(status))
        if time.monotonic() - made < _LEAST_LIFE:
            time.sleep(_LEAST_LIFE)
        if self._stop is None:
            self._make(row)


async def _until_orphaned(server: _Server, opened: socket.socket, parent: int) -> None:
    """Answers until it is told to stop, or there is no parent that could tell."""

    async def watch() -> None:
        while os.getppid() == parent:
            await asyncio.sleep(1)
        server.handle_exit(signal.SIGTERM, None)

    watching: asyncio.Task[Any] = asyncio.ensure_future(watch())
    try:
        await server.serve([opened])
    finally:
        watching.cancel()
