"""What the benchmarks share: treebanks by name, runs over seeds, scores, tables."""

from __future__ import annotations

import json
import multiprocessing
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import click
from click.decorators import FC
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import arcwise
from arcwise import Parser, ParserOptions, Tagger, Treebank
from arcwise.evaluation import AttachmentScores

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
NOTHING = "–"
WITHOUT_PUNCTUATION = ("udt2_sv", "udt2_ko")
"""Treebanks that the papers score without punctuation."""

Part = Literal["train", "dev", "test"]

data_option = click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=DATA,
    help="The folder of treebanks, one folder each. [default: ../shared/data beside the project]",
)
seeds_option = click.option(
    "--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="Runs of each setting."
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Runs at the same time."
)
markdown_option = click.option("--markdown", is_flag=True, help="Print tables in Markdown.")
treebank_option = click.option(
    "--treebank", default="en_ewt", show_default=True, help="Measured on this one."
)
features_option = click.option(
    "--features", default="zn2011", show_default=True, help="A built-in set of features, or a file."
)
nonprojective_option = click.option(
    "--nonprojective",
    type=click.Choice(["lift", "skip"]),
    default="lift",
    show_default=True,
    help="What is done with non-projective trees in training.",
)
store_option = click.option(
    "--store",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep results in this file, as JSON lines, and train no run again that is in it.",
)
part_option = click.option(
    "--part", type=click.Choice(["dev", "test"]), default="test", show_default=True, help="What is scored."
)


def only_option(of: str) -> Callable[[FC], FC]:
    """`--only PATTERN`, which chooses from the things that `of` names."""

    def compiled(context: click.Context, parameter: click.Parameter, value: str) -> re.Pattern[str]:
        try:
            return re.compile(value)
        except re.error as error:
            raise click.BadParameter(f"'{value}' is no regular expression: {error}.") from error

    return click.option(
        "--only",
        metavar="PATTERN",
        default="",
        callback=compiled,
        help=f"Only {of} in whose name this regular expression is found.",
    )


def treebank_names(data: Path) -> list[str]:
    """The treebanks of a folder that have all three parts."""
    return sorted(folder.name for folder in data.iterdir() if len(_files(folder)) == 3)


def treebank_path(data: Path, name: str, part: Part) -> Path:
    """The file of a part of a treebank."""
    files = _files(data / name)
    if part not in files:
        known = ", ".join(treebank_names(data)) or "none"
        raise click.ClickException(
            f"There is no treebank '{name}' with a {part} file in {data}. Those there: {known}. "
            "Name another folder with --data."
        )
    return files[part]


@cache
def load(data: Path, name: str, part: Part) -> Treebank:
    """A part of a treebank, read once in each process."""
    return Treebank.read(treebank_path(data, name, part))


def _files(folder: Path) -> dict[Part, Path]:
    parts: tuple[Part, ...] = ("train", "dev", "test")
    return {part: path for part in parts for path in sorted(folder.glob(f"*-{part}.conll*"))[:1]}


@dataclass(frozen=True)
class Run:
    """One parser to train."""

    treebank: str
    options: ParserOptions

    def seeded(self, seeds: int) -> list[Run]:
        """The same with each of so many seeds."""
        return [replace(self, options=replace(self.options, seed=seed)) for seed in range(1, seeds + 1)]


@dataclass(frozen=True)
class Attached:
    """How many of some words have the right head, and the right label too."""

    uas: float
    las: float


@dataclass(frozen=True)
class PartScores(Attached):
    """Over all words; without punctuation; and of the words whose gold arcs cross others."""

    no_punct: Attached
    crossing: Attached
    crossing_words: int

    @classmethod
    def of(cls, gold: Treebank, parsed: Treebank) -> PartScores:
        scores = arcwise.evaluate(gold, parsed, conll18=False).attachment
        crossing = [
            (right.head == left.head, (right.head, right.deprel) == (left.head, left.deprel))
            for gold_sentence, own in zip(gold, parsed, strict=True)
            for left, right, crosses in zip(
                gold_sentence, own, crossing_arcs(gold_sentence.heads), strict=True
            )
            if crosses
        ]
        shares = [100 * statistics.fmean(column) for column in zip(*crossing, strict=True)] or [0.0, 0.0]
        without = Attached(scores.no_punct.uas, scores.no_punct.las)
        return cls(scores.uas, scores.las, without, Attached(*shares), len(crossing))


def crossing_arcs(heads: Sequence[int]) -> list[bool]:
    """Of each word, whether the arc to it crosses another.

    >>> crossing_arcs([3, 4, 0, 3])
    [True, True, False, False]
    """
    arcs = [(min(head, word), max(head, word)) for word, head in enumerate(heads, 1)]
    return [any(a < c < b < d or c < a < d < b for c, d in arcs) for a, b in arcs]


@dataclass(frozen=True)
class Result:
    """What one parser came to. Weights and bytes are those of its model file."""

    dev: PartScores
    test: PartScores
    weights: int
    file_bytes: int
    seconds: float

    def part(self, part: str) -> PartScores:
        return self.dev if part == "dev" else self.test

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Result:
        parts = {
            part: PartScores(
                **{
                    **stored[part],
                    **{name: Attached(**stored[part][name]) for name in ("no_punct", "crossing")},
                }
            )
            for part in ("dev", "test")
        }
        return cls(**{**stored, **parts})


def train_and_score(data: Path, run: Run) -> Result:
    """Trains without a dev set, so that the last epoch counts and dev scores are not of the chosen best."""
    started = time.perf_counter()
    parser = Parser.train(load(data, run.treebank, "train"), options=run.options)
    seconds = time.perf_counter() - started
    dev, test = load(data, run.treebank, "dev"), load(data, run.treebank, "test")
    return Result(
        dev=PartScores.of(dev, parser.parse(dev)),
        test=PartScores.of(test, parser.parse(test)),
        weights=parser.info.weights,
        file_bytes=file_bytes(parser),
        seconds=seconds,
    )


def score(parser: Parser, gold: Treebank) -> AttachmentScores:
    """UAS and LAS as the papers count them: full labels, over all words and without punctuation."""
    return arcwise.evaluate(gold, parser.parse(gold), conll18=False).attachment


def file_bytes(parser: Parser | Tagger) -> int:
    """How large the model file is."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        parser.save(path)
        return path.stat().st_size


class Results:
    """What runs came to, seed by seed, as far as they were done."""

    def __init__(self, by_run: Mapping[Run, Result], seeds: int) -> None:
        self._by_run = by_run
        self._seeds = seeds

    def of(self, run: Run) -> list[Result]:
        """The results of all seeds of a run that were done."""
        return [self._by_run[own] for own in run.seeded(self._seeds) if own in self._by_run]


class Store:
    """Results in a file, a line of JSON each, so that a benchmark goes on where it was interrupted."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def read(self) -> dict[Run, Result]:
        if self._path is None or not self._path.exists():
            return {}
        lines = [json.loads(line) for line in self._path.read_text(encoding="utf-8").splitlines()]
        return {
            Run(line["treebank"], ParserOptions.from_dict(line["options"])): Result.from_dict(line["result"])
            for line in lines
        }

    def add(self, run: Run, result: Result) -> None:
        if self._path is None:
            return
        line = {"treebank": run.treebank, "options": run.options.to_dict(), "result": asdict(result)}
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")


def run_all(runs: Iterable[Run], *, data: Path, seeds: int, jobs: int, store: Path | None = None) -> Results:
    """Trains and scores every run with every seed; an interrupt leaves what is done until then."""
    stored = Store(store)
    # Seed by seed, so that an interrupted benchmark has something of every setting.
    planned = [run.seeded(seeds)[seed] for seed in range(seeds) for run in dict.fromkeys(runs)]
    for name in {run.treebank for run in planned}:
        for part in ("train", "dev", "test"):
            treebank_path(data, name, part)
    done = stored.read()
    planned = [run for run in planned if run not in done]
    with progress("runs", len(planned)) as bar:
        try:
            for run, result in _run(planned, data, jobs):
                done[run] = result
                stored.add(run, result)
                bar.update(f"{run.treebank}, {run.options.system}, {run.options.learner}")
        except KeyboardInterrupt:
            print("Interrupted: the tables hold what is done until here.", file=sys.stderr)
    return Results(done, seeds)


def _run(runs: Sequence[Run], data: Path, jobs: int) -> Iterator[tuple[Run, Result]]:
    if jobs == 1:
        for run in runs:
            yield run, train_and_score(data, run)
        return
    # Processes are spawned: forking beside the thread of the progress bar may hang.
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    try:
        under_way = {pool.submit(train_and_score, data, run): run for run in runs}
        for future in as_completed(under_way):
            yield under_way[future], future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


class Bar:
    """A progress bar on standard error."""

    def __init__(self, progress: Progress, what: str, total: int) -> None:
        self._progress = progress
        self._task = progress.add_task(what, total=total)

    def update(self, done: str) -> None:
        """One more is done: this one."""
        self._progress.update(self._task, advance=1, description=done)


@contextmanager
def progress(what: str, total: int) -> Iterator[Bar]:
    """A progress bar over `total` steps, which leaves nothing on the screen."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        yield Bar(shown, what, total)


def mean(values: Iterable[float], digits: int = 2) -> str:
    """The mean and, of several values, the standard deviation.

    >>> mean([80.0, 81.0, 82.0])
    '81.00 ± 1.00'
    """
    given = list(values)
    if not given:
        return NOTHING
    middle = f"{statistics.fmean(given):.{digits}f}"
    return middle if len(given) == 1 else f"{middle} ± {statistics.stdev(given):.{digits}f}"


def count(values: Iterable[float]) -> str:
    """The mean as a whole number.

    >>> count([1000, 2001])
    '1,500'
    """
    given = list(values)
    return f"{statistics.fmean(given):,.0f}" if given else NOTHING


def mebibytes(size: float) -> str:
    """A number of bytes, in MiB."""
    return f"{size / 2**20:,.1f}"


REPETITIONS = 5


def words_per_second(task: Callable[[], object], words: int) -> float:
    """Of CPU time, in the best of some rounds."""
    best = 0.0
    for _ in range(REPETITIONS):
        started = time.process_time()
        task()
        best = max(best, words / (time.process_time() - started))
    return best


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    notes: Sequence[str] = (),
    markdown: bool = False,
) -> None:
    """Prints a table, its first column to the left and the others to the right, and notes under it."""
    table = Table(box=box.MARKDOWN if markdown else box.SIMPLE_HEAD)
    for position, column in enumerate(columns):
        table.add_column(column, justify="right" if position else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    # What does not fit on the terminal is better broken by it than cut off.
    console = Console(width=1000, highlight=False, markup=False)
    with console.capture() as capture:
        console.print(table)
    print(f"\n### {title}\n" if markdown else f"\n{title}")
    print("\n".join(line.rstrip() for line in capture.get().splitlines() if line.strip()))
    if notes and markdown:
        print()
    for note in notes:
        print(note if markdown else f"  {note}")
