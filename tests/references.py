"""The averaged perceptron, and the keys of two features, as one would write them down first."""

from collections import defaultdict

from arcwise import _core

TEMPLATES = ["S0.form N0.form", "N0.upos"]


class AveragedPerceptron:
    """The mean of the weights before the first decision and after each, one sum after the other.

    With a beam a sentence is one decision."""

    def __init__(self, **_):
        self.weights = defaultdict(float)
        self.totals = defaultdict(float)
        self.vectors = 1

    def weight(self, feature, move):
        return self.weights[feature, move]

    def learn(self, features, scores, correct):
        predicted = max(scores, key=scores.get)
        if predicted not in correct:
            best = max((move for move in scores if move in correct), key=scores.get)
            self.change(features, best, 1)
            self.change(features, predicted, -1)
        self.decided()

    def change(self, features, move, by):
        for feature in features:
            self.weights[feature, move] += by

    def decided(self):
        for at, weight in self.weights.items():
            self.totals[at] += weight
        self.vectors += 1

    def skip(self):
        """A state without a choice asks for no decision."""

    def result(self):
        return {at: total / self.vectors for at, total in self.totals.items()}


# Features have keys as in a model file: the hash of the template, and those of the atoms' values.

WORD = 2**64
ATTRIBUTES = {"form": 0, "upos": 3}


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB % WORD
    return x ^ x >> 31


def feature_keys(walk, sentence):
    nodes = {"N0": walk.buffer, "S0": walk.stack[-1] if walk.stack else None}
    for template in TEMPLATES:
        atoms = template.split()
        key = _core.hash_bytes(" ".join(sorted(atoms)).encode(), 1)
        for atom in atoms:
            place, attribute = atom.split(".")
            node = nodes[place]
            if node is None:
                break
            is_word = 1 <= node <= len(sentence)
            text = getattr(sentence[node - 1], attribute) if is_word else "<ROOT>"
            value = _core.hash_bytes(text.encode(), mix(ATTRIBUTES[attribute] + 1))
            key += value * (_core.hash_bytes(atom.encode(), 0) | 1)
        else:
            yield key % WORD
