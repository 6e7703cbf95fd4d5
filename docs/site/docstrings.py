"""Docstrings as Markdown: examples, which are written as `doctest` wants them, and the names of pages."""

from __future__ import annotations

import inspect
import re
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"^( *)>>> .*(?:\n(?! *$).*)*(?:\n *\n *>>> .*(?:\n(?! *$).*)*)*", re.MULTILINE)
_PAGE = re.compile(r"\bdocs/(\w+)\.md\b")


class Examples(Extension):
    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        """Puts fences around examples, and leads to the pages that are named."""
        if obj.docstring is not None:
            text = _EXAMPLE.sub(_fenced, inspect.cleandoc(obj.docstring.value))
            obj.docstring.value = _PAGE.sub(r"[\g<0>](../../\1.html)", text)


def _fenced(match: re.Match[str]) -> str:
    # The last line of an example may end a block only where no text goes on.
    indent = match[1]
    lines = [line.removeprefix(indent) for line in match[0].splitlines()]
    return "\n".join(["", "```pycon", *lines, "```", ""])
