"""Checkouts of arcwise that are measured in turns, and what they are given to parse."""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import click

import arcwise
from corpora import CORPORA, TEXT
from launch import launched
from store import commit_of, provenance

WORK = Path(__file__).resolve().parents[1] / "models" / "benchmarks"
WORKER = Path(__file__).with_name("worker.py")
FIRST = "first"
"""A text of one sentence."""

BUILDS = {"now": Path(arcwise.__file__).resolve().parents[1]}
"""Folders of sources, compiled in place."""

vectors_option = click.option(
    "--vectors",
    type=click.Choice(["portable", "avx2", "avx-vnni", "avx512bw"]),
    help="Measured as on a machine that has no better vector unit, beside what was measured with others.",
)

against_option = click.option(
    "--against",
    type=click.Path(exists=True, file_okay=False, path_type=Path, resolve_path=True),
    help="The source folder of another checkout, compiled in place, that is measured in turns.",
)


def measure_against(source: Path | None) -> None:
    """Measures another checkout, too, as what was before."""
    if source is not None:
        BUILDS["before"] = source


class Build:
    """A folder of sources of arcwise, compiled in place."""

    def __init__(self, source: Path, vectors: str | None = None) -> None:
        self.source = source
        self.provenance = {"commit": commit_of(source), "unit": vectors or provenance()["unit"]}
        self._environment = {**os.environ, "PYTHONPATH": str(source)}
        if vectors is not None:
            self._environment["ARCWISE_VECTORS"] = vectors
        # An installed package is compiled once: so are sources here, before what is timed.
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def command(self, text: Path, to: str, jobs: int) -> dict[str, Any]:
        """A whole run of `arcwise parse`, start and all."""
        own = ["-m", "arcwise", "parse", "-m", "en", str(text), "--to", to, "--jobs", str(jobs)]
        return self._launch(*own, cores=jobs, output=False)[1]

    def worker(self, *task: object, rounds: int) -> dict[str, Any]:
        """Without start and loading."""
        printed, took = self._launch(str(WORKER), *map(str, task), str(rounds))
        return took | json.loads(printed)

    def training(self, task: str, kind: str, train: Path, dev: Path, *, threads: int) -> dict[str, Any]:
        """An epoch of a training, or the whole."""
        command = [str(WORKER), task, kind, str(train), str(dev), str(threads)]
        printed, took = self._launch(*command, cores=threads)
        return took | json.loads(printed)

    def model(self, preset: str, train: Path) -> Path | None:
        """A parser that was trained on a file, perhaps by another build that writes the same format."""
        asked = "from arcwise import model_file, options; print(model_file.FORMAT, *options.PRESETS)"
        model_format, *presets = self._launch("-c", asked)[0].split()
        if preset not in presets:
            return None
        path = WORK / f"en_ewt-{preset}-{model_format}.model"
        if not path.exists():
            click.echo(f"Training {path.name}, once …", err=True)
            unfinished = path.with_suffix(".unfinished")
            self._launch(str(WORKER), "train", preset, str(train), str(unfinished))
            unfinished.replace(path)
        return path

    def _launch(self, *arguments: str, **how: Any) -> tuple[str, dict[str, Any]]:
        return launched([sys.executable, *arguments], environment=self._environment, **how)


def prepared(data: Path, name: str) -> Path:
    """A file to be parsed, made once."""
    path = WORK / f"{name}.txt"
    if not path.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        if name == FIRST:
            text = "Time flies like an arrow.\n"
        else:
            text = CORPORA[name](TEXT if name == "other texts" else data)
        path.write_text(text, encoding="utf-8")
    return path


@cache
def words_of(text: Path) -> int:
    """As this build's English model counts them."""
    segmenter = arcwise.load("en").segmenter
    assert segmenter is not None
    return segmenter.segment(text.read_bytes()).word_count
