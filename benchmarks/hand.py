"""An English model on 200 sentences unlike its treebank (`benchmarks/english`).

    python benchmarks/hand.py
    python benchmarks/hand.py --model my.arc --only dev

Results are kept by the fingerprint of the model's file, so that those of older models stay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import arcwise
from arcwise import Pipeline, Sentence, Treebank
from frame import benchmark
from halves import GOLD_TOKENS, PARTS, Place, gold_of, parsed_by, places
from store import Results, Setting
from tables import Table, count, mean

FILES = "english/hand"
GENRES = (
    "headline",
    "question",
    "imperative",
    "chat",
    "capitals",
    "lowercase",
    "nopunct",
    "name",
    "plain",
)
STARTS = (GOLD_TOKENS, "raw text")
METRICS = ("Words", "Sentences", "UPOS", "Lemmas", "UAS", "LAS")
ALL = "all"


def genre_of(sentence: Sentence) -> str:
    (genre,) = (
        line.removeprefix("# genre = ") for line in sentence.comments if line.startswith("# genre = ")
    )
    return genre


def roots(treebank: Treebank) -> set[tuple[Place, int]]:
    """Where the roots stand; those in multiword tokens by their number in it too."""
    return {
        (own[word], own[:word].count(own[word]))
        for sentence, own in places(treebank)
        for word, head in enumerate(sentence.heads)
        if head == 0
    }


def figures(nlp: Pipeline, gold: Treebank, start: str) -> dict[str, float]:
    parsed = parsed_by(nlp, gold, start)
    right, own = roots(gold), roots(parsed)
    scores = arcwise.evaluation.conll18_scores(gold.to_string(), parsed.to_string())
    return {
        "sentences": len(gold),
        "roots": 200 * len(right & own) / (len(right) + len(own)),
        **{metric: scores[metric].f1 for metric in METRICS},
    }


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    gold, nlp = gold_of(FILES, setting["part"]), arcwise.load(setting["model"])
    chosen = {ALL: gold} | {
        genre: gold.filter(lambda sentence, genre=genre: genre_of(sentence) == genre) for genre in GENRES
    }
    return {kind: figures(nlp, own, setting["start"]) for kind, own in chosen.items()}


def tables(results: Results) -> Iterator[Table]:
    by_row = [*results.by("model", "file", "part", "start")]
    if not by_row:
        return
    yield Table(
        "English by hand",
        ("", *METRICS, "roots"),
        [
            (
                f"{model} ({file}): {part}, {start}",
                *(mean(own, ALL, metric) for metric in METRICS),
                mean(own, ALL, "roots"),
            )
            for (model, file, part, start), own in by_row
        ],
        (
            "F1 of the CoNLL 2018 shared task, on 2 × 100 sentences; in brackets the fingerprint of the "
            "model's file.",
            "roots: F1 of the roots of sentences; with gold tokens, how many in 100 have the right one.",
        ),
        results,
    )
    for start in results.distinct("start"):
        columns = [(row, own) for row, own in by_row if row[-1] == start]
        yield Table(
            f"English by hand, by genre, from {start}",
            (
                "roots / LAS",
                "sentences",
                *(f"{model} ({file}): {part}" for (model, file, part, _), _ in columns),
            ),
            [
                (
                    genre,
                    count(results, genre, "sentences"),
                    *(
                        f"{mean(own, genre, 'roots', digits=1)} / {mean(own, genre, 'LAS', digits=1)}"
                        for _, own in columns
                    ),
                )
                for genre in GENRES
            ],
            ("Sentences: of each half.",),
            results.of(start=start),
        )


@benchmark(run, tables, seeds=None)
@click.option("--model", default="en", show_default=True, help="Its name, or file.")
def main(data: Path, model: str) -> Iterator[tuple[str, Setting]]:
    """An English model on 200 sentences unlike its treebank."""
    file = hashlib.sha256(arcwise.models.find(model).read_bytes()).hexdigest()[:8]
    for part in PARTS:
        for start in STARTS:
            yield f"{part}, {start}", {"model": model, "file": file, "part": part, "start": start}


if __name__ == "__main__":
    main()
