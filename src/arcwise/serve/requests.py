"""Bodies of requests: dataclasses whose fields say what they take, once, for the checks and for OpenAPI.

>>> Segment.from_body({"text": "Hush.", "modell": "en"})
Traceback (most recent call last):
    ...
arcwise.serve.requests.RequestError: There is no “modell” here: choose from lines, model, text.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from arcwise.constraints import Constraints
from arcwise.errors import ArcwiseError
from arcwise.given_tags import TAGS

MOST_BEAM = 64
MOST_BEST = 32
MOST_SAMPLES = 1000
LEAST_WIDTH, MOST_WIDTH = 100, 20_000
INPUTS = ("text", "conllu", "sentences")
COLUMNS = ("lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")

Schema = Mapping[str, Any]
Own = TypeVar("Own", bound="Body")


class RequestError(ArcwiseError, ValueError):
    """What was asked makes no sense: the message says where, and what to do."""

    def __init__(self, message: str, status: int = 422) -> None:
        super().__init__(message)
        self.status = status


def asked(help: str, default: Any = None, **schema: Any) -> Any:
    """A field of a body, with its JSON Schema."""
    if default is not None and not callable(default):
        schema["default"] = default
    return dataclasses.field(default=default, metadata={"schema": {**schema, "description": help}})


class Body:
    """What all bodies have."""

    ONE_OF: ClassVar[tuple[str, ...]] = ()
    """Fields of which there must be exactly one."""
    NEEDS: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """The JSON Schema of such a body."""
        properties = {field.name: dict(field.metadata["schema"]) for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        made: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        if cls.NEEDS:
            made["required"] = list(cls.NEEDS)
        if cls.ONE_OF:
            made["oneOf"] = [{"required": [name]} for name in cls.ONE_OF]
        return made

    @classmethod
    def from_body(cls: type[Own], body: Any) -> Own:
        """Checks a body as its schema has it."""
        check(cls.schema(), body, "")
        # None is as good as nothing, where it is allowed.
        return cls(**{name: value for name, value in body.items() if value is not None})


_CONSTRAINTS = {
    "type": "object",
    "description": "What the tree of a sentence must be like; words are counted from 1, and 0 is ROOT.",
    "properties": {
        "heads": {
            "type": "object",
            "description": "The head of a word, by the word's number.",
            "propertyNames": {"pattern": "^[1-9][0-9]{0,5}$"},
            "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 999_999},
            "example": {"2": 4},
        },
        "labels": {
            "type": "object",
            "description": "The label of a word's arc, by the word's number.",
            "propertyNames": {"pattern": "^[1-9][0-9]{0,5}$"},
            "additionalProperties": {"type": "string", "minLength": 1, "maxLength": 100},
            "example": {"1": "nsubj"},
        },
        "forbidden": {
            "type": "array",
            "description": "Arcs, each a head and a word, that the tree must not have.",
            "items": {
                "type": "array",
                "items": {"type": "integer", "minimum": 0, "maximum": 999_999},
                "minItems": 2,
                "maxItems": 2,
            },
            "example": [[3, 1]],
        },
        "subtrees": {
            "type": "array",
            "description": "Words, from a first to a last, that one of them dominates, and it no others.",
            "items": {
                "type": "array",
                "items": {"type": "integer", "minimum": 1, "maximum": 999_999},
                "minItems": 2,
                "maxItems": 2,
            },
            "example": [[5, 8]],
        },
    },
    "additionalProperties": False,
}
_DRAWING = {
    "type": "object",
    "properties": {
        "width": {
            "type": ["number", "null"],
            "minimum": LEAST_WIDTH,
            "maximum": MOST_WIDTH,
            "description": "The pixels after which a picture goes on in another row; null: never.",
        },
        "columns": {
            "type": "array",
            "items": {"type": "string", "enum": list(COLUMNS)},
            "maxItems": 6,
            "default": ["upos"],
            "description": "What stands below words.",
        },
        "probabilities": {"type": "boolean", "default": True, "description": "Whether labels tell them."},
        "marks": {"type": "boolean", "default": False, "description": "Leave room for marks in labels."},
        "min_confidence": {
            "type": ["number", "null"],
            "minimum": 0,
            "maximum": 1,
            "description": "Mark arcs that are less probable.",
        },
    },
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True)
class _Input(Body):
    """Text, CoNLL-U or words, and the model that is to look at them."""

    ONE_OF: ClassVar[tuple[str, ...]] = INPUTS

    text: str | None = asked("Raw text, in which the model finds sentences and words.", type="string")
    conllu: str | None = asked("Sentences in CoNLL-U.", type="string")
    sentences: list[list[str]] | None = asked(
        "The words of each sentence.",
        type="array",
        items={"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
        example=[["The", "dog", "sleeps", "."]],
    )
    model: str | None = asked(
        "A model's name, or a beginning of it that ends before a hyphen. Without: the default.",
        type=["string", "null"],
    )


@dataclass(frozen=True, kw_only=True)
class Segment(Body):
    """`/api/v1/segment`: sentences, tokens and words of raw text."""

    NEEDS: ClassVar[tuple[str, ...]] = ("text",)

    text: str = asked("Raw text.", type="string")
    model: str | None = asked("A model's name. Without: the default.", type=["string", "null"])
    lines: bool = asked("Whether every line is a sentence.", False, type="boolean")


@dataclass(frozen=True, kw_only=True)
class Tag(_Input):
    """`/api/v1/tag`: tags, features and lemmas."""

    tags: str = asked(
        "Keep tags that are given, or give new ones to all words.", "auto", type="string", enum=list(TAGS)
    )


@dataclass(frozen=True, kw_only=True)
class _Parsing(Tag):
    """What is parsed, and under which constraints."""

    beam: int | None = asked(
        "Search with a beam of so many derivations; 1: greedily. Without: as the model was trained.",
        type=["integer", "null"],
        minimum=1,
        maximum=MOST_BEAM,
    )
    grammar: bool = asked(
        "Keep trees to the rules of the model's treebank, if it has any.", True, type="boolean"
    )
    constraints: Any = asked(
        "What the tree of each sentence must be like: an object or null for each of them; or, with CoNLL-U, "
        "`misc` for what MISC says and `tree` for the heads and labels that are given.",
        anyOf=[
            {"type": "array", "items": {"anyOf": [_CONSTRAINTS, {"type": "null"}]}},
            {"type": "string", "enum": ["misc", "tree"]},
            {"type": "null"},
        ],
    )


@dataclass(frozen=True, kw_only=True)
class Parse(_Parsing):
    """`/api/v1/parse`: trees, with tags and lemmas."""

    probabilities: bool | str = asked(
        "Say how sure the parser is of heads and labels: from its moves (true, `moves`), or from trees that "
        "it draws (`samples`).",
        False,
        anyOf=[{"type": "boolean"}, {"type": "string", "enum": ["moves", "samples"]}],
    )
    samples: int = asked("How many trees are drawn.", 100, type="integer", minimum=1, maximum=MOST_SAMPLES)
    drawing: dict[str, Any] | None = asked(
        "Add a picture of each tree, as plain data.", anyOf=[_DRAWING, {"type": "null"}]
    )


@dataclass(frozen=True, kw_only=True)
class Nbest(_Parsing):
    """`/api/v1/nbest`: the best trees of each sentence."""

    best: int = asked("How many trees.", 5, type="integer", minimum=1, maximum=MOST_BEST)
    drawing: dict[str, Any] | None = asked(
        "Add a picture of each tree, as plain data.", anyOf=[_DRAWING, {"type": "null"}]
    )


@dataclass(frozen=True, kw_only=True)
class Marginals(Tag):
    """`/api/v1/marginals`: the heads and labels that each word may have."""

    best: int = asked("How many of them for a word.", 3, type="integer", minimum=1, maximum=MOST_BEST)
    samples: int = asked("How many trees are drawn.", 100, type="integer", minimum=1, maximum=MOST_SAMPLES)


@dataclass(frozen=True, kw_only=True)
class CheckConstraints(_Parsing):
    """`/api/v1/constraints`: whether constraints can be satisfied, without parsing."""

    NEEDS: ClassVar[tuple[str, ...]] = ("constraints",)


@dataclass(frozen=True, kw_only=True)
class Draw(Body):
    """`/api/v1/draw`: pictures of trees as they are given; nothing is parsed."""

    ONE_OF: ClassVar[tuple[str, ...]] = ("conllu", "sentences")

    conllu: str | None = asked("Trees in CoNLL-U.", type="string")
    sentences: list[Any] | None = asked(
        "Trees as `/api/v1/parse` answers with them.", type="array", items={"type": "object"}
    )
    answer: list[str] | None = asked(
        "What to answer with.",
        type="array",
        items={"type": "string", "enum": ["sentences", "drawings", "svg", "conllu"]},
        minItems=1,
    )
    drawing: dict[str, Any] | None = asked("How trees are drawn.", **_DRAWING)


@dataclass(frozen=True, kw_only=True)
class Trace(_Input):
    """`/api/v1/trace`: a derivation step by step, a model's or an oracle's."""

    system: str | None = asked("The oracle of this system shows its derivation.", type=["string", "null"])
    sentence: int = asked("Which sentence, counted from 1.", 1, type="integer", minimum=1, maximum=1_000_000)
    gold: str | bool | None = asked(
        "The gold tree in CoNLL-U, true if it stands in `conllu`, or own, the model's: what moves cost.",
        anyOf=[{"type": "string"}, {"type": "boolean"}, {"type": "null"}],
    )
    moves: dict[str, str] | None = asked(
        "Moves that are taken by hand, by the number of their step.",
        type=["object", "null"],
        propertyNames={"pattern": "^[0-9]{1,9}$"},
        additionalProperties={"type": "string", "minLength": 1},
        example={"12": "SHIFT"},
    )
    follow: Any = asked(
        "Who goes on after a move by hand: the model or the oracle, or who it is by the number of a step.",
        anyOf=[
            {"type": "string"},
            {
                "type": "object",
                "propertyNames": {"pattern": "^[0-9]{1,9}$"},
                "additionalProperties": {"type": "string"},
            },
        ],
    )
    root: str = asked(
        "Where ROOT stands, in an oracle's derivation.", "last", type="string", enum=["last", "first"]
    )
    tags: str = asked("Keep tags that are given, or not.", "auto", type="string", enum=list(TAGS))
    all_moves_of: int = asked(
        "A step of which all moves are told.", 0, type="integer", minimum=0, maximum=1_000_000
    )
    drawing: dict[str, Any] | None = asked("How arcs are drawn.", **_DRAWING)


def constraints_of(given: Any) -> Any:
    """What a parser takes as constraints, of what a body has."""
    if given is None:
        return None
    if given == "misc":
        return Constraints.from_misc
    if given == "tree":
        return Constraints.from_tree
    return [None if one is None else _constraints(one) for one in given]


def _constraints(given: Mapping[str, Any]) -> Constraints:
    return Constraints(
        heads={int(word): int(head) for word, head in given.get("heads", {}).items()},
        labels={int(word): label for word, label in given.get("labels", {}).items()},
        forbidden=[(int(head), int(word)) for head, word in given.get("forbidden", ())],
        subtrees=[(int(first), int(last)) for first, last in given.get("subtrees", ())],
    )


def from_json(data: bytes) -> Any:
    """The JSON of a body, which must be UTF-8 and has no numbers that JSON has not."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise RequestError("The body is not UTF-8: send JSON in UTF-8.", 400) from None
    except RecursionError:
        raise RequestError("The body is nested too deeply: send plainer JSON.", 400) from None
    except ValueError as error:
        where = (
            f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        )
        raise RequestError(
            f'The body is no JSON{where}: send an object such as {{"text": "…"}}.', 400
        ) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


# --- JSON Schema, as much of it as is used here ------------------------------------------------------------

_KINDS: dict[str, Any] = {
    "string": (lambda v: isinstance(v, str), "a text"),
    "boolean": (lambda v: isinstance(v, bool), "true or false"),
    "integer": (lambda v: _is_number(v) and float(v).is_integer(), "a whole number"),
    "number": (lambda v: _is_number(v), "a number"),
    "array": (lambda v: isinstance(v, list), "a list"),
    "object": (lambda v: isinstance(v, dict), "an object"),
    "null": (lambda v: v is None, "null"),
}


def check(schema: Schema, value: Any, where: str) -> None:
    """Refuses, in a sentence, a value that a schema does not allow."""
    if (choices := schema.get("anyOf")) is not None:
        _check_any(choices, value, where)
        return
    name = f"“{where}”" if where else "The body"
    kinds = schema.get("type")
    allowed = [kinds] if isinstance(kinds, str) else list(kinds or _KINDS)
    if not any(_KINDS[kind][0](value) for kind in allowed):
        words = " or ".join(_KINDS[kind][1] for kind in allowed)
        raise RequestError(f"{name} must be {words}.")
    if "enum" in schema and value not in schema["enum"]:
        raise RequestError(f"{name} must be one of {', '.join(map(str, schema['enum']))}.")
    if _is_number(value):
        least, most = schema.get("minimum", value), schema.get("maximum", value)
        if not least <= value <= most:
            limits = f"from {least} to {most}" if "maximum" in schema else f"at least {least}"
            raise RequestError(f"{name} must be {limits}.")
    elif isinstance(value, str):
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            raise RequestError(
                f"{name} must have from {schema.get('minLength', 0)} characters"
                + (f" to {schema['maxLength']}." if "maxLength" in schema else ".")
            )
    elif isinstance(value, list):
        _check_items(schema, value, where, name)
    elif isinstance(value, dict):
        _check_object(schema, value, where, name)


def _check_any(choices: Sequence[Schema], value: Any, where: str) -> None:
    """The first choice of the value's own kind tells what is wrong."""
    told: RequestError | None = None
    for choice in choices:
        kind = choice["type"]
        try:
            check(choice, value, where)
        except RequestError as error:
            fits = _KINDS[kind][0](value)
            told = error if fits or told is None else told
        else:
            return
    words = " or ".join(dict.fromkeys(_KINDS[choice["type"]][1] for choice in choices))
    if told is None or not any(_KINDS[choice["type"]][0](value) for choice in choices):
        told = RequestError(f"“{where}” must be {words}.")
    raise told


def _check_items(schema: Schema, value: list[Any], where: str, name: str) -> None:
    least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
    if not least <= len(value) <= most:
        number = (
            f"{least}" if least == most else f"at least {least}" if len(value) < least else f"at most {most}"
        )
        raise RequestError(f"{name} must have {number} of these: it has {len(value)}.")
    if "items" in schema:
        items = schema["items"]
        for index, item in enumerate(value):
            check(items, item, f"{where}[{index}]")


def _check_object(schema: Schema, value: dict[str, Any], where: str, name: str) -> None:
    properties = schema.get("properties", {})
    rest = schema.get("additionalProperties", True)
    pattern = schema.get("propertyNames", {}).get("pattern")
    for key, item in value.items():
        inside = f"{where}.{key}" if where else key
        if key in properties:
            check(properties[key], item, inside)
        elif rest is False:
            known = ", ".join(sorted(properties))
            raise RequestError(f"There is no “{key}” here: choose from {known}.")
        elif pattern is not None and not re.fullmatch(pattern, key, re.ASCII):
            raise RequestError(f"“{key}” in {name} must be a number, counted from 1.")
        elif isinstance(rest, Mapping):
            check(rest, item, inside)
    for key in schema.get("required", ()):
        if value.get(key) is None:
            raise RequestError(f"“{key}” is missing: give it.")
    if "oneOf" in schema:
        names = [one["required"][0] for one in schema["oneOf"]]
        given = [key for key in names if key in value]
        if len(given) != 1:
            raise RequestError(
                f"Give one of {', '.join(names)}, " + ("not several." if given else "there is none.")
            )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
