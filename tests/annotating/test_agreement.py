"""Two annotators: figures by hand, and what cannot be compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotating.blocks import HUSH, ROSES, TEA
from arcwise.annotate import Project
from arcwise.annotate.agreement import Agreement, agreement, kappa


def compared(folder: Path, left: str, right: str) -> Agreement:
    (folder / "l.conllu").write_text(left)
    (folder / "r.conllu").write_text(right)
    project = Project([folder])
    return agreement(project.file("l.conllu"), project.file("r.conllu"))


def test_kappa_is_agreement_beyond_chance() -> None:
    # A textbook table: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: 0.7 observed, 0.5 expected.
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert kappa(pairs) == pytest.approx(0.4)
    assert kappa([]) is None and kappa([("a", "a")]) is None


def test_figures_count_heads_labels_and_tags(tmp_path: Path) -> None:
    other = ROSES.replace("4\tadvmod\t4:advmod", "4\tdiscourse\t4:advmod").replace("6\tamod", "4\tamod")
    figures = compared(tmp_path, ROSES, other.replace("\tADJ\t", "\tNOUN\t")).figures()
    assert figures["words"] == 7 and figures["uas"] == 85.71 and figures["las"] == 71.43
    assert figures["upos"] == 85.71 and figures["upos_kappa"] < 1


def test_sentences_are_paired_by_their_ids_in_any_order(tmp_path: Path) -> None:
    found = compared(tmp_path, HUSH + ROSES, ROSES + TEA)
    assert [pair.left.comment("sent_id") for pair in found.pairs] == ["roses"]
    assert [one["sent_id"] for one in found.unpaired] == ["hush", "tea"]
    assert found.differences() == []


def test_sentences_with_other_words_are_told_and_not_compared(tmp_path: Path) -> None:
    found = compared(tmp_path, HUSH, HUSH.replace("2\tnow", "2\tNow"))
    assert found.pairs == [] and found.unpaired == [{"sent_id": "hush", "why": "The words are not the same."}]
