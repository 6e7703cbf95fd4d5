"""Words that are corrected by hand."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import Document, Treebank, TreebankError
from treebank_texts import sentence, texts

TEXT = """\
# sent_id = one
# text = Dogs don't bark.
1\tDogs\tdog\tNOUN\t_\tNumber=Plur\t4\tnsubj\t4:nsubj\tA=1|HeadProb=0.900|DeprelProb=0.800
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tLang=en
2\tdo\tdo\tAUX\t_\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\t_\tPolarity=Neg\t4\tadvmod\t_\t_
3.1\tever\t_\t_\t_\t_\t_\t_\t4:advmod\t_
4\tbark\tbark\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_

1\tHush\thush\tINTJ\t_\t_\t0\troot\t_\t_

"""
COLUMNS = ("lemma", "upos", "xpos", "feats", "deps", "misc")


@pytest.fixture
def treebank() -> Treebank:
    return Treebank.from_string(TEXT)


def test_a_correction_is_written_and_all_else_is_as_it_stood(treebank: Treebank) -> None:
    document = Document(treebank)
    document[0][2].head = 2
    document[0][2].deprel = "advmod:neg"
    document[1][0].upos = "VERB"
    lines = TEXT.split("\n")
    lines[5] = "3\tn't\tnot\tPART\t_\tPolarity=Neg\t2\tadvmod:neg\t_\t_"
    lines[10] = "1\tHush\thush\tVERB\t_\t_\t0\troot\t_\t_"
    assert document.to_conllu() == "\n".join(lines)


def test_a_correction_shows_wherever_the_word_is_looked_at(treebank: Treebank) -> None:
    document, word = Document(treebank), treebank[0][2]
    word.head, word.deprel, word.lemma = 1, "dep", "nay"
    for again in (word, document[0][2], document.tokens[2], treebank[0][2]):
        assert (again.head, again.deprel, again.lemma) == (1, "dep", "nay")
        assert again == word and hash(again) == hash(word)
    assert document[0].heads.tolist() == [4, 4, 1, 0, 4]
    assert treebank.heads.tolist() == [4, 4, 1, 0, 4, 0]
    assert [child.form for child in treebank[0][0].children] == ["n't"]
    assert treebank.column("lemma")[2] == "nay" and treebank.column("deprel")[2] == "dep"
    assert treebank.label_names[treebank.labels[2]] == "dep"
    assert '"lemma":"nay"' in document.to_json()
    assert treebank[:1][0][2].lemma == "nay"


def test_slices_and_copies_are_corrected_by_themselves(treebank: Treebank) -> None:
    part, same, document = treebank[:1], copy.copy(treebank), copy.deepcopy(Document(treebank))
    part[0][0].lemma = same[0][0].lemma = document[0][0].lemma = "hound"
    assert treebank[0][0].lemma == "dog"
    assert copy.copy(Document(treebank)).treebank is treebank
    sentence = copy.deepcopy(treebank[0])
    sentence[0].lemma = "x"
    assert treebank[0][0].lemma == "dog" and sentence[0].lemma == "x"


def test_numbers_of_numpy_are_heads(treebank: Treebank) -> None:
    treebank[0][0].head = np.int64(2)  # type: ignore[assignment]
    assert treebank[0][0].head == 2


def test_none_takes_a_value_away(treebank: Treebank) -> None:
    word = treebank[0][0]
    word.head = word.deprel = word.lemma = word.feats = None  # type: ignore[assignment]
    assert (word.head, word.deprel, word.lemma, word.feats) == (None, None, "_", "_")
    assert treebank.heads[0] == -1 and treebank.labels[0] == -1
    assert treebank.to_string().split("\n")[2].startswith("1\tDogs\t_\tNOUN\t_\t_\t_\t_\t4:nsubj")


def test_features_are_given_by_name(treebank: Treebank) -> None:
    treebank[0][0].morph = {"number": "Sing", "Case": "Nom"}
    assert treebank[0][0].feats == "Case=Nom|number=Sing"
    treebank[0][0].morph = {}
    assert treebank[0][0].feats == "_"


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("head", 6, "no word 6 to be its head: the sentence has 5"),
        ("head", -1, "no word -1"),
        ("head", 1, "its own head"),
        ("head", "2", "a head is the id of a word"),
        ("head", True, "a head is the id of a word"),
        ("head", 2.0, "a head is the id of a word"),
        ("deprel", "", "deprel cannot be empty"),
        ("deprel", "a\tb", "tabs"),
        ("lemma", "a\tb", r"lemma cannot be 'a\\tb'"),
        ("upos", "a\nb", "line ends"),
        ("xpos", "a\rb", "line ends"),
        ("feats", "\0", "NULs"),
        ("misc", "\ud800", "halves of characters"),
        ("lemma", 3, "lemma is a str or None, and not of the type int"),
    ],
)
def test_what_cannot_be_written_is_refused_at_once(
    treebank: Treebank, column: str, value: object, reason: str
) -> None:
    with pytest.raises(TreebankError, match=rf"<text>:1: sentence one: word 1 \(Dogs\): .*{reason}"):
        setattr(treebank[0][0], column, value)
    assert treebank.to_string() == TEXT


def test_forms_and_ids_are_no_ones_to_correct(treebank: Treebank) -> None:
    for column in ("form", "id"):
        with pytest.raises(AttributeError):
            setattr(treebank[0][0], column, 1)


def test_giving_a_word_what_it_has_changes_nothing(treebank: Treebank) -> None:
    for word in treebank[0]:
        word.head, word.deprel, word.lemma, word.misc = word.head, word.deprel, word.lemma, word.misc
    assert treebank.version == 0 and treebank[0][0].head_prob == pytest.approx(0.9)


def test_what_was_said_of_an_arc_is_not_said_of_another(treebank: Treebank) -> None:
    treebank[0][0].lemma = "hound"
    assert treebank[0][0].head_prob == pytest.approx(0.9)
    treebank[0][0].head = 2
    assert (treebank[0][0].head_prob, treebank[0][0].misc) == (None, "A=1")
    sure = treebank.with_probabilities([0.5] * 6, [0.4] * 6, log_probs=[-1, -2], entropies=[1, 2])
    sure = sure.with_min_confidence(0.45)
    sure[0][1].deprel = "dep"
    assert [word.head_prob for word in sure[0]] == [0.5, None, 0.5, 0.5, 0.5]
    assert (sure[0].log_prob, sure[0].entropy, sure[1].log_prob) == (None, None, -2)
    lines = sure.to_string().split("\n")
    assert lines[4].endswith("\tdep\t_\t_") and lines[5].endswith("DeprelProb=0.400|LowConfidence=Yes")


def test_places_follow_from_corrected_white_space(treebank: Treebank) -> None:
    document = Document(treebank)
    assert document.text == "Dogs don't bark. Hush "
    treebank[0][4].misc = "SpaceAfter=No"
    assert document.text == "Dogs don't bark.Hush " and treebank[1][0].start == 16
    assert Document(treebank, "its own").text == "its own"


@settings(max_examples=40)
@given(texts(), st.data())
def test_any_correction_changes_one_column_of_one_line(text: str, draws: st.DataObject) -> None:
    treebank = Treebank.from_string(text)
    if not treebank.word_count:
        return
    number = draws.draw(st.integers(0, len(treebank) - 1))
    word = draws.draw(st.sampled_from(list(treebank[number])))
    column = draws.draw(st.sampled_from([*COLUMNS, "deprel", "head"]))
    heads = [head for head in range(len(treebank[number]) + 1) if head != word.id]
    value = draws.draw(st.sampled_from(heads) if column == "head" else st.sampled_from(["x y", "_", "ü=1"]))
    before, rows = text.split("\n"), [row for sentence in treebank for row in sentence.rows]
    setattr(word, column, value)
    after = treebank.to_string().split("\n")
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert len(changed) <= 1
    index = ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"].index(column)
    for line in changed:
        old, new = before[line].rstrip("\r").split("\t"), after[line].rstrip("\r").split("\t")
        assert old[:index] + old[index + 1 :] == new[:index] + new[index + 1 :]
        assert new[index] == str(value) and new[0].lstrip("\ufeff") == str(word.id)
    assert len(rows) == sum(len(sentence.rows) for sentence in treebank)
    again = Treebank.from_string(treebank.to_bytes(), check_trees=False)
    assert again.heads.tolist() == treebank.heads.tolist()


def corrected(*heads: int) -> Treebank:
    return Treebank.from_string(sentence(*heads), check_trees=False)


def test_a_tree_is_checked(treebank: Treebank) -> None:
    treebank.check()
    treebank[0][0].head = 5
    treebank[0][4].head = 1
    with pytest.raises(TreebankError, match=r"<text>:1: sentence one: the heads make a cycle, 1 → 5 → 1"):
        treebank[0].check()
    with pytest.raises(TreebankError, match="cycle"):
        Document(treebank).check()


def test_one_word_is_under_root_unless_more_are_allowed() -> None:
    with pytest.raises(TreebankError, match=r"words 1 and 2 have the head 0 \(ROOT\), and one may"):
        corrected(0, 0)[0].check()
    corrected(0, 0)[0].check(single_root=False)
    with pytest.raises(TreebankError, match="cycle, 1 → 2 → 1"):
        corrected(2, 1)[0].check(single_root=False)


def test_words_without_heads_are_refused_unless_a_part_is_enough() -> None:
    treebank = Treebank.from_words([["Dogs", "bark"]])
    with pytest.raises(TreebankError, match="word 1 has no head"):
        treebank.check()
    treebank[0][1].head = 0
    treebank.check(partial=True)


@given(st.lists(st.integers(-1, 6), min_size=1, max_size=6))
def test_checking_agrees_with_reading(heads: list[int]) -> None:
    given = [min(head, len(heads)) for head in heads]
    if any(head == word for word, head in enumerate(given, 1)):
        return
    text = sentence(*("_" if head < 0 else head for head in given))
    tree = Treebank.from_string(text, check_trees=False)[0]
    try:
        Treebank.from_string(text)
        is_tree = True
    except TreebankError:
        is_tree = False
    try:
        tree.check(partial=True, single_root=False)
        assert is_tree
    except TreebankError:
        assert not is_tree
