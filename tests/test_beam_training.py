"""Training with a beam equals a slow reference, weight by weight; and what it is good for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import OptionError, Parser, ParserOptions, Training, Treebank, _core
from arcwise.options import NEGATIVES, VIOLATIONS
from references import TEMPLATES, AveragedPerceptron, feature_keys
from trained import Interrupted, interrupted_after, las, model_bytes
from walks import LEFT_TO_RIGHT, by_static_oracle, costs, random_trees

each_system = pytest.mark.parametrize(("system", "root_first"), LEFT_TO_RIGHT)
each_violation = pytest.mark.parametrize("violation", VIOLATIONS)


# The reference


@dataclass(frozen=True)
class Derivation:
    walk: _core.Walk
    moves: tuple = ()
    score: float = 0.0
    right: bool = True


class Reference:
    """Both beams of a sentence, that of all derivations and that of the right ones, to the end."""

    def __init__(self, learner, sentence, walk, gold, options):
        self.learner, self.sentence, self.gold, self.options = learner, sentence, gold, options
        self.first = walk
        self.beams = self.search(lambda walk: walk.legal())
        self.right = [beam[0] for beam in self.search(self.correct)]

    def correct(self, walk):
        if self.options.policy.oracle == "static" and -1 not in self.gold[0]:
            return [by_static_oracle(self.gold)(walk)]
        by_move = costs(walk, self.gold)
        return [move for move, cost in by_move.items() if cost == min(by_move.values())]

    def gain(self, walk, move):
        if len(walk.legal()) == 1:
            return 0
        return sum(self.learner.weight(key, move[1]) for key in feature_keys(walk, self.sentence))

    def children(self, derivation, moves):
        walk = derivation.walk
        if walk.done:
            return [derivation]
        children = []
        for move in moves(walk):
            after = walk.copy()
            after.apply(move)
            right = derivation.right and move in self.correct(walk)
            score = derivation.score + self.gain(walk, move)
            children.append(Derivation(after, (*derivation.moves, move), score, right))
        return children

    def search(self, moves):
        beam, beams = [Derivation(self.first)], []
        while not all(derivation.walk.done for derivation in beam):
            candidates = [child for derivation in beam for child in self.children(derivation, moves)]
            # Sorting is stable: ties keep the order of the beam, and that of the moves.
            beam = sorted(candidates, key=lambda child: -child.score)[: self.options.learner.beam.width]
            beams.append(beam)
        return beams

    def wrong(self, beam):
        lost = not any(derivation.right for derivation in beam)
        return beam[-1 if lost and self.options.learner.beam.negative == "worst" else 0]

    def pairs(self):
        """Each step's wrong derivation and best right one, and whether there is a fault to mend."""
        # Derivations are not all as long as each other: those that are done stay.
        last = self.right[-1:] * (len(self.beams) - len(self.right))
        for beam, right in zip(self.beams, [*self.right, *last], strict=False):
            lost = not any(derivation.right for derivation in beam)
            fault = lost if self.options.learner.beam.relaxed else not beam[0].right
            yield self.wrong(beam), right, fault, lost

    def update(self):
        """The wrong and the right derivation to learn from, or None."""
        pairs = list(self.pairs())
        wrong, right, fault, _ = pairs[-1]
        if self.options.learner.beam.violation == "none":
            return (wrong, right) if fault else None
        if self.options.learner.beam.violation == "early":
            for early, best, _, lost in pairs:
                if lost and early.score >= best.score:
                    return early, best
            return (wrong, right) if fault and wrong.score >= right.score else None
        if not fault:
            return None
        violated = [(w, r) for w, r, at_fault, _ in pairs if at_fault and w.score >= r.score]
        return max(reversed(violated), key=lambda pair: pair[0].score - pair[1].score, default=None)

    def learn(self):
        update = self.update()
        if update is not None:
            for derivation, by in zip(update, (-1, 1), strict=True):
                walk = self.first.copy()
                for move in derivation.moves:
                    if len(walk.legal()) > 1:
                        self.learner.change(list(feature_keys(walk, self.sentence)), move[1], by)
                    walk.apply(move)
        self.learner.decided()
        return update is not None


@st.composite
def treebanks(draw) -> str:
    """Trees at random, so that there is little to learn and much to get wrong; some heads are unknown."""
    text = ""
    for heads, labels in draw(st.lists(random_trees(6, single_root=True), min_size=1, max_size=4)):
        some_known = draw(st.integers(0, len(heads) - 1))
        for number, (head, label) in enumerate(zip(heads, labels, strict=True)):
            form, upos = draw(st.sampled_from("abc")), draw(st.sampled_from("XY"))
            is_known = number == some_known or draw(st.integers(0, 9)) > 0
            arc = f"{head}\t{label}" if is_known else "_\t_"
            text += f"{number + 1}\t{form}\t_\t{upos}\t_\t_\t{arc}\t_\t_\n"
        text += "\n"
    return text


@each_violation
@each_system
@settings(max_examples=25)
@given(data=st.data(), text=treebanks(), width=st.integers(1, 5))
def test_every_weight_is_that_of_the_reference(
    tmp_path_factory, system, root_first, violation, data, text, width
):
    path = tmp_path_factory.mktemp("features") / "own.features"
    path.write_text("\n".join(TEMPLATES), encoding="utf-8")
    treebank = Treebank.from_string(text)
    options = ParserOptions.of(
        learner="perceptron",
        features=str(path),
        system=system,
        root="first" if root_first else "last",
        single_root=True,
        oracle=data.draw(st.sampled_from(["static", "dynamic"])),
        train_beam=width,
        violation=violation,
        relaxed=data.draw(st.booleans()),
        negative=data.draw(st.sampled_from(NEGATIVES)),
    )
    core = Training(treebank, options=options)._core
    number = {base: label for label, (base, _, _) in enumerate(core.labels)}
    learner = AveragedPerceptron()
    for _ in range(3):
        progress = core.run(1_000_000)
        wrong = 0
        for index in core.state()["order"].tolist():
            sentence, first = treebank[index], treebank.first_words[index]
            labels = treebank.labels[first : first + len(sentence)].tolist()
            gold = sentence.heads.tolist(), [number.get(label, -1) for label in labels]
            walk = _core.Walk.start(
                system,
                len(sentence),
                core.left,
                core.root,
                root_first=root_first,
                completion=core.completion,
                right_labels=core.right,
            )
            wrong += Reference(learner, sentence, walk, gold, options).learn()
        assert (progress.wrong, progress.decisions) == (wrong, len(treebank))
        found = core.weights()
        moves = zip(found["keys"].tolist(), found["moves"].tolist(), strict=True)
        weights = dict(zip(moves, found["values"].tolist(), strict=True))
        expected = {at: weight for at, weight in learner.result().items() if abs(weight) > 1e-6}
        assert weights == pytest.approx(expected, rel=1e-4, abs=1e-5)


# What an update does


ENTRY = np.dtype([("sum", "<i8"), ("weight", "<i4"), ("move", "<u2"), ("none", "<u2")])


def weights_at_the_moment(core: _core.Trainer) -> dict[tuple[int, int], int]:
    learner = core.state()["learner"]
    keys, sizes = learner["keys"].view("<u8"), learner["sizes"].view("<u2")
    entries = learner["entries"].view(ENTRY)
    some = entries["weight"] != 0
    at = zip(np.repeat(keys, sizes)[some].tolist(), entries["move"][some].tolist(), strict=True)
    return dict(zip(at, entries["weight"][some].tolist(), strict=True))


def updates(treebank: Treebank, **options):
    """The weights before each sentence that changes them, and the changes."""
    core = Training(treebank, options=ParserOptions.of(learner="perceptron", **options))._core
    before = weights_at_the_moment(core)
    for _ in range(3 * len(treebank)):
        progress = core.run(1)
        after = weights_at_the_moment(core)
        changed = {at for at, _ in before.items() ^ after.items()}
        change = {at: after.get(at, 0) - before.get(at, 0) for at in changed}
        assert bool(change) <= bool(progress.wrong)
        if change:
            yield before, change
        before = after


@pytest.mark.parametrize("negative", NEGATIVES)
@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("violation", ["early", "max"])
@each_system
def test_every_update_mends_a_violation(some, system, root_first, violation, relaxed, negative):
    """Before it, the wrong derivation scores at least as much as the right one."""
    root = "first" if root_first else "last"
    options = {"system": system, "root": root, "relaxed": relaxed, "negative": negative}
    seen = 0
    for weights, change in updates(some[:25], train_beam=3, violation=violation, **options):
        lead_of_the_right = sum(by * weights.get(at, 0) for at, by in change.items())
        assert lead_of_the_right <= 0
        seen += 1
    assert seen > 3


def test_without_violations_right_derivations_that_led_are_learnt_from_too(some):
    leads = [
        sum(by * weights.get(at, 0) for at, by in change.items())
        for weights, change in updates(some, train_beam=2, violation="none")
    ]
    assert max(leads) > 0


def test_with_width_1_an_early_update_is_of_one_move(some):
    """The predicted move loses, the best correct one gains, with the features of one state."""
    for _, change in updates(some[:30], train_beam=1, violation="early"):
        assert len({move for _, move in change}) == 2
        assert set(change.values()) == {1, -1}
        gains = {key for (key, _), by in change.items() if by > 0}
        assert gains == {key for (key, _), by in change.items() if by < 0}


# Models


@pytest.mark.parametrize("violation", ["early", "max"])
@each_system
def test_a_small_treebank_is_learnt_by_heart(some, system, root_first, violation):
    root = "first" if root_first else "last"
    options = {"learner": "perceptron", "system": system, "root": root, "violation": violation}
    for oracle in ("static", "dynamic"):
        given = ParserOptions.of(**options, train_beam=4, oracle=oracle, epochs=40)
        training = Training(some, options=given)
        parser = training.finish()
        assert training.history[-1].wrong == 0
        assert las(parser, some) > 0.99, "all but what is lost with non-projective trees"


@pytest.fixture(scope="module")
def of_beam_4(some: Treebank) -> Parser:
    return Parser.train(some, learner="perceptron", train_beam=4, epochs=2)


def heads(treebank: Treebank) -> list[int]:
    return treebank.heads.tolist()


def test_a_model_parses_with_the_beam_it_was_trained_with(of_beam_4, garden_dev, tmp_path):
    of_beam_4.save(tmp_path / "m")
    parser = Parser.load(tmp_path / "m")
    by_default = heads(parser.parse(garden_dev))
    assert by_default == heads(parser.parse(garden_dev, beam=4))
    assert by_default != heads(parser.parse(garden_dev, beam=1))
    greedy, _, _ = parser._core.parse(garden_dev._core)
    assert greedy.tolist() == heads(parser.parse(garden_dev, beam=1))
    scores = [best[0].score for best in parser.nbest(garden_dev, 2)]
    assert scores == [best[0].score for best in parser.nbest(garden_dev, 2, beam=4)]
    assert parser.evaluate(garden_dev).attachment == parser.evaluate(garden_dev, beam=4).attachment


def test_dev_is_scored_with_the_beam(some, garden_dev):
    options = ParserOptions.of(learner="perceptron", train_beam=4, epochs=2)
    training = Training(some, dev=garden_dev, options=options)
    parser = training.finish()
    kept = training.history[parser.info.training["epoch"] - 1]
    assert kept.dev_las == pytest.approx(100 * las(parser, garden_dev))


def test_a_run_that_was_stopped_and_resumed_ends_in_the_same_model(tmp_path, monkeypatch, some):
    monkeypatch.setattr("arcwise.training.WORDS_A_STEP", 150)
    options = ParserOptions.of(learner="perceptron", train_beam=4, epochs=2)
    expected = model_bytes(Training(some, options=options).finish(), tmp_path / "whole")
    stopped = Training(some, options=options)
    with pytest.raises(Interrupted):
        list(stopped.epochs(interrupted_after(6)))
    stopped.save_checkpoint(tmp_path / "checkpoint")
    resumed = Training(some, options=options)
    resumed.resume(tmp_path / "checkpoint")
    assert model_bytes(resumed.finish(), tmp_path / "resumed") == expected


def test_the_oracle_is_any_derivation_without_cost_unless_told(some):
    options = ParserOptions.of(learner="perceptron", train_beam=4).resolved()
    assert (options.policy.oracle, options.policy.name) == ("dynamic", None)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"train_beam": 0}, "at least 1 wide"),
        ({"train_beam": 2**31}, "at least 1 wide"),
        ({"system": "easy-first"}, "easy-first does not"),
        ({"learner": "adagrad"}, "adagrad has no use for train_beam: .* the learner perceptron"),
        ({"learner": None}, "network has no use for train_beam: .* the learner perceptron"),
        ({"policy": "explore"}, "in place of a policy"),
        ({"violation": "late"}, "no violation called 'late'"),
        ({"negative": "any"}, "no negative called 'any'"),
    ],
)
def test_what_does_not_go_together_is_refused(changes, reason):
    with pytest.raises(OptionError, match=reason):
        ParserOptions.of(**{"learner": "perceptron", "train_beam": 4, **changes})
