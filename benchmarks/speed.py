"""How fast arcwise trains, loads and parses, on one core, on two, and on very long sentences.

    python benchmarks/speed.py
    python benchmarks/speed.py --epochs 2 --only 'training|parsing'

One-core figures are of CPU time, so that other work on the machine disturbs them little.
"""

from __future__ import annotations

import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import TypeVar

import click

import arcwise
from arcwise import Parser, ParserOptions, Training, Treebank
from arcwise.options import PRESETS, SYSTEMS
from common import (
    NOTHING,
    data_option,
    load,
    markdown_option,
    mebibytes,
    only_option,
    print_table,
    progress,
    treebank_option,
    treebank_path,
)

SECTIONS = ("training", "loading", "parsing", "threads", "length")
LINEAR = tuple(
    (features, learner) for features in ("zn2011", "default") for learner in ("perceptron", "adagrad")
)
NETWORKS = tuple((preset, "network") for preset in PRESETS if "learner" not in PRESETS[preset])
COMPACT = (("turbo", "perceptron"),)
THREADS = (1, 2)
LENGTHS = (1_000, 3_000, 10_000, 30_000, 100_000)

# What is to be reached on en_ewt, in words a second on one core.
TRAINING_AIMS = {("default", "perceptron"): 70_000}
IN_MEMORY_AIMS = {
    ("zn2011", "perceptron"): 450_000,
    ("default", "perceptron"): 300_000,
    ("turbo", "perceptron"): 1_000_000,
    ("default", "network"): 180_000,
    ("fast", "network"): 350_000,
}
FILE_AIM = 250_000
AIMED_AT = "en_ewt"

PEERS = (
    "Elsewhere, words/s of one core on en_ewt test, measured on another occasion: UDPipe 1.4 greedy 40,000",
    "to 47,000 and with its default beam 8,200 to 8,600, MaltParser 1.8.1 18,900 and Vowpal Wabbit 9.11",
    "12,400 to 16,300 with reading and writing, Yara with beam 1 7,900, spaCy 3.8 7,900.",
)

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Model:
    """A parser of one setting, its file, and how fast each epoch went."""

    setting: str
    """The feature set, or a preset."""
    learner: str
    parser: Parser
    path: Path
    epochs: list[float]

    @property
    def key(self) -> tuple[str, str]:
        return self.setting, self.learner

    @property
    def name(self) -> str:
        return f"{self.setting}, {self.learner}"


@dataclass(frozen=True)
class Timing:
    """How long one repetition took, in seconds."""

    cpu: float
    wall: float


def timed(task: Callable[[], object]) -> Timing:
    """Runs a task once."""
    cpu, wall = time.process_time(), time.perf_counter()
    task()
    return Timing(cpu=time.process_time() - cpu, wall=time.perf_counter() - wall)


def interleaved(
    tasks: Mapping[Key, Callable[[], object]], repetitions: int, what: str
) -> dict[Key, list[Timing]]:
    """Runs every task once in each round, so that a busy moment of the machine meets all alike."""
    timings: dict[Key, list[Timing]] = {key: [] for key in tasks}
    with progress(what, repetitions + 1) as bar:
        for repetition in range(repetitions + 1):
            for key, task in tasks.items():
                timing = timed(task)
                # The first round only warms the caches.
                if repetition:
                    timings[key].append(timing)
            bar.update(what)
    return timings


@contextmanager
def one_core() -> Iterator[None]:
    """Keeps this process on one core, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def cores() -> int:
    """On how many cores this process may run."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def rates(words: int, seconds: Sequence[float]) -> tuple[str, str]:
    """Words a second: the best and the median."""
    return f"{words / min(seconds):,.0f}", f"{words / statistics.median(seconds):,.0f}"


def aim(value: int | None, treebank: str) -> str:
    """What is to be reached, where it is defined."""
    return f"{value:,}" if value is not None and treebank == AIMED_AT else NOTHING


def cpu_seconds(training: Training) -> Iterator[float]:
    """Trains, and gives the CPU time of each epoch without the freezing of weights after it."""
    started = stopped = time.process_time()

    def on_step(epoch: int, words: int) -> None:
        nonlocal stopped
        stopped = time.process_time()

    for _ in training.epochs(on_step):
        yield stopped - started
        started = time.process_time()


def train_models(train: Treebank, epochs: int, folder: Path) -> list[Model]:
    """A model for each feature set and learner, and each preset, timed epoch by epoch."""
    models = []
    with progress("training", len(LINEAR + COMPACT + NETWORKS) * epochs) as bar:
        for setting, learner in LINEAR + COMPACT + NETWORKS:
            own = PRESETS.get(setting, {}) if (setting, learner) not in LINEAR else {"features": setting}
            own = {"learner": learner, **own}
            training = Training(train, options=ParserOptions.of(epochs=epochs, **own))
            seconds = []
            for epoch_seconds in cpu_seconds(training):
                seconds.append(epoch_seconds)
                bar.update(f"training {setting}, {learner}")
            path = folder / f"{setting}-{learner}.model"
            training.parser().save(path)
            models.append(Model(setting, learner, arcwise.load(path), path, seconds))
    return models


def training_lines(models: Sequence[Model], words: int, treebank: str) -> Iterator[tuple[str, ...]]:
    for model in models:
        best, median = rates(words, model.epochs)
        first = f"{words / model.epochs[0]:,.0f}"
        yield model.name, first, best, median, aim(TRAINING_AIMS.get(model.key), treebank)


def loading_lines(models: Sequence[Model], sentence: Treebank, repetitions: int) -> Iterator[tuple[str, ...]]:
    def load_and_parse(path: Path) -> Callable[[], object]:
        return lambda: arcwise.load(path).parse(sentence)

    def only_load(path: Path) -> Callable[[], object]:
        return lambda: arcwise.load(path)

    tasks = {(model.name, "load"): only_load(model.path) for model in models}
    tasks |= {(model.name, "parse"): load_and_parse(model.path) for model in models}
    timings = interleaved(tasks, repetitions, "loading")
    for model in models:
        cells = [model.name, mebibytes(model.path.stat().st_size)]
        for what in ("load", "parse"):
            seconds = [timing.wall for timing in timings[model.name, what]]
            cells += [f"{1000 * min(seconds):.1f}", f"{1000 * statistics.median(seconds):.1f}"]
        yield tuple(cells)


def parsing_lines(
    models: Sequence[Model], path: Path, treebank: str, repetitions: int
) -> Iterator[tuple[str, ...]]:
    text = path.read_bytes()
    given = Treebank.read(path)
    format = given.format

    def read() -> Treebank:
        return Treebank.from_string(text, format=format, check_trees=False)

    def from_treebank(parser: Parser) -> Callable[[], object]:
        return lambda: parser._core.parse(given._core, 1)

    def from_bytes(parser: Parser) -> Callable[[], object]:
        return lambda: parser._core.parse(read()._core, 1)

    with tempfile.TemporaryDirectory() as folder:

        def file_to_file(parser: Parser) -> Callable[[], object]:
            def task() -> None:
                with (Path(folder) / "parsed").open("wb") as output:
                    for part in parser.parse_file(path):
                        output.write(part.to_bytes())

            return task

        stages: dict[str, Callable[[Parser], Callable[[], object]]] = {
            "treebank → heads, labels": from_treebank,
            "bytes → heads, labels": from_bytes,
            "file → file": file_to_file,
        }
        tasks: dict[tuple[str, str], Callable[[], object]] = {("", "bytes → treebank"): read}
        for stage, task in stages.items():
            tasks |= {(model.name, stage): task(model.parser) for model in models}
        timings = interleaved(tasks, repetitions, "parsing")

    keys = {model.name: model.key for model in models}
    for (model_name, stage), of_task in timings.items():
        goal = None
        if stage == "bytes → heads, labels":
            goal = IN_MEMORY_AIMS.get(keys[model_name])
        elif stage == "file → file" and keys[model_name] in {*LINEAR} & {*IN_MEMORY_AIMS}:
            goal = FILE_AIM
        best, median = rates(given.word_count, [timing.cpu for timing in of_task])
        wall, _ = rates(given.word_count, [timing.wall for timing in of_task])
        yield stage, model_name, best, median, wall, aim(goal, treebank)


def threads_lines(models: Sequence[Model], text: Treebank, repetitions: int) -> Iterator[tuple[str, ...]]:
    def task(parser: Parser, threads: int) -> Callable[[], object]:
        return lambda: parser._core.parse(text._core, threads)

    tasks = {(model.name, threads): task(model.parser, threads) for model in models for threads in THREADS}
    timings = interleaved(tasks, repetitions, "threads")
    for model in models:
        seconds = [[timing.wall for timing in timings[model.name, threads]] for threads in THREADS]
        cells = [cell for side in seconds for cell in rates(text.word_count, side)]
        yield model.name, *cells, f"{min(seconds[0]) / min(seconds[-1]):.2f}"


def long_sentence(treebank: Treebank, length: int) -> Treebank:
    """One sentence of so many words, those of a treebank one after the other, over and over."""

    def column(name: str) -> list[list[str]]:
        return [list(islice(cycle(treebank.column(name)), length))]

    return Treebank.from_words(
        column("form"),
        lemma=column("lemma"),
        upos=column("upos"),
        xpos=column("xpos"),
        feats=column("feats"),
    )


def length_lines(train: Treebank, text: Treebank, repetitions: int) -> Iterator[tuple[str, ...]]:
    sentences = {length: long_sentence(text, length) for length in LENGTHS}

    def task(parser: Parser, length: int) -> Callable[[], object]:
        return lambda: parser._core.parse(sentences[length]._core, 1)

    tasks: dict[tuple[str, int], Callable[[], object]] = {}
    with progress("training", len(SYSTEMS)) as bar:
        for system in SYSTEMS:
            # One epoch will do: how the time grows does not depend on how good the parser is.
            parser = Parser.train(train, system=system, learner="perceptron", features="zn2011", epochs=1)
            tasks |= {(system, length): task(parser, length) for length in LENGTHS}
            bar.update(f"trained {system}")
    timings = interleaved(tasks, repetitions, "long sentences")
    for system in SYSTEMS:
        each = [min(t.cpu for t in timings[system, length]) / length for length in LENGTHS]
        yield system, *(f"{1e9 * seconds:,.0f}" for seconds in each), f"{each[-1] / each[0]:.2f}"


@click.command()
@data_option
@treebank_option
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    default=15,
    show_default=True,
    help="Of training. Fewer give smaller models, which parse faster.",
)
@click.option(
    "--repetitions", type=click.IntRange(min=1), default=15, show_default=True, help="Of what is timed."
)
@only_option(f"those of {', '.join(SECTIONS)}")
@markdown_option
def main(
    data: Path, treebank: str, epochs: int, repetitions: int, only: re.Pattern[str], markdown: bool
) -> None:
    """Training, loading and parsing speed; threads; very long sentences."""
    chosen = {section for section in SECTIONS if only.search(section)}
    if not chosen:
        raise click.ClickException(f"No section matches. The sections: {', '.join(SECTIONS)}.")
    train, dev, test = (
        load(data, treebank, "train"),
        load(data, treebank, "dev"),
        load(data, treebank, "test"),
    )
    models: list[Model] = []
    with tempfile.TemporaryDirectory() as folder:
        with one_core():
            if chosen - {"length"}:
                models = train_models(train, epochs, Path(folder))
            if "training" in chosen:
                words = train.word_count
                print_table(
                    f"Training: words/s of one core, {treebank} ({words:,} words), epochs: {epochs}",
                    ("setting, learner", "first epoch", "best", "median", "aim"),
                    training_lines(models, words, treebank),
                    markdown=markdown,
                )
            if "loading" in chosen:
                print_table(
                    "Loading: milliseconds, files in the system's cache",
                    (
                        "setting, learner",
                        "MiB",
                        "load: best",
                        "median",
                        "load and parse one: best",
                        "median",
                    ),
                    loading_lines(models, test[:1], repetitions),
                    markdown=markdown,
                )
            if "parsing" in chosen:
                print_table(
                    f"Parsing: words/s of one core, {treebank} test ({test.word_count:,} words)",
                    ("what", "setting, learner", "best", "median", "best, wall clock", "aim"),
                    parsing_lines(models, treebank_path(data, treebank, "test"), treebank, repetitions),
                    notes=PEERS if treebank == AIMED_AT else (),
                    markdown=markdown,
                )
        if "threads" in chosen:
            print_table(
                f"Threads: words/s by the wall clock, {treebank} train (cores: {cores()})",
                (
                    "setting, learner",
                    "1 thread: best",
                    "median",
                    "2 threads: best",
                    "median",
                    "times faster",
                ),
                threads_lines(models, train, max(1, repetitions // 3)),
                markdown=markdown,
            )
        if "length" in chosen:
            with one_core():
                print_table(
                    "Length: nanoseconds a word in one sentence of so many words",
                    ("system", *(f"{length:,}" for length in LENGTHS), "last to first"),
                    length_lines(train, dev, max(1, repetitions // 5)),
                    notes=("A parser of linear time has about the same everywhere.",),
                    markdown=markdown,
                )


if __name__ == "__main__":
    main()
