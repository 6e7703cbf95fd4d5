"""What `arcwise annotate` saves an annotator, and how soon it answers.

    python benchmarks/annotate.py
    python benchmarks/annotate.py --only 'el_gdt/follow'
    python benchmarks/annotate.py --only speed

A simulated annotator goes through sentences of dev with gold words, from left to right, and puts right the
first head or label that differs from the gold tree, until none does. Each head that is drawn and each label
that is chosen is an action. Without the model a label stays when its head changes; otherwise an arc gets the
label that the model finds likeliest for it. With re-parsing the rest of the tree follows under what was put
right. When taught, the model learns every so many sentences from all that were corrected, and from some of
what it was trained on.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import numpy as np

import arcwise
from arcwise import Pipeline, Treebank
from arcwise.annotate import Project, TreeFile
from arcwise.annotate.desk import Desk
from arcwise.annotate.editing import Model, make
from arcwise.annotate.lines import Block
from arcwise.annotate.reparsing import proposed
from arcwise.serve.annotating import drawer
from frame import benchmark, epochs_option, positive
from store import Results, Setting
from tables import NOTHING, Table, number
from treebanks import load, treebank_path

WAYS = {
    "hand": "without the model",
    "alone": "without re-parsing",
    "follow": "with re-parsing",
    "taught": "with re-parsing, taught",
}
MODELS = {"el_gdt": None, "en_ewt": "en"}
"""The model that is there, or None: one is trained on train."""
TAUGHT_EVERY = 50
LONGEST = 100
"""Words of a sentence that is annotated."""
WORDS_OF_LATENCY = range(46, 55)
CORRECTIONS = 200


@cache
def pipeline_of(data: Path, treebank: str, epochs: int | None) -> Pipeline:
    """The model; one that is trained here is the same for all ways."""
    if (name := MODELS[treebank]) is not None:
        return arcwise.load(name)
    return Pipeline.train(load(data, treebank, "train"), epochs=epochs, seed=1)


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    if setting["way"] == "speed":
        return speed(data, setting["treebank"])
    treebank = setting["treebank"]
    dev = load(data, treebank, "dev")
    lengths = np.diff(dev.first_words)
    fitting = [index for index in range(len(dev)) if lengths[index] <= LONGEST]
    chosen = random.Random(seed).sample(fitting, setting["sentences"])
    nlp = pipeline_of(data, treebank, setting.get("epochs"))
    train = load(data, treebank, "train")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.conllu"
        path.write_bytes(b"")
        file = TreeFile(path, path.name)
        actions: list[int] = []
        wrong = 0
        for done, index in enumerate(chosen, 1):
            gold = dev.select([index])
            own, errors = annotated(file, gold, nlp, setting["way"])
            actions.append(own)
            wrong += errors
            if setting["way"] == "taught" and done % TAUGHT_EVERY == 0 and done < len(chosen):
                nlp = nlp.update(dev.select(chosen[:done]), replay=train, threads=2)
    words = int(lengths[chosen].sum())
    return {
        "sentences": len(chosen),
        "words": words,
        "actions": sum(actions),
        "by_fifty": {
            str(begin // 50 + 1): statistics.fmean(actions[begin : begin + 50])
            for begin in range(0, len(actions), 50)
        },
        "wrong": wrong,
    }


def annotated(file: TreeFile, gold: Treebank, nlp: Pipeline, way: str) -> tuple[int, int]:
    """The actions that a sentence takes, and how many of its words were wrong at first."""
    model = Model() if way == "hand" else Model(nlp, "model")
    follow = way in ("follow", "taught")
    forms = [[token.form for token in gold[0]]]
    block = proposed(Block.from_bytes(Treebank.from_words(forms).to_bytes()), nlp, "model")
    wanted = [(str(token.head), str(token.deprel)) for token in gold[0]]
    errors = sum((row[6], row[7]) != want for row, want in zip(block.words, wanted, strict=True))
    for actions in range(4 * len(wanted) + 1):
        operation = first_correction(block, wanted)
        if operation is None:
            return actions, errors
        block = make(file, block.to_bytes(), [operation], model, follow=follow).blocks[0]
    raise RuntimeError(f"no end of corrections in {gold[0].id}")


def first_correction(block: Block, wanted: list[tuple[str, str]]) -> dict[str, Any] | None:
    for word, (row, (head, label)) in enumerate(zip(block.words, wanted, strict=True), 1):
        if row[6] != head:
            return {"op": "head", "word": word, "head": int(head), "swap": True}
        if row[7] != label:
            return {"op": "set", "word": word, "field": "deprel", "value": label}
    return None


def speed(data: Path, treebank: str) -> dict[str, Any]:
    """How long a correction takes in sentences of about 50 words, and opening the training set."""
    dev = load(data, treebank, "dev")
    long = [index for index, n in enumerate(np.diff(dev.first_words)) if n in WORDS_OF_LATENCY]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.conllu"
        forms = [[token.form for token in dev[index]] for index in long]
        Treebank.from_words(forms).write(path)
        nlp = arcwise.load("en")
        desk = Desk(Project([path], {"en": nlp}, "en"), drawer)
        seconds, cpu = list[float](), list[float]()
        looks = {"drawing": {"width": 1200, "columns": ["upos"], "marks": True}}
        keys = [one["key"] for one in desk.listed({"file": path.name})["sentences"]]
        for number in range(CORRECTIONS + 5):
            key = keys[number % len(keys)]
            [state] = desk.read({"file": path.name, "keys": [key], **looks})["sentences"]
            tokens = state["sentence"]["tokens"]
            gold = dev[long[number % len(keys)]]
            pairs = [(t, g) for t, g in zip(tokens, gold, strict=True) if str(t["id"]) not in state["fixed"]]
            wrong = [pair for pair in pairs if pair[0]["head"] != pair[1].head]
            token, right = (wrong or pairs)[0]
            operation = {"op": "head", "word": token["id"], "head": right.head}
            edit = {"file": path.name, "key": key, "version": state["version"], "operation": operation}
            begun, worked = time.perf_counter(), time.process_time()
            desk.edit({**edit, **looks, "reparse": True})
            seconds.append(time.perf_counter() - begun)
            cpu.append(time.process_time() - worked)
        desk.finish()
        whole = Path(folder) / "whole.conllu"
        whole.write_bytes(treebank_path(data, treebank, "train").read_bytes())
        begun = time.perf_counter()
        other = Desk(Project([whole], {"en": nlp}, "en"), drawer)
        page = other.listed({"file": whole.name})
        other.read({"file": whole.name, "keys": [page["sentences"][0]["key"]], **looks})
        opened = time.perf_counter() - begun
    timed, worked_for = sorted(seconds[5:]), sorted(cpu[5:])
    return {
        "cpu_p50": statistics.median(worked_for),
        "cpu_p99": worked_for[int(0.99 * len(worked_for))],
        "corrections": len(timed),
        "p50": statistics.median(timed),
        "p99": timed[int(0.99 * len(timed))],
        "opened": opened,
        "words": load(data, treebank, "train").word_count,
    }


def tables(results: Results) -> Iterator[Table]:
    rows = []
    for (treebank,), of in results.by("treebank"):
        base = of.of(way="hand").mean("actions")
        for way, name in WAYS.items():
            own = of.of(way=way)
            actions = own.mean("actions")
            if actions is None:
                continue
            sentences = own.mean("sentences") or 1
            saved = None if not base else 100 * (actions / base - 1)
            shown = " / ".join(number(own.mean("by_fifty", part), 2) for part in own.names("by_fifty"))
            rows.append(
                (
                    f"{treebank}, {name}",
                    number(sentences),
                    number(own.mean("words")),
                    number(own.mean("wrong")),
                    number(actions / sentences, 2),
                    NOTHING if saved is None or way == "hand" else f"{saved:+.1f} %",
                    shown,
                )
            )
    if rows:
        columns = ("", "sentences", "words", "wrong at first", "actions a sentence", "fewer", "by fifty")
        notes = (
            "Of dev, gold words. el_gdt: a pipeline trained on its training set; en_ewt: the model en. "
            f"Taught every {TAUGHT_EVERY} sentences. Fewer: than without the model.",
        )
        yield Table("A simulated annotator", columns, rows, notes, results)
    timed = results.of(way="speed")
    if timed.has("p50"):
        milliseconds = [
            ("a correction, p50", "p50"),
            ("a correction, p99", "p99"),
            ("its CPU time, p50", "cpu_p50"),
            ("its CPU time, p99", "cpu_p99"),
        ]
        cells = [(name, f"{1000 * (timed.mean(key) or 0):.1f} ms") for name, key in milliseconds]
        cells.append(
            (f"{number(timed.mean('words'))} words are opened", f"{timed.mean('opened') or 0:.2f} s")
        )
        notes = (
            "A correction in sentences of 46 to 54 words of en_ewt: constraint, new parse, probabilities, "
            "picture, journal and file; without HTTP. Opened: to the first page of the list and the first "
            "tree.",
        )
        yield Table("How soon annotate answers", ("", "time"), cells, notes, timed)


@benchmark(run, tables, seeds=1)
@epochs_option
@click.option("--sentences", type=positive, default=200, show_default=True, help="That are annotated.")
def main(data: Path, epochs: int | None, sentences: int) -> Iterator[tuple[str, Setting]]:
    for treebank in MODELS:
        for way in WAYS:
            setting: Setting = {"treebank": treebank, "way": way, "sentences": sentences}
            if MODELS[treebank] is None:
                setting["epochs"] = epochs or 8
            yield f"{treebank}/{way}", setting
    yield "speed", {"treebank": "en_ewt", "way": "speed"}


if __name__ == "__main__":
    main()
