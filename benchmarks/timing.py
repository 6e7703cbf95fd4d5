"""Stopwatches."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

REPETITIONS = 5

Key = TypeVar("Key", bound=Hashable)


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


def interleaved(tasks: Mapping[Key, Callable[[], object]], repetitions: int) -> dict[Key, list[Timing]]:
    """Runs every task once in each round, so that a busy moment of the machine meets all alike.

    The first round only warms the caches."""
    timings: dict[Key, list[Timing]] = {key: [] for key in tasks}
    for repetition in range(repetitions + 1):
        for key, task in tasks.items():
            timing = timed(task)
            if repetition:
                timings[key].append(timing)
    return timings


def words_per_second(task: Callable[[], object], words: int) -> float:
    """Of CPU time, in the best of some rounds."""
    return words / min(timed(task).cpu for _ in range(REPETITIONS))


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


class Saved(Protocol):
    def save(self, path: Path) -> object: ...


def file_bytes(model: Saved) -> int:
    """How large the model file is."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return path.stat().st_size
