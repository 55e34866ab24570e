"""Nothing costs more than its size: every text, list and body has a maximum, and no lock is held while one is read."""

import importlib
import importlib.util
import io
import json
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from flask import Flask
from flask_wtf import FlaskForm
from prometheus_client.parser import text_string_to_metric_families
from pydantic import TypeAdapter, ValidationError
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, Field, FieldList
from wtforms.csrf.core import CSRFTokenField
from wtforms.validators import Length

from referee import web
from referee.records.match.seating import Seated
from referee.records.names import LONGEST_NOTE
from referee.records.transfer.document import MOST_FREE, MOST_PARTS, Free, RulebookPart
from referee.rules.books.library import rulebooks
from referee.rules.own.rulebook import LONGEST_RULE
from referee.web.api import interface
from referee.web.api.endpoint import Endpoint, Request, read_model
from referee.web.api.interface import RESOURCES
from referee.web.page.fields import (
    LONGEST_HAND,
    LONGEST_NUMBER,
    ChoicesField,
    HandField,
    WholeNumberField,
)
from referee.web.rounds.forms import round_form
from referee.web.server import sizes
from referee.web.server.errors import MOST_PROBLEMS
from referee.web.transfer.forms import club_schema
from tests.abuse.shapes import RAW
from tests.abuse.work import measure
from tests.conftest import MakeApp
from tests.ground.client import browser_of
from tests.ground.house import House
from tests.ground.listening import listening

JSON = {"content_type": "application/json"}
DEAL = {"dispute": "deal", "rulebook": "official"}
SCORE = {"rulebook": "classic-500", "went_out": "Ada", "hands": {"Bo": ["red-7"]}}


# --- what the schemas say ----------------------------------------------------------------------------


def unbounded(schema: Any, where: str) -> Iterator[str]:
    """Find texts, lists and objects of free keys that have no maximum, and values that may be anything."""
    if isinstance(schema, list):
        for place, part in enumerate(schema):
            yield from unbounded(part, f"{where}[{place}]")
    if not isinstance(schema, dict):
        return
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "string" in kinds and not {"enum", "const", "maxLength"} & schema.keys():
        yield f"{where}: a text"
    if "array" in kinds and "maxItems" not in schema:
        yield f"{where}: a list"
    free = schema.get("additionalProperties", True)
    if "object" in kinds and free is not False and (free is True or free == {} or "maxProperties" not in schema):
        yield f"{where}: an object"
    for name, part in schema.get("properties", {}).items():
        if not {"type", "$ref", "anyOf", "enum", "const"} & part.keys():
            yield f"{where}.{name}: anything"
    for key, part in schema.items():
        if key not in ("description", "title", "default", "examples", "enum", "required"):
            yield from unbounded(part, f"{where}.{key}")


@pytest.mark.promise("security#large-bodies")
def test_everything_that_comes_in_has_a_maximum_in_its_schema(app: Flask) -> None:
    described = app.test_client().get("/api/v1/openapi.json").get_json()
    bodies = {each.body.__name__ for resource in RESOURCES for each in resource.endpoints if each.body}
    schemas = {name: schema for name, schema in described["components"]["schemas"].items() if name in bodies}
    assert schemas.keys() == bodies
    found = [*unbounded(list(schemas.values()), "")]
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            for parameter in operation["parameters"]:
                # a pattern that names how many characters there are is a maximum too
                if "{1," not in parameter["schema"].get("pattern", ""):
                    found += unbounded(parameter["schema"], f"{method} {path} {parameter['name']}")
    assert found == []


NO_MAXIMUM = {
    ".properties.matches: a list": "a club may play as many as it likes; read one by one",
    ".$defs.PublishedClausePart.properties.settings: an object": "measured by `Free`",
    ".$defs.ClausePart.properties.settings: an object": "measured by `Free`",
    ".$defs.OwnRulebookPart.properties.document: an object": "measured by `Free`",
    ".$defs.RulingPart.properties.facts: an object": "measured by `Free`",
    ".$defs.RulingPart.properties.ruling: an object": "measured by `Free`",
}
"""What a club's file may have without one in its schema, and why."""


@pytest.mark.promise("security#large-bodies")
def test_everything_in_a_clubs_file_has_a_maximum_in_its_schema() -> None:
    """A clause of 30 MB came in, and every page of its match showed it."""
    schema = club_schema()
    moments = {path for path, part in parts_of(schema, "") if part.get("format") in ("date", "date-time")}
    found = [each for each in unbounded(schema, "") if each.removesuffix(": a text") not in moments]
    assert sorted(found) == sorted(NO_MAXIMUM)


def parts_of(schema: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """List the parts of a schema by where they are, as `unbounded` writes it."""
    if isinstance(schema, dict):
        yield where, schema
    each = enumerate(schema) if isinstance(schema, list) else schema.items() if isinstance(schema, dict) else ()
    for key, part in each:
        yield from parts_of(part, f"{where}[{key}]" if isinstance(schema, list) else f"{where}.{key}")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"text": "x" * (LONGEST_NOTE + 1)}, "string_too_long"),
        ({"x" * (LONGEST_NOTE + 1): 1}, "string_too_long"),
        ({"a": [{"b": ["x" * 30_000_000]}]}, "string_too_long"),
        ({"a": [0] * (MOST_PARTS + 1)}, "too_long"),
        ({"a": {str(number): 0 for number in range(MOST_PARTS + 1)}}, "too_long"),
        ({str(number): [0] * (MOST_FREE // 10) for number in range(11)}, "too_long"),
    ],
    ids=["a text", "a key", "a text inside", "a list", "an object", "all together"],
)
def test_free_json_in_a_clubs_file_is_measured(value: object, kind: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(Free).validate_python(value)
    assert [error["type"] for error in refused.value.errors()] == [kind]


@pytest.mark.promise("security#large-bodies")
def test_a_clause_of_megabytes_is_refused_at_its_field(house: House) -> None:
    client, headers = house.app.test_client(), house.bearer("scorekeeper")
    document = client.get("/api/v1/export", headers=headers).get_json()
    document["rulebooks"][0]["document"]["clauses"][0]["text"] = "x" * 3_000_000
    answer = client.post("/api/v1/import", json=document, headers=headers, status=422)
    assert [error["field"] for error in answer.get_json()["errors"]] == ["rulebooks[0].document.clauses[0].text"]
    assert len(answer.data) < 2_000


def test_every_clause_that_a_form_takes_comes_in_with_its_club() -> None:
    """The longest a club can word, and the longest that any text of ours has."""
    assert LONGEST_RULE <= LONGEST_NOTE
    for book in rulebooks().values():
        TypeAdapter(RulebookPart).validate_python(book.to_document(), strict=False)


# --- bodies ------------------------------------------------------------------------------------------


def chunked(body: bytes) -> dict[str, Any]:
    """Send a body as a server hands it on that does not know its length."""
    return {"input_stream": io.BytesIO(body), "environ_overrides": {"wsgi.input_terminated": True}} | JSON


@pytest.mark.parametrize(("path", "longest"), [("/api/v1/score", 65_536), ("/api/v1/players", 262_144)])
@pytest.mark.promise("security#large-bodies")
def test_a_json_body_has_a_maximum_which_the_answer_names(app: Flask, path: str, longest: int) -> None:
    client = app.test_client()
    key = client.post("/api/v1/clubs", json={"name": "Tuesday"}).get_json()["scorekeeper_key"]
    headers = {"Authorization": f"Bearer {key}"}
    fits, too_long = (b"{" + b" " * (length - 2) + b"}" for length in (longest, longest + 1))
    assert client.post(path, data=fits, headers=headers, **JSON).status_code == 422
    assert client.post(path, headers=headers, **chunked(fits)).status_code == 422
    for answer in (
        client.post(path, data=too_long, headers=headers, **JSON),
        client.post(path, headers=headers, **chunked(too_long)),
    ):
        assert answer.status_code == 413
        assert answer.mimetype == "application/problem+json"
        assert f"{longest:,} bytes" in answer.get_json()["detail"]


@pytest.mark.promise("security#large-bodies")
def test_a_body_that_says_it_is_too_long_is_never_read(app: Flask) -> None:
    class Unread(io.BytesIO):
        def read(self, *_: object) -> bytes:
            raise AssertionError("read")

    for path, kind in (("/api/v1/score", "application/json"), ("/matches/new", sizes.FORM), ("/nowhere", sizes.FORM)):
        stream = Unread(b"x" * 300_000)
        answer = app.test_client().post(path, input_stream=stream, content_length=300_000, content_type=kind)
        assert answer.status_code == 413, path


def test_a_form_of_too_many_fields_is_refused_before_it_is_parsed(app: Flask) -> None:
    body = b"&".join([b"players=x"] * (sizes.MOST_FIELDS + 1))
    answer = app.test_client().post("/matches/new", data=body, content_type=sizes.FORM, status=413)
    assert f"{sizes.MOST_FIELDS:,} fields" in answer.text


@pytest.mark.parametrize(
    ("headers", "path", "status"),
    [
        ({}, "/rules?q=" + "x" * 20_000, 414),
        ({}, "/rules?" + "a&" * 300, 414),
        ({}, "/" + "x" * 3_000, 414),
        ({"X-Long": "a=b; " * 10_000}, "/rules", 431),
        ({"Accept": "a/b," * 5_000}, "/rules", 200),
        ({"Accept-Encoding": "gzip;q=0.5," * 2_000}, "/rules", 200),
        ({"If-Match": "x" * 5_000, "Authorization": "Bearer x"}, "/api/v1/players", 401),
    ],
)
def test_a_head_that_is_too_long_is_refused_or_left_unread(
    app: Flask, headers: dict[str, str], path: str, status: int
) -> None:
    assert app.test_client().get(path, headers=headers).status_code == status


def test_programs_are_told_of_a_head_that_is_too_long_as_of_everything(app: Flask) -> None:
    client = app.test_client()
    for answer in (
        client.get("/api/v1/rules?q=" + "x" * 20_000),
        client.get("/api/v1/rulebooks", headers={"X-Long": "x" * 40_000}),
    ):
        assert answer.mimetype == "application/problem+json"
        assert answer.get_json(force=True)["status"] == answer.status_code


# --- JSON --------------------------------------------------------------------------------------------


MANY: dict[str, Callable[[int], bytes]] = {
    **{name: RAW[name] for name in ("duplicate keys", "one key again and again", "long numbers", "other fields")},
    "closed brackets": RAW["closed brackets"],
    "house rules": lambda size: json.dumps(DEAL | {"house_rules": ["jump-in"] * (size // 11)}).encode(),
    "facts": lambda size: json.dumps(DEAL | {"facts": dict.fromkeys(map(str, range(size // 13)))}).encode(),
    "wrong cards": lambda size: json.dumps(SCORE | {"hands": {"Bo": ["x"] * (size // 5)}}).encode(),
    "objects": lambda size: json.dumps({"hands": [{}] * (size // 4)}).encode(),
}


@pytest.mark.parametrize("kind", MANY)
@pytest.mark.promise("security#large-bodies")
def test_a_body_of_many_of_the_same_costs_no_more_than_its_size(app: Flask, kind: str) -> None:
    client = app.test_client()
    path = "/api/v1/hearings" if kind in ("house rules", "facts") else "/api/v1/score"

    def send(body: bytes) -> int:
        answer = client.post(path, data=body, **JSON)
        assert answer.status_code in (400, 422), answer.status
        assert len(answer.data) < 65_536
        if answer.status_code == 422:
            assert len(answer.get_json()["errors"]) <= MOST_PROBLEMS + 1
        return len(answer.data)

    send(MANY[kind](3_000))
    small, large = (measure(lambda size=size: send(MANY[kind](size))).calls for size in (4_000, 16_000))  # type: ignore[misc]
    assert large < 6 * small, (small, large)


def test_every_key_that_stands_there_twice_is_named_once(app: Flask) -> None:
    body = b'{"b": 1, "a": {"c": 1, "c": 2, "c": 3}, "b": 2}'
    answer = app.test_client().post("/api/v1/score", data=body, **JSON)
    assert [error["field"] for error in answer.get_json()["errors"]] == ["a.c", "b"]


def test_too_many_problems_are_counted_not_listed(app: Flask) -> None:
    hands = {f"P{number}": ["x"] * 200 for number in range(10)}
    answer = app.test_client().post("/api/v1/score", json=SCORE | {"hands": hands})
    errors = answer.get_json()["errors"]
    assert len(errors) == MOST_PROBLEMS + 1
    assert errors[-1]["message"].startswith("And 1,9")


def test_a_long_key_is_named_by_its_beginning(app: Flask) -> None:
    answer = app.test_client().post("/api/v1/score", json={"x" * 60_000: 1, "hands": {"y" * 500: ["red-7"]}})
    assert answer.status_code == 422
    assert len(answer.data) < 2_000


@pytest.mark.promise("security#large-bodies")
def test_a_body_is_read_and_checked_before_the_record_is_locked(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Duplicate keys, counted by a slow way within ``BEGIN IMMEDIATE``, once held up every other club."""
    client = app.test_client()
    key = client.post("/api/v1/clubs", json={"name": "Tuesday"}).get_json()["scorekeeper_key"]
    bearer = {"Authorization": f"Bearer {key}"}
    seen: list[str] = []
    module = sys.modules[Endpoint.__module__]

    def checked(model: type[Request], value: Any) -> Request:
        seen.append("checked")
        return read_model(model, value)

    monkeypatch.setattr(module, "read_model", checked)
    with listening(app, "begin", lambda _connection: seen.append("begun")):
        assert client.post("/api/v1/players", json={"name": "Ada"}, headers=bearer).status_code == 201
    assert seen[:2] == ["checked", "begun"]
    seen.clear()
    assert client.post("/api/v1/players", json={"name": 1}, headers={"Authorization": "Bearer x"}).status_code == 401
    assert client.post("/api/v1/players", data=b"{").status_code == 401
    assert client.post("/api/v1/players", json={"name": 1}, headers=bearer).status_code == 422


def test_the_description_of_the_interface_is_made_once() -> None:
    assert interface.document(RESOURCES) is interface.document(RESOURCES)


def test_a_host_may_allow_less(make_app: MakeApp) -> None:
    app = make_app(MAX_CONTENT_LENGTH=1_000)
    answer = app.test_client().post("/api/v1/score", data=b" " * 1_001, **JSON)
    assert (answer.status_code, "1,000 bytes" in answer.get_json()["detail"]) == (413, True)


# --- forms -------------------------------------------------------------------------------------------


def every_form() -> Iterator[type[FlaskForm]]:
    """Find the forms of all rooms, and the round form of a table of two."""
    rooms = [module.name for module in pkgutil.iter_modules(web.__path__, f"{web.__name__}.") if module.ispkg]
    for name in filter(importlib.util.find_spec, (f"{room}.forms" for room in rooms)):
        for found in vars(importlib.import_module(name)).values():
            if isinstance(found, type) and issubclass(found, FlaskForm) and found is not FlaskForm:
                yield found
    yield round_form([Seated(seat, f"{seat}" * 16, "Ada", "Ada", 0, ((1, None),)) for seat in (0, 1)])


def too_much(field: Field) -> list[str]:
    """Fill a field beyond whatever it may hold."""
    if isinstance(field, HandField):
        return ["7 " * LONGEST_HAND]
    if isinstance(field, WholeNumberField):
        return ["1" * (LONGEST_NUMBER + 1)]
    if isinstance(field, ChoicesField):
        return ["x"] * (field.most + 1)
    validators: Sequence[object] = field.validators
    lengths = [rule.max for rule in validators if isinstance(rule, Length)]
    assert len(lengths) == 1, f"{field.name} has no maximum"
    assert 0 < lengths[0] <= 25_000, field.name
    return ["x" * (lengths[0] + 1)]


def test_every_field_of_every_form_has_a_maximum_and_says_so(app: Flask) -> None:
    tried = 0
    with app.test_request_context("/", method="POST"):
        for kind in every_form():
            empty = kind(MultiDict())
            for name, field in empty._fields.items():
                if isinstance(field, BooleanField | CSRFTokenField):
                    continue
                if isinstance(field, FieldList):
                    assert field.max_entries is not None
                    assert field.max_entries < 50
                    field = field.append_entry("")
                    too_much(field)
                    continue
                form = kind(MultiDict([(name, value) for value in too_much(field)]))
                form.validate()
                assert form._fields[name].errors, f"{kind.__name__}.{name}"
                tried += 1
    assert tried > 40


def test_a_form_takes_no_more_players_than_can_be_refused_in_words(app: Flask) -> None:
    client = browser_of(app)
    answer = client.submit("/matches/new", {"players": ["x"] * 900, "rulebook": "classic-500"}, status=422)
    assert len(answer.data) < 100_000


# --- caches ------------------------------------------------------------------------------------------


def told(app: Flask) -> dict[tuple[str, str], int]:
    """Read how full the caches are, as a monitor does, by the names of gauge and cache."""
    families = text_string_to_metric_families(app.test_client().get("/metrics").text)
    samples = [sample for family in families if family.type == "gauge" for sample in family.samples]
    return {(sample.name, sample.labels.get("cache", "")): int(sample.value) for sample in samples}


@pytest.mark.promise("security#bounded-caches")
def test_a_card_padded_with_blanks_is_refused_in_few_words(app: Flask) -> None:
    for length in (100, 1_000, 60_000):
        facts = {"card": "red-7" + " " * length}
        answer = app.test_client().post(
            "/api/v1/hearings", json={"dispute": "can-i-play", "rulebook": "official", "facts": facts}, status=422
        )
        assert len(answer.data) < 2_000


def test_the_caches_say_how_full_they_are_and_their_sum(make_app: MakeApp) -> None:
    app = make_app(METRICS=True)
    client = app.test_client()
    club = client.post("/api/v1/clubs", json={"name": "Ours"}).get_json()
    bearer = {"Authorization": f"Bearer {club['scorekeeper_key']}"}
    plan = {"players": ["Ada", "Bo"], "rulebook": "official"}
    assert client.post("/api/v1/matches", json=plan, headers=bearer).status_code == 201
    found = told(app)
    each, most = (
        {cache: size for (name, cache), size in found.items() if name == f"referee_cache_{what}"}
        for what in ("bytes", "max_bytes")
    )
    assert sum(each.values()) == found["referee_caches_bytes", ""] > 0
    assert each.keys() == most.keys()
    assert all(size <= most[cache] for cache, size in each.items())


def test_a_header_that_an_endpoint_reads_has_a_maximum(app: Flask) -> None:
    client = app.test_client()
    key = client.post("/api/v1/clubs", json={"name": "Tuesday"}).get_json()["scorekeeper_key"]
    there = f"/api/v1/matches/{'0' * 16}/rounds"
    for method, path, name in (("DELETE", f"{there}/{'0' * 16}", "If-Match"), ("POST", there, "Idempotency-Key")):
        headers = {"Authorization": f"Bearer {key}", name: "x" * 501}
        answer = client.open(path, method=method, json={"after": 0}, headers=headers)
        assert answer.status_code == 422, method
        assert [error["field"] for error in answer.get_json()["errors"]] == [name]
