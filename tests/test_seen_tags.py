"""What a network knows of a word from other places of the treebank: the tags that its form has there."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise import Tagger, Treebank, _core
from arcwise.encoder import embeddings
from arcwise.options import ParserOptions
from arcwise.options.pipeline import PipelineOptions
from arcwise.options.tagger import TaggerOptions
from arcwise.recipe import PipelineTraining
from arcwise.training import Training
from networks import FIRST_ROW, known_keys, mix, short

SMALL: dict[str, Any] = {"epochs": 20, "width": 32, "hidden": 32}
LOWER = 1
"""The number of the input that is a word in lower case."""


def words_of(forms: list[str], tags: list[str]) -> Treebank:
    """A word a sentence, each under ROOT."""
    lines = (
        f"1\t{form}\t{form}\t{tag}\t_\t_\t0\troot\t_\t_\n\n" for form, tag in zip(forms, tags, strict=True)
    )
    return Treebank.from_string("".join(lines))


@pytest.fixture(scope="module")
def forms() -> list[str]:
    """Forms that say nothing of their tags."""
    all_forms = ["".join(letters) for letters in itertools.product("bdgk", "aeiou", "lmnr", "aeiou")]
    return random.Random(1).sample(all_forms, 120)


def tag_of(number: int) -> str:
    return "NOUN" if number % 2 else "VERB"


@pytest.fixture(scope="module")
def tagger(forms: list[str]) -> Tagger:
    """Of 100 forms that were seen twice and 20 that were seen once."""
    seen = [*range(100), *range(120)]
    treebank = words_of([forms[i] for i in seen], [tag_of(i) for i in seen])
    return Tagger.train(treebank, tokens="lower suffix", affixes=1, **SMALL)


def row_of(tagger: Tagger, form: str) -> Any:
    key = short(_core.hash_bytes(form.encode(), mix(LOWER + 1)))
    number = known_keys(tagger._arrays["keys"]).index(key)
    return embeddings(tagger._arrays, tagger.info.options.width)[FIRST_ROW + number]


def test_a_form_that_was_seen_once_has_the_tag_that_it_had(tagger: Tagger, forms: list[str]) -> None:
    tagged = tagger.tag([[form] for form in forms[100:]]).column("upos")
    assert sum(tag == tag_of(i) for i, tag in enumerate(tagged)) >= 19


def test_what_is_known_of_forms_that_were_seen_once_is_what_they_have_in_common(
    tagger: Tagger, forms: list[str]
) -> None:
    rows = [row_of(tagger, form) for form in forms[100:]]
    for number, row in enumerate(rows):
        np.testing.assert_array_equal(row, rows[number % 2])
    assert (rows[0] != rows[1]).any()
    assert (row_of(tagger, forms[0]) != row_of(tagger, forms[2])).any()


def test_what_is_known_of_a_form_is_added_to_its_vector(forms: list[str], tmp_path: Path) -> None:
    seen = [*range(100), *range(120)]
    treebank = words_of([forms[i] for i in seen], [tag_of(i) for i in seen])
    (tmp_path / "same.vec").write_text("".join(f"{form} 0.4 0.9\n" for form in forms))
    parser = ParserOptions.of(vectors=str(tmp_path / "same.vec"), tokens="lower", shown_tags=0.0, **SMALL)
    options = PipelineOptions(components=("tagger", "parser"), augment=0.0, parser=parser)
    own = PipelineTraining(treebank, options=options).finish().tagger
    assert own is not None
    rows = [row_of(own, form) for form in forms[100:]]
    for number, row in enumerate(rows):
        np.testing.assert_array_equal(row, rows[number % 2])
    assert (rows[0] != rows[1]).any()


def test_a_word_does_not_tell_its_own_tags(forms: list[str]) -> None:
    """Where every form is seen once, nothing is learnt of tags that are seen elsewhere."""
    tags = [tag_of(i) for i in range(len(forms))]
    for own, is_learnt in ((words_of(forms, tags), False), (words_of(forms * 2, tags * 2), True)):
        assert learns_tags(own, None) == is_learnt


def test_variants_of_sentences_do_not_tell_what_these_have(forms: list[str]) -> None:
    tags = [tag_of(i) for i in range(len(forms))]
    with_variants = words_of(forms * 2, tags * 2)
    assert not learns_tags(with_variants, len(forms))


def learns_tags(treebank: Treebank, own_sentences: int | None) -> bool:
    """Whether an epoch changes what is shared by words that were seen with a tag."""
    options = ParserOptions.of(tokens="lower", shown_tags=0.0, **SMALL)
    training = Training(treebank, options=options, tagger=TaggerOptions(), own_sentences=own_sentences)
    learnt = len(training._core.learnt()["encoder"]["keys"].reshape(-1, 5))
    next(iter(training.epochs()))
    moments = training._core.state()["learner"]["tokens.first"].view(np.float32).reshape(-1, SMALL["width"])
    forms = len(set(treebank.column("form")))
    kept = FIRST_ROW + learnt - (0 if len(treebank) > forms else forms)
    return bool(moments[kept:].any())


def test_a_pipeline_says_which_sentences_are_variants(garden: Treebank) -> None:
    options = PipelineOptions(components=("tagger", "parser"), augment=1.0, parser={"epochs": 1})
    training = PipelineTraining(garden, options=options).training
    assert training is not None
    assert len(training.treebank) > len(garden)
    assert training.run.own_sentences == len(garden)
