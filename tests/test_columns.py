"""Treebanks as columns, and treebanks that are put together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import Categories, Document, Treebank, TreebankError
from treebank_texts import sentence, texts

NAMES = ["form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc"]


@settings(max_examples=30)
@given(texts())
def test_columns_have_what_the_words_have(text: str) -> None:
    treebank = Treebank.from_string(text)
    columns = treebank.to_columns()
    assert list(columns) == ["sentence", "id", "form", "lemma", "upos", "xpos", "feats", "head", *NAMES[5:]]
    assert {len(column) for column in columns.values()} == {treebank.word_count}
    assert columns["head"].tolist() == treebank.heads.tolist()
    assert columns["id"].tolist() == [token.id for words in treebank for token in words]
    assert columns["sentence"].tolist() == [i for i, words in enumerate(treebank) for _ in words]
    for name in NAMES:
        assert columns[name].tolist() == treebank.column(name)
        codes, values = treebank.categories(name)
        assert len(set(values)) == len(values) and codes.dtype == np.int32
        assert [values[code] if code >= 0 else "_" for code in codes] == treebank.column(name)
        assert name == "form" or "_" not in [values[code] for code in codes if code >= 0]


@settings(max_examples=30)
@given(texts())
def test_columns_make_the_words_again(text: str) -> None:
    if "\r" in text:
        return
    treebank = Treebank.from_string(text)
    columns = treebank.to_columns()
    for some in (columns, {**columns, **{name: treebank.categories(name) for name in NAMES}}):
        again = Treebank.from_columns(some)
        assert again.to_string("conllx") == treebank.to_string("conllx")
        assert again.column("misc") == treebank.column("misc")
    without = {name: column for name, column in columns.items() if name != "sentence"}
    assert Treebank.from_columns(without).to_string() == again.to_string()


def test_columns_may_be_of_any_kind_and_lack_values() -> None:
    treebank = Treebank.from_columns(
        {
            "form": np.array(["Dogs", "bark"]),
            "upos": ["NOUN", None],
            "lemma": [float("nan"), "bark"],
            "head": [2.0, 0.0],
            "deprel": Categories(np.array([0, -1], np.int32), ["nsubj"]),
        }
    )
    assert treebank.to_string() == (
        "1\tDogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\t_\t_\t_\t0\t_\t_\t_\n\n"
    )
    assert len(Treebank.from_columns({"form": []})) == 0


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"upos": ["X"]}, "the column form is missing"),
        ({"form": "Dogs"}, "column form is a string"),
        ({"form": ["a"], "tag": ["X"]}, "no column 'tag'; choose from sentence, id, form"),
        ({"form": ["a", "b"], "upos": ["X"]}, "column upos has 1 values for 2 words"),
        ({"form": ["a", "b\tc"]}, "word 2: form cannot be 'b.tc'"),
        ({"form": ["a"], "upos": [""]}, "word 1: upos cannot be empty"),
        ({"form": ["a"], "upos": [3]}, "upos is a str or None"),
        ({"form": ["a", "b"], "id": [1, 3]}, "column id does not count"),
        ({"form": ["a", "b"], "head": [0, 1.5]}, "word 2: the head 1.5 is not a whole number"),
        ({"form": ["a", "b"], "head": [2, 1]}, "no root"),
    ],
)
def test_columns_that_make_no_treebank_are_refused(columns: dict[str, object], reason: str) -> None:
    with pytest.raises(TreebankError, match=f"<columns>.*{reason}"):
        Treebank.from_columns(columns)  # type: ignore[arg-type]


def test_there_are_no_categories_of_numbers() -> None:
    with pytest.raises(TreebankError, match="no column 'head' of categories; choose from form"):
        Treebank.from_string(sentence(0)).categories("head")


@settings(max_examples=30)
@given(st.lists(texts(), max_size=3), st.data())
def test_treebanks_are_put_together_as_their_texts_are(parts: list[str], draws: st.DataObject) -> None:
    treebanks = [Treebank.from_string(text) for text in parts]
    together = Treebank.concat(treebanks)
    sentences = [words.to_string() for treebank in treebanks for words in treebank]
    assert [words.to_string() for words in together] == sentences
    assert together.heads.tolist() == [head for part in treebanks for head in part.heads.tolist()]
    for name in NAMES:
        assert together.column(name) == [value for part in treebanks for value in part.column(name)]
    assert [words.line for words in together] == [words.line for part in treebanks for words in part]
    # And so are those whose trees were replaced, or words corrected.
    changed = [part.with_trees([0] * part.word_count, [0] * part.word_count, ["new"]) for part in treebanks]
    mixed = [draws.draw(st.sampled_from(pair)) for pair in zip(treebanks, changed, strict=True)]
    assert Treebank.concat(mixed).column("deprel") == [v for part in mixed for v in part.column("deprel")]
    assert [s.to_string() for s in Treebank.concat(mixed)] == [s.to_string() for part in mixed for s in part]


def test_probabilities_of_some_stay_with_them() -> None:
    one = Treebank.from_string(sentence(0, 1))
    sure = one.with_probabilities([0.5, 0.25], [0.5, 0.25], log_probs=[-1], entropies=[2])
    said = Treebank.from_string("1\tw\t_\t_\t_\t_\t0\tx\t_\tHeadProb=0.75\n\n")
    together = Treebank.concat([one, sure, said])
    assert [word.head_prob for words in together for word in words] == [None, None, 0.5, 0.25, 0.75]
    assert [words.log_prob for words in together] == [None, -1, None]
    assert together.to_string() == one.to_string() + sure.to_string() + said.to_string()
    with pytest.raises(TreebankError, match="mark them alike"):
        Treebank.concat([sure.with_min_confidence(0.3), sure.with_min_confidence(0.4)])


def test_formats_that_differ_become_conllu() -> None:
    conllx = Treebank.from_string(sentence(0), format="conllx", source="x")
    together = Treebank.concat([conllx, Treebank.from_string("# c\n" + sentence(0))])
    assert together.format == "conllu" and together[1].comments == ["# c"]
    assert together.source == "<text>, x"
    assert Treebank.concat([conllx, conllx]).format == "conllx"


def test_sentences_are_filtered() -> None:
    treebank = Treebank.from_string(sentence(0, id="a") + sentence(0, 1, id="b") + sentence(2, 0, id="c"))
    kept = treebank.filter(lambda words: len(words) == 2)
    assert [words.id for words in kept] == ["b", "c"] and kept.heads.tolist() == [0, 1, 2, 0]
    assert len(treebank.filter(lambda words: words.id == "x")) == 0


def test_documents_come_from_conllu() -> None:
    assert Document.from_conllu(sentence(0, 1)).to_conllu() == sentence(0, 1)
    with pytest.raises(TreebankError, match=r"^x:1: the sentence has no root"):
        Document.from_conllu(sentence(2, 1), source="x")
