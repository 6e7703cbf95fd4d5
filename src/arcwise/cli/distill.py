"""`arcwise distill`: models teach another one, on text without trees."""

from __future__ import annotations

from typing import Any

import click

from arcwise.cli.common import cores
from arcwise.cli.flags import names_of
from arcwise.cli.sections import SectionedCommand, SectionedOption
from arcwise.cli.train import check_files, options_from, read, run_and_save, train
from arcwise.errors import ArcwiseError
from arcwise.inputs import INPUTS, Reading
from arcwise.options import (
    MAX_WORDS,
    AdaGradOptions,
    BeamTrainingOptions,
    L2sOptions,
    NetworkOptions,
    PerceptronOptions,
    SilverOptions,
    SystemOptions,
)
from arcwise.options.ranking import RankingOptions

_TEXT = "Text"
_OF_SILVER = {name: f"text_{name.removeprefix('silver_')}" for name in names_of(SilverOptions)}
_NOT_OF_STUDENTS = {
    *names_of(SystemOptions),
    *(
        name
        for name in names_of(PerceptronOptions, AdaGradOptions, BeamTrainingOptions, L2sOptions)
        if name not in names_of(NetworkOptions)
    ),
    *names_of(SilverOptions),
    *names_of(RankingOptions),
    *("learner", "silver", "search", "separate_tagger", "tag_folds", "jobs"),
} - {"seed", "epochs", "gold_epochs"}
"""Options of `arcwise train` that are their teachers', or those of other learners."""


@click.command(
    cls=SectionedCommand,
    short_help="Have models teach another one, on text without trees.",
    epilog="""\b
Examples:
  arcwise distill --teacher big.model --text news.txt --gold train.conllu \\
      --dev dev.conllu -o small.model
  arcwise distill --teacher 1.model --teacher 2.model --text news.txt \\
      --text web.txt --gold train.conllu -o fast.model --preset fast

An interrupted run (Ctrl-C) goes on with the same command and --resume.""",
)
@click.option(
    "--teacher",
    "teachers",
    cls=SectionedOption,
    section="Files",
    metavar="MODEL",
    multiple=True,
    required=True,
    help="A model that teaches, a network; can be given several times. The first one finds the sentences and "
    "words of raw text.",
)
@click.option(
    "--text",
    "texts",
    cls=SectionedOption,
    section="Files",
    metavar="FILE",
    multiple=True,
    required=True,
    help="Text to learn from, of any size; can be given several times. Trees that it has are of no account.",
)
@click.option(
    "--gold",
    cls=SectionedOption,
    section="Files",
    metavar="TRAIN",
    required=True,
    help="A treebank to learn from as well.",
)
@click.option(
    "--text-format",
    cls=SectionedOption,
    section=_TEXT,
    type=click.Choice(INPUTS),
    help="What texts are, as --format of 'arcwise parse'.  [default: by the ending of a file's name, or how "
    "it begins]",
)
@click.option(
    "--text-weight",
    cls=SectionedOption,
    section=_TEXT,
    type=float,
    metavar="X",
    help="What a decision in text weighs in the loss, where one in a gold tree weighs 1.  [default: 0.3]",
)
@click.option(
    "--text-passes",
    cls=SectionedOption,
    section=_TEXT,
    common=False,
    type=float,
    metavar="X",
    help="How often all text is seen.  [default: 10 million words of it in all, but each at least once, and "
    "at most once in an epoch]",
)
@click.option(
    "--text-words",
    cls=SectionedOption,
    section=_TEXT,
    common=False,
    type=int,
    metavar="N",
    help="Words that only text has and that get a vector of their own, the most frequent; and as many of "
    "their prefixes, suffixes and other parts.  [default: 10000]",
)
@click.option(
    "--errors",
    cls=SectionedOption,
    section=_TEXT,
    common=False,
    type=click.Choice(["strict", "replace"]),
    default="strict",
    show_default=True,
    help="Refuse text that is not UTF-8 or has NULs in it, or replace what is bad by U+FFFD.",
)
@click.pass_context
def distill(
    ctx: click.Context,
    /,
    teachers: tuple[str, ...],
    texts: tuple[str, ...],
    gold: str,
    text_format: str | None,
    errors: Any,
    output: str,
    dev: str | None,
    resume: bool,
    threads: int | None,
    format: Any,
    skip_bad: bool,
    quiet: bool,
    **flags: Any,
) -> None:
    """Train a model on the trees of TRAIN and on what teachers say of text.

    At every state that the student comes to on its own walk through a sentence
    of FILE, the teachers say how probable they hold the moves there; the mean is
    what the student learns. So several models teach one, or large models a small
    one. They have the same transition system and labels, and so has the student.
    Tags are taught too, by teachers that know those of TRAIN. The options are
    those of 'arcwise train', as far as they make sense here.
    """
    if "-" in texts:
        raise ArcwiseError("Text is read more than once, and standard input is not: name a file (--text).")
    for name, own in _OF_SILVER.items():
        flags[name] = flags.pop(own, None) if own in flags else flags.get(name)
    options = options_from({**dict.fromkeys(parameter.name for parameter in train.params), **flags})
    check_files(output, gold, dev, *texts, options=options)
    for teacher in teachers:
        if teacher == output:
            raise ArcwiseError(f"{output} is a teacher of this run: choose another name for the model.")

    from arcwise.distillation import TaughtText, Teachers

    how = Reading(skip_bad=skip_bad, check_trees=False, errors=errors, ranges=False, max_words=MAX_WORDS)
    run_and_save(
        ctx,
        read(gold, format, skip_bad),
        output,
        quiet=quiet,
        dev=None if dev is None else read(dev, format, skip_bad),
        silver=TaughtText(texts, Teachers.of(teachers), format=text_format, how=how),
        options=options,
        threads=threads or cores(),
        jobs=threads or cores(),
        resume=resume,
    )


_OWN = {parameter.name for parameter in distill.params}
distill.params += [
    parameter
    for parameter in train.params
    if isinstance(parameter, click.Option) and parameter.name not in {*_OWN, *_NOT_OF_STUDENTS}
]
