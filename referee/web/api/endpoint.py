"""Endpoints: one declaration validates the requests, makes the answers and describes both in OpenAPI.

A resource module declares its endpoints with `Resource.endpoint`. The request model validates what comes in (every
problem names its field). The answer model reads what the view returns: an object of the records by its attributes, or
a mapping. A view that needs another status or a header returns a response of its own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from functools import partial, wraps
from itertools import islice
from operator import attrgetter
from typing import Annotated, Any, Literal, NoReturn, TypeVar

from flask import Response, request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from werkzeug.exceptions import BadRequest, HTTPException, UnsupportedMediaType

from referee.records.errors import Repeated
from referee.rules.text.problem import Impossible, Problem
from referee.web.server import guards
from referee.web.server.database import Once, save
from referee.web.server.errors import MOST_PROBLEMS
from referee.web.words import say, say_invalid

Access = Literal["anyone", "reader", "scorekeeper", "table", "restorer", ""]
View = Callable[..., Any]
T = TypeVar("T")

LONGEST_KEY = 200
"""Characters of an idempotency key."""

LONGEST_HEADER = 500
"""Characters of a header that an endpoint reads; an ETag of ours has 30."""

LONGEST_NUMBER = 15
"""Digits of a number; nothing here has more, and longer ones are slow to print."""

DEEPEST = 12
"""Levels of nesting; a round has three."""

MOST_PARTS = 300
"""Items of one object or list; a hand of two whole decks is 224 cards."""


class Request(BaseModel):
    """Base of request models: strict types, no unknown keys."""

    model_config = ConfigDict(strict=True, extra="forbid", defer_build=True)


class Answer(BaseModel):
    """Base of answer models; a field is left out where it has its default.

    An alias tells where the records have a field. Programs never see it: answers and OpenAPI have the field's name.
    """

    model_config = ConfigDict(
        extra="forbid", defer_build=True, from_attributes=True, validate_by_name=True, validate_by_alias=True
    )


# A string, not a datetime: pydantic writes UTC as "Z", and programs have been given "+00:00" since the first release.
Moment = Annotated[
    str,
    BeforeValidator(lambda at: at.isoformat() if isinstance(at, datetime) else at),
    Field(description="ISO 8601, UTC"),
]


@dataclass
class Endpoint:
    """One method and path, and the decorator of the view that answers: who may call it, its request and its answer.

    `problems` are its statuses beyond the usual ones. Unless `access` says otherwise, a reader may GET, and only a
    scorekeeper do anything else; with “table” also the phone of an evening's table.
    """

    resource: Resource
    method: str
    path: str
    _: KW_ONLY
    access: Access = ""
    body: type[Request] | None = None
    query: type[Request] | None = None
    answer: type[BaseModel] | None = None
    status: int = 200
    problems: tuple[int, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    file: str = ""
    """media type of an answer that the view itself makes"""
    takes: Sequence[str] = ()
    """media types of a body that the view itself reads"""
    view: View = field(init=False)
    answers: View = field(init=False)
    """the function to register with Flask"""

    def __call__(self, view: View) -> View:
        """Declare a view as the answer to this method and path."""
        self.view, self.access = view, self.access or ("reader" if self.method == "GET" else "scorekeeper")
        self.answers = wraps(view)(partial(self.call))
        self.answers.unkeyed = self.access == "anyone"  # type: ignore[attr-defined]
        self.resource.endpoints.append(self)
        return self.answers

    @property
    def summary(self) -> str:
        """Return the first line of the view's docstring."""
        return (self.view.__doc__ or "").strip().partition("\n")[0].removesuffix(".")

    def call(self, **parts: str) -> Response:
        """Answer a request: validate it, check the key, and run the view.

        Looking up a key begins a transaction, which locks SQLite in a request that writes, so validation comes first.
        A missing key is reported all the same, whatever else is wrong.
        """
        if self.access != "anyone" and not guards.presents_key():
            self._let_in()
        given: dict[str, Any] = dict(parts)
        try:
            for name in self.headers:
                if len(request.headers.get(name, "")) > LONGEST_HEADER:
                    raise Impossible([Problem(name, say("body.header", most=LONGEST_HEADER))])
            if self.query is not None:
                given["query"] = _read_query(self.query)
            if self.body is not None:
                empty = not self.body_required and not request.get_data(cache=True)
                given["body"] = read_model(self.body, {} if empty else read_json())
        except (HTTPException, Impossible):
            self._let_in()
            raise
        self._let_in()
        answer = self.view(**given)
        if isinstance(answer, Response):
            return answer
        return respond(answer if self.answer is None else self.answer.model_validate(answer), self.status)

    @property
    def body_required(self) -> bool:
        """Return whether the request needs a body; one that deletes may leave it out."""
        return self.method != "DELETE"

    def _let_in(self) -> None:
        if self.access == "restorer":
            guards.get_restorer()
        elif self.access != "anyone":
            at_table = self.access == "table"
            guards.get_key(write=at_table or self.access == "scorekeeper", at_table=at_table)


@dataclass(frozen=True, eq=False)
class Resource:
    """The endpoints of one kind of resource."""

    name: str
    endpoints: list[Endpoint] = field(default_factory=list)

    @property
    def endpoint(self) -> partial[Endpoint]:
        """Return the decorator that declares one of them."""
        return partial(Endpoint, self)


def respond(document: BaseModel | Mapping[str, Any] | None, status: int = 200) -> Response:
    """Return a response with a document as JSON, or with nothing."""
    if isinstance(document, BaseModel):
        body = document.model_dump_json(exclude_defaults=True).encode()
    else:
        body = b"" if document is None else json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    response = Response(body, status, mimetype="application/json")
    response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


def idempotency_key(shortest: int = 1) -> str | None:
    """Return the idempotency key; raise `Impossible` for one that is too short or not plain ASCII."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not re.fullmatch(rf"[\x21-\x7e]{{{shortest},{LONGEST_KEY}}}", key):
        wanted = say("body.idempotency-key", least=shortest, most=LONGEST_KEY)
        raise Impossible([Problem("Idempotency-Key", wanted)])
    return key


def request_digest(document: Mapping[str, Any]) -> str:
    """Return the digest of what a request asks for, by which it is known when it comes again."""
    written = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(request.path.encode() + b"\n" + written.encode("utf-8", "backslashreplace")).hexdigest()


ONCE: Mapping[str, Any] = {
    "status": 201,
    "problems": (409,),
    "headers": {"Idempotency-Key": "any text, a new one each time; a repeated request does nothing twice"},
}
"""How an endpoint is declared that saves by `save_once`."""


def save_once(
    body: Request, draft: Callable[[], T], write: Callable[[T], object] | None = None, field: str = "id"
) -> str:
    """Save what a request asks for, once where it has an idempotency key, and return the id of what was made.

    That is a `field` of what is drafted.
    """
    club, key, made = guards.get_club(write=True), idempotency_key(), attrgetter(field)
    once = Once(club.id, key, request_digest(body.model_dump()), made) if key else None
    try:
        return str(made(save(draft, write, once)))
    except Repeated as before:
        return before.made


def read_model(model: type[Request], value: Any) -> Request:
    """Return a value read by a model; raise `Impossible` with every problem, each naming its field."""
    return _validated(model, model.model_validate, value)


def _validated(model: type[Request], validate: Callable[[Any], Request], value: Any) -> Request:
    try:
        return validate(value)
    except ValidationError as error:
        fields = {"n": len(model.model_fields), "known": ", ".join(model.model_fields)}
        details = error.errors(include_url=False)
        raise Impossible(Problem(field_of(each["loc"]), say_invalid(each, **fields)) for each in details) from None


def _read_query(model: type[Request]) -> Request:
    """Return the query; an optional field that is empty, as forms send it, counts as not given.

    ``lang`` is every endpoint's: the language of the answer (`layout.chosen_language`).
    """
    optional = {key for key, field in model.model_fields.items() if not field.is_required()}
    given = {key: value for key, value in request.args.items() if key != "lang" and (value or key not in optional)}
    return _validated(model, model.model_validate_strings, given)


def read_json() -> Any:
    """Return the request's body: 415 for another content type, 400 for invalid JSON, 422 for values over the limits.

    Time and memory grow linearly with the body.
    """
    if not request.is_json:
        raise UnsupportedMediaType(say("body.kind"))
    try:
        value = _READER.decode(request.get_data(cache=True).decode("utf-8"))
    except RecursionError:
        raise BadRequest(say("body.deep", most=DEEPEST)) from None
    except UnicodeDecodeError as error:
        raise BadRequest(say("file.json", at=error.start + 1)) from None
    except json.JSONDecodeError as error:
        raise BadRequest(say("file.json", at=error.pos + 1)) from None
    except ValueError as error:
        raise BadRequest(str(error)) from None
    if problems := list(islice(_unreadable(value), MOST_PROBLEMS)):
        raise Impossible(problems)
    return value


def field_of(location: tuple[int | str, ...]) -> str:
    """Return the path to a value, as in ``hands.Bo[2]``, with long keys cut."""
    text = ""
    for part in location:
        part = part[:160] if isinstance(part, str) else part  # as many characters as a name has
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "body"


class _Object(dict[str, Any]):
    """An object that remembers duplicate keys, of which JSON readers silently take the last."""

    twice: Sequence[str] = ()

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        if len(self) < len(pairs):
            self.twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]


class _LongNumber(str):
    """The digits of an overlong number, as text until its field is known."""


_LOOKED_INTO = (dict, list, _LongNumber)


def _unreadable(value: Any) -> Iterator[Problem]:
    """Yield a problem for each value over the limits, level by level; raise `BadRequest` for too many levels."""
    level: list[tuple[tuple[int | str, ...], Any]] = [((), value)] if isinstance(value, _LOOKED_INTO) else []
    for _ in range(DEEPEST):
        below: list[tuple[tuple[int | str, ...], Any]] = []
        for location, item in level:
            if isinstance(item, _LongNumber):
                message = say("body.long-number", digits=item[:LONGEST_NUMBER], most=LONGEST_NUMBER)
                yield Problem(field_of(location), message)
                continue
            if isinstance(item, _Object):
                for key in item.twice:
                    yield Problem(field_of((*location, key)), say("body.twice", key=key[:40]))
            if len(item) > MOST_PARTS:
                yield Problem(field_of(location), say("body.parts", n=len(item), most=MOST_PARTS))
                continue
            parts = item.items() if isinstance(item, dict) else enumerate(item)
            below += [((*location, key), part) for key, part in parts if isinstance(part, _LOOKED_INTO)]
        level = below
        if not level:
            return
    raise BadRequest(say("body.deep", most=DEEPEST))


def _no_number(text: str) -> NoReturn:
    raise ValueError(say("body.number", text=text))


_READER = json.JSONDecoder(
    object_pairs_hook=_Object,
    parse_constant=_no_number,
    parse_int=lambda text: _LongNumber(text) if len(text) > LONGEST_NUMBER else int(text),
)
