"""What the H-step hands to the C-step: the best trees of every sentence, as a beam found them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ModelError, OptionError
from arcwise.options import ParseOptions
from arcwise.options.ranking import LOSSES
from arcwise.parser import Parser
from arcwise.treebank import Treebank

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Candidates:
    """Trees of the sentences of a treebank: the words of one tree after those of the other.

    Attributes:
        treebank: The sentences, with their gold trees if there are any.
        counts: How many trees each sentence has.
        scores: What the beam gave each tree: H.
        heads, labels: Of all words of all trees, best tree first; labels are indices into `label_names`.
        leave_out: Columns that the parser took for empty, and a ranker must too.
    """

    treebank: Treebank
    counts: Ints
    scores: Floats
    heads: Ints
    labels: Ints
    label_names: Sequence[str]
    leave_out: tuple[str, ...] = ()

    @classmethod
    def of(cls, parser: Parser, treebank: Treebank, *, beam: int, threads: int = 1) -> Candidates:
        """The trees that a parser's beam of this width ends with, no two of a sentence the same."""
        parser._check_search(ParseOptions(beam=beam, threads=threads).beam)
        best = parser._core.best(treebank._core, beam, beam, threads)
        return cls(
            treebank,
            best["counts"],
            best["scores"],
            best["heads"],
            best["labels"],
            list(parser.info.label_names),
            parser.info.options.leave_out,
        )

    @classmethod
    def joined(cls, treebank: Treebank, parts: Sequence[Candidates]) -> Candidates:
        """Those of a whole treebank, from those of its parts in their order."""
        if any(part.label_names != parts[0].label_names for part in parts):
            raise OptionError("Candidates with different label names cannot be joined.")
        every = [part.arrays() for part in parts]
        return cls(
            treebank,
            label_names=parts[0].label_names,
            leave_out=parts[0].leave_out,
            **{name: np.concatenate([arrays[name] for arrays in every]) for name in every[0]},
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All but the treebank and the names of labels, by name."""
        return {name: getattr(self, name) for name in ("counts", "scores", "heads", "labels")}

    def check(self) -> None:
        """Refuses arrays that are no trees of these sentences.

        Raises:
            ModelError: They are of other kinds or sizes, or have heads or labels that there are not.
        """
        lengths = np.diff(self.treebank.first_words)
        kinds = {"counts": np.int32, "scores": np.float64, "heads": np.int32, "labels": np.int32}
        holds = all(a.dtype == kinds[name] and a.ndim == 1 for name, a in self.arrays().items())
        holds = holds and len(self.counts) == len(lengths) and bool((self.counts >= 1).all())
        holds = holds and len(self.scores) == self.counts.sum(dtype=np.int64)
        holds = holds and len(self.heads) == len(self.labels) == (lengths * self.counts).sum(dtype=np.int64)
        if holds:
            of_trees = np.repeat(lengths, self.counts)
            holds = bool(np.isfinite(self.scores).all())
            holds = holds and bool(((self.heads >= 0) & (self.heads <= np.repeat(of_trees, of_trees))).all())
            holds = holds and bool(((self.labels >= 0) & (self.labels < len(self.label_names))).all())
        if not holds:
            raise ModelError("The candidates are damaged: they are no trees of these sentences.")

    def select(self, sentences: Sequence[int]) -> Candidates:
        """Those of some of the sentences."""
        trees = _ranges(self.first_trees[:-1][sentences], self.counts[sentences])
        words = _ranges(self.first_words[:-1][trees], np.diff(self.first_words)[trees])
        return Candidates(
            self.treebank.select(sentences),
            self.counts[sentences],
            self.scores[trees],
            self.heads[words],
            self.labels[words],
            self.label_names,
            self.leave_out,
        )

    @cached_property
    def first_trees(self) -> NDArray[np.int64]:
        """Where each sentence's trees start, and where the last one's end."""
        return _starts(self.counts)

    @cached_property
    def first_words(self) -> NDArray[np.int64]:
        """Where each tree's words start in `heads` and `labels`, and where the last one's end."""
        return _starts(np.repeat(np.diff(self.treebank.first_words), self.counts))

    @cached_property
    def _gold_words(self) -> NDArray[np.int64]:
        """Which word of the treebank each word of the trees is."""
        return _ranges(np.repeat(self.treebank.first_words[:-1], self.counts), np.diff(self.first_words))

    def wrong(self, what: str = "heads") -> NDArray[np.bool_]:
        """Which words of the trees have a wrong head; with "labels", a wrong head or label.

        What the gold standard does not say is never wrong.
        """
        if what not in LOSSES:
            raise OptionError(f"There is no loss called '{what}': choose one of {', '.join(LOSSES)}.")
        gold = self.treebank.heads[self._gold_words]
        known = gold >= 0
        wrong = self.heads != gold
        if what == "labels":
            wrong |= self.gold_labels[self._gold_words] != self.labels
        return np.asarray(wrong & known)

    @cached_property
    def gold_labels(self) -> Ints:
        """The gold labels of the treebank's words as indices into `label_names`; -2 for any other."""
        numbers = {name: number for number, name in enumerate(self.label_names)}
        names = [numbers.get(name, -2) for name in self.treebank.label_names]
        return np.array([*names, -2], dtype=np.int32)[self.treebank.labels]

    def losses(self, what: str = "heads") -> Ints:
        """How many words of each tree are wrong: the Hamming distance to the gold tree."""
        return np.add.reduceat(self.wrong(what), self.first_words[:-1], dtype=np.int32)

    def distances(self, chosen: NDArray[np.int64]) -> Ints:
        """How many heads of each tree differ from those of the tree that is chosen for its sentence."""
        lengths = np.diff(self.first_words)
        own = _ranges(np.repeat(self.first_words[:-1][chosen], self.counts), lengths)
        differs = (self.heads != self.heads[own]) & (self.treebank.heads[self._gold_words] >= 0)
        return np.add.reduceat(differs, self.first_words[:-1], dtype=np.int32)

    def best(self, scores: NDArray[Any], k: int | None = None) -> NDArray[np.int64]:
        """Which tree of each sentence, of the first `k`, has the highest score; the first among equals."""
        trees, first = np.arange(len(scores)), self.first_trees[:-1]
        if k is not None:
            scores = np.where(trees < np.repeat(first + k, self.counts), scores, -np.inf)
        best = scores == np.repeat(np.maximum.reduceat(scores, first), self.counts)
        return np.asarray(np.minimum.reduceat(np.where(best, trees, len(trees)), first))

    def rescaled(self, scores: Floats) -> Floats:
        """Scores of trees, rescaled to [0, 1] over the trees of a sentence; 0 if all are the same."""
        first = self.first_trees[:-1]
        least, most = np.minimum.reduceat(scores, first), np.maximum.reduceat(scores, first)
        spread = np.where(most > least, most - least, 1.0)
        return np.asarray((scores - np.repeat(least, self.counts)) / np.repeat(spread, self.counts))

    def trees(self, chosen: NDArray[np.int64]) -> Treebank:
        """The treebank with these trees, one for each sentence."""
        words = _ranges(self.first_words[:-1][chosen], np.diff(self.first_words)[chosen])
        return self.treebank.with_trees(self.heads[words], self.labels[words], self.label_names)


def _starts(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _ranges(starts: NDArray[np.integer], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """start, start + 1, … of each length, one after the other."""
    ends = np.cumsum(lengths, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
