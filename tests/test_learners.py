"""The linear learners equal a slow reference, written from the papers: every weight, after every epoch."""

import math
from collections import defaultdict

import pytest

from arcwise import ParserOptions, Training, Treebank, _core
from references import TEMPLATES, AveragedPerceptron, feature_keys
from walks import costs

TEXT = """\
1	the	_	DET	_	_	2	near	_	_
2	dog	_	NOUN	_	_	3	far	_	_
3	saw	_	VERB	_	_	0	root	_	_
4	cats	_	NOUN	_	_	3	near	_	_
5	there	_	ADV	_	_	3	far	_	_

1	run	_	VERB	_	_	0	root	_	_
2	dog	_	NOUN	_	_	1	near	_	_

1	the	_	DET	_	_	3	near	_	_
2	old	_	ADJ	_	_	3	near	_	_
3	cats	_	NOUN	_	_	4	far	_	_
4	saw	_	VERB	_	_	0	root	_	_
5	the	_	DET	_	_	6	near	_	_
6	dog	_	NOUN	_	_	4	near	_	_

"""


class AdagradRda:
    """Goldberg 2013, Algorithm 2, with weights computed from g and G where they are needed."""

    def __init__(self, alpha, rho, penalty):
        self.alpha, self.rho, self.penalty = alpha, rho, penalty
        self.g, self.G = defaultdict(float), defaultdict(float)
        self.updates = 0

    def weight(self, feature, move):
        g, squares = self.g[feature, move], self.G[feature, move]
        shrunk = max(0.0, abs(g) - self.updates * self.penalty)
        return self.alpha / math.sqrt(squares + self.rho) * math.copysign(shrunk, g)

    def learn(self, features, scores, correct):
        total = sum(math.exp(score) for score in scores.values())
        total_correct = sum(math.exp(score) for move, score in scores.items() if move in correct)
        for move, score in scores.items():
            share = math.exp(score) / total_correct if move in correct else 0.0
            gradient = share - math.exp(score) / total
            for feature in features:
                self.g[feature, move] += gradient
                self.G[feature, move] += gradient**2
        self.updates += 1

    def skip(self):
        """A state without a choice is an update all the same, by a gradient of nothing."""
        self.updates += 1

    def result(self):
        return {(feature, move): self.weight(feature, move) for feature, move in self.g}


def train_sentence(learner, walk, sentence, gold, follows_errors):
    """One pass over a sentence: Goldberg & Nivre 2013, Algorithms 2 and 3 (with p = 1)."""
    while not walk.done:
        by_move = costs(walk, gold)
        move = next(iter(by_move))
        if len(by_move) > 1:
            features = list(feature_keys(walk, sentence))
            scores = {m: sum(learner.weight(feature, m[1]) for feature in features) for m in by_move}
            correct = {m for m, cost in by_move.items() if cost == min(by_move.values())}
            predicted = max(scores, key=scores.get)
            move = predicted if follows_errors else max((m for m in scores if m in correct), key=scores.get)
            learner.learn(
                features,
                {m[1]: score for m, score in scores.items()},
                {m[1] for m in correct},
            )
        else:
            learner.skip()
        walk.apply(move)


@pytest.mark.parametrize("follows_errors", [False, True], ids=["gold path", "own path"])
@pytest.mark.parametrize("system", ["arc-eager", "arc-hybrid"])
@pytest.mark.parametrize("name", ["perceptron", "adagrad"])
def test_every_weight_is_that_of_the_reference(tmp_path, name, system, follows_errors):
    treebank = Treebank.from_string(TEXT)
    path = tmp_path / "own.features"
    path.write_text("\n".join(TEMPLATES), encoding="utf-8")
    settings = {"alpha": 0.7, "rho": 0.02, "penalty": 0.005}
    core = Training(
        treebank,
        options=ParserOptions.of(
            system=system,
            learner=name,
            oracle="dynamic",
            policy="explore" if follows_errors else "static",
            k=0,
            p=1.0,
            features=str(path),
            **({"cutoff": 0.0, **settings} if name == "adagrad" else {}),
        ),
    )._core
    assert core.left == core.right, "the reference numbers moves as a walk does"
    number = {base: label for label, (base, _, _) in enumerate(core.labels)}
    learner = {"perceptron": AveragedPerceptron, "adagrad": AdagradRda}[name](**settings)

    for _ in range(4):
        core.run(1_000_000)
        for index in core.state()["order"].tolist():
            sentence = treebank[index]
            first = treebank.first_words[index]
            labels = treebank.labels[first : first + len(sentence)]
            gold = sentence.heads.tolist(), [number[label] for label in labels.tolist()]
            walk = _core.Walk.start(system, len(sentence), core.left, core.root, completion=core.completion)
            train_sentence(learner, walk, sentence, gold, follows_errors)
        found = core.weights()
        moves = zip(found["keys"].tolist(), found["moves"].tolist(), strict=True)
        weights = dict(zip(moves, found["values"].tolist(), strict=True))
        expected = {at: weight for at, weight in learner.result().items() if abs(weight) > 1e-6}
        assert expected
        assert weights == pytest.approx(expected, rel=1e-4, abs=1e-5)
