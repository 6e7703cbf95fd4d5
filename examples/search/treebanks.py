"""What the examples share: which treebanks to use, and how long it took."""

import argparse
import contextlib
import itertools
import time
from pathlib import Path

import arcwise

GARDEN = Path(__file__).resolve().parents[1] / "garden"


def arguments(description):
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "train", nargs="?", default=GARDEN / "train.conllu", help="the treebank to learn from"
    )
    parser.add_argument("test", nargs="?", default=GARDEN / "dev.conllu", help="the one to be scored on")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--sentences", type=int, help="how many of the training sentences to use [all]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preset", default="l2s", help="l2s, dagger, aggrevate, searn or lols")
    parser.add_argument(
        "--beam", type=int, nargs="+", default=[1], help="widths of beams to predict with [1: greedily]"
    )
    return parser.parse_args()


def read(path, sentences=None):
    treebank = arcwise.Treebank.read(path)
    return treebank if sentences is None else treebank[:sentences]


@contextlib.contextmanager
def report_speed(what, words):
    started = time.perf_counter()
    yield
    seconds = time.perf_counter() - started
    print(f"{what}: {seconds:.1f} s, {words / seconds:,.0f} words/s")


def in_sentences(treebank, column):
    """A column of the words, sentence by sentence."""
    values, first = treebank.column(column), treebank.first_words.tolist()
    return [values[begin:end] for begin, end in itertools.pairwise(first)]
