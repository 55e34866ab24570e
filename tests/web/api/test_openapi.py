"""The description for machines: complete, and true of every answer that random requests get."""

import re
from functools import cache
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import given
from jsonschema_rs import is_valid
from schemathesis import GenerationMode
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.specs.openapi.schemas import OpenApiSchema

from referee.web.api.endpoint import Endpoint
from referee.web.api.interface import RESOURCES
from tests.fuzz import tries
from tests.web.api.conftest import ClubOfCast, fields

ENDPOINTS = [endpoint for resource in RESOURCES for endpoint in resource.endpoints]

CHECKS: list[CheckFunction] = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance,
]  # fmt: skip
HEADERS = {"Accept-Encoding": "identity"}
EXAMPLES = 5
"""Random requests to each address and method, in the short form."""
ASKED = [
    (endpoint, mode)
    for endpoint in ENDPOINTS
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    if mode is GenerationMode.POSITIVE or endpoint.body or endpoint.query or "<" in endpoint.path
]
"""What is allowed of each endpoint, and what is not, where there is anything in it that could be wrong."""


def test_every_address_of_the_interface_is_described(app: Flask) -> None:
    described = app.test_client().get("/api/v1/openapi.json").get_json()
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule.removeprefix("/api/v1"))
        if not rule.rule.startswith("/api/v1/") or path in ("/", "/openapi.json"):
            continue
        methods = {method.lower() for method in rule.methods or ()} - {"head", "options"}
        assert methods <= described["paths"][path].keys(), path


def test_every_answer_has_its_content_and_no_default_is_forbidden_by_its_type(app: Flask) -> None:
    described = app.test_client().get("/api/v1/openapi.json").get_json()
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            good = {status: answer for status, answer in operation["responses"].items() if status < "300"}
            assert all(("content" in answer) == (status != "204") for status, answer in good.items()), (method, path)
    for name, schema in described["components"]["schemas"].items():
        for field, told in schema.get("properties", {}).items():
            if "default" in told:
                where = {"$ref": f"#/components/schemas/{name}/properties/{field}"}
                assert is_valid({"components": described["components"], **where}, told["default"]), (name, field)


def test_every_endpoint_says_in_a_sentence_what_it_does() -> None:
    for resource in RESOURCES:
        for endpoint in resource.endpoints:
            assert endpoint.summary, endpoint.path


@cache
def described(app: Flask) -> OpenApiSchema:
    """Read the description as programs do, once for each app."""
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)


@pytest.mark.parametrize(
    ("endpoint", "mode"), ASKED, ids=[f"{each.method} {each.path} {mode.value}" for each, mode in ASKED]
)
def test_random_requests_get_the_answers_described(club: ClubOfCast, endpoint: Endpoint, mode: GenerationMode) -> None:
    operation = described(club.write.app)[re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", endpoint.path)][endpoint.method]

    @given(case=operation.as_strategy(generation_mode=mode))
    @tries(EXAMPLES)
    def send(case: Any) -> None:
        case.call_and_validate(headers=HEADERS | {"Authorization": f"Bearer {club.write.key}"}, checks=CHECKS)

    send()


@pytest.mark.parametrize("shape", ["{}", '{"rulebook": "classic-500", "hands": {"Bo": [[]]}}', '{"rulebook": {}}'])
def test_a_shape_that_random_requests_seldom_find_is_refused(club: ClubOfCast, shape: str) -> None:
    assert fields(club.stranger("POST", "/score", data=shape, content_type="application/json", status=422))
