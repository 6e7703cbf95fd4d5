"""How fast arcwise parses: raw text, tagged CoNLL-U, the first sentence; on one core and on two.

    python benchmarks/speed.py
    python benchmarks/speed.py --against ../base/src --only 'raw text|first' --vectors avx2

Every repetition measures every row once, so that a busy moment of the machine meets all alike, each in a
process of its own, kept to one core (or two); tables have medians. `--against` runs another checkout in
turns with this one. Parsers of tagged CoNLL-U are trained on en_ewt once for every model format and kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from builds import (
    BUILDS,
    FIRST,
    Build,
    against_option,
    measure_against,
    prepared,
    vectors_option,
    words_of,
)
from corpora import CORPORA
from frame import benchmark
from store import Results, Setting
from tables import NOTHING, Table, number
from treebanks import treebank_path

PRESETS = ("default", "fast", "turbo")

RAW = {
    "raw text → CoNLL-U": ("conllu", 1),
    "raw text → CoNLL-U, two cores": ("conllu", 2),
    "raw text → JSON": ("json", 1),
    "raw text → documents (nlp.pipe)": ("documents", 1),
}
TREES = {f"CoNLL-U with tags → trees, {preset}": ("trees", preset) for preset in PRESETS}
TREES["CoNLL-U with tags → trees, default, beam 8"] = ("beam", "default")
FIRST_SENTENCE = "first sentence of the command line"


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    row, build = setting["row"], Build(BUILDS[setting["build"]], setting.get("vectors"))
    if row == FIRST_SENTENCE:
        found = build.command(prepared(data, FIRST), "conllu", 1)
    elif row in TREES:
        task, preset = TREES[row]
        model = build.model(preset, treebank_path(data, "en_ewt", "train"))
        if model is None:
            return {**build.provenance, "missing": f"there is no preset {preset}"}
        test = treebank_path(data, "en_ewt", "test")
        found = build.worker(task, str(model), test, rounds=3 if task == "beam" else 9)
    else:
        how, jobs = RAW[row]
        text = prepared(data, setting["corpus"])
        if how == "documents":
            found = build.worker(how, "en", text, rounds=1)
        else:
            found = build.command(text, how, jobs)
        found["words"] = words_of(text)
    return {**build.provenance, **found}


def tables(results: Results) -> Iterator[Table]:
    rows = []
    now, before = results.of(build="now"), results.of(build="before")
    for (row, corpus, vectors), own in now.by("row", "corpus", "vectors"):
        old = before.of(row=row, corpus=corpus, vectors=vectors)
        if row == FIRST_SENTENCE:
            cells = [seconds(build, what) for build in (own, old) for what in ("cpu", "wall")]
            cells.append(times(old, own, "cpu"))
        else:
            cells = [*rates(own), *rates(old), times(old, own, "wall" if "two cores" in row else "cpu")]
        memory, hits, las = own.median("memory"), own.median("cache_hits"), own.median("las")
        rows.append(
            (
                ", ".join(filter(None, (row, corpus, vectors))),
                number(own.median("words")) if row != FIRST_SENTENCE else "1",
                *cells,
                number(memory and memory / 2**20),
                NOTHING if hits is None else f"{100 * hits:.1f} %",
                number(las, 2),
            )
        )
    if rows:
        yield Table(
            "Speed",
            (
                "one core",
                *("words", "words/s", "by the clock", "before: words/s", "by the clock", "times"),
                *("MiB", "cache hits", "LAS"),
            ),
            rows,
            (
                f"Medians of {results.seeds} interleaved runs; words/s of CPU time, start of the program "
                "included where it is `arcwise parse`. en_ewt: the raw text of train, dev and test, once "
                "each; other texts: 500,000 words of seven kinds, nothing repeated; tagged: test of en_ewt, "
                "from memory to heads and labels, gold tags. Two cores: by the clock. avx2: on the same "
                "machine, by the code for those that have AVX2 alone.",
            ),
            results,
        )
    raw, two = (
        now.of(row=row, corpus="en_ewt", vectors=None)
        for row in ("raw text → CoNLL-U", "raw text → CoNLL-U, two cores")
    )
    if raw and two:
        gain = (raw.median("wall") or 0) / (two.median("wall") or 1)
        machine = ", ".join(filter(None, map(raw.records[0].get, ("unit", "processor"))))
        yield Table(
            "Speed of the English model",
            (f"raw text of UD English-EWT to CoNLL-U, {machine}", ""),
            [
                ("words/s of one core", rates(raw)[0 if raw.has("cpu") else 1]),
                ("two cores", f"{gain:.2f} ×"),
                ("first sentence after", seconds(now.of(row=FIRST_SENTENCE, vectors=None), "wall")),
                ("memory", f"{number((raw.median('memory') or 0) / 2**20)} MiB"),
            ],
        )  # fmt: skip


def rates(own: Results) -> list[str]:
    """Words a second by CPU time and by the clock."""
    words = own.median("words")
    both = (own.median("cpu"), own.median("wall"))
    return [NOTHING if not (words and taken) else f"{words / taken:,.0f}" for taken in both]


def seconds(own: Results, what: str) -> str:
    value = own.median(what)
    return NOTHING if value is None else f"{value:.3f} s"


def times(old: Results, new: Results, what: str) -> str:
    before, now = old.median(what), new.median(what)
    return NOTHING if not (before and now) else f"{before / now:.2f}"


@benchmark(run, tables, seeds=3, timed=True)
@against_option
@vectors_option
def main(data: Path, against: Path | None, vectors: str | None) -> Iterator[tuple[str, Setting]]:
    """How fast arcwise parses, beside another checkout."""
    measure_against(against)
    for row in (*RAW, *TREES, FIRST_SENTENCE):
        for corpus in CORPORA if row in RAW else (None,):
            for build in BUILDS:
                name = ", ".join(filter(None, (row, corpus, build)))
                yield name, {"row": row, "corpus": corpus, "build": build, "vectors": vectors}


if __name__ == "__main__":
    main()
