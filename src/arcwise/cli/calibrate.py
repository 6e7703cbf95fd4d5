"""`arcwise calibrate`: probabilities that are true to held-out trees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arcwise._progress import Bar
from arcwise.cli.common import (
    cores,
    counted,
    demand_writable,
    load_with_parser,
    reading_options,
    say,
    search_options,
    threads_option,
)
from arcwise.cli.inputs import read_gold
from arcwise.errors import OptionError

if TYPE_CHECKING:
    from arcwise.calibration import Calibration

_TARGETS = {"head": "heads", "deprel": "heads and labels"}


@click.command(
    short_help="Make a model's probabilities true to held-out trees.",
    epilog="""\b
Examples:
  arcwise calibrate my.model dev.conllu
  arcwise calibrate my.model dev.conllu -o calibrated.model --beam 8
  arcwise evaluate my.model test.conllu --calibration
""",
)
@click.argument("model")
@click.argument("dev")
@click.option("-o", "--output", metavar="FILE", help="Where to write the model.  [default: MODEL itself]")
@search_options
@threads_option("")
@reading_options
def calibrate(
    model: str,
    dev: str,
    output: str | None,
    search: Any,
    beam: int | None,
    threads: int | None,
    format: Any,
    skip_bad: bool,
) -> None:
    """Make a model's probabilities true to held-out trees.

    DEV has gold trees that the model was not trained on: the more, the better,
    and a few thousand words will do. A temperature is fitted to the moves, and
    a map to the probabilities of heads and of labels, of the kind that does
    best in cross-validation. All is stored in the model, and its trees stay
    the same. It is fitted to the trees of the search that MODEL was trained for,
    or of --search and --beam.
    """
    if output is None and not Path(model).exists():
        raise OptionError("Say where to write the model: -o FILE.")
    output = output or model
    demand_writable(output)
    pipeline, parser = load_with_parser(model)
    treebank = read_gold(dev, format, skip_bad, pipeline)
    with Bar("calibrating", None) as bar:
        calibrated = parser.calibrate(
            pipeline.for_parser(treebank),
            search=search,
            beam=beam,
            threads=threads or cores(),
            on_step=lambda done, steps: bar.show(done, f"step {done} of {steps}"),
        )
    pipeline.with_parser(calibrated).save(output)
    assert calibrated.info.calibration is not None
    _say_what_was_fitted(calibrated.info.calibration, output)


def _say_what_was_fitted(calibration: Calibration, output: str) -> None:
    def say_how(what: str, kind: str, losses: dict[str, float]) -> None:
        say(f"{what}: {kind}, log loss {losses[kind]:.3f} ({losses['identity']:.3f} without)")

    losses = calibration.about["log_loss"]
    assert calibration.of_moves is not None
    say(f"temperature {calibration.temperature:.2f}")
    say_how("moves", calibration.of_moves.kind, losses["of_moves"])
    for (how, target), found in calibration.maps.items():
        say_how(f"{_TARGETS[target]} from {how}", found.kind, losses[f"{how}.{target}"])
    say(f"Wrote {output}, calibrated with {counted(calibration.about['words'], 'word')}.")
