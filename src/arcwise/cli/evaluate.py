"""`arcwise evaluate`: scores of a parser, or of anyone's trees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arcwise._files import is_standard_stream
from arcwise.cli.common import (
    cores,
    demand_writable,
    name_bad,
    probabilities_option,
    reading_options,
    samples_option,
    say_how_many_bad,
    search_options,
    threads_option,
)
from arcwise.errors import ModelError, TreebankError

if TYPE_CHECKING:
    from arcwise.evaluation import Evaluation
    from arcwise.treebank import Treebank


@click.command(
    short_help="Score trees against gold trees.",
    epilog="""\b
Examples:
  arcwise evaluate my.model test.conllu
  arcwise evaluate gold.conllu parsed.conllu --punctuation form
  arcwise evaluate my.model test.conllu --json | jq .attachment.las
  arcwise evaluate my.model test.conllu --calibration --plot calibration.png
""",
)
@click.argument("first", metavar="GOLD|MODEL")
@click.argument("second", metavar="SYSTEM|GOLD")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document with all scores.")
@click.option(
    "--punctuation",
    type=click.Choice(["upos", "form"]),
    default="upos",
    show_default=True,
    help="Tell punctuation by the gold tags, or by the characters of the form.",
)
@click.option(
    "--conll18/--no-conll18",
    default=True,
    help="With or without the CoNLL 2018 metrics, which take most of the time.  [default: with]",
)
@click.option(
    "--calibration",
    is_flag=True,
    help="Show how far a model's probabilities can be trusted, instead of its scores.",
)
@probabilities_option("Which probabilities of heads and labels --calibration shows.", default="moves")
@samples_option
@click.option(
    "--plot", metavar="FILE", help="With --calibration: draw it (.png, .svg, .pdf); needs matplotlib."
)
@search_options
@threads_option(" (with a model)")
@reading_options
def evaluate(
    first: str,
    second: str,
    as_json: bool,
    punctuation: Any,
    conll18: bool,
    calibration: bool,
    probabilities: Any,
    samples: int,
    plot: str | None,
    search: Any,
    beam: int | None,
    threads: int | None,
    format: Any,
    skip_bad: bool,
) -> None:
    """Score trees against gold trees of the same words.

    Give the gold file and a parsed file, or a model and a gold file: the model
    then parses the words of the gold file, with its tags and features. A file
    may be - for standard input.

    Prints UAS, LAS, label accuracy and exact match (of heads: UEM, of heads and
    labels: LEM) with and without punctuation, the CoNLL 2018 metrics, and
    scores by relation, by place of the head and by sentence length.

    With --calibration: how often moves, heads and labels are right that the
    model holds for so probable, before and after 'arcwise calibrate'. A move is
    right if no other legal move would lose less.
    """
    from arcwise.evaluation import evaluate as score

    model = first if _is_model(first) else None
    if _is_model(second):
        raise ModelError(f"{second} is a model: name the model first, and then the gold file.")
    if plot is not None:
        if not calibration:
            raise click.UsageError("--plot draws the calibration: add --calibration.")
        demand_writable(plot)
    if calibration and model is None:
        raise click.UsageError("Calibration is a model's: name a model before the gold file.")
    names = [second] if model is not None else [first, second]
    if names.count("-") > 1:
        raise click.UsageError("Only one of the files can be standard input.")
    treebanks = _read(names, format, skip_bad)
    if model is None and (beam is not None or search is not None):
        raise click.UsageError("A search is for parsing: name a model before the gold file.")
    gold = treebanks[0]
    if not len(gold):
        raise TreebankError(f"{gold.source} has no sentences to score: check the name.")
    if calibration:
        assert model is not None
        _check_calibration(
            model,
            gold,
            as_json,
            plot,
            probabilities=probabilities,
            samples=samples,
            search=search,
            beam=beam,
            threads=threads,
        )
        return
    if model is not None:
        from dataclasses import replace

        from arcwise.parser import load

        system = load(model).parse(gold, search=search, beam=beam, threads=threads or cores())
        evaluation = replace(score(gold, system, punctuation=punctuation, conll18=conll18), system=model)
    else:
        evaluation = score(gold, treebanks[1], punctuation=punctuation, conll18=conll18)
    _print(evaluation, as_json)


def _check_calibration(
    model: str, gold: Treebank, as_json: bool, plot: str | None, *, threads: int | None, **how: Any
) -> None:
    from arcwise.calibration import check
    from arcwise.calibration.render import render
    from arcwise.parser import load

    if plot is not None:
        from arcwise.calibration.plot import demand_matplotlib

        demand_matplotlib()
    report = check(load(model), gold, threads=threads or cores(), **how)
    if as_json:
        _print_json(report.to_dict())
    else:
        render(report)
    if plot is not None:
        from arcwise.calibration.plot import draw

        draw(report, plot)


def _is_model(path: str) -> bool:
    from arcwise.model_file import MAGIC

    if is_standard_stream(path) or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _read(names: list[str], format: Any, skip_bad: bool) -> list[Treebank]:
    """The treebanks; what is bad in one is left out of all, so that their sentences still pair up."""
    from arcwise.treebank import Treebank

    treebanks = [Treebank.read(name, format=format, skip_bad=skip_bad) for name in names]
    for treebank in treebanks:
        say_how_many_bad(name_bad(treebank.bad), treebank.source)
    if len(names) == 1 or not any(treebank.bad for treebank in treebanks) or "-" in names:
        return treebanks
    places = [_places(treebank, name) for treebank, name in zip(treebanks, names, strict=True)]
    shared = set.intersection(*map(set, places))
    return [
        treebank.select(index for index, place in enumerate(own) if place in shared)
        for treebank, own in zip(treebanks, places, strict=True)
    ]


def _places(treebank: Treebank, name: str) -> list[int]:
    """Which of the file's sentences, good and bad, each of the treebank's sentences is."""
    place, after_blank = -1, True
    place_of_line: dict[int, int] = {}
    for number, line in enumerate(Path(name).read_bytes().split(b"\n"), start=1):
        blank = not line.strip()
        if after_blank and not blank:
            place += 1
            place_of_line[number] = place
        after_blank = blank
    return [place_of_line[sentence.line] for sentence in treebank]


def _print(evaluation: Evaluation, as_json: bool) -> None:
    if as_json:
        _print_json(evaluation.to_dict())
        return
    from arcwise.evaluation import render

    render(evaluation)


def _print_json(document: dict[str, Any]) -> None:
    click.echo(json.dumps(document, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace"))
