"""Searching for patterns of trees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotating.blocks import HUSH, ROSES, TEA
from arcwise.annotate import TreeFile
from arcwise.annotate.patterns import PatternError, read, search
from arcwise.annotate.snapshots import Snapshot, Snapshots


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    path = tmp_path / "a.conllu"
    path.write_text(HUSH + ROSES + TEA)
    return Snapshots().of(TreeFile(path, path.name))


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("now", {1: [2]}),
        ("form=now", {1: [2]}),
        ('"now"', {1: [2]}),
        ("upos=VERB", {1: [1], 2: [4], 3: [2]}),
        ("upos=VERB >nsubj", {2: [4], 3: [2]}),
        ("upos=VERB !>nsubj", {1: [1]}),
        ("upos=VERB >obj (roses >amod red)", {2: [4]}),
        ("upos=VERB >obj (roses >amod blue)", {}),
        ("upos=VERB >obj roses >nsubj upos=PRON", {2: [4]}),
        ("upos=VERB >obj upos=NOUN >nsubj Anna", {3: [2]}),
        ("<amod roses", {2: [5]}),
        ("upos=ADJ <amod (upos=NOUN <obj sell)", {2: [5]}),
        ("> upos=ADJ", {2: [6]}),
        ("!<", {1: [1], 2: [4], 3: [2]}),
        ("upos=NOUN !>", {3: [3, 6]}),
        ("Number=Plur", {2: [6]}),
        ("Number!=Plur upos=NOUN", {3: [3, 6]}),
        ("feats=Number=Plur", {2: [6]}),
        ("misc=SpaceAfter=No upos=NOUN", {2: [6], 3: [6]}),
        ("lemma=s*l", {2: [4]}),
        ("form=*e* upos=VERB|PRON", {2: [1, 4], 3: [2]}),
        ("deprel=conj|obj", {2: [6], 3: [3, 5]}),
        (">conj|obj", {2: [4], 3: [2]}),
        ("id=2 upos=VERB", {3: [2]}),
        ("upos!=VERB|PUNCT|NOUN id=1", {2: [1], 3: [1]}),
        ("xpos=_ id=1", {1: [1], 2: [1], 3: [1]}),
    ],
)
def test_patterns_find_what_they_say(snapshot: Snapshot, pattern: str, found: dict[int, list[int]]) -> None:
    assert search(pattern, snapshot) == found


@pytest.mark.parametrize(
    ("pattern", "at"),
    [
        ("", 0),
        ("(a)", 0),
        ("a >b (c", 2),
        ("a)", 1),
        ("a > b (c)", 6),
        ('a "b', 2),
        ("x" * 2000, 1000),
    ],
)
def test_what_is_no_pattern_is_refused_with_its_place(pattern: str, at: int) -> None:
    with pytest.raises(PatternError) as found:
        read(pattern)
    assert found.value.more == {"at": at}


def test_a_pattern_takes_time_in_proportion_to_its_length(snapshot: Snapshot) -> None:
    assert search("form=" + "*a" * 200 + "*", snapshot) == {}
    with pytest.raises(PatternError, match="at most 30 words"):
        read("a" + " >b" * 40)
    assert search("upos=VERB" + " >obj" * 20, snapshot) == {2: [4], 3: [2]}


def test_the_syntax_in_the_documentation_can_be_read() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "annotate.md"
    patterns = re.findall(
        r"^\| `([^`]+)` \|", page.read_text().partition("## Search")[2].partition("\n## ")[0], re.M
    )
    assert len(patterns) >= 6
    for pattern in patterns:
        read(pattern.replace("\\|", "|"))
