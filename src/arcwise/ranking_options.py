"""How HC-search is trained: the options of its C-step, kept word for word in the model file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from arcwise._kinds import stored_options
from arcwise.errors import OptionError
from arcwise.options import TrainingOptions

GROUPS = ("fine", "coarse")
LOSSES = ("heads", "labels")


@dataclass(frozen=True, kw_only=True)
class RankingOptions:
    """How candidates are found and a ranker is trained on them. Defaults make a good parser.

    Attributes:
        beam: The width of the beam that finds candidates: no sentence has more.
        folds: Into so many parts the treebank is cut; candidates of each come from a parser of the others.
        groups: Which candidates must win over which: in `fine` every group of the same loss over all that
            are worse, in `coarse` the best group over the rest.
        loss: What counts as an error of a tree: wrong `heads`, or wrong heads and `labels`.
        epochs: Passes over the candidates; with dev the best one is kept.
        aggressiveness: The longest step of an update (the C of PA-I); None: as long as it takes.
        features: `default`, or a file of templates.
        bits: The ranker's weights are a table of 2^bits, of two bytes each.
        seed: Of shuffling; the same seed gives the same ranker.
    """

    beam: int = 64
    folds: int = 20
    groups: str = "fine"
    loss: str = "labels"
    epochs: int = 10
    aggressiveness: float | None = None
    features: str = "default"
    bits: int = 22
    seed: int = 1

    def __post_init__(self) -> None:
        for holds, sentence in self._must_hold():
            if not holds:
                raise OptionError(sentence)

    def _must_hold(self) -> Iterator[tuple[bool, str]]:
        for name, choices in (("groups", GROUPS), ("loss", LOSSES)):
            value = getattr(self, name)
            known = ", ".join(choices)
            yield value in choices, f"There is no {name} called '{value}': choose one of {known}."
        yield 2 <= self.beam < 2**31, "A beam that finds candidates is at least 2 wide, and less than 2^31."
        yield self.folds >= 2, "Cross-validation takes at least 2 folds."
        yield 1 <= self.epochs < 2**31, "Ranking takes from 1 to 2^31 - 1 epochs."
        yield (
            self.aggressiveness is None or 0 < self.aggressiveness < math.inf,
            "The aggressiveness of a ranker must be a positive number.",
        )
        yield isinstance(self.features, str), "Ranking features are 'default' or the name of a file."
        yield 10 <= self.bits <= 30, "The number of a ranker's bits must be from 10 to 30."
        yield 0 <= self.seed < 2**63, "The seed must be a number from 0 to 2^63 - 1."

    def to_dict(self) -> dict[str, Any]:
        """All of them, as JSON has them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> RankingOptions:
        """Reads what `to_dict` gave; what this version does not know is an error."""
        return stored_options(cls, values)


def refuse_without_beam(options: TrainingOptions) -> None:
    """Refuses parsers that find no candidates, before any work is done for them."""
    from arcwise import learners, names

    what = None
    if not names.system(options.system).left_to_right:
        what = options.system
    elif options.learner is not None and not (own := learners.learner(options.learner)).scores_moves:
        what = f"{own.title} ({own.name})"
    if what is not None:
        raise OptionError(
            f"HC-search needs a beam, and {what} has none: use another system or learner, or another search."
        )
