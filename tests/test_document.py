"""Documents: sentences, words and multiword tokens, and where they stand in the text."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise
from arcwise import Document, Treebank, TreebankError
from arcwise.json_output import treebank_to_json
from arcwise.text import Cursor, from_tokens, rebuild, word_spans
from treebank_texts import heads_of_trees, sentence, texts

FRENCH = """\
# newpar
# sent_id = fr-1
# text = Il vient du port.
1\tIl\til\tPRON\t_\tGender=Masc|Number=Sing\t2\tnsubj\t_\t_
2\tvient\tvenir\tVERB\t_\t_\t0\troot\t_\tGloss=comes
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\tLang=fr
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_
5\tport\tport\tNOUN\t_\t_\t2\tobl\t2:obl:de\tSpaceAfter=No
5.1\tcalme\tcalme\tADJ\t_\t_\t_\t_\t5:amod\t_
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\tHeadProb=0.950|DeprelProb=0.900|Loud

# newpar
1\tChut\tchut\tINTJ\t_\t_\t_\t_\t_\t_

"""


@pytest.fixture
def french() -> Document:
    return Document(Treebank.from_string(FRENCH))


def test_a_document_is_its_sentences(french: Document) -> None:
    assert len(french) == 2
    assert [sentence.id for sentence in french] == ["fr-1", None]
    assert french[-1].text == "Chut"
    assert french[:1] == [french.treebank[0]]
    assert [token.form for token in french.tokens] == ["Il", "vient", "de", "le", "port", ".", "Chut"]
    assert french.to_conllu() == FRENCH
    assert repr(french) == "<Document: 2 sentences, 7 words>"


def test_a_document_knows_its_text_or_rebuilds_it(french: Document) -> None:
    assert french.text == "Il vient du port.\n\nChut "
    assert Document(french.treebank, "Il vient").text == "Il vient"


def test_words_of_a_multiword_token_share_its_place(french: Document) -> None:
    places = [french.text[token.start : token.end] for token in french.tokens]
    assert places == ["Il", "vient", "du", "du", "port", ".", "Chut"]


def test_multiword_tokens_have_words_and_a_place(french: Document) -> None:
    (du,) = french[0].multiword_tokens
    assert (du.ids, du.form, du.misc, du.start, du.end) == ((3, 4), "du", "Lang=fr", 9, 11)
    assert du.words == french[0][2:4]
    assert french[1].multiword_tokens == []


def test_features_are_found_by_name(french: Document) -> None:
    assert french[0][0].morph == {"Gender": "Masc", "Number": "Sing"}
    assert french[0][1].morph == {}


def test_a_tree_can_be_walked(french: Document) -> None:
    il, vient, de, _, port, _ = french[0]
    assert french[0].root == vient
    assert vient.is_root and not il.is_root
    assert (il.head_token, vient.head_token, de.head_token) == (vient, None, port)
    assert [word.form for word in vient.children] == ["Il", "port", "."]
    assert [word.form for word in port.subtree] == ["de", "le", "port"]
    assert il.sentence == french[0]


def test_an_unknown_head_is_no_word(french: Document) -> None:
    chut = french[1][0]
    assert french[1].root is None
    assert chut.head_token is None and not chut.is_root
    assert chut.subtree == [chut]


def test_the_subtree_of_a_cycle_ends() -> None:
    first, second = Treebank.from_string(sentence(2, 1), check_trees=False)[0]
    assert first.subtree == second.subtree == [first, second]


@given(heads_of_trees(max_words=8))
def test_a_subtree_is_what_leads_up_to_the_word(heads: list[int | None]) -> None:
    words = Treebank.from_string(sentence(*("_" if head is None else head for head in heads)))[0]
    for word in words:
        below = []
        for other in words:
            ancestor = other
            while ancestor is not None and ancestor != word:
                ancestor = ancestor.head_token
            if ancestor is not None:
                below.append(other)
        assert word.subtree == below


def test_places_that_are_written_in_misc_count() -> None:
    ranges = [["TokenRange=7:11", "Gloss=x", "TokenRange=a:b"]]
    treebank = Treebank.from_words([["Dogs", "do", "bark"]], misc=ranges)
    assert treebank.spans == [(7, 11), (12, 14), (15, 19)]
    tokens = json.loads(treebank[0].to_json())["tokens"]
    assert [(token["start"], token.get("misc")) for token in tokens] == [
        (7, None),
        (12, {"Gloss": "x"}),
        (15, {"TokenRange": "a:b"}),
    ]


def test_conllx_has_words_but_no_places() -> None:
    treebank = Treebank.from_string(
        "1\tNo\t_\tX\tX\t_\t0\troot\t_\t_\n2\tway\t_\tX\tX\t_\t1\tdep\t_\t_\n\n", format="conllx"
    )
    assert treebank[0].text == "No way"
    with pytest.raises(TreebankError, match="use CoNLL-U"):
        treebank[0][0].start  # noqa: B018
    tokens = json.loads(treebank_to_json(treebank))["tokens"]
    assert tokens[1] == {"id": 2, "form": "way", "upos": "X", "xpos": "X", "head": 1, "deprel": "dep"}


WORDS = st.text(
    st.characters(exclude_characters="\t\n\r\0", exclude_categories=["Cs"]), min_size=1, max_size=4
)
MISC = st.sampled_from(["_", "SpaceAfter=No", r"SpacesAfter=\s\n", r"SpacesBefore=\t|SpacesAfter=\r", "A=b"])
SPACED = st.lists(st.lists(st.tuples(WORDS, MISC), min_size=1, max_size=5), min_size=1, max_size=4)


def spaced_treebank(sentences: list[list[tuple[str, str]]]) -> Treebank:
    forms, misc = ([[pair[i] for pair in pairs] for pairs in sentences] for i in (0, 1))
    return Treebank.from_words(forms, misc=misc)


@given(SPACED)
def test_each_word_stands_where_its_span_says(sentences: list[list[tuple[str, str]]]) -> None:
    document = Document(spaced_treebank(sentences))
    assert [document.text[token.start : token.end] for token in document.tokens] == [
        token.form for token in document.tokens
    ]


@given(SPACED, st.integers(0, 4))
def test_spans_go_on_from_part_to_part(sentences: list[list[tuple[str, str]]], cut: int) -> None:
    treebank, cursor = spaced_treebank(sentences), Cursor()
    assert word_spans(treebank[:cut], cursor) + word_spans(treebank[cut:], cursor) == treebank.spans


def test_paragraphs_are_apart_in_parts_as_in_the_whole(french: Document) -> None:
    cursor = Cursor()
    parts = "".join(treebank_to_json(french.treebank[i : i + 1], cursor) for i in (0, 1))
    assert parts == treebank_to_json(french.treebank)
    assert json.loads(parts.split("\n")[1])["tokens"][0]["start"] == french.text.index("Chut")


def test_a_byte_order_mark_of_a_file_is_no_text_but_that_of_a_text_is() -> None:
    treebank = Treebank.from_string("\ufeff" + sentence(0))
    assert rebuild(treebank) == "w1 "
    assert Document(treebank, "\ufeffw1 ").text == "\ufeffw1 "


def test_json_has_all_that_conllu_has(french: Document) -> None:
    first, second = map(json.loads, treebank_to_json(french.treebank).splitlines())
    assert first["sent_id"] == "fr-1"
    assert first["text"] == "Il vient du port."
    assert first["comments"] == ["# newpar"]
    assert first["tokens"][0] == {
        "id": 1,
        "form": "Il",
        "lemma": "il",
        "upos": "PRON",
        "feats": {"Gender": "Masc", "Number": "Sing"},
        "head": 2,
        "deprel": "nsubj",
        "start": 0,
        "end": 2,
    }
    assert first["tokens"][4]["deps"] == "2:obl:de"
    assert first["tokens"][4]["misc"] == {"SpaceAfter": "No"}
    assert first["tokens"][5]["misc"] == {"Loud": None}
    assert (first["tokens"][5]["head_prob"], first["tokens"][5]["deprel_prob"]) == (0.95, 0.9)
    assert first["multiword_tokens"] == [
        {"id": [3, 4], "form": "du", "start": 9, "end": 11, "misc": {"Lang": "fr"}}
    ]
    assert first["empty_nodes"] == [
        {"id": "5.1", "form": "calme", "lemma": "calme", "upos": "ADJ", "deps": "5:amod"}
    ]
    assert "head" not in second["tokens"][0] and "sent_id" not in second


def test_json_of_a_document_and_of_its_sentences_agree(french: Document) -> None:
    document = json.loads(french.to_json())
    assert document["text"] == french.text
    assert document["sentences"] == [json.loads(sentence.to_json()) for sentence in french]
    assert document["sentences"] == [
        json.loads(line) for line in treebank_to_json(french.treebank).splitlines()
    ]


def test_json_has_probabilities_of_the_parser() -> None:
    tree = Treebank.from_words([["Go"]]).with_trees([0], [0], ["root"])
    sure = tree.with_probabilities([0.9876], [0.9712], log_probs=[-0.5], entropies=[0.25])
    found = json.loads(sure[0].to_json())
    assert (found["log_prob"], found["entropy"]) == (-0.5, 0.25)
    assert (found["tokens"][0]["head_prob"], found["tokens"][0]["deprel_prob"]) == (0.988, 0.971)
    assert "misc" not in found["tokens"][0]


def keyed(items: dict[str, object] | None) -> list[str]:
    """The items of FEATS or MISC from what JSON has of them."""
    found = []
    for key, values in ({} if items is None else items).items():
        for value in values if isinstance(values, list) else [values]:
            found.append(key if value is None else f"{key}={value}")
    return sorted(found)


def same(value: str, in_json: object) -> bool:
    return (in_json is None) if value == "_" else value == in_json


@given(texts())
def test_json_gives_every_column_back(text: str) -> None:
    treebank = Treebank.from_string(text, check_trees=False)
    lines = treebank_to_json(treebank).split("\n")[:-1]
    for words, line in zip(treebank, lines, strict=True):
        found = json.loads(line)
        objects = {str(token["id"]): token for token in [*found["tokens"], *found.get("empty_nodes", [])]}
        objects |= {"-".join(map(str, token["id"])): token for token in found.get("multiword_tokens", [])}
        assert len(objects) == len(words.rows)
        for id, form, lemma, upos, xpos, feats, _, deprel, deps, misc in words.rows:
            token = objects[id]
            assert form == token["form"]
            values = {"lemma": lemma, "upos": upos, "xpos": xpos, "deprel": deprel, "deps": deps}
            assert all(same(value, token.get(key)) for key, value in values.items())
            for key, value in {"feats": feats, "misc": misc}.items():
                assert keyed(token.get(key)) == ([] if value == "_" else sorted(value.split("|")))
        assert [token.get("head") for token in found["tokens"]] == [token.head for token in words]
        assert found.get("comments", []) == [
            comment
            for comment in words.comments
            if comment.partition("=")[0].strip("# ") not in ("text", "sent_id")
        ]


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON, whose keys may not come twice."""
    found = dict(pairs)
    assert len(found) == len(pairs), pairs
    return found


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


_numbers = st.sampled_from(
    [
        "0.5",
        "1",
        "0",
        "1.0",
        "0.٣",
        "٣",
        "1.5",
        "01",
        "1_0",
        " 1",
        "nan",
        "inf",
        "1e-3",
        ".5",
        "0.",
        "-0",
        "",
        "9" * 5000,
    ]
)
_items = st.builds(
    "{}={}".format,
    st.sampled_from(
        ["HeadProb", "DeprelProb", "TokenRange", "SpacesAfter", "SpaceAfter", "A", "", "id", '"']
    ),
    _numbers | st.sampled_from(["No", r"\uD800", r"\u0000", r"\s\n", "0:4", "٣:٤", "4:0", "x|y", '"\\']),
)
_columns = st.lists(_items | st.sampled_from(["HeadProb", "_", "|", "="]), min_size=1, max_size=4).map(
    "|".join
)


@given(st.lists(st.tuples(_columns, _columns), min_size=1, max_size=3), st.sampled_from(["", "\r"]))
def test_json_is_json_whatever_is_read(columns: list[tuple[str, str]], end: str) -> None:
    lines = [f"{i}\tw\t_\t_\t_\t{f}\t0\troot\t_\t{m}{end}" for i, (f, m) in enumerate(columns, 1)]
    treebank = Treebank.from_string("\n".join([*lines, end, ""]), check_trees=False)
    for text in (treebank_to_json(treebank), treebank[0].to_json(), Document(treebank).to_json()):
        json.loads(text.encode().decode(), object_pairs_hook=once, parse_constant=refuse)
    for token, read in zip(treebank[0], json.loads(treebank[0].to_json())["tokens"], strict=True):
        assert read.get("head_prob") == pytest.approx(token.head_prob)


@given(texts())
def test_json_of_any_sentence_is_json(text: str) -> None:
    treebank = Treebank.from_string(text, check_trees=False)
    for line in treebank_to_json(treebank).split("\n")[:-1]:
        json.loads(line, object_pairs_hook=once, parse_constant=refuse)


def test_only_misc_has_probabilities_and_only_in_plain_figures() -> None:
    def first(feats: str, misc: str) -> dict[str, object]:
        words = Treebank.from_words([["Go"]], feats=[[feats]], misc=[[misc]])
        token: dict[str, object] = json.loads(words[0].to_json())["tokens"][0]
        assert token.get("head_prob") == words[0][0].head_prob
        return token

    assert first("_", "HeadProb=0.5")["head_prob"] == 0.5
    assert first("HeadProb=0.5", "_")["feats"] == {"HeadProb": "0.5"}
    assert first("_", "HeadProb=0.٣")["misc"] == {"HeadProb": "0.٣"}
    assert first("_", "HeadProb=0.5|HeadProb=0.25")["misc"] == {"HeadProb": ["0.5", "0.25"]}
    assert "head_prob" not in first("_", "HeadProb=1e-3")


def test_json_has_no_word_for_infinity() -> None:
    tree = Treebank.from_words([["Go"]]).with_trees([0], [0], ["root"])
    sure = tree.with_probabilities([1], [1], log_probs=[-math.inf], entropies=[math.nan])
    assert {"log_prob", "entropy"}.isdisjoint(json.loads(sure[0].to_json()))


def test_the_text_of_tokens_is_found() -> None:
    assert Document(from_tokens([["猫", "眠る"]])).tokens[1].start == 2


def test_a_document_is_dicts_as_stanza_has_them():
    text = "I can't  go.\n\nHush!"
    document = Document(arcwise.load("en-fast")(text).treebank, text)
    first, second = document.to_dict()
    assert [word["id"] for word in first] == [1, (2, 3), 2, 3, 4, 5]
    assert first[1] == {
        "id": (2, 3), "text": "can't", "misc": "SpacesAfter=\\s\\s", "start_char": 2, "end_char": 7,
    }  # fmt: skip
    assert first[0]["head"] == first[4]["id"] and first[0]["deprel"] == "nsubj"
    assert "start_char" not in first[2]
    assert (second[0]["start_char"], second[-1]["end_char"]) == (14, len(text))


@pytest.mark.parametrize("with_text", [True, False])
def test_a_document_comes_back_from_dicts(with_text):
    text = "I can't  go.\n\nHush! He's gone."
    dicts = arcwise.load("en-fast")(text).to_dict()
    again = Document.from_dict(dicts, text if with_text else None)
    assert again.to_dict() == dicts
    assert rebuild(again.treebank).rstrip() == text


def test_dicts_that_are_no_words_are_refused():
    with pytest.raises(TreebankError, match="no id"):
        Document.from_dict([[{"text": "Hush"}]])
    with pytest.raises(TreebankError, match=r"sentence 0 .* has no text"):
        Document.from_dict([[{"id": 1}]])
    with pytest.raises(TreebankError, match="tab or a line end"):
        Document.from_dict([[{"id": 1, "text": "a\tb"}]])
