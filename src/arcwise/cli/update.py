"""`arcwise update` and `arcwise strip`: a model that learns from corrections, and one that no longer can."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arcwise._files import is_standard_stream
from arcwise._progress import Bar
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
    from arcwise.pipeline_updating import PipelineUpdate, Run
    from arcwise.treebank import Treebank
    from arcwise.updating import Update


@click.command(
    short_help="Learn from corrected tags and trees.",
    epilog="""\b
Examples:
  arcwise parse my.model new.conllu > corrected.conllu    # and put it right
  arcwise update my.model corrected.conllu -o new.model
  arcwise update my.model corrected.conllu -o new.model --replay train.conllu
  arcwise update my.model corrected.conllu -o new.model --test dev.conllu
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
    "--test",
    metavar="GOLD",
    help="Other sentences with their tags and trees: what is won or lost on them is told, and probabilities "
    "that were calibrated are fitted to them again.",
)
@click.option(
    "--epochs",
    type=int,
    metavar="N",
    help="Passes over the corrected sentences.  [default: from 40 to 6 for a network, the fewer the more "
    "words there are, with --replay 20; otherwise 5, for l2s 3]",
)
@click.option(
    "--rate",
    type=float,
    metavar="X",
    help="How fast a network or a perceptron learns.  [default: a network 0.03, with --replay 0.0003; "
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
    test: str | None,
    threads: int | None,
    format: Any,
    skip_bad: bool,
    quiet: bool,
    **choices: Any,
) -> None:
    """Go on training MODEL with the corrected sentences of CORRECTED.

    It learns their tags, features and lemmas as well as their trees, as far as
    they have them, and keeps its labels and tags and all else that it was
    trained with. One that was trained with --keep-training-state goes on from
    where training ended; without, only networks can be updated.

    What was won on the corrected sentences, and lost or won elsewhere, is told
    on standard error: on the sentences of --test, or on others of --replay.
    """
    from arcwise.models import load
    from arcwise.pipeline_updating import PipelineUpdate
    from arcwise.treebank import Treebank
    from arcwise.updating import UpdateOptions

    def read(path: str | None) -> Treebank | None:
        if path is None:
            return None
        treebank = Treebank.read(path, format=format, skip_bad=skip_bad)
        say_how_many_bad(name_bad(treebank.bad), treebank.source)
        return treebank

    _check_output(output, corrected, replay, test)
    given = {name: value for name, value in choices.items() if value is not None}
    sentences = read(corrected)
    assert sentences is not None
    update = PipelineUpdate(
        load(model),
        sentences,
        replay=read(replay),
        test=read(test),
        options=UpdateOptions(**given),
        threads=threads or cores(),
    )
    for run in update.runs():
        _train(run, model, quiet)
    with Bar("calibrating", None, shown=not quiet) as bar:
        updated = update.pipeline(lambda done, steps: bar.show(done, f"step {done} of {steps}"))
    updated.save(output)
    if not quiet:
        _say_what_changed(update)
        say(f"{file_size(Path(output).stat().st_size)} in {output}.")


def _train(run: Run, model: str, quiet: bool) -> None:
    """Trains a part of the model, or two that share a network."""
    from arcwise.cli.report import Report
    from arcwise.recipe.reporting import epoch_line
    from arcwise.updating import Update

    report = Report(lambda: None, quiet=quiet)

    def on_step(epoch: int, words: int) -> None:
        report.step((epoch - 1) * run.words + words, f"epoch {epoch}/{run.planned}")

    if not isinstance(run, Update):
        with report.work("updating the tagger", run.planned * run.words):
            for _ in run.epochs(on_step):
                pass
        return
    with report.work("updating", run.planned * run.words):
        report.say(_what_is_learnt(run, model))
        for epoch in run.epochs(on_step):
            report.epoch("parser", epoch, epoch_line(run, epoch, better=False))


def _say_what_changed(update: PipelineUpdate) -> None:
    for change in update.changes():
        say(str(change))
    if update.test is None and update.replay is None:
        say("What was lost elsewhere is not known: give other gold sentences (--test) to see it.")
    for note in update.notes:
        say(f"Note: {note}")


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
    what = "trees" if run.tagger_before is None else "tags, lemmas and trees"
    return f"Updating {model} ({what}) from {start}: {'; '.join(parts)}."


@click.command(
    short_help="Leave the training state out of a model.",
    epilog="""\b
Examples:
  arcwise strip my.model -o small.model
  arcwise strip old.model -o fast.model --bits 8
  arcwise strip my.model -o small.model --embedding-bits 4
""",
)
@click.argument("model")
@click.option("-o", "--output", metavar="MODEL", required=True, help="Where to write the smaller model.")
@click.option(
    "--bits",
    type=click.Choice(["8"]),
    help="Bring a network of an older file, which has weights of 16 bits, to the 8 bits of newer ones: it is "
    "faster, and few trees differ.",
)
@click.option(
    "--embedding-bits",
    type=click.Choice(["4", "8"]),
    help="Bits of a number in the embeddings of rare words: 4 make a network with many words half as large, "
    "and few trees differ.",
)
def strip(model: str, output: str, bits: str | None, embedding_bits: str | None) -> None:
    """Leave out of MODEL what only 'arcwise update' has a use for.

    The model parses as before, unless --bits or --embedding-bits says otherwise.
    """
    from arcwise.models import find
    from arcwise.precision import in_8_bits, with_embedding_bits

    _check_output(output)
    pipeline, parser = load_with_parser(model)
    before = file_size(find(model).stat().st_size)
    stripped = pipeline.with_parser(parser.without_training_state())
    component = stripped.to_component()
    if bits:
        component = in_8_bits(component)
    if embedding_bits:
        component = with_embedding_bits(component, int(embedding_bits))
    component.save(output)
    after = file_size(Path(output).stat().st_size)
    note = " (it had no training state)" if parser.info.state is None else ""
    say(f"{model} has {before}, {output} {after}{note}.")
