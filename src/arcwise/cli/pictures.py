"""Trees to be looked at, as `parse` and `draw` write them: drawn as text, or pictures in SVG or HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.treebank import Sentence

PICTURES = ("tree", "svg", "html")
MOST_IN_ONE = 500
"""Sentences in one SVG, which has to be known as a whole before it can be written."""


def drawn(sentences: Iterable[Sentence], to: str, *, color: bool = False, width: int | None = None) -> bytes:
    """Some of the sentences of a file."""
    if to == "tree":
        from arcwise.draw import draw_all

        text = draw_all(sentences, color=color, width=width)
    elif to == "svg":
        from arcwise.svg import svg

        text = "".join(f"{svg(sentence)}\n" for sentence in sentences)
    else:
        from arcwise.pages import figure

        text = "".join(map(figure, sentences))
    return text.encode("utf-8", "backslashreplace")


class PictureFile:
    """Puts what `drawn` gives together into a file; what else there may be passes through."""

    def __init__(self, to: str, sources: Sequence[str]) -> None:
        names = ", ".join(source for source in sources if source != "-")
        self._to, self._title = to, f"Trees of {names}" if names else "Trees"
        self._pictures: list[str] = []

    def begin(self) -> bytes:
        """What the file begins with."""
        if self._to != "html":
            return b""
        from arcwise.pages import begin

        return begin(self._title).encode("utf-8", "backslashreplace")

    def add(self, part: bytes) -> bytes:
        """What can be written of it already."""
        if self._to != "svg":
            return part
        # Text in a picture has no angle brackets of its own.
        pictures = part.decode().split("</svg>\n")[:-1]
        self._pictures += [f"{picture}</svg>" for picture in pictures]
        if len(self._pictures) > MOST_IN_ONE:
            raise OptionError(
                f"One SVG holds {MOST_IN_ONE} sentences at most: write a page, --to html, or fewer sentences."
            )
        return b""

    def end(self) -> bytes:
        """What is left to write."""
        if self._to == "html":
            from arcwise.pages import END

            return END.encode()
        if self._to != "svg":
            return b""
        from arcwise.pages import stacked

        if len(self._pictures) == 1:
            return f"{self._pictures[0]}\n".encode()
        return stacked(self._pictures).encode()
