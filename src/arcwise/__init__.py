"""Transition-based dependency parsing: fast, accurate, trained on a CPU.

import arcwise

parser = arcwise.Parser.train("train.conllu", dev="dev.conllu")
parser.save("my.model")
for sentence in arcwise.load("my.model").parse(arcwise.Treebank.read("text.conllu")):
    for token in sentence:
        print(token.form, token.head, token.deprel)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arcwise import draw as draw
    from arcwise import features as features
    from arcwise import hc as hc
    from arcwise import json_input as json_input
    from arcwise import json_output as json_output
    from arcwise import search as search
    from arcwise import svg as svg
    from arcwise import text as text
    from arcwise import trace as trace
    from arcwise import transitions as transitions
    from arcwise.calibration import Calibration
    from arcwise.columns import Categories
    from arcwise.constraints import Constraints
    from arcwise.distillation import distill
    from arcwise.document import Document
    from arcwise.errors import (
        ArcwiseError,
        ConstraintError,
        EvaluationError,
        FeatureError,
        LongSentenceWarning,
        ModelError,
        OptionError,
        SearchError,
        SkippedTextWarning,
        TextError,
        TransitionError,
        TreebankError,
        VectorsError,
    )
    from arcwise.evaluation import Evaluation, evaluate
    from arcwise.jackknifing import jackknife
    from arcwise.models import load
    from arcwise.options import ParseOptions, ParserOptions, TrainingOptions
    from arcwise.options.pipeline import PipelineOptions
    from arcwise.options.ranking import RankingOptions
    from arcwise.options.segmenter import SegmenterOptions
    from arcwise.options.tagger import TaggerOptions
    from arcwise.parser import Candidate, Parser
    from arcwise.pipeline import Pipeline
    from arcwise.probabilities import ArcProbability, Marginals
    from arcwise.segmenter import Segmenter
    from arcwise.suggest import Suggestions
    from arcwise.tagger import Tagger, TagScores
    from arcwise.tagger_training import TaggerTraining
    from arcwise.training import Epoch, Training
    from arcwise.treebank import Sentence, Token, Treebank

__version__ = "0.1.0"

__all__ = [
    "ArcProbability",
    "ArcwiseError",
    "Calibration",
    "Candidate",
    "Categories",
    "ConstraintError",
    "Constraints",
    "Document",
    "Epoch",
    "Evaluation",
    "EvaluationError",
    "FeatureError",
    "LongSentenceWarning",
    "Marginals",
    "ModelError",
    "OptionError",
    "ParseOptions",
    "Parser",
    "ParserOptions",
    "Pipeline",
    "PipelineOptions",
    "RankingOptions",
    "SearchError",
    "Segmenter",
    "SegmenterOptions",
    "Sentence",
    "SkippedTextWarning",
    "Suggestions",
    "TagScores",
    "Tagger",
    "TaggerOptions",
    "TaggerTraining",
    "TextError",
    "Token",
    "Training",
    "TrainingOptions",
    "TransitionError",
    "Treebank",
    "TreebankError",
    "VectorsError",
    "distill",
    "evaluate",
    "jackknife",
    "load",
]

_HOMES = {
    "calibration": ("Calibration",),
    "columns": ("Categories",),
    "constraints": ("Constraints",),
    "distillation": ("distill",),
    "document": ("Document",),
    "draw": (),
    "errors": (
        "ArcwiseError",
        "ConstraintError",
        "EvaluationError",
        "FeatureError",
        "LongSentenceWarning",
        "ModelError",
        "OptionError",
        "SearchError",
        "SkippedTextWarning",
        "TextError",
        "TransitionError",
        "TreebankError",
        "VectorsError",
    ),
    "evaluation": ("Evaluation", "evaluate"),
    "features": (),
    "hc": (),
    "jackknifing": ("jackknife",),
    "json_input": (),
    "json_output": (),
    "options": ("ParseOptions", "ParserOptions", "TrainingOptions"),
    "options.pipeline": ("PipelineOptions",),
    "options.ranking": ("RankingOptions",),
    "options.segmenter": ("SegmenterOptions",),
    "options.tagger": ("TaggerOptions",),
    "models": ("load",),
    "parser": ("Candidate", "Parser"),
    "pipeline": ("Pipeline",),
    "probabilities": ("ArcProbability", "Marginals"),
    "search": (),
    "segmenter": ("Segmenter",),
    "text": (),
    "svg": (),
    "suggest": ("Suggestions",),
    "tagger": ("TagScores", "Tagger"),
    "tagger_training": ("TaggerTraining",),
    "trace": (),
    "transitions": (),
    "training": ("Epoch", "Training"),
    "treebank": ("Sentence", "Token", "Treebank"),
}
_MODULE_OF = {name: f"arcwise.{module}" for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    # Names are found when they are used: the command line answers --help without numpy and the core.
    if name in _MODULE_OF:
        value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    elif name in _HOMES:
        value = importlib.import_module(f"arcwise.{name}")
    else:
        raise AttributeError(f"module 'arcwise' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_HOMES})
