"""All of the JSON interface: a resource is one module; `RESOURCES` lists them, `document` describes them in OpenAPI."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from flask import Blueprint, Response, url_for
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from referee import __version__
from referee.records.evening.evenings import MOST_DRAWS
from referee.records.ids import ID_PATTERN, LENGTH
from referee.web.api import (
    club_resource,
    deletion_resource,
    evening_resource,
    match_resource,
    own_rulebook_resource,
    player_resource,
    round_resource,
    rulebook_resource,
    ruling_resource,
    season_resource,
)
from referee.web.api.endpoint import LONGEST_HEADER, Endpoint, Resource, respond
from referee.web.api.shapes import LONGEST_WORD, ProblemDocument
from referee.web.words import say

_REFERENCE = "#/components/schemas/{model}"
_TEXT = {"type": "string", "maxLength": LONGEST_HEADER}


@cache
def document(resources: tuple[Resource, ...]) -> dict[str, Any]:
    """Describe all endpoints of the resources."""
    endpoints = [endpoint for resource in resources for endpoint in resource.endpoints]
    paths: dict[str, dict[str, Any]] = {}
    for resource in resources:
        for endpoint in resource.endpoints:
            path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", endpoint.path)
            paths.setdefault(path, {})[endpoint.method.lower()] = _operation(resource, endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Referee", "version": __version__, "description": "Keep the score of Uno at the table."},
        "servers": [{"url": "/api/v1"}],
        "paths": paths,
        "components": {
            "schemas": _schemas(endpoints),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _schemas(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    used = (ProblemDocument, *(model for endpoint in endpoints for model in (endpoint.body, endpoint.answer)))
    models: dict[Any, None] = dict.fromkeys(filter(None, used))
    _, schemas = models_json_schema(
        [(model, "validation") for model in models], by_alias=False, ref_template=_REFERENCE
    )
    definitions: dict[str, Any] = schemas["$defs"]
    return definitions


def _operation(resource: Resource, endpoint: Endpoint) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": f"{resource.name}_{endpoint.view.__name__}",
        "summary": endpoint.summary,
        "tags": [resource.name],
        "parameters": _parameters(endpoint),
        "responses": _responses(endpoint),
    }
    if endpoint.access != "anyone":
        operation["security"] = [{"key": []}]
    if endpoint.body is not None:
        content = {"application/json": {"schema": _ref(endpoint.body)}}
        operation["requestBody"] = {"required": endpoint.body_required, "content": content}
    elif endpoint.takes:
        operation["requestBody"] = {"required": True, "content": {kind: _file(kind) for kind in endpoint.takes}}
    return operation


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = []
    for name in re.findall(r"<(?:\w+:)?(\w+)>", endpoint.path):
        pattern, longest = ("[a-z0-9-]+", LONGEST_WORD) if name == "rulebook_id" else (ID_PATTERN.pattern, LENGTH)
        schema: dict[str, Any] = {"type": "string", "pattern": f"^{pattern}$", "maxLength": longest}
        if f"<int:{name}>" in endpoint.path:
            schema = {"type": "integer", "minimum": 1, "maximum": MOST_DRAWS}
        parameters.append({"name": name, "in": "path", "required": True, "schema": schema})
    described = endpoint.query.model_json_schema(ref_template=_REFERENCE)["properties"] if endpoint.query else {}
    for name, part in described.items():  # which may be left out but can't be null
        schema = next(kind for kind in part.get("anyOf", [part]) if kind.get("type") != "null")
        parameters.append({"name": name, "in": "query", "required": False, "schema": schema})
    for name, text in endpoint.headers.items():
        parameters.append({"name": name, "in": "header", "required": False, "description": text, "schema": _TEXT})
    return parameters


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    statuses = {413, 429, 503, *endpoint.problems}
    if endpoint.access != "anyone":
        statuses |= {401, 403, 410}
    if "<" in endpoint.path:
        statuses |= {404}
    if endpoint.body is not None:
        statuses |= {400, 415, 422}
    if endpoint.query is not None or endpoint.headers:
        statuses |= {422}
    if endpoint.method != "GET":
        statuses |= {400}
    done: dict[str, Any] = {"description": say("status.done")}
    if endpoint.answer is not None:
        done["content"] = {"application/json": {"schema": _ref(endpoint.answer)}}
    elif endpoint.file:
        done["content"] = {endpoint.file: _file(endpoint.file)}
    responses = {str(endpoint.status): done}
    for status in sorted(statuses):
        responses[str(status)] = {"description": say(f"status.{status}")}
        if status >= 400:
            responses[str(status)]["content"] = {"application/problem+json": {"schema": _ref(ProblemDocument)}}
    return responses


def _file(kind: str) -> dict[str, Any]:
    """Describe a body of this media type that no model describes."""
    if kind == "application/json":
        return {"schema": {"type": "object"}}
    return {"schema": {"type": "string"} if kind.startswith("text/") else {"type": "string", "format": "binary"}}


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REFERENCE.format(model=model.__name__)}


RESOURCES = (
    club_resource.resource,
    player_resource.resource,
    club_resource.public_pages,
    match_resource.resource,
    round_resource.resource,
    ruling_resource.rulings,
    ruling_resource.precedents,
    player_resource.statistics,
    season_resource.resource,
    evening_resource.resource,
    rulebook_resource.rulebooks,
    own_rulebook_resource.resource,
    rulebook_resource.rules,
    ruling_resource.score,
    club_resource.transfer,
    deletion_resource.resource,
    ruling_resource.hearings,
)
"""Every resource of the interface, in the order of its description."""

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")


@blueprint.get("/")
def index() -> Response:
    """List every request of this interface in words, and where it is described for machines."""
    described = document(RESOURCES)
    requests = {
        f"{method.upper()} {path}": operation["summary"]
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
    }
    return respond({**described["info"], "openapi": url_for("api.description"), "requests": requests})


@blueprint.get("/openapi.json")
def description() -> Response:
    """Describe this interface (OpenAPI 3)."""
    return respond(document(RESOURCES))


for resource in RESOURCES:
    for endpoint in resource.endpoints:
        blueprint.add_url_rule(
            endpoint.path, f"{resource.name}_{endpoint.view.__name__}", endpoint.answers, methods=[endpoint.method]
        )
