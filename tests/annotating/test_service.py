"""The service of `arcwise annotate`: who may change what, and what two tabs are told."""

from __future__ import annotations

import os
import random
import re
import signal
import threading
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from annotating.blocks import HUSH
from annotating.project import PREFIX, Client, annotating, edit_of, garden
from arcwise import Treebank
from arcwise.annotate import TreeFile, tree_file
from arcwise.errors import OptionError
from arcwise.serve.settings import Settings
from serving.service import ask, command, running

KILLS = int(os.environ.get("ARCWISE_KILLS", "5"))
"""How often the server is killed."""


def lemma(value: str, word: int = 1) -> dict[str, Any]:
    return {"op": "set", "word": word, "field": "lemma", "value": value}


def test_a_project_is_there_only_if_it_was_given(tmp_path: Path) -> None:
    with running() as service:
        assert service.ask(PREFIX).status == 404
    with pytest.raises(OptionError, match="one process"):
        Settings(project=(str(tmp_path),), processes=2)


def test_what_changes_something_needs_the_token(tmp_path: Path) -> None:
    path = garden(tmp_path)
    before = path.read_bytes()
    with annotating(tmp_path) as (client, service):
        state = client.state("a.conllu", "1")
        body = edit_of(state, lemma("x"))
        for headers in ({}, {"X-Arcwise-Token": "x" * 43}):
            for name in ("edit", "undo", "read", "list", "close", "take", "teach", "model", "export"):
                answer = ask(service.port, f"{PREFIX}/{name}", body, headers=headers)
                assert (answer.status, answer.json["kind"]) == (403, "token")
        token = {"X-Arcwise-Token": client.token}
        for headers in (
            {"Origin": "https://evil.example"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Host": "evil.example"},
        ):
            assert ask(service.port, f"{PREFIX}/edit", body, headers={**token, **headers}).status == 403
            assert ask(service.port, PREFIX, headers=headers).status == 403
        answer = ask(service.port, f"{PREFIX}/edit", b"{}", headers={**token, "Content-Type": "text/plain"})
        assert answer.status == 415
    assert path.read_bytes() == before


def test_a_correction_is_answered_with_the_new_tree_and_its_picture(tmp_path: Path) -> None:
    garden(tmp_path)
    with annotating(tmp_path) as (client, _):
        state = client.state("a.conllu", "1", drawing={"width": 900})
        assert state["drawing"]["rows"] and state["sentence"]["tokens"][0]["deprel_prob"] > 0
        made = client.edit(state, lemma("x"), drawing={"width": 900})
        [now] = made["sentences"]
        assert now["fixed"] == {"1": ["lemma"]} and now["version"] != state["version"] and now["drawing"]
        assert made["file"]["undo"] == {"change": 1, "what": "lemma of 1"} and made["file"]["saved"]
        back = client.done("undo", {"file": "a.conllu", "change": 1})
        assert back["sentences"][0]["version"] == state["version"]


def test_the_rest_of_a_models_tree_follows_and_a_persons_does_not(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(
        "".join(
            f"{i}\t{form}\t_\t_\t_\t_\t_\t_\t_\t_\n"
            for i, form in enumerate(["I", "saw", "the", "man", "with", "a", "hat"], 1)
        )
        + "\n"
    )
    garden(tmp_path, "b.conllu")
    with annotating(tmp_path) as (client, _):
        state = client.state("a.conllu", "1")
        assert state["proposed"] and state["follows"] and state["sentence"]["tokens"][1]["upos"] == "VERB"
        assert "VERB" not in (tmp_path / "a.conllu").read_text()
        made = client.edit(state, {"op": "head", "word": 4, "head": 7})["sentences"][0]
        tokens = made["sentence"]["tokens"]
        assert tokens[3]["head"] == 7 and made["parsed_by"] == "en-fast" and not made["proposed"]
        assert tokens[6]["head"] == 2, "hat takes the place of man"
        assert tokens[2]["head"] == 4
        other = client.state("b.conllu", "4")
        assert not other["follows"]
        before = {token["id"]: token["head"] for token in other["sentence"]["tokens"]}
        made = client.edit(other, {"op": "head", "word": 1, "head": 8})["sentences"][0]
        after = {token["id"]: token["head"] for token in made["sentence"]["tokens"]}
        assert after == {**before, 1: 8}


def test_arcs_that_the_parser_cannot_build_are_kept(tmp_path: Path) -> None:
    garden(tmp_path)
    with annotating(tmp_path) as (client, _):
        state = client.state("a.conllu", "4")
        crossing = [{"op": "head", "word": 1, "head": 5}, {"op": "head", "word": 4, "head": 8}]
        made = client.edit(state, *crossing, reparse=True)["sentences"][0]
        heads = {token["id"]: token["head"] for token in made["sentence"]["tokens"]}
        assert heads[1] == 5 and heads[4] == 8 and made["left_by_hand"]
        Treebank.from_string(made["conllu"])[0].check()


def test_two_tabs_do_not_overwrite_each_other(tmp_path: Path) -> None:
    garden(tmp_path)
    with annotating(tmp_path) as (client, service):
        other = Client(service.port)
        state = client.state("a.conllu", "2")
        client.edit(state, lemma("mine"))
        answer = other.post("edit", edit_of(state, lemma("yours", 2)))
        assert answer.status == 409
        told = answer.json
        assert told["kind"] == "conflict"
        assert told["current"]["sentence"]["tokens"][0]["lemma"] == "mine"
        assert told["yours"]["sentence"]["tokens"][1]["lemma"] == "yours"
        assert told["yours"]["sentence"]["tokens"][0]["lemma"] != "mine"
        whole = {"op": "replace", "conllu": told["yours"]["conllu"]}
        kept = other.edit(told["current"], whole)["sentences"][0]
        assert kept["conllu"] == told["yours"]["conllu"]
        answer = client.post("undo", {"file": "a.conllu", "change": 1})
        assert (answer.status, answer.json["kind"]) == (409, "history")


def test_a_file_that_was_changed_elsewhere_is_told_and_kept(tmp_path: Path) -> None:
    path = garden(tmp_path)
    with annotating(tmp_path) as (client, _):
        client.edit(client.state("a.conllu", "2"), lemma("mine"))
        theirs = path.read_bytes() + HUSH.encode()
        path.write_bytes(theirs)
        answer = client.post("edit", edit_of(client.state("a.conllu", "1"), lemma("more")))
        assert (answer.status, answer.json["kind"]) == (409, "file_changed")
        assert [one["disk"] for one in answer.json["differences"]] == [HUSH]
        assert path.read_bytes() == theirs
        told = client.done("resolve", {"file": "a.conllu", "take": "merge"})
        assert told["left"] == [] and told["file"]["conflict"] is None
        assert path.read_bytes() == theirs


def test_sentences_are_split_joined_and_the_file_still_reads(tmp_path: Path) -> None:
    path = garden(tmp_path)
    before = path.read_bytes()
    with annotating(tmp_path) as (client, _):
        made = client.edit(client.state("a.conllu", "4"), {"op": "split_sentence", "word": 4})
        assert (
            made["changed"] == ["4"]
            and len(made["added"]) == 1
            and made["moved"][0] == {"key": "5", "index": 5}
        )
        first, second = made["sentences"]
        following = {"key": second["key"], "version": second["version"]}
        made = client.edit(first, {"op": "join_sentence"}, next=following)
        assert made["removed"] == [second["key"]]
        Treebank.read(path)
        client.done("close", {"file": "a.conllu", "to": "first"})
    assert path.read_bytes() == before


def test_a_service_that_is_stopped_writes_what_is_not_written_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_file, "SMALL", 10)
    monkeypatch.setattr(tree_file, "SOON", 60.0)
    path = garden(tmp_path)
    before = path.read_bytes()
    with annotating(tmp_path) as (client, _):
        made = client.edit(client.state("a.conllu", "1"), lemma("late"))
        assert not made["file"]["saved"] and path.read_bytes() == before
    assert b"late" in path.read_bytes()


def test_lists_searches_and_completions(tmp_path: Path) -> None:
    garden(tmp_path, part="train")
    with annotating(tmp_path) as (client, _):
        found = client.done("list", {"file": "a.conllu", "search": "upos=VERB >nsubj dog", "count": 2})
        assert (
            found["total"] == 4 and len(found["sentences"]) == 2 and found["sentences"][0]["matches"] == [3]
        )
        answer = client.post("list", {"file": "a.conllu", "search": "(dog"})
        assert (answer.status, answer.json["kind"], answer.json["at"]) == (422, "pattern", 0)
        rarest = client.done("list", {"file": "a.conllu", "order": "rarest"})["sentences"]
        scores = [one["score"] for one in rarest]
        assert scores == sorted(scores, reverse=True)
        while not (found := client.done("list", {"file": "a.conllu", "order": "suggest"}))["ready"]:
            pass
        scores = [one["score"] for one in found["sentences"]]
        assert None not in scores and scores == sorted(scores, reverse=True)
        values = client.done("complete", {"file": "a.conllu", "key": "1", "word": 2, "field": "deprel"})[
            "values"
        ]
        assert values[0]["value"] == "nsubj" and values[0]["prob"] > 0.9 and len(values) > 20
        values = client.done(
            "complete", {"file": "a.conllu", "key": "1", "word": 2, "field": "upos", "prefix": "v"}
        )["values"]
        assert [one["value"] for one in values] == ["VERB"]


def test_two_annotations_are_compared_and_one_side_is_taken(tmp_path: Path) -> None:
    garden(tmp_path)
    garden(tmp_path, "b.conllu")
    with annotating(tmp_path) as (client, _):
        client.edit(client.state("b.conllu", "4"), {"op": "head", "word": 1, "head": 8, "deprel": "dep"})
        found = client.done("agreement", {"left": "a.conllu", "right": "b.conllu"})
        [difference] = found["differences"]
        assert difference["fields"] == ["head", "deprel"] and difference["right"] == {
            "head": 8,
            "deprel": "dep",
        }
        assert found["figures"]["upos_kappa"] == 1.0 and 99 < found["figures"]["uas"] < 100
        sides = {
            "left": "a.conllu",
            "right": "b.conllu",
            "left_key": "4",
            "word": 1,
            "fields": ["head", "deprel"],
        }
        client.done("take", {**sides, "into": "gold.conllu", "side": "right"})
        assert client.done("agreement", {"left": "gold.conllu", "right": "b.conllu"})["total"] == 0
        client.done("take", {**sides, "into": "b.conllu", "side": "left"})
        assert client.done("agreement", {"left": "a.conllu", "right": "b.conllu"})["total"] == 0
        answer = client.post("take", {**sides, "into": "../gold.conllu", "side": "left"})
        assert answer.status == 422
    assert sorted(path.name for path in tmp_path.glob("*.conllu")) == ["a.conllu", "b.conllu", "gold.conllu"]


def test_an_export_has_no_marks(tmp_path: Path) -> None:
    path = garden(tmp_path)
    before = path.read_bytes()
    with annotating(tmp_path) as (client, _):
        token = client.state("a.conllu", "1")["sentence"]["tokens"][0]
        client.edit(
            client.state("a.conllu", "1"), lemma(token["lemma"]), {"op": "fix", "word": 2}, {"op": "check"}
        )
        assert b"Fixed=" in path.read_bytes() and b"# checked = yes" in path.read_bytes()
        assert client.post("export", {"file": "a.conllu"}).body == before
        assert client.post("export", {"file": "a.conllu", "marks": True}).body == path.read_bytes()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("read", {"file": "../a.conllu", "keys": []}),
        ("read", {"file": "/etc/passwd", "keys": []}),
        ("read", {"file": "a.conllu", "keys": ["../1"]}),
        ("read", {"file": "a.conllu", "keys": ["1"] * 51}),
        ("read", {"file": "a.conllu", "keys": [1]}),
        ("edit", {"file": "a.conllu", "key": "1", "version": "x", "operations": [{"op": "check"}] * 201}),
        ("edit", {"file": "a.conllu", "key": "1", "version": "x", "operation": []}),
        ("list", {"file": "a.conllu", "count": 501}),
        ("list", {"file": "a.conllu", "search": "(" * 2000}),
        ("close", {"file": "a.conllu", "to": "nowhere"}),
        ("model", {"use": "none"}),
        ("teach", {}),
        ("teach", {"files": ["/etc/passwd"]}),
        ("undo", []),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(tmp_path: Path, path: str, body: Any) -> None:
    garden(tmp_path)
    with annotating(tmp_path) as (client, _):
        answer = client.post(path, body)
        assert 400 <= answer.status < 500 and answer.json["error"].endswith((".", ")")), answer.body


# --- killed ------------------------------------------------------------------------------------------------


def test_a_server_that_is_killed_in_the_middle_of_edits_loses_nothing(tmp_path: Path) -> None:
    for number in range(KILLS):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = garden(folder)
        told: list[bytes] = [path.read_bytes()]
        with command("--project", str(folder)) as (process, port):
            client = Client(port)
            seconds = random.Random(number).uniform(0.0, 0.6)
            killer = threading.Timer(seconds, process.send_signal, [signal.SIGKILL])
            killer.start()
            try:
                for edit in range(20):
                    value = f"edit{edit}"
                    made = client.edit(client.state("a.conllu", "3"), lemma(value), probabilities=False)
                    assert made["file"]["undo"]["change"] == edit + 1
                    told.append(value.encode())
            except (OSError, HTTPException):
                pass
            process.kill()
            process.wait()
            killer.cancel()
        file = TreeFile(path, "a.conllu")
        has = re.search(rb"edit\d+", file.blocks[2])
        last = len(told) - 1
        allowed = {told[-1] if last else None, f"edit{last}".encode()}
        assert (None if has is None else has[0]) in allowed, (number, told[-1:], has)
        assert path.read_bytes() == b"".join(file.blocks), "the file has what the journal has"
        for _ in range(last):
            file.undo()
        while file.undo_change is not None:
            file.undo()
        assert path.read_bytes() == told[0]
        file.journal.release()
