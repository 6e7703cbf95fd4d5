"""What kind of errors a parser makes, and how much LAS each kind costs.

Every word whose head or label is wrong falls into one class, the first of `CLASSES` that fits, so that what
the classes would give back adds up to all that is lost. They are those of Kummerfeld et al. (2012) as far as
they can be told from a dependency tree and its labels (Universal Dependencies', and the older universal and
Stanford ones): a word is an error here, where there a subtree is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from arcwise.evaluation.arcs import UNKNOWN, Arcs, Bools, Ints
from arcwise.evaluation.pairing import AnnotatedWords, Punctuation, paired

CLASSES = {
    "no head": "the system gives no head",
    "punctuation": "a punctuation mark with the wrong head or label",
    "label only": "the right head with the wrong label",
    "root": "the root of the sentence, or what is taken for it",
    "coordination": "a conjunct or a conjunction, in gold or system",
    "PP attachment": "a nominal with an adposition",
    "clause": "a clause: relative, adverbial, complement, subject, parataxis",
    "argument": "a subject or an object",
    "noun phrase": "a modifier or determiner of a noun",
    "modifier": "an adverb or another adjunct",
    "function word": "an auxiliary, copula, marker or adposition",
    "other": "anything else",
}
"""The classes in the order in which they are tried, and what is in them."""

# Base labels: what stands before the colon.
_COORDINATION = {"conj", "cc", "preconj"}
_NOMINALS = {"nmod", "obl"}  # with an adposition below them
_ADPOSITIONAL = {"adpmod", "prep"}  # where the adposition is the head
_CLAUSES = {
    "acl", "advcl", "ccomp", "xcomp", "csubj", "csubjpass", "parataxis", "rcmod", "partmod", "infmod", "vmod",
}  # fmt: skip
_ARGUMENTS = {"nsubj", "nsubjpass", "obj", "dobj", "iobj", "pobj", "adpobj", "expl", "agent", "attr"}
_NOUN_PHRASE = {
    "amod", "det", "predet", "nummod", "num", "nmod", "compound", "compmod", "nn", "flat", "fixed", "mwe",
    "name", "appos", "poss", "goeswith", "clf", "list",
}  # fmt: skip
_MODIFIERS = {"advmod", "obl", "npadvmod", "discourse", "vocative", "dislocated", "neg", "quantmod"}
_FUNCTION_WORDS = {"aux", "auxpass", "cop", "mark", "case", "adp", "prt", "possessive", "complm"}


@dataclass(frozen=True)
class ErrorClass:
    """The errors of a class."""

    errors: int
    """Words with a wrong head or label."""
    share: float
    """Of all errors, in percent."""
    uas: float
    """What UAS would gain if they were right, and nothing else changed."""
    las: float
    """What LAS would gain."""
    meaning: str


def error_classes(
    gold: AnnotatedWords, system: AnnotatedWords, *, punctuation: Punctuation = "upos"
) -> dict[str, ErrorClass]:
    """How many errors there are of each class that occurs, the largest first; see `CLASSES`."""
    arcs = paired(gold, system, punctuation)
    return summary(arcs, classes_of(arcs, gold.column("upos")))


def summary(arcs: Arcs, classes: Ints) -> dict[str, ErrorClass]:
    """The same of what `classes_of` gives."""
    counts = np.bincount(classes[classes != UNKNOWN], minlength=len(CLASSES)).tolist()
    wrong_head = (classes != UNKNOWN) & ~arcs.head_right
    heads = np.bincount(classes[wrong_head], minlength=len(CLASSES)).tolist()
    words, labelled, errors = int(arcs.counted.sum()), int(arcs.labelled.sum()), sum(counts)
    found = {
        name: ErrorClass(
            errors=count,
            share=100 * count / errors,
            uas=100 * head_errors / words,
            las=100 * count / labelled,
            meaning=CLASSES[name],
        )
        for name, count, head_errors in zip(CLASSES, counts, heads, strict=True)
        if count
    }
    return dict(sorted(found.items(), key=lambda item: -item[1].errors))


def classes_of(arcs: Arcs, upos: Sequence[str]) -> Ints:
    """The class of each word's error, an index into `CLASSES`; -1 of words that are right or not counted."""
    base = np.array([name.partition(":")[0] for name in arcs.label_names] + [""])  # -1 leads to the last

    def labels_among(labels: Ints, names: Collection[str]) -> Bools:
        return np.isin(base, list(names))[labels]

    gold, system = arcs.gold_labels, arcs.system_labels
    conditions = {
        "no head": arcs.system_heads == UNKNOWN,
        "punctuation": arcs.punct,
        "label only": arcs.head_right,
        "root": (arcs.gold_heads == 0) | (arcs.system_heads == 0),
        "coordination": labels_among(gold, _COORDINATION) | labels_among(system, _COORDINATION),
        "PP attachment": labels_among(gold, _ADPOSITIONAL)
        | (labels_among(gold, _NOMINALS) & _with_adposition(arcs, labels_among(gold, {"case"}), upos)),
        "clause": labels_among(gold, _CLAUSES),
        "argument": labels_among(gold, _ARGUMENTS),
        "noun phrase": labels_among(gold, _NOUN_PHRASE),
        "modifier": labels_among(gold, _MODIFIERS),
        "function word": labels_among(gold, _FUNCTION_WORDS),
        "other": np.ones(len(gold), dtype=bool),
    }
    assert list(conditions) == list(CLASSES)
    first = np.select(list(conditions.values()), list(range(len(conditions))))
    return np.where(arcs.labelled & ~arcs.arc_right, first, UNKNOWN)


def _with_adposition(arcs: Arcs, case: Bools, upos: Sequence[str]) -> Bools:
    """Which words have an adposition below them in the gold tree: a `case`, but no particle such as 's."""
    found = np.zeros(len(case), dtype=bool)
    marks = np.flatnonzero(case & (arcs.gold_heads > 0))
    marks = marks[[upos[word] != "PART" for word in marks.tolist()]] if len(marks) else marks
    found[marks - arcs.position[marks] + arcs.gold_heads[marks]] = True
    return found
