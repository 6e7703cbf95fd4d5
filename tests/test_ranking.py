"""The ranker: its features and its learning equal slow references; what trees share is looked at once."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arcwise import FeatureError, Treebank, _core
from arcwise.hc import features

MASK = 2**64 - 1
LABELS = ["root", "conj", "cc", "case", "pobj", "nsubj:pass", "conj:svc"]
ROLES = {"conj": "conjunct", "conj:svc": "conjunct", "cc": "cc", "case": "case", "pobj": "object"}
ATTRIBUTES = ["form", "lower", "lemma", "upos", "xpos", "feats", "shape"]
TREE_ATTRIBUTES = ["deprel", "left-count", "right-count", "size", "left-size", "right-size", "right-branch"]
NODES = {
    "arc": "hm",
    "grand": "ghm",
    "sibling": "hsm",
    "tri-sibling": "htsm",
    "grand-sibling": "ghsm",
    "head-bigram": "phlm",
    "head-trigram": "ophklm",
    "span": "hmlr",
    "valency": "h",
    "root": "m",
    "conjunct": "hcm",
    "adposition": "ham",
    "crossing": "hm",
}
NONE = -1


# --- what a tree is made of, said again and slowly


class SlowTree:
    def __init__(self, heads: list[int], labels: list[int]) -> None:
        self.heads, self.labels, self.n = [NONE, *heads], [-1, *labels], len(heads)
        self.words = range(1, self.n + 1)

    def dependents(self, h: int) -> list[int]:
        return [m for m in self.words if self.heads[m] == h]

    def dominates(self, h: int, m: int) -> bool:
        while m != NONE and m != h:
            m = self.heads[m]
        return m == h

    def edges(self, h: int) -> tuple[int, int]:
        below = [m for m in range(self.n + 1) if self.dominates(h, m)]
        return min(below), max(below)

    def inner(self, m: int) -> int:
        h = self.heads[m]
        if m < h:
            return min((s for s in self.dependents(h) if m < s < h), default=NONE)
        return max((s for s in self.dependents(h) if h < s < m), default=NONE)

    def crosses(self, m: int) -> bool:
        h = self.heads[m]
        return not all(self.dominates(h, w) for w in range(min(h, m) + 1, max(h, m)))

    def role(self, m: int) -> str:
        return ROLES.get(LABELS[self.labels[m]], "")

    def coordinator(self, m: int) -> int:
        before = [d for d in self.dependents(m) if d < m and self.role(d) == "cc"]
        if before:
            return before[0]
        s = self.inner(m)
        while s != NONE and self.role(s) != "conjunct":
            if self.role(s) == "cc":
                return s
            s = self.inner(s)
        return NONE

    def parts(self, kind: str) -> list[tuple[int, ...]]:
        head, inner = self.heads, self.inner
        below = [m for m in self.words if head[m] != 0]
        match kind:
            case "arc":
                return [(head[m], m) for m in self.words]
            case "grand":
                return [(head[head[m]], head[m], m) for m in below]
            case "sibling":
                return [(head[m], inner(m), m) for m in self.words]
            case "tri-sibling":
                return [(head[m], inner(s), s, m) for m in self.words if (s := inner(m)) != NONE]
            case "grand-sibling":
                return [(head[head[m]], head[m], inner(m), m) for m in below]
            case "head-bigram":
                return [(head[m - 1], head[m], m - 1, m) for m in self.words if m > 1]
            case "head-trigram":
                return [(head[m - 2], head[m - 1], head[m], m - 2, m - 1, m) for m in self.words if m > 2]
            case "span":
                return [(head[m], m, *self.edges(m)) for m in self.words]
            case "valency":
                return [(h,) for h in range(self.n + 1)]
            case "root":
                return [(m,) for m in self.words if head[m] == 0]
            case "conjunct":
                return [(head[m], self.coordinator(m), m) for m in self.words if self.role(m) == "conjunct"]
            case "adposition":
                return [(head[head[m]], m, head[m]) for m in below if self.role(m) == "case"] + [
                    (head[head[m]], head[m], m) for m in below if self.role(m) == "object"
                ]
            case "crossing":
                return [(head[m], m) for m in self.words if self.crosses(m)]
        raise AssertionError(kind)

    def attribute(self, name: str, m: int) -> int:
        """The value before hashing: a label's number, or a count."""
        left, right = self.edges(m)
        if m == 0:
            left, right = 0, self.n
        dependents = self.dependents(m)
        match name:
            case "left-count":
                return sum(d < m for d in dependents)
            case "right-count":
                return sum(d > m for d in dependents)
            case "size":
                return right - left + 1
            case "left-size":
                return m - left
            case "right-size":
                return right - m
            case "right-branch":
                after = [d for d in dependents if d > m]
                return 1 + self.attribute(name, after[-1]) if after else 0
        raise AssertionError(name)


def mix(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def bucket(count: int) -> int:
    return next((i for i, last in enumerate([0, 1, 2, 3, 4, 6, 9, 14, 20, 30]) if count <= last), 10)


def value_of(atom: str, nodes: dict[str, int], tree: SlowTree, treebank: Treebank) -> int:
    place, attribute = atom.split(".")

    def node(text: str) -> int:
        at = nodes[text[0]]
        if at == NONE:
            return NONE
        at += int(text[1:] or 0)
        return at if 0 <= at <= tree.n + 1 else NONE

    if "~" in place:
        a, b = map(node, place.split("~"))
        if NONE in (a, b):
            return 0
        return mix(1 if a < b else 2) if attribute == "direction" else mix(bucket(abs(a - b)) + 1)
    at = node(place)
    if attribute in TREE_ATTRIBUTES:
        if not 0 <= at <= tree.n:
            return 0
        if attribute == "deprel":
            return 0 if at == 0 else _core.hash_bytes(LABELS[tree.labels[at]].encode(), 3)
        return mix(bucket(tree.attribute(attribute, at)) + 1)
    if at == NONE:
        return 0
    text = "<ROOT>"
    if 1 <= at <= tree.n:
        column = attribute if attribute in ("lemma", "upos", "xpos", "feats") else "form"
        text = treebank.column(column)[at - 1]
        if column == "form" and attribute != "form":
            text = _core.attribute(attribute, text)
    return _core.hash_bytes(text.encode(), mix(ATTRIBUTES.index(attribute) + 1))


def slow_features(templates: list[str], tree: SlowTree, treebank: Treebank, bits: int) -> Counter[int]:
    found: Counter[int] = Counter()
    for line in templates:
        kind, _, rest = line.partition(":")
        atoms = rest.split()
        seed = _core.hash_bytes(" ".join([kind, *sorted(atoms)]).encode(), 2)
        for part in tree.parts(kind):
            nodes = dict(zip(NODES[kind], part, strict=True))
            key = seed
            for atom in atoms:
                if atom != "bias":
                    salt = _core.hash_bytes(atom.encode(), 0) | 1
                    key += value_of(atom, nodes, tree, treebank) * salt
            found[mix(key & MASK) >> (64 - bits)] += 1
    return found


# --- random trees, and templates that look at all there is


@st.composite
def trees(draw, words: int):
    """Heads without a cycle, projective or not, and labels."""
    order = draw(st.permutations(range(1, words + 1)))
    heads = [0] * words
    for i, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:i]]))
    return heads, draw(st.lists(st.integers(0, len(LABELS) - 1), min_size=words, max_size=words))


@st.composite
def sentences(draw, most: int = 9):
    words = draw(st.integers(1, most))
    return words, draw(st.lists(trees(words), min_size=1, max_size=4))


def treebank_of(words: int) -> Treebank:
    forms = [["The", "old", "Dogs", "bark", "3.5", "Öl", "of", "and", "x"][i % 9] for i in range(words)]
    return Treebank.from_words([forms], upos=[[f"T{i % 3}" for i in range(words)]], feats=[["A=b"] * words])


def templates_of(kind: str) -> list[str]:
    nodes = NODES[kind]
    lines = [f"{kind}: bias", f"{kind}: " + " ".join(f"{n}.upos" for n in nodes)]
    lines += [f"{kind}: {n}.{a}" for n in nodes for a in ("lower", *TREE_ATTRIBUTES)]
    lines += [f"{kind}: {n}{d}.form" for n in nodes for d in ("-1", "+1", "-2")]
    lines += [f"{kind}: {nodes[0]}+1.deprel {nodes[-1]}-1.size"]
    lines += [f"{kind}: {a}~{b}.distance {a}~{b}.direction" for a, b in itertools.pairwise(nodes)]
    return lines


def core_features(templates: list[str], given_trees, treebank: Treebank, bits: int) -> list[Counter[int]]:
    found = _core.tree_features(
        templates, LABELS, bits, treebank._core, 0, [t[0] for t in given_trees], [t[1] for t in given_trees]
    )
    return [Counter(features) for features in found]


@pytest.mark.parametrize("kind", NODES)
@settings(max_examples=30)
@given(sentence=sentences())
def test_features_of_a_kind_of_parts_equal_a_slow_reference(kind, sentence):
    words, candidates = sentence
    treebank, templates = treebank_of(words), templates_of(kind)
    slow = [slow_features(templates, SlowTree(*tree), treebank, 30) for tree in candidates]
    assert core_features(templates, candidates, treebank, 30) == slow


# Parts of two kinds, of neighbouring words, that must not be taken for one.
@example(
    sentence=(
        9,
        [
            ([0, 0, 1, 0, 0, 0, 0, 0, 0], [0, 4, 0, 1, 0, 0, 0, 0, 0]),
            ([0, 1, 0, 2, 0, 0, 0, 0, 0], [0, 4, 0, 1, 0, 0, 0, 0, 0]),
        ],
    )
)
@settings(max_examples=50)
@given(sentence=sentences())
def test_what_trees_share_is_found_once_and_changes_nothing(sentence):
    words, candidates = sentence
    treebank, templates = treebank_of(words), features.choose("default", ["upos", "feats"])
    together = core_features(templates, [*candidates, *candidates], treebank, 30)
    alone = [core_features(templates, [tree], treebank, 30)[0] for tree in candidates]
    assert together == alone + alone


def test_default_templates_look_at_every_kind_of_parts():
    assert {line.partition(":")[0] for line in features.default()} == set(NODES)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("h.form m.form", "starts with no kind of parts"),
        ("arcs: h.form", "kinds are arc, grand"),
        ("arc: g.form", "nodes are h, m"),
        ("arc: h.colour", "attributes are form"),
        ("arc: h~m.form", "two nodes have distance, direction"),
        ("arc: h+12.form", "up to nine away"),
        ("arc:", "has no atom"),
        ("arc: h.form h.form", "there twice"),
        ("arc: bias h.form", "stands alone"),
        ("arc: form", "is no atom"),
    ],
)
def test_a_wrong_template_is_refused_with_a_reason(line, why):
    with pytest.raises(FeatureError, match=why):
        features.check([line])


def test_a_template_that_is_there_twice_is_refused():
    with pytest.raises(ValueError, match="there twice"):
        _core.check_ranking_templates(["arc: h.form m.form", "arc: m.form h.form"])


# --- learning


def learnt_slowly(of_trees, losses, order, fine: bool, most: float, bits: int) -> np.ndarray:
    """Algorithm 4, a feature at a time: the mean of the weights after each update."""
    weights = np.zeros(2**bits, np.float32)
    total, updates = np.zeros(2**bits), 0
    for sentence in order:
        phi, loss = of_trees[sentence], losses[sentence]
        groups = sorted(set(loss))
        for j in range(len(groups) - 1 if fine else min(1, len(groups) - 1)):
            scores = [sum(float(weights[f]) * n for f, n in p.items()) for p in phi]
            better = min((t for t in range(len(phi)) if loss[t] == groups[j]), key=lambda t: scores[t])
            worse = max((t for t in range(len(phi)) if loss[t] > groups[j]), key=lambda t: scores[t])
            margin = loss[worse] - loss[better] - (scores[better] - scores[worse])
            change = Counter(phi[better])
            change.subtract(phi[worse])
            norm = sum(n * n for n in change.values())
            if margin > 0 and norm > 0:
                for f, n in change.items():
                    weights[f] += np.float32(min(most, margin / norm) * n)
                total += weights
                updates += 1
    return total / (updates + 1)


@pytest.mark.parametrize("fine", [True, False])
@pytest.mark.parametrize("most", [np.inf, 0.01])
def test_learning_equals_algorithm_4_weight_by_weight(fine, most):
    random = np.random.default_rng(7)
    bits, templates = (
        16,
        ["arc: h.form m.form", "sibling: h.form s.form m.form m.deprel", "valency: h.left-count"],
    )
    treebank = Treebank.from_words([[f"w{random.integers(9)}" for _ in range(6)] for _ in range(5)])
    counts, heads, labels, losses, of_trees = [], [], [], [], []
    for s in range(len(treebank)):
        own = []
        for _ in range(random.integers(2, 7)):
            order = random.permutation(6) + 1
            tree = np.zeros(6, int)
            for i, word in enumerate(order):
                tree[word - 1] = random.choice([0, *order[:i]])
            own.append((tree.tolist(), random.integers(len(LABELS), size=6).tolist()))
        counts.append(len(own))
        losses.append([0, 1, *random.integers(0, 4, len(own) - 2).tolist()])
        of_trees.append(core_features(templates, own, treebank[s : s + 1], bits))
        heads += [h for tree in own for h in tree[0]]
        labels += [label for tree in own for label in tree[1]]
    trainer = _core.RankTrainer(
        treebank._core,
        counts=np.array(counts, np.int32),
        heads=np.array(heads, np.int32),
        labels=np.array(labels, np.int32),
        losses=np.concatenate(losses).astype(np.int32),
        label_names=LABELS,
        templates=templates,
        bits=bits,
        fine=fine,
        aggressiveness=most,
        seed=3,
    )
    for _ in range(3):
        trainer.run(100)
        assert trainer.epoch_is_done
    order = shuffled(range(len(treebank)), epochs=3, seed=3)
    slow = learnt_slowly(of_trees, losses, order, fine, most, bits)
    assert np.abs(slow).max() > 0
    np.testing.assert_allclose(trainer.averaged(), slow, atol=1e-6)


def shuffled(sentences: range, epochs: int, seed: int) -> list[int]:
    """The order of the core's generator."""
    order, state, visited = list(sentences), seed, []
    for _ in range(epochs):
        for i in range(len(order), 1, -1):
            state = (state + 0x9E3779B97F4A7C15) & MASK
            j = int((mix(state) >> 11) * 2.0**-53 * i)
            order[i - 1], order[j] = order[j], order[i - 1]
        visited += order
    return visited


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=6),
    st.sampled_from([0.0, 0.3, 1.0]),
)
def test_the_mixture_is_the_papers(scores, alpha):
    h, c = (np.array(column, float) for column in zip(*scores, strict=True))

    def rescaled(s):
        return (s - s.min()) / (s.max() - s.min()) if s.max() > s.min() else np.zeros_like(s)

    assert _core.best_mixture(h, c, alpha) == int(np.argmax(alpha * rescaled(h) + (1 - alpha) * rescaled(c)))
