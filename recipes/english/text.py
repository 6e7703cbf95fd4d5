"""Text without trees, made ready to be labelled: cut as the treebank cuts, without what is in dev or test."""

from __future__ import annotations

import lzma
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

SHARED_WORDS = 8  # in a row: a sentence that has so many with dev or test in common is left out
HYPHENATED = re.compile(r"[A-Za-z]{2,}(-[A-Za-z]{2,})+")


class Hyphens:
    """Cuts words at hyphens where the treebank does: `state - owned`, but `non-profit`."""

    def __init__(self, treebank: Path):
        cut: Counter[str] = Counter()
        whole: Counter[str] = Counter()
        words: list[tuple[str, bool]] = []
        for line in treebank.read_text(encoding="utf-8").splitlines():
            cells = line.split("\t")
            if len(cells) == 10 and cells[0].isdigit():
                words.append((cells[1], "SpaceAfter=No" in cells[9]))
                if HYPHENATED.fullmatch(cells[1]):
                    whole[cells[1].lower().split("-")[0]] += 1
        for (before, joined), (hyphen, joined_after) in pairwise(words):
            if hyphen == "-" and joined and joined_after:
                cut[before.lower()] += 1
        self._whole = {start for start, count in whole.items() if count > max(1, cut[start])}

    def cut(self, word: str) -> list[str]:
        if not HYPHENATED.fullmatch(word) or word.lower().split("-")[0] in self._whole:
            return [word]
        return re.split("(-)", word)


def runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    lower = [word.lower() for word in words]
    for start in range(len(lower) - SHARED_WORDS + 1):
        yield tuple(lower[start : start + SHARED_WORDS])


def forms(treebank: Path) -> Iterator[list[str]]:
    words: list[str] = []
    for line in treebank.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if len(cells) == 10 and cells[0].isdigit():
            words.append(cells[1])
        elif not line and words:
            yield words
            words = []


def sentences(files: dict[Path, float], treebank: Path, kept_aside: Iterable[Path]) -> list[list[str]]:
    """Sentences of all files in an order by chance, so that every part of them is a mixture.

    Of each file a share is taken.
    """
    aside = {run for path in kept_aside for words in forms(path) for run in runs(words)}
    whole = {tuple(words) for path in kept_aside for words in forms(path) if len(words) > 3}
    hyphens = Hyphens(treebank)
    chance = random.Random(1)
    seen: set[tuple[str, ...]] = set()
    taken = []
    for path, share in files.items():
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                words = [part for word in line.split(" ") for part in hyphens.cut(word.strip())]
                key = tuple(words)
                if not 3 <= len(words) <= 60 or key in seen or key in whole:
                    continue
                if any(not word or "\u00a0" in word for word in words) or chance.random() >= share:
                    continue
                if aside.isdisjoint(runs(words)):
                    seen.add(key)
                    taken.append(words)
    chance.shuffle(taken)
    return taken
