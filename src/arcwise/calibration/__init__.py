"""Probabilities that can be taken at their word: measured, mended on held-out trees, measured again."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arcwise.calibration.bins import Bin, Reliability, reliability
    from arcwise.calibration.fitting import Calibration, calibrate
    from arcwise.calibration.maps import KINDS, Map, choose, fit, isotonic
    from arcwise.calibration.report import CalibrationReport, check

__all__ = [
    "KINDS",
    "Bin",
    "Calibration",
    "CalibrationReport",
    "Map",
    "Reliability",
    "calibrate",
    "check",
    "choose",
    "fit",
    "isotonic",
    "reliability",
]

_HOMES = {
    "fitting": ("Calibration", "calibrate"),
    "maps": ("KINDS", "Map", "choose", "fit", "isotonic"),
    "bins": ("Bin", "Reliability", "reliability"),
    "report": ("CalibrationReport", "check"),
}


def __getattr__(name: str) -> Any:
    # Names are found when they are used: parsers need no more than the first of them.
    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"arcwise.calibration.{module}"), name)
    raise AttributeError(f"module 'arcwise.calibration' has no attribute '{name}'")
