"""Probabilities that can be taken at their word: measured, mended on held-out trees, measured again."""

from arcwise.calibration.fitting import Calibration, calibrate
from arcwise.calibration.maps import KINDS, Map, choose, fit, isotonic
from arcwise.calibration.reliability import Bin, Reliability, reliability
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
