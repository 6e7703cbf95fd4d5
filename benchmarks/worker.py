"""What is measured in a process of its own, by whichever arcwise is on PYTHONPATH, old ones too.

    python worker.py TASK MODEL FILE ROUNDS
    python worker.py train PRESET FILE MODEL
    python worker.py epoch|whole network|linear FILE DEV THREADS

Prints what it found as JSON: CPU seconds and those of the clock, without loading, the best of some rounds.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arcwise
from arcwise import Treebank


def documents(model: Any, path: Path, rounds: int) -> dict[str, Any]:
    """Raw text to documents, a paragraph each."""
    texts = path.read_text(encoding="utf-8").split("\n\n")

    def run() -> None:
        for _ in model.pipe(texts):
            pass

    return timed(run, rounds)


def trees(model: Any, path: Path, rounds: int, **how: Any) -> dict[str, Any]:
    """CoNLL-U in memory to heads and labels."""
    text = path.read_bytes()
    given = Treebank.from_string(text)
    parser = getattr(model, "parser", model)

    def run() -> None:
        parser._core.parse(Treebank.from_string(text, check_trees=False)._core, **how)

    las = arcwise.evaluate(given, parser.parse(given, **how), conll18=False).attachment.las
    return {**timed(run, rounds), "words": given.word_count, "las": las}


def beam(model: Any, path: Path, rounds: int) -> dict[str, Any]:
    return trees(model, path, rounds, beam=8)


def components(model: Any, path: Path, rounds: int) -> dict[str, Any]:
    """Microseconds a word of what a run from raw text is made of."""
    text = path.read_bytes()
    parsed: list[Treebank] = []
    segmented = model.segmenter.segment(text)

    def microseconds(run: Callable[[], object]) -> float:
        return 1e6 * timed(run, rounds)["cpu"] / segmented.word_count

    together = microseconds(lambda: parsed.append(model.parse(segmented, tags="new")))
    tagging = microseconds(lambda: model.tagger.tag(segmented))
    return {
        "segmentation": microseconds(lambda: model.segmenter.segment(text)),
        "encoder, tags, lemmas": tagging,
        "parsing": together - tagging,
        "writing": microseconds(lambda: parsed[0].to_bytes()),
    }


def timed(run: Callable[[], object], rounds: int) -> dict[str, Any]:
    found = []
    for _ in range(rounds):
        cpu, wall = time.process_time(), time.perf_counter()
        run()
        found.append((time.process_time() - cpu, time.perf_counter() - wall))
    return dict(zip(("cpu", "wall"), map(min, zip(*found, strict=True)), strict=True))


def train(preset: str, path: Path, output: str) -> None:
    arcwise.Parser.train(path, options=arcwise.ParserOptions.preset(preset)).save(output)


EPOCHS = 3


def epoch(kind: str, train: str, dev: str, threads: int) -> dict[str, Any]:
    """The last of some epochs."""
    ends: list[tuple[float, float]] = []

    def note(*about: object) -> None:
        ends.append((time.process_time(), time.perf_counter()))

    if kind == "linear":
        options = arcwise.ParserOptions.of(learner="perceptron", epochs=EPOCHS)
        for _ in arcwise.Training(Treebank.read(train), options=options).epochs():
            note()
    else:
        shared(train, threads, epochs=EPOCHS, on_epoch=note)
    return dict(zip(("cpu", "wall"), (b - a for a, b in zip(*ends[-2:], strict=True)), strict=True))


def whole(kind: str, train: str, dev: str, threads: int) -> dict[str, Any]:
    """All of a training, which looks at dev after every epoch."""
    models = []
    values = timed(lambda: models.append(shared(train, threads, dev=Treebank.read(dev))), 1)
    scores = models[0].evaluate(Treebank.read(dev), start="tokens").conll18
    return {**values, "upos": scores["UPOS"].f1, "las": scores["LAS"].f1}


def shared(train: str, threads: int, **how: Any) -> arcwise.Pipeline:
    """A tagger and a parser that share a network."""
    components = ("tagger", "parser")
    return arcwise.Pipeline.train(
        Treebank.read(train), components=components, jobs=threads, progress=False, **how
    )


def cache_hits(nlp: arcwise.Pipeline) -> float | None:
    """How many of the words were known from before, where a network has such a cache."""
    network = getattr(nlp.parser_of_own_tags, "_model", None)
    asked, known = getattr(network, "known_words", (0, 0))
    if not asked:
        asked, known = getattr(getattr(nlp.parser, "_model", None), "known_words", (0, 0))
    return known / asked if asked else None


if __name__ == "__main__":
    task, model, file, last, *threads = sys.argv[1:]
    if task == "train":
        train(model, Path(file), last)
    elif threads:
        print(json.dumps({"epoch": epoch, "whole": whole}[task](model, file, last, int(*threads))))
    else:
        own = {"documents": documents, "trees": trees, "beam": beam, "components": components}[task]
        loaded = arcwise.load(model)
        values = own(loaded, Path(file), int(last))
        values["cache_hits"] = cache_hits(loaded)
        print(json.dumps(values))
