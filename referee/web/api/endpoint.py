"""Endpoints: one declaration both validates the requests and describes them in OpenAPI.

A resource module declares its endpoints with `Resource.endpoint`. The request models validate what comes in (every
problem names its field); with the answer models they make the OpenAPI document. A view gets its body and query
validated, and returns a document or a response.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, Literal

from flask import Response, request
from pydantic import BaseModel, ConfigDict, ValidationError
from werkzeug.exceptions import HTTPException

from referee.rules.problem import Impossible, Problem
from referee.web.api.json_body import field_of, read_json
from referee.web.server import guards
from referee.web.server.database import begin_looking
from referee.web.words import say, say_invalid

Access = Literal["anyone", "reader", "scorekeeper", "restorer"]
View = Callable[..., "Response | Mapping[str, Any]"]

LONGEST_KEY = 200
"""Characters of an idempotency key."""

LONGEST_HEADER = 500
"""Characters of a header that an endpoint reads; an ETag of ours has 30."""


class Request(BaseModel):
    """Base of request models: strict types, no unknown keys."""

    model_config = ConfigDict(strict=True, extra="forbid", defer_build=True)


class Answer(BaseModel):
    """Base of answer models: they make the OpenAPI document, and tests hold real answers against them."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


@dataclass(frozen=True)
class Endpoint:
    """One method and path: who may call it, its request and its answer."""

    method: str
    path: str
    view: View
    access: Access
    body: type[Request] | None
    query: type[Request] | None
    answer: type[BaseModel] | None
    status: int
    problems: tuple[int, ...]
    headers: Mapping[str, str]
    drafts: bool
    """whether the view writes by `referee.web.writing.written` only, so that all before is one reading"""

    @property
    def summary(self) -> str:
        """Give the first line of the view's docstring."""
        return (self.view.__doc__ or "").strip().partition("\n")[0].removesuffix(".")

    @cached_property
    def answers(self) -> Callable[..., Response]:
        """Give the function that Flask calls."""

        @wraps(self.view)
        def view(**parts: str) -> Response:
            return self.call(**parts)

        view.unkeyed = self.access == "anyone"  # type: ignore[attr-defined]
        return view

    def call(self, **parts: str) -> Response:
        """Answer a request: validate it, check the key, and run the view.

        Looking up a key begins a transaction, which locks SQLite in a request that writes, so validation comes first.
        A missing key is reported all the same, whatever else is wrong.
        """
        if self.access != "anyone" and not guards.presents_key():
            self._let_in()
        given: dict[str, Any] = dict(parts)
        if self.drafts:
            begin_looking()
        try:
            self._measure_headers()
            if self.query is not None:
                given["query"] = _read_query(self.query)
            if self.body is not None:
                given["body"] = read_model(self.body, read_json())
        except (HTTPException, Impossible):
            self._let_in()
            raise
        self._let_in()
        answer = self.view(**given)
        return answer if isinstance(answer, Response) else respond(answer, self.status)

    def _measure_headers(self) -> None:
        for name in self.headers:
            if len(request.headers.get(name, "")) > LONGEST_HEADER:
                raise Impossible([Problem(name, say("body.header", most=LONGEST_HEADER))])

    def _let_in(self) -> None:
        if self.access == "restorer":
            guards.get_restorer()
        elif self.access != "anyone":
            guards.look_at_key(write=self.access == "scorekeeper")


@dataclass(frozen=True, eq=False)
class Resource:
    """The endpoints of one kind of resource."""

    name: str
    endpoints: list[Endpoint] = field(default_factory=list)

    def endpoint(
        self,
        method: str,
        path: str,
        *,
        access: Access,
        body: type[Request] | None = None,
        query: type[Request] | None = None,
        answer: type[BaseModel] | None = None,
        status: int = 200,
        problems: tuple[int, ...] = (),
        headers: Mapping[str, str] | None = None,
        drafts: bool = False,
    ) -> Callable[[View], View]:
        """Declare a view as the answer to a method and path; `problems` are its statuses beyond the usual ones."""

        def declare(view: View) -> View:
            declared = Endpoint(
                method, path, view, access, body, query, answer, status, problems, headers or {}, drafts
            )
            self.endpoints.append(declared)
            return declared.answers

        return declare


def respond(document: Mapping[str, Any] | None, status: int = 200) -> Response:
    """Answer with a JSON document, or with nothing."""
    body = b"" if document is None else to_json(document)
    response = Response(body, status, mimetype="application/json")
    response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


def to_json(document: Mapping[str, Any]) -> bytes:
    """Write a document as UTF-8 JSON, long lists item by item: the encoder blocks other threads."""
    text = _written(document, depth=2) if _is_long(document) else _WRITER.encode(document)
    return text.encode("utf-8", "backslashreplace")


def _is_long(document: Mapping[str, Any], depth: int = 2) -> bool:
    """Tell whether a document has a long list in it, or is none that the encoder knows."""
    if not isinstance(document, dict):
        return True
    for part in document.values():
        kind = type(part)
        if kind is str or kind is int or part is None:
            continue
        if kind is list:
            if len(part) > AT_ONCE:
                return True
        elif depth and isinstance(part, Mapping) and _is_long(part, depth - 1):
            return True
    return False


def _written(value: Any, depth: int) -> str:
    if depth and isinstance(value, Mapping):
        parts = (f"{_WRITER.encode(str(key))}:{_written(part, depth - 1)}" for key, part in value.items())
        return "{" + ",".join(parts) + "}"
    if isinstance(value, list) and len(value) > AT_ONCE:
        return "[" + ",".join(map(_WRITER.encode, value)) + "]"
    return _WRITER.encode(value)


AT_ONCE = 20
"""Items of a list that are encoded in one go."""


_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def idempotency_key(shortest: int = 1) -> str | None:
    """Read the idempotency key; raises `Impossible` for one that is too short or not plain ASCII."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not re.fullmatch(rf"[\x21-\x7e]{{{shortest},{LONGEST_KEY}}}", key):
        wanted = say("body.idempotency-key", least=shortest, most=LONGEST_KEY)
        raise Impossible([Problem("Idempotency-Key", wanted)])
    return key


def read_model(model: type[Request], value: Any) -> Request:
    """Check a value against a model; raises `Impossible` with every problem, each naming its field."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        known = ", ".join(model.model_fields)
        raise Impossible(_problem(detail, known) for detail in error.errors(include_url=False)) from None


def _read_query(model: type[Request]) -> Request:
    """Read the query; an optional field that is empty, as forms send it, counts as not given."""
    optional = {key for key, field in model.model_fields.items() if not field.is_required()}
    given = {key: value for key, value in request.args.items() if value or key not in optional}
    try:
        return model.model_validate_strings(given)
    except ValidationError as error:
        known = ", ".join(model.model_fields)
        raise Impossible(_problem(detail, known) for detail in error.errors(include_url=False)) from None


def _problem(detail: Any, known: str) -> Problem:
    return Problem(field_of(detail["loc"]), say_invalid(detail, known=known))
