"""The presets beside the averaged perceptron on every treebank: accuracy, time to train, speed, size.

python benchmarks/network.py
python benchmarks/network.py --only 'en_ewt/(default|fast)' --seeds 1
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from arcwise.options import PRESETS
from frame import benchmark, epochs_option
from parsers import NOTES, SPEED_NOTE, train_and_score
from store import Results, Setting
from tables import Table, count, mean, mebibytes, number, seconds
from treebanks import SCORED, counted, treebank_names

SETTINGS: dict[str, dict[str, Any]] = {
    **{preset: {"preset": preset} for preset in PRESETS},
    "linear": {"learner": "perceptron"},
}


def tables(results: Results) -> Iterator[Table]:
    rows = []
    for treebank in sorted(results.distinct("treebank")):
        of = {
            name: results.of(treebank=treebank, preset=s.get("preset"), learner=s.get("learner"))
            for name, s in SETTINGS.items()
        }
        for name, own in of.items():
            if not own:
                continue
            cells = []
            for part in SCORED:
                path = (part, *counted(treebank))
                las, linear = own.mean(*path, "las"), of["linear"].mean(*path, "las")
                gain = "" if name == "linear" or las is None or linear is None else f"{las - linear:+.2f}"
                cells += [mean(own, *path, "uas"), mean(own, *path, "las"), gain]
            size = mebibytes(own.mean("file_bytes"))
            speed = count(own, "words_per_second")
            rows.append(
                (f"{treebank}/{name}", str(own.seeds), *cells, seconds(own, "train_cpu"), speed, size)
            )
    columns = ("setting", "seeds", *(f"{p} {c}" for p in SCORED for c in ("UAS", "LAS", "gain")))
    notes = (
        *NOTES,
        "linear: averaged perceptron, default features; gain: LAS beyond its.",
        SPEED_NOTE,
        "vi_vtb's dev set has other XPOS tags than its training set.",
    )
    if rows:
        yield Table("Presets", (*columns, "train", "words/s", "MiB"), rows, notes, results)
    english = results.of(treebank="en_ewt")
    rows = [
        (
            name,
            f"{number(own.mean('test', 'uas'), 1)} / {number(own.mean('test', 'las'), 1)}",
            seconds(own, "train_cpu"),
            mebibytes(own.mean("file_bytes")),
        )
        for name, s in SETTINGS.items()
        if (own := english.of(preset=s.get("preset"), learner=s.get("learner"), epochs=None))
    ]
    if rows:
        yield Table(
            "Presets on English",
            ("parser of gold tags, UD English-EWT test", "UAS / LAS", "training, CPU", "MiB"),
            rows,
        )


@benchmark(partial(train_and_score, grammar=True), tables)
@epochs_option
def main(data: Path, epochs: int | None) -> Iterator[tuple[str, Setting]]:
    """The presets beside the averaged perceptron on every treebank."""
    for treebank in treebank_names(data):
        for name, setting in SETTINGS.items():
            yield f"{treebank}/{name}", {"treebank": treebank, **setting, "epochs": epochs}


if __name__ == "__main__":
    main()
