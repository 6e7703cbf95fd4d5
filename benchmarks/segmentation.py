"""How well raw text is cut into sentences, tokens and words, how fast, and how large the segmenters are.

    python benchmarks/segmentation.py
    python benchmarks/segmentation.py --only 'en_ewt|vi_vtb' --markdown

The text is that of the treebanks themselves, put together as that of the CoNLL 2018 shared task: paragraphs
have blank lines between them and no line ends within.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arcwise import Segmenter
from arcwise.text import rebuild
from frame import benchmark, epochs_option
from store import Results, Setting
from tables import Table, count, mean, number
from timing import file_bytes, words_per_second
from treebanks import PARTS, SCORED, conllu_names, load

METRICS = ("Tokens", "Words", "Sentences")


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    """Trains with the dev set, which chooses the epoch and the bias, and scores it and the test set."""
    treebank = setting.pop("treebank")
    train, dev, test = (load(data, treebank, part) for part in PARTS)
    started = time.process_time()
    segmenter = Segmenter.train(train, dev=dev, seed=seed, **setting)
    cpu = time.process_time() - started
    text = rebuild(test).encode()
    words = segmenter.segment(text).word_count
    values: dict[str, Any] = {
        "train_cpu": cpu,
        "words_per_second": words_per_second(lambda: segmenter.segment(text), words),
        "file_bytes": file_bytes(segmenter),
    }
    for part, gold in zip(SCORED, (dev, test), strict=True):
        scores = segmenter.evaluate(gold)
        values[part] = {metric: scores[metric].f1 for metric in METRICS}
    return values


def tables(results: Results) -> Iterator[Table]:
    rows = [
        (
            treebank,
            *(mean(own, part, metric) for part in SCORED for metric in METRICS),
            number(own.mean("train_cpu")),
            count(own, "words_per_second"),
            number((own.mean("file_bytes") or 0) / 1024),
        )
        for (treebank,), own in results.by("treebank")
    ]
    if rows:
        yield Table(
            "Segmentation of raw text",
            (
                *("treebank", *(f"{p} {m.lower()}" for p in SCORED for m in METRICS)),
                *("training, s", "words/s", "KiB"),
            ),
            rows,
            (
                "F1 of the CoNLL 2018 shared task. The dev set chose the epoch and the bias. words/s: CPU "
                "time, from bytes to a treebank.",
            ),
            results,
        )


@benchmark(run, tables, seeds=1)
@epochs_option
def main(data: Path, epochs: int | None) -> Iterator[tuple[str, Setting]]:
    """F1 of tokens, words and sentences on raw text."""
    for treebank in conllu_names(data):
        yield treebank, {"treebank": treebank, "epochs": epochs}


if __name__ == "__main__":
    main()
