"""Parsers by learning to search: base learners, n-grams of features, and who rolls in and out.

    python benchmarks/l2s.py
    python benchmarks/l2s.py --treebank udt2_sv --only 'base' --seeds 1

Each row is the mean over seeds. The last epoch counts: none is chosen on dev.
"""

from __future__ import annotations

import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from arcwise import Parser, ParserOptions, features
from arcwise.evaluation import AttachmentScores
from arcwise.options import COLUMNS
from common import (
    REPETITIONS,
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
    treebank_option,
    words_per_second,
)

SYSTEM = "arc-hybrid"  # the paper's
# The papers on these treebanks leave punctuation out.
WITHOUT_PUNCTUATION = ("udt2_sv", "udt2_ko")

SETTINGS: dict[str, dict[str, Any]] = {
    "base/sgd": {"base": "sgd"},
    "base/default": {},
    "base/ftrl": {"base": "ftrl"},
    "base/nn": {"base": "nn"},
    "base/nn+ftrl": {"base": "nn+ftrl"},
    "base/default, weighted all pairs": {"reduction": "wap"},
    "features/unigrams": {"ngrams": 1},
    "features/unigrams and bigrams": {"ngrams": 2},
    "features/zn2011": {"features": "zn2011"},
    "features/those of linear models": {"linear": True},
    **{f"rolls/algorithm {name}": {"algorithm": name} for name in ("l2s", "dagger", "aggrevate")},
    # Where what was learnt rolls out, all actions at all decisions take hours.
    **{
        f"rolls/algorithm {name}, 3 deviations a sentence": {"algorithm": name, "deviations": 3}
        for name in ("l2s", "searn", "lols")
    },
    "rolls/l2s, weighted all pairs": {"algorithm": "l2s", "reduction": "wap"},
    "rolls/in reference, out none": {"rollin": "reference"},
    "rolls/in learned, out none": {"rollin": "learned"},
    "rolls/in learned, out reference": {"rollin": "learned", "rollout": "reference"},
    "rolls/in reference, out reference": {"rollin": "reference", "rollout": "reference"},
    "other/label at once": {"label_apart": False},
    "other/arc-eager": {"system": "arc-eager"},
    "other/2^22 weights": {"bits": 22},
    "other/2^26 weights": {"bits": 26},
}

NOTES = (
    "Gold tokens and tags, full labels; udt2_*: without punctuation; the others: all tokens. "
    "± is the standard deviation over seeds.",
    "Where nothing else is said: arc-hybrid, the paper's features, base default, one against all, rolling in "
    "by the annealed mixture, no roll-outs, labels apart, 2^25 weights.",
    f"train: CPU seconds on one core. words/s: parsing dev on one core, the best of {REPETITIONS} rounds.",
)


@dataclass(frozen=True)
class Result:
    """What one parser came to."""

    dev: AttachmentScores
    test: AttachmentScores
    seconds: float
    words_per_second: float
    file_bytes: int


def templates(ngrams: int | None) -> list[str]:
    """The paper's features of up to so many atoms; those of linear models for None."""
    if ngrams is None:
        return features.builtin("default", SYSTEM, COLUMNS)
    return [line for line in features.builtin("l2s", SYSTEM, COLUMNS) if len(line.split()) <= ngrams]


def train(data: Path, treebank: str, setting: str, seed: int) -> Result:
    changes = {"learner": "l2s", "system": SYSTEM, "seed": seed, **SETTINGS[setting]}
    with tempfile.TemporaryDirectory() as folder:
        if "ngrams" in changes or "linear" in changes:
            changes.pop("linear", None)
            path = Path(folder) / "templates"
            path.write_text("\n".join(templates(changes.pop("ngrams", None))) + "\n")
            changes["features"] = str(path)
        started = time.process_time()
        parser = Parser.train(load(data, treebank, "train"), options=ParserOptions.of(**changes))
        seconds = time.process_time() - started

    def counted(part: Part) -> AttachmentScores:
        scores = score(parser, load(data, treebank, part))
        return scores.no_punct if treebank in WITHOUT_PUNCTUATION else scores

    return Result(
        dev=counted("dev"),
        test=counted("test"),
        seconds=seconds,
        words_per_second=speed(parser, data, treebank),
        file_bytes=file_bytes(parser),
    )


def speed(parser: Parser, data: Path, treebank: str) -> float:
    dev = load(data, treebank, "dev")
    return words_per_second(lambda: parser.parse(dev), dev.word_count)


def lines(results: dict[str, list[Result]]) -> Iterator[tuple[str, ...]]:
    for setting, of_all in results.items():
        yield (
            setting,
            mean(r.dev.uas for r in of_all),
            mean(r.dev.las for r in of_all),
            mean(r.test.uas for r in of_all),
            mean(r.test.las for r in of_all),
            f"{statistics.fmean(r.seconds for r in of_all):.0f} s",
            f"{statistics.fmean(r.words_per_second for r in of_all):,.0f}",
            mebibytes(statistics.fmean(r.file_bytes for r in of_all)),
        )


@click.command()
@data_option
@treebank_option
@seeds_option
@only_option("rows")
@markdown_option
def main(data: Path, treebank: str, seeds: int, only: re.Pattern[str], markdown: bool) -> None:
    """Parsers by learning to search, side by side."""
    settings = [s for s in SETTINGS if only.search(s)]
    if not settings:
        raise click.ClickException("No row matches: rows are called such as base/nn or rolls/algorithm lols.")
    results: dict[str, list[Result]] = {setting: [] for setting in settings}
    with progress("runs", len(settings) * seeds) as bar:
        # Seed by seed, so that an interrupted benchmark has something of every row.
        for seed in range(1, seeds + 1):
            for setting in settings:
                results[setting].append(train(data, treebank, setting, seed))
                bar.update(setting)
    print_table(
        f"Learning to search, {treebank}, {seeds} seeds",
        ("setting", "dev UAS", "dev LAS", "test UAS", "test LAS", "train", "words/s", "MiB"),
        lines(results),
        notes=NOTES,
        markdown=markdown,
    )


if __name__ == "__main__":
    main()
