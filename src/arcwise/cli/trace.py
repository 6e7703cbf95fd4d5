"""`arcwise trace`: a parse step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arcwise.cli.common import counted, load_with_parser, say, tags_option
from arcwise.cli.inputs import CONLL, Reading, input_options, kind_of, read_all
from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.given_tags import Tags


@click.command(
    short_help="Show how a sentence is parsed, step by step.",
    epilog="""\b
Examples:
  echo "Time flies like an arrow." | arcwise trace en
  arcwise trace my.model text.conllu
  arcwise trace my.model gold.conllu --sentence 7 --gold
""",
)
@click.argument("model")
@click.argument("file", metavar="[FILE|-]", default="-")
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
    "--moves",
    type=click.IntRange(min=1),
    metavar="N",
    default=3,
    show_default=True,
    help="How many moves of each state to show.",
)
@tags_option
@input_options
def trace(
    model: str,
    file: str,
    sentence: int,
    gold: bool,
    moves: int,
    tags: Tags,
    format: str | None,
    **reading: Any,
) -> None:
    """Show how a sentence is parsed, step by step.

    FILE is raw text or CoNLL, as for 'arcwise parse', and the tree is the same.
    For each state of greedy search: the stack, the buffer, and the moves that
    are most probable there, with their probabilities; an arrow is at the one
    that is taken. Learners without probabilities show the scores of moves.
    """
    from arcwise.draw import draw

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
    click.echo(pipeline.trace(chosen, gold=chosen if gold else None, tags=tags).to_text(moves))
    click.echo()
    greedy = pipeline.parse(chosen, tags=tags, search="greedy")
    click.echo(draw(greedy[0]))
    if pipeline.parse(chosen, tags=tags).to_bytes() != greedy.to_bytes():
        say("Note: this is the tree of greedy search. The model's own search finds another: 'arcwise parse'.")
