"""`/api/v1/trace`: a derivation step by step, a model's or an oracle's, with moves taken by hand.

Nothing is kept between requests: the moves by hand are in each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arcwise import names
from arcwise.errors import OptionError
from arcwise.given_tags import TAGS
from arcwise.pipeline import Pipeline
from arcwise.sentence import Sentence
from arcwise.serve.drawing import Drawing
from arcwise.serve.models import Models
from arcwise.trace import Trace
from arcwise.trace_output import to_view
from arcwise.transitions import System
from arcwise.treebank import Treebank

MOST_WORDS = 250
"""Of a sentence."""
MOST_MOVES = 150_000
"""In all steps together."""
MOST_BY_HAND = 2_000
MOST_TOLD = 500
"""Sentences of a text whose beginnings are told."""
SHOWN_MOVES = 12

KEYS = (
    "model", "system", "text", "conllu", "sentences", "sentence", "gold", "moves", "follow", "root", "tags",
    "all_moves_of", "drawing",
)  # fmt: skip
_MUST_BE_MOVES = '“moves” must be an object of moves by step, such as {"12": "SHIFT"}.'


def trace(body: Mapping[str, Any], models: Models, systems: Sequence[System] = ()) -> dict[str, Any]:
    """The answer to a request, as docs/traces.md has it; `systems` are those that are written in Python."""
    if unknown := [str(key) for key in body if key not in KEYS]:
        raise OptionError(f"A trace has no “{unknown[0]}”, but {', '.join(KEYS)}.")
    name, system = _text(body, "model"), _text(body, "system")
    pipeline = None
    if name is not None or system is None:
        name, pipeline = models.find(name)
    sentences = _sentences(body, pipeline)
    number = _number(body, "sentence", 1)
    if number > len(sentences):
        raise OptionError(f"There is no sentence {number}: the text has {len(sentences)}.")
    sentence = sentences[number - 1]
    if len(sentence) > MOST_WORDS:
        raise OptionError(
            f"The sentence has {len(sentence):,} words, and {MOST_WORDS} can be shown: choose a shorter one."
        )
    drawing = Drawing.from_json(body.get("drawing") or {})
    moves = _by_hand(body.get("moves"))
    if system is not None:
        known = systems_by_name(systems)
        if system not in known:
            raise OptionError(f"There is no system “{system}”: choose one of {', '.join(known)}.")
        if pipeline is not None:
            sentence = pipeline.parse(sentence)[0]
        found = Trace.of_gold(sentence, known[system], root=_root(body), moves=moves, most_moves=MOST_MOVES)
    else:
        assert pipeline is not None
        found = pipeline.trace(
            sentence,
            gold=_gold(body, sentence, number, pipeline),
            tags=_one_of(body, "tags", TAGS),
            moves=moves,
            follow=_follow(body.get("follow", "model")),
            most_moves=MOST_MOVES,
        )
    view = to_view(
        found, drawing.width, most_moves=SHOWN_MOVES, all_of=_number(body, "all_moves_of", 0, least=0)
    )
    return {
        "model": name,
        "sentence": number,
        "sentences": [_beginning(one) for one in sentences[:MOST_TOLD]],
        "count": len(sentences),
        **view,
    }


def systems_by_name(own: Sequence[System]) -> dict[str, str | System]:
    """The built-in ones, and those that are written in Python."""
    known: dict[str, str | System] = {name: name for name in names.SYSTEMS}
    return {**known, **{str(one): one for one in own}}


def _sentences(body: Mapping[str, Any], pipeline: Pipeline | None) -> Treebank:
    given = [key for key in ("text", "conllu", "sentences") if body.get(key) is not None]
    if len(given) != 1:
        raise OptionError("Give the sentence as “text”, as “conllu”, or its words as “sentences”.")
    if given == ["conllu"]:
        conllu = _text(body, "conllu") or ""
        treebank = Treebank.from_string(conllu, check_trees=False, source="the CoNLL-U")
    elif pipeline is None:
        raise OptionError(
            "An oracle builds a gold tree: give it as “conllu”, or name a “model” whose tree is taken for it."
        )
    elif given == ["text"]:
        text = _text(body, "text") or ""
        treebank = pipeline.demand("segmenter").segment(text, errors="replace", source="the text")
    else:
        words = body["sentences"]
        if not isinstance(words, list) or not all(
            isinstance(one, list) and one and all(isinstance(word, str) and word for word in one)
            for one in words
        ):
            raise OptionError("“sentences” must be a list of lists of words.")
        treebank = Treebank.from_words(words)
    if not len(treebank):
        raise OptionError("There are no words in the text: type a sentence.")
    return treebank


def _gold(body: Mapping[str, Any], sentence: Sentence, number: int, pipeline: Pipeline) -> Sentence | None:
    """The tree in the CoNLL-U (true), the model's (own), or a given one, of each sentence or of this."""
    given = body.get("gold")
    if given is None or given is False:
        return None
    if given == "own":
        return pipeline.parse(sentence)[0]
    if given is True:
        if body.get("conllu") is None:
            raise OptionError("Raw text has no gold tree: give “conllu”, or leave “gold” out.")
        if any(head is None or head < 0 for head in sentence.heads):
            raise OptionError(
                "The sentence has words without a head: give the whole tree, or leave “gold” out."
            )
        return sentence
    if not isinstance(given, str):
        raise OptionError("“gold” must be a tree in CoNLL-U, true if it stands in “conllu”, or own.")
    trees = Treebank.from_string(given, source="the gold tree")
    if len(trees) != 1 and number > len(trees):
        raise OptionError(f"There is no gold tree of sentence {number}: “gold” has {len(trees)} trees.")
    return trees[0 if len(trees) == 1 else number - 1]


def _by_hand(given: Any) -> dict[int, str]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or len(given) > MOST_BY_HAND:
        raise OptionError(_MUST_BE_MOVES)
    moves = {}
    for step, move in given.items():
        if not _is_step(step) or not isinstance(move, str) or not move:
            raise OptionError(_MUST_BE_MOVES)
        moves[int(step)] = move
    return moves


def _follow(given: Any) -> Any:
    if isinstance(given, str):
        return given
    if (
        not isinstance(given, Mapping)
        or len(given) > MOST_BY_HAND
        or not all(_is_step(step) and isinstance(who, str) for step, who in given.items())
    ):
        raise OptionError('“follow” must be "model", "oracle", or who it is by step: {"12": "oracle"}.')
    return {int(step): who for step, who in given.items()}


def _is_step(step: Any) -> bool:
    return isinstance(step, str) and step.isascii() and step.isdecimal() and 1 <= len(step) <= 9


def _root(body: Mapping[str, Any]) -> str:
    return str(_one_of(body, "root", ("last", "first")))


def _one_of(body: Mapping[str, Any], key: str, known: Sequence[Any]) -> Any:
    value = body.get(key, known[0])
    if value not in known:
        raise OptionError(f"“{key}” must be one of {', '.join(known)}.")
    return value


def _text(body: Mapping[str, Any], key: str) -> str | None:
    value = body.get(key)
    if value is not None and not isinstance(value, str):
        raise OptionError(f"“{key}” must be a text.")
    return value


def _number(body: Mapping[str, Any], key: str, default: int, least: int = 1) -> int:
    value = body.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise OptionError(f"“{key}” must be a whole number from {least}.")
    return value


def _beginning(sentence: Sentence) -> str:
    text = sentence.text
    return text if len(text) <= 80 else text[:79].rstrip() + "…"
