"""Every request of the growth sweep: for each place that takes something, how to send so much there.

Bodies and queries of the JSON interface come from its OpenAPI document, everything else from the URL map, from the
forms on the pages, and from the fields and headers that a view asks its request for. So a new route, or a new field of
an old one, is in the sweep by itself.
"""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from referee.rules.books.controls import controls
from referee.web.server import sizes
from tests.abuse import places
from tests.abuse.large import Document, with_matches, with_players, with_rounds, with_stays
from tests.abuse.places import fillings, places_of, right_body
from tests.abuse.shapes import ALONE, IN_BODIES, IN_HEADERS, IN_PATHS, RAW, THOROUGH, TOGETHER
from tests.fuzz.test_forms import Form, FormReader, sensible
from tests.ground.house import PART, House

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

API = "/api/v1"
TIMES = 4
"""How much larger the second of two requests is."""
ENOUGH = sizes.UNKEYED_JSON
"""Bytes in which whatever grows faster than its size has shown it."""
PHONES_PAGES = ("/hand", "/hand/now")
PLAIN = (("GET", "/"), ("GET", f"{API}/rulebooks"))
"""Where headers are tried that are read at every address; the first, which is a page, tells which those are."""
READERS = (("POST", f"{API}/hearings"), ("POST", f"{API}/players"))
"""Where every kind of broken body is tried, without a key and with one: what reads them is the same everywhere."""
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
HEADERS = (
    "Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control", "Content-Type", "Cookie", "Host",
    "Idempotency-Key", "If-Match", "If-Modified-Since", "If-None-Match", "Origin", "Range", "Referer", "X-CSRFToken",
    "X-Forwarded-For", "X-Request-Id",
)  # fmt: skip
"""Headers that Flask, its extensions and we read, which are tried at a few addresses of each kind."""


AGAIN = ("players", "house_rules", "sat_out", "credited_to", "drawn", "cards")
"""Fields that a form may have several of; any other counts once."""
IMPORT = ("POST", f"{API}/import")
LARGER = {with_players: 800, with_rounds: 200, with_stays: 800, with_matches: 40}
"""What a club that comes in may have much of, and how much of it is tried."""
FORM_HINTS = {"player": ["Fay"], "total": ["0"], "table": ["date,Ada,Bo\n2020-01-01,1,2\n"]}
"""Right values for fields of forms that the page leaves empty."""


Send = Callable[[], int]
"""Send a request that is ready, and give the answer's status."""


@dataclass(frozen=True)
class Case:
    """Something to send in two sizes, the larger last: the route, the place in it, and the shape."""

    route: str
    place: str
    shape: str
    size: int
    make: Callable[[int], Send]
    """makes a request with so much in it ready"""
    keyed: bool

    def __str__(self) -> str:
        return f"{self.route} · {self.place} · {self.shape}"


@dataclass(frozen=True)
class Browser:
    """What a browser sends of its own accord: its cookie, and the token in its forms."""

    cookie: str
    token: str


class Listening:
    """Pass requests on to an app and note the headers that are looked up."""

    def __init__(self, inside: Callable[..., Iterable[bytes]]) -> None:
        self._inside = inside

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Pass a request on."""
        return self._inside(_Heard(environ), start_response)


class _Heard(dict[str, Any]):
    def __getitem__(self, key: str) -> Any:
        places.headers_asked.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        places.headers_asked.add(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        places.headers_asked.add(str(key))
        return super().__contains__(key)


class Sweep:
    """All cases of an app whose database is a file of SQLite."""

    def __init__(self, house: House, database: Path) -> None:
        self.house = house
        self.app = house.app
        self.app.request_class = places.Listening
        self.app.wsgi_app = Listening(self.app.wsgi_app)  # type: ignore[method-assign]
        self._client = self.app.test_client(use_cookies=False)
        self._browsers = {caller: self._open_browser(caller) for caller in ("stranger", "scorekeeper", "phone")}
        self._client.post(f"{API}/players", json={"name": "Eve"}, headers=house.bearer("scorekeeper"))
        self._usual_headers: set[str] = set()
        self.document: Mapping[str, Any] = self._client.get(f"{API}/openapi.json").get_json()
        self.forms = dict(self._forms_of_pages())
        self._now, self._before = sqlite3.connect(database), sqlite3.connect(":memory:")
        self._now.backup(self._before)
        self._version = self._read_version()

    def _open_browser(self, caller: str) -> Browser:
        """Get a cookie that stays as it is, whatever is done with it, and its token."""
        browser = self.house.browser(caller)
        token = browser.token("/rules")
        cookie = browser.get_cookie("session")
        assert cookie is not None
        return Browser(f"session={cookie.value}", token)

    def close(self) -> None:
        """Let go of the database."""
        self._now.close()
        self._before.close()

    def restore(self) -> None:
        """Make the record what it was, if a request changed it."""
        if self._read_version() != self._version:
            self._before.backup(self._now)
            self._version = self._read_version()

    def _read_version(self) -> int:
        return int(self._now.execute("PRAGMA data_version").fetchone()[0])

    # -- what there is -------------------------------------------------------------------------------------------------

    def routes(self) -> list[tuple[str, str]]:
        """List every method and rule."""
        return sorted(
            (method, rule.rule)
            for rule in self.app.url_map.iter_rules()
            for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        )

    def _forms_of_pages(self) -> Iterator[tuple[tuple[str, str], Form]]:
        """Read the forms of all pages, by the method and rule they are sent to."""
        adapter = self.app.url_map.bind("localhost")
        for method, rule in self.routes():
            if method != "GET" or rule.startswith((API, "/static/")):
                continue
            for browser in self._browsers.values():
                answer = self._client.get(self.house.path(rule), headers={"Cookie": browser.cookie})
                page = answer.text if answer.mimetype == "text/html" else ""
                answer.close()
                for form in FormReader(page, self.house.path(rule)).forms:
                    path = form.action.partition("#")[0].partition("?")[0]
                    found, _parts = adapter.match(path, method=form.method, return_rule=True)
                    yield (form.method, found.rule), form

    def operation(self, method: str, rule: str) -> Mapping[str, Any]:
        """Give what the OpenAPI document says of a route; nothing where it is no route of the JSON interface."""
        path = rule.removeprefix(API).replace("<", "{").replace(">", "}")
        found: Mapping[str, Any] = self.document["paths"].get(path, {}).get(method.lower(), {})
        return found if rule.startswith(API) else {}

    def is_keyed(self, method: str, rule: str) -> bool:
        """Tell whether strangers get no further than the door."""
        if rule.startswith(API):
            return "security" in self.operation(method, rule)
        self.restore()
        stranger = self._browsers["stranger"]
        data = {"csrf_token": stranger.token} if method == "POST" else None
        answer = self._client.open(self.house.path(rule), method=method, data=data, headers={"Cookie": stranger.cookie})
        answer.close()
        return answer.status_code in (401, 403, 404, 410)

    # -- sending -------------------------------------------------------------------------------------------------------

    def browser_for(self, rule: str) -> Browser:
        """Give the browser that may use a page."""
        return self._browsers["phone" if rule in PHONES_PAGES else "scorekeeper"]

    def ready(
        self, method: str, rule: str, *, path: str = "", headers: Mapping[str, str] | None = None, **more: Any
    ) -> Send:
        """Make a request ready, to be sent as often as one likes; what is sent reads the whole answer."""
        own = {"Cookie": self.browser_for(rule).cookie}
        if rule.startswith(API):
            own = {"If-Match": "*", **self.house.bearer("scorekeeper")} if self.is_keyed(method, rule) else {}
        sent = {"path": path or self.house.path(rule), "method": method, "headers": {**own, **(headers or {})}, **more}

        def send() -> int:
            answer = self._client.open(**sent)
            answer.get_data()
            answer.close()
            return int(answer.status_code)

        return send

    def ready_form(self, rule: str, fields: Mapping[str, Sequence[Any]], files: Sequence[str]) -> Send:
        """Make a form ready, with its token."""
        pairs = [(name, value) for name, values in fields.items() for value in values if name != "csrf_token"]
        pairs.insert(0, ("csrf_token", self.browser_for(rule).token))
        if not files:
            return self.ready("POST", rule, data=_escaped(pairs).encode(), content_type=FORM)
        data: dict[str, list[Any]] = {}
        for name, value in pairs:
            data.setdefault(name, []).append(FileStorage(io.BytesIO(value), "a") if isinstance(value, bytes) else value)
        boundary, body = encode_multipart(data)
        return self.ready("POST", rule, data=body, content_type=f'multipart/form-data; boundary="{boundary}"')

    # -- cases ---------------------------------------------------------------------------------------------------------

    def cases(self, method: str, rule: str) -> Iterator[Case]:
        """Give every case of a route."""
        keyed = self.is_keyed(method, rule)
        operation = self.operation(method, rule)
        fields, headers = self._listen(method, rule)

        def case(place: str, shape: str, largest: int, send: Callable[[int], Send]) -> Case:
            return Case(f"{method} {rule}", place, shape, largest // TIMES, send, keyed)

        yield from self._path_cases(method, rule, case)
        yield from self._header_cases(method, rule, headers, case)
        schema = operation.get("requestBody", {}).get("content", {}).get(JSON, {}).get("schema")
        if (method, rule) == IMPORT:
            yield from self._import_cases(case)
        elif schema:
            yield from self._json_cases(method, rule, schema, case)
        elif method == "POST" and not operation:
            yield from self._form_cases(rule, fields, case)
        elif operation and method != "GET":
            unasked = partial(self._send_body, method, rule)
            yield case("a body that nobody asked for", "letters", ENOUGH, unasked)
        described = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
        if method == "GET":
            yield from self._query_cases(rule, sorted(fields | described), case)

    def _listen(self, method: str, rule: str) -> tuple[set[str], set[str]]:
        """Find out which fields and headers a view asks for."""
        places.asked.clear()
        places.headers_asked.clear()
        form = self.forms.get((method, rule))
        if method == "POST" and not rule.startswith(API):
            self.ready_form(rule, right_form(form) if form else {}, form.files if form else ())()
        else:
            self.ready(method, rule)()
        self.restore()
        shown = {name for name, _ in form.fields} | set(form.choices) if form else set()
        headers = {name[5:].replace("_", "-").title() for name in places.headers_asked if name.startswith("HTTP_")}
        return (places.asked | shown) - {"csrf_token", ""}, headers

    def _path_cases(self, method: str, rule: str, case: Callable[..., Case]) -> Iterator[Case]:
        here = self.app.url_map.bind("localhost").match(self.house.path(rule), method=method)[1]
        for part in PART.findall(rule):
            for shape, text in IN_PATHS.items():

                def send(size: int, part: str = part, text: Callable[[int], str] = text) -> Send:
                    parts = {**here, part: quote(text(size))}
                    return self.ready(method, rule, path=PART.sub(lambda found: str(parts[found[1]]), rule))

                yield case(f"<{part}>", shape, sizes.LONGEST_PATH - len(self.house.path(rule)), send)

    def _header_cases(self, method: str, rule: str, asked: set[str], case: Callable[..., Case]) -> Iterator[Case]:
        if (method, rule) == ("GET", "/"):
            self._usual_headers = asked | {*HEADERS}
        for name in sorted(self._usual_headers if (method, rule) in PLAIN else asked - self._usual_headers):
            for shape, text in IN_HEADERS.items():
                send = partial(self._send_header, method, rule, name, text)
                yield case(name, shape, sizes.LARGEST_HEADERS - 1_000, send)

    def _send_header(self, method: str, rule: str, name: str, text: Callable[[int], str], size: int) -> Send:
        return self.ready(method, rule, headers={name: text(size)})

    def _send_body(self, method: str, rule: str, size: int) -> Send:
        return self.ready(method, rule, data="x" * size, content_type=JSON)

    def _json_cases(
        self, method: str, rule: str, schema: Mapping[str, Any], case: Callable[..., Case]
    ) -> Iterator[Case]:
        right = right_body(schema, self.document)
        status = self.ready(method, rule, data=json.dumps(right), content_type=JSON)()
        assert status < 400, f"{method} {rule} answers {status} to {right}: give right values in tests/abuse/places.py"
        self.restore()

        def send(make: Callable[[int], bytes], size: int) -> Send:
            return self.ready(method, rule, data=make(size), content_type=JSON)

        for name, raw in RAW.items() if (method, rule) in READERS or THOROUGH else IN_BODIES.items():
            yield case("the body", name, ENOUGH - 100, partial(send, raw))
        for place in places_of(schema, self.document):

            def written(make: Callable[[int], Any], size: int, put: Callable[..., Any] = place.put) -> bytes:
                return _json(put(right, make(size)))

            for name, shape in place.shapes():
                yield case(str(place), name, ENOUGH - 1_000, partial(send, partial(written, shape)))
            for part in place.parts:
                for name, most, fill in fillings(part, self.document):
                    yield case(str(place), f"just so many {name}", most, partial(send, partial(written, fill)))

    def _import_cases(self, case: Callable[..., Case]) -> Iterator[Case]:
        """Bring larger and larger clubs into one where nobody has played."""
        headers = self.house.bearer("other")
        document = self._client.get(f"{API}/export", headers=self.house.bearer("scorekeeper")).get_json()

        def send(grow: Callable[[Document, int], Document], size: int) -> Send:
            return self.ready(*IMPORT, data=_json(grow(document, size)), content_type=JSON, headers=headers)

        for grow, most in LARGER.items():
            yield case("the club", grow.__name__, most, partial(send, grow))

    def _form_cases(self, rule: str, asked: set[str], case: Callable[..., Case]) -> Iterator[Case]:
        form = self.forms.get(("POST", rule))
        right = right_form(form) if form else {}
        files = form.files if form else []
        largest = self.app.config["MAX_CONTENT_LENGTH"] - 2_000

        def send(make: Callable[[int], Mapping[str, Sequence[Any]]], size: int) -> Send:
            return self.ready_form(rule, {**right, **make(size)}, files)

        def each(names: Sequence[str], text: Callable[[int], str], size: int) -> Mapping[str, Sequence[Any]]:
            made = text(size // (3 * len(names)))  # escaped, it is up to three times as long
            return {name: [made.encode("utf-8", "replace") if name in files else made] for name in names}

        def again(name: str, size: int) -> Mapping[str, Sequence[Any]]:
            return {name: ["1"] * size}

        names = sorted(asked | {*right} | {*files})
        for name in names if THOROUGH else one_of_each(names):
            for shape, text in ALONE.items():
                yield case(name, shape, ENOUGH, partial(send, partial(each, [name], text)))
        for name in names if THOROUGH else [name for name in names if name in AGAIN]:
            yield case(name, "again and again", sizes.MOST_FIELDS - len(right) - 1, partial(send, partial(again, name)))
        for shape, text in TOGETHER.items() if names else ():
            yield case("all fields", shape, largest, partial(send, partial(each, names, text)))
        yield case("other fields", "numbered", sizes.MOST_FIELDS - len(right) - 1,
            partial(send, lambda size: {f"x{number}": ["1"] for number in range(size)}))  # fmt: skip

    def _query_cases(self, rule: str, names: Sequence[str], case: Callable[..., Case]) -> Iterator[Case]:
        def send(make: Callable[[int], list[tuple[str, str]]], size: int) -> Send:
            return self.ready("GET", rule, query_string=_escaped(make(size)))

        def each(names: Sequence[str], text: Callable[[int], str], size: int) -> list[tuple[str, str]]:
            return [(name, text(size // (3 * len(names)))) for name in names]

        def again(name: str, size: int) -> list[tuple[str, str]]:
            return [(name, "1")] * size

        def numbered(size: int) -> list[tuple[str, str]]:
            return [(f"x{number}", "1") for number in range(size)]

        for name in names:
            for shape, text in ALONE.items():
                yield case(name, shape, sizes.LONGEST_QUERY - 100, partial(send, partial(each, [name], text)))
            yield case(name, "again and again", sizes.MOST_PARAMETERS - 1, partial(send, partial(again, name)))
        for shape, text in TOGETHER.items() if names else ():
            yield case("all fields", shape, sizes.LONGEST_QUERY - 1_000, partial(send, partial(each, names, text)))
        yield case("other fields", "numbered", sizes.MOST_PARAMETERS - 1, partial(send, numbered))


def one_of_each(names: Sequence[str]) -> list[str]:
    """Leave out fields that a control is drawn for as for one before them: hundreds of settings have nine kinds."""
    known = {f"c.{control.id}": control.kind for clause in controls().values() for control in clause.values()}
    met: set[tuple[str, str]] = set()
    found = []
    for name in names:
        control = next((id for id in known if name == id or name.startswith(f"{id}.")), None)
        kind = (known[control], name[len(control) :]) if control else (name, "")
        if kind not in met:
            met.add(kind)
            found.append(name)
    return found


def right_form(form: Form) -> dict[str, list[str]]:
    """Fill a form in so that it can be saved."""
    filled = sensible(form) | {name: FORM_HINTS[name] for name, _ in form.fields if name in FORM_HINTS}
    seats = [value for name, value in form.fields if name == "players" and value]
    return filled | ({"players": seats} if seats else {})


def _escaped(pairs: Iterable[tuple[str, str]]) -> str:
    """Write fields as a browser sends them, each byte escaped: for long texts that is a hundred times as fast."""
    return "&".join(
        f"{quote(name)}=%{value.encode().hex('%')}" if value else f"{quote(name)}=" for name, value in pairs
    )


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
