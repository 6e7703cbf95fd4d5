"""Trees as pictures in SVG: words in a row, or in several if there are many, and arcs above them.

Lines and letters have the colour of the text around the picture, on a light page as on a dark one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from arcwise import _core
from arcwise._terminal import visible
from arcwise.draw import UNSURE, unsure_words
from arcwise.sentence import NO_VALUE, Sentence
from arcwise.svg_canvas import SMALL, WORD, Canvas, Direction, Look, direction_of
from arcwise.svg_layout import LEVEL, MARGIN, Arc, Piece, Ports, Row, lay_out

MOST_SENTENCES = 20
"""That `html` shows."""
MOST_WORDS = 500
"""Of a sentence that are drawn."""
WIDTH = 1000
"""The pixels after which a picture goes on in another row."""
WRONG = "✗"

_LINE = SMALL + 5
_MARKS: dict[Look, str] = {"plain": "", "unsure": f"{UNSURE} ", "wrong": f"{WRONG} "}


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
    words = list(sentence[:MOST_WORDS])
    unsure = unsure_words(sentence)[: len(words)]
    wrong = [error is not None for error in errors or [None] * len(words)]
    rows = [[visible(str(getattr(word, name))) for word in words] for name in ("form", *columns)]
    if len(words) < len(sentence):
        rows[0][-1] += f" … and {len(sentence) - len(words):,} more words"
    arcs = []
    for index, word in enumerate(words):
        if word.head is None or word.head == index + 1 or word.head > len(words):
            continue
        look: Look = "wrong" if wrong[index] else "unsure" if unsure[index] else "plain"
        label = _MARKS[look] + visible(word.deprel or NO_VALUE)
        if word.deprel_prob is not None:
            label += f" {word.deprel_prob:.2f}"
        arcs.append(Arc(word.head - 1, index, label, look))
    left_out = [word.head is None and mark for word, mark in zip(words, unsure, strict=True)]
    if any(left_out):
        rows.append([f"{UNSURE} no head" if dropped else "" for dropped in left_out])
    tokens = [
        (first - 1, min(last, len(words)) - 1, visible(token.form))
        for token in sentence.multiword_tokens
        for first, last in [token.ids]
        if first <= len(words)
    ]
    inside = {word for first, last, _ in tokens for word in range(first + 1, last + 1)}
    laid_out, ports = lay_out(rows, arcs, width, inside)
    canvas = Canvas(
        max(row.width for row in laid_out), mirrored=(direction or direction_of(rows[0])) == "rtl"
    )
    projective = _is_projective(sentence)
    for row in laid_out:
        _draw_arcs(canvas, row, ports, projective=projective)
        canvas.top += _draw_words(canvas, row, rows, tokens) + MARGIN
    return canvas.to_svg(canvas.top, visible(sentence.text), _in_words(rows[0], arcs))


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
    picture = svg(sentence, direction=direction, errors=errors)
    return f'<div dir="{direction}" lang="" style="overflow-x:auto">{picture}</div>'


def _is_projective(sentence: Sentence) -> bool:
    try:
        return _core.is_projective(np.ascontiguousarray(sentence.heads))
    except ValueError:  # heads that were not checked may go round in circles
        return False


def _in_words(forms: Sequence[str], arcs: Sequence[Arc]) -> str:
    """The tree for those who cannot see it."""
    told = (
        f"{arc.label}: {forms[arc.word]}" + (f" under {forms[arc.head]}" if arc.head >= 0 else "")
        for arc in sorted(arcs, key=lambda arc: arc.word)
    )
    return "; ".join(told)


def _draw_arcs(canvas: Canvas, row: Row, ports: Ports, *, projective: bool) -> None:
    floor = row.floor
    for piece, level in zip(row.pieces, row.levels, strict=True):
        arc, left, right = piece
        first, second = arc.ends
        from_edge, to_edge = row.is_edge(left), row.is_edge(right)
        begin = row.centers[left] + (0 if from_edge else ports[first][second])
        end = row.centers[right] + (0 if to_edge else ports[second][first])
        ceiling = floor - level * LEVEL
        canvas.arc(begin, end, floor, ceiling, arc.look, from_edge=from_edge, to_edge=to_edge)
        if not (from_edge if arc.word == first else to_edge):
            canvas.arrow(begin if arc.word == first else end, floor, arc.look)
        crossings = [] if projective else _crossings(piece, row, ports)
        x = _place([begin, *crossings, end], arc.label_width)
        canvas.label(x, ceiling - 4, arc.label, arc.look)
    for arc in row.roots:
        x, ceiling = row.center(arc.word) + ports[arc.word][arc.head], floor - row.top * LEVEL
        canvas.line([(x, ceiling), (x, floor)], arc.look)
        canvas.arrow(x, floor, arc.look)
        canvas.label(x, ceiling - 4, arc.label, arc.look)


def _draw_words(
    canvas: Canvas,
    row: Row,
    columns: Sequence[Sequence[str]],
    tokens: Sequence[tuple[int, int, str]],
) -> float:
    """Draws words, what stands below them, and brackets of multiword tokens; returns the last baseline."""
    forms, *others = columns
    y = row.floor + WORD + 2
    for word in row.words:
        canvas.word(row.center(word), y, forms[word])
    for texts in others:
        y += _LINE
        for word in row.words:
            canvas.label(row.center(word), y, texts[word])
    own = [
        (max(first, row.words[0]), min(last, row.words[-1]), form)
        for first, last, form in tokens
        if first in row.words or last in row.words
    ]
    if own:
        y += _LINE + 4
    for first, last, form in own:
        begin = row.center(first) - row.widths[first - row.first] / 2
        end = row.center(last) + row.widths[last - row.first] / 2
        canvas.line([(begin, y - 16), (begin, y - 12), (end, y - 12), (end, y - 16)])
        canvas.label((begin + end) / 2, y, form)
    return y


def _crossings(piece: Piece, row: Row, ports: Ports) -> list[float]:
    """Where arcs from words below a piece cross it."""
    left, right = piece.arc.ends
    return sorted(
        row.center(word) + port
        for word in row.words
        if left < word < right
        for other, port in ports[word].items()
        if not left <= other <= right
    )


def _place(places: Sequence[float], width: float) -> float:
    """The middle of what is widest between two places or, where a label has no room there, of it all."""
    left, right = max(pairwise(places), key=lambda pair: pair[1] - pair[0])
    return (left + right) / 2 if right - left >= width else (places[0] + places[-1]) / 2
