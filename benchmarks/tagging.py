"""Taggers on every treebank, and what their tags are worth to a parser.

    python benchmarks/tagging.py
    python benchmarks/tagging.py --only 'en_ewt|el_gdt' --seeds 1
    python benchmarks/tagging.py --only '^en_ewt$' --seeds 1 --parsers

Scores are those of the CoNLL 2018 shared task, with gold tokens. The last epoch counts: none is chosen on
dev.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

import arcwise
from arcwise import Parser, ParserOptions, Pipeline, Tagger, TaggerOptions, Treebank, evaluate, jackknife
from common import (
    REPETITIONS,
    data_option,
    file_bytes,
    jobs_option,
    load,
    markdown_option,
    mean,
    mebibytes,
    only_option,
    print_table,
    progress,
    seeds_option,
    treebank_names,
    treebank_path,
    words_per_second,
)

METRICS = ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas")
PARTS = ("dev", "test")

NOTES = (
    "CoNLL 2018 metrics with gold tokens, mean over seeds.",
    "train: CPU seconds on one core. words/s: from a treebank in memory to one with tags and lemmas, one "
    f"core, the best of {REPETITIONS} rounds over dev.",
)
NOTES_OF_PARSERS = (
    "Networks with default options. UAS, LAS, MLAS and BLEX are those of CoNLL 2018 (without subtypes); the "
    "last column is LAS with full labels.",
    "no tags: a parser that looks at words alone. gold: trained on the treebank's own tags. jackknifed: "
    "trained on tags that taggers of other parts of the treebank gave it. All of these but the last parse "
    "predicted tags. a shared network: trained along with a tagger, which it shares its network with.",
)


@dataclass(frozen=True)
class Result:
    """What one tagger came to."""

    scores: dict[str, dict[str, float]]  # by part and metric
    seconds: float
    words_per_second: float
    file_bytes: int


def measured(data: Path, treebank: str, seed: int) -> Result:
    started = time.process_time()
    tagger = Tagger.train(load(data, treebank, "train"), options=TaggerOptions(seed=seed))
    seconds = time.process_time() - started
    scores = {}
    for part in PARTS:
        gold = load(data, treebank, part)
        conll18 = arcwise.evaluation.conll18_scores(gold.to_string(), tagger.tag(gold).to_string())
        scores[part] = {metric: conll18[metric].f1 for metric in METRICS}
    return Result(scores, seconds, speed(tagger, load(data, treebank, "dev")), file_bytes(tagger))


def speed(tagger: Tagger, treebank: Treebank) -> float:
    """Words a second."""
    return words_per_second(lambda: tagger.tag(treebank), treebank.word_count)


def lines(results: dict[str, list[Result]]) -> Iterator[tuple[str, ...]]:
    for treebank, of_all in results.items():
        for part in PARTS:
            yield (
                f"{treebank} {part}",
                *(mean(r.scores[part][metric] for r in of_all) for metric in METRICS),
                f"{statistics.fmean(r.seconds for r in of_all):.0f} s",
                f"{statistics.fmean(r.words_per_second for r in of_all):,.0f}",
                mebibytes(statistics.fmean(r.file_bytes for r in of_all)),
            )


def parsers(
    data: Path, treebank: str, jobs: int, folds: int, epochs: int | None
) -> Iterator[tuple[str, ...]]:
    """What parsers make of a tagger's tags, by what they were trained on."""
    train = load(data, treebank, "train")
    tagger = Tagger.train(train)
    no_tags = ParserOptions.of(leave_out=("lemma", "upos", "xpos", "feats"))
    settings = {
        "no tags": (Parser.train(train, options=no_tags), True),
        "gold": (Parser.train(train), True),
        "jackknifed": (
            Parser.train(jackknife(train, folds=folds, jobs=jobs, options=TaggerOptions(epochs=epochs))),
            True,
        ),
    }
    settings["gold, parsing gold tags"] = (settings["gold"][0], False)
    pipelines = {
        name: (Pipeline(tagger=tagger, parser=parser), predicted)
        for name, (parser, predicted) in settings.items()
    }
    pipelines["a shared network"] = (Pipeline.train(train, components=["tagger", "parser"]), True)
    for name, (pipeline, predicted) in pipelines.items():
        for part in PARTS:
            gold = load(data, treebank, part)
            scores = evaluate(gold, pipeline.parse(gold, tags="new" if predicted else "given"))
            if scores.conll18 is None:
                raise click.ClickException(f"{scores.why_no_conll18}")
            own = [scores.conll18[metric].f1 for metric in ("UAS", "LAS", "MLAS", "BLEX")]
            yield (f"{treebank} {part}, {name}", *(f"{s:.2f}" for s in (*own, scores.attachment.las)))


@click.command()
@data_option
@seeds_option
@jobs_option
@only_option("treebanks")
@click.option(
    "--parsers", "with_parsers", is_flag=True, help="Train parsers on the first treebank's tags, too."
)
@click.option("--folds", type=click.IntRange(min=2), default=10, show_default=True, help="Of jackknifing.")
@click.option("--epochs", type=click.IntRange(min=1), help="Of jackknifing. [default: a tagger's]")
@markdown_option
def main(
    data: Path,
    seeds: int,
    jobs: int,
    only: re.Pattern[str],
    with_parsers: bool,
    folds: int,
    epochs: int | None,
    markdown: bool,
) -> None:
    """Taggers on every treebank, and what their tags are worth to a parser."""
    of_ud = [name for name in treebank_names(data) if treebank_path(data, name, "dev").suffix == ".conllu"]
    names = [name for name in of_ud if only.search(name)]
    if not names:
        raise click.ClickException(f"No treebank matches: those in CoNLL-U are {', '.join(of_ud)}.")
    results: dict[str, list[Result]] = {name: [] for name in names}
    with progress("taggers", len(names) * seeds) as bar:
        for seed in range(1, seeds + 1):
            for name in names:
                results[name].append(measured(data, name, seed))
                bar.update(name)
    columns = ("treebank", *METRICS, "train", "words/s", "MiB")
    print_table("Taggers", columns, lines(results), notes=NOTES, markdown=markdown)
    if with_parsers:
        print_table(
            "Parsers of predicted tags",
            ("trained on", "UAS", "LAS", "MLAS", "BLEX", "full labels"),
            list(parsers(data, names[0], jobs, folds, epochs)),
            notes=NOTES_OF_PARSERS,
            markdown=markdown,
        )


if __name__ == "__main__":
    main()
