"""One treebank evaluated against another: every score there is, in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from arcwise.errors import ArcwiseError
from arcwise.evaluation.attachment import AttachmentScores, scores_of
from arcwise.evaluation.classes import ErrorClass, classes_of, summary
from arcwise.evaluation.conll18 import Conll18Scores, conll18_scores
from arcwise.evaluation.pairing import AnnotatedWords, Punctuation, paired
from arcwise.evaluation.tags import TagsUsed


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The papers' scores and, where they can be computed, those of the CoNLL 2018 shared task."""

    gold: str  # where the treebanks were read from, or what made the trees
    system: str
    attachment: AttachmentScores
    conll18: Conll18Scores | None
    why_no_conll18: str | None = None
    errors: Mapping[str, ErrorClass] = field(default_factory=dict)
    """What kind of errors there are, and what LAS each kind costs: see `arcwise.evaluation.error_classes`."""
    tags: TagsUsed | None = None
    """Which tags the parser was trained on, and which it was given; None where no model was scored."""

    def __repr__(self) -> str:
        return f"<Evaluation of {self.system!r}: {self.attachment.in_brief}>"

    def to_dict(self) -> dict[str, Any]:
        """Everything there is to say, ready for JSON: `attachment.las`, `conll18.LAS.f1`, ..."""
        return {
            "gold": self.gold,
            "system": self.system,
            "tags": None if self.tags is None else self.tags.to_dict(),
            "attachment": self.attachment.to_dict(),
            "conll18": None if self.conll18 is None else self.conll18.to_dict(),
            "why_no_conll18": self.why_no_conll18,
            "errors": {name: asdict(errors) for name, errors in self.errors.items()},
        }


def evaluate(
    gold: AnnotatedWords,
    system: AnnotatedWords,
    *,
    punctuation: Punctuation = "upos",
    conll18: bool = True,
    name: str | None = None,
    tags: TagsUsed | None = None,
) -> Evaluation:
    """Scores `system` against `gold`, two annotations of the same words.

    Punctuation is told by the gold tags, or by the forms (see `punctuation_mask`). The CoNLL 2018
    metrics are defined for CoNLL-U with one root in every sentence: for other treebanks they are
    None and `why_no_conll18` says why. They take most of the time; `conll18=False` leaves them out.
    `name` is what the system is called: by default what it was read from, which for trees that a
    parser has just made is the text that it was given. `tags` are handed on: see `tags_used`.

    Raises `EvaluationError` where the words differ; `conll18_scores` compares such treebanks.
    """
    arcs = paired(gold, system, punctuation)
    scores, why_not = _conll18(gold, system) if conll18 else (None, None)
    return Evaluation(
        gold.source,
        name or system.source,
        scores_of(arcs),
        scores,
        why_not,
        summary(arcs, classes_of(arcs, gold.column("upos"))),
        tags,
    )


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
