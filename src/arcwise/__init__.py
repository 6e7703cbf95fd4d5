"""Transition-based dependency parsing: fast, accurate, trained on a CPU.

import arcwise

parser = arcwise.Parser.train("train.conllu", dev="dev.conllu")
parser.save("my.model")
for sentence in arcwise.load("my.model").parse(arcwise.Treebank.read("text.conllu")):
    for token in sentence:
        print(token.form, token.head, token.deprel)
"""

from arcwise.errors import (
    ArcwiseError,
    EvaluationError,
    FeatureError,
    ModelError,
    OptionError,
    TreebankError,
)
from arcwise.evaluation import Evaluation, evaluate
from arcwise.options import TrainingOptions
from arcwise.parser import Parser, load
from arcwise.training import Epoch, Training
from arcwise.treebank import Sentence, Token, Treebank

__version__ = "0.1.0"

__all__ = [
    "ArcwiseError",
    "Epoch",
    "Evaluation",
    "EvaluationError",
    "FeatureError",
    "ModelError",
    "OptionError",
    "Parser",
    "Sentence",
    "Token",
    "Training",
    "TrainingOptions",
    "Treebank",
    "TreebankError",
    "evaluate",
    "load",
]
