"""`arcwise trace`: a parse step by step."""

from __future__ import annotations

from typing import Any

import click

from arcwise.cli.common import counted, load_with_parser, reading_options
from arcwise.errors import OptionError


@click.command(
    short_help="Show how a sentence is parsed, step by step.",
    epilog="""\b
Examples:
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
@reading_options
def trace(model: str, file: str, sentence: int, gold: bool, moves: int, format: Any, skip_bad: bool) -> None:
    """Show how a sentence is parsed, step by step.

    For each state of greedy search: the stack, the buffer, and the moves that
    are most probable there, with their probabilities; an arrow is at the one
    that is taken. Learners without probabilities show the scores of moves.
    """
    from arcwise.draw import draw
    from arcwise.treebank import Treebank

    pipeline, parser = load_with_parser(model)
    treebank = Treebank.read(file, format=format, check_trees=gold, skip_bad=skip_bad)
    if sentence > len(treebank):
        raise OptionError(
            f"There is no sentence {sentence}: {treebank.source} has {counted(len(treebank), 'sentence')}."
        )
    treebank = pipeline.for_parser(treebank[sentence - 1 : sentence], retag=gold)
    chosen = treebank[0]
    click.echo(parser.trace(chosen, gold=chosen if gold else None).to_text(moves))
    click.echo()
    click.echo(draw(parser.parse(treebank)[0]))
