"""`arcwise trace`: a parse step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from arcwise._files import open_output
from arcwise.cli.common import counted, demand_writable, load_with_parser, say, tags_option
from arcwise.cli.inputs import input_options, read_all
from arcwise.errors import OptionError
from arcwise.inputs import CONLL, Reading, kind_of

if TYPE_CHECKING:
    from arcwise.given_tags import Tags
    from arcwise.trace import Trace
    from arcwise.trace_moves import Guide
    from arcwise.treebank import Sentence


@click.command(
    short_help="Show how a sentence is parsed, step by step.",
    epilog="""\b
Examples:
  echo "Time flies like an arrow." | arcwise trace en
  arcwise trace my.model text.conllu
  arcwise trace my.model gold.conllu --sentence 7 --gold
  arcwise trace my.model text.conllu --to html -o trace.html
  arcwise trace --system arc-hybrid gold.conllu
  arcwise trace --system arc-hybrid gold.conllu --take 4:SHIFT --take 6:LEFT
  arcwise trace --system mine.py:Mine gold.conllu
""",
)
@click.argument("model", required=False)
@click.argument("file", metavar="[FILE|-]", default="-")
@click.option(
    "--system",
    metavar="SYSTEM",
    help="Without a model: how an oracle of this transition system (arc-eager, covington, …, or a class in a "
    "Python file: mine.py:Mine) builds the tree in the file.",
)
@click.option(
    "--sentence",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Which sentence of the file, counted from 1.",
)
@click.option("--gold", is_flag=True, help="What each move costs against the tree in the file.")
@click.option(
    "--take",
    "by_hand",
    multiple=True,
    metavar="STEP:MOVE",
    help="Take another move at a step, as in 12:SHIFT or '12:LEFT(nsubj)'; may be given several times.",
)
@click.option(
    "--follow",
    type=click.Choice(["model", "oracle"]),
    default="model",
    show_default=True,
    help="Who takes the other moves: the model or, with --gold, an oracle of the tree in the file.",
)
@click.option(
    "--moves",
    type=click.IntRange(min=1),
    metavar="N",
    default=3,
    show_default=True,
    help="How many moves of each state to show.",
)
@click.option(
    "--to",
    type=click.Choice(["text", "html", "json"]),
    default="text",
    show_default=True,
    help="A table and the tree as text; the same as a page; or all that is known of each step and move.",
)
@click.option(
    "-o", "--output", metavar="FILE", default="-", help="Where to write.  [default: standard output]"
)
@tags_option
@input_options
def trace(
    model: str | None,
    file: str,
    system: str | None,
    sentence: int,
    gold: bool,
    by_hand: tuple[str, ...],
    follow: Guide,
    moves: int,
    to: str,
    output: str,
    tags: Tags,
    format: str | None,
    **reading: Any,
) -> None:
    """Show how a sentence is parsed, step by step.

    FILE is raw text or CoNLL, as for 'arcwise parse', and the tree is the same.
    For each state of greedy search: the stack, the buffer, and the moves that
    are most probable there, with their probabilities; an arrow is at the one
    that is taken. Learners without probabilities show the scores of moves.

    With --system no MODEL is named: an oracle then builds the gold tree, and each
    move has what it costs, the number of gold arcs that are lost with it. Of the
    moves with one name, the one with the best label comes first.

    A move that --take has taken by hand is marked ☞. The model goes on from where
    it leads; an oracle with the moves that cost least there.
    """
    from arcwise.trace import Trace
    from arcwise.transitions.from_files import system_named
    from arcwise.treebank import Treebank

    if system is None and model is None:
        raise click.UsageError("Name a model or, for an oracle's derivation of a gold tree, a --system.")
    if system is not None:
        if model is not None and file != "-":
            raise click.UsageError("--system shows an oracle and no model: name the gold file alone.")
        model, file, gold = None, model or "-", True
    demand_writable(output)
    taken = _by_hand(by_hand)
    if model is None:
        if format not in (None, *CONLL):
            raise OptionError("An oracle builds the tree that is in a file: give CoNLL-U.")
        conll: Any = format
        treebank = Treebank.read(file, format=conll, skip_bad=reading["skip_bad"])
    else:
        pipeline, _ = load_with_parser(model)
        kind = format or kind_of(file, pipeline)
        if gold and kind not in CONLL:
            raise OptionError("Raw text has no gold tree: give CoNLL-U, or leave out --gold.")
        treebank = read_all(file, kind, pipeline, Reading(check_trees=gold, ranges=False, **reading))
    if sentence > len(treebank):
        raise OptionError(
            f"There is no sentence {sentence}: {treebank.source} has {counted(len(treebank), 'sentence')}."
        )
    chosen = treebank[sentence - 1]
    if system is not None:
        found = Trace.of_gold(chosen, system_named(system), moves=taken)
        tree = found.tree() if taken else chosen
    else:
        found = pipeline.trace(chosen, gold=chosen if gold else None, tags=tags, moves=taken, follow=follow)
        greedy = pipeline.parse(chosen, tags=tags, search="greedy")
        greedy_tree = greedy[0]
        tree = found.tree() if taken or follow == "oracle" else greedy_tree
    with open_output(output) as written:
        written.write(_written(found, tree, to, moves).encode("utf-8", "backslashreplace"))
    if found.end.lost and taken:
        lost = ", ".join(found.in_words(arc) for arc in found.end.lost)
        say(f"Note: the tree lacks {counted(len(found.end.lost), 'gold arc')}: {lost}.")
    if (
        system is not None
        and not taken
        and any(arc.head != tree[arc.dependent - 1].head for arc in found.arcs)
    ):
        say(
            f"Note: arcs of the tree cross, which {system} cannot build: they are lifted (↑), as for "
            "training. --system covington builds them as they are."
        )
    if (
        system is None
        and tree is greedy_tree
        and pipeline.parse(chosen, tags=tags).to_bytes() != greedy.to_bytes()
    ):
        say("Note: this is the tree of greedy search. The model's own search finds another: 'arcwise parse'.")


def _by_hand(given: Sequence[str]) -> dict[int, str]:
    moves: dict[int, str] = {}
    for text in given:
        step, colon, move = text.partition(":")
        if not colon or not step.strip().isdecimal() or not move.strip():
            raise OptionError(f"--take {text}: say at which step which move is taken, as in 12:SHIFT.")
        moves[int(step)] = move.strip()
    return moves


def _written(found: Trace, tree: Sentence, to: str, moves: int) -> str:
    if to == "json":
        return found.to_json() + "\n"
    if to == "html":
        return found.to_html(moves)
    from arcwise.draw import draw

    return f"{found.to_text(moves)}\n\n{draw(tree)}\n"
