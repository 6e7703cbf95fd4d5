"""`arcwise info`: what is in a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arcwise._terminal import visible
from arcwise.cli.common import counted, echo_json, file_size, show
from arcwise.errors import ModelError

if TYPE_CHECKING:
    from arcwise.calibration import Calibration
    from arcwise.options import ParserOptions
    from arcwise.parser import ModelInfo
    from arcwise.pipeline import Pipeline

_TAGS = {
    "shared": "from a tagger that shares the parser's network",
    "predicted": "the parser was trained with predicted ones",
    "gold": "the parser was trained with those of the treebank",
}


@click.command(
    short_help="Show what is in a model.",
    epilog="""\b
Examples:
  arcwise info my.model
  arcwise info my.model --json | jq .training.epochs
  arcwise info my.model --templates > features.txt
  arcwise info my.model --config > recipe.toml
""",
)
@click.argument("model")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--templates", is_flag=True, help="Print the feature templates alone, one a line.")
@click.option(
    "--config", is_flag=True, help="Print the options alone, as a file for 'arcwise train --config'."
)
def info(model: str, as_json: bool, templates: bool, config: bool) -> None:
    """Show what is in a model: how it was trained, on what, and how well.

    With --templates only the feature templates of a linear model, in the
    notation that 'arcwise train --features FILE' reads. With --config only the
    options, in TOML: with the same treebanks they train the same model again.
    """
    from arcwise.model_file import DAMAGE
    from arcwise.models import find
    from arcwise.pipeline import Pipeline
    from arcwise.transitions.system import AsDescribed

    if as_json and (templates or config):
        raise click.UsageError("--json has all of that in it: leave --templates and --config out.")
    if templates and config:
        raise click.UsageError("Ask for --templates or for --config.")
    path = find(model)
    pipeline, size = Pipeline.load(path, system=AsDescribed), path.stat().st_size
    if as_json:
        component = pipeline.to_component()
        # What a parser says of its training stands in one place, whatever else is in the file.
        of_parser = {} if pipeline.parser is None else {"training": pipeline.parser.info.training}
        document = {"file": model, "bytes": size, "kind": component.kind, **of_parser, **component.header}
        echo_json(document)
        return
    if config:
        from arcwise.options.config import to_toml
        from arcwise.options.pipeline import PipelineOptions

        show(_about_training(model, pipeline) + to_toml(PipelineOptions.of(pipeline)).rstrip("\n"))
        return
    if templates:
        about = pipeline.demand("parser").info
        if not about.templates:
            raise ModelError(
                f"{model} is a {about.learner.title}, which has no templates: 'arcwise info {model}' says "
                "what it looks at."
            )
        show("\n".join(about.templates))
        return
    try:
        _print(model, size, pipeline)
    except DAMAGE as error:
        raise ModelError(f"{model} is damaged: it does not say how it was trained.") from error


def _about_training(model: str, pipeline: Pipeline) -> str:
    """What the options of a model do not say, as a comment: what it was trained on."""
    about = dict(pipeline.about)
    if pipeline.parser is not None:
        about = {**pipeline.parser.info.training, **about}
    dev = about.get("dev")
    files = f"{about.get('treebank', 'TRAIN')}{'' if dev is None else f' --dev {dev}'}"
    return f"# {visible(model)}: arcwise train {visible(files)} --config THIS_FILE -o MODEL\n"


def _print(model: str, size: int, pipeline: Pipeline) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    facts = {"model": f"{model}, {file_size(size)}", **_pipeline(pipeline)}
    epochs = None
    if pipeline.parser is not None:
        facts |= _facts(pipeline.parser.info)
        epochs = _epochs(pipeline.parser.info.training)
    for name, value in facts.items():
        grid.add_row(Text(visible(name)), Text(visible(value)))
    console.print(grid)
    if epochs is not None:
        console.print()
        console.print(epochs)


def _pipeline(pipeline: Pipeline) -> dict[str, str]:
    """What there is to say of a pipeline beyond its parser."""
    about, facts = pipeline.about, {}
    for name in ("description", "licence"):
        if about.get(name):
            facts[name] = str(about[name])
    for start, scores in about.get("scores", {}).items():
        found = ", ".join(f"{metric} {score:.2f}" for metric, score in scores.items())
        facts[f"dev from {start}"] = f"{found} (CoNLL 2018)"
    if pipeline.segmenter is not None:
        of_segmenter = pipeline.segmenter.info
        facts["segmenter"] = (
            f"{counted(of_segmenter.weights, 'weight')}, "
            f"{counted(len(of_segmenter.multiwords.known), 'form')} of multiword tokens"
        )
    if pipeline.tagger is not None:
        of_tagger = pipeline.tagger.info
        columns = [*of_tagger.columns, *(["lemma"] if of_tagger.rules else [])]
        facts["tagger"] = (
            f"{' '.join(columns).upper()}; {counted(len(of_tagger.analyses), 'set')} of tags, "
            f"{counted(len(of_tagger.rules), 'rule')} of lemmas"
        )
    if "tags" in about:
        facts["tags"] = _TAGS.get(about["tags"], str(about["tags"]))
    return facts


def _facts(about: ModelInfo) -> dict[str, str]:
    from arcwise.names import system

    o, training = about.options, about.training
    roots = "one word under ROOT" if about.single_root else "any number of words under ROOT"
    where = f", ROOT {o.system.root}" if system(o.system.name).root_first else ""
    by_hand = "" if isinstance(o.system.name, str) else ", written in Python"
    left_out = f"{counted(training['left_out'], 'sentence')} left out"
    lifted = f", {counted(training['lifted'], 'arc')} lifted" if o.system.scheme is not None else ""
    return {
        "system": f"{o.system}{where}{by_hand}, {roots}",
        "learner": about.learner.in_full(about),
        **about.learner.facts(about),
        **({"left out": " ".join(column.upper() for column in o.leave_out)} if o.leave_out else {}),
        "training": f"{about.learner.training(o)}, {_epochs_of(about)}, seed {o.seed}",
        **({} if about.ranking is None else _ranking(about.ranking)),
        "non-projective": _nonprojective(o),
        "labels": f"{len(about.label_names)}: {' '.join(about.label_names)}",
        "trained on": f"{training['treebank']}: {counted(training['sentences'], 'sentence')}, "
        f"{counted(training['words'], 'word')}; {left_out}{lifted}",
        "fingerprint": f"{training['fingerprint']}",
        "dev": training["dev"] or "none",
        **({} if about.calibration is None else {"calibration": _calibration_of(about.calibration)}),
        **({} if about.grammar is None else {"grammar": str(about.grammar)}),
        **{f"update {n}": _update(u) for n, u in enumerate(training.get("updates", []), start=1)},
        "training state": "not kept" if about.state is None else f"kept, {file_size(about.state['bytes'])}",
    }


def _nonprojective(options: ParserOptions) -> str:
    from arcwise.names import system

    if not system(options.system.name).projective:
        return "built as they are"
    scheme = options.system.scheme
    return "skipped" if scheme is None else f"lifted, encoding {scheme}"


def _calibration_of(calibration: Calibration) -> str:
    about = calibration.about
    return (
        f"temperature {calibration.temperature:.2f}; {about['treebank']}: {counted(about['words'], 'word')}"
    )


def _update(update: dict[str, Any]) -> str:
    replayed = f", {update['replayed']:,} replayed" if update["replayed"] else ""
    rate = "" if update["rate"] is None else f", rate {update['rate']:g}"
    return (
        f"{update['treebank']}: {counted(update['sentences'], 'sentence')}, "
        f"{counted(update['words'], 'word')}{replayed}; {counted(update['epochs'], 'epoch')}{rate}"
    )


def _ranking(ranking: dict[str, Any]) -> dict[str, str]:
    o, training = ranking["options"], ranking["training"]
    kept = training["epochs"][training["epoch"] - 1]
    chosen_on = "dev" if training["dev"] else "trees held out"
    return {
        "search": f"hc: a beam of {ranking['beam']}, and a ranker; alpha {ranking['alpha']:g}",
        "ranker": f"{o['groups']} groups, loss of {o['loss']}, "
        f"{counted(len(ranking['templates']), 'template')}, {o['bits']} bits; epoch {training['epoch']} of "
        f"{len(training['epochs'])}, UAS {kept['uas']:.2f} and LAS {kept['las']:.2f} on {chosen_on}",
        "ranked": f"{counted(training['trees'], 'tree')} of {counted(training['sentences'], 'sentence')}, "
        f"by cross-validation in {o['folds']} folds",
    }


def _epochs_of(about: ModelInfo) -> str:
    done, planned = len(about.training["epochs"]), about.options.epochs
    return counted(done, "epoch") if done == planned else f"{done} of {planned} epochs"


def _epochs(training: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table(box=None, show_edge=False, pad_edge=False)
    has_dev = training["dev"] is not None
    for heading in ("epoch", "loss", *(("dev UAS", "dev LAS") if has_dev else ())):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column()
    for number, epoch in enumerate(training["epochs"], start=1):
        kept = number == training["epoch"]
        scores = [f"{epoch[key]:.2f}" for key in ("dev_uas", "dev_las")] if has_dev else []
        table.add_row(
            str(number),
            f"{epoch['loss']:.4f}",
            *scores,
            "kept" if kept else "",
            style="bold" if kept else None,
        )
    return table
