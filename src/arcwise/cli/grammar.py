"""`arcwise grammar`: the rules that a model keeps to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arcwise.cli.common import demand_writable, load_with_parser, reading_options, say, show
from arcwise.cli.inputs import read_gold
from arcwise.errors import ModelError, OptionError


@click.command(
    short_help="Learn what trees of a treebank are never like.",
    epilog="""\b
Examples:
  arcwise grammar my.model
  arcwise grammar my.model train.conllu
  arcwise grammar my.model train.conllu --least 100 -o other.model
  arcwise evaluate my.model dev.conllu --grammar
""",
)
@click.argument("model")
@click.argument("train", required=False)
@click.option("-o", "--output", metavar="FILE", help="Where to write the model.  [default: MODEL itself]")
@click.option(
    "--least",
    type=click.IntRange(min=1),
    metavar="N",
    default=50,
    show_default=True,
    help="A rule says that what would be seen N times, if things came together by chance, is never seen.",
)
@click.option("--forget", is_flag=True, help="Write MODEL without a grammar.")
@reading_options
def grammar(
    model: str,
    train: str | None,
    output: str | None,
    least: int,
    forget: bool,
    format: Any,
    skip_bad: bool,
) -> None:
    """Learn what trees of a treebank are never like, for MODEL to keep to.

    Rules say which labels never go with a tag, with the tag or the label of a
    head, with a side of the head, or with another dependent of it. 'arcwise
    train' learns those of its treebank; with TRAIN, a model that is trained
    already gets the rules of that one. Without, its rules are listed.
    """
    from arcwise.grammar import learn

    pipeline, parser = load_with_parser(model)
    if forget and train is not None:
        raise OptionError("--forget leaves MODEL without rules: name no treebank to learn any from.")
    if train is None and not forget:
        if parser.info.grammar is None:
            raise ModelError(f"{model} has no grammar: name a treebank to learn one from.")
        show("\n".join(map(str, parser.info.grammar.rules)))
        return
    if output is None and not Path(model).exists():
        raise OptionError("Say where to write the model: -o FILE.")
    output = output or model
    demand_writable(output)
    learnt = None if train is None else learn(read_gold(train, format, skip_bad, pipeline), least=least)
    pipeline.with_parser(parser.with_grammar(learnt)).save(output)
    say(f"Wrote {output}, {'without a grammar' if learnt is None else f'with {learnt}'}.")
