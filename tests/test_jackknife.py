"""Jackknifing: tags of taggers that have not seen the sentence."""

import pytest

from arcwise import Tagger, TaggerOptions, Treebank, jackknife
from arcwise.errors import OptionError
from arcwise.folds import Folds

QUICK = TaggerOptions(epochs=2, width=16, hidden=16)


def test_each_fold_has_the_tags_of_a_tagger_of_the_others(some):
    tagged = jackknife(some, folds=3, options=QUICK)
    assert tagged.source == some.source and len(tagged) == len(some)
    for fold in range(3):
        folds = Folds(some, 3)
        expected = Tagger.train(folds.others(fold), options=QUICK).tag(folds.held_out(fold))
        own = folds.sentences(fold)
        assert tagged[own.start : own.stop].to_bytes() == expected.to_bytes()


def test_trees_and_words_stay(some):
    tagged = jackknife(some, folds=2, options=QUICK)
    assert tagged.column("form") == some.column("form")
    assert tagged.heads.tolist() == some.heads.tolist()
    assert tagged.column("deprel") == some.column("deprel")
    assert tagged.column("upos") != some.column("upos")


def test_jobs_make_no_difference_and_progress_is_told(some):
    heard = []
    tagged = jackknife(some, folds=3, jobs=3, options=QUICK, on_step=heard.append)
    assert tagged.to_bytes() == jackknife(some, folds=3, options=QUICK).to_bytes()
    assert 0 < heard[0] < 1 and heard[-1] == pytest.approx(1)


def test_a_failure_in_a_fold_is_told(some):
    untagged = Treebank.from_words([["a"], ["b"]])
    with pytest.raises(OptionError, match="nothing to train a tagger on"):
        jackknife(untagged, folds=2)
    with pytest.raises(OptionError, match="at least 2 folds"):
        jackknife(some, folds=1)
    with pytest.raises(OptionError, match="cannot be cut into 3 folds"):
        jackknife(some[:2], folds=3)
    with pytest.raises(OptionError, match="at least one job"):
        jackknife(some, jobs=0)
