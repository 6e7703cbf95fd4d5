"""Parsers as rows of a benchmark: trained by a setting, scored, timed and weighed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arcwise import Parser, ParserOptions, Treebank
from store import Results
from tables import mean
from timing import REPETITIONS, file_bytes, words_per_second
from treebanks import SCORED, counted, load, scores, treebank_path

NOTES = (
    "Gold tokens and tags, full labels; udt2_*: without punctuation; the others: all tokens.",
    "± is the standard deviation over seeds. The last epoch counts: none is chosen on dev.",
)
SPEED_NOTE = (
    "train: CPU seconds on one core. words/s: from CoNLL-U in memory to heads and labels, CPU time of one "
    f"core, the best of {REPETITIONS} rounds over dev."
)
SCORE_COLUMNS = tuple(f"{part} {metric}" for part in SCORED for metric in ("UAS", "LAS"))


def score_cells(results: Results, treebank: str) -> list[str]:
    """Under those columns, as a treebank is scored."""
    return [mean(results, part, *counted(treebank), metric) for part in SCORED for metric in ("uas", "las")]


def options_of(setting: Mapping[str, Any], seed: int) -> ParserOptions:
    """A setting has a treebank, perhaps a preset, and options."""
    changes = {name: value for name, value in setting.items() if name not in ("treebank", "preset")}
    return ParserOptions.preset(setting.get("preset", "default"), **changes, seed=seed)


def trained(treebank: Treebank, setting: Mapping[str, Any], seed: int) -> Parser:
    """A parser as in the papers, which know of no grammar."""
    return Parser.train(treebank, options=options_of(setting, seed), grammar=False)


def train_and_score(
    data: Path, setting: dict[str, Any], seed: int, *, grammar: bool = False
) -> dict[str, Any]:
    """Trains without a dev set, so that the last epoch counts and dev scores are not of the chosen best."""
    treebank = setting["treebank"]
    train = load(data, treebank, "train")
    started = time.process_time()
    parser = Parser.train(train, options=options_of(setting, seed), grammar=grammar)
    cpu = time.process_time() - started
    golds = {part: load(data, treebank, part) for part in SCORED}
    return {
        **{part: scores(gold, parser.parse(gold)) for part, gold in golds.items()},
        "train_cpu": cpu,
        "train_words_per_second": train.word_count * (parser.info.options.epochs or 1) / cpu,
        "words_per_second": speed(parser, treebank_path(data, treebank, "dev")),
        "file_bytes": file_bytes(parser),
        "weights": parser.info.weights,
    }


def speed(parser: Parser, path: Path) -> float:
    """Words a second, from the bytes of a file."""
    treebank = Treebank.read(path)
    text = path.read_bytes()

    def parse() -> None:
        parser.parse(Treebank.from_string(text, format=treebank.format, check_trees=False))

    return words_per_second(parse, treebank.word_count)
