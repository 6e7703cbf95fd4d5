"""Trees as pictures in SVG: words in a row, or in several if there are many, and arcs above them.

Lines and letters have the colour of the text around the picture, on a light page as on a dark one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from arcwise.picture import MOST_WORDS as MOST_WORDS
from arcwise.picture import WIDTH, Bracket, Line, Picture, Text, picture
from arcwise.sentence import Sentence
from arcwise.svg_canvas import SMALL, WORD, Direction, Look, direction_of, number

MOST_SENTENCES = 20
"""That `html` shows."""


class _Style(NamedTuple):
    color: str
    line: str


# Colours that can be told from black and from white, on either; what they say, dashes, width and the marks in
# labels say too.
_STYLES: dict[Look, _Style] = {
    "unsure": _Style("#b26a00", 'stroke-dasharray="5 3" stroke-width="1.5"'),
    "wrong": _Style("#d9303e", 'stroke-width="2.5"'),
}


def svg(
    sentence: Sentence,
    *,
    columns: Sequence[str] = ("upos",),
    direction: Direction | None = None,
    width: float | None = WIDTH,
    errors: Sequence[str | None] | None = None,
) -> str:
    """Draws a sentence's tree: an arrow leads from each head to its words, with the label above it.

    If the sentence has probabilities, those of heads with their labels stand beside the labels. Arcs that
    `Treebank.with_min_confidence` has marked are dashed, in a colour, with a `?`.

    Args:
        sentence: The sentence.
        columns: What stands below the words: `lemma`, `upos`, `xpos`, `feats`, ….
        direction: Which way the words run; by default from right to left (`rtl`) if most letters do.
        width: In pixels: where words and arcs take more, the picture goes on in another row. None: it does
            not.
        errors: What is wrong with the arc of each word, such as `evaluation.SentenceErrors.classes`: these
            arcs are thick, in a colour, with a `✗`. None: nothing.
    """
    return to_svg(picture(sentence, columns=columns, direction=direction, width=width, errors=errors))


def to_svg(drawn: Picture) -> str:
    """A picture as the text of an SVG."""
    width, height = number(drawn.width), number(drawn.height)
    arcs = [arc for row in drawn.rows for arc in row.arcs]
    lines: list[str] = []
    labels: list[str] = []
    for row in drawn.rows:
        plain = [arc for arc in row.arcs if arc.look == "plain"]
        lines += [arc.path for arc in plain] + [bracket.path for bracket in row.brackets]
        labels += [_label(arc) for arc in plain]
        labels += [_text(text) for texts in row.below for text in texts]
        labels += [_text(bracket) for bracket in row.brackets]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" style="max-width:none" role="img" direction="ltr" '
            'font-family="system-ui, sans-serif" text-anchor="middle" fill="currentColor">',
            f"<title>{escape(drawn.title)}</title>",
            f"<desc>{escape(drawn.description)}</desc>",
            f'<path fill="none" stroke="currentColor" opacity="0.6" d="{"".join(lines)}"/>',
            f'<path d="{_arrows(arc for arc in arcs if arc.look == "plain")}"/>',
            f'<g font-size="{WORD}">',
            *(_text(word) for row in drawn.rows for word in row.words),
            f'</g>\n<g font-size="{SMALL}">',
            *labels,
            "</g>",
            *(part for look in _STYLES for part in _in_color(look, arcs)),
            "</svg>",
        ]
    )


def html(sentences: Sequence[Sentence]) -> str:
    """The pictures of the first sentences, one below the other; what is too wide can be scrolled."""
    shown = sentences[:MOST_SENTENCES]
    parts = [in_html(sentence) for sentence in shown]
    if len(shown) < len(sentences):
        parts.append(f"<p>The first {len(shown)} of {len(sentences)} sentences.</p>")
    return "\n".join(parts)


def in_html(sentence: Sentence, *, errors: Sequence[str | None] | None = None) -> str:
    """A picture that can stand on a page, whose language may be another than that of the sentence."""
    direction = direction_of(token.form for token in sentence)
    drawn = svg(sentence, direction=direction, errors=errors)
    return f'<div dir="{direction}" lang="" style="overflow-x:auto">{drawn}</div>'


def _in_color(look: Look, arcs: Iterable[Line]) -> Iterable[str]:
    own = [arc for arc in arcs if arc.look == look]
    if not own:
        return ()
    color, line = _STYLES[look]
    return (
        f'<path fill="none" stroke="{color}" {line} d="{"".join(arc.path for arc in own)}"/>',
        f'<path fill="{color}" d="{_arrows(own)}"/>',
        f'<g font-size="{SMALL}" font-weight="bold" fill="{color}">',
        *map(_label, own),
        "</g>",
    )


def _arrows(arcs: Iterable[Line]) -> str:
    return "".join(arc.arrow for arc in arcs if arc.arrow)


def _label(arc: Line) -> str:
    return _text(Text(arc.word, arc.label, arc.x, arc.y))


def _text(text: Text | Bracket) -> str:
    return f'<text x="{number(text.x)}" y="{number(text.y)}">{escape(text.text)}</text>'
