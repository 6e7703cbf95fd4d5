"""How HC-search is trained: the options of its C-step."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise.errors import OptionError
from arcwise.options.fields import Options, option, seed_option
from arcwise.options.parser import ParserOptions

GROUPS = ("fine", "coarse")
LOSSES = ("heads", "labels")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RankingOptions(Options):
    """How candidates are found and a ranker is trained on them. Defaults make a good parser."""

    TITLE = "HC-search"

    beam: int = option(
        64,
        "The width of the beam that finds candidates, and so the most of a sentence.",
        least=2,
        must="A beam that finds candidates is at least 2 wide, and less than 2^31.",
    )
    folds: int = option(
        20,
        "Parts of the treebank in cross-validation: candidates of each come from a parser of the others.",
        least=2,
        must="Cross-validation takes at least 2 folds.",
    )
    groups: str = option(
        "fine",
        "Which candidates must win over which: every group of the same loss over all that are worse (fine), "
        "or the best group over the rest (coarse).",
        choices=GROUPS,
        name="rank_groups",
    )
    loss: str = option(
        "labels",
        "What counts as an error of a tree: wrong heads, or wrong heads and labels.",
        choices=LOSSES,
        name="rank_loss",
    )
    epochs: int = option(
        10,
        "Passes over the candidates; with dev the best one is kept.",
        least=1,
        must="Ranking takes from 1 to 2^31 - 1 epochs.",
        name="rank_epochs",
    )
    aggressiveness: float | None = option(
        None,
        "The longest step of an update (the C of PA-I).",
        above=0,
        unset="as long as it takes",
        must="The aggressiveness of a ranker must be a positive number.",
        name="rank_aggressiveness",
    )
    features: str = option(
        "default",
        "The ranker's templates: default, or a file (see 'arcwise features ranking').",
        name="rank_features",
        metavar="NAME|FILE",
    )
    bits: int = option(
        22,
        "The ranker's weights are a table of 2^N, of two bytes each.",
        least=10,
        most=30,
        must="The number of a ranker's bits must be from 10 to 30.",
        name="rank_bits",
    )
    seed: int = seed_option("Of shuffling: the same seed gives the same ranker.")


def refuse_without_beam(options: ParserOptions) -> None:
    """Refuses parsers that find no candidates, before any work is done for them."""
    from arcwise import learners, names

    what = None
    own = learners.learner(options.learner.name)
    if not names.system(options.system.name).left_to_right:
        what = str(options.system)
    elif not own.scores_moves:
        what = f"{own.title} ({own.name})"
    if what is not None:
        raise OptionError(
            f"HC-search needs a beam, and {what} has none: use another system or learner, or another search."
        )
