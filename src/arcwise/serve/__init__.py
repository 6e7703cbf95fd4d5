"""`arcwise serve`: a page on which people parse, and a service that programs can call.

    >>> from arcwise.serve import Settings
    >>> Settings(port=8100).host
    '127.0.0.1'

`create_app(settings)` in `arcwise.serve.app` is the service as an ASGI application, `run` in
`arcwise.serve.running` serves it. Needs the extra `serve` (starlette, uvicorn, python-multipart); nothing
else of the package imports this.
"""

from __future__ import annotations

from arcwise.serve.settings import Settings as Settings

__all__ = ["Settings"]
