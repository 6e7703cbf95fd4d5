"""Examines a system, trains it and a built-in one, and prints how good and how fast both are."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import arcwise
from arcwise.transitions import System, examine

GARDEN = Path(__file__).resolve().parents[1] / "garden"


def compare(system: System, built_in: str) -> None:
    given = argparse.ArgumentParser()
    given.add_argument("train", nargs="?", default=GARDEN / "train.conllu")
    given.add_argument("dev", nargs="?", default=GARDEN / "dev.conllu")
    given.add_argument("--learner", default="perceptron")
    given.add_argument("--epochs", type=int)
    options = given.parse_args()
    print(examine(system))
    train, dev = arcwise.Treebank.read(options.train), arcwise.Treebank.read(options.dev)
    for own in (system, built_in):
        chosen = arcwise.ParserOptions.of(system=own, learner=options.learner, epochs=options.epochs)
        training = arcwise.Training(train, options=chosen)
        parser = training.finish()
        trained = max(epoch.words_per_second for epoch in training.history)
        started = time.perf_counter()
        parsed = parser.parse(dev)
        seconds = time.perf_counter() - started
        las = arcwise.evaluate(dev, parsed).attachment.las
        print(
            f"{own}: LAS {las:.2f}; words a second: {trained:,.0f} in training, "
            f"{dev.word_count / seconds:,.0f} in parsing"
        )
