"""Sentences as other texts have them: valid trees, with texts that agree with their tokens."""

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import PipelineOptions, Segmenter, Treebank, augmentation
from arcwise.augmentation import BULLETS, EMOJI, Signs, augmented, is_sign, with_variants
from arcwise.errors import OptionError
from arcwise.options.segmenter import SegmenterOptions
from arcwise.recipe.pipeline_training import PipelineTraining
from arcwise.text import raw_sentences, rebuild

GARDEN = "examples/garden/train.conllu"
SPLIT = """\
# text = Anna, it's "Ärger".
1\tAnna\tAnna\tPROPN\tNNP\t_\t4\tvocative\t_\tSpaceAfter=No
2\t,\t,\tPUNCT\t,\t_\t1\tpunct\t_\t_
3-4\tit's\t_\t_\t_\t_\t_\t_\t_\t_
3\tit\tit\tPRON\tPRP\t_\t4\texpl\t_\t_
4\t's\tbe\tAUX\tVBZ\tMood=Ind\t0\troot\t_\t_
4.1\tgone\tgo\tVERB\t_\t_\t_\t_\t4:dep\t_
5\t"\t"\tPUNCT\t``\t_\t6\tpunct\t_\tSpaceAfter=No
6\tÄrger\tÄrger\tNOUN\tNN\t_\t4\txcomp\t4:xcomp\tSpaceAfter=No
7\t"\t"\tPUNCT\t''\t_\t6\tpunct\t_\tSpaceAfter=No
8\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

"""
LAUGH = "1\tHa\tha\tINTJ\tUH\t_\t0\troot\t_\t_\n2\t:)\t:)\tSYM\tNFP\t_\t1\tdiscourse\t_\t_\n\n"
BOOK = Treebank.from_string(SPLIT * 12 + LAUGH * 12)


def changed(way: str, treebank: Treebank = BOOK, seed: int = 1) -> Treebank:
    """The first sentence, changed in one way."""
    sentence = augmentation._Sentence(augmentation._tokens(treebank[0]), Signs(treebank), random.Random(seed))
    assert getattr(augmentation, way)(sentence)
    return Treebank.from_string(augmentation._to_conllu(sentence))


@pytest.mark.parametrize("treebank", [Treebank.read(GARDEN), BOOK], ids=["garden", "book"])
@given(seed=st.integers(0, 2**32), share=st.floats(0.2, 1))
def test_variants_are_trees_whose_text_is_that_of_their_tokens(treebank, seed, share):
    variants, own_lines = augmented(treebank, share, seed)
    assert len(own_lines) == len(variants) <= len(treebank)
    variants.check()
    for sentence, raw in zip(variants, raw_sentences(variants), strict=True):
        text = "".join(token.text + (" " if token.after is None else token.after) for token in raw.tokens)
        assert sentence.text == text.strip()


@given(seed=st.integers(0, 2**32))
def test_the_same_seed_gives_the_same_variants(seed):
    first, again = (augmented(BOOK, 0.5, seed) for _ in range(2))
    assert first.treebank.to_bytes() == again.treebank.to_bytes()
    assert first.own_lines == again.own_lines


def _bare(form: str) -> str:
    """A word without what variants change."""
    letters = unicodedata.normalize("NFD", form.upper().replace("’", "'"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@given(seed=st.integers(0, 2**32))
def test_words_that_are_no_signs_keep_their_letters_tags_lemmas_and_heads(seed):
    known = {}
    for sentence in BOOK:
        words = [token for token in sentence if not is_sign(token.form)]
        head = [token.head_token.form if token.head_token else "" for token in words]
        known[_key(words)] = [
            (t.lemma, t.upos, t.xpos, t.feats, t.deprel, _bare(h)) for t, h in zip(words, head, strict=True)
        ]
    for sentence in augmented(BOOK, 0.5, seed).treebank:
        words = [token for token in sentence if not is_sign(token.form)]
        head = [token.head_token.form if token.head_token else "" for token in words]
        assert known[_key(words)] == [
            (t.lemma, t.upos, t.xpos, t.feats, t.deprel, _bare(h)) for t, h in zip(words, head, strict=True)
        ]


def _key(words) -> tuple[str, ...]:
    return tuple(_bare(token.form) for token in words)


def test_a_bullet_is_a_mark_under_the_root():
    item = changed("_with_bullet")[0]
    assert item[0].form in BULLETS
    assert (item[0].upos, item[0].deprel, item[0].head_token.form) == ("PUNCT", "punct", "'s")
    assert item.multiword_tokens[0].ids == (4, 5)


def test_a_final_mark_is_left_out():
    assert changed("_without_final_mark")[0].text == 'Anna, it\'s "Ärger"'


def test_quotation_marks_become_others_in_pairs():
    texts = {changed("_with_other_quotes", seed=seed)[0].text for seed in range(30)}
    assert {"Anna, it's «Ärger».", "Anna, it's “Ärger”."} <= texts


def test_a_comma_may_become_a_dash_with_spaces_or_without():
    texts = {changed("_with_other_dashes", seed=seed)[0].text for seed in range(30)}
    assert {'Anna – it\'s "Ärger".', 'Anna—it\'s "Ärger".'} <= texts


def test_an_emoji_is_what_the_treebank_calls_an_emoticon():
    last = changed("_with_emoji")[0][-1]
    assert last.form in EMOJI
    assert (last.upos, last.xpos, last.deprel) == ("SYM", "NFP", "discourse")


def test_an_emoji_is_a_mark_where_there_are_no_emoticons():
    last = changed("_with_emoji", Treebank.from_string(SPLIT * 12))[0][-1]
    assert (last.upos, last.deprel) == ("PUNCT", "punct")


def test_case_and_accents_change_and_lemmas_do_not():
    for way, text in {
        "_in_capitals": 'ANNA, IT\'S "ÄRGER".',
        "_without_capitals": 'anna, it\'s "ärger".',
        "_without_accents": 'Anna, it\'s "Arger".',
    }.items():
        sentence = changed(way)[0]
        assert sentence.text == text
        assert [token.lemma for token in sentence] == [token.lemma for token in BOOK[0]]


def test_letters_without_accents_are_latin_ones_alone():
    assert "".join(map(augmentation._plain, "éÅñ한ийά")) == "eAn한ийά"


def test_nothing_is_put_into_a_treebank_that_has_few_signs():
    bare = Treebank.from_string("1\tAnna\t_\tPROPN\t_\t_\t0\troot\t_\t_\n\n" * 20)
    assert {token.form for s in augmented(bare, 1.0).treebank for token in s} == {"ANNA", "anna"}


def test_conllx_stays_conllx():
    rows = "1\tGå\t_\tVERB\tVB\t_\t0\tROOT\t_\t_\n2\t.\t_\t.\tMAD\t_\t1\tp\t_\t_\n\n"
    treebank = Treebank.from_string(rows * 20, format="conllx")
    both = with_variants(treebank, 0.5)
    assert both.format == "conllx"
    assert both.to_bytes().startswith(treebank.to_bytes())
    signs = {(t.upos, t.deprel) for s in augmented(treebank, 1.0).treebank for t in s if is_sign(t.form)}
    assert signs == {(".", "p")}


def test_without_a_share_the_treebank_is_as_it_was():
    assert with_variants(BOOK, 0.0) is BOOK
    for kind in (PipelineOptions, SegmenterOptions):
        with pytest.raises(OptionError, match="augment"):
            kind(augment=1.5)


def test_list_items_and_headings_are_sentences_on_their_own_lines():
    garden = Treebank.read(GARDEN)
    text = "• Anna waters the beans\n• The gardener planted roses\n– A dog plays"
    found = Segmenter.train(garden, seed=2).segment(text)
    assert [sentence[0].form for sentence in found] == ["•", "•", "–"]
    assert rebuild(found) == text


def test_signs_that_the_treebank_lacks_are_no_words():
    garden = Treebank.read(GARDEN)
    options = PipelineOptions(components=("tagger", "parser"))
    pipeline = PipelineTraining(garden, options=options, progress=False).finish()
    assert pipeline.about["augment"] == PipelineOptions.augment
    assert PipelineOptions.of(pipeline).augment == PipelineOptions.augment
    tagged = pipeline.parse(Treebank.from_words([["•", "A", "dog", "plays", "–", "Anna", "sleeps", "."]]))
    bullet, *_, verb = (tagged[0][i] for i in (0, 4, 3))
    assert (bullet.upos, bullet.deprel) == ("PUNCT", "punct")
    assert tagged[0][4].upos == "PUNCT"
    assert verb.upos == "VERB"
