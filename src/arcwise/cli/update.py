"""`arcwise update` and `arcwise strip`: a model that learns from corrections, and one that no longer can."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arcwise._files import is_standard_stream
from arcwise.cli.common import (
    cores,
    counted,
    demand_writable,
    file_size,
    load_with_parser,
    name_bad,
    reading_options,
    say,
    say_how_many_bad,
)
from arcwise.errors import ArcwiseError

if TYPE_CHECKING:
    from arcwise.parser import Parser
    from arcwise.treebank import Treebank
    from arcwise.updating import Update


@click.command(
    short_help="Learn from corrected trees.",
    epilog="""\b
Examples:
  arcwise parse my.model new.conllu > corrected.conllu    # and put it right
  arcwise update my.model corrected.conllu -o new.model --replay train.conllu
""",
)
@click.argument("model")
@click.argument("corrected", metavar="CORRECTED")
@click.option("-o", "--output", metavar="MODEL", required=True, help="Where to write the updated model.")
@click.option(
    "--replay",
    metavar="TRAIN",
    help="The treebank that the model was trained on, of which some sentences are learnt again.",
)
@click.option(
    "--epochs",
    type=int,
    metavar="N",
    help="Passes over the corrected sentences.  [default: 20 for a network, otherwise 5, for l2s 3]",
)
@click.option(
    "--rate",
    type=float,
    metavar="X",
    help="How fast a network or a perceptron learns.  [default: a network 0.0003, without --replay 0.00005; "
    "a perceptron 0.1]",
)
@click.option(
    "--replayed",
    type=int,
    metavar="N",
    help="Sentences of TRAIN for each corrected one, in a pass.  [default: 10]",
)
@click.option("--seed", type=int, metavar="N", help="The same seed gives the same model.  [default: 1]")
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Threads; the model is the same for any number.  [default: all cores]",
)
@reading_options
@click.option("--quiet", is_flag=True, help="Say nothing but what goes wrong.")
def update(
    model: str,
    corrected: str,
    output: str,
    replay: str | None,
    threads: int | None,
    format: Any,
    skip_bad: bool,
    quiet: bool,
    **choices: Any,
) -> None:
    """Go on training MODEL with the corrected trees of CORRECTED.

    The model keeps its labels and all else that it was trained with. One that
    was trained with --keep-training-state goes on from where training ended,
    and can be updated again and again; without, only networks can be updated.

    With --replay it forgets nothing of what it knew. How the corrected
    sentences were parsed before and after is told on standard error.
    """
    from arcwise.cli.report import Report
    from arcwise.recipe.reporting import epoch_line
    from arcwise.treebank import Treebank
    from arcwise.updating import Update, UpdateOptions

    def read(path: str) -> Treebank:
        treebank = Treebank.read(path, format=format, skip_bad=skip_bad)
        say_how_many_bad(name_bad(treebank.bad), treebank.source)
        return treebank

    _check_output(output, corrected, replay)
    given = {name: value for name, value in choices.items() if value is not None}
    pipeline, parser = load_with_parser(model)
    run = Update(
        parser,
        pipeline.for_parser(read(corrected)),
        replay=None if replay is None else pipeline.for_parser(read(replay)),
        options=UpdateOptions(**given),
        threads=threads or cores(),
    )
    report = Report(lambda: None, quiet=quiet)
    with report.work("updating", run.planned * run.words):
        report.say(_what_is_learnt(run, model))

        def on_step(epoch: int, words: int) -> None:
            report.step((epoch - 1) * run.words + words, f"epoch {epoch}/{run.planned}")

        for epoch in run.epochs(on_step):
            report.epoch("parser", epoch, epoch_line(run, epoch, better=False))
    updated = run.parser()
    pipeline.with_parser(updated).save(output)
    if not quiet:
        say(_what_changed(run, updated, threads or cores()))
        say(f"{file_size(Path(output).stat().st_size)} in {output}.")


def _check_output(output: str, *treebanks: str | None) -> None:
    if is_standard_stream(output):
        raise ArcwiseError("A model cannot go to standard output: name a file.")
    demand_writable(output)
    for path in treebanks:
        if path is not None and os.path.realpath(path) == os.path.realpath(output):
            raise ArcwiseError(f"{output} is a treebank of this run: choose another name for the model.")


def _what_is_learnt(run: Update, model: str) -> str:
    words = counted(run.corrected.word_count, "word")
    start = "its weights alone" if run.before.info.state is None else "its training state"
    parts = [
        f"{counted(len(run.corrected), 'corrected sentence')}, {words}",
        *([] if run.replayed is None else [f"{counted(len(run.replayed), 'sentence')} replayed"]),
        *([] if not run.left_out else [f"{counted(run.left_out, 'sentence')} left out"]),
    ]
    return f"Updating {model} from {start}: {'; '.join(parts)}."


def _what_changed(run: Update, updated: Parser, threads: int) -> str:
    before, after = (
        parser.evaluate(run.corrected, threads=threads).attachment for parser in (run.before, updated)
    )
    return (
        f"On the corrected sentences: UAS {before.uas:.2f} before, {after.uas:.2f} now; "
        f"LAS {before.las:.2f} before, {after.las:.2f} now."
    )


@click.command(
    short_help="Leave the training state out of a model.",
    epilog="""\b
Examples:
  arcwise strip my.model -o small.model
""",
)
@click.argument("model")
@click.option("-o", "--output", metavar="MODEL", required=True, help="Where to write the smaller model.")
def strip(model: str, output: str) -> None:
    """Leave out of MODEL what only 'arcwise update' has a use for.

    The model parses as before.
    """
    from arcwise.models import find

    _check_output(output)
    pipeline, parser = load_with_parser(model)
    before = file_size(find(model).stat().st_size)
    pipeline.with_parser(parser.without_training_state()).save(output)
    after = file_size(Path(output).stat().st_size)
    note = " (it had no training state)" if parser.info.state is None else ""
    say(f"{model} has {before}, {output} {after}{note}.")
