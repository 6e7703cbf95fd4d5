"""A model that learns from what was checked, in the background, while people go on.

The model before stays: the new one is another, which is used from then on, and one can go back.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from arcwise.annotate import marks
from arcwise.annotate.lines import HEAD, Block
from arcwise.annotate.project import Shelf
from arcwise.annotate.refusals import RefusedEditError
from arcwise.annotate.tree_file import TreeFile
from arcwise.errors import ArcwiseError
from arcwise.pipeline import Pipeline
from arcwise.pipeline_updating import PipelineUpdate, Scores, scores
from arcwise.treebank import Treebank

HELD_OUT = 5
"""Of so many checked sentences one is not learnt, but tells what was won."""
LEAST_TO_HOLD_OUT = 10
MOST_WORSE = 50
MOST_KEPT = 5
"""Models that were taught, of which the oldest are let go."""


class _CancelledError(Exception):
    pass


@dataclass(frozen=True)
class Lesson:
    """A sentence that somebody has checked."""

    block: Block
    file: str = ""
    key: str = ""


@dataclass
class Teaching:
    """One run, and how far it is."""

    state: str = "idle"
    phase: str | None = None
    step: int = 0
    of: int = 0
    learnt: int = 0
    held_out: int = 0
    error: str | None = None
    model: str | None = None
    before_model: str | None = None
    before: dict[str, float | None] | None = None
    after: dict[str, float | None] | None = None
    worse: list[dict[str, Any]] = field(default_factory=list)
    better: int = 0
    notes: list[str] = field(default_factory=list)


class Teacher:
    """Teaches the model that is used, one run at a time."""

    def __init__(self, shelf: Shelf, threads: int = 1) -> None:
        self._shelf = shelf
        self._threads = threads
        self._lock = threading.Lock()
        self._cancel = threading.Event()
        self._thread: threading.Thread | None = None
        self._now = Teaching()
        self._number = 0

    @property
    def is_running(self) -> bool:
        return self._now.state == "running"

    def told(self) -> dict[str, Any]:
        return asdict(self._now)

    def wait(self, seconds: float | None = None) -> None:
        """Until the run that there is has ended."""
        if self._thread is not None:
            self._thread.join(seconds)

    def cancel(self) -> None:
        """Ends a run soon; the model stays the one that it was."""
        self._cancel.set()

    def begin(
        self, lessons: Sequence[Lesson], test: Sequence[Lesson] | None = None, replay: Treebank | None = None
    ) -> None:
        """Learns from sentences."""
        pipeline, name = self._shelf.pipeline, self._shelf.model
        if pipeline is None or name is None:
            raise RefusedEditError("teach", "There is no model to teach: start arcwise with --model.")
        if not lessons:
            raise RefusedEditError(
                "teach", "No sentence is checked yet: check some, and the model can learn them."
            )
        with self._lock:
            if self.is_running:
                raise RefusedEditError("teach", "The model is learning already: wait for it, or cancel it.")
            self._cancel.clear()
            self._now = Teaching("running", "reading", before_model=name)
            arguments = (self._now, pipeline, name, list(lessons), test, replay)
            self._thread = threading.Thread(target=self._run, args=arguments, daemon=True)
            self._thread.start()

    def _run(self, now: Teaching, pipeline: Pipeline, name: str, *given: Any) -> None:
        try:
            made = self._teach(now, pipeline, *given)
            if self._cancel.is_set():
                raise _CancelledError
            self._keep(made, name, now)
            now.phase, now.state = None, "done"
        except _CancelledError:
            now.phase, now.state = None, "cancelled"
        except ArcwiseError as error:
            now.error, now.phase, now.state = str(error), None, "failed"
        except Exception as error:  # memory, for instance: the model is as it was
            now.error = f"Learning failed ({type(error).__name__}): the model is as it was."
            now.phase, now.state = None, "failed"

    def _teach(
        self,
        now: Teaching,
        pipeline: Pipeline,
        lessons: list[Lesson],
        test: list[Lesson] | None,
        replay: Treebank | None,
    ) -> Pipeline:
        lessons, test = divided(lessons, test)
        lessons = _known(lessons, pipeline, now)
        now.learnt, now.held_out = len(lessons), len(test)
        update = PipelineUpdate(
            pipeline,
            treebank_of(lessons),
            replay=replay,
            test=treebank_of(test) if test else None,
            threads=self._threads,
        )
        now.phase = "learning"
        for run in update.runs():

            def on_step(epoch: int, words: int, run: Any = run) -> None:
                now.step, now.of = (epoch - 1) * run.words + words, run.planned * run.words
                self._demand_going_on()

            for _ in run.epochs(on_step):
                self._demand_going_on()
        now.phase = "comparing"
        made = update.pipeline()
        now.notes += update.notes
        if test:
            self._compare(now, pipeline, made, test)
        else:
            now.notes.append(
                f"Nothing was held out to compare: check {LEAST_TO_HOLD_OUT} sentences or name a test file."
            )
        return made

    def _demand_going_on(self) -> None:
        if self._cancel.is_set():
            raise _CancelledError

    def _compare(self, now: Teaching, old: Pipeline, new: Pipeline, test: list[Lesson]) -> None:
        gold = treebank_of(test)
        before: Scores = scores(old, gold, threads=self._threads)
        now.before = asdict(before)
        self._demand_going_on()
        now.after = asdict(scores(new, gold, threads=self._threads))
        wrong = [_wrong(model, gold, self._threads) for model in (old, new)]
        for lesson, was, is_ in sorted(zip(test, *wrong, strict=True), key=lambda one: one[1] - one[2]):
            if is_ < was:
                now.better += 1
            elif is_ > was and len(now.worse) < MOST_WORSE:
                block = lesson.block
                now.worse.append(
                    {
                        "file": lesson.file,
                        "key": lesson.key,
                        "sent_id": block.comment("sent_id"),
                        "text": (block.comment("text") or "")[:200],
                        "before": was,
                        "after": is_,
                    }
                )

    def _keep(self, made: Pipeline, name: str, now: Teaching) -> None:
        shelf = self._shelf
        with self._lock:
            base = name.partition("+")[0]
            taught = [one for one in shelf.pipelines if "+" in one]
            for old in taught[: max(0, len(taught) - MOST_KEPT + 1)]:
                if old != name:
                    del shelf.pipelines[old]
            self._number += 1
            now.model = f"{base}+{self._number}"
            shelf.pipelines[now.model] = made
            shelf.model = now.model


def checked(file: TreeFile) -> list[Lesson]:
    """The checked sentences of a file with a whole tree, without marks."""
    return [one for one in sentences_of(file) if marks.is_checked(one.block) and is_whole(one.block)]


def sentences_of(file: TreeFile) -> list[Lesson]:
    with file.lock:
        given = list(zip(file.keys, file.blocks, strict=True))
    found = []
    for key, data in given:
        try:
            found.append(Lesson(Block.from_bytes(data, file.format), file.name, str(key)))
        except ArcwiseError:
            continue
    return found


def is_whole(block: Block) -> bool:
    return all(row[HEAD].isdigit() for row in block.words)


def treebank_of(lessons: Sequence[Lesson]) -> Treebank:
    blocks = [marks.without_marks(lesson.block) for lesson in lessons]
    data = b"".join(block.to_bytes().rstrip(b"\r\n") + b"\n\n" for block in blocks)
    format = blocks[0].format if blocks else "conllu"
    return Treebank.from_string(data, format=format, source="the checked sentences")


def divided(lessons: list[Lesson], test: list[Lesson] | None) -> tuple[list[Lesson], list[Lesson]]:
    """What is learnt and what is held out: the same sentences whenever they are asked for."""
    if test is not None:
        return lessons, test
    if len(lessons) < LEAST_TO_HOLD_OUT:
        return lessons, []
    held = [lesson for lesson in lessons if _is_held_out(lesson.block)]
    learnt = [lesson for lesson in lessons if not _is_held_out(lesson.block)]
    return (learnt, held) if held and learnt else (lessons, [])


def _is_held_out(block: Block) -> bool:
    forms = "\t".join(row[1] for row in block.words)
    return zlib.crc32(forms.encode()) % HELD_OUT == 0


def _known(lessons: list[Lesson], pipeline: Pipeline, now: Teaching) -> list[Lesson]:
    """Those whose labels the parser has: an update brings no new ones."""
    if pipeline.parser is None:
        return lessons
    known = {"_", *pipeline.parser.info.label_names}
    unknown = [row[7] for lesson in lessons for row in lesson.block.words if row[7] not in known]
    kept = [lesson for lesson in lessons if all(row[7] in known for row in lesson.block.words)]
    if unknown:
        now.notes.append(
            f"{len(lessons) - len(kept)} sentences were left out, with labels that the parser does not know "
            f"({', '.join(sorted(set(unknown))[:5])}): to have them, train a parser on a treebank with them."
        )
    if not kept:
        raise RefusedEditError("teach", "All checked sentences have labels that the parser does not know.")
    return kept


def _wrong(pipeline: Pipeline, gold: Treebank, threads: int) -> list[int]:
    """Of each sentence, the words whose head, label or tag is wrong."""
    system = pipeline.annotated(gold, threads=threads)
    has_tagger = pipeline.tagger is not None
    return [
        sum(
            (a.head, a.deprel) != (b.head, b.deprel) or (has_tagger and a.upos != b.upos)
            for a, b in zip(one, other, strict=True)
        )
        for one, other in zip(gold, system, strict=True)
    ]
