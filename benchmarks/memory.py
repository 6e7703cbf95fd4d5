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
from typing import Any, ParamSpec

from arcwise import Parser, Treebank
from arcwise.options import LEARNERS
from frame import benchmark, epochs_option, treebank_option
from store import Results, Setting
from tables import Table, mebibytes
from treebanks import treebank_path

COPIES = (1, 4, 16)
"""How many times over the training file is streamed."""

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


def train(path: Path, dev: Path, learner: str, epochs: int | None, model: Path) -> None:
    """As `arcwise train TRAIN --dev DEV -o MODEL`, which holds the best parser until then as well."""
    Parser.train(path, dev=dev, learner=learner, epochs=epochs).save(model)


def parse_stream(model: Path, path: Path) -> None:
    with Path(os.devnull).open("wb") as output:
        for part in Parser.load(model).parse_file(path):
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


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    path, dev = (treebank_path(data, setting["treebank"], part) for part in ("train", "dev"))
    if "learner" not in setting:
        return {"start": peak_of(only_start), "read": peak_of(only_read, path)}
    with tempfile.TemporaryDirectory() as name:
        model = Path(name) / "model"
        peak = peak_of(train, path, dev, setting["learner"], setting.get("epochs"), model)
        streams = {str(copies): peak_of_stream(model, path, copies, Path(name)) for copies in COPIES}
        return {"train": peak, "model": model.stat().st_size, "stream": streams}


def tables(results: Results) -> Iterator[Table]:
    for (treebank,), of in results.by("treebank"):
        rows = [
            (name, mebibytes(of.mean(what)))
            for name, what in (("interpreter and arcwise alone", "start"), ("reading the treebank", "read"))
        ]
        learners = [learner for learner in of.distinct("learner") if learner is not None]
        rows += [(f"training, {name}", mebibytes(of.of(learner=name).mean("train"))) for name in learners]
        for learner in learners:
            own = of.of(learner=learner)
            name = f"parsing with {learner}, model of {mebibytes(own.mean('model'))} MiB"
            rows += [(f"{name}, the file {n} ×", mebibytes(own.mean("stream", str(n)))) for n in COPIES]
        yield Table(
            f"Peak memory in MiB: {treebank}",
            ("what", "peak"),
            rows,
            ("A stream is parsed in bounded memory if the peak does not grow with it.",),
            of,
        )


@benchmark(run, tables, seeds=None)
@treebank_option
@epochs_option
def main(data: Path, treebank: str, epochs: int | None) -> Iterator[tuple[str, Setting]]:
    """Peak memory of training and of parsing."""
    yield "start", {"treebank": treebank}
    for learner in LEARNERS:
        yield learner, {"treebank": treebank, "learner": learner, "epochs": epochs}


if __name__ == "__main__":
    main()
