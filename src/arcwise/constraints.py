"""What a sentence's tree must be like: heads and labels that are known, arcs that must not be, and words that
must be a subtree.

    >>> constraints = Constraints(heads={2: 4}, labels={1: "nsubj"}, forbidden=[(3, 1)], subtrees=[(5, 8)])

Words are counted from 1, and 0 is ROOT. `Parser.parse` takes the constraints of each sentence, or a function
that gives them, such as `Constraints.from_misc` and `Constraints.from_tree`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from arcwise import _core
from arcwise._numpy import np
from arcwise.errors import ConstraintError
from arcwise.treebank import Sentence, Treebank, can_be_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Constraints"]

_NUMBER = re.compile("0|[1-9][0-9]{0,8}")
T = TypeVar("T")
_HEAD, _DEPREL, _NOT_HEAD, _SUBTREE = MISC_KEYS = ("FixedHead", "FixedDeprel", "NotHead", "Subtree")


@dataclass(frozen=True)
class Constraints:
    """The constraints of one sentence."""

    heads: Mapping[int, int] = field(default_factory=dict)
    """The head of a word."""
    labels: Mapping[int, str] = field(default_factory=dict)
    """The label of the arc to a word."""
    forbidden: Sequence[tuple[int, int]] = ()
    """Arcs, each a head and a word, that the tree must not have."""
    subtrees: Sequence[tuple[int, int]] = ()
    """Words, from a first to a last, that one of them dominates, and it no others."""

    @classmethod
    def from_tree(cls, sentence: Sentence) -> Constraints:
        """Keeps what HEAD and DEPREL give, for what they leave open to be completed."""
        heads = {word: head for word, head in enumerate(sentence.heads.tolist(), 1) if head >= 0}
        labels = {word: token.deprel for word, token in enumerate(sentence, 1) if token.deprel is not None}
        return cls(heads=heads, labels=labels)

    @classmethod
    def from_misc(cls, sentence: Sentence) -> Constraints:
        """What MISC says: `FixedHead=3`, `FixedDeprel=nsubj`, `NotHead=2,5` of a word, and `Subtree=4-7`.

        >>> treebank = Treebank.from_words([["so", "it", "goes"]], misc=[["NotHead=0,2", "_", "FixedHead=0"]])
        >>> Constraints.from_misc(treebank[0])
        Constraints(heads={3: 0}, labels={}, forbidden=[(0, 1), (2, 1)], subtrees=[])
        """
        if sentence.format == "conllx":
            raise ConstraintError(
                "constraints are read from MISC, which CoNLL-X has not; convert to CoNLL-U."
            )
        heads: dict[int, int] = {}
        labels: dict[int, str] = {}
        forbidden: list[tuple[int, int]] = []
        subtrees: list[tuple[int, int]] = []
        for word, token in enumerate(sentence, 1):
            for key, value in _entries(token.misc):
                try:
                    if key == _HEAD:
                        _keep(heads, word, _whole(value), key)
                    elif key == _DEPREL:
                        _keep(labels, word, value, key)
                    elif key == _NOT_HEAD:
                        forbidden += [(_whole(head), word) for head in value.split(",")]
                    elif key == _SUBTREE:
                        for span in value.split(","):
                            first, last = span.split("-")
                            subtrees.append((_whole(first), _whole(last)))
                except ConstraintError:
                    raise
                except ValueError:
                    raise ConstraintError(
                        f"word {word} has {key}={value} in MISC; write {_HEAD}=3, {_NOT_HEAD}=2,5 or "
                        f"{_SUBTREE}=4-7, with the numbers of words."
                    ) from None
        return cls(heads, labels, forbidden, subtrees)

    def __or__(self, other: Constraints) -> Constraints:
        """What both say."""
        for mine, others, what in ((self.heads, other.heads, "head"), (self.labels, other.labels, "label")):
            for word in mine.keys() & others.keys():
                if mine[word] != others[word]:
                    both = f"the {what} {mine[word]} and the {what} {others[word]}"
                    raise ConstraintError(f"word {word} cannot have both {both}; drop one of them.")
        return Constraints(
            {**self.heads, **other.heads},
            {**self.labels, **other.labels},
            [*self.forbidden, *other.forbidden],
            [*self.subtrees, *other.subtrees],
        )

    def _for_the_core(self, words: int, numbers: _LabelNumbers) -> Iterator[tuple[int, int, int]]:
        """Kind, word and value of each; `numbers` are those of labels, and new ones get one."""
        for word, head in self.heads.items():
            yield _core.ConstraintKind.HEAD.value, *_arc(head, word, words)
        for word, label in self.labels.items():
            yield _core.ConstraintKind.LABEL.value, _word(word, words), _number(label, word, numbers)
        for head, word in self.forbidden:
            yield _core.ConstraintKind.NOT_HEAD.value, *_arc(head, word, words)
        for first, last in self.subtrees:
            if first > last:
                raise ConstraintError(f"a subtree cannot begin at word {first} and end at {last}; swap them.")
            yield _core.ConstraintKind.SUBTREE.value, _word(first, words), _word(last, words)


Given = Callable[[Sentence], Constraints | None] | Sequence[Constraints | None]


class Compiled(NamedTuple):
    """Constraints as the core takes them, and the parser's labels with those that are new to it."""

    core: _core.Constraints | None
    label_names: list[str]
    has_head: NDArray[np.bool_] | bool = False
    """Of each word, whether its head is given; False if none is."""
    has_label: NDArray[np.bool_] | bool = False


def compiled(given: Given | None, treebank: Treebank, label_names: Sequence[str]) -> Compiled:
    """What the constraints of a treebank come to for a parser with these labels."""
    if given is None:
        return Compiled(None, list(label_names))
    if not callable(given) and len(given) != len(treebank):
        raise ConstraintError(
            f"There are constraints for {len(given)} sentences, but {len(treebank)} to parse; give one each, "
            "None for a sentence that has none."
        )
    numbers = _LabelNumbers(label_names)
    # Whole treebanks are not for Python to go through word by word.
    rows = _kept(treebank, numbers) if given == Constraints.from_tree else _rows(given, treebank, numbers)
    core = _core.Constraints(treebank._core, treebank.source, numbers.names, *np.ascontiguousarray(rows.T))
    sentences, kinds, words, _ = rows.T
    places = treebank.first_words[sentences] + words - 1

    def has(kind: _core.ConstraintKind) -> NDArray[np.bool_]:
        found = np.zeros(treebank.word_count, dtype=np.bool_)
        found[places[kinds == kind.value]] = True
        return found

    return Compiled(core, numbers.names, has(_core.ConstraintKind.HEAD), has(_core.ConstraintKind.LABEL))


def _rows(given: Given, treebank: Treebank, numbers: _LabelNumbers) -> NDArray[np.int32]:
    """Sentence, kind, word and value of each constraint."""
    rows: list[tuple[int, int, int, int]] = []
    for index, sentence in enumerate(treebank):
        try:
            constraints = given(sentence) if callable(given) else given[index]
            if constraints is not None:
                rows += [(index, *row) for row in constraints._for_the_core(len(sentence), numbers)]
        except ConstraintError as error:
            id = f"sentence {sentence.id}: " if sentence.id else ""
            raise ConstraintError(f"{treebank.source}:{sentence.line}: {id}{error}") from None
    return np.array(rows, dtype=np.int32).reshape(-1, 4)


def _kept(treebank: Treebank, numbers: _LabelNumbers) -> NDArray[np.int32]:
    """The same of `Constraints.from_tree`."""
    sentences = np.repeat(np.arange(len(treebank)), np.diff(treebank.first_words))
    words = np.arange(treebank.word_count) - treebank.first_words[sentences] + 1
    labels = np.array([numbers[name] for name in treebank.label_names] + [-1])[treebank.labels]

    def known(kind: _core.ConstraintKind, values: NDArray[np.int32]) -> NDArray[np.int32]:
        every = np.stack([sentences, np.full_like(words, kind.value), words, values], axis=1)
        return every[values >= 0].astype(np.int32)

    rows = np.concatenate(
        [known(_core.ConstraintKind.HEAD, treebank.heads), known(_core.ConstraintKind.LABEL, labels)]
    )
    return rows[np.argsort(rows[:, 0], kind="stable")]


class _LabelNumbers(dict[str, int]):
    """The numbers of labels; one that is new gets the next."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__((name, number) for number, name in enumerate(names))
        self.names = list(names)

    def __missing__(self, name: str) -> int:
        self.names.append(name)
        self[name] = len(self.names) - 1
        return self[name]


def _entries(misc: str) -> Iterator[tuple[str, str]]:
    """The keys of ours in MISC, and their values."""
    for entry in misc.split("|"):
        key, _, value = entry.partition("=")
        if key in MISC_KEYS:
            yield key, value


def _whole(digits: str) -> int:
    """A number as files have it; `int` takes more for one than they should have."""
    if not _NUMBER.fullmatch(digits):
        raise ValueError(digits)
    return int(digits)


def _keep(values: dict[int, T], word: int, value: T, key: str) -> None:
    if values.setdefault(word, value) != value:
        raise ConstraintError(
            f"word {word} has both {key}={values[word]} and {key}={value} in MISC; drop one of them."
        )


def _word(word: int, words: int) -> int:
    if not 1 <= word <= words:
        raise ConstraintError(f"there is no word {word}: the sentence's words are 1 to {words}.")
    return word


def _arc(head: int, word: int, words: int) -> tuple[int, int]:
    if head == word:
        raise ConstraintError(f"word {word} cannot be its own head; 0 is ROOT.")
    return _word(word, words), head and _word(head, words)


def _number(label: str, word: int, numbers: _LabelNumbers) -> int:
    if not can_be_label(label) or label == "_":
        raise ConstraintError(f"word {word} cannot have the label {label!r}: it could not be written.")
    return numbers[label]
