"""Text for people: what a file says must not move their cursor, colour their screen or turn lines around.

Whatever is printed for someone to read passes through here: errors, notes, tables, drawn trees. Data (CoNLL,
JSON) does not.
"""

from __future__ import annotations

import json
from typing import Any

# Control characters, line and paragraph separators, what changes the direction of text, and no characters.
_UNSAFE = [
    *range(0x20),
    *range(0x7F, 0xA0),
    0x061C,
    0x200E,
    0x200F,
    *range(0x2028, 0x202F),
    *range(0x2066, 0x2070),
    *range(0xFFF9, 0xFFFC),
    0xFFFE,
    0xFFFF,
]
_ESCAPES = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _UNSAFE}
_ESCAPES |= {ord("\t"): "\\t", ord("\n"): "\\n", ord("\r"): "\\r"}
_IN_LINES = {code: escape for code, escape in _ESCAPES.items() if code != ord("\n")}
_IN_JSON = {code: f"\\u{code:04x}" for code in _UNSAFE if code >= 0x7F}


def visible(text: str) -> str:
    r"""The text with escapes in place of what a terminal would obey.

    >>> visible("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    return text if text.isprintable() else text.translate(_ESCAPES)


def visible_lines(text: str) -> str:
    """The same of a text that may have line ends of its own."""
    return text if text.isprintable() else text.translate(_IN_LINES)


def visible_json(document: Any, indent: int | None = 2) -> str:
    """A JSON document whose strings have escapes in those places: read again, they are the same."""
    return json.dumps(document, indent=indent, ensure_ascii=False).translate(_IN_JSON)


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def file_size(size: int) -> str:
    """A number of bytes for people: 1.2 MB."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return counted(size, "byte")
