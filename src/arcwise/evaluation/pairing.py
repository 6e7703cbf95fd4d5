"""Two annotations of the same words, made into arrays side by side."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from arcwise.errors import EvaluationError
from arcwise.evaluation.arcs import UNKNOWN, Arcs

Punctuation = Literal["upos", "form"]

# UD's tag, the universal tag set's (and Penn's full stop), Penn Chinese's, and Penn's other four
# that English papers leave out. None of them means anything but punctuation elsewhere.
PUNCTUATION_TAGS = frozenset(("PUNCT", ".", "PU", ",", ":", "``", "''"))


class AnnotatedWords(Protocol):
    """What evaluation asks of a treebank; `arcwise.Treebank` has it."""

    @property
    def source(self) -> str:
        """Where the treebank was read from, for messages."""

    @property
    def heads(self) -> npt.NDArray[np.int32]:
        """Heads of all words, counted from 1 within the sentence; 0 is ROOT, -1 unknown."""

    @property
    def labels(self) -> npt.NDArray[np.int32]:
        """Labels of all words, as indices into `label_names`; -1 is unknown."""

    @property
    def label_names(self) -> list[str]:
        """The labels' names."""

    @property
    def first_words(self) -> npt.NDArray[np.int64]:
        """The first word of each sentence, and the number of all words."""

    def column(self, name: str, /) -> list[str]:
        """The column `name` ("form", "upos", ...) of all words."""

    def to_string(self) -> str:
        """The treebank as it is written to a file."""


def paired(gold: AnnotatedWords, system: AnnotatedWords, punctuation: Punctuation = "upos") -> Arcs:
    """The arcs of both sides. Punctuation is told by the gold tags, or by the forms.

    Raises `EvaluationError` where the words differ.
    """
    _demand_same_words(gold, system)
    label_names = list(dict.fromkeys([*gold.label_names, *system.label_names]))
    return Arcs.checked(
        gold.heads,
        _renamed(gold, label_names),
        system.heads,
        _renamed(system, label_names),
        gold.first_words,
        punctuation_mask(gold.column("upos"), gold.column("form"), punctuation),
        label_names,
    )


def punctuation_mask(
    upos: Sequence[str], forms: Sequence[str], by: Punctuation = "upos"
) -> npt.NDArray[np.bool_]:
    """Which words are punctuation.

    By `"upos"`, words whose tag is in `PUNCTUATION_TAGS`; by `"form"`, words all of whose
    characters are of a Unicode category P*, which needs no tags but leaves out symbols such as `$`
    and `+`.
    """
    if by == "upos":
        tags = list(upos)
        return np.fromiter((tag in PUNCTUATION_TAGS for tag in tags), dtype=bool, count=len(tags))
    if by == "form":
        is_punctuation = {form: _is_punctuation(form) for form in set(forms)}
        return np.fromiter((is_punctuation[form] for form in forms), dtype=bool, count=len(forms))
    raise EvaluationError(
        f"Punctuation cannot be told by {by!r}. Choose one of: {', '.join(get_args(Punctuation))}."
    )


def _is_punctuation(form: str) -> bool:
    return bool(form) and all(unicodedata.category(character)[0] == "P" for character in form)


def _renamed(treebank: AnnotatedWords, label_names: list[str]) -> npt.NDArray[np.int64]:
    """The treebank's labels as indices into `label_names`."""
    index = {name: position for position, name in enumerate(label_names)}
    # One more at the end, where numpy finds UNKNOWN (-1).
    new_ids = np.array([*(index[name] for name in treebank.label_names), UNKNOWN], dtype=np.int64)
    return new_ids[treebank.labels]


def _demand_same_words(gold: AnnotatedWords, system: AnnotatedWords) -> None:
    gold_forms, system_forms = gold.column("form"), system.column("form")
    if gold_forms == system_forms and np.array_equal(gold.first_words, system.first_words):
        return
    gold_bounds, system_bounds = gold.first_words.tolist(), system.first_words.tolist()
    sentences = min(len(gold_bounds), len(system_bounds)) - 1
    for sentence in range(sentences):
        gold_sentence = gold_forms[gold_bounds[sentence] : gold_bounds[sentence + 1]]
        system_sentence = system_forms[system_bounds[sentence] : system_bounds[sentence + 1]]
        if gold_sentence != system_sentence:
            difference = _difference(gold_sentence, system_sentence)
            break
    else:
        sentence = sentences
        difference = (
            f"{gold.source} has {len(gold_bounds) - 1} sentences and {system.source} {len(system_bounds) - 1}"
        )
    raise EvaluationError(
        f"{gold.source} and {system.source} part at sentence {sentence + 1}: {difference}. UAS and "
        "LAS need the same words on both sides; where tokenisation differs, use the CoNLL 2018 "
        "metrics (conll18_scores)."
    )


def _difference(gold: list[str], system: list[str]) -> str:
    for word, (gold_form, system_form) in enumerate(zip(gold, system, strict=False), start=1):
        if gold_form != system_form:
            return f"word {word} is {gold_form!r} in the first and {system_form!r} in the second"
    return f"the first has {len(gold)} words and the second {len(system)}"
