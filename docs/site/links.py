"""Links between files of the project, as links between pages of the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Set

_FENCE = re.compile(r"^\s*(```+|~~~+)")
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def in_site(text: str, path: str, uri: str, brought: Mapping[str, str], known: Set[str]) -> str:
    """The page `uri`, which is the file `path` of the project, with links as the site has them.

    What the site has no page of, such as a file of source, is named and not linked. A link to a notebook
    leads to its page, unless it is named as the file that it is.
    """

    def led(match: re.Match[str]) -> str:
        picture, words, link = match.groups()
        target, sharp, anchor = link.partition("#")
        if "://" in link or not target or link.startswith("mailto:"):
            return match[0]
        named = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        there = brought.get(named, named.removeprefix("docs/"))
        if there.endswith(".ipynb") and f"{there}.md" in known and words != posixpath.basename(there):
            there += ".md"
        if there not in known:
            return match[0] if picture or path.startswith("docs/reference/") else words
        return f"{picture}[{words}]({posixpath.relpath(there, posixpath.dirname(uri) or '.')}{sharp}{anchor})"

    lines, fence = [], ""
    for line in text.split("\n"):
        if found := _FENCE.match(line):
            fence = "" if fence and found[1].startswith(fence) else fence or found[1]
        lines.append(line if fence or found else _LINK.sub(led, line))
    return "\n".join(lines)
