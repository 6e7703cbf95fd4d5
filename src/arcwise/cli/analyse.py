"""`arcwise analyse`: where a model's errors come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arcwise.cli.common import (
    beam_option,
    cores,
    echo_json,
    load_with_parser,
    reading_options,
    threads_option,
)
from arcwise.cli.inputs import read_gold
from arcwise.errors import TreebankError

if TYPE_CHECKING:
    from arcwise.hc import Analysis


@click.command(
    short_help="Tell errors of the beam from errors of choice.",
    epilog="""\b
Examples:
  arcwise analyse my.model dev.conllu
  arcwise analyse my.model dev.conllu --beam 16 --json | jq .oracles
""",
)
@click.argument("model")
@click.argument("gold")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@beam_option
@threads_option("")
@reading_options
def analyse(
    model: str,
    gold: str,
    as_json: bool,
    beam: int | None,
    threads: int | None,
    format: Any,
    skip_bad: bool,
) -> None:
    """Tell what a beam loses from what is lost in choosing one of its trees.

    Parses the words of GOLD and looks at all trees that the beam ends with: how
    good the best of the first k is, what the model makes of them, and how often
    its ranker (of HC-search) takes another tree than the beam's first. All are
    percentages of words.

    The generation loss is that of the best trees. The selection loss is how far
    the chosen tree is from these: the two need not add up to the total.
    """
    from arcwise import hc

    pipeline, parser = load_with_parser(model)
    treebank = read_gold(gold, format, skip_bad, pipeline)
    if not len(treebank):
        raise TreebankError(f"{treebank.source} has no sentences to parse: check the name.")
    analysis = hc.analyse(parser, pipeline.for_parser(treebank), beam=beam, threads=threads or cores())
    if as_json:
        echo_json(analysis.to_dict())
    else:
        _print(analysis)


def _print(analysis: Analysis) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)

    def table(headings: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
        made = Table(box=None, show_edge=False, pad_edge=False, header_style="bold")
        for number, heading in enumerate(headings):
            made.add_column(heading, justify="right" if number else "left", no_wrap=True)
        for row in rows:
            made.add_row(*(f"{value:.2f}" if isinstance(value, float) else str(value) for value in row))
        console.print(made)

    trees = analysis.trees / analysis.sentences
    console.print(
        f"{analysis.words:,} words in {analysis.sentences:,} sentences; a beam of {analysis.beam} ends with "
        f"{trees:.1f} trees of a sentence\n"
    )
    choices = {"beam": analysis.beam_choice}
    if analysis.ranker_choice is not None and analysis.mixture_choice is not None:
        choices["ranker"] = analysis.ranker_choice
        choices[f"mixture, alpha {analysis.alpha:g}"] = analysis.mixture_choice
    table(
        ("chosen by", "UAS", "LAS", "generation", "selection", "total loss"),
        [(name, c.uas, c.las, c.generation, c.selection, c.total) for name, c in choices.items()],
    )
    console.print()
    table(("best of the first", "UAS", "LAS"), [(o.k, o.uas, o.las) for o in analysis.oracles])
    if (changes := analysis.changes) is not None:
        console.print(
            f"\nAnother tree than the beam's first in {changes.changed:,} sentences: better in "
            f"{changes.better:,}, worse in {changes.worse:,}, as good in {changes.no_matter:,}"
        )
