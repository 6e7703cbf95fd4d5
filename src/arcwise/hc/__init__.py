"""HC-search (Liu et al. 2015): a beam finds candidate trees (H), and a ranker of whole trees chooses (C)."""

from arcwise.hc.analysis import Analysis, analyse
from arcwise.hc.candidates import Candidates
from arcwise.hc.cross_validation import CrossValidation, cross_validate
from arcwise.hc.ranker import HELD_OUT, Mixture, Ranker, RankerTraining, RankingEpoch, tune
from arcwise.hc.training import check, options_of_folds, train
from arcwise.options.ranking import RankingOptions

__all__ = [
    "HELD_OUT",
    "Analysis",
    "Candidates",
    "CrossValidation",
    "Mixture",
    "Ranker",
    "RankerTraining",
    "RankingEpoch",
    "RankingOptions",
    "analyse",
    "check",
    "cross_validate",
    "options_of_folds",
    "train",
    "tune",
]
