"""Lemmas of the treebank that no rule which a tagger chooses from leads to."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import Any

import pytest

from arcwise import Tagger, Treebank, _core
from arcwise.errors import ModelError
from arcwise.options.tagger import TaggerOptions
from arcwise.tagging import tagging_set_of

SMALL: dict[str, Any] = {"epochs": 15, "width": 32, "hidden": 32}
STEMS = ["".join(letters) for letters in itertools.product("bdgkmn", "aeiou", "lnrst")]
ENDINGS = ("ler", "den", "im", "ko", "su", "ta")
PAIRS = list(itertools.permutations(ENDINGS, 2))
UNSEEN = PAIRS[::6]
"""Pairs of endings that no form of the treebank has."""


def words_of(rows: list[tuple[str, str]], upos: str = "NOUN") -> Treebank:
    """Forms and lemmas, a word a sentence."""
    return Treebank.from_string(
        "".join(f"1\t{form}\t{lemma}\t{upos}\t_\t_\t0\troot\t_\t_\n\n" for form, lemma in rows)
    )


@pytest.fixture(scope="module")
def nouns() -> Treebank:
    """Each stem alone and with two endings, and a stem with each pair of them, but for some."""
    draw = random.Random(1)
    rows = [(stem + ending, stem) for stem in STEMS for ending in ("", *draw.sample(ENDINGS, 2))]
    rows += [
        (stem + "".join(pair), stem) for stem, pair in zip(STEMS, PAIRS, strict=False) if pair not in UNSEEN
    ]
    return words_of(rows)


@pytest.fixture(scope="module")
def tagger(nouns: Treebank) -> Tagger:
    return Tagger.train(nouns, **SMALL)


def lemma_of(tagger: Tagger, form: str) -> str:
    return tagger.tag([[form]]).column("lemma")[0]


def test_two_endings_are_taken_away_one_after_the_other(tagger: Tagger) -> None:
    assert tagger.info.reach is not None and tagger.info.reach[1] == [0]
    endings = ["".join(pair) for pair in UNSEEN]
    found = [lemma_of(tagger, stem + ending) for stem in STEMS for ending in endings]
    expected = [stem for stem in STEMS for _ in endings]
    assert sum(a == b for a, b in zip(found, expected, strict=True)) > 0.95 * len(expected)
    without = tagger.with_info(replace(tagger.info, reach=None))
    found = [lemma_of(without, stem + ending) for stem in STEMS for ending in endings]
    assert sum(a == b for a, b in zip(found, expected, strict=True)) < 0.3 * len(expected)


def test_the_way_is_that_which_leaves_most_of_the_form(tagger: Tagger) -> None:
    """Against all rules, and all two of those that are chosen from, tried out."""
    info = tagger.info
    assert info.reach is not None
    astray = {rule for _, rule in info.reach[2]}
    choices = {rule for _, rule in info.choices}
    known = set(STEMS)
    draw = random.Random(2)
    forms = [
        draw.choice(STEMS) + "".join(draw.choices([*ENDINGS, "x"], k=draw.choice([2, 3]))) for _ in range(300)
    ]
    tried = 0
    for form in forms:
        made = {rule: _core.lemma(info.rules[rule], form) for rule in range(len(info.rules))}
        if any(made[rule] in known for rule in choices):
            continue
        once = {lemma for rule, lemma in made.items() if rule not in astray and lemma in known}
        twice = {
            lemma
            for rule in choices
            if (stem := made[rule])
            for second in choices
            if (lemma := _core.lemma(info.rules[second], stem)) in known
        }
        found = lemma_of(tagger, form)
        if once or twice:
            assert found in (once or twice)
            tried += 1
        else:
            assert found not in known
    assert tried > 50


def test_a_form_that_is_a_lemma_of_the_treebank_is_its_own_lemma(tagger: Tagger) -> None:
    """Whatever the network makes of its ending."""
    rows = [(stem + ending, stem) for stem in STEMS for ending in ("ler", "ler", "")]
    own = Tagger.train(words_of([*rows, ("balerler", "baler")]), **SMALL)
    assert own.info.reach is not None
    assert lemma_of(own, "baler") == "baler"
    assert lemma_of(own.with_info(replace(own.info, reach=None)), "baler") == "ba"  # as older taggers do


def test_what_leads_astray_is_not_followed() -> None:
    """Rules that lead to lemmas of other words are of no use."""
    draw = random.Random(3)
    forms = [stem + "e" * (n % 2) for n, stem in enumerate(STEMS)] + [stem + "e" for stem in STEMS[:40:2]]
    rows = [(form, form) for form in forms for _ in range(2)]
    rows += [(form[:-1] + "i", form) for form in draw.sample(forms, 30)] + [
        ("balle", "ball"),
        ("ball", "ball"),
    ]
    tagging_set = tagging_set_of(words_of(rows), TaggerOptions())
    assert tagging_set.reach is not None
    assert tagging_set.reach[0] == []


def test_variants_of_sentences_say_nothing_of_lemmas() -> None:
    """They have the lemmas of the sentences that they were made of."""
    rows = [(f"{stem}{n}ler", f"{stem}{n}") for n, stem in enumerate(STEMS)]
    both = words_of(rows + [(form.upper(), lemma) for form, lemma in rows])
    options = TaggerOptions()
    assert tagging_set_of(both, options, len(rows)).reach == ([], [], [])


@pytest.mark.parametrize(
    "reach", [([9], [], []), ([0], [-1], []), ([0], [], [(0, 99999)]), ([0], [], [(7, 0)])]
)
def test_ways_of_no_tag_or_rule_are_refused(tagger: Tagger, reach: Any) -> None:
    with pytest.raises(ModelError, match="known lemmas"):
        tagger.with_info(replace(tagger.info, reach=reach))


def test_ways_are_in_the_file(tagger: Tagger, tmp_path: Any) -> None:
    tagger.save(tmp_path / "nouns.model")
    again = Tagger.load(tmp_path / "nouns.model")
    assert again.info.reach == tagger.info.reach
    form = "bal" + "".join(UNSEEN[0])
    assert lemma_of(again, form) == lemma_of(tagger, form) == "bal"
