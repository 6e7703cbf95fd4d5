"""How trees of another parser are learnt from, beside those of the treebank."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from arcwise.errors import OptionError
from arcwise.options.fields import Options, option

WORDS_IN_ALL = 10_000_000
SHARE_OF_GOLD_EPOCHS = 0.2


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SilverOptions(Options):
    """How a network learns from silver trees: those of another parser, beside gold ones in each batch."""

    TITLE = "Silver trees"

    weight: float = option(
        0.3,
        "What a decision in a silver tree weighs in the loss, where one in a gold tree weighs 1.",
        name="silver_weight",
        above=0,
        most=1,
        must="The weight of silver trees is above 0 and at most 1.",
    )
    min_confidence: float = option(
        0.0,
        "Heads, labels and tags of silver trees that are less probable, by HeadProb, DeprelProb and TagProb "
        "in MISC, are taken for unknown, and cost nothing.",
        name="silver_min_confidence",
        least=0,
        most=1,
        must="A confidence (silver_min_confidence) is from 0 to 1.",
    )
    passes: float | None = option(
        None,
        "How often all silver trees are seen.",
        name="silver_passes",
        above=0,
        unset="10 million words of them in all, but each at least once, and at most once in an epoch",
        must="Silver trees are seen more than 0 times.",
    )
    gold_epochs: int | None = option(
        None,
        "How many epochs at the end see gold trees alone.",
        least=0,
        unset="a fifth of them",
        must="The number of epochs on gold trees alone must not be negative.",
    )
    words: int = option(
        10_000,
        "Words that gold trees lack and that get a vector of their own: the most frequent of silver trees, "
        "and as many prefixes, suffixes and other parts of words.",
        name="silver_words",
        least=0,
        must="The number of words from silver trees (silver_words) must not be negative.",
    )

    def planned(self, epochs: int, words: int) -> SilverOptions:
        """The same with all filled in that depends on the number of epochs, and of words of a pass.

        >>> SilverOptions().planned(20, 4_000_000).gold_epochs, SilverOptions().planned(20, 4_000_000).passes
        (4, 2.5)
        """
        gold = self.gold_epochs
        if gold is None:
            gold = min(epochs - 1, max(1, round(SHARE_OF_GOLD_EPOCHS * epochs)))
        if gold >= epochs:
            raise OptionError(
                f"Of {epochs} epochs, {gold} cannot be on gold trees alone (gold_epochs): leave some for "
                "silver trees, or leave these out."
            )
        passes = self.passes
        if passes is None:
            passes = max(1.0, min(float(epochs - gold), WORDS_IN_ALL / words))
        return dataclasses.replace(self, gold_epochs=gold, passes=passes)
