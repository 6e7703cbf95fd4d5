"""Which tags a model's parser was trained on, and which it was given when it was scored."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from arcwise.pipeline import Pipeline, Start
    from arcwise.treebank import Treebank

Trained: TypeAlias = Literal["gold", "predicted", "shared", "none", "unknown"]
_TRAINED: dict[Trained, str] = {
    "gold": "the tags of its treebank",
    "predicted": "predicted tags",
    "shared": "a tagger that shares its network",
    "none": "no tags",
    "unknown": "tags that its file says nothing of",
}
_GIVEN = {
    "gold": "the tags of the gold file",
    "predicted": "tags that the model's tagger predicts",
    "none": "no tags",
}


@dataclass(frozen=True)
class TagsUsed:
    """Only where these are the same can scores be compared: with gold tags trees are better than in use."""

    trained: Trained
    """`gold`: those that stood in the treebank; `shared`: it has learnt together with a tagger."""
    given: Literal["gold", "predicted", "none"]

    def __str__(self) -> str:
        return f"The parser was trained with {_TRAINED[self.trained]}, and was given {_GIVEN[self.given]}."

    def to_dict(self) -> dict[str, str]:
        return asdict(self)


def tags_used(pipeline: Pipeline, gold: Treebank, start: Start | None) -> TagsUsed | None:
    """Of a model that starts from the `text`, the `tokens` or the `tags` of a gold treebank.

    None if it has no parser. A parser that has no tagger beside it was trained on what its treebank had.
    """
    from arcwise.options import COLUMNS

    parser = pipeline.parser
    if parser is None:
        return None
    looks_at = parser.info.learner.attributes(parser.info) & set(COLUMNS)
    if parser.needs_tags and not looks_at:
        return TagsUsed("none", "none")
    trained = _trained(pipeline)
    start = start or ("tokens" if pipeline.tagger is not None else "tags")
    if pipeline.tagger is not None and start != "tags":
        return TagsUsed(trained, "predicted" if parser.needs_tags else "none")
    return TagsUsed(trained, "gold" if any(gold.has(column) for column in COLUMNS) else "none")


def _trained(pipeline: Pipeline) -> Trained:
    said: Trained | None = pipeline.about.get("tags")
    if said in ("gold", "predicted", "shared"):
        return said
    if pipeline.tagger is None:
        return "gold"
    assert pipeline.parser is not None
    shares = pipeline.parser.encoder is not None and pipeline.parser.encoder is pipeline.tagger.encoder
    return "shared" if shares else "unknown"
