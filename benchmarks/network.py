"""Networks beside the best linear model on every treebank: accuracy, time to train, speed, size.

    python benchmarks/network.py
    python benchmarks/network.py --only 'en_ewt/(default|fast)' --seeds 1

Each row is the mean over seeds. The last epoch counts: none is chosen on dev.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from arcwise import Parser, ParserOptions, Treebank
from arcwise.evaluation import AttachmentScores
from common import (
    REPETITIONS,
    WITHOUT_PUNCTUATION,
    Part,
    data_option,
    file_bytes,
    load,
    markdown_option,
    mean,
    mebibytes,
    only_option,
    print_table,
    progress,
    score,
    seeds_option,
    treebank_names,
    treebank_path,
    words_per_second,
)

SETTINGS = {
    "default": {},
    "fast": {"preset": "fast"},
    "linear": {"learner": "perceptron"},
}

NOTES = (
    "Gold tokens and tags, full labels; udt2_*: without punctuation; the others: all tokens.",
    "± is the standard deviation over seeds. linear: averaged perceptron, default features.",
    "train: CPU seconds on one core. words/s: from CoNLL-U in memory to heads and labels, one core, the best "
    f"of {REPETITIONS} rounds over dev.",
)


@dataclass(frozen=True)
class Result:
    """What one parser came to."""

    dev: AttachmentScores
    test: AttachmentScores
    seconds: float
    words_per_second: float
    file_bytes: int


def options(setting: str, seed: int) -> ParserOptions:
    changes = dict(SETTINGS[setting])
    preset = changes.pop("preset", "default")
    return ParserOptions.preset(preset, **changes, seed=seed)


def train(data: Path, treebank: str, setting: str, seed: int) -> Result:
    started = time.process_time()
    parser = Parser.train(load(data, treebank, "train"), options=options(setting, seed))
    seconds = time.process_time() - started

    def counted(part: Part) -> AttachmentScores:
        scores = score(parser, load(data, treebank, part))
        return scores.no_punct if treebank in WITHOUT_PUNCTUATION else scores

    return Result(
        dev=counted("dev"),
        test=counted("test"),
        seconds=seconds,
        words_per_second=speed(parser, treebank_path(data, treebank, "dev")),
        file_bytes=file_bytes(parser),
    )


def speed(parser: Parser, path: Path) -> float:
    """Words a second, from the bytes of a file."""
    treebank = Treebank.read(path)
    text = path.read_bytes()

    def parse() -> None:
        parser.parse(Treebank.from_string(text, format=treebank.format, check_trees=False))

    return words_per_second(parse, treebank.word_count)


def lines(results: dict[tuple[str, str], list[Result]]) -> Iterator[tuple[str, ...]]:
    for (treebank, setting), of_all in results.items():
        linear = results.get((treebank, "linear"))

        def gain(part: str, own: list[Result] = of_all, linear: list[Result] | None = linear) -> str:
            if linear is None or own is linear:
                return ""
            las = [statistics.fmean(getattr(r, part).las for r in rows) for rows in (own, linear)]
            return f"{las[0] - las[1]:+.2f}"

        yield (
            f"{treebank}/{setting}",
            str(len(of_all)),
            mean(r.dev.uas for r in of_all),
            mean(r.dev.las for r in of_all),
            gain("dev"),
            mean(r.test.uas for r in of_all),
            mean(r.test.las for r in of_all),
            gain("test"),
            f"{statistics.fmean(r.seconds for r in of_all):.0f} s",
            f"{statistics.fmean(r.words_per_second for r in of_all):,.0f}",
            mebibytes(statistics.fmean(r.file_bytes for r in of_all)),
        )


@click.command()
@data_option
@seeds_option
@only_option("rows")
@markdown_option
def main(data: Path, seeds: int, only: re.Pattern[str], markdown: bool) -> None:
    """Networks beside the best linear model on every treebank."""
    rows = [(t, s) for t in treebank_names(data) for s in SETTINGS if only.search(f"{t}/{s}")]
    if not rows:
        raise click.ClickException("No row matches: rows are called TREEBANK/SETTING, such as en_ewt/fast.")
    results: dict[tuple[str, str], list[Result]] = {row: [] for row in rows}
    with progress("runs", len(rows) * seeds) as bar:
        # Seed by seed, so that an interrupted benchmark has something of every row.
        for seed in range(1, seeds + 1):
            for treebank, setting in rows:
                results[treebank, setting].append(train(data, treebank, setting, seed))
                bar.update(f"{treebank}/{setting}")
    print_table(
        "Networks",
        ("setting", "seeds", "dev UAS", "dev LAS", "", "test UAS", "test LAS", "", "train", "words/s", "MiB"),
        lines(results),
        notes=NOTES,
        markdown=markdown,
    )


if __name__ == "__main__":
    main()
