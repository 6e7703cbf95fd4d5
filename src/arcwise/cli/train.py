"""`arcwise train`: a treebank in, a model out."""

from __future__ import annotations

import contextlib
import os
import shlex
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from arcwise import __version__
from arcwise._files import is_standard_stream
from arcwise._progress import terminal
from arcwise.cli.common import (
    FromCore,
    cores,
    counted,
    demand_writable,
    file_size,
    name_bad,
    reading_options,
    say,
    say_how_many_bad,
)
from arcwise.cli.interrupts import Interrupted, hold_interrupts
from arcwise.cli.sections import SectionedCommand, SectionedOption
from arcwise.cli.train_hc import Work, add_ranker, check_ranking
from arcwise.cli.train_parts import Parts, options_of
from arcwise.errors import ArcwiseError, ModelError, OptionError, TreebankError
from arcwise.options import (
    ALGORITHMS,
    BASES,
    COLUMNS,
    ENCODERS,
    ENCODINGS,
    NEGATIVES,
    NONPROJECTIVE,
    PRESETS,
    REDUCTIONS,
    ROLLINS,
    ROLLOUTS,
    ROOTS,
    VIOLATIONS,
    TrainingOptions,
    with_a_tagger,
)
from arcwise.ranking_options import GROUPS, LOSSES, RankingOptions, refuse_without_beam

if TYPE_CHECKING:
    from arcwise.cli.report import Report
    from arcwise.evaluation.conll18 import Conll18Scores
    from arcwise.parser import Parser
    from arcwise.pipeline import Pipeline
    from arcwise.training import Training
    from arcwise.treebank import Treebank

SECONDS_BETWEEN_CHECKPOINTS = 60.0

F = TypeVar("F", bound=Callable[..., Any])


def _option(section: str, *names: str, **kwargs: Any) -> Callable[[F], F]:
    return click.option(*names, cls=SectionedOption, section=section, **kwargs)


def _default(name: str) -> Any:
    return getattr(TrainingOptions, name.removeprefix("--").replace("-", "_"))


def _choice(section: str, name: str, choices: tuple[str, ...] | FromCore, help: str) -> Callable[[F], F]:
    default = _default(name)
    return _option(
        section,
        name,
        type=click.Choice(choices) if isinstance(choices, tuple) else choices,
        default=default,
        show_default=default is not None,
        help=help,
    )


def _number(section: str, name: str, help: str, type: type = float) -> Callable[[F], F]:
    default = _default(name)
    return _option(
        section,
        name,
        type=type,
        default=default,
        show_default=default is not None,
        metavar="N" if type is int else "X",
        help=help,
    )


_OPTIONS_OF_RANKING = {
    "beam": "beam",
    "folds": "folds",
    "groups": "rank_groups",
    "loss": "rank_loss",
    "epochs": "rank_epochs",
    "aggressiveness": "rank_aggressiveness",
    "features": "rank_features",
    "bits": "rank_bits",
}
"""The names of `RankingOptions`, and of what is said on the command line."""


def _ranking(name: str, help: str, *, type: Any = None, **more: Any) -> Callable[[F], F]:
    names = {option: name for name, option in _OPTIONS_OF_RANKING.items()}
    default = getattr(RankingOptions, names[name.removeprefix("--").replace("-", "_")])
    return _option(_HC, name, type=type, default=default, show_default=default is not None, help=help, **more)


_HC = "HC-search"
_PIPELINE = "From text to trees"
_TOLD = {
    "tokens": ("UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS"),
    "text": ("Words", "Sentences", "UPOS", "Lemmas", "UAS", "LAS"),
}
_TASK = "The task"
_LEARNING = "Policy and learner"
_NETWORK = "Network"
_BEAM = "Training with a beam (perceptron)"
_SEARCH = "Learning to search (l2s)"
_LINEAR = "Perceptron, AdaGrad-RDA and l2s"


@click.command(
    cls=SectionedCommand,
    short_help="Train a parser on a treebank.",
    epilog="""\b
Examples:
  arcwise train train.conllu --dev dev.conllu -o my.model
  arcwise train train.conllu -o my.model --system arc-hybrid --epochs 10
  arcwise train train.conllu -o fast.model --preset fast
  arcwise train train.conllu -o words.model --no-tags --vectors cc.sv.300.vec
  arcwise train train.conllu -o small.model --learner adagrad
  arcwise train train.conllu -o beam.model --learner perceptron --train-beam 8
  arcwise train train.conllu -o l2s.model --learner l2s --system arc-hybrid
  arcwise train train.conllu --dev dev.conllu -o hc.model --search hc

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
    help="What to train, of segmenter, tagger and parser.  [default: all that TRAIN has the data for]",
)
@_option(
    _PIPELINE,
    "--gold-tags",
    is_flag=True,
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
    type=click.IntRange(min=2),
    metavar="N",
    help="With a separate tagger: parts of TRAIN, each tagged by a tagger of the others.  [default: 10]",
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
@_choice(_TASK, "--system", FromCore("SYSTEMS"), "The transition system.")
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
    "--leave-out",
    type=click.Choice(COLUMNS),
    multiple=True,
    metavar="COLUMN",
    help="Train as if this column (lemma, upos, xpos or feats) were empty; can be given several times.",
)
@_option(_TASK, "--no-tags", is_flag=True, help="Leave out all of these: the parser sees words alone.")
@_choice(
    _LEARNING,
    "--learner",
    FromCore("LEARNERS"),
    "A network, or a linear model: averaged perceptron, or AdaGrad-RDA (sparse, with probabilities); or "
    "learning to search with a cost-sensitive learner.  [default: network; perceptron for easy-first]",
)
@_option(
    _LEARNING,
    "--preset",
    type=click.Choice(list(PRESETS)),
    default="default",
    show_default=True,
    help="Options that go together: fast is a network that parses faster. Other options win over it.",
)
@_choice(
    _LEARNING,
    "--policy",
    FromCore("POLICIES"),
    "Which state training visits next: the oracle's, any correct one, the model's, or one drawn from "
    "the model.  [default: sample for adagrad, otherwise explore]",
)
@_choice(
    _LEARNING,
    "--oracle",
    FromCore("ORACLES"),
    "Which moves count as correct.  [default: what the policy needs]",
)
@_number(_LEARNING, "--k", "Epochs before explore and sample leave the gold path.", int)
@_number(_LEARNING, "--p", "How often explore follows a wrong prediction, from 0 to 1.")
@_number(
    _LEARNING,
    "--epochs",
    "Passes over the treebank.  [default: 30 to 10 for a network, by the size of TRAIN; 3 for l2s; otherwise "
    "15]",
    int,
)
@_number(
    _LEARNING,
    "--patience",
    "End after so many epochs without a better LAS on DEV.  [default: train all epochs]",
    int,
)
@_number(
    _LEARNING,
    "--seed",
    "Of shuffling, exploration and a network's first weights: the same seed gives the same model.",
    int,
)
@_choice(
    _NETWORK,
    "--encoder",
    ENCODERS,
    "How words learn of those around them: not at all, by windows, or by a recurrence in both directions.",
)
@_number(_NETWORK, "--layers", "Layers of the encoder.", int)
@_number(_NETWORK, "--window", "Words on either side that a layer sees at once.", int)
@_number(
    _NETWORK, "--width", "Size of word vectors, a multiple of 16; 128 if a tagger shares the network.", int
)
@_number(_NETWORK, "--hidden", "Hidden units, a multiple of 16; 192 if a tagger shares the network.", int)
@_option(
    _NETWORK,
    "--tokens",
    metavar="NAMES",
    help="Inputs of a word, in quotes: of form lower lemma shape prefix suffix upos xpos feats feature.  "
    "[default: what works well of the columns that TRAIN has]",
)
@_number(
    _NETWORK,
    "--affixes",
    "Characters in the longest prefixes and suffixes; 4 if a tagger shares the network.",
    int,
)
@_option(
    _NETWORK,
    "--states",
    metavar="PLACES",
    help="Inputs of a state, in quotes.  [default: those that 'arcwise features network' prints]",
)
@_option(
    _NETWORK,
    "--vectors",
    metavar="FILE",
    help="Pre-trained word vectors, in the text format of word2vec and fastText.",
)
@_number(_NETWORK, "--vectors-limit", "How many words of FILE are read.", int)
@_option(
    _NETWORK,
    "--tune-vectors/--fix-vectors",
    default=_default("--tune-vectors"),
    help="Train the vectors with the rest, or leave them as they are.  [default: leave them]",
)
@_number(_NETWORK, "--rate", "Learning rate at first; it falls to next to nothing in a straight line.")
@_number(_NETWORK, "--decay", "Decay of weights.")
@_number(_NETWORK, "--average", "How much of the weights' running average stays in a step; 0: no average.")
@_number(_NETWORK, "--clip", "The longest gradient.")
@_number(
    _NETWORK,
    "--dropout",
    "Share of word vectors that is left out in training; 0.35 to 0.5 if a tagger shares the network.",
)
@_number(_NETWORK, "--hidden-dropout", "Share of hidden units that is left out in training.")
@_number(
    _NETWORK, "--word-dropout", "X, where a word seen n times is taken for unknown with probability X/(X+n)."
)
@_number(
    _NETWORK,
    "--shown-tags",
    "Share of sentences whose tags are shown in training: below 1, the parser can do without any. 0.1 if a "
    "tagger shares the network.",
)
@_number(_NETWORK, "--batch", "Words in a training step.  [default: 300, fewer in a small treebank]", int)
@_number(
    _BEAM,
    "--train-beam",
    "The width of the beam, which the model then parses with.  [default: greedily]",
    int,
)
@_choice(
    _BEAM,
    "--violation",
    VIOLATIONS,
    "Where the beam's derivation is compared with the right one: where the right ones leave the beam, where "
    "it is ahead by most, or at the end.",
)
@_option(
    _BEAM,
    "--relaxed",
    is_flag=True,
    help="Right derivations have to stay in the beam, and need not win.",
)
@_choice(_BEAM, "--negative", NEGATIVES, "Which derivation is the wrong one, once the right ones are lost.")
@_choice(
    _SEARCH,
    "--algorithm",
    ALGORITHMS,
    "Who rolls in and out: the paper's mixture and the reference, or as in dagger, aggrevate, searn, lols.  "
    "[default: as l2s rolls in, without roll-outs]",
)
@_choice(_SEARCH, "--rollin", ROLLINS, "Who acts before a deviation.  [default: as the algorithm has it]")
@_choice(
    _SEARCH,
    "--rollout",
    ROLLOUTS,
    "Who acts after it; where the reference would, the dynamic oracle says what comes of it; none: an "
    "action costs 0 if it is the reference's, else 1.  [default: as the algorithm has it]",
)
@_number(
    _SEARCH,
    "--deviations",
    "Decisions of a sentence at which all actions are tried, drawn anew in each epoch. A few make "
    "roll-outs by what is learnt, as in searn and lols, affordable.  [default: all]",
    int,
)
@_choice(_SEARCH, "--base", tuple(BASES), "The base learner; nn has 5 hidden units.")
@_number(_SEARCH, "--base-rate", "The base learner's rate.  [default: its own]")
@_choice(_SEARCH, "--reduction", REDUCTIONS, "One against all, or weighted all pairs.")
@_number(_SEARCH, "--bits", "Weights are in a table of 2^N.", int)
@_number(_SEARCH, "--prune", "Weights nearer to 0 than this do not come into the model.")
@_option(
    _SEARCH,
    "--label-apart/--label-at-once",
    default=_default("--label-apart"),
    help="Decide an arc's label after its action, or both at once.  [default: after]",
)
@_option(
    _HC,
    "--search",
    type=click.Choice(["hc"]),
    help="Train a ranker too: a beam finds candidate trees, and the ranker, which sees whole trees, chooses.",
)
@_ranking("--beam", "The width of the beam, and so the most candidates of a sentence.", type=int, metavar="N")
@_ranking(
    "--folds",
    "Parts of TRAIN in cross-validation: candidates of each come from a parser of the others.",
    type=int,
    metavar="N",
)
@_ranking(
    "--rank-groups",
    "Every group of candidates of the same loss over all that are worse, or the best group over the rest.",
    type=click.Choice(GROUPS),
)
@_ranking("--rank-loss", "Errors of a candidate: wrong heads, or labels too.", type=click.Choice(LOSSES))
@_ranking("--rank-epochs", "Passes over the candidates.", type=int, metavar="N")
@_ranking(
    "--rank-aggressiveness",
    "The longest step of an update (the C of PA-I).  [default: as long as it takes]",
    type=float,
    metavar="X",
)
@_ranking(
    "--rank-features",
    "The ranker's templates: default, or a file (see 'arcwise features ranking').",
    metavar="NAME|FILE",
)
@_ranking("--rank-bits", "The ranker's weights are a table of 2^N.", type=int, metavar="N")
@_option(
    _LINEAR,
    "--features",
    metavar="NAME|FILE",
    default=TrainingOptions.features,
    help="A feature set: default, zn2011, l2s, or a file of templates (see 'arcwise features').  "
    "[default: default; l2s for the learner of that name]",
)
@_number(_LINEAR, "--alpha", "AdaGrad-RDA's learning rate.")
@_number(_LINEAR, "--rho", "AdaGrad-RDA's ridge.")
@_number(_LINEAR, "--penalty", "AdaGrad-RDA's L1 penalty.  [default: 1 / (20 * words in TRAIN)]")
@_number(_LINEAR, "--cutoff", "AdaGrad-RDA does not store gradients smaller than this.")
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
    resume: bool,
    preset: str,
    no_tags: bool,
    keep_training_state: bool,
    search: str | None,
    jobs: int | None,
    components: str | None,
    gold_tags: bool,
    separate_tagger: bool,
    tag_folds: int | None,
    segmenter: str | None,
    tagger: str | None,
    licence: str | None,
    description: str | None,
    threads: int | None,
    format: Any,
    skip_bad: bool,
    quiet: bool,
    **choices: Any,
) -> None:
    """Train a model on the treebank TRAIN and write it to MODEL.

    The model takes raw text to trees: a segmenter, a tagger and a parser, as far
    as TRAIN has the data for them (--components). The tagger and the parser share
    a network, and are trained together. The defaults make a good model. With
    --dev every epoch is scored on a second treebank and the best one is kept.
    What is trained, each epoch and what was kept are told on standard error.
    """
    ranking = _ranking_options(ctx, search, choices)
    given = {name: value for name, value in choices.items() if _is_given(ctx, name)}
    if no_tags:
        given["leave_out"] = COLUMNS
    options = TrainingOptions.preset(preset, **given)
    if ranking is not None:
        refuse_without_beam(options)
    _check_files(output, train_path, dev, options.vectors)
    if tag_folds is not None and gold_tags:
        raise OptionError("Gold tags are not predicted: leave out --tag-folds, or --gold-tags.")
    checkpoint, work = Path(f"{output}.checkpoint"), Work(output)
    treebank = _read(train_path, format, skip_bad)
    dev_treebank = None if dev is None else _read(dev, format, skip_bad)
    tell = (lambda text: None) if quiet else say

    from arcwise.jackknifing import FOLDS
    from arcwise.pipeline import Pipeline, chosen_components, shares_network
    from arcwise.segmenter_options import SegmenterOptions
    from arcwise.tagger_options import TaggerOptions

    wanted = chosen_components(treebank, None if components is None else components.split(","))
    if separate_tagger or ranking is not None:
        tag_folds = tag_folds or FOLDS
    of_tagger = options_of(TaggerOptions, options.seed, tagger)
    shared = shares_network(wanted, options, gold_tags=gold_tags, folds=tag_folds)
    if shared:
        options = TrainingOptions(**{**with_a_tagger(treebank.word_count), **PRESETS[preset], **given})
    with hold_interrupts() as held:
        parts = Parts(
            output,
            treebank,
            dev_treebank,
            segmenter=options_of(SegmenterOptions, options.seed, segmenter),
            tagger=of_tagger,
            jobs=jobs or cores(),
            say=tell,
            check_interrupts=held.check,
            quiet=quiet,
            outdated=None if resume else checkpoint,
        )
        resume_parser = resume and work.has_parser and ranking is not None
        if resume and not (checkpoint.exists() or resume_parser or parts.kept):
            raise ModelError(f"There is no {checkpoint} to go on with: start the run without --resume.")
        if not resume:
            work.kept.remove()
            parts.kept.remove()
        own: dict[str, Any] = {}

        def prepare(**how: Any) -> Training:
            from arcwise.training import Training

            how |= {"threads": threads or cores(), "keep_training_state": keep_training_state}
            return Training(treebank, dev=dev_treebank, options=options, **how)

        if "parser" in wanted:
            # What is wrong with the options is said before hours of work, not after.
            training = prepare(tagger=of_tagger if shared else None)
            if ranking is not None:
                check_ranking(training, ranking)
        try:
            if "segmenter" in wanted:
                own["segmenter"] = parts.segmenter()
            if "tagger" in wanted and not shared:
                own["tagger"] = parts.tagger()
            if "parser" in wanted and "tagger" in own and not gold_tags:
                treebank = parts.with_predicted_tags(tag_folds or FOLDS)
                dev_treebank = None if dev_treebank is None else own["tagger"].tag(dev_treebank)
                training = prepare()
        except Interrupted as interrupt:
            if parts.kept:
                say(f"Interrupted; what was done is stored in {parts.kept.folder}.")
                say(f"Go on with: {_resuming(ctx)}")
            else:
                say("Interrupted before anything was done that could be kept.")
            ctx.exit(interrupt.exit_code)
        if "parser" not in wanted:
            about = _about(parts.treebank, wanted, gold_tags, licence, description)
            _finish(Pipeline(**own, about=about), output, parts, dev, tell, "")
            return
        if resume and checkpoint.exists() and not resume_parser:
            _take_up(training, checkpoint)

        from arcwise.cli.report import Report

        report = Report(training, None if quiet else say, None if quiet else terminal())
        try:
            if resume_parser:
                parser = work.parser_of(training)
            else:
                with report:
                    report.say(_what_is_trained(training, train_path))
                    if training.history:
                        report.say(f"Going on in epoch {len(training.history) + 1} of {training.planned}.")
                    elif checkpoint.exists():
                        report.say(f"{checkpoint} is of an earlier run, which --resume would go on with.")
                    _run(training, checkpoint, report, held.check)
                parser = training.parser()
                if shared:
                    own["tagger"] = training.tagger()
                kept = _what_was_kept(training, parser)
            if ranking is not None:
                if not resume_parser:
                    report.say(f"{kept}.")
                work.keep(parser, training)
                checkpoint.unlink(missing_ok=True)
                parser, kept = add_ranker(
                    parser,
                    training.treebank,
                    training.dev,
                    ranking,
                    work,
                    jobs or cores(),
                    report.say,
                    held.check,
                    quiet,
                )
        except Interrupted as interrupt:
            if work.has_parser:
                say(f"Interrupted; what was done is stored in {work.kept.folder}.")
            else:
                training.save_checkpoint(checkpoint)
                say(f"Interrupted in epoch {len(training.history) + 1}; the run is stored in {checkpoint}.")
            say(f"Go on with: {_resuming(ctx)}")
            ctx.exit(interrupt.exit_code)
        about = _about(parts.treebank, wanted, gold_tags, licence, description, shared=shared)
        _finish(Pipeline(**own, parser=parser, about=about), output, parts, dev, tell, kept)
        checkpoint.unlink(missing_ok=True)
        work.kept.remove()


def _ranking_options(
    ctx: click.Context, search: str | None, choices: dict[str, Any]
) -> RankingOptions | None:
    """Takes the options of ranking out of all that were given."""
    own = {name: choices.pop(option) for name, option in _OPTIONS_OF_RANKING.items()}
    if search == "hc":
        return RankingOptions(**own, seed=choices["seed"])
    for option in _OPTIONS_OF_RANKING.values():
        if _is_given(ctx, option):
            raise OptionError(f"Only HC-search has a use for --{option.replace('_', '-')}: add --search hc.")
    return None


def _is_given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is not ParameterSource.DEFAULT


def _check_files(output: str, train_path: str, dev: str | None, vectors: str | None) -> None:
    if is_standard_stream(output):
        raise ArcwiseError("A model cannot go to standard output: name a file.")
    demand_writable(output)
    if dev is not None and is_standard_stream(dev) and is_standard_stream(train_path):
        raise ArcwiseError("Only one of the treebanks can be standard input.")
    for what, path in (("a treebank", train_path), ("a treebank", dev), ("the file of vectors", vectors)):
        if path is not None and os.path.realpath(path) == os.path.realpath(output):
            raise ArcwiseError(f"{output} is {what} of this run: choose another name for the model.")


def _read(path: str, format: Any, skip_bad: bool) -> Treebank:
    from arcwise.treebank import Treebank

    treebank = Treebank.read(path, format=format, skip_bad=skip_bad)
    say_how_many_bad(name_bad(treebank.bad), treebank.source)
    if not len(treebank):
        raise TreebankError(f"{treebank.source} has no sentences: check the name.")
    return treebank


def _about(
    treebank: Treebank,
    components: list[str],
    gold_tags: bool,
    licence: str | None,
    description: str | None,
    *,
    shared: bool = False,
) -> dict[str, Any]:
    """What a pipeline says of itself; a parser alone says it in its own way."""
    from arcwise.treebank import fingerprint

    if components == ["parser"] and licence is None and description is None:
        return {}
    return {
        "treebank": Path(treebank.source).name,
        "sentences": len(treebank),
        "words": treebank.word_count,
        "fingerprint": fingerprint(treebank),
        "tags": "shared" if shared else "gold" if gold_tags or "tagger" not in components else "predicted",
        "licence": licence,
        "description": description,
        "version": __version__,
    }


def _finish(
    pipeline: Pipeline, output: str, parts: Parts, dev: str | None, tell: Callable[[str], None], kept: str
) -> None:
    """Writes the model, and says what it is worth on raw text."""
    if pipeline.about and dev is not None and parts.dev is not None:
        scores: dict[str, Any] = {}
        if pipeline.parser is not None:
            scores["tokens"] = _f1(pipeline.evaluate(parts.dev, threads=parts.jobs).conll18)
        if pipeline.parser is not None and pipeline.segmenter is not None:
            scores["text"] = _f1(pipeline.evaluate_text(parts.dev, threads=parts.jobs))
        scores = {start: found for start, found in scores.items() if found}
        pipeline = replace(pipeline, about={**pipeline.about, "dev": Path(dev).name, "scores": scores})
        for start, found in scores.items():
            told = ", ".join(f"{metric} {found[metric]:.2f}" for metric in _TOLD[start] if metric in found)
            tell(f"On dev from {start} (CoNLL 2018): {told}.")
    pipeline.save(output)
    parts.kept.remove()
    size = f"{file_size(Path(output).stat().st_size)}, in {output}"
    tell(f"{kept}, {size}." if kept else f"{size}.")


def _f1(scores: Conll18Scores | None) -> dict[str, float]:
    return {} if scores is None else {metric: round(score.f1, 4) for metric, score in scores.items()}


def _take_up(training: Training, checkpoint: Path) -> None:
    training.resume(checkpoint)
    done, wanted = len(training.history), training.planned
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
        if training.done:
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
    if o.scheme is not None:
        parts.append(f"{counted(training.lifted, 'arc')} lifted")
    parts.append("single root" if training.single_root else "any number of roots")
    if o.leave_out:
        parts.append(f"without {', '.join(column.upper() for column in o.leave_out)}")
    own = training.learner
    parts += own.to_be_trained(training.inputs, training.weight_count)
    return f"Training {o.system} ({own.in_brief(o)}, {own.training(o)}) on {train_path}: {'; '.join(parts)}."


def _what_was_kept(training: Training, parser: Parser) -> str:
    kept = training.history[parser.info.training["epoch"] - 1]
    scores = "" if kept.dev_las is None else f" (dev UAS {kept.dev_uas:.2f}, LAS {kept.dev_las:.2f})"
    weights = counted(parser.info.weights, "weight")
    return f"Kept epoch {kept.number} of {len(training.history)}{scores}: {weights}"


def _resuming(ctx: click.Context) -> str:
    arguments = [*ctx.meta["arcwise.arguments"]]
    if "--resume" not in arguments:
        arguments.append("--resume")
    return f"{ctx.find_root().info_name} {shlex.join(arguments)}"
