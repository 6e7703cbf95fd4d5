"""Other parsers beside arcwise, on the same files and the same core: accuracy, speed, memory, training.

    python benchmarks/peers.py --models ../models
    python benchmarks/peers.py --models ../models --iterations 10 --only 'UDPipe|arcwise'

Needs what it compares: `pip install ".[bench]"`; $MALTPARSER names MaltParser's jar; Stanza's English model
is downloaded by `stanza.download("en")`. What is not there is said to be missing. Models are trained on the
treebank's training file, with fewer iterations than their authors advise unless `--iterations` says
otherwise, and kept in the folder `--models`. Every repetition runs every parser once, in a process of its
own, on one core, from text in memory to CoNLL-U in memory; tables have medians.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import arcwise
from arcwise.text import rebuild
from frame import benchmark, positive, treebank_option
from launch import launched
from peer_kinds import GOLD_TAGS, KINDS, RAW_TEXT
from store import Results, Setting
from tables import NOTHING, Table, number
from treebanks import load, treebank_path

METRICS = ("Words", "Sentences", "UPOS", "UAS", "LAS")
OURS = "arcwise"


def model_of(folder: Path, setting: Setting) -> Path:
    """Where a model is kept. What is searched greedily is that of the beam."""
    parser = setting["parser"].partition(",")[0]
    own = [setting["treebank"], parser, setting["start"], str(setting.get("iterations", ""))]
    return folder / "-".join(filter(None, own)).replace(" ", "-").lower()


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    name, treebank, start = (setting[key] for key in ("parser", "treebank", "start"))
    kind, folder = KINDS[name], Path(os.environ["ARCWISE_PEERS"])
    if missing := kind.missing():
        return {"missing": missing}
    model = model_of(folder, setting)
    about = model.with_name(f"{model.name}.json")
    if not about.exists():
        click.echo(f"Training {name} …", err=True)
        path = treebank_path(data, treebank, "train")
        trained = in_process("train", name, str(path), str(model), start, str(setting.get("iterations", 0)))
        about.write_text(json.dumps(trained), encoding="utf-8")
    gold = load(data, treebank, "test")
    given, output = folder / f"{treebank}-test-{start.replace(' ', '-')}", folder / "output.conllu"
    text = rebuild(gold) if start == RAW_TEXT else treebank_path(data, treebank, "test").read_text("utf-8")
    given.write_text(text, encoding="utf-8")
    found = in_process("parse", name, str(model), start, str(given), str(output))
    return {
        **found,
        "words": gold.word_count,
        "version": kind.version(),
        "looks_at": kind.looks_at,
        "training": json.loads(about.read_text(encoding="utf-8")),
        **scores(gold, output, start),
    }


def scores(gold: arcwise.Treebank, output: Path, start: str) -> dict[str, Any]:
    """UAS and LAS with full labels of gold tokens; from raw text the metrics of CoNLL 2018."""
    if start == RAW_TEXT:
        found = arcwise.evaluation.conll18_scores(gold.to_string(), output.read_text(encoding="utf-8"))
        return {metric: found[metric].f1 for metric in METRICS}
    parsed = arcwise.Treebank.read(output, check_trees=False)
    attachment = arcwise.evaluate(gold, parsed, conll18=False).attachment
    return {"UAS": attachment.uas, "LAS": attachment.las}


def in_process(*task: str) -> dict[str, Any]:
    """Does a task in a process of its own, on one core; what it says of time counts."""
    printed, took = launched([sys.executable, __file__, *task])
    return took | json.loads(printed.splitlines()[-1])


def train(name: str, train: str, model: str, start: str, iterations: str) -> dict[str, Any]:
    how, spent = timed(lambda: KINDS[name].train(Path(train), Path(model), start, int(iterations)))
    return {"how": how, **spent}


def parse(name: str, model: str, start: str, given: str, output: str) -> dict[str, Any]:
    text = Path(given).read_text(encoding="utf-8")
    loaded, loading = timed(lambda: KINDS[name].load(Path(model), start))
    parsed, spent = timed(lambda: loaded(text))
    Path(output).write_text(parsed, encoding="utf-8")
    return {**spent, "loading": loading["wall"]}


def timed(task: Any) -> tuple[Any, dict[str, float]]:
    """What a task gives, and its CPU seconds, those of its children among them, and those of the clock."""

    def cpu() -> float:
        own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in own)

    before, started = cpu(), time.perf_counter()
    result = task()
    return result, {"cpu": cpu() - before, "wall": time.perf_counter() - started}


def label(own: Results) -> str:
    """Its name, with its version before what else is said of it."""
    record = own.records[0]
    name, comma, more = record["setting"]["parser"].partition(",")
    return " ".join(filter(None, (name, record["values"].get("version")))) + comma + more


def rate(own: Results, what: str) -> float | None:
    words, taken = own.median("words"), own.median(what)
    return (
        own.median("words_per_second") if what == "cpu" and not taken else words and taken and words / taken
    )


def how_trained(own: Results) -> str:
    values = own.records[0]["values"]
    return "; ".join(filter(None, (values.get("training", {}).get("how"), values.get("looks_at")))) or NOTHING


def ordered(results: Results) -> list[Results]:
    """By parser, those with the best LAS first."""
    rows = [own for _, own in results.by("parser", "iterations") if own.has("LAS")]
    return sorted(rows, key=lambda own: -(own.median("LAS") or 0.0))


def tables(results: Results) -> Iterator[Table]:
    for (treebank, start, part), of in results.by("treebank", "start", "part"):
        metrics = ("UAS", "LAS") if start == GOLD_TAGS else METRICS
        rows = []
        for own in ordered(of):
            spent = own.median("training", "cpu")
            memory, source = own.median("memory"), own.records[0].get("source")
            rows.append(
                (
                    label(own),
                    *(number(own.median(metric), 2) for metric in metrics),
                    own.records[0]["values"].get("range") or number(rate(own, "cpu")),
                    number(rate(own, "wall")),
                    number(memory and memory / 2**20),
                    f"{spent:,.0f} s" if spent and spent > 1 else NOTHING,
                    how_trained(own),
                    {"measured earlier": "earlier", None: f"{own.seeds} ×"}.get(source, source),
                )
            )
        missing = [
            f"{own.records[0]['setting']['parser']} ({reason})"
            for _, own in of.by("parser")
            if (reason := own.records[-1]["values"].get("missing"))
        ]
        if not rows:
            continue
        notes = [
            "Gold tokens and tags, all tokens, full labels."
            if start == GOLD_TAGS
            else "From raw text, F1 of the CoNLL 2018 shared task.",
            "words/s of CPU time of one core and by the clock, from text in memory to CoNLL-U in memory, "
            "medians; MiB: peak of the process; training: CPU time.",
            "earlier: on another day, not to be compared with the others by speed.",
            *([f"Missing: {', '.join(missing)}."] if missing else []),
        ]
        yield Table(
            f"Other parsers: {treebank} {part or 'test'}, {start}",
            ("parser", *metrics, "words/s", "by the clock", "MiB", "training", "trained", "runs"),
            rows,
            notes,
            of,
        )


def draw(results: Results) -> Any:
    """A figure of accuracy against speed."""
    from matplotlib.figure import Figure

    starts = [start for start in (GOLD_TAGS, RAW_TEXT) if results.of(start=start)]
    figure = Figure(figsize=(6.2 * len(starts), 4.6), layout="constrained")
    for axis, start in zip(figure.subplots(1, len(starts), squeeze=False)[0], starts, strict=True):
        shown: list[tuple[float, float]] = []
        for own in ordered(results.of(start=start, treebank="en_ewt", part=None)):
            speed, las = rate(own, "cpu"), own.median("LAS")
            if speed is None or las is None:
                continue
            ours, earlier = label(own).startswith(OURS), "source" in own.records[0]
            color = "#1f6f8b" if ours else "#c2571a"
            axis.scatter(speed, las, s=42, color=color, facecolors="none" if earlier else color, zorder=3)
            iterations = own.distinct("iterations")[0]
            name = label(own) + (f" ({iterations} iterations)" if iterations else "")
            # Under one that is close above, a name stands below its point.
            below = any(0.2 < x / speed < 5 and y - las < 0.8 for x, y in shown)
            beside = {"textcoords": "offset points", "xytext": (6, -11 if below else 4)}
            axis.annotate(name, (speed, las), fontsize=8, **beside)
            shown.append((speed, las))
        axis.set_xscale("log")
        axis.set(title=f"UD English-EWT test, {start}", xlabel="words a second of one core", ylabel="LAS")
        axis.margins(x=0.28, y=0.12)
        axis.grid(color="0.92")
    return figure


@benchmark(run, tables, seeds=3, timed=True)
@treebank_option
@click.option("--models", type=click.Path(file_okay=False, path_type=Path), required=True, help="Kept here.")
@click.option("--iterations", type=positive, default=3, show_default=True, help="Of training others.")
def main(data: Path, treebank: str, models: Path, iterations: int) -> Iterator[tuple[str, Setting]]:
    """Other parsers beside arcwise."""
    models.mkdir(parents=True, exist_ok=True)
    os.environ["ARCWISE_PEERS"] = str(models.resolve())
    for start in (GOLD_TAGS, RAW_TEXT):
        for name, kind in KINDS.items():
            if start in kind.starts:
                setting = {"parser": name, "treebank": treebank, "start": start}
                own = None if name.startswith(OURS) else iterations
                yield f"{name}, {start}", setting | {"iterations": own}


if __name__ == "__main__":
    tasks = {"train": train, "parse": parse}
    if sys.argv[1:2] and sys.argv[1] in tasks:
        print(json.dumps(tasks[sys.argv[1]](*sys.argv[2:])))
    else:
        main()
