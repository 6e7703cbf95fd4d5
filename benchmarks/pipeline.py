"""Pipelines from raw text: CoNLL 2018 scores of the English model, and of pipelines that are trained here.

    python benchmarks/pipeline.py --only '^en'
    python benchmarks/pipeline.py --only fr_sequoia

How fast they are, `speed.py` says.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import arcwise
from arcwise import Pipeline
from frame import benchmark, epochs_option
from store import Results, Setting
from tables import Table, mean, number
from treebanks import SCORED, conllu_names, load

METRICS = ("Words", "Sentences", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")
STARTS = ("raw text", "gold tokens", "gold tags")


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    treebank = setting["treebank"]
    if "model" in setting:
        nlp = arcwise.load(setting["model"])
    else:
        own = {"epochs": setting["epochs"]} if "epochs" in setting else {}
        nlp = Pipeline.train(load(data, treebank, "train"), dev=load(data, treebank, "dev"), seed=seed, **own)
    values: dict[str, Any] = {}
    for part in SCORED:
        gold = load(data, treebank, part)
        found = {
            "raw text": nlp.evaluate_text(gold),
            "gold tokens": nlp.evaluate(gold).conll18,
            "gold tags": arcwise.evaluate(gold, nlp.parse(gold, tags="given")).conll18,
        }
        values[part] = {
            start: {metric: scores[metric].f1 for metric in METRICS}
            for start, scores in found.items()
            if scores
        }
    return values


def tables(results: Results) -> Iterator[Table]:
    rows = [
        (f"{model or treebank} {part}, {start}", *(mean(own, part, start, metric) for metric in METRICS))
        for (model, treebank), own in results.by("model", "treebank")
        for part in SCORED
        for start in STARTS
        if own.has(part, start)
    ]
    if rows:
        notes = (
            "F1 of the CoNLL 2018 shared task. en, en-fast: the English models, on en_ewt; the others: "
            "pipelines of that treebank, one seed.",
        )
        yield Table("Pipelines", ("", *METRICS), rows, notes, results)
    english = results.of(model="en", treebank="en_ewt")
    if english:

        def both(start: str, *metrics: str) -> str:
            # What is given is right.
            if metrics[0] != "UAS" and STARTS.index(start) > ("Words", "UPOS").index(metrics[0]):
                return ""
            return " / ".join(number(english.mean("test", start, metric), 1) for metric in metrics)

        yield Table(
            "The English model",
            ("English model, UD English-EWT test", "from raw text", "gold tokens", "gold tags"),
            [
                (name, *(both(start, *metrics) for start in STARTS))
                for name, metrics in (
                    ("words / sentences, F1", ("Words", "Sentences")),
                    ("UPOS / lemmas", ("UPOS", "Lemmas")),
                    ("UAS / LAS (CoNLL 2018)", ("UAS", "LAS")),
                )
            ],
        )


@benchmark(run, tables, seeds=1)
@epochs_option
def main(data: Path, epochs: int | None) -> Iterator[tuple[str, Setting]]:
    """CoNLL 2018 scores of the English model, and of pipelines of the other treebanks."""
    for model in ("en", "en-fast"):
        yield model, {"model": model, "treebank": "en_ewt"}
    for treebank in conllu_names(data):
        if treebank != "en_ewt":
            yield treebank, {"treebank": treebank, "epochs": epochs}


if __name__ == "__main__":
    main()
