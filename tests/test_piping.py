"""Many texts through a pipeline, bad ones among them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

import arcwise
from arcwise import ArcwiseError, Constraints, Document, OptionError, Pipeline, SkippedTextWarning, TextError

TEXTS = ["Dogs bark.", "", "Hush!  Cats sleep.\n", "Go on."]
BAD: list[Any] = ["Dogs bark.", "Ha\0rd.", "Cats purr.", None, b"Bees hum.", "\ud800 flies.", "Go on."]


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return arcwise.load("en")


def texts_of(documents: Iterator[Document]) -> list[str]:
    return [document.text for document in documents]


@pytest.mark.parametrize("batch_size", [1, 2, 1000])
@pytest.mark.parametrize("jobs", [1, 3])
def test_documents_come_in_order_as_if_alone(nlp: Pipeline, batch_size: int, jobs: int) -> None:
    documents = list(nlp.pipe(TEXTS * 5, batch_size=batch_size, jobs=jobs))
    assert [document.text for document in documents] == TEXTS * 5
    alone = [nlp(text) for text in TEXTS]
    assert [d.to_conllu() for d in documents] == [d.to_conllu() for d in alone] * 5
    assert [t.start for t in documents[2].tokens] == [t.start for t in alone[2].tokens]


def test_texts_come_with_what_goes_with_them(nlp: Pipeline) -> None:
    pairs = list(nlp.pipe(zip(TEXTS, itertools.count(7)), as_tuples=True))
    assert [(document.text, context) for document, context in pairs] == [
        (text, 7 + i) for i, text in enumerate(TEXTS)
    ]
    with pytest.raises(OptionError, match=r"text 0 .*not a pair"):
        list(nlp.pipe(TEXTS, as_tuples=True))  # type: ignore[call-overload]


@pytest.mark.parametrize("jobs", [1, 2])
def test_few_texts_are_taken_beforehand(nlp: Pipeline, jobs: int) -> None:
    taken = itertools.count()
    endless = (f"Dogs bark {next(taken)} times." for _ in itertools.count())
    documents = nlp.pipe(endless, batch_size=3, jobs=jobs)
    assert next(taken) == 0
    assert [next(documents).text for _ in range(4)][-1] == "Dogs bark 4 times."
    assert next(taken) <= 3 * (2 * jobs + 2)


@pytest.mark.parametrize("batch_size", [1, 3, 1000])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_text_is_named_and_takes_no_other_with_it(nlp: Pipeline, batch_size: int, jobs: int) -> None:
    documents = nlp.pipe(BAD, batch_size=batch_size, jobs=jobs)
    assert next(documents).text == "Dogs bark."
    with pytest.raises(TextError, match=r"text 1 \(counted from 0\): character 2 .* is '\\x00'"):
        next(documents)
    with pytest.warns(SkippedTextWarning) as warned:
        kept = texts_of(nlp.pipe(BAD, errors="skip", batch_size=batch_size, jobs=jobs))
    assert kept == ["Dogs bark.", "Cats purr.", "Go on."]
    messages = [str(warning.message) for warning in warned]
    assert [message.split(" ")[2] for message in messages] == ["1", "3", "4", "5"]
    assert "text 3 (counted from 0) is None, and a text is a str" in messages[1]
    assert "is bytes, and a text is a str: decode it" in messages[2]


def test_contexts_of_bad_texts_go_with_them(nlp: Pipeline) -> None:
    with pytest.warns(SkippedTextWarning):
        kept = list(nlp.pipe(zip(BAD, "abcdefg", strict=True), as_tuples=True, errors="skip"))
    assert [context for _, context in kept] == ["a", "c", "g"]


def test_bad_characters_are_replaced_one_by_one(nlp: Pipeline) -> None:
    bad = [text for text in BAD if isinstance(text, str)]
    documents = list(nlp.pipe(bad, errors="replace"))
    assert [d.text for d in documents] == ["Dogs bark.", "Ha\ufffdrd.", *BAD[2:3], "\ufffd flies.", "Go on."]
    for document in [*documents, nlp("Ha\0rd.", errors="replace")]:
        for token in document.tokens:
            assert document.text[token.start : token.end] == token.form
    with pytest.raises(TextError, match=r"text 3 .*None"):
        list(nlp.pipe(BAD[:4], errors="replace"))


def test_a_function_is_asked_what_becomes_of_a_bad_text(nlp: Pipeline) -> None:
    asked = []

    def instead(number: int, text: Any, error: ArcwiseError) -> Document | None:
        asked.append((number, text, type(error)))
        return nlp("Gone.") if text is None else None

    assert texts_of(nlp.pipe(BAD, errors=instead)) == ["Dogs bark.", "Cats purr.", "Gone.", "Go on."]
    assert asked == [(n, BAD[n], TextError) for n in (1, 3, 4, 5)]


def test_a_text_that_cannot_be_parsed_takes_no_other_with_it(nlp: Pipeline) -> None:
    def hard(sentence: arcwise.Sentence) -> Constraints | None:
        return Constraints(heads={1: 99}) if sentence[0].form == "Cats" else None

    with pytest.warns(SkippedTextWarning, match=r"text 1 \(counted from 0\): "):
        kept = texts_of(nlp.pipe(["Dogs bark.", "Cats purr.", "Go."], errors="skip", constraints=hard))
    assert kept == ["Dogs bark.", "Go."]
    with pytest.raises(ArcwiseError, match="text 0 "):
        list(nlp.pipe(["Cats purr."], constraints=hard))


def test_whoever_makes_the_texts_may_fail(nlp: Pipeline) -> None:
    def failing() -> Iterator[str]:
        yield from TEXTS
        raise LookupError("no more")

    for jobs in (1, 2):
        documents = nlp.pipe(failing(), jobs=jobs)
        assert [next(documents).text for _ in TEXTS] == TEXTS
        with pytest.raises(LookupError, match="no more"):
            next(documents)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"errors": "ignore"}, r"raise, skip, replace or a function \(errors\), not 'ignore'"),
        ({"batch_size": 0}, "batch_size"),
        ({"jobs": 0}, "jobs"),
    ],
)
def test_options_are_checked_before_a_text_is_asked_for(
    nlp: Pipeline, options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(OptionError, match=reason):
        nlp.pipe(TEXTS, **options)
    with pytest.raises(OptionError, match="nlp"):
        nlp.pipe("Dogs bark.")


def test_options_of_parsing_are_no_texts_fault(nlp: Pipeline) -> None:
    with pytest.raises(OptionError, match="beam"):
        list(nlp.pipe(TEXTS, errors="skip", beam=-1))


@pytest.mark.parametrize("text", [None, b"Dogs", 3, "a\0b", "\udcff"])
def test_what_is_no_text_is_told_in_a_sentence(nlp: Pipeline, text: Any) -> None:
    with pytest.raises(TextError, match=r"^<text>(:| is) "):
        nlp(text)


@pytest.mark.parametrize(
    "text", ["\ufeffDogs bark.", "\ufeff \n Dogs bark. ", "\ufeff\ufeffDogs", "\ufeff", "don't"]
)
def test_the_text_of_a_document_is_what_was_given(nlp: Pipeline, text: str) -> None:
    for document in (nlp(text), *nlp.pipe([text])):
        assert document.text == text
        assert arcwise.text.rebuild(document.treebank) in (text, "")
        again = Document.from_json(document.to_json())
        for token in [*document.tokens, *again.tokens]:
            assert document.text[token.start : token.end].strip() in (token.form, "don't", "\ufeffDogs")
    ranged = nlp.demand("segmenter").segment(text, ranges=True)
    assert [token.start for words in ranged for token in words] == [token.start for token in nlp(text).tokens]
