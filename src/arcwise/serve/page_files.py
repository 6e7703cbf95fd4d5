"""The files of the page, which are read at the start: no request reaches the file system."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parent / "page"
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}


class PageFile(NamedTuple):
    """A file, as it is sent."""

    content: bytes
    media: str
    etag: str


_ROOT = b'<html lang="en"'


def page_files(has_project: bool = False) -> dict[str, PageFile]:
    """The files by their paths; `index.html` is `/`, and says whether there is a project to annotate."""
    files = {}
    for path in sorted(PAGE.rglob("*")):
        if path.is_file() and path.suffix in _KINDS:
            name = path.relative_to(PAGE).as_posix()
            content = path.read_bytes()
            if name == "index.html" and has_project:
                content = content.replace(_ROOT, _ROOT + b" data-project", 1)
            etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
            files["/" if name == "index.html" else f"/{name}"] = PageFile(content, _KINDS[path.suffix], etag)
    return files
