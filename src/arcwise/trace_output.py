"""A trace as JSON, as what its view shows, and as a table in HTML without scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from arcwise._terminal import visible
from arcwise.picture import picture
from arcwise.trace import Arc, Move, Step, Trace, shown_moves

MOST_STEPS = 400
"""That a page shows."""
_MOST_TREES = 40  # words of a sentence up to which every step has a picture of the arcs so far
_SHOWN_NODES = 12

_STYLE = """\
.aw-trace { border-collapse: collapse; font-variant-numeric: tabular-nums }
.aw-trace th, .aw-trace td { padding: 0.2em 0.7em; text-align: start; vertical-align: top }
.aw-trace tbody { border-top: 1px solid #8886 }
.aw-trace .n { text-align: end; white-space: nowrap }
.aw-trace .move { white-space: nowrap }
.aw-trace .node { display: inline-block; padding: 0 0.4em; margin: 0 0.1em 0.1em }
.aw-trace .node { border: 1px solid #888; border-radius: 0.3em }
.aw-trace .front { font-weight: bold; border-width: 2px }
.aw-trace .taken { font-weight: bold }
.aw-trace .loss { color: #d9303e; font-weight: bold }
.aw-trace .track { display: inline-block; width: 4em; text-align: start; margin-inline-end: 0.5em }
.aw-trace .share { display: inline-block; height: 0.6em; background: #4a90c4 }
"""


def to_json(trace: Trace) -> str:
    """One object; stacks, buffers and arcs have the numbers of words, counted from 1, and 0 for ROOT."""
    return json.dumps(to_dict(trace), ensure_ascii=False, allow_nan=False)


def to_dict(trace: Trace) -> dict[str, Any]:
    """The same as a dictionary."""
    return _dict(trace, [_step(step, step.moves, _arcs(step.arcs)) for step in trace.steps])


def to_view(trace: Trace, width: float | None, *, most_moves: int = 12, all_of: int = 0) -> dict[str, Any]:
    """What the view of a derivation shows: the same, smaller, and a picture of the whole tree.

    Arcs so far are a number: the first of all arcs. Of the moves there are the first ones, those that are
    taken and the first that costs nothing; of one step, if one is named, there are all.
    """
    steps = [
        _step(step, step.moves if number == all_of else _first(step, most_moves), len(step.arcs))
        for number, step in enumerate(trace.steps, 1)
    ]
    tree = trace.tree()
    drawn = picture(tree, columns=(), width=width, probabilities=False)
    return {**_dict(trace, steps), "picture": drawn.to_json()}


def _first(step: Step, most: int) -> Sequence[Move]:
    kept = list(step.moves[:most])
    free = next((move for move in step.moves if move.cost == 0), None)
    return [
        *kept,
        *dict.fromkeys(m for m in (step.chosen, step.own, free) if m is not None and m not in kept),
    ]


def _dict(trace: Trace, steps: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "system": trace.system,
        "words": list(trace.words),
        "log_prob": trace.log_prob,
        "oracle": trace.oracle,
        "cost": trace.cost,
        "steps": steps,
        "arcs": _arcs(trace.arcs),
        "end": {
            "stack": list(trace.end.stack_ids),
            "buffer": list(trace.end.buffer_ids),
            "lost": _arcs(trace.end.lost),
        },
    }


def _step(step: Step, moves: Sequence[Move], arcs: object) -> dict[str, Any]:
    return {
        "stack": list(step.stack_ids),
        "buffer": list(step.buffer_ids),
        "arcs": arcs,
        "legal": len(step.moves),
        "moves": [
            {
                "move": move.action,
                "label": move.label,
                "between": None if move.between is None else list(move.between),
                "at": None if move.at is None else list(move.at),
                "score": move.score,
                "prob": move.prob,
                "cost": move.cost,
            }
            for move in moves
        ],
        "chosen": moves.index(step.chosen),
        "own": moves.index(step.own),
        "by_hand": step.by_hand,
        "confidence": step.confidence,
        "cost": step.cost,
        "lost": _arcs(step.lost),
    }


def _arcs(arcs: Sequence[Arc]) -> list[dict[str, Any]]:
    return [arc._asdict() for arc in arcs]


def to_fragment(trace: Trace, moves: int, *, trees: bool = True) -> str:
    """The table of steps, with the arcs so far at each of them if the sentence is short, and the tree."""
    measures = trace.measures
    trees = trees and len(trace.words) <= _MOST_TREES
    headings = ("step", "stack", "buffer", "move", *measures, "arc")
    cells = "".join(f'<th scope="col">{name}</th>' for name in headings)
    arcs_after = [*(step.arcs for step in trace.steps[1:]), trace.arcs]
    rows = [
        _rows(trace, number, step, after, moves, measures, trees)
        for number, (step, after) in enumerate(zip(trace.steps, arcs_after, strict=True), 1)
        if number <= MOST_STEPS
    ]
    more = len(trace.steps) - len(rows)
    note = f"<p>… and {more:,} more steps.</p>\n" if more else ""
    return (
        f"<style>\n{_STYLE}</style>\n"
        f'<table class="aw-trace">\n<thead><tr>{cells}</tr></thead>\n{"".join(rows)}</table>\n'
        f"{note}{_picture(trace, trace.arcs)}\n"
    )


def _rows(
    trace: Trace,
    number: int,
    step: Step,
    after: Sequence[Arc],
    shown: int,
    measures: Sequence[str],
    trees: bool,
) -> str:
    moves = shown_moves(step, shown)
    span = f' rowspan="{len(moves)}"'
    new = "<br>".join(_text(trace.in_words(arc)) for arc in after[len(step.arcs) :])
    if trees and step.arcs:
        new += f"<details><summary>arcs so far</summary>{_picture(trace, step.arcs)}</details>"
    # A list has no end at which moves are made.
    has_ends = step.chosen.between is None
    first = (
        f'<td class="n"{span}>{number}</td>'
        f"<td{span}>{_nodes(step.stack, last=True, front=has_ends)}</td>"
        f"<td{span}>{_nodes(step.buffer, last=False, front=has_ends)}</td>"
    )
    rows = []
    for index, move in enumerate(moves):
        rows.append(
            f"<tr>{first}{_move(move, step, measures)}"
            + (f"<td{span}>{new}</td>" if index == 0 else "")
            + "</tr>\n"
        )
        first = ""
    return f"<tbody>\n{''.join(rows)}</tbody>\n"


def _move(move: Move, step: Step, measures: Sequence[str]) -> str:
    taken = move == step.chosen
    arrow = "" if not taken else "☞ " if step.by_hand else "→ "
    name = f'<td class="move{" taken" if taken else ""}">{arrow}{_text(str(move))}</td>'
    values = {
        "prob": "" if move.prob is None else f"{_bar(move.prob)}{move.prob:.3f}",
        "score": "" if move.score is None else f"{move.score:.2f}",
        "cost": "" if move.cost is None else f"{move.cost:g}",
    }
    looks = {**dict.fromkeys(values, "n"), **({"cost": "n loss"} if taken and move.cost else {})}
    return name + "".join(f'<td class="{looks[name]}">{values[name]}</td>' for name in measures)


def _bar(prob: float) -> str:
    share = f'<span class="share" style="width:{4 * prob:.2f}em"></span>'
    return f'<span class="track" aria-hidden="true">{share}</span>'


def _nodes(nodes: Sequence[str], *, last: bool, front: bool) -> str:
    """The end of a stack or of a buffer that moves are made at, which is marked."""
    shown = nodes[-_SHOWN_NODES:] if last else nodes[:_SHOWN_NODES]
    at = len(shown) - 1 if last else 0
    cells = [
        f'<span class="node{" front" if front and index == at else ""}">{_text(node)}</span>'
        for index, node in enumerate(shown)
    ]
    if len(shown) < len(nodes):
        cells.insert(0 if last else len(cells), "…")
    return "".join(cells)


def _picture(trace: Trace, arcs: Sequence[Arc]) -> str:
    from arcwise.svg import svg

    return f'<div style="overflow-x:auto">{svg(trace.tree(arcs), columns=())}</div>'


def _text(text: str) -> str:
    return escape(visible(text))
