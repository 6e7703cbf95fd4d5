"""JSON: what is written is read again, and what others write is checked."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arcwise import Document, Treebank, TreebankError
from arcwise.json_output import treebank_to_json
from treebank_texts import line, sentence, texts

KEYS = ["HeadProb", "DeprelProb", "LowConfidence", "TokenRange", "SpaceAfter", "SpacesAfter", "A", "", "_"]
VALUES = ["0.5", "1", "1e-3", "0:4", "4:0", "No", "Yes", r"\s\n", r"\uD800", "", "=", '"\\', "a\rb"]
ITEMS = st.sampled_from([*KEYS, *(f"{key}={value}" for key in KEYS for value in VALUES)])
COLUMN = st.lists(ITEMS, min_size=1, max_size=4).map("|".join).filter(lambda text: text != "")
COMMENT = st.sampled_from(
    [
        "# sent_id = a",
        "#sent_id=a",
        "# sent_id =",
        "# text = w w",
        "# text = ww",
        "# text = w\tw",
        "#\ttext = w",
        "# newpar",
        "# newdoc id = d",
        "# newparagraph",
        "# text_en = x",
        "#",
        "# rank = 2",
        "# global.columns = ID",
    ]
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """CoNLL-U that is hard on JSON: comments in any order, MISC and FEATS with names of every kind."""
    text = ""
    for _ in range(draw(st.integers(1, 3))):
        lines = draw(st.lists(COMMENT, max_size=4))
        words = draw(st.integers(1, 3))
        ranged = draw(st.integers(0, words))
        for word in range(1, words + 1):
            if word == ranged:
                lines.append(f"{word}-{words}\tww\t_\t_\t_\t_\t_\t_\t_\t{draw(COLUMN)}")
            columns = [draw(COLUMN) for _ in range(2)]
            lines.append(f"{word}\tw\t_\tX\t_\t{columns[0]}\t{word - 1}\tdep\t_\t{columns[1]}")
            if draw(st.booleans()):
                lines.append(f"{word}.1\tw\t_\tX\t_\t{draw(COLUMN)}\t_\t_\t1:x\t{draw(COLUMN)}")
        text += "\n".join(lines) + "\n\n"
    return text


def normal(text: str) -> str:
    """A text with plain line ends, a blank line after each sentence, and none before the first."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return re.sub("\n\n+", "\n\n", text.lstrip("\n"))


@given(documents() | texts())
@example("# text = w\n" + sentence(0))
@example("# sent_id = 1\n" + sentence(0))
@example("1\tw\t_\t_\t_\t_\t0\tx\t_\tTokenRange=0:1|HeadProb=0.5|LowConfidence=Yes\n\n")
@example("1\tw\t_\t_\t_\tA=1|B=2|A=3\t0\tx\t_\t|\n\n")
def test_a_document_comes_back_from_json(text: str) -> None:
    document = Document.from_conllu(text)
    written = document.to_json()
    again = Document.from_json(written)
    assert again.to_json() == written
    assert again.text == document.text
    assert again.treebank.spans == document.treebank.spans
    if "\r\r\n" not in text:  # there, line ends keep theirs apart from the value before it
        assert again.to_conllu() == normal(text)


@settings(max_examples=30)
@given(documents() | texts())
def test_lines_of_json_are_the_document_without_its_text(text: str) -> None:
    treebank = Treebank.from_string(text)
    again = Document.from_json(treebank_to_json(treebank))
    assert treebank_to_json(again.treebank) == treebank_to_json(treebank)


@pytest.mark.parametrize("head", ["x", "0|2", "9", "1", "-1", "01"])
def test_what_is_no_head_comes_back_too(head: str) -> None:
    text = line(1, head=head, deprel="dep") + line("2-2", head=7) + line(2, head=0) + "\n"
    document = Document.from_conllu(text, check_trees=False)
    assert Document.from_json(document.to_json(), check_trees=False).to_conllu() == text
    with pytest.raises(TreebankError):
        Document.from_json(document.to_json())


def test_probabilities_come_back() -> None:
    tree = Treebank.from_words([["Go", "on"], ["Go"]]).with_trees([0, 1, 0], [0, 1, 0], ["root", "dep"])
    sure = tree.with_probabilities(
        [0.9876, 0.5, 1], [0.9712, 0.25, 1], log_probs=[-0.5, -2e-9], entropies=[0.25, 1.5]
    ).with_min_confidence(0.3)
    again = Document.from_json(Document(sure).to_json())
    assert again.to_conllu() == sure.to_string()
    assert [(s.log_prob, s.entropy) for s in again] == [(-0.5, 0.25), (-2e-9, 1.5)]
    assert again[0][0].head_prob == pytest.approx(0.988)


def test_a_part_of_a_text_stays_at_its_place() -> None:
    treebank = Treebank.from_words([["Dogs", "bark"], ["Hush"]])
    (hush,) = Document.from_json(treebank[1].to_json())
    assert (hush[0].start, hush[0].end) == (10, 14)
    assert hush[0].misc == "TokenRange=10:14"


def test_places_in_a_text_of_ones_own_are_kept() -> None:
    text = '{"text":"<b>Go</b> on","sentences":[{"tokens":[{"id":1,"form":"Go","start":3,"end":5}]}]}'
    document = Document.from_json(text)
    assert document.text[document[0][0].start : document[0][0].end] == "Go"


def test_documents_a_line_are_read_each_from_its_beginning() -> None:
    one = Document(Treebank.from_words([["Dogs", "bark"]])).to_json()
    document = Document.from_json(f"{one}\n{one}\n")
    assert [s[0].misc for s in document] == ["_", "_"]
    assert len(Document.from_json(f"[{treebank_to_json(document.treebank)[:-1].replace(chr(10), ',')}]")) == 2


def test_simple_json_of_others_is_read() -> None:
    document = Document.from_json(
        """{"sentences": [{"text": "Hi!", "more": [{"x": 1}], "tokens": [
            {"id": 1, "form": "Hi", "lemma": "", "feats": "A=b", "head": 0, "head_prob": 1e-3, "pos": 7},
            {"id": 2, "form": "!", "head": 1, "deprel": null, "misc": {"k": [null, "v"]}}]}]}"""
    )
    assert document[0].text == "Hi!"
    first, second = document[0]
    assert (first.lemma, first.feats, first.misc, first.head_prob) == (
        "_", "A=b", "HeadProb=0.001", pytest.approx(0.001),
    )  # fmt: skip
    assert (second.head, second.deprel, second.misc) == (1, None, "k|k=v")


TOKEN = {"id": 1, "form": "w", "head": 0}
REFUSED = {
    "no JSON": ("{", "<json>:1: this is no JSON: .* at column 2"),
    "text": ("Dogs bark.", "<json>:1: .*not of arcwise"),
    "a list of numbers": ("[1, 2]", "not of arcwise"),
    "another object": ('{"a": {"b": [1]}}', "not of arcwise"),
    "a half character": (r'{"tokens":[{"id":1,"form":"\ud800"}]}', "half a character"),
    "a raw control character": ('{"a":"\x01"}', "control character"),
    "deep nesting": ('{"a":' + "[" * 100_000, "nested too deeply"),
    "what follows": ('{"tokens":[]} x', "no tokens"),
    "no form": ({"tokens": [{"id": 1}]}, "number 1: word 1: it has no form"),
    "no id": ({"tokens": [{"form": "w"}]}, "word 1: it has no id"),
    "ids out of order": ({"tokens": [TOKEN, {"id": 3, "form": "w"}]}, "word 2: its id is 3, and 2 "),
    "a tab": ({"tokens": [{**TOKEN, "lemma": "a\tb"}]}, 'word 1: "lemma" has a tab'),
    "a list for a string": ({"tokens": [{**TOKEN, "upos": []}]}, '"upos" is not a string'),
    "a string for a head": ({"tokens": [{**TOKEN, "head": "0"}]}, '"head" is not a whole number'),
    "a broken head": ({"tokens": [{**TOKEN, "head": 0.5}]}, '"head" is not a whole number'),
    "a head out of range": ({"sent_id": "s", "tokens": [{**TOKEN, "head": 2}]}, "sentence s: HEAD is 2"),
    "a cycle": (
        {"tokens": [{**TOKEN, "head": 2}, {"id": 2, "form": "v", "head": 1}]},
        "sentence number 1: the sentence has no root",
    ),
    "a probability of 2": ({"tokens": [{**TOKEN, "head_prob": 2}]}, "not from 0 to 1"),
    "a name with a bar": ({"tokens": [{**TOKEN, "misc": {"a|b": "c"}}]}, 'the name "a|b"'),
    "a range beyond the end": (
        {"tokens": [TOKEN], "multiword_tokens": [{"id": [1, 2], "form": "ww"}]},
        "the range ends at word 2",
    ),
    "a range out of place": (
        {"tokens": [TOKEN], "multiword_tokens": [{"id": [5, 6], "form": "ww"}]},
        "multiword token 5-6 is out of place",
    ),
    "an empty node that is a word": ({"tokens": [TOKEN], "empty_nodes": [TOKEN]}, 'such as "8.1"'),
    "a comment that is none": ({"tokens": [TOKEN], "comments": ["x"]}, "no line that begins with #"),
    "ids that differ": (
        {"sent_id": "a", "comments": ["# sent_id = b"], "tokens": [TOKEN]},
        '"sent_id" is "a", and its comment says "b"',
    ),
    "raw columns that differ": (
        {"tokens": [{**TOKEN, "misc": {"A": "1"}, "raw": {"misc": "A=2"}}]},
        '"raw" has another misc',
    ),
    "ranges without places": ({"ranges": True, "tokens": [TOKEN]}, "not all tokens have start and end"),
    "a text of two lines": ({"sent_id": "a", "text": "a\nb", "tokens": [TOKEN]}, "line end"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_json_that_makes_no_sense_is_refused_in_a_sentence(name: str) -> None:
    given, message = REFUSED[name]
    text = given if isinstance(given, str) else json.dumps(given)
    with pytest.raises(TreebankError, match=message.replace("|", r"\|")):
        Document.from_json(text)


def test_errors_name_the_line() -> None:
    good = json.dumps({"tokens": [TOKEN]})
    with pytest.raises(TreebankError, match=r"^x:3: sentence number 3: word 1"):
        Document.from_json(f'{good}\n{good}\n{{"tokens":[{{"id":2}}]}}\n', source="x")
    with pytest.raises(TreebankError, match=r"^x:2: .*not valid UTF-8"):
        Document.from_json(good.encode() + b"\n\xff", source="x")


@given(st.binary(max_size=80), st.data())
def test_any_bytes_are_read_or_refused(noise: bytes, draws: st.DataObject) -> None:
    good = Document(Treebank.from_words([["a", "b"]], misc=[["A=1", "_"]])).to_json().encode()
    at = draws.draw(st.integers(0, len(good)))
    for data in (noise, good[:at] + noise[:3] + good[at + draws.draw(st.integers(0, 3)) :]):
        try:
            document = Document.from_json(data)
        except TreebankError:
            continue
        assert Document.from_json(document.to_json()).to_json() == document.to_json()


def test_a_text_of_ones_own_may_have_anything_in_it() -> None:
    document = Document(Treebank.from_words([["a"]]), 'a "\ud800" \\ \x01\n')
    assert json.loads(document.to_json())["text"] == document.text
