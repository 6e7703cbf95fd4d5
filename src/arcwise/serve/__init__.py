"""`arcwise serve`: a page on which people parse, and a service that programs can call.

Needs the extra `serve` (starlette and uvicorn); nothing else of the package imports this.
"""

from __future__ import annotations

from arcwise.serve.settings import Settings as Settings

__all__ = ["Settings"]
