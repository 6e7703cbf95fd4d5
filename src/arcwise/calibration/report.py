"""How well a parser's probabilities are calibrated: of its moves, of heads and of heads with labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from arcwise.calibration.bins import Reliability, reliability
from arcwise.calibration.fitting import arcs_of, moves_of
from arcwise.errors import TreebankError
from arcwise.options import ParseOptions
from arcwise.probabilities import demand_probabilities

if TYPE_CHECKING:
    from arcwise.parser import Parser
    from arcwise.treebank import Treebank

OF_ARCS = {"head": "heads", "deprel": "heads and labels"}


@dataclass(frozen=True)
class CalibrationReport:
    """`before` has the model's own probabilities, `after` the calibrated ones; None if there are none.

    Both have `moves`, `heads` and `heads and labels`.
    """

    gold: str
    before: dict[str, Reliability]
    after: dict[str, Reliability] | None
    forced: int
    """Moves without an alternative, of probability 1; they are not counted in `moves`."""
    maps: dict[str, str]
    """How each was calibrated."""

    def to_dict(self) -> dict[str, Any]:
        def dicts(of: dict[str, Reliability] | None) -> dict[str, Any] | None:
            return None if of is None else {name: found.to_dict() for name, found in of.items()}

        return {
            "gold": self.gold,
            "before": dicts(self.before),
            "after": dicts(self.after),
            "forced": self.forced,
            "maps": self.maps,
        }


def check(
    parser: Parser,
    gold: Treebank,
    options: ParseOptions | None = None,
    **changes: Any,
) -> CalibrationReport:
    """Holds a parser's probabilities against gold trees; options as of `Parser.parse`."""
    o = ParseOptions.of(options, changes)
    o = o if o.probabilities is not None else replace(o, probabilities="moves")
    demand_probabilities(parser.info.options)
    if not (gold.heads >= 0).any():
        raise TreebankError(f"{gold.source} has no trees to check probabilities with: give gold trees.")
    calibration = parser.info.calibration
    temperatures = [1.0] if calibration is None else [1.0, calibration.temperature]
    moves, moves_right, forced = moves_of(parser, gold, temperatures, o.threads)
    columns = []
    for column, calibrated in enumerate([False, True][: len(temperatures)]):
        parsed = parser.parse(gold, o, calibrated=calibrated)
        of_moves = calibration.of_moves if calibrated and calibration is not None else None
        chosen = moves[:, column] if of_moves is None else of_moves(moves[:, column])
        found = {"moves": reliability(chosen, moves_right)} if len(moves) else {}
        for target, (probs, right, counted) in arcs_of(parsed, gold).items():
            if counted.any():
                found[OF_ARCS[target]] = reliability(probs[counted], right[counted])
        columns.append(found)
    maps = {}
    if calibration is not None:
        maps["moves"] = f"temperature {calibration.temperature:.2f}"
        if calibration.of_moves is not None:
            maps["moves"] += f", {calibration.of_moves.kind}"
        for (how, target), of in calibration.maps.items():
            if how == o.probabilities:
                maps[OF_ARCS[target]] = of.kind
    return CalibrationReport(gold.source, columns[0], columns[1] if len(columns) > 1 else None, forced, maps)
