"""How the time to parse grows with the length of a sentence, with and without constraints.

    python benchmarks/constraints.py
    python benchmarks/constraints.py --only "arc-standard.*labels"

Linear models of the small treebank in `examples` parse its words as one long sentence: greedily, with one
constraint of a kind, and with one for every tenth word. Times are in seconds of one core, the best of some
rounds. It needs no other treebank.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from arcwise import Constraints, Parser, Treebank
from frame import benchmark
from store import Results, Setting
from tables import NOTHING, Table, mean
from timing import words_per_second

GARDEN = Path(__file__).resolve().parents[1] / "examples" / "garden"
SYSTEMS = ("arc-eager", "arc-hybrid", "arc-standard")
KINDS = ("heads", "labels", "forbidden", "subtrees")
LENGTHS = (3000, 6000, 12000, 24000)


@cache
def trained(system: str) -> tuple[Treebank, Parser]:
    treebank = Treebank.read(GARDEN / "train.conllu")
    return treebank, Parser.train(treebank, system=system, learner="perceptron", epochs=3, grammar=False)


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


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    treebank, parser = trained(setting["system"])
    values = {}
    for length in LENGTHS:
        forms, heads = long_sentence(treebank, length)
        given = [constraints(setting["given"], heads, setting.get("every"))] if "given" in setting else None
        task = partial(parser.parse, Treebank.from_words([forms]), constraints=given)
        values[str(length)] = length / words_per_second(task, length)
    return values


def tables(results: Results) -> Iterator[Table]:
    rows = []
    for (system, given, every), own in results.by("system", "given", "every"):
        how_many = NOTHING if given is None else "one" if every is None else f"1 in {every}"
        rows.append((system, given or "nothing", how_many, *(mean(own, str(n), digits=2) for n in LENGTHS)))
    columns = ("system", "given", "how many", *(f"{length:,} words" for length in LENGTHS))
    if rows:
        yield Table("Seconds to parse one sentence", columns, rows, (), results)


@benchmark(run, tables, seeds=None)
def main(data: Path) -> Iterator[tuple[str, Setting]]:
    """How the time grows with the length of a sentence, with and without constraints."""
    for system in SYSTEMS:
        yield f"{system}, nothing", {"system": system}
        for kind, every in itertools.product(KINDS, (None, 10)):
            name = f"{system}, {kind}, {'one' if every is None else f'1 in {every}'}"
            yield name, {"system": system, "given": kind, "every": every}


if __name__ == "__main__":
    main()
