"""Where the time goes from raw text to CoNLL-U, by component, in microseconds of CPU time a word.

    python benchmarks/components.py --against ../base/src

The English model on the raw text of en_ewt, one core. A tagger and a parser that share a network are run
together and the tagger alone: the difference is what the parser takes beyond the encoder that they share.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from builds import BUILDS, FIRST, Build, against_option, measure_against, prepared, vectors_option
from frame import benchmark
from store import Results, Setting
from tables import NOTHING, Table, number

COMPONENTS = ("segmentation", "encoder, tags, lemmas", "parsing", "writing")


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    build = Build(BUILDS[setting["build"]], setting.get("vectors"))
    found = build.worker("components", "en", prepared(data, "en_ewt"), rounds=1)
    found["start-up"] = build.command(prepared(data, FIRST), "conllu", 1)["cpu"]
    return {**build.provenance, **found}


def tables(results: Results) -> Iterator[Table]:
    units = [of for _, of in results.by("vectors")]
    builds = [own for of in units for name in ("before", "now") if (own := of.of(build=name))]
    if not builds:
        return
    totals = [sum(own.median(name) or 0.0 for name in COMPONENTS) for own in builds]
    rows = [
        (name, *(cell for own, total in zip(builds, totals, strict=True) for cell in cells(own, name, total)))
        for name in COMPONENTS
    ]
    rows.append(("all of these", *(cell for total in totals for cell in (f"{total:.2f}", ""))))
    starts = [own.median("start-up") for own in builds]
    rows.append(("start-up, once", *(cell for s in starts for cell in (f"{number(s, 2)} s", ""))))
    columns = [f"{own.distinct('build')[0]}, {own.records[0]['unit']}: µs a word" for own in builds]
    yield Table(
        "Components of a run",
        ("component", *(column for own in columns for column in (own, "share"))),
        rows,
        (f"CPU time of one core, raw text of en_ewt, medians of {results.seeds} interleaved runs.",),
        results,
    )


def cells(own: Results, name: str, total: float) -> tuple[str, str]:
    value = own.median(name)
    return (NOTHING, NOTHING) if value is None else (f"{value:.2f}", f"{100 * value / total:.0f} %")


@benchmark(run, tables, seeds=3, timed=True)
@against_option
@vectors_option
def main(data: Path, against: Path | None, vectors: str | None) -> Iterator[tuple[str, Setting]]:
    """Where the time goes from raw text to CoNLL-U, by component."""
    measure_against(against)
    for build in BUILDS:
        yield build, {"build": build, "vectors": vectors}


if __name__ == "__main__":
    main()
