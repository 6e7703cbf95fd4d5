r"""Treebanks as JSON Lines: an object a sentence, with all that CoNLL-U says of it (docs/formats.md).

>>> print(treebank_to_json(Treebank.from_words([["Hush"]], upos=[["INTJ"]])), end="")
{"text":"Hush","tokens":[{"id":1,"form":"Hush","upos":"INTJ","start":0,"end":4}]}

`arcwise.json_input` reads them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from arcwise import _core
from arcwise.sentence import Sentence
from arcwise.text import Cursor, word_spans
from arcwise.treebank import Treebank

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def treebank_to_json(treebank: Treebank, cursor: Cursor | None = None, *, ranges: bool = True) -> str:
    """As `treebank_to_json_bytes`, decoded."""
    return treebank_to_json_bytes(treebank, cursor, ranges=ranges).decode()


def treebank_to_json_bytes(treebank: Treebank, cursor: Cursor | None = None, *, ranges: bool = True) -> bytes:
    """A line for each sentence. `start` and `end` go on from part to part of a stream that share a cursor.

    Without `ranges`, it is not said whether they stand in MISC (`TokenRange`) as well.
    """
    return _core.sentences_to_json(
        treebank._core,
        cursor or Cursor(),
        keeps_ranges=ranges,
        before="",
        between="\n",
        after="\n" if len(treebank) else "",
    )


def sentences_to_json(treebank: Treebank, cursor: Cursor | None = None) -> Iterator[str]:
    """The sentences one by one, without line ends."""
    return iter(treebank_to_json(treebank, cursor).split("\n")[:-1])


def document_to_json(treebank: Treebank, text: str) -> str:
    """All sentences in one object, with their text."""
    return _core.sentences_to_json(
        treebank._core,
        Cursor(),
        keeps_ranges=True,
        before=f'{{"text":{_encode(text) if _is_text(text) else json.dumps(text)},"sentences":[',
        between=",",
        after="]}",
    ).decode()


def candidates_to_json(
    treebank: Treebank,
    candidates: Iterable[Iterable[tuple[Sentence, Mapping[str, Any]]]],
    cursor: Cursor | None = None,
) -> Iterator[str]:
    """Several trees of each sentence of a treebank, each with what else is said of it; `start` and `end` of
    all are those of the sentence."""
    spans = [] if treebank.format == "conllx" else word_spans(treebank, cursor)
    for (begin, end), trees in zip(pairwise(treebank.first_words.tolist()), candidates, strict=True):
        for sentence, more in trees:
            told = {key: value for key, value in more.items() if _can_be_told(value)}
            fields = ",".join(f'"{key}":{_encode(value)}' for key, value in told.items())
            yield _core.sentence_to_json(
                sentence._treebank._core,
                sentence._index,
                spans[begin:end],
                keeps_ranges=True,
                fields=fields,
                keys=list(more),
            )


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # halves of characters, which can be written as escapes
        return False
    return True


def _can_be_told(value: Any) -> bool:
    # JSON has no word for infinity.
    return value is not None and (not isinstance(value, float) or math.isfinite(value))


def sentence_to_json(sentence: Sentence) -> str:
    """One sentence, with `start` and `end` in the text of its treebank."""
    spans = [] if sentence.format == "conllx" else sentence._spans
    return _core.sentence_to_json(sentence._treebank._core, sentence._index, spans, keeps_ranges=True)
