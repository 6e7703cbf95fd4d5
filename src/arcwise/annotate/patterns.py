"""Patterns of trees, to search for.

    upos=VERB >nsubj form=dog          a verb that has a dependent nsubj, the word “dog”
    upos=NOUN !>det                    a noun without a dependent det
    lemma=give >obj (upos=NOUN >amod) >iobj
    Case=Dat <obl upos=VERB            a dative that is obl of a verb
    form="New York"|Boston misc=SpaceAfter=No

A word's conditions stand side by side and all hold: `key=value` or `key!=value`, where the key is `form`,
`lemma`, `upos`, `xpos`, `feats`, `deprel`, `misc`, `id`, or a feature such as `Case`. In a value, `*` stands
for anything and `|` for “or”; one with spaces or brackets in it stands in quotes. A value alone is a form.

`>label` asks for a dependent with that label, `<label` for a head whose dependent with that label the word
is; either without a label asks for any; `!` before them asks that there be none. Conditions that follow are
those of that word; brackets hold a word with dependents of its own together. Several dependents may be the
same word.

Searching takes time in proportion to the words and to the pattern: whole columns are compared at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.annotate.refusals import RefusedEditError
from arcwise.annotate.snapshots import Snapshot

MOST_CHARACTERS = 1000
MOST_NODES = 30
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "deprel", "misc")
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<open>\() | (?P<close>\))
        | (?P<arc>!?[<>]) (?P<label>(?:"[^"]*"|[^\s()<>!="])*)
        | (?:(?P<key>[^\s()<>!="|]+)(?P<is>!?=))? (?P<value>(?:"[^"]*"|[^\s()<>"!]|!(?!>|<))+)
    )""",
    re.VERBOSE,
)

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Condition:
    key: str
    values: tuple[str, ...]
    """Any of these; `*` stands for anything."""
    negated: bool = False


class Arc(NamedTuple):
    """A word beside another, by an arc."""

    is_down: bool
    """Whether it is the dependent."""
    labels: tuple[str, ...]
    node: Node
    negated: bool


@dataclass(frozen=True)
class Node:
    """A word that is asked for."""

    conditions: tuple[Condition, ...] = ()
    arcs: tuple[Arc, ...] = ()


class PatternError(RefusedEditError):
    """A pattern that cannot be read; `at` says where."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__("pattern", message, at=at)


class _Token(NamedTuple):
    kind: str
    text: str
    key: str
    negated: bool
    at: int


def read(pattern: str) -> Node:
    """What a pattern asks for.

    >>> read("upos=VERB >nsubj dog").arcs[0].node.conditions
    (Condition(key='form', values=('dog',), negated=False),)
    """
    if len(pattern) > MOST_CHARACTERS:
        raise PatternError(f"A pattern has at most {MOST_CHARACTERS:,} characters.", MOST_CHARACTERS)
    tokens = _tokens(pattern)
    if not tokens:
        raise PatternError("A pattern says what a word is like, such as upos=VERB >nsubj form=dog.", 0)
    if sum(token.kind in ("arc", "open") for token in tokens) >= MOST_NODES:
        raise PatternError(f"A pattern has at most {MOST_NODES} words.", tokens[-1].at)
    node, rest = _node(tokens, 0, top=True)
    if rest < len(tokens):
        raise PatternError("This bracket closes none.", tokens[rest].at)
    return node


def _tokens(pattern: str) -> list[_Token]:
    found, at = [], 0
    end = len(pattern.rstrip())
    while at < end:
        match = _TOKEN.match(pattern, at)
        if match is None or match.end() == at:
            raise PatternError(
                "This cannot be read here.", at + len(pattern[at:]) - len(pattern[at:].lstrip())
            )
        begin = at + len(match[0]) - len(match[0].lstrip())
        if match["open"] or match["close"]:
            found.append(_Token("open" if match["open"] else "close", "", "", False, begin))
        elif match["arc"]:
            found.append(_Token("arc", match["label"], match["arc"][-1], "!" in match["arc"], begin))
        else:
            key = match["key"] or "form"
            found.append(_Token("condition", match["value"], key, match["is"] == "!=", begin))
        at = match.end()
    return found


def _node(tokens: list[_Token], at: int, *, top: bool) -> tuple[Node, int]:
    """A word with its conditions and all its arcs, up to a bracket that closes."""
    conditions, at = _conditions(tokens, at)
    arcs: list[Arc] = []
    while at < len(tokens) and tokens[at].kind == "arc":
        arc = tokens[at]
        if at + 1 < len(tokens) and tokens[at + 1].kind == "open":
            node, at = _node(tokens, at + 2, top=False)
            if at == len(tokens):
                raise PatternError("This bracket is not closed.", arc.at)
            at += 1
        else:
            inner, at = _conditions(tokens, at + 1)
            node = Node(inner)
        arcs.append(Arc(arc.key == ">", _values(arc.text) if arc.text else (), node, arc.negated))
    if at < len(tokens) and (tokens[at].kind == "open" or (tokens[at].kind != "close" and top)):
        raise PatternError("An arc (> or <) goes before a bracket.", tokens[at].at)
    return Node(conditions, tuple(arcs)), at


def _conditions(tokens: list[_Token], at: int) -> tuple[tuple[Condition, ...], int]:
    found = []
    while at < len(tokens) and tokens[at].kind == "condition":
        token = tokens[at]
        found.append(Condition(token.key, _values(token.text), token.negated))
        at += 1
    return tuple(found), at


def _values(text: str) -> tuple[str, ...]:
    """The values between bars; what is in quotes is taken as it is."""
    parts = re.findall(r'"[^"]*"|[^|"]+|\|', text)
    values = [""]
    for part in parts:
        if part == "|":
            values.append("")
        else:
            values[-1] += part.strip('"')
    return tuple(values)


def matches(node: Node, snapshot: Snapshot) -> Mask:
    """Of all words of a file, those that a pattern asks for."""
    found = np.ones(snapshot.treebank.word_count, bool)
    for condition in node.conditions:
        found &= _holds(condition, snapshot)
    for arc in node.arcs:
        others = matches(arc.node, snapshot)
        heads = snapshot.heads
        if arc.is_down:
            others = others & (heads >= 0)
            if arc.labels:
                others &= _holds(Condition("deprel", arc.labels), snapshot)
            has = np.zeros(len(found), bool)
            has[heads[others]] = True
        else:
            has = (heads >= 0) & others[heads]
            if arc.labels:
                has &= _holds(Condition("deprel", arc.labels), snapshot)
        found &= ~has if arc.negated else has
    return found


def _holds(condition: Condition, snapshot: Snapshot) -> Mask:
    """The words of which a condition holds: it is looked at once for each value that there is."""
    tests = [_test(value) for value in condition.values]

    def fits(value: str) -> bool:
        return any(test(value) for test in tests)

    if condition.key == "id":
        firsts = snapshot.treebank.first_words[snapshot.sentences]
        numbers = np.arange(len(firsts)) - firsts + 1
        places = [int(value) for value in condition.values if value.isdecimal()]
        same: Mask = np.isin(numbers, places) != condition.negated
        return same
    if condition.key in COLUMNS:
        codes, values = snapshot.column(condition.key)
        listed = condition.key in ("feats", "misc")
        good = [fits(value) or (listed and any(map(fits, value.split("|")))) for value in values]
    else:
        codes, values = snapshot.column("feats")
        wanted = condition.key + "="
        good = []
        for value in values:
            own = [item[len(wanted) :] for item in value.split("|") if item.startswith(wanted)]
            good.append(any(fits(one) for item in own for one in (item, *item.split(","))))
    absent = fits("_") and condition.key in COLUMNS
    table = np.array([*good, absent], bool)
    found: Mask = table[codes] != condition.negated
    return found


def _test(value: str) -> Callable[[str], bool]:
    """Whether a text is like a value; patterns of stars take time in proportion to it."""
    if "*" not in value:
        return lambda text: text == value
    first, *inner, last = value.split("*")

    def test(text: str) -> bool:
        if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
            return False
        at, end = len(first), len(text) - len(last)
        for part in inner:
            place = text.find(part, at, end)
            if place < 0:
                return False
            at = place + len(part)
        return True

    return test


def search(pattern: str, snapshot: Snapshot) -> dict[int, list[int]]:
    """By the keys of sentences, the words (counted from 1) that a pattern asks for."""
    found = np.flatnonzero(matches(read(pattern), snapshot))
    sentences = snapshot.sentences[found]
    firsts = snapshot.treebank.first_words[sentences]
    made: dict[int, list[int]] = {}
    for sentence, word in zip(sentences.tolist(), (found - firsts + 1).tolist(), strict=True):
        made.setdefault(snapshot.keys[sentence], []).append(word)
    return made
