"""Endpoints: declared once, checked by their declaration, described to machines by the same declaration.

A resource module declares its endpoints with `Resource.endpoint`; the models of what comes in check the
request (every problem named with its field) and are, with the models of what goes out, the OpenAPI
document. A view gets its body and query already read, and returns a document or a response.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from flask import Response, request
from pydantic import BaseModel, ConfigDict, ValidationError
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from referee.rules.problem import Impossible, Problem
from referee.web import guards

Access = Literal["anyone", "reader", "scorekeeper"]
View = Callable[..., "Response | Mapping[str, Any]"]

LONGEST_NUMBER = 15
"""Digits of a number; more is no count of anything here, and takes long to print."""

LONGEST_KEY = 200
"""Characters of an idempotency key."""


class Request(BaseModel):
    """Something a client sends: strict types, no unknown keys."""

    model_config = ConfigDict(strict=True, extra="forbid", defer_build=True)


class Answer(BaseModel):
    """Something a client gets; described to machines, and held against real answers by tests."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


@dataclass(frozen=True)
class Endpoint:
    """One address and method: who may call it, what comes in, what goes out."""

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

    @property
    def summary(self) -> str:
        """Give the first line of the view's docstring."""
        return (self.view.__doc__ or "").strip().partition("\n")[0].removesuffix(".")

    def call(self, **parts: str) -> Response:
        """Answer a request: let in who may, read what came, and run the view."""
        if self.access != "anyone":
            guards.get_key(write=self.access == "scorekeeper")
        given: dict[str, Any] = dict(parts)
        if self.query is not None:
            given["query"] = _read_query(self.query)
        if self.body is not None:
            given["body"] = read_model(self.body, read_json())
        answer = self.view(**given)
        return answer if isinstance(answer, Response) else respond(answer, self.status)


@dataclass(frozen=True, eq=False)
class Resource:
    """The endpoints of one kind of thing."""

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
    ) -> Callable[[View], View]:
        """Declare a view as the answer to a method and path; `problems` are its statuses beyond the usual ones."""

        def declare(view: View) -> View:
            declared = Endpoint(method, path, view, access, body, query, answer, status, problems, headers or {})
            self.endpoints.append(declared)
            return view

        return declare


def view_function(endpoint: Endpoint) -> Callable[..., Response]:
    """Make the function that Flask calls for an endpoint."""

    @functools.wraps(endpoint.view)
    def view(**parts: str) -> Response:
        return endpoint.call(**parts)

    return view


def respond(document: Mapping[str, Any] | None, status: int = 200) -> Response:
    """Answer with a JSON document, or with nothing."""
    body = b"" if document is None else to_json(document)
    response = Response(body, status, mimetype="application/json")
    response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


def to_json(document: Mapping[str, Any]) -> bytes:
    """Write a document as UTF-8 JSON."""
    return _WRITER.encode(document).encode("utf-8", "backslashreplace")


_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def read_json() -> Any:
    """Read the request's body: 415 when it is not called JSON, 400 when it is none, 422 for what none should hold."""
    if not request.is_json:
        raise UnsupportedMediaType("Send JSON, with Content-Type: application/json.")
    try:
        value = _READER.decode(request.get_data(cache=True).decode("utf-8"))
        problems = list(_unreadable(value, ()))
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"The body is no JSON: {error}" if isinstance(error, ValueError) else "Too deep.") from None
    if problems:
        raise Impossible(problems)
    return value


def idempotency_key(shortest: int = 1) -> str | None:
    """Read the key under which a request may come again; raises `Impossible` when it is too short or not plain."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not re.fullmatch(rf"[\x21-\x7e]{{{shortest},{LONGEST_KEY}}}", key):
        wanted = f"Give {shortest} to {LONGEST_KEY} plain characters without blanks, such as a UUID."
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
    """Read the query; what need not be given and is left empty, as forms send it, counts as not given."""
    optional = {key for key, field in model.model_fields.items() if not field.is_required()}
    given = {key: value for key, value in request.args.items() if value or key not in optional}
    try:
        return model.model_validate_strings(given)
    except ValidationError as error:
        known = ", ".join(model.model_fields)
        raise Impossible(_problem(detail, known) for detail in error.errors(include_url=False)) from None


def field_of(location: tuple[int | str, ...]) -> str:
    """Write where something stands, as in ``hands.Bo[2]``."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "body"


_MESSAGES = {
    "missing": "This is missing.",
    "int_type": "Give a whole number.",
    "int_parsing": "Give a whole number.",
    "string_type": "Give a text.",
    "list_type": "Give a list.",
    "bool_type": "Give true or false.",
    "bool_parsing": "Give true or false.",
    "dict_type": "Give an object.",
    "model_type": "Give an object.",
    "string_pattern_mismatch": "This is no id; ids are given by the lists.",
}


def _problem(detail: Any, known: str) -> Problem:
    kind = detail["type"]
    if kind == "extra_forbidden":
        message = f"There is no such field; known are {known}."
    elif kind == "greater_than_equal":
        message = f"Give a whole number from {detail['ctx']['ge']} on."
    else:
        message = _MESSAGES.get(kind) or detail["msg"].removesuffix(".") + "."
    return Problem(field_of(detail["loc"]), message)


class _Object(dict[str, Any]):
    """An object that remembers which keys stood there twice: plain JSON readers keep the last silently."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        keys = [key for key, _ in pairs] if len(self) < len(pairs) else []
        self.twice = sorted({key for key in keys if keys.count(key) > 1})


class _LongNumber(str):
    """The digits of a number that is longer than any count here, kept as text until its field is known."""


def _unreadable(value: Any, location: tuple[int | str, ...]) -> Iterator[Problem]:
    if isinstance(value, _LongNumber):
        message = f"{value[:LONGEST_NUMBER]}… has more than {LONGEST_NUMBER} digits."
        yield Problem(field_of(location), message)
    if isinstance(value, _Object):
        for key in value.twice:
            yield Problem(field_of((*location, key)), f"“{key[:40]}” stands there twice; give it once.")
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for part, item in parts:
        if isinstance(item, dict | list | _LongNumber):
            yield from _unreadable(item, (*location, part))


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number in JSON")


def _whole_number(text: str) -> int | _LongNumber:
    return _LongNumber(text) if len(text) > LONGEST_NUMBER else int(text)


_READER = json.JSONDecoder(object_pairs_hook=_Object, parse_constant=_no_number, parse_int=_whole_number)
