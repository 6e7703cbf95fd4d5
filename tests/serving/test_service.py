"""The JSON service: what is asked, and what is answered."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from arcwise.serve import parsing
from arcwise.serve.work import Work
from serving.service import SOURCES, Running, ask, command, models, raw, running, wait_until

TEXT = "The dog sleeps. It rains in the garden."


@pytest.fixture(scope="module")
def service():
    with running() as one:
        yield one


def test_a_text_is_parsed_as_the_pipeline_parses_it(service: Running):
    document = models().pipelines["en-fast"](TEXT, probabilities="moves")
    expected = json.loads(document.to_json())
    assert service.parse(TEXT, probabilities=True) == {"model": "en-fast", **expected}


def test_conllu_and_words_are_parsed(service: Running):
    words = service.ask("/api/v1/parse", {"sentences": [["Dogs", "bark"]]}).json
    conllu = "1\tDogs\t_\t_\t_\t_\t_\t_\t_\t_\n2\tbark\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    assert service.ask("/api/v1/parse", {"conllu": conllu}).json == words
    assert [token["head"] for token in words["sentences"][0]["tokens"]] == [2, 0]
    assert words["text"].split() == ["Dogs", "bark"]


def test_a_text_of_many_parts_is_parsed_as_a_whole_and_streamed_in_order(service: Running):
    text = " ".join(f"Here is sentence {number} of a long text." for number in range(600))
    whole = service.parse(text)
    expected = json.loads(models().pipelines["en-fast"](text).to_json())
    assert whole["sentences"] == expected["sentences"]
    answer = service.ask("/api/v1/parse", {"text": text}, headers={"Accept": "application/x-ndjson"})
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert [json.loads(line) for line in answer.body.splitlines()] == whole["sentences"]


def test_conllu_is_streamed(service: Running):
    answer = service.ask("/api/v1/parse", {"text": TEXT}, headers={"Accept": "text/x-conllu"})
    assert answer.body.decode() == models().pipelines["en-fast"](TEXT).to_conllu()


def test_small_texts_that_are_parsed_together_are_parsed_as_alone(service: Running):
    texts = [f"{TEXT} Then comes number {number}." for number in range(20)] + ["", "a\0b", "x " * 1500]
    pipeline = models().pipelines["en-fast"]
    limits = parsing.Limits(1000, 100_000)

    def asked(text: str) -> parsing.Asked:
        request = parsing.requests.Parse(text=text)
        return parsing.Asked(request, "en-fast", pipeline, parsing.JSON, limits)

    together = parsing.parse_together([asked(text) for text in texts])
    for text, found in zip(texts, together, strict=True):
        if text == "a\0b":
            assert isinstance(found, Exception)
        else:
            assert found == parsing.joined(parsing.parse(asked(text)))


def test_requests_that_wait_are_done_together(service: Running, monkeypatch):
    sizes = []
    original = parsing.parse_together
    monkeypatch.setattr(
        parsing, "parse_together", lambda several: sizes.append(len(several)) or original(several)
    )
    begun, held = threading.Event(), threading.Event()
    with running(threads=1) as one:
        monkeypatch.setattr(Work, "_do", _holding(Work._do, begun, held))
        blocker = threading.Thread(target=lambda: one.ask("/api/v1/parse", {"text": "x"}))
        blocker.start()
        assert begun.wait(10)
        answers = []
        rest = [
            threading.Thread(target=lambda n=n: answers.append(one.parse(f"Number {n} runs.")))
            for n in range(5)
        ]
        for thread in rest:
            thread.start()
        wait_until(lambda: len(one.service.work._jobs) == 5)
        held.set()
        for thread in [blocker, *rest]:
            thread.join()
    assert sorted(answer["text"] for answer in answers) == [f"Number {n} runs." for n in range(5)]
    assert 5 in sizes


def _holding(do, begun, held):
    def waits(jobs):
        begun.set()
        held.wait(10)
        do(jobs)

    return staticmethod(waits)


def test_tags_without_trees(service: Running):
    tokens = service.ask("/api/v1/tag", {"text": TEXT}).json["sentences"][0]["tokens"]
    assert [token["upos"] for token in tokens] == ["DET", "NOUN", "VERB", "PUNCT"]
    assert "head" not in tokens[0]


def test_sentences_of_lines(service: Running):
    text = "the dog\nsleeps"
    assert len(service.ask("/api/v1/segment", {"text": text, "lines": True}).json["sentences"]) == 2
    assert "upos" not in service.ask("/api/v1/segment", {"text": text}).json["sentences"][0]["tokens"][0]


def test_the_best_trees_are_ranked(service: Running):
    answer = service.ask(
        "/api/v1/nbest", {"text": "I saw the man with a telescope.", "best": 2, "drawing": {"width": 400}}
    ).json
    trees = answer["sentences"][0]["trees"]
    assert [tree["rank"] for tree in trees] == [1, 2]
    assert trees[0]["prob"] > trees[1]["prob"] > 0
    assert len(answer["drawings"]) == 1 and len(answer["drawings"][0]) == 2


def test_marginals_have_the_heads_of_each_word(service: Running):
    sentence = service.ask("/api/v1/marginals", {"text": "I saw the man with a telescope.", "best": 2}).json[
        "sentences"
    ][0]
    assert sentence["forms"][3] == "man"
    for arcs in sentence["words"]:
        assert 1 <= len(arcs) <= 2
        assert sum(arc["prob"] for arc in arcs) <= 1 + 1e-6
        assert arcs[0]["prob"] == max(arc["prob"] for arc in arcs)


def test_constraints_hold(service: Running):
    words = ["I", "saw", "the", "man", "with", "a", "telescope"]
    for head in (2, 4):
        body = {"sentences": [words], "constraints": [{"heads": {"7": head}, "labels": {"7": "dep"}}]}
        token = service.ask("/api/v1/parse", body).json["sentences"][0]["tokens"][6]
        assert (token["head"], token["deprel"]) == (head, "dep")


def test_constraints_that_no_tree_satisfies_are_told(service: Running):
    bodies = [{"heads": {"1": 2, "2": 1}}, {"heads": {"1": 2}}]
    answer = service.ask("/api/v1/constraints", {"sentences": [["a", "b"]] * 2, "constraints": bodies}).json
    assert [sentence["satisfiable"] for sentence in answer["sentences"]] == [False, True]
    assert "word 1 has head 2" in answer["sentences"][0]["error"]


def test_constraints_of_misc(service: Running):
    row = "{}\t{}\t_\t_\t_\t_\t_\t_\t_\t{}\n"
    conllu = row.format(1, "Dogs", "FixedHead=0") + row.format(2, "bark", "_") + "\n"
    answer = service.ask("/api/v1/parse", {"conllu": conllu, "constraints": "misc"}).json
    assert answer["sentences"][0]["tokens"][0]["head"] == 0


def test_a_drawing_is_that_of_python(service: Running):
    from arcwise.picture import picture

    drawing = service.parse(TEXT, drawing={"width": 300, "columns": ["upos", "lemma"]})["drawings"][0]
    sentence = models().pipelines["en-fast"](TEXT)[0]
    assert drawing == json.loads(
        json.dumps(picture(sentence, columns=["upos", "lemma"], width=300).to_json())
    )


def test_trees_are_drawn_as_they_are_given(service: Running):
    sentences = service.parse(TEXT)["sentences"]
    answer = service.ask("/api/v1/draw", {"sentences": sentences, "answer": ["svg", "conllu"]}).json
    assert answer["svg"].startswith("<svg") and "# text = The dog sleeps." in answer["conllu"]


def test_a_derivation_is_told(service: Running):
    answer = service.ask("/api/v1/trace", {"text": "Dogs bark."}).json
    assert answer["words"] == ["Dogs", "bark", "."] and len(answer["steps"]) >= 6


def test_models_are_described(service: Running):
    answer = service.ask("/api/v1/models").json
    assert answer["default"] == "en-fast"
    assert answer["models"][0]["components"] == ["segmenter", "tagger", "parser"]
    assert answer["models"][0]["calibrated"] is True


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        (b"{", 400, "no JSON"),
        (b"\xff", 400, "UTF-8"),
        (b'{"text": NaN}', 400, "no JSON"),
        (b"[" * 100_000, 400, "nested"),
        ([], 422, "must be an object"),
        ({}, 422, "Give one of text, conllu, sentences"),
        ({"text": "a", "conllu": "b"}, 422, "not several"),
        ({"text": 1}, 422, "“text” must be a text"),
        ({"text": "a\0b"}, 422, "which no text has"),
        ({"text": "a", "beam": 0}, 422, "from 1 to 64"),
        ({"text": "a", "beam": True}, 422, "“beam” must be a whole number"),
        ({"text": "a", "model": "xx"}, 404, "choose one of en-fast"),
        ({"text": "a", "constraints": [{}, {}]}, 422, "constraints for 2 sentences"),
        ({"text": "a", "constraints": "misc"}, 422, "CoNLL-U"),
        ({"text": "a", "constraints": [{"heads": {"x": 1}}]}, 422, "number"),
        ({"conllu": "no columns\n\n"}, 422, "conllu:1"),
        ({"sentences": [[]]}, 422, "“sentences[0]”"),
        ({"text": "a", "drawing": {"width": 1}}, 422, "“drawing.width” must be from 100"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(service: Running, body, status, told):
    headers = {"Content-Type": "application/json"}
    answer = service.ask("/api/v1/parse", body, headers=headers)
    assert answer.status == status
    assert told in answer.json["error"]


def test_what_is_too_large_is_refused():
    with running(max_bytes=2000, max_words=50, max_sentence=20) as one:
        assert one.ask("/api/v1/parse", {"text": "x" * 3000}).status == 413
        # Nobody waits for a body that is declared too large.
        connection = raw(
            one.port,
            b"POST /api/v1/parse HTTP/1.1\r\nHost: localhost\r\n"
            + b"Content-Type: application/json\r\nContent-Length: 99999\r\n\r\n",
        )
        assert connection.recv(100).startswith(b"HTTP/1.1 413")
        answer = one.ask("/api/v1/parse", {"text": "a b c. " * 30})
        assert answer.status == 413 and "at most 50 words" in answer.json["error"]
        assert one.ask("/api/v1/parse", {"sentences": [["a"] * 21]}).status == 413
        cut = one.parse("word " * 45)["sentences"]
        assert max(len(sentence["tokens"]) for sentence in cut) <= 20
        stream = one.ask(
            "/api/v1/parse", {"text": "a b c. " * 30}, headers={"Accept": "application/x-ndjson"}
        )
        assert stream.status == 200
        wait_until(lambda: one.service.work.memory.held == 0)


def test_another_method_another_path_another_kind(service: Running):
    assert service.ask("/api/v1/parse").status == 405
    assert service.ask("/api/v1/parse").headers["allow"] == "POST"
    assert service.ask("/nothing").status == 404
    assert service.ask("/api/v1/parse", b"{}", headers={"Content-Type": "text/plain"}).status == 415


def test_health_readiness_and_metrics(service: Running):
    words = service.metric("arcwise_words_total")
    before = service.metric('arcwise_requests_total{route="/api/v1/parse",status="200"}')
    service.parse("The dog sleeps.")
    assert service.metric("arcwise_words_total") == words + 4
    assert service.metric('arcwise_requests_total{route="/api/v1/parse",status="200"}') == before + 1
    assert service.metric('arcwise_request_seconds_count{route="/api/v1/parse"}') >= before + 1
    assert service.ask("/health").json == {"status": "ok"}
    assert service.ask("/ready").json == {"status": "ready"}


def test_logs_have_no_text_of_users():
    secret = "Zyxwvut"
    with running() as one:
        one.parse(f"{secret} sleeps.")
        one.ask("/api/v1/parse", {"text": "a", secret: 1})
        one.ask(f"/{secret}")
        one.ask(f"/process?data={secret}&model={secret}")
        one.ask("/api/v1/parse", {"conllu": f"{secret}\n\n"})
    # Once the service has ended: an answer is there before its line is.
    lines = [json.loads(line) for line in one.log.getvalue().splitlines()]
    assert [line["status"] for line in lines] == [200, 422, 404, 400, 422]
    assert lines[0]["route"] == "/api/v1/parse" and lines[0]["words"] == 3
    assert secret not in one.log.getvalue()


def test_an_error_of_the_service_is_logged_without_its_message(monkeypatch):
    def fails(asked):
        raise RuntimeError("Zyxwvut")

    monkeypatch.setattr(parsing, "parse", fails)
    with running() as one:
        answer = one.ask("/api/v1/parse", {"text": "a"})
        assert answer.status == 500 and "Zyxwvut" not in answer.body.decode()
    assert '"error": "RuntimeError"' in one.log.getvalue() and "Zyxwvut" not in one.log.getvalue()


def test_the_page_is_served_with_its_kinds_and_tags(service: Running):
    page = service.ask("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert service.ask("/app.js").headers["content-type"] == "text/javascript; charset=utf-8"
    assert service.ask("/", headers={"If-None-Match": page.headers["etag"]}).status == 304
    for path in ("/index.html", "/../settings.py", "/..%2fsettings.py", "/views"):
        assert service.ask(path).status == 404


def test_without_the_extra_the_remedy_is_told():
    code = (
        "import sys; sys.modules['starlette'] = None\n"
        "from arcwise.cli import main; main(['serve', '--port', '0'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env={"PYTHONPATH": str(SOURCES)}, text=True
    )
    assert done.returncode == 1
    assert "pip install 'arcwise[serve]'" in done.stderr and "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_told():
    from arcwise.errors import OptionError
    from arcwise.serve.running import open_socket
    from arcwise.serve.settings import Settings

    with open_socket(Settings(port=0)) as opened:
        port = opened.getsockname()[1]
        with pytest.raises(OptionError, match=f"Port {port} is taken"):
            open_socket(Settings(port=port))


def test_processes_share_the_work_and_a_dead_one_is_replaced_and_all_stop():
    with command("--processes", "2", "--log", "all") as (process, port):

        def parse():
            return ask(port, "/api/v1/parse", {"text": TEXT}).status

        assert [parse() for _ in range(4)] == [200] * 4
        children = _children(process.pid)
        assert len(children) == 2
        os.kill(children[0], signal.SIGKILL)
        wait_until(lambda: len(set(_children(process.pid)) - {children[0]}) == 2)
        assert [parse() for _ in range(4)] == [200] * 4
        metrics = ask(port, "/metrics").body.decode()
        assert 'arcwise_requests_total{route="/api/v1/parse",status="200"} 8' in metrics
        assert "arcwise_restarts_total 1" in metrics
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        for child in children:
            with pytest.raises(ProcessLookupError):
                os.kill(child, 0)


def _children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task/{process}/children")
    if not found.exists():
        pytest.skip("there is no /proc here that tells of processes")
    return [int(number) for number in found.read_text().split()]


def test_what_was_accepted_is_answered_before_the_end():
    text = " ".join(f"Here is sentence {number} of a long text." for number in range(3000))
    with command("--max-words", "1000000") as (process, port):
        answers = []
        asking = threading.Thread(
            target=lambda: answers.append(ask(port, "/api/v1/parse", {"text": text, "beam": 2}, timeout=60))
        )
        asking.start()
        wait_until(lambda: b"arcwise_waiting 1" in ask(port, "/metrics").body)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        asking.join()
        assert answers[0].status == 200 and len(answers[0].json["sentences"]) == 3000
