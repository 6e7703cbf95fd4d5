"""How long training takes: an epoch, on one thread and on two, and a whole training with its accuracy.

    python benchmarks/training.py --against ../base/src
    python benchmarks/training.py --only epoch

The shared network of a tagger and a parser, and the preset linear, on en_ewt; each run in a process of its
own. Of an epoch, the last of three counts, without what comes before and after; a whole training has dev and
chooses its epochs by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from builds import BUILDS, Build, against_option, measure_against, vectors_option
from frame import benchmark
from store import Results, Setting
from tables import NOTHING, Table, number
from treebanks import treebank_path

ROWS = {
    "shared network, an epoch": ("epoch", "network", 1),
    "shared network, an epoch, two threads": ("epoch", "network", 2),
    "linear, an epoch": ("epoch", "linear", 1),
    "shared network, all of it": ("whole", "network", 1),
}


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    build = Build(BUILDS[setting["build"]], setting.get("vectors"))
    task, kind, threads = ROWS[setting["row"]]
    train, dev = (treebank_path(data, "en_ewt", part) for part in ("train", "dev"))
    return {**build.provenance, **build.training(task, kind, train, dev, threads=threads)}


def tables(results: Results) -> Iterator[Table]:
    rows = []
    now, before = results.of(build="now"), results.of(build="before")
    for (row, vectors), own in now.by("row", "vectors"):
        old = before.of(row=row, vectors=vectors)
        what = "wall" if "threads" in row else "cpu"
        taken, earlier = own.median(what), old.median(what)
        rows.append(
            (
                ", ".join(filter(None, (row, vectors))),
                *(seconds(build, of) for build in (own, old) for of in ("cpu", "wall")),
                NOTHING if not (taken and earlier) else f"{earlier / taken:.2f}",
                *(number(build.median(of), 2) for build in (own, old) for of in ("upos", "las")),
            )
        )
    if rows:
        yield Table(
            "Training",
            (
                "en_ewt",
                *("CPU", "by the clock", "before: CPU", "by the clock", "times"),
                *("UPOS", "LAS", "before: UPOS", "LAS"),
            ),
            rows,
            (
                f"Medians of {results.seeds} interleaved runs. An epoch: the last of three, without what "
                "comes before and after. UPOS, LAS: of dev from tokens, CoNLL 2018. Times: by CPU time; of "
                "two threads by the clock.",
            ),
            results,
        )


def seconds(own: Results, what: str) -> str:
    value = own.median(what)
    return NOTHING if value is None else f"{value:.1f} s"


@benchmark(run, tables, seeds=3, timed=True)
@against_option
@vectors_option
def main(data: Path, against: Path | None, vectors: str | None) -> Iterator[tuple[str, Setting]]:
    """How long training takes, beside another checkout."""
    measure_against(against)
    for row in ROWS:
        for build in BUILDS:
            yield f"{row}, {build}", {"row": row, "build": build, "vectors": vectors}


if __name__ == "__main__":
    main()
