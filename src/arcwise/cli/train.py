"""`arcwise train`: a treebank in, a model out."""

from __future__ import annotations

import contextlib
import os
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arcwise._files import is_standard_stream
from arcwise.cli.common import (
    cores,
    counted,
    demand_writable,
    file_size,
    name_bad,
    reading_options,
    say,
    say_how_many_bad,
    terminal,
    threads_option,
)
from arcwise.cli.info import learner_of, training_of
from arcwise.cli.interrupts import Interrupted, hold_interrupts
from arcwise.cli.sections import SectionedCommand, SectionedOption
from arcwise.errors import ArcwiseError, ModelError, OptionError, TreebankError
from arcwise.options import (
    ENCODINGS,
    LEARNERS,
    NONPROJECTIVE,
    ORACLES,
    POLICIES,
    ROOTS,
    SYSTEMS,
    TrainingOptions,
)

if TYPE_CHECKING:
    from arcwise.cli.report import Report
    from arcwise.parser import Parser
    from arcwise.training import Training
    from arcwise.treebank import Treebank

SECONDS_BETWEEN_CHECKPOINTS = 60.0

F = TypeVar("F", bound=Callable[..., Any])


def _option(section: str, *names: str, **kwargs: Any) -> Callable[[F], F]:
    return click.option(*names, cls=SectionedOption, section=section, **kwargs)


def _choice(section: str, name: str, choices: tuple[str, ...], help: str) -> Callable[[F], F]:
    default = getattr(TrainingOptions, name.removeprefix("--"))
    return _option(
        section,
        name,
        type=click.Choice(choices),
        default=default,
        show_default=default is not None,
        help=help,
    )


def _number(section: str, name: str, help: str, type: type = float) -> Callable[[F], F]:
    default = getattr(TrainingOptions, name.removeprefix("--"))
    return _option(
        section,
        name,
        type=type,
        default=default,
        show_default=default is not None,
        metavar="N" if type is int else "X",
        help=help,
    )


_TASK = "The task"
_LEARNING = "Policy and learner"
_ADAGRAD = "AdaGrad-RDA"


@click.command(
    cls=SectionedCommand,
    short_help="Train a parser on a treebank.",
    epilog="""\b
Examples:
  arcwise train train.conllu --dev dev.conllu -o my.model
  arcwise train train.conllu -o my.model --system arc-hybrid --epochs 10
  arcwise train train.conllu -o small.model --learner adagrad

An interrupted run (Ctrl-C) goes on with the same command and --resume.""",
)
@click.argument("train_path", metavar="TRAIN")
@_option("Files", "-o", "--output", metavar="MODEL", required=True, help="Where to write the model.")
@_option(
    "Files",
    "--dev",
    metavar="DEV",
    help="A treebank to choose the best epoch with, by its LAS; without, the last epoch is kept.",
)
@_option("Files", "--resume", is_flag=True, help="Go on with the run that is stored in MODEL.checkpoint.")
@_choice(_TASK, "--system", SYSTEMS, "The transition system.")
@_choice(_TASK, "--root", ROOTS, "Where arc-eager keeps ROOT: after the last word or before the first.")
@_option(
    _TASK,
    "--single-root/--multi-root",
    default=None,
    help="Exactly one word under ROOT, or any number.  [default: as the treebank has it]",
)
@_choice(_TASK, "--nonprojective", NONPROJECTIVE, "Lift non-projective arcs, or skip trees with any.")
@_choice(_TASK, "--encoding", ENCODINGS, "How the labels of lifted arcs say where they came from.")
@_option(
    _TASK,
    "--features",
    metavar="NAME|FILE",
    default=TrainingOptions.features,
    show_default=True,
    help="A feature set: default, zn2011, or a file of templates (see 'arcwise features').",
)
@_choice(
    _LEARNING,
    "--policy",
    POLICIES,
    "Which state training visits next: the oracle's, any correct one, the model's, or one drawn from "
    "the model.  [default: sample for adagrad, otherwise explore; static for arc-standard]",
)
@_choice(_LEARNING, "--oracle", ORACLES, "Which moves count as correct.  [default: what the policy needs]")
@_number(_LEARNING, "--k", "Epochs before explore and sample leave the gold path.", int)
@_number(_LEARNING, "--p", "How often explore follows a wrong prediction, from 0 to 1.")
@_choice(
    _LEARNING, "--learner", LEARNERS, "Averaged perceptron, or AdaGrad-RDA (sparse, with probabilities)."
)
@_number(_LEARNING, "--epochs", "Passes over the treebank.", int)
@_number(_LEARNING, "--seed", "Of shuffling and exploration: the same seed gives the same model.", int)
@_number(_ADAGRAD, "--alpha", "Learning rate.")
@_number(_ADAGRAD, "--rho", "Ridge.")
@_number(_ADAGRAD, "--penalty", "L1 penalty.  [default: 1 / (20 * words in TRAIN)]")
@_number(_ADAGRAD, "--cutoff", "Gradients smaller than this are not stored.")
@threads_option(" DEV")
@reading_options
@click.option("--quiet", is_flag=True, help="Say nothing but what goes wrong.")
@click.pass_context
def train(
    ctx: click.Context,
    /,
    train_path: str,
    output: str,
    dev: str | None,
    resume: bool,
    threads: int | None,
    format: Any,
    skip_bad: bool,
    quiet: bool,
    **choices: Any,
) -> None:
    """Train a parser on the treebank TRAIN and write it to MODEL.

    The defaults make a good parser. With --dev every epoch is scored on a
    second treebank and the best one is kept. What is trained, each epoch and
    what was kept are told on standard error.
    """
    options = TrainingOptions(**choices)
    _check_files(output, train_path, dev)
    checkpoint = Path(f"{output}.checkpoint")
    if resume and not checkpoint.exists():
        raise ModelError(f"There is no {checkpoint} to go on with: start the run without --resume.")
    training = _prepare(train_path, dev, options, threads or cores(), format, skip_bad)
    if resume:
        _take_up(training, checkpoint)

    from arcwise.cli.report import Report

    with hold_interrupts() as held:
        report = Report(training, None if quiet else say, None if quiet else terminal())
        try:
            with report:
                report.say(_what_is_trained(training, train_path))
                if resume:
                    report.say(f"Going on in epoch {len(training.history) + 1} of {training.options.epochs}.")
                elif checkpoint.exists():
                    report.say(f"{checkpoint} is of an earlier run, which --resume would go on with.")
                _run(training, checkpoint, report, held.check)
        except Interrupted as interrupt:
            training.save_checkpoint(checkpoint)
            say(f"Interrupted in epoch {len(training.history) + 1}; the run is stored in {checkpoint}.")
            say(f"Go on with: {_resuming(ctx)}")
            ctx.exit(interrupt.exit_code)
        parser = training.parser()
        parser.save(output)
        checkpoint.unlink(missing_ok=True)
        report.say(_what_was_kept(training, parser, output))


def _check_files(output: str, train_path: str, dev: str | None) -> None:
    if is_standard_stream(output):
        raise ArcwiseError("A model cannot go to standard output: name a file.")
    demand_writable(output)
    if dev is not None and is_standard_stream(dev) and is_standard_stream(train_path):
        raise ArcwiseError("Only one of the treebanks can be standard input.")
    for treebank in (train_path, dev):
        if treebank is not None and os.path.realpath(treebank) == os.path.realpath(output):
            raise ArcwiseError(f"{output} is a treebank of this run: choose another name for the model.")


def _prepare(
    train_path: str,
    dev: str | None,
    options: TrainingOptions,
    threads: int,
    format: Any,
    skip_bad: bool,
) -> Training:
    from arcwise.training import Training
    from arcwise.treebank import Treebank

    def read(path: str) -> Treebank:
        treebank = Treebank.read(path, format=format, skip_bad=skip_bad)
        say_how_many_bad(name_bad(treebank.bad), treebank.source)
        if not len(treebank):
            raise TreebankError(f"{treebank.source} has no sentences: check the name.")
        return treebank

    dev_treebank = None if dev is None else read(dev)
    return Training(read(train_path), dev=dev_treebank, options=options, threads=threads)


def _take_up(training: Training, checkpoint: Path) -> None:
    training.resume(checkpoint)
    done, wanted = len(training.history), training.options.epochs
    if done < wanted:
        return
    # A run of more epochs has a parser of this one only if dev chose among them.
    with contextlib.suppress(OptionError):
        if done == wanted:
            training.parser()
            return
    raise OptionError(f"{checkpoint} has {counted(done, 'epoch')} already: ask for more than {wanted}.")


def _run(training: Training, checkpoint: Path, report: Report, check_interrupts: Callable[[], None]) -> None:
    stored = time.monotonic()

    def on_step(epoch: int, words: int) -> None:
        report.step(epoch, words)
        check_interrupts()

    for epoch in training.epochs(on_step):
        report.epoch(epoch)
        if epoch.number == training.options.epochs:
            break
        check_interrupts()
        if time.monotonic() - stored > SECONDS_BETWEEN_CHECKPOINTS:
            training.save_checkpoint(checkpoint)
            stored = time.monotonic()


def _what_is_trained(training: Training, train_path: str) -> str:
    o = training.options
    parts = [
        f"{counted(training.sentences, 'sentence')}, {counted(training.words, 'word')}",
        f"{counted(training.left_out, 'sentence')} left out",
    ]
    if o.nonprojective == "lift":
        parts.append(f"{counted(training.lifted, 'arc')} lifted")
    parts.append("single root" if training.single_root else "any number of roots")
    parts.append(counted(len(training.templates), "template"))
    return f"Training {o.system} ({learner_of(o)}, {training_of(o)}) on {train_path}: {'; '.join(parts)}."


def _what_was_kept(training: Training, parser: Parser, output: str) -> str:
    kept = training.history[parser.info.training["epoch"] - 1]
    scores = "" if kept.dev_las is None else f" (dev UAS {kept.dev_uas:.2f}, LAS {kept.dev_las:.2f})"
    size = file_size(Path(output).stat().st_size)
    weights = counted(parser.info.weights, "weight")
    return f"Kept epoch {kept.number} of {len(training.history)}{scores}: {weights}, {size}, in {output}."


def _resuming(ctx: click.Context) -> str:
    arguments = [*ctx.meta["arcwise.arguments"]]
    if "--resume" not in arguments:
        arguments.append("--resume")
    return f"{ctx.find_root().info_name} {shlex.join(arguments)}"
