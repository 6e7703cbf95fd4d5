"""Scores of one annotation against another: the papers' and the CoNLL 2018 shared task's."""
