"""A notebook as a page: its text, its code, and the output that is kept in it."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def as_markdown(path: Path) -> str:
    """The page of a notebook, which offers the notebook itself as well."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    parts = [part for cell in cells for part in _cell(cell)]
    parts.insert(1, f"To run it yourself: [{path.name}]({path.name}){{ download }}")
    return "\n\n".join(parts) + "\n"


def _cell(cell: Mapping[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
    else:
        yield f"```python\n{source}\n```"
        yield from (_output(output) for output in cell["outputs"])


def _output(output: Mapping[str, Any]) -> str:
    data = output.get("data", {})
    for kind in ("image/svg+xml", "text/html"):
        if kind in data:
            # Blank lines would end a block of HTML.
            lines = "".join(data[kind]).splitlines()
            picture = "\n".join(line.strip() for line in lines if line.strip())
            return f'<div class="output picture">\n{picture}\n</div>'
    text = "".join(data.get("text/plain", output.get("text", "")))
    return f'<pre class="output">{html.escape(text.rstrip())}</pre>'
