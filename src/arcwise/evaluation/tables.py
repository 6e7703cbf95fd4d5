"""An evaluation as tables for people: coloured on a terminal, plain text in a pipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arcwise._terminal import visible
from arcwise.evaluation.attachment import ArcScores, Attachment
from arcwise.evaluation.classes import ErrorClass
from arcwise.evaluation.confusions import Confusion
from arcwise.evaluation.conll18 import Conll18Scores
from arcwise.evaluation.treebanks import Evaluation
from arcwise.grammar import Forbidden

_PAIRS, _MOST_NAMES = 15, 20
_SCORES = ("UAS", "LAS", "label acc.", "UEM", "LEM")


def render(evaluation: Evaluation, console: Console | None = None, *, in_brief: bool = False) -> None:
    """Prints `evaluation` to `console` (standard output, unless another is given).

    In brief: without the tables by relation, place of the head and sentence length.
    """
    console = console or Console()
    attachment = evaluation.attachment
    print_table(
        console,
        "Attachment (labels in full)",
        _attachment_table("counted", {"all words": attachment, "no punctuation": attachment.no_punct}),
    )
    if evaluation.tags is not None:
        console.print(Text(str(evaluation.tags)))
        console.print()
    if evaluation.conll18 is not None:
        render_conll18(evaluation.conll18, console)
    elif evaluation.why_no_conll18:
        console.print(Text(visible(f"No CoNLL 2018 metrics: {evaluation.why_no_conll18}")))
        console.print()
    print_table(console, "By class of error: what it costs", _errors_table(evaluation.errors))
    if in_brief:
        return
    print_table(console, "By relation", _arcs_table("relation", attachment.relations))
    print_table(console, "By place of the head", _arcs_table("head", attachment.by_arc))
    print_table(console, "By sentence length", _attachment_table("length", attachment.by_length))


def render_conll18(scores: Conll18Scores, console: Console | None = None) -> None:
    """Prints the CoNLL 2018 metrics alone."""
    title = "CoNLL 2018 shared task (labels without subtypes)"
    print_table(console or Console(), title, _conll18_table(scores))


def render_vocabulary(scores: Mapping[str, Conll18Scores], console: Console | None = None) -> None:
    """Prints the scores of known and unknown words side by side."""
    table = new_table("metric", [*scores])
    table.add_row("words", *(str(own["Words"].gold) for own in scores.values()))
    for metric in next(iter(scores.values())):
        table.add_row(f"conll18.{metric}", *(_percentage(own[metric].f1) for own in scores.values()))
    print_table(console or Console(), "Words by whether their form is known: F1", table)


def _attachment_table(heading: str, rows: Mapping[str, Attachment]) -> Table:
    table = new_table(heading, ("words", "sentences", *_SCORES))
    for name, row in rows.items():
        scores = (row.uas, row.las, row.label_accuracy, row.uem, row.lem)
        table.add_row(Text(visible(name)), str(row.words), str(row.sentences), *map(_percentage, scores))
    return table


def _arcs_table(heading: str, rows: Mapping[str, ArcScores]) -> Table:
    table = new_table(heading, ("gold", "system", "P", "R", "F1", "head P", "head R", "head F1"))
    for name, row in rows.items():
        scores = (row.precision, row.recall, row.f1)
        head_scores = (row.head_precision, row.head_recall, row.head_f1)
        table.add_row(
            Text(visible(name)),
            str(row.gold),
            str(row.predicted),
            *map(_percentage, (*scores, *head_scores)),
        )
    return table


def _errors_table(rows: Mapping[str, ErrorClass]) -> Table:
    table = new_table("class", ("errors", "of all", "UAS", "LAS"))
    for name, row in rows.items():
        table.add_row(name, str(row.errors), *map(_percentage, (row.share, row.uas, row.las)))
    return table


def render_forbidden(
    without: Forbidden, kept: Forbidden, gold: Forbidden, console: Console | None = None
) -> None:
    """Prints how many trees break rules of a grammar, and which rules most often.

    Those of a system that knows no rules, of the same kept to them, and gold ones.
    """
    console = console or Console()
    all_trees = (without, kept, gold)
    table = new_table("rule", ("without", "with grammar", "gold"))
    table.add_row("sentences that break one", *(str(trees.sentences) for trees in all_trees))
    rules = sorted({rule for trees in all_trees for rule in trees.rules})
    rules.sort(key=lambda rule: -without.rules.get(rule, 0))
    for rule in rules[:_MOST_NAMES]:
        table.add_row(Text(visible(str(rule))), *(str(trees.rules.get(rule, 0)) for trees in all_trees))
    more = "" if len(rules) <= _MOST_NAMES else f"; {len(rules) - _MOST_NAMES} more rules are broken"
    print_table(console, f"Grammar: {gold.of:,} sentences{more}", table)


def render_confusion(found: Confusion, console: Console | None = None) -> None:
    """Prints the most frequent confusions, and a table of the names that are most confused."""
    console = console or Console()
    title = f"Confusion of {found.of}: {found.errors:,} errors in {found.words:,} words"
    print_table(console, title, _pairs_table(found))
    if found.errors:
        print_table(console, "Rows are gold, columns the system's, = is right", _matrix(found, console.width))


def _pairs_table(found: Confusion) -> Table:
    table = new_table("gold", ("system", "count", "of errors", "of gold"))
    totals = dict(zip(found.names, (found.right + found.wrong.sum(axis=1)).tolist(), strict=True))
    for gold, system, count in found.most_frequent(_PAIRS):
        of_gold = _percentage(100 * count / totals[gold])
        share = _percentage(100 * count / found.errors)
        table.add_row(Text(visible(gold)), Text(visible(system)), str(count), share, of_gold)
    return table


def _matrix(found: Confusion, width: int) -> Table:
    """As many names as there is room for."""
    for names in range(min(len(found.names), _MOST_NAMES), 0, -1):
        shown = found.most_confused(names)
        cells = [_cells(shown, row) for row in range(len(shown.names))]
        columns = [*map(visible, shown.names)]
        wide = [max(map(cell_len, column)) for column in zip(columns, *cells, strict=True)]
        if max(map(cell_len, columns)) + sum(wide) + 3 * len(wide) + 2 <= width:
            break
    table = new_table("gold", columns)
    for name, row in zip(columns, cells, strict=True):
        table.add_row(Text(name), *row)
    return table


def _cells(found: Confusion, row: int) -> list[str]:
    """How often a name is taken for each other; in its own place, how often it is right."""
    counts = [str(count) if count else "." for count in found.wrong[row].tolist()]
    right = f"={found.right[row]}"
    counts[row] = right if counts[row] == "." else f"{right}+{counts[row]}"
    return counts


def _conll18_table(scores: Conll18Scores) -> Table:
    table = new_table("metric", ("precision", "recall", "F1", "aligned acc."))
    for metric, score in scores.items():
        table.add_row(
            f"conll18.{metric}",
            *map(_percentage, (score.precision, score.recall, score.f1)),
            "" if score.aligned_accuracy is None else _percentage(score.aligned_accuracy),
        )
    return table


def new_table(heading: str, columns: Sequence[str]) -> Table:
    table = Table(box=None, show_edge=False, pad_edge=False)
    table.add_column(heading, overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def print_table(console: Console, title: str, table: Table) -> None:
    if console.is_terminal:
        table.box = box.SIMPLE_HEAD
        table.padding = (0, 1, 0, 0)  # the box has a space of its own
    console.print(title, style="bold", highlight=False)
    console.print(table)
    console.print()


def _percentage(score: float) -> str:
    return f"{score:.2f}"
