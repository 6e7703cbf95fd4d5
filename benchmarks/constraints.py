"""How the time to parse under constraints grows with the length of a sentence.

    python benchmarks/constraints.py
    python benchmarks/constraints.py --words 2000 --words 4000 --only "arc-standard.*labels"

Linear models of the small treebank in `examples` parse its words as one long sentence: greedily, with one
constraint of a kind, and with one for every tenth word. Times are in seconds of one core, the best of some
rounds.
"""

from __future__ import annotations

import itertools
import random
import re
from functools import partial
from pathlib import Path

import click

from arcwise import Constraints, Parser, Treebank
from common import NOTHING, markdown_option, only_option, print_table, progress, words_per_second

GARDEN = Path(__file__).resolve().parents[1] / "examples" / "garden"
SYSTEMS = ("arc-eager", "arc-hybrid", "arc-standard")


def long_sentence(treebank: Treebank, words: int) -> tuple[list[str], list[int]]:
    """The words of a treebank one after the other, again and again; the heads as they are within its
    sentences, -1 for their roots."""
    forms: list[str] = []
    heads: list[int] = []
    for sentence in itertools.cycle(treebank):
        if len(forms) >= words:
            return forms, heads
        before = len(forms)
        forms += [token.form for token in sentence]
        heads += [head + before if head > 0 else -1 for head in sentence.heads.tolist()]
    return forms, heads


def constraints(kind: str, heads: list[int], every: int | None) -> Constraints:
    """One of a kind in the middle of a sentence, or one for so many words, that go together."""
    words = len(heads)
    generator = random.Random(1)
    places = [words // 2] if every is None else list(range(every, words - every, every))
    if kind == "heads":
        given = [next(w for w in range(place, words) if heads[w - 1] > 0) for place in places]
        return Constraints(heads={word: heads[word - 1] for word in given})
    if kind == "labels":
        return Constraints(labels=dict.fromkeys(places, "nsubj"))
    if kind == "forbidden":
        return Constraints(forbidden=[(place + generator.choice([-2, -1, 1, 2]), place) for place in places])
    return Constraints(subtrees=[(place, place + 3) for place in places])


@click.command(help=__doc__)
@click.option(
    "--words",
    "lengths",
    type=click.IntRange(min=100),
    multiple=True,
    default=(3000, 6000, 12000, 24000),
    show_default=True,
    help="How long the sentence is.",
)
@only_option("systems and constraints, such as 'arc-eager, heads, 1 in 10'")
@markdown_option
def main(lengths: tuple[int, ...], only: re.Pattern[str], markdown: bool) -> None:
    treebank = Treebank.read(GARDEN / "train.conllu")
    kinds = [("nothing", None), *itertools.product(("heads", "labels", "forbidden", "subtrees"), (None, 10))]
    names = {
        (system, kind, every): f"{system}, {kind}, {'one' if every is None else f'1 in {every}'}"
        for system, (kind, every) in itertools.product(SYSTEMS, kinds)
    }
    chosen = [setting for setting, name in names.items() if only.search(name)]
    rows = []
    with progress("Parsing", len(chosen) * len(lengths)) as bar:
        for system, settings in itertools.groupby(chosen, key=lambda setting: setting[0]):
            parser = Parser.train(treebank, system=system, learner="perceptron", epochs=3)
            for _, kind, every in settings:
                row = [
                    system,
                    kind,
                    NOTHING if kind == "nothing" else "one" if every is None else f"1 in {every}",
                ]
                for length in lengths:
                    forms, heads = long_sentence(treebank, length)
                    given = None if kind == "nothing" else [constraints(kind, heads, every)]
                    task = partial(parser.parse, Treebank.from_words([forms]), constraints=given)
                    row.append(f"{length / words_per_second(task, length):.2f}")
                    bar.update(names[system, kind, every])
                rows.append(row)
    columns = ["system", "given", "how many", *(f"{length:,} words" for length in lengths)]
    print_table("Seconds to parse one sentence", columns, rows, markdown=markdown)


if __name__ == "__main__":
    main()
