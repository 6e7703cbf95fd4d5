"""What the trees of a treebank are never like, learnt from it: rules that a parser keeps to.

>>> from arcwise import Treebank
>>> garden = Treebank.read("examples/garden/train.conllu")
>>> grammar = learn(garden, least=20)
>>> print(grammar.rules[0])
no NOUN is det
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from arcwise._numpy import np
from arcwise.errors import ModelError, OptionError
from arcwise.treebank import Sentence, Treebank, can_be_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST = 50
"""How often a label, a tag, and the two together if either came as it likes, must be expected for a rule."""
MOST_TAGS = 64
MOST_LABELS = 64
SIDES = ("left", "right")
_WORDS_AT_ONCE = 100_000
_NEARLY_ALL, _HARDLY_ANY = 0.99, 0.01
_MANY = 10
"""Times as many as are enough for a rule."""
_COMPLETIONS = 8

KINDS = ("tag", "head-tag", "side", "parent", "sibling")
"""Of rules, by what a label never goes with: the tag of its word, the tag of the head, a side of the head,
the label of the head, the label of another dependent of the head. In the order of the core (task/grammar.h).
"""
_SENTENCES = {
    "tag": "no {other} is {label}",
    "head-tag": "no {other} has a dependent that is {label}",
    "side": "no {label} stands to the {other} of its head",
    "parent": "no {label} is a dependent of one that is {other}",
    "sibling": "no head has both {label} and {other}",
}


class Rule(NamedTuple):
    """A label and something that it never goes with."""

    kind: str
    """One of `KINDS`."""
    label: str
    other: str
    """A tag, a side (`left` or `right`) or another label."""

    def __str__(self) -> str:
        if self.kind == "sibling" and self.label == self.other:
            return f"no head has two that are {self.label}"
        return _SENTENCES[self.kind].format(label=self.label, other=self.other)


class Violation(NamedTuple):
    """Where a tree breaks a rule."""

    rule: Rule
    sentence: int
    """Its number, counted from 0."""
    words: tuple[int, ...]
    """Those that it is about, counted from 1: a dependent and its head, or two dependents and their head."""

    def __str__(self) -> str:
        return f"{self.rule}: {', '.join(map(str, self.words))}"


class _Trees:
    """The arcs of some sentences, their words numbered through all of them."""

    def __init__(self, treebank: Treebank, tags: Sequence[str], labels: Sequence[str]) -> None:
        """Tags and labels are numbered as they are given; -1 is another one, or none."""
        own, names = treebank.categories("upos")
        self.tags = _renumbered(own, names, tags)
        self.labels = _renumbered(treebank.labels, treebank.label_names, labels)
        first = treebank.first_words
        self.sentences = np.repeat(np.arange(len(treebank)), np.diff(first))
        self.firsts = first[self.sentences]
        heads = treebank.heads
        self.has_head = heads > 0
        self.heads = np.where(self.has_head, self.firsts + heads - 1, -1)
        """-1: ROOT, or not known."""

    def of_arcs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The dependents with a label whose head is a word, and these heads."""
        dependents = np.flatnonzero(self.has_head & (self.labels >= 0))
        return dependents, self.heads[dependents]

    def dependents(self, labels: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All words that have dependents, and how many with each label."""
        dependents, heads = self.of_arcs()
        known, places = np.unique(heads, return_inverse=True)
        counts = np.bincount(places * labels + self.labels[dependents], minlength=len(known) * labels)
        return known, counts.reshape(len(known), labels)


@dataclass(frozen=True)
class Grammar:
    """Rules that all trees of a treebank keep to. Get one with `learn`."""

    rules: tuple[Rule, ...]
    least: int = LEAST
    completions: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """For words of a tag that a system gives a head for want of another: labels, the most frequent first."""

    def __len__(self) -> int:
        return len(self.rules)

    def __str__(self) -> str:
        counts = Counter(rule.kind for rule in self.rules)
        return f"{len(self.rules):,} rules: " + ", ".join(f"{kind} {counts[kind]}" for kind in KINDS)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Those that rules are of."""
        return tuple(dict.fromkeys(rule.other for rule in self.rules if rule.kind in ("tag", "head-tag")))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Those that rules and completions are of."""
        named: list[tuple[str, ...]] = [
            (rule.label, rule.other) if rule.kind in ("parent", "sibling") else (rule.label,)
            for rule in self.rules
        ]
        named += [labels for _, labels in self.completions]
        return tuple(dict.fromkeys(label for labels in named for label in labels))

    def for_the_core(
        self, label_names: Sequence[str], used: Collection[int] | None = None
    ) -> tuple[list[str], list[tuple[int, int, int]], list[list[int]]]:
        """Tags, rules and completions as the core takes them, for a parser with these labels.

        Where it does not use them all, only those that have these numbers count.
        """
        number = {name: i for i, name in enumerate(label_names) if used is None or i in used}
        others = {"tag": self.tags, "head-tag": self.tags, "side": SIDES}
        rules = []
        for rule in self.rules:
            label = number.get(rule.label)
            known = others.get(rule.kind)
            other = number.get(rule.other) if known is None else known.index(rule.other)
            if label is not None and other is not None:
                rules.append((KINDS.index(rule.kind), label, other))
        known_for = dict(self.completions)
        completions = [
            [number[name] for name in known_for.get(tag, ()) if name in number] for tag in self.tags
        ]
        return list(self.tags), rules, completions

    def violations(self, trees: Treebank | Sentence) -> list[Violation]:
        """Where trees break rules, from sentence to sentence.

        >>> grammar = Grammar((Rule("sibling", "nsubj", "nsubj"), Rule("tag", "nsubj", "VERB")))
        >>> words = Treebank.from_words([["She", "he", "sleeps"]], upos=[["PRON", "PRON", "VERB"]])
        >>> tree = words.with_trees([3, 3, 0], [0, 0, 1], ["nsubj", "root"])
        >>> [str(violation) for violation in grammar.violations(tree)]
        ['no head has two that are nsubj: 1, 2, 3']
        """
        treebank = trees if isinstance(trees, Treebank) else trees._treebank.select([trees._index])
        found = list(self._violations(treebank)) if self.rules else []
        return sorted(found, key=lambda violation: (violation.sentence, violation.words))

    def _violations(self, treebank: Treebank) -> Iterator[Violation]:
        seen = _Trees(treebank, self.tags, self.labels)
        tag = {name: i for i, name in enumerate(self.tags)}
        label = {name: i for i, name in enumerate(self.labels)}
        side = {name: i for i, name in enumerate(SIDES)}
        others_of = {"tag": tag, "head-tag": tag, "side": side, "parent": label, "sibling": label}
        # What is not known, -1, has the last row and column.
        table = {kind: np.zeros((len(label) + 1, len(own) + 1), bool) for kind, own in others_of.items()}
        for rule in self.rules:
            table[rule.kind][label[rule.label], others_of[rule.kind][rule.other]] = True

        def told(
            kind: str, names: Sequence[str], words: NDArray[Any], others: NDArray[Any]
        ) -> Iterator[Violation]:
            broken = table[kind][seen.labels[words], others]
            for word, other in zip(words[broken].tolist(), others[broken].tolist(), strict=True):
                first = int(seen.firsts[word]) - 1
                head = () if seen.heads[word] < 0 else (int(seen.heads[word]) - first,)
                rule = Rule(kind, self.labels[seen.labels[word]], names[other])
                yield Violation(rule, int(seen.sentences[word]), (word - first, *head))

        words = np.flatnonzero(seen.labels >= 0)
        yield from told("tag", self.tags, words, seen.tags[words])
        words, heads = seen.of_arcs()
        yield from told("head-tag", self.tags, words, seen.tags[heads])
        yield from told("side", SIDES, words, (words > heads).astype(np.int64))
        yield from told("parent", self.labels, words, seen.labels[heads])
        siblings = table["sibling"][:-1, :-1]
        heads, counts = seen.dependents(len(label))
        for a, b in np.argwhere(siblings).tolist():
            broken = counts[:, a] > 1 if a == b else (counts[:, a] > 0) & (counts[:, b] > 0)
            for head in heads[broken].tolist():
                first = int(seen.firsts[head]) - 1
                pair = [np.flatnonzero((seen.heads == head) & (seen.labels == of)) for of in (a, b)]
                ids = tuple(int(word) - first for word in (*sorted((pair[0][0], pair[1][-1])), head))
                rule = Rule("sibling", self.labels[a], self.labels[b])
                yield Violation(rule, int(seen.sentences[head]), ids)

    def forbidden(self, treebank: Treebank) -> Forbidden:
        """How many trees break rules, and which."""
        found = self.violations(treebank)
        rules = Counter(violation.rule for violation in found)
        return Forbidden(len({violation.sentence for violation in found}), len(treebank), dict(rules))

    def kept_by(self, treebank: Treebank) -> Grammar:
        """The rules that other trees keep to as well."""
        broken = self.forbidden(treebank).rules
        kept = tuple(rule for rule in self.rules if rule not in broken)
        return Grammar(kept, self.least, self.completions)

    def to_header(self) -> dict[str, Any]:
        """As a model file has it."""
        tags, rules, completions = self.for_the_core(self.labels)
        return {
            "least": self.least,
            "tags": tags,
            "labels": list(self.labels),
            "rules": [list(rule) for rule in rules],
            "completions": completions,
        }

    @classmethod
    def from_header(cls, header: Any) -> Grammar:
        """What `to_header` gave. All of it is checked.

        Raises:
            ModelError: There cannot be such a grammar.
        """
        damaged = ModelError("The grammar is damaged: get the file again, or learn it again.")

        def demand(holds: bool) -> None:
            if not holds:
                raise damaged

        def are_places(places: Any, within: Sequence[Sequence[Any]]) -> bool:
            return (
                isinstance(places, list)
                and len(places) == len(within)
                and all(type(p) is int and 0 <= p < len(own) for p, own in zip(places, within, strict=True))
            )

        names = ("least", "tags", "labels", "rules", "completions")
        demand(isinstance(header, Mapping) and set(header) == set(names))
        least, tags, labels, given, completions = (header[name] for name in names)
        demand(type(least) is int and least >= 1)
        for own in (tags, labels):
            demand(isinstance(own, list) and all(map(can_be_label, own)) and len(set(own)) == len(own))
        demand(len(tags) <= MOST_TAGS and isinstance(given, list))
        demand(isinstance(completions, list) and len(completions) == len(tags))
        rules = []
        for rule in given:
            demand(isinstance(rule, list) and are_places(rule[:2], (KINDS, labels)))
            others = (tags, tags, SIDES, labels, labels)[rule[0]]
            demand(are_places(rule, (KINDS, labels, others)))
            rules.append(Rule(KINDS[rule[0]], labels[rule[1]], others[rule[2]]))
        for of_tag in completions:
            demand(isinstance(of_tag, list) and are_places(of_tag, [labels] * len(of_tag)))
        demand(len(_labels_in_pairs(rules)) <= MOST_LABELS)
        by_tag = ((tag, tuple(labels[i] for i in own)) for tag, own in zip(tags, completions, strict=True))
        return cls(tuple(rules), least, tuple((tag, own) for tag, own in by_tag if own))


class Forbidden(NamedTuple):
    """What the trees of a treebank break."""

    sentences: int
    """That break a rule."""
    of: int
    """So many that there are."""
    rules: dict[Rule, int]
    """How often each rule is broken."""

    def of_kind(self, kind: str) -> int:
        """How often rules of a kind are."""
        return sum(count for rule, count in self.rules.items() if rule.kind == kind)


def learn(treebank: Treebank, *, least: int = LEAST) -> Grammar:
    """The rules that all trees of a treebank keep to, though there was every opportunity not to.

    A label and a tag never go together if both are seen `least` times, if they would be expected together
    that often were either distributed as it is among all words, and if they are never seen so. The same holds
    for a label and the tag, the label or the side of a head, and for two dependents of one head. Where a tag
    nearly always has one label, or words of a tag or a label hardly have dependents, the other label may be
    seldom.

    >>> treebank = Treebank.from_words([["Dogs", "bark"]] * 60, upos=[["NOUN", "VERB"]] * 60)
    >>> treebank = treebank.with_trees([2, 0] * 60, [0, 1] * 60, ["nsubj", "root"])
    >>> for rule in learn(treebank, least=30).rules:
    ...     print(rule)
    no VERB is nsubj
    no NOUN is root
    no NOUN has a dependent that is nsubj
    no nsubj stands to the right of its head
    no nsubj is a dependent of one that is nsubj
    no head has two that are nsubj
    """
    if least < 1:
        raise OptionError("A rule is seen to hold at least once: least must be 1 or more.")
    codes, tag_names = treebank.categories("upos")
    label_counts = np.bincount(treebank.labels[treebank.labels >= 0], minlength=len(treebank.label_names))
    tag_counts = np.bincount(codes[codes >= 0], minlength=len(tag_names))
    tags = _most_frequent(tag_names, tag_counts, least)[:MOST_TAGS]
    labels = _most_frequent(treebank.label_names, label_counts, 1)
    n, t = len(labels), len(tags)
    words = arcs = heads = 0
    of_tag, seen_tag, seen_head_tag = np.zeros(t), np.zeros((n, t)), np.zeros((n, t))
    of_label, under_word, seen_side = np.zeros(n), np.zeros(n), np.zeros((n, 2))
    having, seen_parent, seen_sibling = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
    completing = np.zeros((n, t))
    for part in _parts(treebank):
        seen = _Trees(part, tags, labels)
        words += part.word_count
        of_tag += _counted(t, seen.tags)
        of_label += _counted(n, seen.labels)
        seen_tag += _counted_pairs(n, t, seen.labels, seen.tags)
        dependents, above = seen.of_arcs()
        arcs += len(dependents)
        own = seen.labels[dependents]
        under_word += _counted(n, own)
        seen_head_tag += _counted_pairs(n, t, own, seen.tags[above])
        seen_side += _counted_pairs(n, 2, own, (dependents > above).astype(np.int64))
        seen_parent += _counted_pairs(n, n, own, seen.labels[above])
        late = (dependents > above) & ~seen.has_head[above]  # dependents of root words, to their right
        completing += _counted_pairs(n, t, own[late], seen.tags[dependents[late]])
        known, counts = seen.dependents(n)
        has = (counts > 0).astype(np.float32)
        together = has.T @ has
        np.fill_diagonal(together, (counts > 1).sum(axis=0))
        seen_sibling += together
        having += has.sum(axis=0)
        heads += len(known)
    words, heads = max(words, 1), max(heads, 1)
    often = of_label >= least
    halves = np.full(2, 0.5)
    pairs = {
        "tag": (seen_tag, np.outer(of_label, of_tag / words), tags),
        "head-tag": (seen_head_tag, np.outer(under_word, of_tag / words), tags),
        "side": (seen_side, np.outer(under_word, halves), SIDES),
        "parent": (seen_parent, np.outer(under_word, of_label / words), labels),
        "sibling": (seen_sibling, np.triu(np.outer(having, having / heads)), labels),
    }
    # Of a tag whose words nearly all have one label, and of a tag or a label whose words hardly have any
    # dependents, there is enough to tell from, however seldom the other label is.
    of_one_label = seen_tag.max(axis=0, initial=0) >= _NEARLY_ALL * of_tag
    leaf_tags = seen_head_tag.sum(axis=0) <= _HARDLY_ANY * of_tag
    leaf_labels = seen_parent.sum(axis=0) <= _HARDLY_ANY * of_label
    decided = {
        "tag": of_one_label & (of_tag >= _MANY * least),
        "head-tag": leaf_tags & (of_tag >= _MANY * least),
        "parent": leaf_labels & (of_label >= _MANY * least),
    }
    rules = []
    for kind, (count, expected, others) in pairs.items():
        enough = (expected >= least) & often[:, None]
        if kind in ("parent", "sibling"):
            enough &= often
        unseen = (count == 0) & (enough | decided.get(kind, np.zeros(len(others), bool)))
        if kind in ("parent", "sibling"):
            unseen[MOST_LABELS:], unseen[:, MOST_LABELS:] = False, False
        rules += [Rule(kind, labels[a], others[b]) for a, b in np.argwhere(unseen).tolist()]
    tags_of_rules = {rule.other for rule in rules if rule.kind in ("tag", "head-tag")}
    completions = []
    for number, tag in enumerate(tags):
        order = np.argsort(-completing[:, number], kind="stable")[:_COMPLETIONS]
        likely = tuple(labels[i] for i in order if completing[i, number] > 0)
        if likely and tag in tags_of_rules:
            completions.append((tag, likely))
    # In the order in which rules name tags, as a file has them.
    place = {tag: i for i, tag in enumerate(Grammar(tuple(rules)).tags)}
    completions.sort(key=lambda of_tag: place[of_tag[0]])
    return Grammar(tuple(rules), least, tuple(completions))


def _parts(treebank: Treebank) -> Iterator[Treebank]:
    begin, first = 0, treebank.first_words
    while begin < len(treebank):
        end = int(np.searchsorted(first, first[begin] + _WORDS_AT_ONCE))
        end = min(max(end, begin + 1), len(treebank))
        yield treebank[begin:end]
        begin = end


def _most_frequent(names: Sequence[str], counts: NDArray[Any], least: int) -> list[str]:
    order = sorted(range(len(names)), key=lambda i: (-int(counts[i]), i))
    return [names[i] for i in order if counts[i] >= least]


def _renumbered(codes: NDArray[Any], names: Sequence[str], wanted: Sequence[str]) -> NDArray[np.int64]:
    number = {name: i for i, name in enumerate(wanted)}
    numbers: NDArray[np.int64] = np.array([*(number.get(name, -1) for name in names), -1], dtype=np.int64)
    return np.asarray(numbers[codes], dtype=np.int64)


def _counted(size: int, values: NDArray[Any]) -> NDArray[np.int64]:
    return np.bincount(values[values >= 0], minlength=size)


def _counted_pairs(rows: int, columns: int, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.int64]:
    known = (a >= 0) & (b >= 0)
    counts: NDArray[np.int64] = np.bincount(a[known] * columns + b[known], minlength=rows * columns)
    return counts.reshape(rows, columns)


def _labels_in_pairs(rules: Iterable[Rule]) -> set[str]:
    return {name for rule in rules if rule.kind in ("parent", "sibling") for name in (rule.label, rule.other)}
