"""Calibration of a parser: a temperature for its moves, and maps for its probabilities of arcs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from arcwise._numpy import np
from arcwise.calibration.maps import FOLDS, Bools, Map, choose, log_loss
from arcwise.errors import ModelError, TreebankError
from arcwise.gold import gold_trees
from arcwise.options import ParseOptions
from arcwise.probabilities import ESTIMATORS, Estimator, demand_probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arcwise.parser import Parser
    from arcwise.treebank import Treebank

Target: TypeAlias = Literal["head", "deprel"]
TARGETS: tuple[Target, ...] = get_args(Target)
LEAST_SENTENCES = 20
LEAST_WORDS = 200
COLDEST, HOTTEST = 0.1, 10.0
_TEMPERATURES_AT_ONCE = 9
_ROUNDS = 4


@dataclass(frozen=True)
class Calibration:
    """What makes a parser's probabilities true to held-out trees; without maps, they stay as they are."""

    temperature: float = 1.0
    """Scores of moves are divided by it before they become probabilities."""
    of_moves: Map | None = None
    """From the probability of a move that greedy search chooses to that of its being right. Several moves may
    be right in a state, so that one is more often right than it is chosen."""
    maps: Mapping[tuple[Estimator, Target], Map] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    """What it was fitted to (`treebank`, `words`, `beam`, `samples`), and `log_loss`: of each kind of map, on
    folds that it was not fitted to."""

    def head_probs(self, estimates: NDArray[np.float32], how: Estimator, samples: int) -> NDArray[np.float32]:
        """The probabilities of heads, from either estimate of them."""
        return self._mapped(estimates, (how, "head"), samples)

    def deprel_probs(
        self, estimates: NDArray[np.float32], head_probs: NDArray[np.float32], how: Estimator, samples: int
    ) -> NDArray[np.float32]:
        """The probabilities of heads with their labels, no greater than those of the heads alone."""
        return np.minimum(self._mapped(estimates, (how, "deprel"), samples), head_probs)

    def _mapped(
        self, estimates: NDArray[np.float32], which: tuple[Estimator, Target], samples: int
    ) -> NDArray[np.float32]:
        found = self.maps.get(which)
        if found is None:
            return np.clip(estimates, 0, 1)  # sums may be off by the last digit
        return found(known_from(which[0], estimates, samples)).astype(np.float32)

    def to_dict(self) -> dict[str, Any]:
        maps = {f"{how}.{target}": found.to_dict() for (how, target), found in self.maps.items()}
        of_moves = None if self.of_moves is None else self.of_moves.to_dict()
        return {
            "temperature": self.temperature,
            "of_moves": of_moves,
            "maps": maps,
            "about": dict(self.about),
        }

    @classmethod
    def from_dict(cls, stored: Any) -> Calibration:
        try:
            temperature, maps = float(stored["temperature"]), dict(stored["maps"])
            of_moves, about = stored["of_moves"], dict(stored["about"])
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError("The model is damaged: its calibration cannot be read.") from error
        keys = {f"{how}.{target}": (how, target) for how in ESTIMATORS for target in TARGETS}
        if not (math.isfinite(temperature) and temperature > 0 and set(maps) <= set(keys)):
            raise ModelError("The model is damaged: its calibration is of nothing that it has.")
        return cls(
            temperature,
            None if of_moves is None else Map.from_dict(of_moves),
            {keys[key]: Map.from_dict(found) for key, found in maps.items()},
            about,
        )


def known_from(how: Estimator, estimates: NDArray[Any], samples: int) -> NDArray[Any]:
    """Estimates as maps take them: draws that all say the same are few, and leave some doubt."""
    return estimates if how == "moves" else (estimates * samples + 0.5) / (samples + 1)


def calibrate(
    parser: Parser,
    treebank: Treebank,
    options: ParseOptions,
    *,
    on_step: Callable[[int, int], None] | None = None,
) -> Calibration:
    """Fits a temperature to the moves of greedy search, and then maps to each estimate of each target.

    `on_step` is told how many steps are done, and of how many.
    """
    demand_probabilities(parser.info.options)
    known = int((treebank.heads >= 0).sum())
    if len(treebank) < LEAST_SENTENCES or known < LEAST_WORDS:
        raise TreebankError(
            f"{treebank.source} is too small to calibrate with: it has {len(treebank):,} sentences and "
            f"{known:,} words whose heads are known, and {LEAST_SENTENCES} and {LEAST_WORDS} are needed. "
            f"Give more trees that the parser was not trained on."
        )
    steps = _ROUNDS + len(ESTIMATORS)
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if on_step is not None:
            on_step(done, steps)

    o = options
    temperature = fit_temperature_of_moves(parser, treebank, o.threads, step)
    losses: dict[str, dict[str, float]] = {}
    moves, moves_right, _ = moves_of(parser, treebank, [temperature], o.threads)
    of_moves, losses["of_moves"] = choose(moves[:, 0], moves_right, np.arange(len(moves)) // 100 % FOLDS)
    fitted = Calibration(temperature, of_moves)
    maps: dict[tuple[Estimator, Target], Map] = {}
    # Sentences of a text stand together; folds cut across texts.
    lengths = np.diff(treebank.first_words)
    folds = np.repeat(np.arange(len(lengths)) % FOLDS, lengths)
    for how in ESTIMATORS:
        parsed = parser.with_calibration(fitted).parse(treebank, replace(o, probabilities=how))
        for target, (probs, right, counted) in arcs_of(parsed, treebank).items():
            told = known_from(how, probs, o.samples)
            maps[how, target], losses[f"{how}.{target}"] = choose(
                told[counted], right[counted], folds[counted]
            )
        step()
    about = {"treebank": Path(treebank.source).name, "words": known, "beam": o.beam, "samples": o.samples}
    return replace(fitted, maps=maps, about={**about, "log_loss": losses})


def fit_temperature_of_moves(
    parser: Parser, treebank: Treebank, threads: int, on_round: Callable[[], None] = lambda: None
) -> float:
    """The temperature with the least log loss of whether the moves that greedy search chooses are right.

    Tries a few temperatures at once, then some between the neighbours of the best.
    """
    low, high = math.log(COLDEST), math.log(HOTTEST)
    best = 0.0
    for _ in range(_ROUNDS):
        logs = np.linspace(low, high, _TEMPERATURES_AT_ONCE)
        probs, right, _ = moves_of(parser, treebank, np.exp(logs).tolist(), threads)
        losses = [log_loss(probs[:, i], right) for i in range(len(logs))] if len(probs) else [0.0]
        place = int(np.argmin(losses))
        best = float(logs[place])
        low, high = float(logs[max(0, place - 1)]), float(logs[min(place + 1, len(logs) - 1)])
        on_round()
    return math.exp(best)


def moves_of(
    parser: Parser, gold: Treebank, temperatures: list[float], threads: int
) -> tuple[NDArray[np.float32], Bools, int]:
    """Of each choice of greedy search the probability at each temperature, and whether it was right.

    A move is right if no other would lose less against the gold tree. Last, how many moves were no choices,
    for want of another legal one.
    """
    heads, labels = gold_trees(parser.info, gold)
    moves = parser._core.check_moves(gold._core, heads, labels, temperatures, threads)
    probs = moves["probs"].reshape(-1, len(temperatures))
    return probs, moves["right"].astype(bool), int(moves["forced"])


def arcs_of(parsed: Treebank, gold: Treebank) -> dict[Target, tuple[NDArray[np.float32], Bools, Bools]]:
    """The probabilities of arcs, whether they are right, and whether the gold trees know."""
    right = parsed.heads == gold.heads
    names = dict(zip(gold.label_names, range(len(gold.label_names)), strict=True))
    renamed = np.array([*(names.get(name, -2) for name in parsed.label_names), -2])
    has_head = gold.heads >= 0
    return {
        "head": (parsed.head_probs, right, has_head),
        "deprel": (
            parsed.deprel_probs,
            right & (renamed[parsed.labels] == gold.labels),
            has_head & (gold.labels >= 0),
        ),
    }
