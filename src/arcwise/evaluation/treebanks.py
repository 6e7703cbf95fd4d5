"""One treebank evaluated against another: every score there is, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from arcwise.errors import ArcwiseError, EvaluationError
from arcwise.evaluation.attachment import (
    UNKNOWN,
    AttachmentScores,
    Punctuation,
    attachment_scores,
    punctuation_mask,
)
from arcwise.evaluation.conll18 import Conll18Scores, conll18_scores


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


@dataclass(frozen=True)
class Evaluation:
    """The papers' scores and, where they can be computed, those of the CoNLL 2018 shared task."""

    gold: str  # where the treebanks were read from
    system: str
    attachment: AttachmentScores
    conll18: Conll18Scores | None
    why_no_conll18: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything there is to say, ready for JSON: `attachment.las`, `conll18.LAS.f1`, ..."""
        return {
            "gold": self.gold,
            "system": self.system,
            "attachment": self.attachment.to_dict(),
            "conll18": None if self.conll18 is None else self.conll18.to_dict(),
            "why_no_conll18": self.why_no_conll18,
        }


def evaluate(
    gold: AnnotatedWords,
    system: AnnotatedWords,
    *,
    punctuation: Punctuation = "upos",
    conll18: bool = True,
) -> Evaluation:
    """Scores `system` against `gold`, two annotations of the same words.

    Punctuation is told by the gold tags, or by the forms (see `punctuation_mask`). The CoNLL 2018
    metrics are defined for CoNLL-U with one root in every sentence: for other treebanks they are
    None and `why_no_conll18` says why. They take most of the time; `conll18=False` leaves them out.

    Raises `EvaluationError` where the words differ; `conll18_scores` compares such treebanks.
    """
    _demand_same_words(gold, system)
    label_names = list(dict.fromkeys([*gold.label_names, *system.label_names]))
    attachment = attachment_scores(
        gold.heads,
        _renamed(gold, label_names),
        system.heads,
        _renamed(system, label_names),
        first_words=gold.first_words,
        punct=punctuation_mask(gold.column("upos"), gold.column("form"), punctuation),
        label_names=label_names,
    )
    scores, why_not = _conll18(gold, system) if conll18 else (None, None)
    return Evaluation(gold.source, system.source, attachment, scores, why_not)


def _conll18(gold: AnnotatedWords, system: AnnotatedWords) -> tuple[Conll18Scores | None, str | None]:
    for treebank in (gold, system):
        # CoNLL-X has ten columns too, but its tags and relations are not Universal Dependencies'.
        if getattr(treebank, "format", "conllu") == "conllx":
            return None, f"{treebank.source} is CoNLL-X: these metrics are defined for CoNLL-U."
    try:
        scores = conll18_scores(
            gold.to_string(),
            system.to_string(),
            gold_source=gold.source,
            system_source=system.source,
        )
    except ArcwiseError as error:
        return None, str(error)
    return scores, None


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
