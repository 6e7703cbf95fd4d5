"""How well raw text is cut into sentences, tokens and words, how fast, and how large the segmenters are.

    python benchmarks/segmentation.py
    python benchmarks/segmentation.py --only 'en_ewt|vi_vtb' --markdown

The text is that of the treebanks themselves, put together as that of the CoNLL 2018 shared task: paragraphs
have blank lines between them and no line ends within.
"""

from __future__ import annotations

import re
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import click

from arcwise import Segmenter
from arcwise.evaluation import Conll18Scores
from arcwise.text import rebuild
from common import (
    data_option,
    load,
    markdown_option,
    only_option,
    print_table,
    progress,
    treebank_names,
    treebank_path,
    words_per_second,
)

METRICS = ("Tokens", "Words", "Sentences")


@dataclass(frozen=True)
class Result:
    """What came of one treebank."""

    dev: Conll18Scores
    test: Conll18Scores
    seconds: float
    tokens_per_second: float
    file_bytes: int


def measure(data: Path, name: str) -> Result:
    """Trains with the dev set, which chooses the epoch and the bias, and scores it and the test set."""
    started = time.process_time()
    segmenter = Segmenter.train(load(data, name, "train"), dev=load(data, name, "dev"))
    seconds = time.process_time() - started
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "segmenter"
        segmenter.save(path)
        file_bytes = path.stat().st_size
    return Result(
        dev=segmenter.evaluate(load(data, name, "dev")),
        test=segmenter.evaluate(load(data, name, "test")),
        seconds=seconds,
        tokens_per_second=speed(segmenter, rebuild(load(data, name, "test")).encode()),
        file_bytes=file_bytes,
    )


def speed(segmenter: Segmenter, text: bytes) -> float:
    """Words a second of CPU time, from bytes to a treebank: the best of a few runs."""
    words = segmenter.segment(text).word_count
    return words_per_second(lambda: segmenter.segment(text), words)


@click.command()
@data_option
@only_option("treebanks")
@markdown_option
def main(data: Path, only: re.Pattern[str], markdown: bool) -> None:
    """F1 of tokens, words and sentences on raw text."""
    names = [
        name
        for name in treebank_names(data)
        if only.search(name) and treebank_path(data, name, "train").suffix == ".conllu"
    ]
    if not names:
        raise click.ClickException(f"No treebank of CoNLL-U in {data} matches.")
    rows = []
    with progress("segmenters", len(names)) as bar:
        for name in names:
            result = measure(data, name)
            scores = [f"{part[metric].f1:.2f}" for part in (result.dev, result.test) for metric in METRICS]
            rows.append(
                (
                    name,
                    *scores,
                    f"{result.seconds:.0f}",
                    f"{result.tokens_per_second:,.0f}",
                    f"{result.file_bytes / 1024:,.0f}",
                )
            )
            bar.update(name)
    print_table(
        "Segmentation of raw text (F1 of the CoNLL 2018 shared task)",
        (
            "treebank",
            *(f"dev {metric.lower()}" for metric in METRICS),
            *(f"test {metric.lower()}" for metric in METRICS),
            "training, s",
            "words/s",
            "KiB",
        ),
        rows,
        notes=("The dev set chose the epoch and the bias. words/s: CPU time, from bytes to a treebank.",),
        markdown=markdown,
    )


if __name__ == "__main__":
    main()
