"""Parsers by learning to search: base learners, n-grams of features, and who rolls in and out.

python benchmarks/l2s.py
python benchmarks/l2s.py --treebank udt2_sv --only 'base' --seeds 1
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arcwise import features
from arcwise.options import COLUMNS
from frame import benchmark, epochs_option, treebank_option
from parsers import NOTES, SCORE_COLUMNS, SPEED_NOTE, score_cells, train_and_score
from store import Results, Setting
from tables import Table, count, mebibytes, seconds

SYSTEM = "arc-hybrid"  # the paper's

SETTINGS: dict[str, dict[str, Any]] = {
    "base/sgd": {"base": "sgd"},
    "base/default": {},
    "base/ftrl": {"base": "ftrl"},
    "base/nn": {"base": "nn"},
    "base/nn+ftrl": {"base": "nn+ftrl"},
    "base/default, weighted all pairs": {"reduction": "wap"},
    "features/unigrams": {"ngrams": 1},
    "features/unigrams and bigrams": {"ngrams": 2},
    "features/zn2011": {"features": "zn2011"},
    "features/those of linear models": {"features": "default"},
    **{f"rolls/algorithm {name}": {"algorithm": name} for name in ("l2s", "dagger", "aggrevate")},
    # Where what was learnt rolls out, all actions at all decisions take hours.
    **{
        f"rolls/algorithm {name}, 3 deviations a sentence": {"algorithm": name, "deviations": 3}
        for name in ("l2s", "searn", "lols")
    },
    "rolls/l2s, weighted all pairs": {"algorithm": "l2s", "reduction": "wap"},
    "rolls/in reference, out none": {"rollin": "reference"},
    "rolls/in learned, out none": {"rollin": "learned"},
    "rolls/in learned, out reference": {"rollin": "learned", "rollout": "reference"},
    "rolls/in reference, out reference": {"rollin": "reference", "rollout": "reference"},
    "other/label at once": {"label_apart": False},
    "other/arc-eager": {"system": "arc-eager"},
    "other/2^22 weights": {"bits": 22},
    "other/2^26 weights": {"bits": 26},
}


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    changes = {"learner": "l2s", "system": SYSTEM, **SETTINGS[setting.pop("row")], **setting}
    with tempfile.TemporaryDirectory() as folder:
        ngrams, name = changes.pop("ngrams", None), changes.get("features")
        if ngrams is not None or name == "default":
            # The default of this learner is the paper's set: that of linear models is given as a file.
            lines = features.builtin(name or "l2s", SYSTEM, COLUMNS)
            path = Path(folder) / "templates"
            path.write_text(
                "".join(f"{line}\n" for line in lines if not ngrams or len(line.split()) <= ngrams)
            )
            changes["features"] = str(path)
        return train_and_score(data, changes, seed)


def tables(results: Results) -> Iterator[Table]:
    for (treebank, epochs), of in results.by("treebank", "epochs"):
        rows = []
        for setting in SETTINGS:
            if own := of.of(row=setting):
                rows.append(
                    (
                        setting,
                        str(own.seeds),
                        *score_cells(own, treebank),
                        seconds(own, "train_cpu"),
                        count(own, "words_per_second"),
                        mebibytes(own.mean("file_bytes")),
                    )
                )
        notes = (
            *NOTES,
            "Where nothing else is said: arc-hybrid, the paper's features, base default, one against all, "
            "rolling in by the annealed mixture, no roll-outs, labels apart, 2^25 weights.",
            SPEED_NOTE,
        )
        yield Table(
            f"Learning to search on {treebank}" + ("" if epochs is None else f", epochs: {epochs}"),
            (
                "setting",
                "seeds",
                *SCORE_COLUMNS,
                "train",
                "words/s",
                "MiB",
            ),
            rows,
            notes,
            of,
        )


@benchmark(run, tables)
@treebank_option
@epochs_option
def main(data: Path, treebank: str, epochs: int | None) -> Iterator[tuple[str, Setting]]:
    """Parsers by learning to search, side by side."""
    for row in SETTINGS:
        yield row, {"treebank": treebank, "row": row, "epochs": epochs}


if __name__ == "__main__":
    main()
