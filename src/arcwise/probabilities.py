"""How sure a parser is: probabilities of heads and labels, from its moves or from trees that it draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, overload

from arcwise._numpy import np
from arcwise.errors import OptionError
from arcwise.learners import PROBABILISTIC, learner
from arcwise.options import ParseOptions, ParserOptions
from arcwise.treebank import Treebank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arcwise.calibration import Calibration
    from arcwise.constraints import Compiled

Estimator: TypeAlias = Literal["moves", "samples"]
ESTIMATORS: tuple[Estimator, ...] = ("moves", "samples")
SAMPLES = ParseOptions.samples
SEED = ParseOptions.seed


class ArcProbability(NamedTuple):
    """One of the arcs that a word may have."""

    word: int
    """The dependent, counted from 1 in its sentence."""
    head: int
    deprel: str
    prob: float


@dataclass(frozen=True)
class Marginals(Sequence[list[ArcProbability]]):
    """The arcs that were drawn for the words of a treebank, and the share of the draws that had each.

    Indexing gives the arcs of a sentence: from word to word, the most probable first. For whole treebanks the
    same is in arrays, an element for each arc.
    """

    words: NDArray[np.int64]
    """The arc's dependent, numbered through the whole treebank from 0."""
    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    probs: NDArray[np.float32]
    label_names: list[str]
    first_words: NDArray[np.int64]
    """Where each sentence's words begin, as in `Treebank.first_words`."""

    def __len__(self) -> int:
        return len(self.first_words) - 1

    @overload
    def __getitem__(self, index: int) -> list[ArcProbability]: ...
    @overload
    def __getitem__(self, index: slice) -> list[list[ArcProbability]]: ...
    def __getitem__(self, index: int | slice) -> list[ArcProbability] | list[list[ArcProbability]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        begin, end = self.first_words[range(len(self))[index] :][:2]
        arcs = slice(*np.searchsorted(self.words, (begin, end)))
        columns = (self.words[arcs] - begin + 1, self.heads[arcs], self.labels[arcs], self.probs[arcs])
        return [
            ArcProbability(word, head, self.label_names[label], prob)
            for word, head, label, prob in zip(*(column.tolist() for column in columns), strict=True)
        ]

    def __iter__(self) -> Iterator[list[ArcProbability]]:
        return (self[index] for index in range(len(self)))


def demand_probabilities(options: ParserOptions, what: str = "probabilities") -> None:
    """Refuses models whose scores say nothing of how probable a move is."""
    if not learner(options.learner.name).probabilistic:
        raise OptionError(
            f"This model has no {what}: its learner, {options.learner}, has only scores. Train one with the "
            f"learner {' or '.join(PROBABILISTIC)}."
        )


def parse(
    core: Any,
    treebank: Treebank,
    onto: Treebank,
    options: ParseOptions,
    calibration: Calibration,
    given: Compiled,
    search: dict[str, Any],
) -> Treebank:
    """The trees of a search, given as the core's `parse` takes it, with probabilities of either kind.

    They are given to a treebank of the same words.
    """
    temperature, samples = calibration.temperature, options.samples
    estimator: Any = options.probabilities
    found = core.estimates(treebank._core, **search, temperature=temperature)
    trees = onto._retagged(found["retagged"])
    trees = trees.with_trees(found["heads"], found["labels"], given.label_names)
    if estimator == "samples":
        drawn = core.marginals(
            treebank._core,
            found["heads"],
            found["labels"],
            samples,
            options.seed,
            search["threads"],
            temperature=temperature,
            constraints=given.core,
        )
        found |= {name: drawn[name] for name in ("head_probs", "deprel_probs", "entropies")}
    head_probs = calibration.head_probs(found["head_probs"], estimator, samples)
    head_probs = np.where(given.has_head, 1.0, head_probs)
    deprel_probs = calibration.deprel_probs(found["deprel_probs"], head_probs, estimator, samples)
    return trees.with_probabilities(
        head_probs,
        np.where(given.has_label, head_probs, deprel_probs),
        log_probs=found["log_probs"],
        entropies=found["entropies"],
    )


def marginals(
    core: Any,
    treebank: Treebank,
    label_names: list[str],
    options: ParseOptions,
    temperature: float,
) -> Marginals:
    """All arcs that were drawn for a treebank."""
    no_trees = np.full(treebank.word_count, -1, dtype=np.int32)
    o = options
    drawn = core.marginals(
        treebank._core, no_trees, no_trees, o.samples, o.seed, o.threads, True, temperature
    )
    return Marginals(
        words=np.repeat(np.arange(treebank.word_count), drawn["counts"]),
        heads=drawn["heads"],
        labels=drawn["labels"],
        probs=drawn["shares"],
        label_names=label_names,
        first_words=treebank.first_words,
    )
