"""Compact models: learning, freezing and scoring equal slow references; they are models like any other."""

import math
import os
import pickle
import subprocess
import sys
from collections import defaultdict

import numpy as np
import pytest

from arcwise import Constraints, OptionError, Parser, ParserOptions, Training, Treebank, _core
from arcwise.learners.linear import COMPACT_ARRAYS
from references import TEMPLATES, AveragedPerceptron, feature_keys
from walks import LEFT_TO_RIGHT, costs, is_tree

LABELS = 27
CLASSES = 28


def many_labels() -> Treebank:
    """With more labels than there are classes, each as often on the left as on the right."""
    lines = []
    for label in range(LABELS):
        for _ in range(3 if label < 12 else 1):
            lines += [
                f"1\ta{label}\t_\tA{label % 3}\t_\t_\t2\tl{label}\t_\t_",
                f"2\tv{label % 5}\t_\tV\t_\t_\t0\troot\t_\t_",
                f"3\tb{label}\t_\tB{label % 2}\t_\t_\t2\tl{label}\t_\t_",
                "",
            ]
    return Treebank.from_string("\n".join(lines) + "\n")


@pytest.fixture
def templates(tmp_path):
    path = tmp_path / "own.features"
    path.write_text("\n".join(TEMPLATES), encoding="utf-8")
    return str(path)


def moves_as_all_scores_say(parser: Parser, treebank: Treebank, constraints=None) -> bool:
    """Greedy search asks for the best move alone, a beam for the scores of all. A beam of 1 is greedy search
    to `parse`, and a beam to the core."""
    given = parser._compiled(constraints, treebank).core
    greedy, beam = (
        parser._core.parse(treebank._core, beam=width, constraints=given, grammar=False)[:2]
        for width in (None, 1)
    )
    return all(mine.tolist() == other.tolist() for mine, other in zip(greedy, beam, strict=True))


def options_of(templates: str, **more) -> ParserOptions:
    return ParserOptions.of(learner="perceptron", compact=1, features=templates, **more)


class Classes:
    """SHIFT and REDUCE, the most frequent labels of LEFT and of RIGHT, and one for the rest of either."""

    def __init__(self, begins: list[int], moves: int) -> None:
        self.ranges = [range(a, b) for a, b in zip(begins, [*begins[1:], moves], strict=True)]
        self.of = {move: c for c, moves in enumerate(self.ranges) for move in moves}

    def scores(self, of_class, of_member) -> dict[int, float]:
        found = {}
        for c, moves in enumerate(self.ranges):
            most = max(of_member(move) for move in moves)
            for move in moves:
                found[move] = of_class(c) + (of_member(move) - most if len(moves) > 1 else 0)
        return found


class CompactPerceptron(AveragedPerceptron):
    """Its weights are of classes and, numbered after them, of moves that share one."""

    def __init__(self, classes: Classes) -> None:
        super().__init__()
        self.classes = classes

    def scores(self, features) -> dict[int, float]:
        def total(number):
            return sum(self.weight(feature, number) for feature in features)

        return self.classes.scores(total, lambda move: total(len(self.classes.ranges) + move))

    def learn(self, features, scores, correct) -> None:
        predicted = max(scores, key=scores.get)
        if predicted not in correct:
            best = max((move for move in scores if move in correct), key=scores.get)
            right, wrong = self.classes.of[best], self.classes.of[predicted]
            if right != wrong:
                self.change(features, right, 1)
                self.change(features, wrong, -1)
            rival = max(self.classes.ranges[right], key=lambda move: scores.get(move, -math.inf))
            if rival != best:
                self.change(features, len(self.classes.ranges) + best, 1)
                self.change(features, len(self.classes.ranges) + rival, -1)
        self.decided()


def weights_of(core: _core.Trainer) -> dict[tuple[int, int], float]:
    found = core.weights()
    numbers = zip(found["keys"].tolist(), found["moves"].tolist(), strict=True)
    return dict(zip(numbers, found["values"].tolist(), strict=True))


def test_every_weight_is_that_of_the_reference(templates):
    treebank = many_labels()
    core = Training(treebank, options=options_of(templates, oracle="dynamic", k=0, p=1.0))._core
    assert core.left == core.right, "the reference numbers moves as a walk does"
    begins = core.learnt()["parser"]["begins"].tolist()
    classes = Classes(begins, 2 + 2 * LABELS + len(core.root))
    assert len(begins) == CLASSES and sum(len(moves) > 1 for moves in classes.ranges) == 2
    number = {base: label for label, (base, _, _) in enumerate(core.labels)}
    learner = CompactPerceptron(classes)
    for _ in range(3):
        core.run(1_000_000)
        for index in core.state()["order"].tolist():
            sentence, first = treebank[index], treebank.first_words[index]
            labels = [number[label] for label in treebank.labels[first : first + len(sentence)].tolist()]
            walk = _core.Walk.start(
                "arc-eager", len(sentence), core.left, core.root, completion=core.completion
            )
            while not walk.done:
                by_move = costs(walk, (sentence.heads.tolist(), labels))
                taken = next(iter(by_move))
                if len(by_move) > 1:
                    features = list(feature_keys(walk, sentence))
                    all_scores = learner.scores(features)
                    scores = {move: all_scores[move] for _, move in by_move}
                    least = min(by_move.values())
                    taken = (0, max(scores, key=scores.get))
                    learner.learn(features, scores, {m for (_, m), cost in by_move.items() if cost == least})
                walk.apply(taken)
        expected = {at: weight for at, weight in learner.result().items() if abs(weight) > 1e-6}
        assert any(which >= CLASSES for _, which in expected)
        assert weights_of(core) == pytest.approx(expected, rel=1e-4, abs=1e-5)


def rounded(number: float) -> int:
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


def frozen(weights: dict[tuple[int, int], float], most_lines: int) -> tuple[float, list[list]]:
    """The unit of weights, and the table as lines of up to two features with their weights."""
    unit = float(np.float32(max(abs(weight) for weight in weights.values())) / np.float32(127))
    rows = defaultdict(lambda: [0] * CLASSES)
    for (key, number), weight in weights.items():
        if number < CLASSES:
            rows[key][number] = rounded(weight / unit)
    heavy = {key: sum(map(abs, row)) for key, row in rows.items() if any(row)}
    table = [[] for _ in range(max(1, min(len(heavy), most_lines)))]
    for key in sorted(heavy, key=lambda key: (-heavy[key], key)):
        line = table[(key >> 32) * len(table) >> 32]
        if len(line) < 2:
            line.append((key % 2**32 | 1, rows[key]))
    return unit, table


def members_of(weights: dict[tuple[int, int], float], unit: float) -> dict[tuple[int, int], int]:
    """Those of moves that share a class. More than eight of a feature have 8 bits and a power of two."""
    rows = defaultdict(dict)
    for (key, number), weight in weights.items():
        if number >= CLASSES and (value := rounded(weight / unit)):
            rows[key][number - CLASSES] = value
    found = defaultdict(int)
    for key, row in rows.items():
        shift = 0
        while len(row) > 8 and max(map(abs, row.values())) + (1 << shift >> 1) >> shift > 127:
            shift += 1
        found |= {(key, move): rounded(value / 2**shift) * 2**shift for move, value in row.items()}
    return found


def table_of(array: np.ndarray) -> list[list]:
    table = []
    for line in array.reshape(-1, 2, 8):
        slots = [(int(slot[0]), slot.view(np.int8)[4:].tolist()) for slot in line]
        table.append([slot for slot in slots if slot[0] != 0])
    return table


def test_weights_are_frozen_as_the_reference_freezes_them_and_scores_are_their_sums(templates):
    treebank = many_labels()
    training = Training(treebank, options=options_of(templates, epochs=2))
    for _ in training.epochs():
        pass
    core, parser = training._core, training.parser()
    weights, arrays = weights_of(core), core.learnt()["parser"]
    unit, table = frozen(weights, 2**14)
    assert table_of(arrays["table"]) == table
    assert arrays["scale"] == unit / 16
    assert sum(len(line) for line in table) == arrays["features"] == parser.info.features

    classes = Classes(arrays["begins"].tolist(), 2 + 2 * LABELS + len(core.root))
    kept = {check: row for line in table for check, row in line}
    members = members_of(weights, unit / 16)
    seen = 0
    for index in range(len(treebank)):
        sentence = treebank[index]
        walk = _core.Walk.start("arc-eager", len(sentence), core.left, core.root, completion=core.completion)
        for legal, scores, _, best in parser._core.trace(treebank.select([index])._core):
            keys = list(feature_keys(walk, sentence))
            rows = [kept[key % 2**32 | 1] for key in keys if key % 2**32 | 1 in kept]
            of_class = [16 * sum(row[c] for row in rows) for c in range(CLASSES)]
            of_member = [sum(members[key, move] for key in keys) for move in classes.of]
            expected = classes.scores(of_class.__getitem__, of_member.__getitem__)
            moves = [move for _, move in legal]
            assert list(scores) == [expected[move] for move in moves]
            chosen = max(moves, key=expected.get)
            assert legal[best] == (0, chosen)
            seen += len(classes.ranges[classes.of[chosen]]) > 1
            walk.apply((0, chosen))
    assert seen > 10, "some moves that share a class were taken"


@pytest.fixture(scope="module")
def parser(garden: Treebank) -> Parser:
    return Parser.train(garden, options=ParserOptions.preset("turbo", epochs=3))


def test_greedy_parsing_finds_what_the_scores_of_all_moves_say(parser, garden):
    assert moves_as_all_scores_say(parser, garden)


def test_moves_that_share_a_class_are_told_apart_whether_all_of_them_are_legal_or_not(templates):
    treebank = many_labels()
    own = Parser.train(treebank, options=options_of(templates, epochs=2))
    rare = [Constraints(labels={1: f"l{LABELS - 1 - index % 9}"}) for index in range(len(treebank))]
    assert moves_as_all_scores_say(own, treebank)
    assert moves_as_all_scores_say(own, treebank, rare)
    assert {f"l{label}" for label in range(20, LABELS)} <= {s[0].deprel for s in own.parse(treebank)}


@pytest.mark.parametrize("system", [*dict.fromkeys(name for name, _ in LEFT_TO_RIGHT), "easy-first"])
def test_every_system_parses_with_it_to_trees(system, garden):
    own = Parser.train(garden[:40], options=ParserOptions.preset("turbo", epochs=1, system=system))
    parsed = own.parse(garden)
    assert all(is_tree(sentence.heads.tolist()) for sentence in parsed)
    if system != "easy-first":
        assert moves_as_all_scores_say(own, garden)


def test_words_of_no_treebank_get_trees(parser):
    words = [["ü"], ["x", "the"] * 60, ["«", "»", "unknown"]]
    parsed = parser.parse(Treebank.from_words(words))
    assert all(is_tree(sentence.heads.tolist()) for sentence in parsed)


def test_constraints_are_honoured(parser, garden):
    last = len(garden[3])
    constraints = Constraints(heads={last: 1}, labels={last: garden.label_names[-1]}, forbidden=[(0, 1)])
    for how in ({}, {"beam": 4}):
        parsed = parser.parse(garden[3:4], constraints=[constraints], **how)[0]
        assert is_tree(parsed.heads.tolist())
        assert parsed.heads[-1] == 1 and parsed[last - 1].deprel == garden.label_names[-1]
        assert parsed.heads[0] != 0


def test_files_pickles_and_threads_change_nothing(parser, garden, tmp_path):
    expected = parser.parse(garden).heads.tolist()
    parser.save(tmp_path / "turbo.model")
    again = Parser.load(tmp_path / "turbo.model")
    assert "compact" in again.info.learner.in_brief(again.info.options)
    assert again.info.options.learner.compact == 8
    for other in (again, pickle.loads(pickle.dumps(parser))):
        assert other.parse(garden).heads.tolist() == expected
        assert other.parse(garden, threads=2).heads.tolist() == expected


@pytest.mark.skipif(sys.platform == "win32", reason="asks for another environment")
def test_all_vector_units_give_the_same_trees(parser, garden, tmp_path):
    parser.save(tmp_path / "turbo.model")
    garden.write(tmp_path / "garden.conllu")
    code = (
        "import sys; from arcwise import Parser, Treebank\n"
        "t = Parser.load(sys.argv[1]).parse(Treebank.read(sys.argv[2]))\n"
        "print(t.heads.tolist(), t.labels.tolist())"
    )
    trees = {
        subprocess.run(
            [sys.executable, "-c", code, tmp_path / "turbo.model", tmp_path / "garden.conllu"],
            env={**os.environ, "ARCWISE_VECTORS": vectors, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for vectors in ("portable", "avx2")
    }
    assert len(trees) == 1


def test_an_update_goes_on_from_it(garden):
    own = Parser.train(garden[:30], keep_training_state=True, learner="perceptron", compact=1, epochs=2)
    own.update(garden[30:34], epochs=2)
    assert all(is_tree(sentence.heads.tolist()) for sentence in own.parse(garden))


ATTRIBUTES = [
    *("form", "lower", "upos", "xpos", "feats", "shape", "deprel", "left-count", "right-count"),
    *(f"{affix}{length}" for affix in ("prefix", "suffix") for length in (1, 2, 3, 4)),
]
TOO_MANY = [f"S0.form S{i % 4}.lemma N{i // 4}.{a}" for i in range(16) for a in ATTRIBUTES]


@pytest.mark.parametrize(
    "change",
    [
        lambda own: own.update(begins=own["begins"][::-1].copy()),
        lambda own: own.update(begins=own["begins"][1:]),
        lambda own: own.update(begins=np.arange(29, dtype=np.uint16)),
        lambda own: own.update(begins=own["begins"] + np.uint16(60000)),
        lambda own: own.update(begins=own["begins"][:0]),
        lambda own: own.update(table=own["table"][:-1]),
        lambda own: own.update(table=own["table"][:0]),
        lambda own: own.update(templates=TOO_MANY),
    ],
)
def test_damaged_arrays_are_refused(change, templates):
    arrays = Training(many_labels(), options=options_of(templates))._core.learnt()["parser"]
    own = {name: arrays[name] for name in COMPACT_ARRAYS}
    own |= {"templates": list(TEMPLATES), "scale": arrays["scale"]}
    _core.LinearModel(**own)
    change(own)
    with pytest.raises(ValueError, match="damaged"):
        _core.LinearModel(**own)


def test_what_does_not_go_with_it_is_refused():
    with pytest.raises(OptionError, match="trained without a beam"):
        ParserOptions.of(learner="perceptron", compact=4, train_beam=4)
    with pytest.raises(OptionError, match="from 1 to 1024 MiB"):
        ParserOptions.of(learner="perceptron", compact=0)
    with pytest.raises(OptionError, match="adagrad has no use for compact"):
        ParserOptions.of(learner="adagrad", compact=4)


def test_the_table_is_no_larger_than_asked_for(garden):
    own = Parser.train(garden, learner="perceptron", compact=1, epochs=1)
    assert own.info.features <= 2 * 2**20 // 64
