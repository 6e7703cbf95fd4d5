"""`arcwise suggest`: which sentences to annotate next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arcwise._files import open_output
from arcwise.cli.common import (
    cores,
    counted,
    demand_writable,
    load_with_parser,
    probabilities_option,
    samples_option,
    say,
    show,
    tags_option,
    threads_option,
)
from arcwise.cli.inputs import input_options, read_all
from arcwise.inputs import Reading

if TYPE_CHECKING:
    from arcwise.given_tags import Tags
    from arcwise.suggest import Suggestions


@click.command(
    short_help="Choose the sentences most worth annotating.",
    epilog="""\b
Examples:
  arcwise suggest en letters.txt -n 100
  arcwise suggest my.model unlabelled.conllu --words 2000 -o to-correct.conllu
  arcwise suggest my.model unlabelled.conllu --by entropy --length-bias 0.5
""",
)
@click.argument("model")
@click.argument("file", metavar="UNLABELLED")
@click.option(
    "-n", "--sentences", type=click.IntRange(min=1), metavar="N", help="Choose N sentences.  [default: 100]"
)
@click.option("--words", type=click.IntRange(min=1), metavar="N", help="Choose sentences of N words in all.")
@click.option(
    "--by",
    type=click.Choice(["errors", "entropy", "least-confident", "random"]),
    default="errors",
    show_default=True,
    help="Expected errors, the entropy of the parser's choices, how improbable its tree is, or none.",
)
@click.option(
    "--length-bias",
    type=float,
    metavar="B",
    default=0.0,
    show_default=True,
    help="0 takes them for each word, 1 for the whole sentence, which favours long ones.",
)
@click.option(
    "-o", "--output", metavar="FILE", help="Write the parsed sentences there, best first, to be corrected."
)
@probabilities_option("What the expectations are estimated from.", default="moves")
@samples_option
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=1,
    show_default=True,
    help="Of whatever is random.",
)
@threads_option("")
@tags_option
@input_options
def suggest(
    model: str,
    file: str,
    sentences: int | None,
    words: int | None,
    by: Any,
    length_bias: float,
    output: str | None,
    probabilities: Any,
    samples: int,
    seed: int,
    threads: int | None,
    tags: Tags,
    format: str | None,
    **reading: Any,
) -> None:
    """Choose the sentences most worth annotating.

    UNLABELLED is raw text or CoNLL, as for 'arcwise parse', and the trees are
    the same. Those are listed first that the model expects to have got wrong:
    from them it has most to learn. Calibrate it first, so that its expectations
    are true. Of sentences with the same words one is chosen.
    """
    from arcwise.suggest import suggest as choose

    if output is not None:
        demand_writable(output)
    if sentences is not None and words is not None:
        raise click.UsageError("Ask for a number of sentences or for a number of words, not for both.")
    if sentences is None and words is None:
        sentences = 100
    pipeline, _ = load_with_parser(model)
    treebank = read_all(file, format, pipeline, Reading(check_trees=False, ranges=False, **reading))
    found = choose(
        pipeline,
        treebank,
        sentences,
        tags=tags,
        words=words,
        criterion=by,
        length_bias=length_bias,
        probabilities=probabilities,
        samples=samples,
        seed=seed,
        threads=threads or cores(),
    )
    if output is not None:
        with open_output(output) as written:
            written.write(found.trees.to_bytes())
        chosen = f"{counted(len(found.trees), 'sentence')}, {counted(found.trees.word_count, 'word')}"
        say(f"Wrote {output}: {chosen}, of {counted(len(treebank), 'sentence')}.")
    else:
        _list(found)


def _list(found: Suggestions) -> None:
    click.echo(f"{'rank':>4}  {'score':>7}  sentence")
    for rank, (sentence, score) in enumerate(zip(found.trees, found.scores, strict=True), start=1):
        name = sentence.id or f"line {sentence.line}"
        show(f"{rank:4}  {score:7.4f}  {name}: {sentence.text}")
