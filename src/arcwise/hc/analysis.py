"""Where the errors of a search come from: its beam, or what chooses among the beam's trees."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import OptionError
from arcwise.hc.candidates import Candidates
from arcwise.options import ParseOptions
from arcwise.parser import Parser
from arcwise.treebank import Treebank


@dataclass(frozen=True)
class Choice:
    """Scores of one tree for each sentence, and how its errors come about (Liu et al. 2015, 4.4).

    `generation` is the share of words whose head is wrong in the best of all candidates; `selection` that of
    words whose head differs between the tree that was chosen and the best candidates, on average over
    these; `total` that of wrong heads in the chosen tree. As in the paper, the first two need not add up to
    the third: a best candidate may be wrong where the chosen tree is right.
    """

    uas: float
    las: float
    generation: float
    selection: float
    total: float


@dataclass(frozen=True)
class Oracle:
    """The scores of the best of the first `k` trees of each sentence: by heads, and by heads and labels."""

    k: int
    uas: float
    las: float


@dataclass(frozen=True)
class Changes:
    """What a ranker made of the beam's first trees: sentences, by how many words are wrong then and now."""

    changed: int
    better: int
    worse: int

    @property
    def no_matter(self) -> int:
        """Other trees with as many errors."""
        return self.changed - self.better - self.worse


@dataclass(frozen=True)
class Analysis:
    """What became of a treebank's sentences in a search."""

    beam: int
    sentences: int
    words: int
    trees: int
    oracles: list[Oracle]
    beam_choice: Choice
    """Of the beam's first tree."""
    ranker_choice: Choice | None
    """Of the ranker's tree, without the beam's scores; None without a ranker."""
    mixture_choice: Choice | None
    """Of the tree that the parser takes."""
    changes: Changes | None
    alpha: float | None

    def to_dict(self) -> dict[str, Any]:
        """Everything there is to say, ready for JSON."""
        return asdict(self)


def analyse(parser: Parser, gold: Treebank, *, beam: int | None = None, threads: int = 1) -> Analysis:
    """Parses the words of a treebank with a beam and looks at all its trees."""
    if not int((gold.heads >= 0).sum()):
        raise OptionError("There is no head to compare with: analyse a treebank with trees.")
    _, width = parser._search(ParseOptions(search="beam", beam=beam))
    assert width is not None
    candidates = Candidates.of(parser, gold, beam=width, threads=threads)
    first = candidates.first_trees[:-1]
    ranker = mixture = changes = alpha = None
    if parser.ranker is not None:
        alpha = parser.alpha
        c = candidates.rescaled(parser.ranker.scores(candidates, threads=threads))
        h = candidates.rescaled(candidates.scores)
        taken = candidates.best(alpha * h + (1 - alpha) * c)
        ranker, mixture = _choice(candidates, candidates.best(c)), _choice(candidates, taken)
        changes = _changes(candidates, first, taken)
    return Analysis(
        beam=width,
        sentences=len(gold),
        words=int((gold.heads >= 0).sum()),
        trees=len(candidates.scores),
        oracles=list(_oracles(candidates, width)),
        beam_choice=_choice(candidates, first),
        ranker_choice=ranker,
        mixture_choice=mixture,
        changes=changes,
        alpha=alpha,
    )


def _share(candidates: Candidates, wrong: float) -> float:
    return 100 * float(wrong) / int((candidates.treebank.heads >= 0).sum())


def _oracles(candidates: Candidates, width: int) -> list[Oracle]:
    heads, labels = candidates.losses("heads"), candidates.losses("labels")
    widths = [2**i for i in range(width.bit_length()) if 2**i < width] + [width]

    def score(losses: NDArray[np.int32], k: int) -> float:
        return 100 - _share(candidates, losses[candidates.best(-losses, k)].sum())

    return [Oracle(k, score(heads, k), score(labels, k)) for k in widths]


def _choice(candidates: Candidates, chosen: NDArray[np.int64]) -> Choice:
    heads, labels = candidates.losses("heads"), candidates.losses("labels")
    first, counts = candidates.first_trees[:-1], candidates.counts
    least = np.minimum.reduceat(heads, first)
    best = heads == np.repeat(least, counts)
    far = np.add.reduceat(np.where(best, candidates.distances(chosen), 0), first)
    return Choice(
        uas=100 - _share(candidates, heads[chosen].sum()),
        las=100 - _share(candidates, labels[chosen].sum()),
        generation=_share(candidates, least.sum()),
        selection=_share(candidates, (far / np.add.reduceat(best, first, dtype=np.int64)).sum()),
        total=_share(candidates, heads[chosen].sum()),
    )


def _changes(candidates: Candidates, first: NDArray[np.int64], chosen: NDArray[np.int64]) -> Changes:
    losses = candidates.losses("labels")
    before, after = losses[first], losses[chosen]
    return Changes(
        changed=int((first != chosen).sum()),
        better=int((after < before).sum()),
        worse=int((after > before).sum()),
    )
