r"""Treebanks as JSON Lines: an object a sentence, with all that CoNLL-U says of it (docs/formats.md).

>>> print(treebank_to_json(Treebank.from_words([["Hush"]], upos=[["INTJ"]])), end="")
{"text":"Hush","tokens":[{"id":1,"form":"Hush","upos":"INTJ","start":0,"end":4}]}
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from arcwise.sentence import NO_VALUE, Sentence
from arcwise.text import Cursor, without_range, word_spans
from arcwise.treebank import Treebank

Spans: TypeAlias = Sequence[tuple[int, int]]

_PROBABILITIES = {"HeadProb": "head_prob", "DeprelProb": "deprel_prob"}
_PROBABILITY = re.compile(r"0(\.[0-9]+)?|1(\.0+)?")  # as the core reads them in MISC
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def treebank_to_json(treebank: Treebank, cursor: Cursor | None = None) -> str:
    """A line for each sentence. `start` and `end` go on from part to part of a stream that share a cursor."""
    return "".join(f"{line}\n" for line in sentences_to_json(treebank, cursor))


def sentences_to_json(treebank: Treebank, cursor: Cursor | None = None) -> Iterator[str]:
    """The sentences one by one, without line ends."""
    return candidates_to_json(treebank, ([(sentence, {})] for sentence in treebank), cursor)


def candidates_to_json(
    treebank: Treebank,
    candidates: Iterable[Iterable[tuple[Sentence, Mapping[str, Any]]]],
    cursor: Cursor | None = None,
) -> Iterator[str]:
    """Several trees of each sentence of a treebank, each with what else is said of it; `start` and `end` of
    all are those of the sentence."""
    spans = None if treebank.format == "conllx" else word_spans(treebank, cursor)
    writer = _Writer()
    for (begin, end), trees in zip(pairwise(treebank.first_words.tolist()), candidates, strict=True):
        for sentence, more in trees:
            yield writer.sentence(sentence, spans and spans[begin:end], more)


def sentence_to_json(sentence: Sentence) -> str:
    """One sentence, with `start` and `end` in the text of its treebank."""
    conllu = sentence.format == "conllu"
    return _Writer().sentence(sentence, [(token.start, token.end) for token in sentence] if conllu else None)


class _Fields(dict[str, str]):
    """A column's values as what they are in JSON, made once for each value that occurs."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __missing__(self, value: str) -> str:
        self[value] = "" if value == NO_VALUE else self.field(value)
        return self[value]

    def field(self, value: str) -> str:
        return f",{_field(self.key, value)}"


class _KeyedFields(_Fields):
    """As `_Fields`, of columns of the kind `Case=Nom|Number=Sing`; some keys may be probabilities."""

    def __init__(self, key: str, probabilities: Mapping[str, str]) -> None:
        super().__init__(key)
        self.probabilities = probabilities

    def field(self, value: str) -> str:
        items: dict[str, Any] = {}
        fields = []
        parts = [item.partition("=") for item in value.split("|")]
        counts = Counter(key for key, equals, _ in parts if equals)
        for key, equals, text in parts:
            if key in self.probabilities and counts[key] == 1 and _PROBABILITY.fullmatch(text):
                fields.append(f',"{self.probabilities[key]}":{text}')
            elif key in items:  # rare, but nothing is to be lost
                earlier = items[key] if isinstance(items[key], list) else [items[key]]
                items[key] = [*earlier, text if equals else None]
            else:
                items[key] = text if equals else None
        if items:
            fields.insert(0, f",{_field(self.key, items)}")
        return "".join(fields)


class _Writer:
    """Spells sentences in JSON, and remembers how values are spelled."""

    def __init__(self) -> None:
        self._columns = [_Fields(key) for key in ("lemma", "upos", "xpos")] + [_KeyedFields("feats", {})]
        self._deprels, self._deps = _Fields("deprel"), _Fields("deps")
        self._misc = _KeyedFields("misc", _PROBABILITIES)

    def sentence(self, sentence: Sentence, spans: Spans | None, more: Mapping[str, Any] | None = None) -> str:
        words: list[str] = []
        multiwords: list[str] = []
        empty_nodes: list[str] = []
        heads = sentence.heads.tolist()
        places = ["" if spans is None else f',"start":{start},"end":{end}' for start, end in spans or ()]
        for row in sentence.rows:
            id = row[0]
            if id.isdecimal():
                head = heads[len(words)]
                place = places[len(words)] if places else ""
                words.append(self._row(id, row, place, "" if head < 0 else f',"head":{head}'))
            elif "-" in id:
                first, last = id.split("-")
                place = places[int(first) - 1] if places else ""
                multiwords.append(self._row(f"[{first},{last}]", row, place))
            else:
                empty_nodes.append(self._row(f'"{id}"', row))
        fields = [
            *_sentence_fields(sentence, more or {}),
            f'"tokens":[{",".join(words)}]',
            *([f'"multiword_tokens":[{",".join(multiwords)}]'] if multiwords else ()),
            *([f'"empty_nodes":[{",".join(empty_nodes)}]'] if empty_nodes else ()),
        ]
        return "{" + ",".join(fields) + "}"

    def _row(self, id: str, row: Sequence[str], place: str = "", head: str = "") -> str:
        _, form, lemma, upos, xpos, feats, _, deprel, deps, misc = row
        if place:  # which says the same
            misc = without_range(misc)
        lemmas, uposes, xposes, features = self._columns
        return (
            f'{{"id":{id},"form":{_encode(form)}{lemmas[lemma]}{uposes[upos]}{xposes[xpos]}{features[feats]}'
            f"{head}{self._deprels[deprel]}{self._deps[deps]}{place}{self._misc[misc]}}}"
        )


def _sentence_fields(sentence: Sentence, more: Mapping[str, Any]) -> Iterator[str]:
    told = {"sent_id", "text", *more}
    values: dict[str, Any] = {
        "sent_id": sentence.id,
        "text": sentence.text,
        "comments": [comment for comment in sentence.comments if _key_of(comment) not in told] or None,
        "log_prob": sentence.log_prob,
        "entropy": sentence.entropy,
        **more,
    }
    return (_field(key, value) for key, value in values.items() if _can_be_told(value))


def _can_be_told(value: Any) -> bool:
    # JSON has no word for infinity.
    return value is not None and (not isinstance(value, float) or math.isfinite(value))


def _field(key: str, value: Any) -> str:
    return f'"{key}":{_encode(value)}'


def _key_of(comment: str) -> str | None:
    """That of a comment `# key = value`."""
    key, equals, _ = comment.removeprefix("#").partition("=")
    return key.strip() if equals else None
