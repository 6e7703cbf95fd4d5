"""Distillation: what teachers say of moves is what a student learns, and others cannot teach."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise import (
    ModelError,
    OptionError,
    Parser,
    ParserOptions,
    Pipeline,
    Training,
    Treebank,
    TreebankError,
    _core,
    distill,
)
from arcwise.distillation import TaughtText, Teachers
from networks import State
from test_network_learner import STATES, TREEBANK, Reference, Seen, tables
from trained import Interrupted, interrupted_after, model_bytes

GARDEN = Path("examples/garden")
TEACHER = {"epochs": 12, "states": STATES["arc-eager"], "tokens": "form suffix upos", "affixes": 2}
STUDENT: dict[str, Any] = {
    "policy": "static",
    "oracle": "nondeterministic",
    "tokens": "form suffix upos",
    "affixes": 2,
    "states": STATES["arc-eager"],
    "layers": 1,
    "width": 16,
    "hidden": 16,
    "dropout": 0.0,
    "hidden_dropout": 0.0,
    "word_dropout": 0.0,
    "clip": 1e9,
    "batch": 1000,
    "rate": 1e-9,  # so that weights stay as they are
    "epochs": 10,
    "gold_epochs": 1,
    "silver_passes": 9.0,
    "silver_weight": 1.0,
}
SMALL = {"epochs": 2, "width": 16, "hidden": 16, "seed": 1}


@pytest.fixture(scope="module")
def teachers() -> Teachers:
    """Two who do not agree, and of which the second has other numbers for labels and moves."""
    first = Parser.train(TREEBANK, seed=1, width=32, hidden=32, **TEACHER)
    more = "1\tcats\t_\tNOUN\t_\t_\t2\tfar\t_\t_\n2\tsaw\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    other = Treebank.concat([Treebank.from_string(4 * more), TREEBANK])
    second = Parser.train(other, seed=2, width=16, hidden=48, **TEACHER)
    assert own_moves(second.info, first.info) != sorted(own_moves(second.info, first.info))
    assert second.info.label_names != first.info.label_names
    return Teachers.of([first, second])


@dataclass(frozen=True)
class SeenByTeachers(Seen):
    targets: Any = None

    @property
    def entropy(self) -> float:
        known = self.targets[self.targets > 0]
        return float(-known @ np.log(known))


@dataclass
class TaughtReference(Reference):
    """The student's loss by the formulas: on gold trees, so often each, and on the same words as text."""

    teachers: Teachers = field(kw_only=True)
    gold: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.text = [self._taught_path(number) for number in range(len(TREEBANK))]

    def _probabilities(self, number: int, moves: list[Any], legal: list[int]) -> Any:
        """The mean of the teachers' probabilities of legal moves, in the student's numbers."""
        total = np.zeros(len(legal))
        for parser in self.teachers.parsers:
            mine = own_moves(parser.info, self.teachers.first)
            # What is scored before the last move does not depend on it.
            walk = [(site, mine[move]) for site, move in [*moves, (0, legal[0])]]
            scores = parser._core.scores(TREEBANK._core, number, walk).reshape(len(walk), -1)[-1]
            powers = np.exp((scores[[mine[move] for move in legal]] - scores.max()) * parser._core.scale)
            total += powers / powers.sum()
        return total / len(self.teachers)

    def _taught_path(self, number: int) -> list[SeenByTeachers]:
        """The decisions of a sentence, each followed by the move that the teachers would take."""
        sentence = TREEBANK[number]
        walk = _core.Walk.start(
            "arc-eager",
            len(sentence),
            self.core.left,
            self.core.root,
            completion=self.core.completion,
            right_labels=self.core.right,
        )
        seen: list[SeenByTeachers] = []
        taken: list[tuple[int, int]] = []
        while not walk.done:
            legal = [move for _, move in walk.legal()]
            move = legal[0]
            if len(legal) > 1:
                targets = self._probabilities(number, taken, legal)
                state = State(walk, 0)
                rows = [
                    first + state.value(name)
                    for name, first in zip(self.extras, self.first_value, strict=True)
                ]
                nodes = [state.node(name) for name in self.positions]
                seen.append(SeenByTeachers(nodes, rows, legal, [], targets))
                move = legal[int(np.argmax(targets))]
            walk.apply((0, move))
            taken.append((0, move))
        return seen

    def loss(self) -> float:
        total = 0.0
        for number in range(len(TREEBANK)):
            x = self.encoded(number)
            for seen in self.paths[number]:
                powers = np.exp(self.scores(x, seen))
                share = powers[seen.correct].sum() / powers[seen.legal].sum()
                total -= self.gold[number] * float(np.log(share))
            for seen in self.text[number]:
                scores = self.scores(x, seen)[seen.legal]
                total -= float(seen.targets @ (scores - np.log(np.exp(scores).sum())))
        return total

    @property
    def decisions(self) -> int:
        own = sum(self.gold[number] * len(path) for number, path in enumerate(self.paths))
        return own + sum(map(len, self.text))


def own_moves(info: Any, first: Any) -> list[int]:
    """Of each move of the first teacher, its number in another: a move is an action and a label's name."""

    def named(about: Any) -> list[tuple[str, str | None]]:
        names = [about.label_names[base] for base, _, _ in about.labels]
        labelled = {"left": about.left, "right": about.right, "root": about.root}
        moves: list[tuple[str, str | None]] = [("shift", None), ("reduce", None)]
        return moves + [(action, names[label]) for action, own in labelled.items() for label in own]

    own = named(info)
    return [own.index(move) for move in named(first)]


def start(teachers: Teachers, **changes: Any) -> Training:
    options = ParserOptions.of(learner="network", **{**STUDENT, **changes})
    return Training(TREEBANK, options=options, silver=TaughtText([TREEBANK], teachers))


@dataclass
class Steps:
    """What a student has seen when it has seen all text once, a batch at a time."""

    gold: Counter[int] = field(default_factory=Counter)
    """How often each tree."""
    loss: float = 0.0
    decisions: int = 0
    gradient: dict[str, Any] = field(default_factory=dict)
    """The sum over decisions."""


def through_all_text(training: Training) -> Steps:
    core, steps = training._core, Steps()
    first = {table: np.zeros_like(values) for table, values in tables(core, "first").items()}
    steps.gradient = dict(first)
    while True:
        if core.wanted_silver is not None:
            training._give_silver(core.wanted_silver)
        state = core.state()
        begin = 0 if core.epoch_is_done else state["position"]
        progress = core.run(1)
        state = core.state()
        steps.gold.update(state["order"][begin : state["position"]].tolist())
        steps.loss += progress.loss
        steps.decisions += progress.decisions
        for table, values in tables(core, "first").items():
            # Adam's first moment is nine tenths of what it was, and a tenth of the mean gradient.
            steps.gradient[table] += 10 * (values - 0.9 * first[table]) * progress.decisions
            first[table] = values
        chunk, position, *_ = state["learner"]["silver"].view(np.int64)
        assert chunk <= 0
        if chunk == 0 and position == len(TREEBANK):
            return steps


def test_the_loss_is_the_cross_entropy_with_the_mean_of_the_teachers(teachers):
    training = start(teachers)
    reference = TaughtReference(training, teachers=teachers)
    surest = [seen.targets.max() for path in reference.text for seen in path]
    assert min(surest) < 0.9, "teachers that are sure of everything show little"
    steps = through_all_text(training)
    reference.gold = steps.gold
    assert steps.decisions == reference.decisions
    assert steps.loss == pytest.approx(reference.loss(), rel=1e-4)


def test_the_gradient_is_the_derivative_of_the_loss(teachers):
    training = start(teachers)
    reference = TaughtReference(training, teachers=teachers)
    steps = through_all_text(training)
    reference.gold = steps.gold
    rng = np.random.default_rng(1)
    for table in ("dense", "tokens", "extras"):
        gradient = steps.gradient[table] / steps.decisions
        moved = np.flatnonzero(np.abs(gradient) > 1e-3)
        assert len(moved) > 10, table
        for at in rng.choice(moved, 12):
            derivative = reference.derivative(table, at)
            assert gradient[at] == pytest.approx(derivative, rel=2e-3, abs=2e-5), (table, at)


def test_of_a_teacher_that_is_like_it_a_student_has_nothing_to_learn():
    """But for the rounding of weights that are frozen: the cross entropy is the teacher's entropy."""
    own = {**STUDENT, "silver_words": 0}
    fresh = {name: value for name, value in own.items() if not name.startswith(("silver", "gold"))}
    untrained = Training(TREEBANK, options=ParserOptions.of(learner="network", **fresh))
    alike = Teachers.of(untrained._frozen(1, untrained._learnt()))
    training = start(alike, **own)
    for table, weights in tables(untrained._core, "weights").items():
        np.testing.assert_array_equal(tables(training._core, "weights")[table], weights)
    reference = TaughtReference(training, teachers=alike)
    reference.gold = Counter()
    entropy = sum(seen.entropy for path in reference.text for seen in path)
    assert entropy > 1
    assert reference.loss() == pytest.approx(entropy, rel=0.01)
    steps = through_all_text(training)
    reference.gold = steps.gold
    assert steps.loss == pytest.approx(reference.loss(), rel=1e-4)


def garden(part: str) -> Treebank:
    return Treebank.read(GARDEN / f"{part}.conllu")


@pytest.fixture(scope="module")
def gardeners() -> list[Pipeline]:
    """Two that know all of the garden."""
    options: dict[str, Any] = {
        "components": ["segmenter", "tagger", "parser"],
        "epochs": 8,
        "progress": False,
    }
    return [Pipeline.train(garden("train"), width=48, hidden=48, seed=seed, **options) for seed in (1, 2)]


def student_of(teachers: Any, **changes: Any) -> Pipeline:
    options = {"gold": garden("train")[:12], "text": garden("train")[12:], "progress": False}
    return distill(teachers, **{**options, **SMALL, **changes})


def test_a_student_learns_trees_and_tags_from_text(gardeners):
    options: dict[str, Any] = {"epochs": 12, "width": 48, "hidden": 48, "silver_weight": 1.0}
    taught = student_of(gardeners, **options)
    del options["silver_weight"]
    alone = Pipeline.train(garden("train")[:12], progress=False, seed=1, **options)
    of_taught, of_alone = (p.evaluate(garden("dev")).conll18 for p in (taught, alone))
    assert of_taught["LAS"].f1 > of_alone["LAS"].f1 + 5
    assert of_taught["UPOS"].f1 > of_alone["UPOS"].f1 + 5


def test_tags_are_taught_though_they_have_other_numbers(gardeners, monkeypatch):
    first, second = (pipeline.tagger.info.analyses for pipeline in gardeners)
    assert first != second
    options: dict[str, Any] = {"epochs": 8, "width": 48, "hidden": 48, "silver_weight": 1.0}
    taught = student_of(gardeners[1:], **options)
    monkeypatch.setattr(Teachers, "teach_tags", lambda *_: False)
    untaught = student_of(gardeners[1:], **options)
    scores = [p.evaluate(garden("dev")).conll18 for p in (taught, untaught)]
    for tags in ("UPOS", "XPOS", "UFeats", "Lemmas"):
        assert scores[0][tags].f1 > scores[1][tags].f1 + 2, tags


def test_the_same_seed_gives_the_same_student_on_one_thread_and_two(gardeners, tmp_path):
    first, second = (student_of(gardeners, jobs=jobs) for jobs in (1, 2))
    assert model_bytes(first, tmp_path / "1") == model_bytes(second, tmp_path / "2")
    other = student_of(gardeners[:1])
    assert model_bytes(first, tmp_path / "1") != model_bytes(other, tmp_path / "3")


def test_a_student_that_was_interrupted_goes_on_to_the_same_model(gardeners, tmp_path):
    def training() -> Training:
        text = TaughtText([garden("train")[12:]], Teachers.of(gardeners))
        options = ParserOptions.of(**SMALL, shown_tags=0.1)
        return Training(garden("train")[:40], options=options, silver=text)

    whole = training().finish()
    broken = training()
    with pytest.raises(Interrupted):
        for _ in broken.epochs(interrupted_after(1)):
            pass
    broken.save_checkpoint(tmp_path / "checkpoint")
    resumed = training()
    resumed.resume(tmp_path / "checkpoint")
    assert model_bytes(resumed.finish(), tmp_path / "a") == model_bytes(whole, tmp_path / "b")
    other = Training(
        garden("train")[:40],
        options=ParserOptions.of(**SMALL, shown_tags=0.1),
        silver=TaughtText([garden("train")[12:]], Teachers.of(gardeners[:1])),
    )
    with pytest.raises(ModelError, match="other silver trees"):
        other.resume(tmp_path / "checkpoint")


@pytest.mark.parametrize("kind", ["text", "horizontal", "conllu"])
def test_text_is_read_as_it_is_parsed(gardeners, tmp_path, kind):
    words = garden("dev")
    path = tmp_path / "text.txt"
    lines = [" ".join(token.form for token in sentence) for sentence in words]
    path.write_text(words.to_string() if kind == "conllu" else "\n".join(lines), encoding="utf-8")
    text = TaughtText([path], Teachers.of(gardeners), format=kind)
    if kind == "text":
        assert text.words == gardeners[0].segmenter.segment(path.read_text(encoding="utf-8")).word_count
    else:
        assert (text.sentences, text.words) == (len(words), words.word_count)


def test_trees_of_the_text_are_of_no_account(gardeners, tmp_path):
    text = garden("train")[12:]
    wrong = text.with_trees([0] * text.word_count, [0] * text.word_count, ["wrong"])
    for number, own in enumerate((text, wrong)):
        parser = student_of(gardeners, text=own).parser
        assert parser is not None
        parser = parser.with_info(replace(parser.info, training={}))
        (tmp_path / str(number)).write_bytes(model_bytes(parser, tmp_path / "model"))
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()


def test_what_a_student_learnt_from_is_in_its_model(gardeners):
    info = student_of(gardeners).demand("parser").info
    assert info.training["silver"]["teachers"] == "teacher 1 and teacher 2"
    assert any(name.startswith("text, by teacher 1") for name in info.learner.facts(info))
    assert info.label_names == gardeners[0].demand("parser").info.label_names


def refused(message: str, error: type[Exception] = ModelError) -> Any:
    return pytest.raises(error, match=message)


def test_teachers_with_other_moves_are_refused(gardeners):
    relabelled = Treebank.from_string(garden("train").to_string().replace("\tnsubj\t", "\tsubject\t"))
    other = Parser.train(relabelled, **SMALL)
    with refused("have other labels: only one of them knows nsubj subject"):
        Teachers.of([gardeners[0], other])
    with refused("has another transition system than teacher 1"):
        Teachers.of([gardeners[0], Parser.train(garden("train"), system="arc-hybrid", **SMALL)])
    with refused("has another number of roots"):
        Teachers.of([gardeners[0], Parser.train(garden("train"), single_root=False, **SMALL)])
    with refused("which the teachers do not know", TreebankError):
        student_of(gardeners, gold=relabelled)


def test_who_cannot_say_how_probable_moves_are_does_not_teach(gardeners):
    with refused("is no network .averaged perceptron.*--silver"):
        Teachers.of(Parser.train(garden("train"), learner="perceptron", epochs=1))
    with refused("has no parser"):
        Teachers.of(Pipeline(tagger=gardeners[0].tagger))
    with refused("There is no teacher", OptionError):
        Teachers.of([])


def test_a_student_has_the_system_of_its_teachers_and_is_a_network(gardeners):
    with refused("has the transition system of its teachers", OptionError):
        student_of(gardeners, system="arc-hybrid")
    with refused("is a network, and no perceptron", OptionError):
        distill(
            gardeners,
            gold=garden("train")[:12],
            text=garden("dev"),
            components=["parser"],
            learner="perceptron",
        )


def test_text_without_the_tags_that_a_teacher_needs_is_refused():
    teacher = Parser.train(garden("train"), **SMALL)
    bare = Treebank.from_words([["Anna", "sleeps"]])
    with refused("lacks LEMMA, UPOS|lacks UPOS", TreebankError):
        distill(teacher, gold=garden("train"), text=bare, components=["parser"], **SMALL)
    taught = distill(teacher, gold=garden("train"), text=garden("dev"), components=["parser"], **SMALL)
    assert taught.demand("parser").needs_tags


def test_a_text_that_is_not_there_is_refused_at_once(gardeners):
    with refused("nowhere.txt does not exist", TreebankError):
        student_of(gardeners, text="nowhere.txt")
    with refused("standard input", OptionError):
        student_of(gardeners, text="-")
