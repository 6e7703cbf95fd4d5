"""How a trained parser is asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arcwise.errors import OptionError
from arcwise.options.fields import Options, option

if TYPE_CHECKING:
    from arcwise.constraints import Given

SEARCHES = ("greedy", "beam", "hc")
ESTIMATORS = ("moves", "samples")
MAX_WORDS = 200_000
"""In a sentence, where files of unknown making are parsed: longer ones are cut or refused."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ParseOptions(Options):
    """How sentences are parsed. By default, as the parser was trained to do it."""

    search: str | None = option(
        None,
        "Greedily, with a beam, or with a beam among whose trees the parser's ranker chooses (hc).",
        choices=SEARCHES,
        unset="as the parser was trained",
    )
    beam: int | None = option(
        None,
        "Search with a beam of so many derivations, not with easy-first; 1: greedily.",
        least=1,
        unset="as the parser was trained",
        must="A beam is at least 1 wide, and less than 2^31.",
    )
    constraints: Given | None = option(
        None,
        "What the trees must be like: one `Constraints` or None for each sentence, or a function of a "
        "sentence that gives it.",
    )
    grammar: bool = option(
        True,
        "Keep trees to the rules that were learnt of the parser's treebank, if it has any.",
    )
    probabilities: str | None = option(
        None,
        "Give tokens `head_prob` and `deprel_prob`, and sentences `prob` and `entropy`: estimated from the "
        "parser's moves, at little cost, or from trees that it draws (samples). The trees are the same.",
        choices=ESTIMATORS,
        unset="none",
    )
    samples: int = option(
        100, "How many trees are drawn.", least=1, must="Draw at least one sample, and fewer than 2^31."
    )
    seed: int = option(
        1,
        "Of drawing trees.",
        least=0,
        most=2**64 - 1,
        must="A seed is a whole number from 0 to 2^64 - 1.",
    )
    calibrated: bool = option(
        True,
        "Probabilities of a parser that was calibrated are as often right as they say; otherwise the model's "
        "own.",
    )
    threads: int = option(
        1,
        "Threads that parse; the trees are the same for any number.",
        least=1,
        must="Parsing takes at least one thread.",
    )

    def requirements(self) -> Iterator[tuple[bool, str]]:
        yield (
            self.search != "greedy" or self.beam in (None, 1),
            "A greedy search has no beam: leave its width out, or search with a beam.",
        )

    @classmethod
    def of(cls, options: ParseOptions | None, changes: dict[str, Any]) -> ParseOptions:
        """Options that were given whole, one by one, or both: the changes win."""
        unknown = [name for name in changes if name not in cls.__dataclass_fields__]
        if unknown:
            known = ", ".join(cls.__dataclass_fields__)
            raise OptionError(f"There is no option of parsing called {unknown[0]}: choose from {known}.")
        if options is None:
            return cls(**changes)
        return dataclasses.replace(options, **changes) if changes else options
