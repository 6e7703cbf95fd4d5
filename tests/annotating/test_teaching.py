"""A model that learns what was checked, and the way back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from annotating.project import GARDEN
from arcwise import Pipeline, Treebank
from arcwise.annotate import Project, RefusedEditError
from arcwise.annotate import teaching as teaching_module
from arcwise.annotate.desk import Desk
from arcwise.annotate.marks import without_marks
from arcwise.annotate.teaching import Lesson, Teacher, checked, divided
from arcwise.models import load
from arcwise.pipeline_updating import PipelineUpdate

LIKES = "{n}\t{form}\t{lemma}\t{tag}\t_\t_\t{head}\t{label}\t_\t_"
NAMES = ("Anna", "Ben", "Ruth", "Tom", "Emma", "Paul", "Mary", "John", "Kate", "Mark", "Lucy", "Dan")


def sentence(name: str, number: int) -> str:
    """One in which “garden” is, as nobody would have it, the subject's apposition."""
    words = [
        ("The", "the", "DET", 3, "det"),
        (name, name, "PROPN", 3, "compound"),
        ("garden", "garden", "NOUN", 4, "nsubj"),
        ("sleeps", "sleep", "VERB", 0, "root"),
        ("tonight", "tonight", "NOUN", 4, "discourse"),
        (".", ".", "PUNCT", 4, "punct"),
    ]
    lines = [
        LIKES.format(n=n, form=form, lemma=lemma, tag=tag, head=head, label=label)
        for n, (form, lemma, tag, head, label) in enumerate(words, 1)
    ]
    text = " ".join(word[0] for word in words)
    return f"# sent_id = s{number}\n# text = {text}\n# checked = yes\n" + "\n".join(lines) + "\n\n"


@cache
def model() -> Pipeline:
    return load("en-fast")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    texts = [sentence(name, number) for number, name in enumerate(NAMES)]
    (tmp_path / "a.conllu").write_text("".join(texts))
    made = Desk(Project([tmp_path], {"en-fast": model()}))
    yield made
    made.finish()


def test_what_was_corrected_is_right_in_a_new_sentence_and_the_old_model_stays(desk: Desk) -> None:
    new = Treebank.from_words([["The", "Smith", "garden", "sleeps", "tonight", "."]])
    before = [token.deprel for token in model().parse(new)[0]]
    assert before[4] != "discourse"
    assert desk.teach({})["state"] == "running"
    desk.teacher.wait(120)
    told = desk.teacher.told()
    assert told["state"] == "done", told
    assert told["learnt"] + told["held_out"] == len(NAMES) and told["held_out"] >= 1
    assert told["after"]["las"] > told["before"]["las"] and told["worse"] == []
    assert told["model"] == "en-fast+1" == desk.project.model
    assert desk.project.pipeline is not None
    assert [token.deprel for token in desk.project.pipeline.parse(new)[0]][4] == "discourse"
    desk.use({"use": "en-fast"})
    assert [token.deprel for token in desk.project.pipeline.parse(new)[0]] == before
    assert desk.overview()["model"]["models"] == ["en-fast", "en-fast+1"]


def test_learning_is_cancelled_and_nothing_has_changed(desk: Desk) -> None:
    desk.teach({})
    with pytest.raises(RefusedEditError, match="learning already"):
        desk.teach({})
    desk.teacher.cancel()
    desk.teacher.wait(120)
    assert desk.teacher.told()["state"] == "cancelled"
    assert desk.project.model == "en-fast" and list(desk.project.pipelines) == ["en-fast"]
    desk.teach({})  # and can begin again


def test_an_error_is_told_and_the_model_is_as_it_was(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: PipelineUpdate) -> None:
        raise MemoryError

    monkeypatch.setattr(PipelineUpdate, "runs", fail)
    desk.teach({})
    desk.teacher.wait(60)
    told = desk.teacher.told()
    assert told["state"] == "failed" and "MemoryError" in told["error"] and desk.project.model == "en-fast"


def test_only_checked_sentences_are_learnt_and_unknown_labels_are_left_out(tmp_path: Path) -> None:
    odd = sentence("Zoe", 99).replace("discourse", "nonsense")
    free = sentence("Max", 98).replace("# checked = yes\n", "")
    (tmp_path / "a.conllu").write_text(sentence("Anna", 1) + odd + free)
    project = Project([tmp_path], {"en-fast": model()})
    lessons = checked(project.file("a.conllu"))
    assert [lesson.block.comment("sent_id") for lesson in lessons] == ["s1", "s99"]
    teacher = Teacher(project)
    teacher.begin(lessons)
    teacher.wait(120)
    told = teacher.told()
    assert told["state"] == "done" and told["learnt"] == 1
    assert any("nonsense" in note for note in told["notes"])


def test_there_must_be_something_to_learn(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text((GARDEN / "dev.conllu").read_text())
    with pytest.raises(RefusedEditError, match="checked"):
        Desk(Project([tmp_path], {"en-fast": model()})).teach({})
    with pytest.raises(RefusedEditError, match="no model"):
        Desk(Project([tmp_path])).teach({})


def test_the_same_sentences_are_held_out_again(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("".join(sentence(name, 1) for name in NAMES))
    lessons = checked(Project([tmp_path]).file("a.conllu"))
    learnt, held = divided(lessons, None)
    fewer, held_of_fewer = divided(lessons[1:], None)
    assert learnt and held and len(learnt) + len(held) == len(lessons)
    assert {one.block for one in held_of_fewer} <= {one.block for one in held}
    assert {one.block for one in fewer} <= {one.block for one in learnt}


def test_models_that_were_taught_long_ago_are_let_go(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Teacher, "_teach", lambda self, now, pipeline, *given: pipeline)
    [lesson, *_] = checked(desk.project.file("a.conllu"))
    for _ in range(teaching_module.MOST_KEPT + 2):
        desk.teacher.begin([Lesson(without_marks(lesson.block))])
        desk.teacher.wait(120)
        assert desk.teacher.told()["state"] == "done"
    assert len(desk.project.pipelines) <= teaching_module.MOST_KEPT + 1
    assert "en-fast" in desk.project.pipelines and desk.project.model in desk.project.pipelines
