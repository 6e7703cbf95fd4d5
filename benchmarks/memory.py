"""Peak memory of training, and of parsing a stream of any length.

    python benchmarks/memory.py
    python benchmarks/memory.py --epochs 1 --treebank udt2_sv

Each figure is the largest resident set of a process of its own, interpreter and all.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import ParamSpec

import click

import arcwise
from arcwise import Parser, Treebank
from arcwise.options import LEARNERS
from common import (
    NOTHING,
    data_option,
    markdown_option,
    mebibytes,
    print_table,
    treebank_option,
    treebank_path,
)

# What is to be kept to on en_ewt, in bytes.
AIMS = {"perceptron": 1 * 2**30, "adagrad": 2 * 2**30}
AIMED_AT = "en_ewt"

Arguments = ParamSpec("Arguments")


def peak_of(task: Callable[Arguments, None], *arguments: Arguments.args, **named: Arguments.kwargs) -> int:
    """Runs a task in a new process and gives its peak memory in bytes."""
    # A new process starts with the peak of the one that started it, so this one must stay small: it
    # reads no treebank and no model.
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        pool.submit(task, *arguments, **named).result()
        return pool.submit(_peak).result()


def _peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def only_start() -> None:
    """What every process here needs: the interpreter, numpy and arcwise, which are imported by now."""


def only_read(path: Path) -> None:
    Treebank.read(path)


def train(path: Path, dev: Path, learner: str, epochs: int, model: Path) -> None:
    """As `arcwise train TRAIN --dev DEV -o MODEL`, which holds the best parser until then as well."""
    Parser.train(path, dev=dev, learner=learner, epochs=epochs).save(model)


def parse_stream(model: Path, path: Path) -> None:
    with Path(os.devnull).open("wb") as output:
        for part in arcwise.load(model).parse_file(path):
            output.write(part.to_bytes())


def peak_of_stream(model: Path, path: Path, copies: int, folder: Path) -> int:
    """The peak of parsing a file so many times over, through a pipe that is named like it."""
    pipe = folder / f"{copies}-{path.name}"
    os.mkfifo(pipe)

    def feed() -> None:
        with pipe.open("wb") as stream:
            for _ in range(copies):
                with path.open("rb") as file:
                    shutil.copyfileobj(file, stream)

    # A daemon, so that a process that fails before it reads does not keep this one waiting.
    threading.Thread(target=feed, daemon=True).start()
    return peak_of(parse_stream, model, pipe)


def training_lines(data: Path, treebank: str, epochs: int, folder: Path) -> Iterator[tuple[str, ...]]:
    path, dev = treebank_path(data, treebank, "train"), treebank_path(data, treebank, "dev")
    yield "interpreter and arcwise alone", mebibytes(peak_of(only_start)), NOTHING
    yield f"reading {path.name}", mebibytes(peak_of(only_read, path)), NOTHING
    for learner in LEARNERS:
        peak = peak_of(train, path, dev, learner, epochs, folder / learner)
        aim = mebibytes(AIMS[learner]) if treebank == AIMED_AT and learner in AIMS else NOTHING
        yield f"training, {learner}", mebibytes(peak), aim


def stream_lines(
    data: Path, treebank: str, copies: tuple[int, ...], folder: Path
) -> Iterator[tuple[str, ...]]:
    path = treebank_path(data, treebank, "train")
    for learner in LEARNERS:
        model = folder / learner
        for number in copies:
            peak = peak_of_stream(model, path, number, folder)
            size, own = path.stat().st_size * number, model.stat().st_size
            yield learner, mebibytes(own), mebibytes(size), mebibytes(peak)
            (folder / f"{number}-{path.name}").unlink()


@click.command()
@data_option
@treebank_option
@click.option("--epochs", type=click.IntRange(min=1), default=15, show_default=True, help="Of training.")
@click.option(
    "--copies",
    type=click.IntRange(min=1),
    multiple=True,
    default=(1, 4, 16),
    show_default=True,
    help="How many times over the training file is streamed; may be given several times.",
)
@markdown_option
def main(data: Path, treebank: str, epochs: int, copies: tuple[int, ...], markdown: bool) -> None:
    """Peak memory of training and of parsing."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print_table(
            f"Peak memory in MiB: training on {treebank} with dev, default options, epochs: {epochs}",
            ("what", "peak", "aim: at most"),
            training_lines(data, treebank, epochs, folder),
            markdown=markdown,
        )
        print_table(
            "Peak memory in MiB: parsing a stream, one thread",
            ("learner", "model", "stream", "peak"),
            stream_lines(data, treebank, copies, folder),
            notes=(
                "A stream is parsed in bounded memory if, beyond the few MiB that are read at a time, the",
                "peak does not grow with it. The model file is read into memory, and counts.",
            ),
            markdown=markdown,
        )


if __name__ == "__main__":
    main()
