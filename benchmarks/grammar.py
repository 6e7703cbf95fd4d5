"""Trees that break rules of their treebank: ours with and without the grammar, beside gold's.

    python benchmarks/grammar.py --only '^en$'
    python benchmarks/grammar.py --only ug_udt --epochs 3

Dev sets, parsed from tokens: sentences that break a rule of the training set, LAS, and, where udtools is
installed (arcwise[validate]), the errors of levels 1 to 3 that the validator of Universal Dependencies finds.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import arcwise
from arcwise import Pipeline, Treebank
from arcwise.grammar import learn
from frame import benchmark, epochs_option
from store import Results, Setting
from tables import Table, count, mean
from treebanks import conllu_names, load

KINDS = ("without", "with", "gold")


def validator_errors(treebank: Treebank, language: str) -> int | None:
    """How many errors the validator of UD finds; None if it is not installed."""
    if find_spec("udtools") is None:
        return None
    with tempfile.NamedTemporaryFile(suffix=".conllu") as file:
        treebank.write(file.name)
        command = [sys.executable, "-c", "from udtools.cli import main; main()", "--lang", language]
        command += ["--level", "3", "--no-warnings"]
        told = subprocess.run([*command, file.name], capture_output=True, text=True, check=False)
    found = re.search(r"FAILED \*\*\* with (\d+) errors", told.stdout + told.stderr)
    if found is None and "PASSED" not in told.stdout + told.stderr:
        raise RuntimeError(f"The validator could not be run: {told.stderr.strip() or told.stdout.strip()}")
    return int(found[1]) if found else 0


def accuracy(gold: Treebank, system: Treebank, column: str) -> float:
    pairs = zip(gold.column(column), system.column(column), strict=True)
    return 100 * sum(a == b for a, b in pairs) / gold.word_count


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    treebank = setting["treebank"]
    train, dev = load(data, treebank, "train"), load(data, treebank, "dev")
    if "model" in setting:
        nlp = arcwise.load(setting["model"])
    else:
        own = {"epochs": setting["epochs"]} if "epochs" in setting else {}
        nlp = Pipeline.train(train, dev=dev, seed=seed, **own)
    rules = learn(train)
    nlp = nlp.with_parser(nlp.demand("parser").with_grammar(rules))
    trees = {
        "without": nlp.annotated(dev, grammar=False),
        "with": nlp.annotated(dev),
        "gold": dev,
    }
    scores = {kind: arcwise.evaluate(dev, own, conll18=False) for kind, own in trees.items()}
    return {
        "rules": len(rules),
        "sentences": len(dev),
        "forbidden": {kind: rules.forbidden(own).sentences for kind, own in trees.items()},
        "las": {kind: own.attachment.las for kind, own in scores.items()},
        "upos": {kind: accuracy(dev, own, "upos") for kind, own in trees.items()},
        "errors": {kind: validator_errors(own, treebank.partition("_")[0]) for kind, own in trees.items()},
    }


def tables(results: Results) -> Iterator[Table]:
    rows = []
    for (model, treebank), own in results.by("model", "treebank"):
        counts = (count(own, what, kind) for what in ("forbidden", "errors") for kind in KINDS)
        right = (mean(own, what, kind) for what in ("las", "upos") for kind in KINDS[:2])
        rows.append((model or treebank, count(own, "rules"), count(own, "sentences"), *counts, *right))
    if rows:
        columns = (
            "dev",
            "rules",
            "sentences",
            *(f"forbidden, {kind}" for kind in KINDS),
            *(f"UD errors, {kind}" for kind in KINDS),
            *(f"{what}, {kind}" for what in ("LAS", "UPOS") for kind in KINDS[:2]),
        )
        notes = (
            "From tokens, without and with the grammar of the training set. Forbidden: sentences that break "
            "a rule of it. UD errors: of levels 1 to 3, by udtools. LAS: of all words, labels in full. "
            "en: the English model, on en_ewt; the others: pipelines of that treebank, one seed.",
        )
        yield Table("Grammar", columns, rows, notes, results)


@benchmark(run, tables, seeds=1)
@epochs_option
def main(data: Path, epochs: int | None) -> Iterator[tuple[str, Setting]]:
    """Trees that break rules of their treebank, with and without the grammar."""
    yield "en", {"model": "en", "treebank": "en_ewt"}
    for treebank in conllu_names(data):
        if treebank != "en_ewt":
            yield treebank, {"treebank": treebank, "epochs": epochs}


if __name__ == "__main__":
    main()
