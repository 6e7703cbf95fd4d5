"""Options: small frozen dataclasses, one for each part, nested as the parts are.

Each field says once what it does, what it may be and what it is by default (`arcwise.options.fields`). The
command line, files of options (`arcwise train --config`), this documentation and the model file follow.

>>> options = ParserOptions(learner=AdaGradOptions(alpha=0.3), epochs=5)
>>> options.policy.k, options.learner.rho
(1, 0.01)
"""

from __future__ import annotations

import importlib
from typing import Any

from arcwise.options.learners import (
    ALGORITHMS,
    BASES,
    KINDS,
    NEGATIVES,
    REDUCTIONS,
    ROLLINS,
    ROLLOUTS,
    VIOLATIONS,
    AdaGradOptions,
    BeamTrainingOptions,
    L2sOptions,
    LearnerOptions,
    PerceptronOptions,
)
from arcwise.options.network import ENCODERS, TOKENS, NetworkOptions, with_a_tagger
from arcwise.options.parser import (
    COLUMNS,
    ENCODINGS,
    NONPROJECTIVE,
    PRESETS,
    ROOTS,
    ParserOptions,
    PolicyOptions,
    SystemOptions,
    TrainingOptions,
)
from arcwise.options.parsing import MAX_WORDS, SEARCHES, ParseOptions
from arcwise.options.silver import SilverOptions

COMPONENTS = ("segmenter", "tagger", "parser")
"""Those of a pipeline."""

__all__ = [
    "ALGORITHMS",
    "BASES",
    "COLUMNS",
    "COMPONENTS",
    "ENCODERS",
    "ENCODINGS",
    "KINDS",
    "MAX_WORDS",
    "NEGATIVES",
    "NONPROJECTIVE",
    "PRESETS",
    "REDUCTIONS",
    "ROLLINS",
    "ROLLOUTS",
    "ROOTS",
    "SEARCHES",
    "TOKENS",
    "VIOLATIONS",
    "AdaGradOptions",
    "BeamTrainingOptions",
    "L2sOptions",
    "LearnerOptions",
    "NetworkOptions",
    "ParseOptions",
    "ParserOptions",
    "PerceptronOptions",
    "PolicyOptions",
    "SilverOptions",
    "SystemOptions",
    "TrainingOptions",
    "with_a_tagger",
]

_OF_THE_CORE = {
    "SYSTEMS": "names",
    "ORACLES": "names",
    "POLICIES": "names",
    "LEARNERS": "names",
    "PROBABILISTIC": "learners",
}


def __getattr__(name: str) -> Any:
    # The core is asked when it is needed: what else is here, the command line shows without it.
    if name not in _OF_THE_CORE:
        raise AttributeError(f"module 'arcwise.options' has no attribute '{name}'")
    return getattr(importlib.import_module(f"arcwise.{_OF_THE_CORE[name]}"), name)
