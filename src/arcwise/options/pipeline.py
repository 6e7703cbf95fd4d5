"""How a whole pipeline is trained: which components, from which tags, and the options of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arcwise.errors import OptionError
from arcwise.options import COMPONENTS
from arcwise.options.fields import Options, option, part, seed_option
from arcwise.options.network import check_names
from arcwise.options.parser import ParserOptions
from arcwise.options.ranking import RankingOptions
from arcwise.options.segmenter import SegmenterOptions
from arcwise.options.tagger import TaggerOptions

if TYPE_CHECKING:
    from arcwise.pipeline import Pipeline

TAGS = ("shared", "predicted", "gold")
FOLDS = 10
_SEEDED = (*COMPONENTS, "ranking")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PipelineOptions(Options):
    """How a pipeline is trained. Defaults make a good one.

    >>> PipelineOptions(seed=7).tagger.seed
    7
    """

    TITLE = "From text to trees"

    components: tuple[str, ...] | None = option(
        None,
        "What to train, of segmenter, tagger and parser.",
        unset="all that the treebank has the data for",
        metavar="NAME,...",
        common=True,
    )
    tags: str | None = option(
        None,
        "What the parser knows of words' tags: it shares a network with the tagger and needs none (shared); "
        "it learns from tags of taggers that have not seen the sentence (predicted); from those of the "
        "treebank, as if it were always given such (gold).",
        choices=TAGS,
        unset="shared for a network without HC-search, otherwise predicted",
    )
    folds: int | None = option(
        None,
        "For predicted tags: parts of the treebank, each tagged by a tagger of the others.",
        name="tag_folds",
        least=2,
        unset=str(FOLDS),
        must="There are at least 2 folds of the treebank.",
    )
    seed: int | None = seed_option("The seed of all parts that have none of their own.", None, unset="1")
    augment: float = option(
        0.15,
        "The share of sentences that the tagger, and a parser that shares its network, see a second time as "
        "other texts have them: as list items, without final marks, with other quotation marks and dashes, "
        "with emoji, in capitals, ….",
        least=0,
        most=1,
        must="The share of sentences that are seen as other texts have them (augment) is from 0 to 1.",
    )
    segmenter: SegmenterOptions = part(SegmenterOptions, "How the segmenter is trained.")
    tagger: TaggerOptions = part(TaggerOptions, "How the tagger is trained.")
    parser: ParserOptions = part(ParserOptions, "How the parser is trained.")
    ranking: RankingOptions | None = part(
        RankingOptions, "How a ranker is trained for HC-search.", default=lambda: None, unset="there is none"
    )
    grammar: bool = option(
        True,
        "Learn what the treebank's trees are never like, which the parser can then be kept to.",
        off="no_grammar",
    )
    keep_training_state: bool = option(
        False, "Keep in the model what an update goes on from; 'arcwise strip' takes it out again."
    )
    licence: str | None = option(
        None, "A licence to name in the model, such as the treebank's.", unset="none", metavar="TEXT"
    )
    description: str | None = option(
        None, "What else the model is to say of itself.", unset="nothing", metavar="TEXT"
    )

    def __post_init__(self) -> None:
        kinds: dict[str, Any] = {
            "segmenter": SegmenterOptions,
            "tagger": TaggerOptions,
            "parser": ParserOptions,
            "ranking": RankingOptions,
        }
        for name, kind in kinds.items():
            own = getattr(self, name)
            if isinstance(own, Mapping):
                # A seed that a part is given is its own, though it be the default.
                if self.seed is not None and "seed" not in own:
                    own = {**own, "seed": self.seed}
                own = kind.from_dict(own)
            elif self.seed is not None and own is not None and own.seed == kind.seed:
                own = dataclasses.replace(own, seed=self.seed)
            object.__setattr__(self, name, own)
        if self.components is not None:
            if isinstance(self.components, str):
                object.__setattr__(self, "components", tuple(self.components.split(",")))
            check_names("component", list(self.components), COMPONENTS)
            object.__setattr__(self, "components", tuple(c for c in COMPONENTS if c in self.components))
        super().__post_init__()

    def requirements(self) -> Iterator[tuple[bool, str]]:
        yield (
            self.folds is None or self.tags in (None, "predicted"),
            f"Tags are {self.tags}, and not predicted fold by fold: leave out the folds (tag_folds), or "
            "choose predicted tags.",
        )
        yield (
            self.ranking is None or self.tags != "shared",
            "HC-search trains parsers of parts of the treebank, which share no tagger's network: choose "
            "predicted or gold tags.",
        )
        if self.ranking is not None:
            from arcwise.options.ranking import refuse_without_beam

            refuse_without_beam(self.parser)

    @classmethod
    def of(cls, pipeline: Pipeline) -> PipelineOptions:
        """Those that a pipeline was trained with, so that the same treebank gives the same pipeline again."""
        about, parser = pipeline.about, pipeline.parser
        own = pipeline.components()
        if parser is not None and not isinstance(parser.info.options.system.name, str):
            raise OptionError(
                "The parser's transition system is written in Python: options in a file cannot name it."
            )
        ranking = None if parser is None or parser.ranker is None else parser.ranker.options
        tags = about.get("tags") if {"tagger", "parser"} <= set(own) else None
        return cls(
            components=tuple(own),
            tags=tags,
            folds=about.get("folds") if tags == "predicted" else None,
            augment=about.get("augment", 0.0),
            **{name: component.info.options for name, component in own.items()},
            ranking=ranking,
            grammar=parser is None or parser.info.grammar is not None,
            keep_training_state=parser is not None and parser.info.state is not None,
            licence=about.get("licence"),
            description=about.get("description"),
        )
