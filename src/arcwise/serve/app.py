"""Routes and middleware put together."""

from __future__ import annotations

import json
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arcwise.errors import ArcwiseError
from arcwise.serve.models import Models
from arcwise.serve.page_files import page_routes
from arcwise.serve.settings import Settings

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class _Headers:
    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    (b"content-security-policy", CSP.encode()),
                    (b"x-content-type-options", b"nosniff"),
                ]
            await send(message)

        await self.app(scope, receive, sent)


def create_app(settings: Settings) -> Any:
    """The service as an ASGI application; its models are loaded."""
    models = Models.load(settings.model)

    async def list_models(request: Request) -> Response:
        return JSONResponse(models.described())

    async def parse(request: Request) -> Response:
        body = await request.json()
        try:
            return Response(await run_in_threadpool(_parsed, models, body), media_type="application/json")
        except ArcwiseError as error:
            return JSONResponse({"error": str(error)}, status_code=422)

    async def draw(request: Request) -> Response:
        from arcwise.serve import drawing

        body = await request.json()
        try:
            return JSONResponse(await run_in_threadpool(drawing.draw, body))
        except ArcwiseError as error:
            return JSONResponse({"error": str(error)}, status_code=422)

    routes = [
        Route("/api/v1/models", list_models),
        Route("/api/v1/parse", parse, methods=["POST"]),
        Route("/api/v1/draw", draw, methods=["POST"]),
    ]
    try:
        from arcwise.serve import derivation
    except ImportError:
        pass
    else:

        async def trace(request: Request) -> Response:
            body = await request.json()
            try:
                answer = await run_in_threadpool(derivation.trace, body, models)
            except ArcwiseError as error:
                return JSONResponse({"error": str(error)}, status_code=422)
            return JSONResponse(answer)

        routes.append(Route("/api/v1/trace", trace, methods=["POST"]))
    return _Headers(Starlette(routes=[*routes, *page_routes()]))


def _parsed(models: Models, body: dict[str, Any]) -> bytes:
    name = body.get("model") or models.default
    pipeline = models.pipelines[name]
    how = {"beam": body.get("beam"), "probabilities": "moves" if body.get("probabilities") else None}
    document = pipeline(body["text"], **how)
    answer = json.loads(document.to_json())
    if (drawing := body.get("drawing")) is not None:
        from arcwise.picture import picture

        columns, width = drawing.get("columns", ["upos"]), drawing.get("width")
        answer["drawings"] = [picture(s, columns=columns, width=width).to_json() for s in document]
    return json.dumps({"model": name, **answer}).encode()
