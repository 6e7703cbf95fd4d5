"""The rest of a tree, parsed again under what a person has fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.annotate import marks
from arcwise.annotate.arcs import ANY_LABEL, set_arc
from arcwise.annotate.lines import (
    DEPREL,
    FEATS,
    HEAD,
    ID,
    LEMMA,
    MISC,
    UPOS,
    XPOS,
    Block,
    Draft,
)
from arcwise.constraints import Constraints
from arcwise.corrections import NO_VALUE
from arcwise.errors import ConstraintError, OptionError
from arcwise.pipeline import Pipeline
from arcwise.treebank import Treebank

MOST_WORDS = 500
"""Of a sentence that is parsed while somebody waits."""
SAMPLES = 100


@dataclass(frozen=True)
class Reparsed:
    """A sentence with a new tree."""

    block: Block
    left_by_hand: tuple[int, ...] = ()
    """Words with an arc that the parser cannot build."""
    notes: tuple[str, ...] = ()
    probable: Treebank | None = None
    """The sentence with probabilities, which come with the parse."""


def can_parse(pipeline: Pipeline | None) -> bool:
    return pipeline is not None and pipeline.parser is not None


def proposed(block: Block, pipeline: Pipeline, name: str) -> Block:
    """A sentence without a tree, with a model's; tags that are there stay."""
    if len(block.words) > MOST_WORDS:
        return block
    treebank = pipeline.parse(block.treebank())
    return _with_parse(block, treebank).with_comment(marks.PARSED_BY, name)


def _with_parse(block: Block, parsed: Treebank) -> Block:
    """Tags where there are none, and arcs where they are not fixed."""
    draft = Draft(block)
    for row, token in zip(draft.words, parsed[0], strict=True):
        if row[UPOS] == row[XPOS] == row[FEATS] == NO_VALUE:
            row[UPOS], row[XPOS], row[FEATS] = token.upos, token.xpos, token.feats
            row[LEMMA] = token.lemma if row[LEMMA] == NO_VALUE else row[LEMMA]
        fixed = marks.fixed_fields(row[MISC])
        head = row[HEAD] if "head" in fixed or token.head is None else str(token.head)
        label = row[DEPREL] if "deprel" in fixed or token.deprel is None else token.deprel
        set_arc(draft, row[ID], head, label)
    return draft.finish()


def reparse(block: Block, pipeline: Pipeline, name: str) -> Reparsed:
    """Parses what is not fixed. What the parser cannot build is left as the person has it."""
    if len(block.words) > MOST_WORDS:
        note = f"The sentence has more than {MOST_WORDS} words: its tree stays as it is."
        return Reparsed(block, notes=(note,))
    heads, labels = fixed_arcs(block)
    treebank = block.treebank()
    by_hand: tuple[int, ...] = ()
    notes: list[str] = []
    attempts = [(heads, labels)]
    kept = without_crossing(heads)
    if len(kept) < len(heads):
        attempts.append(
            (kept, {word: label for word, label in labels.items() if word in kept or word not in heads})
        )
    attempts += [(kept, {}), ({}, {})]
    for own_heads, own_labels in attempts:
        try:
            constraints = [Constraints(own_heads, own_labels)] if own_heads or own_labels else None
            parsed = pipeline.parse(treebank, tags="auto", constraints=constraints, **_estimates(pipeline))
        except (ConstraintError, OptionError) as error:
            reason = str(error)
            continue
        by_hand = tuple(sorted(heads.keys() - own_heads.keys()))
        if by_hand and not own_heads:
            notes.append(f"The parser could not keep to what is fixed ({reason}); it was put in afterwards.")
        break
    else:  # the parser refuses the sentence even without constraints
        return Reparsed(block, notes=(f"The rest was not parsed again: {reason}",))
    made = _put_in(block, parsed, heads, labels, by_hand).with_comment(marks.PARSED_BY, name)
    probable = None
    if _estimates(pipeline) and not by_hand:
        probable = made.treebank().with_probabilities(parsed.head_probs, parsed.deprel_probs)
    return Reparsed(made, by_hand, tuple(notes), probable)


def _estimates(pipeline: Pipeline) -> dict[str, Any]:
    """What asks for probabilities, of a parser that has them."""
    parser = pipeline.parser
    return {"probabilities": "moves"} if parser is not None and parser.info.learner.probabilistic else {}


def fixed_arcs(block: Block) -> tuple[dict[int, int], dict[int, str]]:
    """Heads and labels that are fixed."""
    heads: dict[int, int] = {}
    labels: dict[int, str] = {}
    for row in block.words:
        fields = marks.fixed_fields(row[MISC])
        if "head" in fields and row[HEAD].isdigit():
            heads[int(row[ID])] = int(row[HEAD])
        if "deprel" in fields and row[DEPREL] != NO_VALUE:
            labels[int(row[ID])] = row[DEPREL]
    return heads, labels


def without_crossing(heads: dict[int, int]) -> dict[int, int]:
    """Arcs of which no two cross: those that cross most others go."""
    kept = dict(heads)
    while True:
        crossing = {
            word: sum(_cross(word, kept[word], other, kept[other]) for other in kept) for word in kept
        }
        worst = max(crossing, key=lambda word: (crossing[word], word), default=None)
        if worst is None or not crossing[worst]:
            return kept
        del kept[worst]


def _cross(a: int, head_of_a: int, b: int, head_of_b: int) -> bool:
    first, last = sorted((a, head_of_a))
    left, right = sorted((b, head_of_b))
    return first < left < last < right or left < first < right < last


def _put_in(
    block: Block, parsed: Treebank, heads: dict[int, int], labels: dict[int, str], by_hand: Sequence[int]
) -> Block:
    """The parse, with those arcs that it could not have."""
    now = dict(enumerate(parsed[0].heads.tolist(), 1))
    names = {word: token.deprel or ANY_LABEL for word, token in enumerate(parsed[0], 1)}
    for word in by_hand:
        _give(now, names, word, heads[word], heads)
    names |= labels
    tagged = _with_parse(block, parsed)
    draft = Draft(tagged)
    for row in draft.words:
        word = int(row[ID])
        set_arc(draft, row[ID], str(now[word]), names[word])
    return draft.finish()


def _give(now: dict[int, int], names: dict[int, str], word: int, head: int, fixed: dict[int, int]) -> None:
    """Puts an arc into a tree; what is in its way moves to where the word was."""
    path = []
    above = head
    while above not in (0, word):
        path.append(above)
        above = now[above]
    if above == word:
        mover = next((one for one in reversed(path) if one not in fixed), path[-1])
        now[mover], names[mover] = now[word], names[word]
    if head == 0:
        for root, of in list(now.items()):
            if of == 0 and root != word:
                now[root], names[root] = word, names[word] if now[word] else ANY_LABEL
    now[word] = head
    if head == 0:
        names[word] = "root"
    elif names[word] == "root":
        names[word] = ANY_LABEL


def with_probabilities(block: Block, pipeline: Pipeline) -> Treebank:
    """The sentence with how probable a model finds its arcs: of its own tree, what its moves say; of another
    how many of the trees that it draws have them."""
    treebank = block.treebank()
    parser = pipeline.parser
    if parser is None or not parser.info.learner.probabilistic or not block.has_tree:
        return treebank
    if len(treebank[0]) > MOST_WORDS or (treebank.heads < 0).any():
        return treebank
    if marks.follows(block):
        heads, labels = fixed_arcs(block)
        try:
            constraints = [Constraints(heads, labels)] if heads or labels else None
            parsed = pipeline.parse(treebank, tags="auto", constraints=constraints, probabilities="moves")
        except (ConstraintError, OptionError):
            parsed = treebank
        if parsed is not treebank and _arcs(parsed) == _arcs(treebank):
            return treebank.with_probabilities(parsed.head_probs, parsed.deprel_probs)
    drawn = parser.marginals(pipeline.tagged(treebank).for_parser, samples=SAMPLES)[0]
    of_head = np.zeros(len(treebank[0]), np.float32)
    of_both = np.zeros(len(treebank[0]), np.float32)
    own = _arcs(treebank)
    for word, head, deprel, prob in drawn:
        if own[word - 1][0] == head:
            of_head[word - 1] += prob
            if own[word - 1][1] == deprel:
                of_both[word - 1] += prob
    return treebank.with_probabilities(np.minimum(of_head, 1), np.minimum(of_both, 1))


def _arcs(treebank: Treebank) -> list[tuple[int | None, str | None]]:
    return [(token.head, token.deprel) for token in treebank[0]]


def likely_label(block: Block, pipeline: Pipeline, word: int, head: int) -> str | None:
    """The label that a model gives an arc most often, in the trees that it draws or under that constraint."""
    if not can_parse(pipeline) or len(block.words) > MOST_WORDS:
        return None
    try:
        parsed = pipeline.parse(block.treebank(), tags="auto", constraints=[Constraints({word: head})])
    except (ConstraintError, OptionError):
        return None
    return parsed[0][word - 1].deprel
