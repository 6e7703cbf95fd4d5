"""`arcwise compare`: which of two systems is better, where, and whether that could be chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arcwise.cli.common import cores, echo_json, is_model, reading_options, threads_option
from arcwise.cli.scored import in_json, punctuation_option, read_together, show_errors, start_option
from arcwise.errors import ModelError, TreebankError

if TYPE_CHECKING:
    from arcwise.evaluation import TagsUsed
    from arcwise.treebank import Treebank


@click.command(
    short_help="Tell which of two systems is better, and where.",
    epilog="""\b
Examples:
  arcwise compare gold.conllu one.conllu other.conllu
  arcwise compare test.conllu old.model new.model
  arcwise compare test.conllu my.model parsed.conllu --show 3
  arcwise compare test.conllu old.model new.model --json | jq .scores.las.p
""",
)
@click.argument("gold")
@click.argument("a")
@click.argument("b")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option(
    "--show",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="Draw N sentences that only A has wholly right, and N that only B has.",
)
@punctuation_option
@start_option
@click.option(
    "--resamples",
    type=click.IntRange(0, 1_000_000),
    metavar="N",
    default=2000,
    show_default=True,
    help="How often sentences are drawn anew for the intervals; 0: none.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", default=1, show_default=True, help="Of these draws."
)
@threads_option(" (with models)")
@reading_options
def compare(
    gold: str,
    a: str,
    b: str,
    as_json: bool,
    show: int,
    punctuation: Any,
    start: Any,
    resamples: int,
    seed: int,
    threads: int | None,
    format: Any,
    skip_bad: bool,
) -> None:
    """Tell which of two systems is better, where, and whether that could be chance.

    A and B are parsed files with the words of GOLD, or models, which then parse
    them. One of the files may be - for standard input.

    Prints the scores of both, how they differ, with a 95 % interval (bootstrap
    over sentences), and p: how probable a difference as large is by chance if
    they were alike (paired randomisation over sentences, exact). Then the same by
    relation, tag, place of the head, sentence length and class of error.
    """
    from arcwise.evaluation import compare as find
    from arcwise.evaluation import tags_used
    from arcwise.evaluation.pairing import paired
    from arcwise.evaluation.worst_sentences import errors_in
    from arcwise.models import load

    if is_model(gold):
        raise ModelError(f"{gold} is a model: name the gold file first, and then the two systems.")
    files = [gold, *(name for name in (a, b) if not is_model(name))]
    treebanks = read_together(files, format, skip_bad)
    if not len(treebanks[0]):
        raise TreebankError(f"{gold} has no sentences to score: check the name.")
    read = dict(zip(files[1:], treebanks[1:], strict=True))
    systems: list[Treebank] = []
    tags: list[TagsUsed | None] = []
    for name in (a, b):
        if name in read:
            systems.append(read[name])
            tags.append(None)
        else:
            pipeline = load(name)
            systems.append(pipeline.annotated(treebanks[0], start, threads=threads or cores()))
            tags.append(tags_used(pipeline, treebanks[0], start))
    found = find(
        treebanks[0],
        *systems,
        punctuation=punctuation,
        resamples=resamples,
        seed=seed,
        names=(a, b),
    )
    alone = {"only_a": (found.only_a, systems[1]), "only_b": (found.only_b, systems[0])}
    shown = {
        name: (other, errors_in(paired(treebanks[0], other, punctuation), treebanks[0], sentences[:show]))
        for name, (sentences, other) in alone.items()
    }
    if as_json:
        document = found.to_dict()
        document["tags"] = [None if used is None else used.to_dict() for used in tags]
        document |= {name: [index + 1 for index in sentences] for name, (sentences, _) in alone.items()}
        if show:
            document["shown"] = {
                name: [in_json(treebanks[0], other, errors) for errors in all_errors]
                for name, (other, all_errors) in shown.items()
            }
        echo_json(document)
        return
    from arcwise.evaluation.comparison_tables import render

    render(found)
    for letter, used in zip("AB", tags, strict=True):
        if used is not None:
            click.echo(f"\n{letter}: {used}")
    for letter, other, (system, all_errors) in zip("AB", "BA", shown.values(), strict=True):
        if all_errors:
            click.echo(f"\nWholly right in {letter} alone\n")
            show_errors(treebanks[0], system, all_errors, (f"gold, {letter}", other))
