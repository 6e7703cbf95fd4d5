"""What a field of a word may be: what the model finds likely first, then what the treebank has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from arcwise.annotate.editing import Model
from arcwise.annotate.lines import Block
from arcwise.annotate.reparsing import MOST_WORDS, likely_label
from arcwise.annotate.snapshots import Snapshot
from arcwise.errors import ArcwiseError

MOST_VALUES = 200
SAMPLES = 200
FIELDS = ("head", "deprel", "upos", "xpos", "feats", "lemma")


def complete(
    block: Block, word: int, field: str, model: Model, snapshot: Snapshot, *, head: int | None, prefix: str
) -> list[dict[str, Any]]:
    """Values of a field, the likeliest first; `head` is that of the arc whose label is asked for."""
    likely = _likely(block, word, field, model, head)
    others = () if field == "head" else _others(block, word, field, model, snapshot, dict(likely))
    found: dict[Any, float | None] = dict(likely)
    for value in others:
        found.setdefault(value, None)
    start = prefix.lower()
    return [
        {"value": value, "prob": None if prob is None else round(prob, 4)}
        for value, prob in found.items()
        if str(value).lower().startswith(start)
    ][:MOST_VALUES]


def _likely(
    block: Block, word: int, field: str, model: Model, head: int | None
) -> list[tuple[Any, float | None]]:
    pipeline = model.pipeline
    if pipeline is None or len(block.words) > MOST_WORDS:
        return []
    if field in ("head", "deprel"):
        parser = pipeline.parser
        if parser is None or not parser.info.learner.probabilistic:
            return []
        drawn = parser.marginals(pipeline.tagged(block.treebank()).for_parser, samples=SAMPLES)[0]
        counts: Counter[Any] = Counter()
        for of, above, deprel, prob in drawn:
            if of == word and field == "head":
                counts[above] += prob  # type: ignore[assignment]
            elif of == word and (head is None or head == above):
                counts[deprel] += prob  # type: ignore[assignment]
        total = 1.0 if field == "head" or head is None else sum(counts.values())
        if not counts and field == "deprel" and head is not None:
            label = likely_label(block, pipeline, word, head)
            return [] if label is None else [(label, None)]
        return [(value, min(1.0, prob / total)) for value, prob in counts.most_common()]
    if pipeline.tagger is None:
        return []
    own = getattr(pipeline.tagger.tag(block.treebank())[0][word - 1], field)
    return [] if own == "_" else [(own, None)]


def _others(
    block: Block, word: int, field: str, model: Model, snapshot: Snapshot, likely: dict[Any, float | None]
) -> Iterable[str]:
    """What words of the same form have, then those of the same tag, then all; then what the model knows."""
    row = block.words[word - 1]
    codes, values = snapshot.column(field)
    made: Counter[str] = Counter()
    for name, value in (("form", row[1]), ("upos", row[3])):
        if field == name or (field == "lemma" and name == "upos"):
            continue
        own, names = snapshot.column(name)
        if value in names:
            made.update(_counted(codes[own == names.index(value)], values))
            yield from (one for one, _ in made.most_common(MOST_VALUES))
    if field != "lemma":
        yield from (one for one, _ in snapshot.values(field).most_common(MOST_VALUES))
        yield from _known(field, model)


def _counted(codes: Any, values: list[str]) -> dict[str, int]:
    found, counts = np.unique(codes[codes >= 0], return_counts=True)
    return {values[code]: int(count) for code, count in zip(found.tolist(), counts.tolist(), strict=True)}


def _known(field: str, model: Model) -> list[str]:
    pipeline = model.pipeline
    if pipeline is None:
        return []
    try:
        if field == "deprel":
            return [] if pipeline.parser is None else list(pipeline.parser.info.label_names)
        tagger = pipeline.tagger
        if tagger is None or field not in tagger.info.columns:
            return []
        place = list(tagger.info.columns).index(field)
        counts = Counter(analysis[place] for analysis in tagger.info.analyses)
        return [value for value, _ in counts.most_common() if value != "_"]
    except (ArcwiseError, AttributeError):
        return []
