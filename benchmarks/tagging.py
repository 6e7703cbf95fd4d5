"""Taggers on every treebank, and what their tags are worth to a parser.

    python benchmarks/tagging.py
    python benchmarks/tagging.py --only 'tagger, (en_ewt|el_gdt)' --seeds 1
    python benchmarks/tagging.py --only 'parser, en_ewt' --seeds 1

Scores are those of the CoNLL 2018 shared task, with gold tokens. The last epoch counts: none is chosen on
dev.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click

import arcwise
from arcwise import Parser, ParserOptions, Pipeline, Tagger, TaggerOptions, Treebank, jackknife
from frame import benchmark, epochs_option, positive
from store import Results, Setting
from tables import Table, count, mean, mebibytes, seconds
from timing import REPETITIONS, file_bytes, words_per_second
from treebanks import SCORED, conllu_names, load

METRICS = ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas")
PARSER_METRICS = ("UAS", "LAS", "MLAS", "BLEX", "full labels")
TRAINED_ON = ("no tags", "gold", "jackknifed", "gold, parsing gold tags", "a shared network")


@cache
def tagger_of(data: Path, treebank: str, seed: int, epochs: int | None) -> Tagger:
    return Tagger.train(load(data, treebank, "train"), options=TaggerOptions(seed=seed, epochs=epochs))


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    treebank, epochs = setting["treebank"], setting.get("epochs")
    if "trained_on" in setting:
        return parser_scores(data, setting, seed)
    started = time.process_time()
    tagger = tagger_of(data, treebank, seed, epochs)
    cpu = time.process_time() - started
    dev = load(data, treebank, "dev")
    values: dict[str, Any] = {
        "train_cpu": cpu,
        "words_per_second": words_per_second(lambda: tagger.tag(dev), dev.word_count),
        "file_bytes": file_bytes(tagger),
    }
    for part in SCORED:
        gold = load(data, treebank, part)
        both = gold.to_string(), tagger.tag(gold).to_string()
        scores = arcwise.evaluation.conll18_scores(*both)
        values[part] = {metric: scores[metric].f1 for metric in METRICS}
        forms = load(data, treebank, "train").column("form")
        for name, own in arcwise.evaluation.vocabulary_scores(*both, forms).items():
            values[part][name] = {metric: own[metric].f1 for metric in METRICS}
            values[part][name]["words"] = own["Words"].gold
    return values


def pipeline_of(data: Path, setting: dict[str, Any], seed: int) -> Pipeline:
    """A tagger and a parser by what the parser was trained on."""
    treebank, on, epochs = setting["treebank"], setting["trained_on"], setting.get("epochs")
    train: Treebank = load(data, treebank, "train")
    if on == "a shared network":
        return Pipeline.train(train, components=["tagger", "parser"], seed=seed, epochs=epochs)
    own = {"epochs": epochs, "seed": seed}
    if on == "no tags":
        own["leave_out"] = ("lemma", "upos", "xpos", "feats")
    if on == "jackknifed":
        train = jackknife(train, folds=setting["folds"], options=TaggerOptions(epochs=epochs))
    parser = Parser.train(train, options=ParserOptions.of(**own))
    return Pipeline(tagger=tagger_of(data, treebank, seed, epochs), parser=parser)


def parser_scores(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    pipeline = pipeline_of(data, setting, seed)
    tags = "given" if setting["trained_on"] == "gold, parsing gold tags" else "new"
    values = {}
    for part in SCORED:
        gold = load(data, setting["treebank"], part)
        scores = arcwise.evaluate(gold, pipeline.parse(gold, tags=tags))
        if scores.conll18 is None:
            raise click.ClickException(f"{scores.why_no_conll18}")
        values[part] = {metric: scores.conll18[metric].f1 for metric in PARSER_METRICS[:-1]}
        values[part]["full labels"] = scores.attachment.las
    return values


def tables(results: Results) -> Iterator[Table]:
    rows = [
        (
            f"{treebank} {part}",
            *(mean(own, part, metric) for metric in METRICS),
            seconds(own, "train_cpu"),
            count(own, "words_per_second"),
            mebibytes(own.mean("file_bytes")),
        )
        for (treebank,), own in results.of(trained_on=None).by("treebank")
        for part in SCORED
    ]
    if rows:
        yield Table(
            "Taggers",
            ("treebank", *METRICS, "train", "words/s", "MiB"),
            rows,
            (
                "CoNLL 2018 metrics with gold tokens.",
                "train: CPU seconds on one core. words/s: from a treebank in memory to one with tags and "
                f"lemmas, one core, CPU time, the best of {REPETITIONS} rounds over dev.",
            ),
            results.of(trained_on=None),
        )
    apart = [
        (
            f"{treebank} {part}, {name}",
            count(own, part, name, "words"),
            *(mean(own, part, name, metric) for metric in METRICS),
        )
        for (treebank,), own in results.of(trained_on=None).by("treebank")
        for part in SCORED
        for name in ("known", "unknown")
        if own.has(part, name)
    ]
    if apart:
        yield Table(
            "Taggers: known and unknown words",
            ("treebank", "words", *METRICS),
            apart,
            ("Words whose form is in the training set, as it is written, and those whose form is not.",),
            results.of(trained_on=None),
        )
    parsers = [
        (f"{treebank} {part}, {on}", *(mean(own, part, metric) for metric in PARSER_METRICS))
        for (treebank, on), own in results.by("treebank", "trained_on")
        for part in SCORED
        if on is not None
    ]
    if parsers:
        yield Table(
            "Parsers of predicted tags",
            ("trained on", *PARSER_METRICS),
            parsers,
            (
                "Networks with default options. UAS, LAS, MLAS and BLEX are those of CoNLL 2018 (without "
                "subtypes); the last column is LAS with full labels.",
                "gold: trained on the treebank's own tags. jackknifed: trained on tags that taggers of other "
                "parts of the treebank gave it.",
            ),
            Results([r for r in results.records if "trained_on" in r["setting"]]),
        )


@benchmark(run, tables)
@click.option("--folds", type=positive, default=10, show_default=True, help="Of jackknifing.")
@epochs_option
def main(data: Path, folds: int, epochs: int | None) -> Iterator[tuple[str, Setting]]:
    """Taggers on every treebank, and what their tags are worth to a parser."""
    for treebank in conllu_names(data):
        yield f"tagger, {treebank}", {"treebank": treebank, "epochs": epochs}
        for on in TRAINED_ON:
            folded = folds if on == "jackknifed" else None
            yield (
                f"parser, {treebank}, {on}",
                {"treebank": treebank, "trained_on": on, "folds": folded, "epochs": epochs},
            )


if __name__ == "__main__":
    main()
