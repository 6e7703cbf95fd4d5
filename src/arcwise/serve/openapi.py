"""The OpenAPI document: of the same dataclasses that check bodies, so that it says what is done."""

from __future__ import annotations

import inspect
from typing import Any

from arcwise import __version__
from arcwise.serve import parsing, requests
from arcwise.serve.models import Models
from arcwise.serve.parsing import CONLLU, JSON, NDJSON

_NUMBER = {"type": "number"}
_TEXT = {"type": "string"}
_ERRORS = {
    400: "The body is no JSON, or the request is no proper one.",
    401: "The service wants its token.",
    403: "The request comes from a page elsewhere, or calls the service by a name that is not its own.",
    404: "There is no such model.",
    405: "The path takes another method.",
    408: "The request did not arrive in time.",
    413: "The request, a sentence or the answer is too large.",
    415: "The body is not declared as JSON.",
    422: "The request makes no sense: what is wrong, and what to do.",
    429: "Too many requests of this client are not answered yet.",
    500: "Something went wrong in the service.",
    503: "The service has as much to do as it may, or the request took too long.",
}
_PICTURE = {"type": "object", "description": "A picture as plain data, for `arcwise.svg` and the page."}
_TOKEN = {
    "type": "object",
    "required": ["id", "form"],
    "properties": {
        "id": {"description": "A number, counted from 1."},
        "form": _TEXT,
        "lemma": _TEXT,
        "upos": _TEXT,
        "xpos": _TEXT,
        "feats": {"type": "object", "additionalProperties": True},
        "head": {"type": "integer", "minimum": 0},
        "deprel": _TEXT,
        "head_prob": _NUMBER,
        "deprel_prob": _NUMBER,
        "start": {"type": "integer", "description": "In the text, counted in code points from 0."},
        "end": {"type": "integer"},
    },
}
_SENTENCE = {
    "type": "object",
    "description": "A sentence as docs/formats.md has it.",
    "required": ["tokens"],
    "properties": {
        "text": _TEXT,
        "tokens": {"type": "array", "items": {"$ref": "#/components/schemas/Token"}},
    },
}
_SENTENCE_REF = {"$ref": "#/components/schemas/Sentence"}
_ITEMS: dict[str, dict[str, Any]] = {
    "parse": _SENTENCE_REF,
    "tag": _SENTENCE_REF,
    "segment": _SENTENCE_REF,
    "nbest": {
        "type": "object",
        "required": ["trees"],
        "properties": {"trees": {"type": "array", "items": _SENTENCE_REF}},
    },
    "marginals": {
        "type": "object",
        "required": ["forms", "words"],
        "properties": {
            "forms": {"type": "array", "items": _TEXT},
            "words": {
                "type": "array",
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["head", "deprel", "prob"],
                        "properties": {"head": {"type": "integer"}, "deprel": _TEXT, "prob": _NUMBER},
                    },
                },
            },
        },
    },
    "constraints": {
        "type": "object",
        "required": ["words", "satisfiable", "error"],
        "properties": {
            "words": {"type": "integer"},
            "satisfiable": {"type": "boolean"},
            "error": {"type": ["string", "null"]},
        },
    },
}
"""What is said of each sentence."""


def document(models: Models) -> dict[str, Any]:
    """The OpenAPI document of a service."""
    paths: dict[str, Any] = {}
    for name, (kind, _) in parsing.ROUTES.items():
        paths[f"/api/v1/{name}"] = {"post": _operation(name, kind, _answer(name))}
    anything = {"type": "object", "additionalProperties": True}
    paths["/api/v1/trace"] = {"post": _operation("trace", requests.Trace, {JSON: {"schema": anything}})}
    paths["/api/v1/draw"] = {"post": _operation("draw", requests.Draw, {JSON: {"schema": anything}})}
    paths["/api/v1/models"] = {
        "get": {
            "operationId": "models",
            "summary": "The models that are served.",
            "responses": {
                "200": _response("The models.", {JSON: {"schema": _MODELS}}),
                **_errors(401, 403, 500),
            },
        }
    }
    for path, told in (("/health", "Whether the service runs."), ("/ready", "Whether it takes more on.")):
        status = {"type": "object", "required": ["status"], "properties": {"status": _TEXT}}
        answers = {"200": _response("It does.", {JSON: {"schema": status}})}
        if path == "/ready":
            answers["503"] = _response("It does not, now.", {JSON: {"schema": status}})
        paths[path] = {
            "get": {
                "operationId": path[1:],
                "summary": told,
                "security": [],
                "responses": {**answers, **_errors(403, 500)},
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "arcwise",
            "version": __version__,
            "description": "Dependency parsing. The models here: " + ", ".join(models.pipelines) + ".",
        },
        "paths": paths,
        "security": [{}, {"token": []}],
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Error": {"type": "object", "required": ["error"], "properties": {"error": _TEXT}},
                "Token": _TOKEN,
                "Sentence": _SENTENCE,
                "Picture": _PICTURE,
            },
        },
    }


def _operation(name: str, kind: type[requests.Body], content: dict[str, Any]) -> dict[str, Any]:
    told = inspect.cleandoc(kind.__doc__ or "").partition(": ")[2]
    return {
        "operationId": name,
        "summary": told[:1].upper() + told[1:],
        "requestBody": {"required": True, "content": {JSON: {"schema": kind.schema()}}},
        "responses": {"200": _response("The answer.", content), **_errors(*(s for s in _ERRORS))},
    }


def _answer(name: str) -> dict[str, Any]:
    """What a route that answers sentence by sentence gives."""
    properties: dict[str, Any] = {
        "model": {"type": "string", "description": "The model's whole name."},
        "text": _TEXT,
        "sentences": {"type": "array", "items": _ITEMS[name]},
    }
    picture: dict[str, Any] = {"$ref": "#/components/schemas/Picture"}
    if name == "parse":
        properties["drawings"] = {"type": "array", "items": picture}
    if name == "nbest":
        properties["drawings"] = {"type": "array", "items": {"type": "array", "items": picture}}
    whole = {"type": "object", "required": ["model", "text", "sentences"], "properties": properties}
    content: dict[str, Any] = {JSON: {"schema": whole}}
    if name != "constraints":
        content[NDJSON] = {"schema": {"type": "string", "description": "An object a line, as they come."}}
    if name not in ("constraints", "marginals"):
        content[CONLLU] = {"schema": {"type": "string", "description": "Sentences as they come."}}
    return content


def _response(told: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"description": told, "content": content}


def _errors(*statuses: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Error"}
    found: dict[str, Any] = {}
    for status in statuses:
        found[str(status)] = _response(_ERRORS[status], {JSON: {"schema": schema}})
        if status in (429, 503):
            found[str(status)]["headers"] = {
                "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}
            }
    return found


_MODELS = {
    "type": "object",
    "required": ["default", "models", "systems"],
    "properties": {
        "default": _TEXT,
        "systems": {"type": "array", "items": _TEXT},
        "models": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "components"],
                "properties": {
                    "name": _TEXT,
                    "components": {
                        "type": "array",
                        "items": {"type": "string", "enum": ["segmenter", "tagger", "parser"]},
                    },
                    "description": _TEXT,
                    "licence": _TEXT,
                    "system": {"type": ["string", "null"]},
                    "labels": {"type": "array", "items": _TEXT},
                    "probabilities": {"type": "boolean"},
                    "calibrated": {"type": "boolean"},
                    "grammar": {"type": "boolean"},
                    "ranker": {"type": "boolean"},
                    "beam": {"type": ["integer", "null"]},
                },
            },
        },
    },
}
