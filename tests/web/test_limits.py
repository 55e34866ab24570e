"""Whoever guesses is slowed down, and nobody who has a right key is refused for it; floods of questions end in 429."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from flask import Flask, session
from werkzeug.test import TestResponse

from referee.paths import CHECKOUT
from referee.records.club import access
from referee.records.ids import TOKEN_LENGTH
from referee.records.models import Club
from referee.web.hands.views import SESSION_HAND
from referee.web.server.database import db
from referee.web.server.guards import SESSION_KEYS
from referee.web.server.rate_limits import NOBODY, asker
from referee.web.server.settings import SETTINGS
from tests.conftest import MakeApp
from tests.ground.client import Client, browser_of
from tests.ground.house import PART, House, furnish

FEW = 3
"""Wrong keys that one address may try in these tests; the default is larger."""
WRONG = "0" * TOKEN_LENGTH


@dataclass(frozen=True)
class Way:
    """A way of presenting a key: how, what the wrong one is answered, and the right one."""

    present: Callable[[Client, str], TestResponse]
    wrong: int
    right: int
    kind: str
    is_refused: bool = True
    """whether a wrong key of this way is refused once too many were tried"""


def bearer(path: str) -> Callable[[Client, str], TestResponse]:
    return lambda client, token: client.get(path, headers={"Authorization": f"Bearer {token}"})


def page(path: str) -> Callable[[Client, str], TestResponse]:
    return lambda client, token: client.get(path.format(token))


def form(path: str, **fields: str) -> Callable[[Client, str], TestResponse]:
    def send(client: Client, token: str) -> TestResponse:
        data = {name: text.format(token) for name, text in fields.items()}
        return client.submit(path.format(token), data, page="/rules")

    return send


def cookie(name: str, path: str) -> Callable[[Client, str], TestResponse]:
    def ask(client: Client, token: str) -> TestResponse:
        with client.session_transaction() as held:
            held[name] = [token] if name == SESSION_KEYS else token
        return client.get(path)

    return ask


WAYS: dict[str, Way] = {
    "bearer key at the JSON interface": Way(bearer("/api/v1/players"), 401, 200, "scorekeeper"),
    "bearer key at a page of the club": Way(bearer("/club"), 401, 200, "scorekeeper"),
    "bearer key at a page for everybody": Way(bearer("/history/"), 401, 200, "scorekeeper"),
    "invitation, opened": Way(page("/join/{}"), 404, 200, "invitation"),
    "invitation, accepted": Way(form("/join/{}", name="Bo"), 404, 303, "invitation"),
    "words of a recovery sheet": Way(form("/recover", words="{}"), 422, 303, "recovery"),
    "link of a public page": Way(page("/public/{}"), 404, 200, "public"),
    "link of a board": Way(page("/live/{}"), 404, 200, "board"),
    "link of a board, as its page asks": Way(page("/live/{}/now"), 404, 200, "board"),
    "link of a rulebook": Way(page("/rules/shared/{}"), 404, 200, "share"),
    "link of a rulebook, copying it": Way(form("/rules/shared/{}"), 404, 303, "share"),
    "link of a rulebook, its file": Way(page("/rules/shared/{}.toml"), 404, 200, "share"),
    "link of a table": Way(page("/hand/{}"), 404, 200, "table"),
    "link of a table, taking a seat": Way(form("/hand/{}", seat="2"), 404, 303, "table"),
    "link of an evening's television": Way(page("/screen/{}"), 404, 200, "screen"),
    "link of an evening's television, from a phone": Way(page("/screen/{}/me"), 404, 200, "screen"),
    "link of an evening's table": Way(page("/table/{}"), 404, 200, "evening"),
    "link of an evening's table, keeping its score": Way(form("/table/{}"), 404, 303, "evening"),
    "cookie of a phone": Way(cookie(SESSION_KEYS, "/club"), 401, 200, "scorekeeper", is_refused=False),
    "cookie of a phone, at the JSON interface": Way(
        cookie(SESSION_KEYS, "/api/v1/players"), 401, 200, "scorekeeper", is_refused=False
    ),
    "cookie of a seat at the table": Way(cookie(SESSION_HAND, "/hand"), 410, 200, "phone", is_refused=False),
}
"""Every way; docs/pages/host/security.md has the same table."""


@pytest.fixture
def limited(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> House:
    """A house whose doors count, on a clock that stands still: limits count within a minute."""
    moment = time.time()
    monkeypatch.setattr("time.time", lambda: moment)
    house = furnish(make_app(RATELIMIT_ENABLED=True, RATELIMIT_GUESSES=f"{FEW} per minute"))
    with house.app.app_context():
        club = db.session.get_one(Club, house.club_id)
        house.tokens["recovery"] = access.make_recovery_key(db.session(), club)
        house.tokens |= {
            kind: house.parts[f"{kind}_token"] for kind in ("board", "screen", "table", "evening", "public", "share")
        }
        db.session.commit()
    return house


def visitor(house: House, address: str) -> Client:
    """Open a browser at an address of its own."""
    client = browser_of(house.app)
    client.environ_base["REMOTE_ADDR"] = address
    return client


def right(house: House, way: Way) -> str:
    """Give the right key for a way; invitations are good for one."""
    if way.kind != "invitation":
        return house.tokens[way.kind]
    with house.app.app_context():
        token = access.invite(db.session(), db.session.get_one(Club, house.club_id), "spectator")
        db.session.commit()
    return token


def test_every_address_with_a_key_in_it_counts_wrong_ones(limited: House) -> None:
    doors = [rule for rule in limited.app.url_map.iter_rules() if any("token" in part for part in rule.arguments)]
    assert len(doors) > 10
    for number, rule in enumerate(doors):
        for method in sorted((rule.methods or set()) & {"GET", "POST"}):
            client = visitor(limited, f"192.0.2.{number}")
            parts = limited.parts | {part: WRONG for part in rule.arguments if "token" in part}
            path = PART.sub(lambda found, parts=parts: parts[found[1]], rule.rule)  # type: ignore[misc]
            data = {"csrf_token": client.token("/rules")} if method == "POST" else None
            tried = [client.open(path, method=method, data=data).status_code for _ in range(FEW + 1)]
            assert tried[-1] == 429, (method, rule.rule, tried)


@pytest.mark.promise("security#guessed-key", "security#locked-out-by-guesses", "security#right-key")
def test_every_way_of_presenting_a_wrong_key_counts_once_and_no_right_key_is_refused(limited: House) -> None:
    ways = list(WAYS.items())
    for number, (name, way) in enumerate(ways):
        address = f"192.0.2.{number}"
        tried = [way.present(visitor(limited, address), WRONG) for _ in range(FEW + 1)]
        then = 429 if way.is_refused else way.wrong
        assert [answer.status_code for answer in tried] == [way.wrong] * FEW + [then], name
        if way.is_refused:
            assert 0 < int(tried[-1].headers["Retry-After"]) <= 60, name
        other, other_way = ways[number - 1]
        others = 429 if other_way.is_refused else other_way.wrong
        assert other_way.present(visitor(limited, address), WRONG).status_code == others, f"{name}, then {other}"
        for one in (way, other_way):
            answer = one.present(visitor(limited, address), right(limited, one))
            assert answer.status_code == one.right, (name, other, answer.text[:300])
        assert visitor(limited, address).get("/rules").status_code == 200, "reading goes on"
    assert bearer("/club")(visitor(limited, "198.51.100.1"), WRONG).status_code == 401, "others are not concerned"


@pytest.mark.promise("security#guessed-key")
def test_a_request_with_several_wrong_keys_counts_once(limited: House) -> None:
    headers = {"Authorization": f"Bearer {WRONG}"}
    tried = []
    for _ in range(FEW + 1):
        client = visitor(limited, "192.0.2.1")
        with client.session_transaction() as held:
            held[SESSION_KEYS], held[SESSION_HAND] = [WRONG], WRONG
        tried.append(client.get(f"/hand/{WRONG}", headers=headers).status_code)
    assert tried == [404] * FEW + [429]


def test_the_table_of_the_documentation_is_the_one_that_is_tried() -> None:
    text = (CHECKOUT / "docs" / "pages" / "host" / "security.md").read_text("utf-8")
    section = text.split("\n## Keys and limits\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| (\d+) \| (.+?) \|$", section, re.MULTILINE)
    assert [(name, int(first), then) for name, first, then in rows] == [
        (name, way.wrong, "429" if way.is_refused else str(way.wrong)) for name, way in WAYS.items()
    ]
    defaults = {setting.name: setting.default for setting in SETTINGS}
    for name in ("RATELIMIT_GUESSES", "RATELIMIT_HEARINGS", "RATELIMIT_LOOKUPS"):
        assert f"{defaults[name]} (`{name}`)" in section


def test_wrong_words_are_still_there_when_too_many_were_tried(limited: House) -> None:
    for _ in range(FEW):
        form("/recover", words="no such words")(visitor(limited, "192.0.2.1"), "")
    answer = form("/recover", words="no such words")(visitor(limited, "192.0.2.1"), "")
    assert answer.status_code == 429
    assert "no such words" in answer.text
    assert "Wait a minute" in answer.text


GUILTY = "rulebook=classic-500&challenged=yes&challenger=target&held_color=yes"
PICTURE = f"/disputes/draw-four-challenge/ruling.png?{GUILTY}"
QUESTIONS: dict[str, tuple[str, Callable[[Client], TestResponse]]] = {
    "hearings at a page": ("RATELIMIT_HEARINGS", lambda client: client.get("/disputes/deal?rulebook=classic-500")),
    "pictures of rulings": ("RATELIMIT_HEARINGS", lambda client: client.get(PICTURE)),
    "hearings by a form": (
        "RATELIMIT_HEARINGS",
        lambda client: client.submit("/disputes/deal?rulebook=classic-500", {}, page="/rules"),
    ),
    "lists of disputes": ("RATELIMIT_HEARINGS", lambda client: client.get("/disputes?rulebook=classic-500")),
    "hearings by a program": (
        "RATELIMIT_HEARINGS",
        lambda client: client.post("/api/v1/hearings", json={"dispute": "deal", "rulebook": "classic-500"}),
    ),
    "scores by a program": (
        "RATELIMIT_HEARINGS",
        lambda client: client.post(
            "/api/v1/score", json={"rulebook": "classic-500", "went_out": "Ada", "hands": {"Bo": ["7"]}}
        ),
    ),
    "look-ups at a page": ("RATELIMIT_LOOKUPS", lambda client: client.get("/rules?q=reverse")),
    "look-ups by a program": ("RATELIMIT_LOOKUPS", lambda client: client.get("/api/v1/rules?q=reverse")),
}


@pytest.mark.promise("security#flood")
def test_a_flood_of_questions_is_slowed_down_in_clear_words(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = time.time()
    monkeypatch.setattr("time.time", lambda: moment)
    rates = dict.fromkeys(("RATELIMIT_HEARINGS", "RATELIMIT_LOOKUPS"), f"{FEW} per minute")
    app = make_app(RATELIMIT_ENABLED=True, **rates)
    for number, (name, (setting, ask)) in enumerate(QUESTIONS.items()):

        def caller(address: str = f"192.0.2.{number}") -> Client:
            client = browser_of(app)
            client.environ_base["REMOTE_ADDR"] = address
            return client

        answers = [ask(caller()) for _ in range(FEW + 1)]
        assert [answer.status_code for answer in answers] == [answers[0].status_code] * FEW + [429], name
        assert answers[0].status_code in (200, 303), name
        assert 0 < int(answers[-1].headers["Retry-After"]) <= 60, name
        assert "Wait a moment" in answers[-1].text, name
        for other, (setting_of_other, ask_other) in QUESTIONS.items():
            if setting_of_other == setting:
                assert ask_other(caller()).status_code == 429, f"{name} and {other} are counted together"
        assert caller().get("/rules").status_code == 200, "reading goes on"
        assert caller().get("/offline").status_code == 200


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"), ("192.0.2.7:51234", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::99]:443", "2001:db8:1:2::/64"), ("2001:db8:1:2::99", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"), ("fe80::1%eth0", "fe80::/64"), ("evil, 192.0.2.7", NOBODY),
        ('"evil', NOBODY), ("", NOBODY), (None, NOBODY),
    ],
)  # fmt: skip
@pytest.mark.promise("security#guessed-key")
def test_a_household_counts_as_one(app: Flask, address: str | None, counted: str) -> None:
    with app.test_request_context(environ_base={"REMOTE_ADDR": address}):
        assert asker() == counted
        assert not session
