"""`Trace.to_html`: the view of derivations that `arcwise serve` has, in one file.

Scripts and styles are those of the service's page, put together here; the trace lies in the page as JSON.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from pathlib import Path

from arcwise._terminal import visible
from arcwise.picture import picture
from arcwise.trace import Trace
from arcwise.trace_output import to_fragment, to_view

PAGE = Path(__file__).parent / "serve" / "page"
SCRIPT = "views/derivation_file.js"
STYLES = ("style.css", "views/derivation.css")
WIDTHS = (320, 640, 1000, 1400)
"""In pixels: the page shows the widest picture that it has room for."""
MOST_STEPS, MOST_WORDS = 1500, 300
"""One can step through; longer traces are a table."""
SHOWN_MOVES = 12

_IMPORT = re.compile(r'^import \{ ([^}]+) \} from "([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let) (\w+))", re.MULTILINE)


def to_page(trace: Trace, moves: int) -> str:
    """The whole file."""
    is_short = len(trace.steps) <= MOST_STEPS and len(trace.words) <= MOST_WORDS
    title = escape(visible(f"{trace.system}: {' '.join(trace.words)}"))
    table = to_fragment(trace, moves, trees=not is_short)
    styles = "".join((PAGE / name).read_text("utf-8") for name in STYLES)
    script = bundled(PAGE / SCRIPT) if is_short else ""
    body = f'<details id="table" open>\n<summary>All steps as a table</summary>\n{table}</details>\n'
    if is_short:
        body = (
            f'<div id="derivation"></div>\n{body}<script type="application/json" id="trace">\n'
            f'{_data(trace, moves)}\n</script>\n<script type="module">\n{script}</script>\n'
        )
    digest = base64.b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode()
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f"style-src 'unsafe-inline'; script-src 'sha256-{digest}'\">\n"
        f"<title>{title}</title>\n<style>\n{styles}</style>\n</head>\n"
        f'<body>\n<main class="derivation file">\n<h1 dir="auto">{title}</h1>\n{body}</main>\n'
        "</body>\n</html>\n"
    )


def _data(trace: Trace, moves: int) -> str:
    """As JSON in which nothing is markup, and nothing that a terminal or an editor would obey."""
    view = to_view(trace, None, most_moves=max(moves, SHOWN_MOVES))
    del view["picture"]
    drawn = [picture(trace.tree(), columns=(), width=width, probabilities=False) for width in WIDTHS]
    wider = [one for one, other in zip(drawn[1:], drawn, strict=False) if one != other]
    document = {**view, "pictures": [one.to_json() for one in (drawn[0], *wider)]}
    return json.dumps(document, allow_nan=False).replace("<", "\\u003c")


def bundled(script: Path) -> str:
    """A module with all that it imports as one script: each is a function whose result has its exports."""
    order: list[Path] = []
    _visit(script.resolve(), order)
    return "".join(_module(path, order) for path in order)


def _visit(path: Path, order: list[Path]) -> None:
    for _, imported in _IMPORT.findall(path.read_text("utf-8")):
        _visit((path.parent / imported).resolve(), order)
    if path not in order:
        order.append(path)


def _module(path: Path, order: list[Path]) -> str:
    text = path.read_text("utf-8")
    text = _IMPORT.sub(
        lambda found: f"const {{ {found[1]} }} = m{order.index((path.parent / found[2]).resolve())};", text
    )
    exports = _EXPORT.findall(text)
    text = _EXPORT.sub("", text)
    assert not re.search(r"^(import|export)\b", text, re.MULTILINE), path
    return f"const m{order.index(path)} = (() => {{\n{text}return {{ {', '.join(exports)} }};\n}})();\n"
