"""The service as an ASGI application: which route does what, and what becomes of errors."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from arcwise.errors import ArcwiseError, LongSentenceWarning
from arcwise.serve import derivation, drawing, parsing, requests, udpipe
from arcwise.serve.annotating import Annotating, ProjectError, answered
from arcwise.serve.bodies import LeftError, gone, received
from arcwise.serve.logs import Log
from arcwise.serve.metrics import Metrics
from arcwise.serve.models import Models, UnknownModelError
from arcwise.serve.openapi import document
from arcwise.serve.page_files import PageFile, page_files
from arcwise.serve.parsing import CONLLU, JSON, NDJSON, Asked, Chunk, Limits
from arcwise.serve.recommending import Recommender
from arcwise.serve.requests import RequestError
from arcwise.serve.security import HEADERS, DeniedError, Doorkeeper
from arcwise.serve.settings import Settings
from arcwise.serve.work import RefusedError, Work
from arcwise.transitions.system import System

AT_ONCE = 64_000
"""Bytes of a body that is read without a thread."""
LEFT = 499
Made = TypeVar("Made")
_END = object()


@dataclass
class Exchange:
    """A request and its answer."""

    scope: Scope
    receive: Receive
    send: Send
    begun: float = field(default_factory=time.monotonic)
    status: int = 0
    words: int = 0
    sent: int = 0
    route: str = "other"
    patience: float = 0.0
    """Seconds that are left for waiting and for work."""

    def __post_init__(self) -> None:
        self.headers = Headers(scope=self.scope)
        self.method: str = self.scope["method"]
        client = self.scope.get("client")
        self.client: str = client[0] if client else "127.0.0.1"

    async def answer(self, response: Response) -> None:
        await response(self.scope, self.receive, self.send)

    async def start(self, media: str, headers: tuple[tuple[bytes, bytes], ...] = ()) -> None:
        """Begins an answer that comes in chunks."""
        kind = (b"content-type", media.encode())
        await self.send({"type": "http.response.start", "status": 200, "headers": [kind, *headers]})

    async def chunk(self, data: bytes, more: bool) -> None:
        await self.send({"type": "http.response.body", "body": data, "more_body": more})


Handler = Callable[[Exchange], Awaitable[None]]


class Route(NamedTuple):
    """What a path does."""

    handler: Handler
    methods: tuple[str, ...] = ("POST",)
    is_page: bool = False
    is_open: bool = False
    """Whether no token is needed."""
    is_udpipe: bool = False
    name: str = ""
    """In metrics and logs; that of files of the page is one for all."""


class Service:
    """The application; `create_app` makes it."""

    def __init__(
        self,
        settings: Settings,
        models: Models,
        *,
        threads: int,
        systems: tuple[System, ...] = (),
        log: Log | None = None,
    ) -> None:
        self.settings, self.models, self.systems = settings, models, systems
        self.log = log or Log(settings.log != "problems")
        self.is_stopping = False
        self._limits = Limits(settings.max_sentence, settings.max_words)
        self._doorkeeper = Doorkeeper(settings)
        self.work = Work(settings, threads)
        self._document = document(models)
        self.annotating: Annotating | None = None
        if settings.project:
            self.annotating = Annotating(settings.project, models, threads, settings.inception)
        self.recommender = Recommender(models, threads) if settings.inception else None
        self.routes = self._made_routes()
        names = dict.fromkeys(route.name for route in self.routes.values())
        self.metrics = Metrics(list(names), settings.processes)

    def _made_routes(self) -> dict[str, Route]:
        get = ("GET", "HEAD")
        routes = {
            path: Route(self._page(file), get, is_page=True, name="page")
            for path, file in page_files(self.annotating is not None).items()
        }
        api = {
            "/health": Route(self._health, get, is_open=True),
            "/ready": Route(self._ready, get, is_open=True),
            "/metrics": Route(self._metrics, get),
            "/models": Route(self._udpipe_models, ("GET", "HEAD", "POST"), is_udpipe=True),
            "/process": Route(self._udpipe_process, ("GET", "POST"), is_udpipe=True),
            "/api/v1/models": Route(self._models, get),
            "/api/v1/openapi.json": Route(self._openapi, get),
            "/api/v1/trace": Route(self._whole(self._trace)),
            "/api/v1/draw": Route(self._whole(self._draw)),
        }
        for name, (body, steps) in parsing.ROUTES.items():
            api[f"/api/v1/{name}"] = Route(self._sentences(body, steps))
        if (recommender := self.recommender) is not None:
            for name in recommender.names():
                predict, train = partial(recommender.predict, name), partial(recommender.train, name)
                api[f"/{name}/predict"] = Route(self._done(predict))
                api[f"/{name}/train"] = Route(self._done(train))
        if (project := self.annotating) is not None:
            api |= {path: Route(self._change(function)) for path, function in project.routes.items()}
            for path, look in project.looks.items():
                api[path] = _either(Route(self._project(look), get), api.get(path))
        return {**routes, **{path: route._replace(name=path) for path, route in api.items()}}

    # --- one request ---------------------------------------------------------------------------------------

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"There is nothing here but HTTP, not {scope['type']}.")
        exchange = Exchange(scope, receive, send, patience=self.settings.max_seconds)
        exchange.send = self._with_headers(exchange, send)
        route = self.routes.get(scope["path"])
        exchange.route = route.name if route is not None else "other"
        try:
            await self._handled(exchange, route)
        except LeftError:
            exchange.status = LEFT
        except Exception as error:
            self.log.error(error, route=exchange.route)
            if exchange.status:  # too late to say so: the connection breaks
                exchange.status = 500
                raise
            await self._refuse(exchange, route, 500, "Something went wrong here: it is in the service's log.")
        finally:
            seconds = time.monotonic() - exchange.begun
            status = exchange.status or LEFT
            self.metrics.request(exchange.route, status, seconds)
            self._tell_gauges()
            self.log.request(
                exchange.route, exchange.method, status, seconds, words=exchange.words, bytes=exchange.sent
            )

    async def _handled(self, exchange: Exchange, route: Route | None) -> None:
        """Answers a request, or says why not."""
        try:
            self._doorkeeper.check(
                exchange.headers,
                is_page=route is not None and route.is_page,
                is_open=exchange.method == "OPTIONS" or (route is not None and route.is_open),
            )
            if route is None:
                raise RequestError(
                    "There is nothing at this path: /api/v1/openapi.json says what there is.", 404
                )
            if exchange.method == "OPTIONS":
                allow = {"allow": ", ".join((*route.methods, "OPTIONS"))}
                await exchange.answer(Response(status_code=204, headers=allow))
            elif exchange.method not in route.methods:
                methods = ", ".join(route.methods)
                await self._refuse(exchange, route, 405, f"This path takes {methods}.", {"allow": methods})
            else:
                await route.handler(exchange)
        except DeniedError as error:
            more = {"www-authenticate": 'Bearer realm="arcwise"'} if error.status == 401 else {}
            await self._refuse(exchange, route, error.status, error.message, more)
        except RefusedError as error:
            await self._refuse(
                exchange, route, error.status, error.message, {"retry-after": str(error.retry_after)}
            )
        except RequestError as error:
            # What is left of a body that was not read would be taken for the next request.
            more = {"connection": "close"} if error.status in (408, 413) else {}
            await self._refuse(exchange, route, error.status, str(error), more)
        except ProjectError as error:
            await exchange.answer(JSONResponse(error.answer, error.status))
        except UnknownModelError as error:
            await self._refuse(exchange, route, 404, str(error))
        except ArcwiseError as error:
            await self._refuse(exchange, route, 422, str(error))

    async def _refuse(
        self,
        exchange: Exchange,
        route: Route | None,
        status: int,
        message: str,
        headers: dict[str, str] | None = None,
    ) -> None:
        if exchange.status:  # the answer has begun: the client must see that it is not whole
            raise _BrokenError(message)
        if route is not None and route.is_udpipe:
            status = 400 if status in (404, 413, 415, 422) else status
            await exchange.answer(PlainTextResponse(message + "\n", status, headers))
        else:
            await exchange.answer(JSONResponse({"error": message}, status, headers))

    def _with_headers(self, exchange: Exchange, send: Send) -> Send:
        """Adds to every answer what it has in common with others."""

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
                message["headers"] = [
                    *message["headers"],
                    *HEADERS,
                    *self._doorkeeper.cross_origin_headers(exchange.headers),
                ]
                if exchange.route != "page":
                    message["headers"].append((b"cache-control", b"no-store"))
                if self.is_stopping:
                    message["headers"].append((b"connection", b"close"))
            else:
                exchange.sent += len(message.get("body", b""))
            await send(message)

        return sent

    def _tell_gauges(self) -> None:
        self.metrics.set("waiting", len(self.work.accepted))
        self.metrics.set("held", self.work.memory.held)

    # --- what is always there ------------------------------------------------------------------------------

    @staticmethod
    def _page(file: PageFile) -> Handler:
        headers = {"etag": file.etag, "cache-control": "no-cache"}

        async def handler(exchange: Exchange) -> None:
            known = [tag.strip() for tag in exchange.headers.get("if-none-match", "").split(",")]
            if file.etag in known:
                await exchange.answer(Response(status_code=304, headers=headers))
            else:
                await exchange.answer(Response(file.content, media_type=file.media, headers=headers))

        return handler

    async def _health(self, exchange: Exchange) -> None:
        await exchange.answer(JSONResponse({"status": "ok"}))

    async def _ready(self, exchange: Exchange) -> None:
        """Whether more can be taken on: not while it stops, or has as much as it may."""
        if self.is_stopping or self.work.is_full:
            why = "stopping" if self.is_stopping else "full"
            await exchange.answer(
                JSONResponse({"status": why}, 503, {"retry-after": str(self.work.retry_after())})
            )
        else:
            await exchange.answer(JSONResponse({"status": "ready"}))

    async def _metrics(self, exchange: Exchange) -> None:
        self._tell_gauges()
        await exchange.answer(
            Response(self.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
        )

    async def _models(self, exchange: Exchange) -> None:
        systems = derivation.systems_by_name(self.systems)
        await exchange.answer(JSONResponse({**self.models.described(), "systems": list(systems)}))

    async def _openapi(self, exchange: Exchange) -> None:
        await exchange.answer(JSONResponse(self._document))

    # --- what is worked on ---------------------------------------------------------------------------------

    def _sentences(self, kind: type[requests.Body], steps: parsing.Steps) -> Handler:
        """A route that answers sentence by sentence."""

        async def handler(exchange: Exchange) -> None:
            _demand_json(exchange.headers)
            media = _media(exchange.headers.get("accept", ""))

            def read(body: bytes) -> Asked:
                request: Any = kind.from_body(requests.from_json(body))
                name, pipeline = self.models.find(request.model)
                return Asked(request, name, pipeline, media, self._limits)

            async def work(body: bytes) -> None:
                asked = await self._read(exchange, read, body)
                if (own := parsing.small(asked)) is not None:
                    chunk = await self._in_time(
                        exchange, self.work.together(own, parsing.parse_together, asked)
                    )
                    await self._answer_whole(exchange, [chunk], media)
                elif asked.is_streamed:
                    await self._stream(exchange, self._steps(exchange, steps(asked)), media)
                else:
                    await self._collect(exchange, self._steps(exchange, steps(asked)), media)

            await self._accepted(exchange, work)

        return handler

    def _whole(self, function: Callable[[Any], dict[str, Any]]) -> Handler:
        """A route that makes an answer in one step."""

        def made(body: bytes) -> bytes:
            return bytes(JSONResponse(function(requests.from_json(body))).body)

        async def handler(exchange: Exchange) -> None:
            _demand_json(exchange.headers)

            async def work(body: bytes) -> None:
                data = await self._in_time(exchange, self.work.step(made, body))
                await self._answer_whole(exchange, [Chunk(data)], JSON)

            await self._accepted(exchange, work)

        return handler

    def _trace(self, body: Any) -> dict[str, Any]:
        requests.Trace.from_body(body)
        return derivation.trace(body, self.models, self.systems)

    @staticmethod
    def _draw(body: Any) -> dict[str, Any]:
        requests.Draw.from_body(body)
        return drawing.draw(body)

    async def _udpipe_models(self, exchange: Exchange) -> None:
        await exchange.answer(JSONResponse(udpipe.models(self.models)))

    async def _udpipe_process(self, exchange: Exchange) -> None:
        def read(body: bytes) -> udpipe.Process:
            given = udpipe.parameters(
                exchange.scope["query_string"],
                exchange.headers.get("content-type", ""),
                body,
                exchange.method,
            )
            return udpipe.Process.of(given, self.models, self._limits)

        async def work(body: bytes) -> None:
            asked = await self._read(exchange, read, body)
            await self._stream(exchange, self._steps(exchange, asked.steps()), JSON)

        await self._accepted(exchange, work)

    def _project(self, look: Callable[[], Any]) -> Handler:
        """A route that tells of the project."""

        async def handler(exchange: Exchange) -> None:
            data = await self._in_time(exchange, self.work.step(answered, look))
            await self._answer_whole(exchange, [Chunk(data)], JSON)

        return handler

    def _change(self, function: Callable[[Any], Any]) -> Handler:
        """A route that changes the project, or asks much of it: for those who have its token."""
        project = self.annotating
        assert project is not None
        handler = self._done(function)

        async def with_token(exchange: Exchange) -> None:
            _demand_json(exchange.headers)
            project.demand_token(exchange.headers)
            await handler(exchange)

        return with_token

    def _done(self, function: Callable[[Any], Any]) -> Handler:
        """A route that does what a body says. Its answer is JSON, bytes of CoNLL-U, or none."""

        def made(body: bytes) -> bytes:
            given = requests.from_json(body)
            return answered(lambda: function(given))

        async def handler(exchange: Exchange) -> None:
            _demand_json(exchange.headers)

            async def work(body: bytes) -> None:
                data = await self._in_time(exchange, self.work.step(made, body))
                if data:
                    media = JSON if data.startswith(b"{") else CONLLU
                    await self._answer_whole(exchange, [Chunk(data)], media)
                else:
                    await exchange.answer(Response(status_code=204))

            await self._accepted(exchange, work)

        return handler

    # --- work, in time and for those who wait --------------------------------------------------------------

    async def _accepted(self, exchange: Exchange, work: Callable[[bytes], Coroutine[Any, Any, None]]) -> None:
        """Takes a request on and works on it until it is answered, or its client has left."""
        settings = self.settings
        self.work.demand_room(exchange.client)  # before anything is read
        async with received(
            exchange.receive,
            exchange.headers.get("content-length"),
            self.work.memory,
            most=settings.max_bytes,
            seconds=settings.max_silence,
        ) as body:
            with self.work.accept(exchange.client):
                exchange.patience = max(0.0, settings.max_seconds - (time.monotonic() - exchange.begun))
                self._tell_gauges()
                working = asyncio.ensure_future(work(body))
                leaving = asyncio.ensure_future(gone(exchange.receive))
                try:
                    await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
                    if not working.done():
                        raise LeftError
                    working.result()
                finally:
                    for task in (working, leaving):
                        task.cancel()
                    await asyncio.gather(working, leaving, return_exceptions=True)

    async def _read(self, exchange: Exchange, read: Callable[[bytes], Made], body: bytes) -> Made:
        """A body as it was meant; a large one is not read on the event loop."""
        if len(body) <= AT_ONCE:
            return read(body)
        return await self._in_time(exchange, self.work.step(read, body))

    async def _in_time(self, exchange: Exchange, step: Coroutine[Any, Any, Made]) -> Made:
        """A step, unless it takes longer than there is patience."""
        begun = time.monotonic()
        try:
            return await asyncio.wait_for(step, exchange.patience)
        except asyncio.TimeoutError:
            seconds = self.settings.max_seconds
            raise RefusedError(
                503,
                f"This took longer than {seconds:g} seconds: send less at a time, or try again later.",
                self.work.retry_after(),
            ) from None
        finally:
            exchange.patience = max(0.0, exchange.patience - (time.monotonic() - begun))

    async def _steps(self, exchange: Exchange, chunks: Iterator[Chunk]) -> AsyncIterator[Chunk]:
        """The chunks of an answer, each made in a thread when the one before has been sent."""
        while True:
            chunk: Any = await self._in_time(exchange, self.work.step(_next, chunks))
            if chunk is _END:
                return
            yield chunk

    def _count(self, exchange: Exchange, chunk: Chunk) -> None:
        exchange.words += chunk.words
        self.metrics.add("words", chunk.words)
        self.metrics.add("sentences", chunk.sentences)

    async def _collect(self, exchange: Exchange, chunks: AsyncIterator[Chunk], media: str) -> None:
        """Sends an answer when it is whole: what goes wrong has its status."""
        found: list[Chunk] = []
        held = 0
        try:
            async for chunk in chunks:
                self.work.memory.take(len(chunk.data))
                held += len(chunk.data)
                found.append(chunk)
            await self._answer_whole(exchange, found, media)
        finally:
            self.work.memory.give_back(held)

    async def _answer_whole(self, exchange: Exchange, chunks: list[Chunk], media: str) -> None:
        for chunk in chunks:
            self._count(exchange, chunk)
        length = sum(len(chunk.data) for chunk in chunks)
        await exchange.start(media, ((b"content-length", b"%d" % length),))
        for index, chunk in enumerate(chunks, 1):
            await exchange.chunk(chunk.data, more=index < len(chunks))

    async def _stream(self, exchange: Exchange, chunks: AsyncIterator[Chunk], media: str) -> None:
        """Sends an answer as it comes."""
        async for chunk in chunks:
            self._count(exchange, chunk)
            if not exchange.status:
                await exchange.start(media)
            if chunk.data:
                await exchange.chunk(chunk.data, more=True)
        if not exchange.status:
            await exchange.start(media)
        await exchange.chunk(b"", more=False)


class _BrokenError(Exception):
    """An answer that had begun cannot be finished."""


def create_app(
    settings: Settings, *, threads: int = 1, log: Log | None = None, systems: tuple[System, ...] = ()
) -> Service:
    """The service as an ASGI application; its models are loaded."""
    # They have words of the text in them.
    warnings.simplefilter("ignore", LongSentenceWarning)
    models = Models.load(settings.model, systems)
    return Service(settings, models, threads=settings.threads or threads, log=log, systems=systems)


def _either(look: Route, change: Route | None) -> Route:
    """A path that tells something when it is read, and does something when it is posted to."""
    if change is None:
        return look
    posted = change.handler

    async def handler(exchange: Exchange) -> None:
        await (posted if exchange.method == "POST" else look.handler)(exchange)

    return Route(handler, (*look.methods, *change.methods))


def _next(chunks: Iterator[Chunk]) -> Any:
    return next(chunks, _END)


def _media(accept: str) -> str:
    """How an answer is to look, of those ways that there are."""
    for media in (NDJSON, CONLLU):
        if media in accept:
            return media
    return JSON


def _demand_json(headers: Headers) -> None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise RequestError("The body must be JSON: send 'Content-Type: application/json'.", 415)
