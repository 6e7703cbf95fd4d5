"""Pictures of trees as whole files: a page of HTML, or one SVG. No scripts, nothing from elsewhere.

>>> from arcwise import Treebank
>>> hush = Treebank.from_words([["Hush"]]).with_trees([0], [0], ["root"])
>>> print(page(hush, "Trees")[:15])
<!DOCTYPE html>
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from arcwise._terminal import counted, visible
from arcwise.draw import unsure_words
from arcwise.sentence import Sentence
from arcwise.svg import in_html
from arcwise.svg_canvas import direction_of

END = "</main>\n</body>\n</html>\n"
"""The end of a page."""

_STYLE = """\
:root { color-scheme: light dark }
body { margin: 0 auto; padding: 1rem 1.5rem; max-width: 68rem; font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.25rem }
h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem }
figure { margin: 0 0 1.5rem; padding: 0 0 1rem; border-bottom: 1px solid #8885 }
figcaption { margin-bottom: 0.5rem }
figcaption b { margin-inline-end: 0.5em }
.note { font-size: 0.875rem; opacity: 0.8 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: 0.15rem 0.6rem; text-align: start; vertical-align: top }
thead th { border-bottom: 1px solid currentColor; position: sticky; top: 0; background: Canvas }"""
_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')


def page(sentences: Iterable[Sentence], title: str = "Trees") -> str:
    """A page with a picture of each sentence."""
    return begin(title) + "".join(map(figure, sentences)) + END


def begin(title: str, style: str = "") -> str:
    """The beginning of a page, which goes on with figures and ends with `END`."""
    shown = escape(visible(title))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        f"<title>{shown}</title>\n<style>\n{_STYLE}\n{style}</style>\n</head>\n<body>\n<main>\n<h1>{shown}</h1>\n"
    )


def figure(sentence: Sentence, *notes: str, errors: Sequence[str | None] | None = None) -> str:
    """A sentence on a page: its id, its text, notes, and its picture; errors as of `arcwise.svg.svg`."""
    direction = direction_of(token.form for token in sentence)
    name = "" if sentence.id is None else f"<b>{escape(visible(sentence.id))}</b>"
    unsure = sum(unsure_words(sentence))
    told = [*notes, *([f"The parser is not sure of {counted(unsure, 'word')}: ?"] if unsure else ())]
    lines = "".join(f'<br><span class="note">{escape(visible(note))}</span>' for note in told)
    text = f'<span dir="{direction}" lang="">{escape(visible(sentence.text))}</span>'
    caption = f"<figcaption>{name}{text}{lines}</figcaption>"
    return f"<figure>{caption}\n{in_html(sentence, errors=errors)}\n</figure>\n"


def stacked(pictures: Sequence[str]) -> str:
    """Pictures of `arcwise.svg.svg` one below the other, as one."""
    sizes = [_SIZE.match(picture) for picture in pictures]
    width, top, parts = 0.0, 0.0, []
    for picture, size in zip(pictures, sizes, strict=True):
        assert size is not None
        parts.append(picture.replace("<svg ", f'<svg y="{top:g}" ', 1))
        width, top = max(width, float(size[1])), top + float(size[2])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{top:g}" '
        f'viewBox="0 0 {width:g} {top:g}">\n' + "\n".join(parts) + "\n</svg>\n"
    )
