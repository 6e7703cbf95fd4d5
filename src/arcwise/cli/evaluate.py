"""`arcwise evaluate`: scores of a parser, or of anyone's trees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arcwise.cli.common import (
    cores,
    demand_writable,
    echo_json,
    is_model,
    load_with_parser,
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
    from arcwise.evaluation.conll18 import Conll18Scores
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
@click.option(
    "--from",
    "start",
    type=click.Choice(["text", "tokens", "tags"]),
    help="What a model starts from: the raw text of GOLD, its tokens, or its tags too.  [default: tokens, if "
    "MODEL has a tagger]",
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
    start: Any,
    search: Any,
    beam: int | None,
    threads: int | None,
    format: Any,
    skip_bad: bool,
) -> None:
    """Score trees against gold trees of the same words.

    Give the gold file and a parsed file, or a model and a gold file: the model
    then parses the words of the gold file, tagging them first if it has a
    tagger, or finds them in its raw text (--from text). A file may be - for
    standard input. Of other words than those of the gold file there are the
    CoNLL 2018 metrics alone.

    Prints UAS, LAS, label accuracy and exact match (of heads: UEM, of heads and
    labels: LEM) with and without punctuation, the CoNLL 2018 metrics, and
    scores by relation, by place of the head and by sentence length.

    With --calibration: how often moves, heads and labels are right that the
    model holds for so probable, before and after 'arcwise calibrate'. A move is
    right if no other legal move would lose less.
    """
    from arcwise.evaluation import evaluate as score
    from arcwise.evaluation.conll18 import conll18_scores
    from arcwise.models import load

    model = first if is_model(first) else None
    if is_model(second):
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
    if model is None and not (beam is search is start is None):
        raise click.UsageError(
            "--search, --beam and --from are said of a model: name one before the gold file."
        )
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
        pipeline = load(model)
        how = {"search": search, "beam": beam, "threads": threads or cores()}
        system = pipeline.annotated(gold, start, **{name: v for name, v in how.items() if v is not None})
    else:
        system = treebanks[1]
    if gold.format == system.format == "conllu" and _words(gold) != _words(system):
        scores = conll18_scores(
            gold.to_string(), system.to_string(), gold_source=gold.source, system_source=system.source
        )
        _print_conll18(scores, as_json)
        return
    evaluation = score(gold, system, punctuation=punctuation, conll18=conll18)
    _print(replace(evaluation, system=model or evaluation.system), as_json)


def _words(treebank: Treebank) -> tuple[list[str], list[int]]:
    """The words, and where sentences begin."""
    return treebank.column("form"), treebank.first_words.tolist()


def _check_calibration(
    model: str, gold: Treebank, as_json: bool, plot: str | None, *, threads: int | None, **how: Any
) -> None:
    from arcwise.calibration import check
    from arcwise.calibration.render import render

    if plot is not None:
        from arcwise.calibration.plot import demand_matplotlib

        demand_matplotlib()
    pipeline, parser = load_with_parser(model)
    report = check(parser, pipeline.for_parser(gold), threads=threads or cores(), **how)
    if as_json:
        echo_json(report.to_dict())
    else:
        render(report)
    if plot is not None:
        from arcwise.calibration.plot import draw

        draw(report, plot)


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
        echo_json(evaluation.to_dict())
        return
    from arcwise.evaluation import render

    render(evaluation)


def _print_conll18(scores: Conll18Scores, as_json: bool) -> None:
    if as_json:
        echo_json({"conll18": scores.to_dict()})
        return
    from arcwise.evaluation.tables import render_conll18

    render_conll18(scores)
