"""Which sentences to annotate next: those that a parser has most to learn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import OptionError, TreebankError
from arcwise.probabilities import SAMPLES, SEED, Estimator
from arcwise.treebank import Treebank

if TYPE_CHECKING:
    from arcwise.parser import Parser
    from arcwise.pipeline import Pipeline

Criterion: TypeAlias = Literal["errors", "entropy", "least-confident", "random"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)

_Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Suggestions:
    """The sentences most worth annotating, best first."""

    trees: Treebank
    """As the parser takes them to be, with its probabilities: something to correct."""
    indices: list[int]
    """Where each stood in the treebank."""
    scores: list[float]


def suggest(
    parser: Parser | Pipeline,
    treebank: Treebank,
    n: int | None = None,
    *,
    words: int | None = None,
    criterion: Criterion = "errors",
    length_bias: float = 0.0,
    probabilities: Estimator = "moves",
    samples: int = SAMPLES,
    seed: int = SEED,
    threads: int = 1,
    **parsing: Any,
) -> Suggestions:
    """Chooses `n` sentences, or as many as have `words` words in all.

    A parser, or a pipeline, parses them as its `parse` does; other options are handed on to that.

    Criteria are how many `errors` the parser expects to have made, in heads or labels; the `entropy` of its
    choices; how improbable its own tree is (`least-confident`); and none (`random`). They are taken for each
    word with a `length_bias` of 0, for the whole sentence with 1, between with what is between; more than 1
    favours long sentences still more, less than 0 short ones. Of sentences of the same words one is chosen.
    """
    if (n is None) == (words is None):
        raise OptionError("Ask for a number of sentences or for a number of words: one of them.")
    if min(value for value in (n, words) if value is not None) < 1:
        raise OptionError("Ask for at least one sentence, or one word.")
    if criterion not in CRITERIA:
        raise OptionError(f"There is no criterion called '{criterion}': choose from {', '.join(CRITERIA)}.")
    if not len(treebank):
        raise TreebankError(f"{treebank.source} has no sentences to choose from: check the name.")
    how = {"probabilities": probabilities, "samples": samples, "seed": seed, "threads": threads, **parsing}
    trees = parser.parse(treebank, **how)
    lengths = np.diff(trees.first_words)
    if criterion == "random":
        scores = np.random.default_rng(seed).random(len(trees))
    else:
        scores = _OF_SENTENCES[criterion](trees) * lengths ** (length_bias - 1.0)
    chosen = _best(trees, scores, lengths, n, words)
    return Suggestions(trees.select(chosen), chosen, scores[chosen].tolist())


def _expected_errors(trees: Treebank) -> _Scores:
    return np.add.reduceat(1 - trees.deprel_probs.astype(float), trees.first_words[:-1])


def _entropies(trees: Treebank) -> _Scores:
    return np.array([sentence.entropy for sentence in trees])


def _improbabilities(trees: Treebank) -> _Scores:
    return np.array([-(sentence.log_prob or 0.0) for sentence in trees])


_OF_SENTENCES: dict[str, Callable[[Treebank], _Scores]] = {
    "errors": _expected_errors,
    "entropy": _entropies,
    "least-confident": _improbabilities,
}


def _best(
    trees: Treebank, scores: _Scores, lengths: NDArray[np.int64], n: int | None, words: int | None
) -> list[int]:
    """The sentences of the highest scores; of equal ones and of the same words, the first."""
    forms, bounds = trees.column("form"), trees.first_words.tolist()
    seen: set[tuple[str, ...]] = set()
    chosen: list[int] = []
    left = words
    for index in np.argsort(-scores, kind="stable").tolist():
        if len(chosen) == n or (left is not None and left <= 0):
            break
        sentence = tuple(forms[bounds[index] : bounds[index + 1]])
        if sentence in seen:
            continue
        seen.add(sentence)
        chosen.append(index)
        if left is not None:
            left -= int(lengths[index])
    return chosen
