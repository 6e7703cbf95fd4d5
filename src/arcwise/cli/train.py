"""`arcwise train`: a treebank in, a model out."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arcwise._files import is_standard_stream
from arcwise.cli.common import (
    cores,
    demand_writable,
    file_size,
    name_bad,
    reading_options,
    say,
    say_how_many_bad,
)
from arcwise.cli.flags import flags_of, given, names_of
from arcwise.cli.interrupts import Interrupted, hold_interrupts
from arcwise.cli.sections import SectionedCommand, SectionedOption
from arcwise.errors import ArcwiseError, OptionError, TreebankError
from arcwise.options import (
    COLUMNS,
    PRESETS,
    AdaGradOptions,
    BeamTrainingOptions,
    L2sOptions,
    NetworkOptions,
    ParserOptions,
    PolicyOptions,
    SystemOptions,
)
from arcwise.options.learners import PerceptronOptions
from arcwise.options.ranking import RankingOptions

if TYPE_CHECKING:
    from arcwise.options.pipeline import PipelineOptions
    from arcwise.treebank import Treebank

F = TypeVar("F", bound=Callable[..., Any])

_PIPELINE = "From text to trees"
_PARSER = (
    SystemOptions,
    ParserOptions,
    PolicyOptions,
    NetworkOptions,
    PerceptronOptions,
    AdaGradOptions,
    BeamTrainingOptions,
    L2sOptions,
)


def _option(section: str, *names: str, common: bool = False, **kwargs: Any) -> Callable[[F], F]:
    return click.option(*names, cls=SectionedOption, section=section, common=common, **kwargs)


@click.command(
    cls=SectionedCommand,
    short_help="Train a parser on a treebank.",
    epilog="""\b
Examples:
  arcwise train train.conllu --dev dev.conllu -o my.model
  arcwise train train.conllu -o my.model --system arc-hybrid --epochs 10
  arcwise train train.conllu -o fast.model --preset fast
  arcwise train train.conllu -o words.model --no-tags --vectors cc.sv.300.vec
  arcwise train train.conllu -o more.model --silver parsed.conllu.xz
  arcwise train train.conllu -o small.model --learner adagrad
  arcwise train train.conllu -o beam.model --learner perceptron --train-beam 8
  arcwise train train.conllu -o l2s.model --learner l2s --system arc-hybrid
  arcwise train train.conllu --dev dev.conllu -o hc.model --search hc
  arcwise info en --config > recipe.toml
  arcwise train train.conllu -o my.model --config recipe.toml --epochs 30

An interrupted run (Ctrl-C) goes on with the same command and --resume.""",
)
@click.argument("train_path", metavar="TRAIN")
@_option(
    "Files", "-o", "--output", metavar="MODEL", required=True, common=True, help="Where to write the model."
)
@_option(
    "Files",
    "--dev",
    metavar="DEV",
    common=True,
    help="A treebank to choose the best epoch with, by its LAS; without, the last epoch is kept.",
)
@_option(
    "Files",
    "--silver",
    metavar="FILE",
    multiple=True,
    common=True,
    help="Trees of another parser to learn from as well, beside those of TRAIN; may be compressed (.xz, .gz, "
    ".bz2) and of any size. Can be given several times.",
)
@_option(
    "Files",
    "--config",
    metavar="FILE",
    common=True,
    help="Options in TOML, such as 'arcwise info MODEL --config' prints. Flags win over them.",
)
@_option(
    "Files",
    "--resume",
    is_flag=True,
    common=True,
    help="Go on with the run that is stored in MODEL.checkpoint.",
)
@_option(
    "Files",
    "--keep-training-state",
    is_flag=True,
    help="Keep in MODEL what 'arcwise update' goes on from; 'arcwise strip' takes it out again.",
)
@_option(
    _PIPELINE,
    "--components",
    metavar="NAME,...",
    common=True,
    help="What to train, of segmenter, tagger and parser.  [default: all that TRAIN has the data for]",
)
@_option(
    _PIPELINE,
    "--gold-tags",
    is_flag=True,
    common=True,
    help="Train the parser on the tags of TRAIN, as if it were always given such, not on predicted ones.",
)
@_option(
    _PIPELINE,
    "--separate-tagger",
    is_flag=True,
    help="Train the tagger by itself, and the parser on tags that taggers predict which have not seen the "
    "sentence. By default they share a network; linear learners and --search hc have nothing to share.",
)
@_option(
    _PIPELINE,
    "--tag-folds",
    type=int,
    metavar="N",
    help="With a separate tagger: parts of TRAIN, each tagged by a tagger of the others.  [default: 10]",
)
@_option(
    _PIPELINE,
    "--augment",
    type=float,
    metavar="X",
    help="The share of sentences that are seen a second time as other texts have them: as list items, "
    "without final marks, with other quotation marks and dashes, with emoji, in capitals, ….  "
    "[default: 0.15, and 0.2 for the segmenter]",
)
@_option(
    _PIPELINE,
    "--segmenter",
    metavar="KEY=VALUE,...",
    help="Options of the segmenter, such as penalty=0.5,prune=0.15 (see SegmenterOptions in Python).",
)
@_option(
    _PIPELINE,
    "--tagger",
    metavar="KEY=VALUE,...",
    help="Options of the tagger, such as lexicon=2,hidden=64 (see TaggerOptions in Python).",
)
@_option(_PIPELINE, "--licence", metavar="TEXT", help="A licence to name in the model, such as TRAIN's.")
@_option(_PIPELINE, "--description", metavar="TEXT", help="What else the model is to say of itself.")
@_option(
    "The task",
    "--leave-out",
    type=click.Choice(COLUMNS),
    multiple=True,
    metavar="COLUMN",
    help="Train as if this column (lemma, upos, xpos or feats) were empty; can be given several times.",
)
@_option(
    "The task",
    "--no-tags",
    is_flag=True,
    common=True,
    help="Leave out all of these columns: the parser sees words alone.",
)
@_option(
    "Policy and learner",
    "--preset",
    type=click.Choice(list(PRESETS)),
    default="default",
    show_default=True,
    common=True,
    help="Options that go together: fast is a network that parses faster, turbo a compact perceptron that "
    "parses fastest. Other options win over it.",
)
@flags_of(*_PARSER, leave_out=("leave_out",))
@_option(
    RankingOptions.TITLE,
    "--search",
    type=click.Choice(["hc"]),
    common=True,
    help="Train a ranker too: a beam finds candidate trees, and the ranker, which sees whole trees, chooses.",
)
@flags_of(RankingOptions, leave_out=("seed",))
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Folds that are trained at the same time, in cross-validation.  [default: all cores]",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Threads that parse DEV and, two at most, train a network; the model is the same for any number.  "
    "[default: all cores]",
)
@reading_options
@click.option("--quiet", is_flag=True, help="Say nothing but what goes wrong.")
@click.pass_context
def train(
    ctx: click.Context,
    /,
    train_path: str,
    output: str,
    dev: str | None,
    silver: tuple[str, ...],
    resume: bool,
    jobs: int | None,
    threads: int | None,
    format: Any,
    skip_bad: bool,
    quiet: bool,
    **flags: Any,
) -> None:
    """Train a model on the treebank TRAIN and write it to MODEL.

    The model takes raw text to trees: a segmenter, a tagger and a parser, as far
    as TRAIN has the data for them (--components). The tagger and the parser share
    a network, and are trained together. The defaults make a good model. With
    --dev every epoch is scored on a second treebank and the best one is kept.
    What is trained, each epoch and what was kept are told on standard error.
    """
    options = options_from(flags)
    check_files(output, train_path, dev, *silver, options=options)

    from arcwise.silver import SilverTrees

    run_and_save(
        ctx,
        read(train_path, format, skip_bad),
        output,
        quiet=quiet,
        dev=None if dev is None else read(dev, format, skip_bad),
        silver=SilverTrees(silver, format=format, skip_bad=skip_bad) if silver else None,
        options=options,
        threads=threads or cores(),
        jobs=jobs or cores(),
        resume=resume,
    )


def run_and_save(
    ctx: click.Context, treebank: Treebank, output: str, *, quiet: bool, **training: Any
) -> None:
    """Trains a model and writes it, or says how to go on where it was interrupted."""
    from arcwise.cli.report import Report
    from arcwise.recipe import PipelineTraining

    with hold_interrupts() as held:
        report = Report(held.check, quiet=quiet)
        run = PipelineTraining(treebank, store=output, reporter=report, **training)
        try:
            pipeline = run.finish()
        except Interrupted as interrupt:
            kept = run.where_it_is_kept()
            if kept is None:
                say("Interrupted before anything was done that could be kept.")
            else:
                say(f"Interrupted; {kept}.")
                say(f"Go on with: {_resuming(ctx)}")
            ctx.exit(interrupt.exit_code)
        pipeline.save(output)
        run.remove_kept()
        size = f"{file_size(Path(output).stat().st_size)}, in {output}"
        run.reporter.say(f"{run.summary}, {size}." if run.summary else f"{size}.")


def options_from(flags: dict[str, Any]) -> PipelineOptions:
    """All that was said: in a file of options, by a preset, and by flags, which win."""
    from arcwise.options import config

    stored = {} if flags["config"] is None else config.read(flags["config"])
    of_parser = given({name: flags[name] for name in names_of(*_PARSER)})
    if flags["no_tags"]:
        of_parser["leave_out"] = COLUMNS
    pipeline = given({n: flags[n] for n in ("components", "licence", "description", "tag_folds")})
    pipeline["folds"] = pipeline.pop("tag_folds", stored.get("folds"))
    pipeline["seed"] = of_parser.pop("seed", stored.get("seed"))
    if flags["keep_training_state"]:
        pipeline["keep_training_state"] = True
    tags = [flags[name] for name in ("gold_tags", "separate_tagger")]
    if all(tags):
        raise OptionError("Tags are gold or predicted: leave out --gold-tags, or --separate-tagger.")
    if any(tags) or pipeline["folds"] is not None:
        pipeline["tags"] = "gold" if tags[0] else "predicted"
    for name in ("segmenter", "tagger"):
        if flags[name] is not None:
            pipeline[name] = given_options(flags[name])
    if flags["augment"] is not None:
        pipeline["augment"] = flags["augment"]
        pipeline["segmenter"] = {"augment": flags["augment"], **pipeline.get("segmenter", {})}
    ranking = _ranking(flags, "ranking" in stored)
    if ranking is not None:
        pipeline["ranking"] = ranking
    return config.combined(stored, preset=flags["preset"], flags=of_parser, **pipeline)


def _ranking(flags: dict[str, Any], in_file: bool) -> dict[str, Any] | None:
    from arcwise.options.parser import places

    own = given({name: flags[name] for name in names_of(RankingOptions) if name != "seed"})
    if flags["search"] == "hc" or in_file:
        return {places(RankingOptions)[name][0]: value for name, value in own.items()}
    for name in own:
        raise OptionError(f"Only HC-search has a use for --{name.replace('_', '-')}: add --search hc.")
    return None


def given_options(text: str) -> dict[str, Any]:
    """Options from `key=value,key=value`.

    >>> given_options("epochs=10,encoder=conv,rate=0.01")
    {'epochs': 10, 'encoder': 'conv', 'rate': 0.01}
    """
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise OptionError(f"'{part}' is no option: write KEY=VALUE, with commas between several.")
        found[key.strip().replace("-", "_")] = _value(value.strip())
    return found


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def check_files(
    output: str, train_path: str, dev: str | None, *others: str, options: PipelineOptions
) -> None:
    """Refuses to write a model where none can be, or over what it is made from."""
    if is_standard_stream(output):
        raise ArcwiseError("A model cannot go to standard output: name a file.")
    demand_writable(output)
    if dev is not None and is_standard_stream(dev) and is_standard_stream(train_path):
        raise ArcwiseError("Only one of the treebanks can be standard input.")
    treebanks = [("a treebank", path) for path in (train_path, dev, *others)]
    of_vectors = [("a file of vectors", path) for path in getattr(options.parser.learner, "vector_files", ())]
    for what, path in (*treebanks, *of_vectors):
        if path is not None and os.path.realpath(path) == os.path.realpath(output):
            raise ArcwiseError(f"{output} is {what} of this run: choose another name for the model.")


def read(path: str, format: Any, skip_bad: bool) -> Treebank:
    """A treebank, which must have a sentence."""
    from arcwise.treebank import Treebank

    treebank = Treebank.read(path, format=format, skip_bad=skip_bad)
    say_how_many_bad(name_bad(treebank.bad), treebank.source)
    if not len(treebank):
        raise TreebankError(f"{treebank.source} has no sentences: check the name.")
    return treebank


def _resuming(ctx: click.Context) -> str:
    arguments = [*ctx.meta["arcwise.arguments"]]
    if "--resume" not in arguments:
        arguments.append("--resume")
    return f"{ctx.find_root().info_name} {shlex.join(arguments)}"
