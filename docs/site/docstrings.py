"""Examples in docstrings, which are written as `doctest` wants them, as blocks of code."""

from __future__ import annotations

import inspect
import re
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"^( *)>>> .*(?:\n(?! *$).*)*(?:\n *\n *>>> .*(?:\n(?! *$).*)*)*", re.MULTILINE)


class Examples(Extension):
    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        """Puts fences around examples."""
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(_fenced, inspect.cleandoc(obj.docstring.value))


def _fenced(match: re.Match[str]) -> str:
    # The last line of an example may end a block only where no text goes on.
    indent = match[1]
    lines = [line.removeprefix(indent) for line in match[0].splitlines()]
    return "\n".join(["", "```pycon", *lines, "```", ""])
