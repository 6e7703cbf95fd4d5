"""How fast arcwise is inside other tools, beside itself: spaCy and Parquet files.

    python benchmarks/integrations.py
    python benchmarks/integrations.py --only spacy --model en-fast

Texts are those of en_ewt, some paragraphs to a document. Ways are interleaved, round by round, and the best
of each counts: CPU time in this process.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

import arcwise
from arcwise.cli import main as command
from corpora import of_treebank
from frame import benchmark, positive, repetitions_option
from store import Results, Setting
from tables import NOTHING, Table
from timing import interleaved

SCALES = {"1 billion": 1e9, "10 billion": 1e10, "100 billion": 1e11, "1 trillion": 1e12}


def documents(data: Path, size: int, words: int) -> tuple[list[str], int]:
    """Texts of so many paragraphs each, and how many words they have together."""
    paragraphs = [text for text in of_treebank(data).split("\n\n") if text.strip()]
    texts: list[str] = []
    count = 0
    for begin in range(0, len(paragraphs), size):
        texts.append("\n\n".join(paragraphs[begin : begin + size]))
        count += len(texts[-1].split())
        if count >= words:
            break
    nlp = arcwise.load("en-fast")
    return texts, sum(document.treebank.word_count for document in nlp.pipe(texts))


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    texts, words = documents(data, setting["paragraphs"], setting["words"])
    kind = setting["kind"]
    if kind == "spacy":
        return {"words": words, **spacy_times(texts, setting["model"], setting["repetitions"])}
    with tempfile.TemporaryDirectory() as folder:
        own = parquet_times(texts, setting["model"], setting["repetitions"], Path(folder))
        return {"words": words, **own}


def best(tasks: dict[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    return {name: min(t.cpu for t in own) for name, own in interleaved(tasks, repetitions).items()}


def spacy_times(texts: list[str], model: str, repetitions: int) -> dict[str, Any]:
    import spacy

    import arcwise.spacy

    nlp = arcwise.load(model)
    whole = arcwise.spacy.pipeline(model)
    own = spacy.blank("en")
    own.add_pipe("arcwise", config={"model": model})
    blank = spacy.blank("en")
    tasks: dict[str, Callable[[], object]] = {
        "arcwise": lambda: list(nlp.pipe(texts)),
        "whole": lambda: list(whole.pipe(texts)),
        "component": lambda: list(own.pipe(texts)),
        "blank": lambda: list(blank.pipe(texts)),
    }
    return best(tasks, repetitions)


def parquet_times(texts: list[str], model: str, repetitions: int, folder: Path) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (folder / "in.txt").write_text("\n\n".join(texts), encoding="utf-8")
    pq.write_table(pa.table({"id": range(len(texts)), "text": texts}), folder / "in.parquet")

    def parsed(*arguments: str) -> Callable[[], object]:
        def work() -> None:
            with contextlib.suppress(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                command(["parse", model, *arguments, "--jobs", "1"])

        return work

    given, output = str(folder / "in.parquet"), str(folder / "out.parquet")
    tasks = {
        "text": parsed(str(folder / "in.txt"), "-o", str(folder / "out.conllu")),
        "parquet": parsed(given, "-o", output),
        "word rows": parsed(given, "-o", output, "--rows", "word"),
        "conllu": parsed(given, "-o", output, "--rows", "conllu"),
    }
    return best(tasks, repetitions)


def ratio(results: Results, one: str, other: str) -> str:
    values, others = results.mean(one), results.mean(other)
    return NOTHING if values is None or not others else f"{values / others:.0%}"


def rate(results: Results, name: str) -> str:
    seconds, words = results.mean(name), results.mean("words")
    return NOTHING if seconds is None or words is None else f"{words / seconds:,.0f}"


def tables(results: Results) -> Iterator[Table]:
    rows: list[tuple[str, ...]] = []
    for (model, paragraphs), of in results.of(kind="spacy").by("model", "paragraphs"):
        name = f"{model}, {paragraphs} paragraphs a document"
        for way, label in (("whole", "spaCy, our tokenizer"), ("component", "spaCy, its own tokenizer")):
            rows.append((label, name, rate(of, way), rate(of, "arcwise"), ratio(of, "arcwise", way)))
    for (model,), of in results.of(kind="parquet").by("model"):
        for way, label in (
            ("parquet", "Parquet to Parquet"),
            ("word rows", "Parquet to Parquet, a row a word"),
            ("conllu", "Parquet to Parquet, CoNLL-U"),
        ):
            rows.append((label, model, rate(of, way), rate(of, "text"), ratio(of, "text", way)))
    if rows:
        yield Table(
            "Beside other tools",
            ("way", "model", "words/s", "arcwise alone, words/s", "of its speed"),
            rows,
            (
                "Words per second of CPU time. Alone: `nlp.pipe` for spaCy, `arcwise parse` from raw text to "
                "CoNLL-U for files.",
            ),
            results,
        )
    cost = results.of(kind="parquet", model="en")
    seconds, words = cost.mean("parquet"), cost.mean("words")
    if seconds is not None and words is not None:
        an_hour = words / seconds * 3600
        yield Table(
            "What a corpus costs",
            ("words", "core-hours", "hours on 64 cores", "hours on 1,024 cores"),
            [
                (name, *(f"{size / an_hour / cores:,.1f}" for cores in (1, 64, 1024)))
                for name, size in SCALES.items()
            ],
            (f"One core: {an_hour / 1e6:,.0f} million words an hour. The rest is reckoned, not measured.",),
            cost,
        )


@benchmark(run, tables, seeds=1)
@click.option("--model", "models", multiple=True, default=["en"], show_default=True)
@click.option("--words", type=positive, default=50_000, show_default=True, help="About how many.")
@repetitions_option
def main(data: Path, models: tuple[str, ...], words: int, repetitions: int) -> Iterator[tuple[str, Setting]]:
    """How fast arcwise is inside other tools, beside itself."""
    shared = {"words": words, "repetitions": repetitions}
    for model in models:
        for paragraphs in (1, 10):
            own = {"kind": "spacy", "model": model, "paragraphs": paragraphs, **shared}
            yield f"spacy/{model}/{paragraphs}", own
        yield f"parquet/{model}", {"kind": "parquet", "model": model, "paragraphs": 10, **shared}


if __name__ == "__main__":
    main()
