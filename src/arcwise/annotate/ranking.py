"""Which sentence is next: scores of sentences, made in the background a part at a time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arcwise.annotate.editing import Model
from arcwise.annotate.lines import closed
from arcwise.annotate.snapshots import Snapshot
from arcwise.annotate.tree_file import TreeFile, version_of
from arcwise.errors import ArcwiseError
from arcwise.treebank import Treebank

SENTENCES_OF_A_PART = 64
MOST_WORDS = 500
"""Longer sentences come last: nobody waits for them."""


@dataclass
class Ranking:
    """Of sentences, by what they say, how many errors a model expects in a tree of its own."""

    model: str
    scores: dict[str, float] = field(default_factory=dict)
    """By the version of the sentence."""
    step: int = 0
    of: int = 0
    is_running: bool = False
    error: str | None = None


class Rankings:
    """A ranking for each file and model."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], Ranking] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    def stop(self) -> None:
        self._stopped.set()

    def of(self, file: TreeFile, model: Model) -> tuple[list[float | None], dict[str, int] | None]:
        """Scores of all sentences as far as they are known; those that are not are asked for.

        And how far that is, if more may be known the next time.
        """
        with file.lock:
            blocks = list(file.blocks)
        with self._lock:
            ranking = self._made.setdefault((file.name, model.name), Ranking(model.name))
            versions = [version_of(block) for block in blocks]
            known = [ranking.scores.get(version) for version in versions]
            missing = [number for number, score in enumerate(known) if score is None]
            if missing and not ranking.is_running and model.can_parse and ranking.error is None:
                ranking.is_running, ranking.step, ranking.of = True, len(known) - len(missing), len(known)
                work = [(versions[number], blocks[number]) for number in missing]
                threading.Thread(target=self._make, args=(ranking, work, file, model), daemon=True).start()
            progress = {"step": ranking.step, "of": ranking.of} if ranking.is_running else None
        return known, progress

    def _make(
        self, ranking: Ranking, work: Sequence[tuple[str, bytes]], file: TreeFile, model: Model
    ) -> None:
        try:
            for begin in range(0, len(work), SENTENCES_OF_A_PART):
                if self._stopped.is_set():
                    return
                part = work[begin : begin + SENTENCES_OF_A_PART]
                scores = dict(zip((version for version, _ in part), _scores(part, file, model), strict=True))
                with self._lock:
                    ranking.scores |= scores
                    ranking.step += len(part)
        except Exception as error:
            ranking.error = str(error)
        finally:
            ranking.is_running = False


def _scores(part: Sequence[tuple[str, bytes]], file: TreeFile, model: Model) -> list[float]:
    try:
        return _expected_errors(b"".join(block for _, block in part), file, model)
    except (ArcwiseError, ValueError):
        if len(part) == 1:
            return [-1.0]
        return [score for one in part for score in _scores([one], file, model)]


def _expected_errors(data: bytes, file: TreeFile, model: Model) -> list[float]:
    """As the criterion `errors` of `arcwise suggest` has it, for each word."""
    assert model.pipeline is not None
    treebank = Treebank.from_string(closed(data), format=file.format, check_trees=False, max_words=MOST_WORDS)
    parsed = model.pipeline.parse(treebank, probabilities="moves")
    errors = np.add.reduceat(1 - parsed.deprel_probs.astype(float), parsed.first_words[:-1])
    scores: list[float] = (errors / np.diff(parsed.first_words)).round(4).tolist()
    return scores


def rarity(snapshot: Snapshot) -> NDArray[np.float64]:
    """Of each sentence, how rare its rarest arc is in the file: minus the log of the share of arcs with the
    same tags and label."""
    treebank = snapshot.treebank
    if not treebank.word_count:
        return np.zeros(len(treebank))
    tags, names = snapshot.column("upos")
    heads = snapshot.heads
    above = np.where(heads >= 0, tags[heads], len(names))
    labels = treebank.labels
    kinds = ((labels + 1).astype(np.int64) * (len(names) + 2) + tags + 1) * (len(names) + 2) + above + 1
    _, places, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    rare = np.where(labels >= 0, -np.log(counts[places] / len(kinds)), 0.0)
    return np.maximum.reduceat(rare, treebank.first_words[:-1])
