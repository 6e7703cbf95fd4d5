"""`arcwise evaluate`: scores of a parser, or of anyone's trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from arcwise.cli.common import (
    cores,
    demand_grammar,
    demand_writable,
    echo_json,
    is_model,
    load_with_parser,
    probabilities_option,
    reading_options,
    samples_option,
    search_options,
    threads_option,
)
from arcwise.cli.scored import in_json, punctuation_option, read_together, show_errors, start_option
from arcwise.errors import EvaluationError, ModelError, TreebankError

if TYPE_CHECKING:
    from arcwise.evaluation import Evaluation, SentenceErrors
    from arcwise.evaluation.conll18 import Conll18Scores
    from arcwise.grammar import Forbidden
    from arcwise.treebank import Treebank


@click.command(
    short_help="Score trees against gold trees.",
    epilog="""\b
Examples:
  arcwise evaluate my.model test.conllu
  arcwise evaluate gold.conllu parsed.conllu --punctuation form
  arcwise evaluate my.model test.conllu --worst 5
  arcwise evaluate my.model test.conllu --confusion deprel --plot deprel.png
  arcwise evaluate my.model test.conllu --json | jq .attachment.las
  arcwise evaluate my.model test.conllu --unknown train.conllu
  arcwise evaluate my.model test.conllu --calibration --plot calibration.png
  arcwise evaluate my.model test.conllu --grammar
""",
)
@click.argument("first", metavar="GOLD|MODEL")
@click.argument("second", metavar="SYSTEM|GOLD")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document with all scores.")
@click.option(
    "--worst",
    type=click.IntRange(min=1),
    metavar="N",
    help="Draw the N sentences with the most errors, gold and system side by side, with what is wrong.",
)
@click.option("--html", metavar="FILE", help="With --worst: write their trees as pictures on a page as well.")
@click.option(
    "--confusion",
    "confusions",
    type=click.Choice(["deprel", "upos", "head-upos"]),
    multiple=True,
    help="Show which labels or tags are taken for which, or heads of which tags; can be given several times.",
)
@punctuation_option
@click.option(
    "--conll18/--no-conll18",
    default=True,
    help="With or without the CoNLL 2018 metrics, which take most of the time.  [default: with]",
)
@click.option(
    "--unknown",
    "training_set",
    metavar="TRAIN",
    help="Show the CoNLL 2018 metrics of words whose form is in this treebank, and is not, apart.",
)
@click.option(
    "--calibration",
    is_flag=True,
    help="Show how far a model's probabilities can be trusted, instead of its scores.",
)
@probabilities_option("Which probabilities of heads and labels --calibration shows.", default="moves")
@samples_option
@click.option(
    "--plot",
    metavar="FILE",
    help="With --confusion or --calibration: draw it (.png, .svg, .pdf); needs matplotlib.",
)
@click.option(
    "--grammar/--no-grammar",
    default=None,
    help="Count the trees that break rules of MODEL's grammar: without and with it, and GOLD's; or parse "
    "without it.",
)
@start_option
@search_options
@threads_option(" (with a model)")
@reading_options
def evaluate(
    first: str,
    second: str,
    as_json: bool,
    worst: int | None,
    html: str | None,
    confusions: tuple[Any, ...],
    punctuation: Any,
    conll18: bool,
    training_set: str | None,
    calibration: bool,
    probabilities: Any,
    samples: int,
    plot: str | None,
    grammar: bool | None,
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
    labels: LEM) with and without punctuation, which tags a model was trained on
    and was given, the CoNLL 2018 metrics, what each class of errors costs, and
    scores by relation, by place of the head and by sentence length. With --worst
    or --confusion those come in place of the last three.

    With --calibration: how often moves, heads and labels are right that the
    model holds for so probable, before and after 'arcwise calibrate'. A move is
    right if no other legal move would lose less.
    """
    from arcwise.evaluation import confusion, conll18_scores, tags_used
    from arcwise.evaluation import evaluate as score
    from arcwise.evaluation import worst as find_worst
    from arcwise.models import load

    model = first if is_model(first) else None
    if is_model(second):
        raise ModelError(f"{second} is a model: name the model first, and then the gold file.")
    if plot is not None and not (calibration or confusions):
        raise click.UsageError("--plot draws calibration or confusion: add --calibration or --confusion.")
    if html is not None and not worst:
        raise click.UsageError("--html has the worst sentences: say how many, --worst N.")
    if calibration and (confusions or worst):
        raise click.UsageError("--calibration is shown alone: leave out --worst and --confusion.")
    if training_set is not None and (calibration or not conll18):
        raise click.UsageError("--unknown has CoNLL 2018 metrics: leave out --calibration and --no-conll18.")
    for path in (plot, html):
        if path is not None:
            demand_writable(path)
    if plot is not None:
        from arcwise.calibration.plot import demand_matplotlib

        demand_matplotlib()
    if grammar is not None and model is None:
        raise click.UsageError("A grammar is a model's: name a model before the gold file.")
    if calibration and model is None:
        raise click.UsageError("Calibration is a model's: name a model before the gold file.")
    names = [second] if model is not None else [first, second]
    treebanks = read_together(names, format, skip_bad)
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
        rules = demand_grammar(pipeline, model) if grammar else None
        without = False if grammar is False else None
        how = {"search": search, "beam": beam, "threads": threads or cores(), "grammar": without}
        given = {name: value for name, value in how.items() if value is not None}
        system = pipeline.annotated(gold, start, **given)
    else:
        system, rules = treebanks[1], None
    asks_for_errors = bool(worst or confusions)
    by_vocabulary = None if training_set is None else _by_vocabulary(gold, system, training_set, format)
    other_words = gold.format == system.format == "conllu" and _words(gold) != _words(system)
    if other_words and not asks_for_errors:  # which need the same words, and say so
        scores = conll18_scores(
            gold.to_string(), system.to_string(), gold_source=gold.source, system_source=system.source
        )
        _print_conll18(scores, by_vocabulary, as_json)
        return
    tags = None if model is None else tags_used(pipeline, gold, start)
    evaluation = score(gold, system, punctuation=punctuation, conll18=conll18, name=model, tags=tags)
    found = find_worst(gold, system, worst or 0, punctuation=punctuation)
    tables = [confusion(gold, system, of, punctuation=punctuation) for of in dict.fromkeys(confusions)]
    broken = None
    if rules is not None:
        unruly = pipeline.annotated(gold, start, grammar=False, **given)
        broken = tuple(map(rules.forbidden, (unruly, system, gold)))
    if html is not None:
        _write_page(html, evaluation, gold, system, found)
    if plot is not None:
        from arcwise.evaluation.plot import draw

        draw(tables, plot)
    if as_json:
        document = evaluation.to_dict()
        if by_vocabulary is not None:
            document["vocabulary"] = _vocabulary_in_json(by_vocabulary)
        if worst:
            document["worst"] = [in_json(gold, system, errors) for errors in found]
        if broken is not None:
            document["grammar"] = dict(zip(("without", "with", "gold"), map(_in_json, broken), strict=True))
        if tables:
            document["confusion"] = {table.of: table.to_dict() for table in tables}
        echo_json(document)
    else:
        from arcwise.evaluation.tables import (
            render,
            render_confusion,
            render_forbidden,
            render_vocabulary,
        )

        render(evaluation, in_brief=asks_for_errors)
        if by_vocabulary is not None:
            render_vocabulary(by_vocabulary)
        for table in tables:
            render_confusion(table)
        if broken is not None:
            render_forbidden(broken[0], broken[1], broken[2])
        show_errors(gold, system, found, ("gold", "system"))


def _in_json(broken: Forbidden) -> dict[str, Any]:
    rules = sorted(broken.rules.items(), key=lambda rule: (-rule[1], rule[0]))
    told = [{**rule._asdict(), "rule": str(rule), "count": count} for rule, count in rules]
    return {"forbidden": broken.sentences, "sentences": broken.of, "rules": told}


def _write_page(
    path: str, evaluation: Evaluation, gold: Treebank, system: Treebank, found: Sequence[SentenceErrors]
) -> None:
    """The worst sentences as pictures: what is right, and below it what the system says."""
    from arcwise._files import write_whole
    from arcwise.pages import END, begin, figure

    parts = [begin(f"The worst sentences of {evaluation.system}, by {evaluation.gold}")]
    for errors in found:
        told = f"{errors.errors} of {errors.words} words wrong, LAS {errors.las:.2f}"
        parts.append(figure(gold[errors.index], "gold", told))
        parts.append(figure(system[errors.index], "system; what is wrong: ✗", errors=errors.classes))
    write_whole(path, "".join([*parts, END]).encode("utf-8", "backslashreplace"))


def _words(treebank: Treebank) -> tuple[list[str], list[int]]:
    """The words, and where sentences begin."""
    return treebank.column("form"), treebank.first_words.tolist()


def _check_calibration(
    model: str, gold: Treebank, as_json: bool, plot: str | None, *, threads: int | None, **how: Any
) -> None:
    from arcwise.calibration import check
    from arcwise.calibration.render import render

    pipeline, parser = load_with_parser(model)
    report = check(parser, pipeline.for_parser(gold), threads=threads or cores(), **how)
    if as_json:
        echo_json(report.to_dict())
    else:
        render(report)
    if plot is not None:
        from arcwise.calibration.plot import draw

        draw(report, plot)


def _by_vocabulary(
    gold: Treebank, system: Treebank, training_set: str, format: Any
) -> dict[str, Conll18Scores]:
    from arcwise.evaluation import vocabulary_scores
    from arcwise.treebank import Treebank

    if "conllx" in (gold.format, system.format):
        raise EvaluationError(
            "--unknown has CoNLL 2018 metrics, which are defined for CoNLL-U: leave it out."
        )
    known = Treebank.read(training_set, format=format, check_trees=False).column("form")
    return vocabulary_scores(
        gold.to_string(), system.to_string(), known, gold_source=gold.source, system_source=system.source
    )


def _vocabulary_in_json(by_vocabulary: dict[str, Conll18Scores]) -> dict[str, Any]:
    return {name: scores.to_dict() for name, scores in by_vocabulary.items()}


def _print_conll18(
    scores: Conll18Scores, by_vocabulary: dict[str, Conll18Scores] | None, as_json: bool
) -> None:
    if as_json:
        more = {} if by_vocabulary is None else {"vocabulary": _vocabulary_in_json(by_vocabulary)}
        echo_json({"conll18": scores.to_dict(), **more})
        return
    from arcwise.evaluation.tables import render_conll18, render_vocabulary

    render_conll18(scores)
    if by_vocabulary is not None:
        render_vocabulary(by_vocabulary)
