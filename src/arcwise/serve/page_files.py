"""The files of the page, which are listed and read at the start: no request reaches the file system."""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

PAGE = Path(__file__).parent / "page"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}


def page_routes() -> list[Route]:
    """A route for each file; `index.html` is that of `/`."""
    routes = []
    for path in sorted(PAGE.rglob("*")):
        if path.is_file() and path.suffix in KINDS:
            name = path.relative_to(PAGE).as_posix()
            routes.append(Route("/" if name == "index.html" else f"/{name}", _endpoint(path)))
    return routes


def _endpoint(path: Path):  # type: ignore[no-untyped-def]
    content, kind = path.read_bytes(), KINDS[path.suffix]
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'

    async def page_file(request: Request) -> Response:
        headers = {"ETag": etag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == etag:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    return page_file
