"""Transition systems beside each other: exploration against static training, systems for any tree against
lifting, and how fast they are.

    python benchmarks/systems.py
    python benchmarks/systems.py --only 'exploration.*(udt2_sv|el_gdt)' --seeds 1
    python benchmarks/systems.py --only crossing

Exploration has the shape of Goldberg & Nivre 2013, Table 1: UAS and LAS on each treebank's test set,
punctuation included.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from arcwise import Parser
from frame import benchmark, epochs_option, features_option
from parsers import train_and_score
from store import Results, Setting
from tables import NOTHING, Table, mean, number
from timing import REPETITIONS, interleaved, one_core
from treebanks import SCORED, load, treebank_names

SYSTEMS = ("arc-eager", "arc-hybrid", "easy-first", "arc-standard")
"""Of projective trees."""
CROSSING = ("arc-eager", "arc-hybrid", "arc-hybrid-swap", "covington")
"""Compared on trees with crossing arcs, which the first two lift."""
CROSSING_TREEBANKS = ("got_proiel", "hu_szeged", "el_gdt", "udt2_sv", "ug_udt")
TIMED = ("arc-hybrid", "arc-standard", "arc-hybrid-swap", "covington")
LEARNERS = ("perceptron", "network")

# Goldberg & Nivre 2013: 20 iterations for easy-first and 15 for the others.
EPOCHS = {"easy-first": 20}
OTHER_EPOCHS = 15

PAPER = {
    ("arc-eager", "uas"): "+1.10",
    ("arc-eager", "las"): "+1.35",
    ("arc-hybrid", "uas"): "+0.62",
    ("arc-hybrid", "las"): "+0.79",
    ("easy-first", "uas"): "+0.53",
}
"""The mean of dynamic less static over the ten languages of the paper's Table 1."""


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    if setting.pop("table") == "speed":
        return speed(data, setting["treebank"])
    return train_and_score(data, setting, seed)


def speed(data: Path, treebank: str) -> dict[str, Any]:
    """CPU time of one core, the best of rounds in which the systems take turns."""
    train, dev = load(data, treebank, "train"), load(data, treebank, "dev")
    trained = {
        (system, learner): partial(
            Parser.train, train, system=system, learner=learner, epochs=3, grammar=False
        )
        for system in TIMED
        for learner in LEARNERS
    }
    tasks: dict[tuple[str, str], Any] = {
        key: partial(make().parse, dev, threads=1) for key, make in trained.items()
    }
    tasks |= {(system, "train"): trained[system, "perceptron"] for system in TIMED}
    with one_core():
        timings = interleaved(tasks, REPETITIONS)
    least = {key: min(timing.cpu for timing in of) for key, of in timings.items()}
    return {system: {what: least[system, what] for what in ("train", *LEARNERS)} for system in TIMED}


def explored(results: Results, treebanks: Sequence[str], metric: str) -> dict[str, dict[str, Any]]:
    """By system, then static and explore: the score of each treebank, or None."""
    return {
        system: {
            policy: [
                results.of(treebank=t, system=system, policy=policy).mean("test", metric) for t in treebanks
            ]
            for policy in ("static", "explore")
        }
        for system in SYSTEMS
    }


def differences(of: dict[str, list[float | None]]) -> list[float | None]:
    pairs = zip(of["explore"], of["static"], strict=True)
    return [None if e is None or s is None else e - s for e, s in pairs]


def line(name: str, values: list[float | None], sign: str = "") -> tuple[str, ...]:
    known = [value for value in values if value is not None]
    # A mean over fewer treebanks than another row's could not be compared with it.
    whole = statistics.fmean(known) if len(known) == len(values) else None
    return name, *(NOTHING if v is None else f"{v:{sign}.2f}" for v in (*values, whole))


def tables(results: Results) -> Iterator[Table]:
    exploration = results.of(table="exploration")
    if exploration:
        yield from exploration_tables(exploration)
    crossing = results.of(table="crossing")
    if crossing:
        yield from crossing_tables(crossing)
    timed = results.of(table="speed")
    if timed:
        yield speed_table(timed)


def exploration_tables(results: Results) -> Iterator[Table]:
    treebanks = sorted(results.distinct("treebank"))
    gains: dict[str, list[str]] = {system: [system] for system in SYSTEMS}
    for metric in ("uas", "las"):
        rows = []
        for system, of in explored(results, treebanks, metric).items():
            gain = differences(of)
            rows += [line(f"{system}: {policy}", values) for policy, values in of.items()]
            rows.append(line("  gain", gain, sign="+"))
            known = [g for g in gain if g is not None]
            gains[system] += [
                f"{statistics.fmean(known):+.2f}" if known else NOTHING,
                f"{sum(g > 0 for g in known)} of {len(known)}",
                PAPER.get((system, metric), NOTHING),
            ]
        yield Table(
            f"{metric.upper()} with and without exploration",
            ("system: policy", *treebanks, "mean"),
            rows,
            (
                f"Test, all tokens, features {results.distinct('features')[0]}, perceptron, k=1, p=0.9, "
                f"seeds: {results.seeds}.",
            ),
            results,
        )
    yield Table(
        "Gain of exploration",
        ("system", "UAS", "better on", "paper's UAS", "LAS", "better on", "paper's LAS"),
        list(gains.values()),
        (
            "Means over treebanks. paper: Goldberg & Nivre 2013, Table 1, the mean of its ten languages "
            "(CoNLL 2007).",
            "Static training of easy-first follows any correct move: it has no single order to learn.",
        ),
    )


def crossing_tables(results: Results) -> Iterator[Table]:
    treebanks = [t for t in CROSSING_TREEBANKS if t in results.distinct("treebank")]
    columns = ("system", *(f"{treebank} {part}" for treebank in treebanks for part in SCORED))
    for title, path, note in (
        ("LAS of networks by system", (), "arc-eager and arc-hybrid lift arcs that cross, and lower them."),
        ("LAS of words whose gold arcs cross others", ("crossing",), ""),
    ):
        rows = [
            (
                system,
                *(
                    mean(results.of(system=system, treebank=treebank), part, *path, "las")
                    for treebank in treebanks
                    for part in SCORED
                ),
            )
            for system in CROSSING
        ]
        if path:
            counts = [
                number(results.of(treebank=treebank).mean(part, *path, "words"))
                for treebank in treebanks
                for part in SCORED
            ]
            rows.append(("  how many", *counts))
        yield Table(title, columns, rows, tuple(filter(None, (note,))), results)


def speed_table(results: Results) -> Table:
    base = TIMED[0]

    def times(system: str, what: str) -> float:
        return (results.mean(system, what) or 0.0) / (results.mean(base, what) or 1.0)

    return Table(
        "Speed of systems",
        (
            "system",
            "seconds to train, perceptron, 3 epochs",
            *(f"{learner}: words/s, of {base}'s" for learner in LEARNERS),
        ),
        [
            (
                system,
                f"{results.mean(system, 'train'):.1f}",
                *(f"{1 / times(system, learner):.2f}" for learner in LEARNERS),
            )
            for system in TIMED
        ],
        (f"{results.distinct('treebank')[0]}, one core, the best of {REPETITIONS} rounds.",),
        results,
    )


def draw(results: Results) -> Any:
    """A figure of what exploration gains on each treebank."""
    from matplotlib.figure import Figure

    exploration = results.of(table="exploration")
    treebanks = sorted(exploration.distinct("treebank"))
    figure = Figure(figsize=(8.4, 3.8), layout="constrained")
    axis = figure.subplots()
    colors = ("#1f6f8b", "#c2571a", "#6a8f2f", "#7b5aa6")
    systems = explored(exploration, treebanks, "las")
    width = 0.8 / len(systems)
    for place, ((system, of), color) in enumerate(zip(systems.items(), colors, strict=True)):
        gains = [gain or 0.0 for gain in differences(of)]
        gains.append(statistics.fmean(gains))
        places = [own + place * width for own in range(len(treebanks) + 1)]
        axis.bar(places, gains, width, color=color, label=system)
    middle = 0.4 - width / 2
    axis.set_xticks([own + middle for own in range(len(treebanks) + 1)], [*treebanks, "mean"], fontsize=8)
    axis.axhline(0, color="0.5", linewidth=0.8)
    axis.set(ylabel="LAS on test, gained", title="Perceptrons: exploration against the static oracle")
    axis.grid(axis="y", color="0.92")
    axis.margins(y=0.18)
    axis.set_axisbelow(True)
    axis.legend(frameon=False, ncols=len(systems), fontsize=8)
    return figure


@benchmark(run, tables)
@epochs_option
@features_option
def main(data: Path, epochs: int | None, features: str) -> Iterator[tuple[str, Setting]]:
    """Exploration against static training, systems for any tree against lifting, and speed."""
    for treebank in treebank_names(data):
        for system in SYSTEMS:
            for policy in ("static", "explore"):
                yield (
                    f"exploration, {treebank}, {system}, {policy}",
                    {"table": "exploration", "treebank": treebank, "system": system}
                    | {"learner": "perceptron", "policy": policy, "features": features}
                    | {"epochs": epochs or EPOCHS.get(system, OTHER_EPOCHS)},
                )
    for treebank in CROSSING_TREEBANKS:
        for system in CROSSING:
            yield (
                f"crossing, {treebank}, {system}",
                {"table": "crossing", "treebank": treebank, "system": system, "epochs": epochs},
            )
    yield "speed", {"table": "speed", "treebank": "udt2_sv"}


if __name__ == "__main__":
    main()
