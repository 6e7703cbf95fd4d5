"""Words and tags beside UDPipe 1, on every treebank: raw text, tags and lemmas, known and unknown words.

    python benchmarks/peer_tags.py --models ../models
    python benchmarks/peer_tags.py --models ../models --only 'tags, (ug_udt|hu_szeged)'

Needs `pip install ".[bench]"`. Both are trained on the training file alone, without dev, with their defaults
but for UDPipe's `--iterations` of the tagger and `--epochs` of the tokenizer; its models are kept in the
folder `--models`, and not trained again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np

from arcwise import Segmenter, Tagger, TaggerOptions, Treebank
from arcwise.evaluation import conll18_scores, vocabulary_scores
from arcwise.text import rebuild
from frame import benchmark, positive
from peer_kinds import KINDS, train_udpipe
from store import Results, Setting
from tables import NOTHING, Table, count, mean, number, seconds
from treebanks import SCORED, conllu_names, load, treebank_path

UDPIPE, OURS = "UDPipe 1", "arcwise"
WORDS, TAGS = "words", "tags"
METRICS = {WORDS: ("Words", "Sentences"), TAGS: ("UPOS", "XPOS", "UFeats", "Lemmas")}


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    task, treebank = setting["task"], setting["treebank"]
    if setting["parser"] == UDPIPE:
        if missing := KINDS["UDPipe, beam 5"].missing():
            raise click.ClickException(f'{missing}: pip install ".[bench]".')
        annotate, cpu = udpipe(data, setting)
    else:
        annotate, cpu = own(data, setting, seed)
    forms = load(data, treebank, "train").column("form")
    values: dict[str, Any] = {"train_cpu": cpu}
    for part in SCORED:
        gold = load(data, treebank, part)
        both = gold.to_string(), annotate(gold).to_string()
        scores = conll18_scores(*both)
        values[part] = {metric: scores[metric].f1 for metric in METRICS[task]}
        if task == TAGS:
            unknown = vocabulary_scores(*both, forms)["unknown"]
            values[part]["unknown"] = {metric: unknown[metric].f1 for metric in METRICS[TAGS]}
            values[part]["unknown"]["words"] = unknown["Words"].gold
    return values


def udpipe(data: Path, setting: dict[str, Any]) -> tuple[Any, float]:
    """A model that is kept or trained now, and the CPU seconds of its training."""
    from ufal import udpipe

    task, treebank = setting["task"], setting["treebank"]
    what, rounds = ("tokenizer", "epochs") if task == WORDS else ("tagger", "iterations")
    options = f"{rounds}={setting[rounds]}"
    model = Path(os.environ["ARCWISE_PEERS"]) / f"{treebank}-udpipe-{what}-{setting[rounds]}"
    about = model.with_name(f"{model.name}.json")
    if not about.exists():
        started = time.process_time()
        parts = (options, "none") if task == WORDS else ("none", options)
        train_udpipe(treebank_path(data, treebank, "train"), model, *parts, "none")
        about.write_text(json.dumps({"cpu": time.process_time() - started}), encoding="utf-8")
    steps = ("tokenize", "none") if task == WORDS else ("conllu", "")
    # The pipeline does not keep the model alive.
    loaded = udpipe.Model.load(str(model))
    pipeline = udpipe.Pipeline(loaded, *steps, "none", "conllu")

    def annotate(gold: Treebank, loaded: Any = loaded) -> Treebank:
        text = rebuild(gold) if task == WORDS else gold.to_string()
        found = Treebank.from_string(pipeline.process(text), check_trees=False)
        return flat(found) if task == WORDS else found

    return annotate, json.loads(about.read_text(encoding="utf-8"))["cpu"]


def own(data: Path, setting: dict[str, Any], seed: int) -> tuple[Any, float]:
    train = load(data, setting["treebank"], "train")
    started = time.process_time()
    if setting["task"] == WORDS:
        segmenter = Segmenter.train(train, seed=seed)
        return lambda gold: flat(segmenter.segment(rebuild(gold))), time.process_time() - started
    tagger = Tagger.train(train, options=TaggerOptions(seed=seed))
    return tagger.tag, time.process_time() - started


def flat(treebank: Treebank) -> Treebank:
    """With trees, which the metrics want: the first word is the root of the others."""
    heads = np.ones(treebank.word_count, np.int32)
    heads[treebank.first_words[:-1]] = 0
    return treebank.with_trees(heads, np.zeros_like(heads), ["dep"])


def tables(results: Results) -> Iterator[Table]:
    for task in (TAGS, WORDS):
        of = results.of(task=task)
        metrics, rows = METRICS[task], []
        more = ("unknown", *metrics) if task == TAGS else ()
        for (treebank,), both in of.by("treebank"):
            for part in SCORED:
                for (parser, *_), alone in both.by("parser"):
                    cells = [mean(alone, part, metric) for metric in metrics]
                    if task == TAGS:
                        cells.append(count(alone, part, "unknown", "words"))
                        cells += [mean(alone, part, "unknown", metric) for metric in metrics]
                    rows.append((f"{treebank} {part}, {parser}", *cells, seconds(alone, "train_cpu")))
        if not rows:
            continue
        rounds = of.of(parser=UDPIPE).distinct("iterations" if task == TAGS else "epochs")
        trained = " or ".join(number(own) for own in rounds if own) or NOTHING
        notes = {
            TAGS: "CoNLL 2018 metrics with gold tokens. unknown: words whose form is not in the training "
            f"set, and after it their scores alone. UDPipe's tagger: its defaults, {trained} iterations. "
            "hu_szeged has no XPOS; dev of vi_vtb spells them otherwise than its training set.",
            WORDS: "F1 of the CoNLL 2018 shared task, from raw text. "
            f"UDPipe's tokenizer: its defaults, {trained} epochs of the 100 that are its default.",
        }
        yield Table(
            "Tags beside UDPipe 1" if task == TAGS else "Words beside UDPipe 1",
            ("", *metrics, *more, "train"),
            rows,
            (notes[task], "Both without a dev set; train: CPU seconds."),
            of,
        )


@benchmark(run, tables, seeds=1)
@click.option("--models", type=click.Path(file_okay=False, path_type=Path), required=True, help="Kept here.")
@click.option("--iterations", type=positive, default=12, show_default=True, help="Of UDPipe's tagger.")
@click.option("--epochs", type=positive, default=20, show_default=True, help="Of UDPipe's tokenizer.")
def main(data: Path, models: Path, iterations: int, epochs: int) -> Iterator[tuple[str, Setting]]:
    """Words and tags beside UDPipe 1, on every treebank."""
    models.mkdir(parents=True, exist_ok=True)
    os.environ["ARCWISE_PEERS"] = str(models.resolve())
    for task, rounds in ((TAGS, {"iterations": iterations}), (WORDS, {"epochs": epochs})):
        for treebank in conllu_names(data):
            setting = {"task": task, "treebank": treebank}
            yield f"{UDPIPE}, {task}, {treebank}", {"parser": UDPIPE, **setting, **rounds}
            yield f"{OURS}, {task}, {treebank}", {"parser": OURS, **setting}


if __name__ == "__main__":
    main()
