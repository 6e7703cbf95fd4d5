"""The OpenAPI document says what the service does: schemathesis asks what it allows, and what it does not."""

from __future__ import annotations

import pytest

from arcwise.serve.openapi import document
from arcwise.serve.parsing import ROUTES
from arcwise.serve.requests import Parse, RequestError, check
from serving.service import models, running


def test_the_document_has_every_route_and_the_schemas_that_check_bodies():
    paths = document(models())["paths"]
    for name, (kind, _) in ROUTES.items():
        body = paths[f"/api/v1/{name}"]["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert body == kind.schema()
    with running() as one:
        told = one.ask("/api/v1/openapi.json").json
        assert set(told["paths"]) <= set(one.service.routes)
        ours = {path for path in one.service.routes if path.startswith("/api/v1/")}
        assert ours - set(told["paths"]) == {"/api/v1/openapi.json"}


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 3}, [1, 3, 2.0], [0, 4, 1.5, True, "1", None]),
        ({"type": ["string", "null"], "maxLength": 2}, ["", "ab", None], ["abc", 1]),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 1}, [[True]], [[], [1], {}]),
        ({"anyOf": [{"type": "boolean"}, {"type": "string", "enum": ["a"]}]}, [True, "a"], ["b", 1, None]),
        (Parse.schema(), [{"text": "a"}], [{}, {"text": "a", "more": 1}, {"text": None}, "text"]),
    ],
)
def test_bodies_are_checked_as_json_schema_has_it(schema, good, bad):
    for value in good:
        check(schema, value, "x")
    for value in bad:
        with pytest.raises(RequestError):
            check(schema, value, "x")


def test_schemathesis_finds_no_answer_that_the_document_does_not_have():
    schemathesis = pytest.importorskip(
        "schemathesis", reason="needs schemathesis: pip install 'arcwise[test-browser]'"
    )
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    wanted = [
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
        checks.negative_data_rejection,
    ]
    with running() as one:
        schema = schemathesis.openapi.from_dict(document(models()))
        address = f"http://127.0.0.1:{one.port}"
        asked = 0
        for found in schema.get_all_operations():
            operation = found.ok()
            modes = list(schemathesis.GenerationMode)
            if operation.method == "get":  # which has nothing that could be wrong
                modes = [schemathesis.GenerationMode.POSITIVE]
            for mode in modes:
                cases = operation.as_strategy(generation_mode=mode)

                @settings(
                    max_examples=8,
                    deadline=None,
                    database=None,
                    derandomize=True,
                    phases=[Phase.generate],
                    suppress_health_check=list(HealthCheck),
                )
                @given(case=cases)
                def ask(case):
                    nonlocal asked
                    asked += 1
                    case.call_and_validate(base_url=address, checks=wanted)

                ask()
        assert asked > 60
