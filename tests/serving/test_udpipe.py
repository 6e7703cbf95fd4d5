"""UDPipe's REST dialect, against requests and answers written after its documentation."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from arcwise.serve.models import Models
from serving.service import Running, models, running

TEXT = "The dog sleeps.\nIt rains.\n\nCats purr."
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def service():
    with running() as one:
        yield one


def multipart(fields: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    """As UDPipe's own client writes it."""
    lines = []
    for name, value in fields.items():
        lines += [
            "--b0undary",
            f'Content-Disposition: form-data; name="{name}"',
            "Content-Transfer-Encoding: 8bit",
            "Content-Type: text/plain; charset=utf-8",
            "",
            value,
        ]
    body = "\r\n".join([*lines, "--b0undary--", ""]).encode()
    return body, {"Content-Type": 'multipart/form-data; boundary="b0undary"'}


def process(service: Running, **fields: str) -> str:
    """The result, which is the same however the parameters come."""
    body, headers = multipart(fields)
    answers = [
        service.ask("/process", body, headers=headers),
        service.ask("/process", urlencode(fields).encode(), headers=FORM),
        service.ask(f"/process?{urlencode(fields)}"),
    ]
    assert [answer.status for answer in answers] == [200] * 3, answers[0].body
    assert answers[0].body == answers[1].body == answers[2].body
    assert list(answers[0].json) == ["model", "acknowledgements", "result"]
    assert answers[0].json["model"] == "en-fast"
    return answers[0].json["result"]


def columns(result: str, number: int) -> list[str]:
    return [line.split("\t")[number] for line in result.splitlines() if line[:1].isdigit()]


def test_models_are_listed(service: Running):
    expected = {"models": {"en-fast": ["tokenizer", "tagger", "parser"]}, "default_model": "en-fast"}
    assert service.ask("/models").json == expected
    assert service.ask("/models", b"", method="POST").json == expected


def test_the_presence_of_a_parameter_switches_a_component_on(service: Running):
    everything = process(service, data=TEXT, tokenizer="", tagger="", parser="")
    assert everything.startswith("# generator = arcwise")
    assert "# udpipe_model = en-fast\n" in everything and "# sent_id = 1\n" in everything
    assert columns(everything, 3)[:4] == ["DET", "NOUN", "VERB", "PUNCT"]
    assert columns(everything, 6)[:4] == ["2", "3", "0", "3"]
    tagged = process(service, data=TEXT, tokenizer="", tagger="")
    assert columns(tagged, 3) == columns(everything, 3) and set(columns(tagged, 6)) == {"_"}
    trees = process(service, data=TEXT, tokenizer="", parser="")
    assert columns(trees, 6) == columns(everything, 6) and set(columns(trees, 3)) == {"_"}
    words = process(service, data=TEXT, tokenizer="")
    assert columns(words, 1) == columns(everything, 1) and set(columns(words, 3) + columns(words, 6)) == {"_"}


def test_an_answer_is_what_the_pipeline_says(service: Running):
    result = process(service, data=TEXT, tokenizer="", tagger="", parser="")
    own = models().pipelines["en-fast"](TEXT).to_conllu()
    assert result.partition("# newdoc")[2] == own.partition("# newdoc")[2]


def test_tokenizer_options(service: Running):
    lines = process(service, data="the dog\nsleeps", tokenizer="presegmented", output="horizontal")
    assert lines == "the dog\nsleeps\n"
    ranged = process(service, data="Dogs bark.", tokenizer="ranges;presegmented")
    assert columns(ranged, 9)[0] == "TokenRange=0:4"
    assert "SpacesAfter=\\n" in process(service, data=TEXT, tokenizer="")
    plain = process(service, data=TEXT, tokenizer="normalized_spaces")
    assert "Spaces" not in plain and "SpaceAfter=No" in plain


def rows(*words: str) -> str:
    return "".join(f"{number}\t{word}" + "\t_" * 8 + "\n" for number, word in enumerate(words, 1)) + "\n"


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("horizontal", "The dog sleeps .\nNew\u00a0York rains\n"),
        ("vertical", "The\tx\ndog\nsleeps\n.\n\nNew York\nrains\n\n"),
        ("conllu", rows("The", "dog", "sleeps", ".") + rows("New York", "rains")),
    ],
)
def test_inputs_and_outputs(service: Running, kind, data):
    assert process(service, data=data, input=kind, output="horizontal") == (
        "The dog sleeps .\nNew\u00a0York rains\n"
    )
    assert process(service, data=data, input=kind, output="vertical") == (
        "The\ndog\nsleeps\n.\n\nNew York\nrains\n\n"
    )
    assert columns(process(service, data=data, input=kind, tagger="", parser=""), 6)[:4] == [
        "2",
        "3",
        "0",
        "3",
    ]


def test_generic_tokenizer_and_conllu_by_default(service: Running):
    found = process(service, data="Dogs bark.", input="generic_tokenizer", output="horizontal")
    assert found == "Dogs bark .\n"
    assert process(service, data="1\tDogs" + "\t_" * 8 + "\n\n", output="vertical") == "Dogs\n\n"
    assert process(service, data="") == ""


def test_plain_text_has_its_own_white_space(service: Running):
    assert process(service, data=TEXT, tokenizer="", output="plaintext") == TEXT
    normalized = process(service, data=TEXT, tokenizer="", output="plaintext=normalized_spaces")
    assert normalized == "The dog sleeps.\nIt rains.\n\nCats purr.\n"
    paragraphs = process(service, data=TEXT, tokenizer="", output="horizontal=paragraphs")
    assert paragraphs == "The dog sleeps .\nIt rains .\n\nCats purr .\n"


def test_given_tags_are_kept_for_a_parser_alone(service: Running):
    row = "1\tDogs\tdog\tNOUN" + "\t_" * 6 + "\n2\tbark\tbark\tX" + "\t_" * 6 + "\n\n"
    assert columns(process(service, data=row, parser=""), 3) == ["NOUN", "X"]
    assert columns(process(service, data=row, tagger="", parser=""), 3) != ["NOUN", "X"]


def test_a_text_of_many_parts_is_one_result(service: Running):
    text = " ".join(f"Here is sentence {number}." for number in range(1200))
    answer = service.ask("/process", urlencode({"data": text, "tokenizer": ""}).encode(), headers=FORM)
    own = models().pipelines["en-fast"].demand("segmenter").segment(text).to_string()
    assert answer.json["result"].partition("# newdoc")[2] == own.partition("# newdoc")[2]


def test_prefixes_of_names_are_names():
    pipeline = models().pipelines["en-fast"]
    served = Models({"english-ewt-ud-2.15": pipeline, "english-gum": pipeline, "english-ewt": pipeline})
    for name, whole in (
        ("english", "english-ewt-ud-2.15"),
        ("english-ewt-ud", "english-ewt-ud-2.15"),
        ("english-ewt", "english-ewt"),
        ("english-gum", "english-gum"),
    ):
        assert served.find(name)[0] == whole
    for name in ("eng", "english-", "ewt", ""):
        with pytest.raises(Exception, match="There is no model"):
            served.find(name)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "'data'"),
        ({"data": "a", "model": "klingon"}, "no model called 'klingon'"),
        ({"data": "a", "input": "pdf"}, "no input format 'pdf'"),
        ({"data": "a", "tokenizer": "", "output": "matxin"}, "no output format 'matxin'"),
        ({"data": "a", "tokenizer": "fast"}, "no option 'fast'"),
        ({"data": "no columns\n\n"}, "data:1"),
        ({"data": "a\0", "tokenizer": ""}, "no text has"),
    ],
)
def test_errors_are_plain_text_with_400(service: Running, fields, told):
    answer = service.ask("/process", urlencode(fields).encode(), headers=FORM)
    assert answer.status == 400 and told in answer.body.decode()
    assert answer.headers["content-type"].startswith("text/plain")


def test_bodies_that_cannot_be_read(service: Running):
    for body, headers in (
        (b"data=%ff", FORM),
        (b"\xff", FORM),
        (b"--b\r\n", {"Content-Type": "multipart/form-data; boundary=b"}),
        (b"a", {"Content-Type": "multipart/form-data"}),
        (b"a", {"Content-Type": "text/plain"}),
    ):
        answer = service.ask("/process", body, headers=headers)
        assert answer.status == 400, headers
        assert answer.headers["content-type"].startswith("text/plain")
