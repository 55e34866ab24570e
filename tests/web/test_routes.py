"""Who may call which address: every route of the app stands in one table, and every cell of it is really called.

Five call: a *stranger* without any key, someone of an *other* club with all its rights, a player's *phone* that sat
down at the table by its code, a *spectator* and a *scorekeeper* of the club itself. “in” is any answer that is no
refusal; that what was sent with it (mostly nothing) may be impossible is another question.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select
from werkzeug.test import TestResponse

from referee.records.club import access, links
from referee.records.match import matches
from referee.records.match.plans import MatchPlan
from referee.records.models import Club, Key, Match
from referee.web.hands.views import SESSION_HAND
from referee.web.server import rate_limits
from referee.web.server.database import db
from referee.web.server.guards import SESSION_KEYS
from tests.ground.client import browser_of
from tests.ground.house import BODIES, House
from tests.ground.listening import counted
from tests.ground.record import rows

CALLERS = ("stranger", "other", "phone", "spectator", "scorekeeper")
REFUSED = (401, 403, 404, 410)

WHO = tomllib.loads(Path(__file__).with_name("routes.toml").read_text("utf-8"))
KINDS: Mapping[str, str] = WHO["kinds"]
TABLE: Mapping[str, str] = {route: KINDS.get(kind, kind) for route, kind in WHO["routes"].items()}
"""Of each route one word for each caller: `in`, or the status of the refusal."""

MAY_CHANGE = ("/join/<token>", "/hand", "/hand/<table_token>", "/club/leave")
"""Where someone else than a scorekeeper changes something of the club: invited, from their seat, by going."""


def routes(app: Flask) -> list[str]:
    """List every route as ``METHOD /rule``."""
    return [
        f"{method} {rule.rule}"
        for rule in app.url_map.iter_rules()
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
    ]


@pytest.mark.promise("security#forgotten-guard")
def test_every_route_stands_in_the_table(app: Flask) -> None:
    assert sorted(routes(app)) == sorted(TABLE)


@pytest.mark.promise("security#other-club", "security#spectator-writes")
def test_everybody_gets_in_where_the_table_says_and_nowhere_else(house: House) -> None:
    wrong = []
    for route, words in TABLE.items():
        method, rule = route.split()
        for caller, word in zip(CALLERS, words.split(), strict=True):
            status = house.call(caller, method, rule).status_code
            found = str(status) if status in REFUSED else "in"
            if found != word or status >= 500:
                wrong.append(f"{route}: {caller} gets {status}, not {word}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.promise("security#other-club")
def test_only_a_scorekeeper_changes_a_club_and_nobody_changes_another(house: House) -> None:
    before = rows(house.app, house.club_id)
    for route in TABLE:
        method, rule = route.split()
        if rule in MAY_CHANGE:
            continue
        with counted(house.app) as asked:
            for caller in CALLERS[:-1]:
                house.call(caller, method, rule)
        if all(statement.startswith("SELECT") for statement in asked):
            continue
        after = rows(house.app, house.club_id)
        after["clubs"] = before["clubs"]  # a stranger may found one of their own
        assert after == before, route


LINKS = {
    "board": "/live/{}", "board of the club": "/live/{}", "public page": "/public/{}",
    "public page of a match": "/public/{}", "screen": "/screen/{}", "table": "/hand/{}", "phone": "",
    "rulebook": "/rules/shared/{}", "invitation": "/join/{}",
}  # fmt: skip
"""Links whose tokens open their own page, by that page's address; the phone's stands in its cookie."""
DOORS = sorted(set(LINKS.values()) - {""})
PLACES = ("as a bearer key", "in the cookie")


@pytest.fixture
def link_tokens(house: House) -> dict[str, str]:
    """The token of every link of the club."""
    with house.app.app_context():
        session = db.session()
        club = session.get_one(Club, house.club_id)
        match = session.get_one(Match, (club.id, house.parts["match_id"]))
        secret = house.app.config["SECRET_KEY"]
        of_club = access.make_key(session, club, "board", "Television")[1]
        of_match = links.open_public(session, club, match, secret)
        session.commit()
    parts = house.parts
    return {
        "board": parts["board_token"], "board of the club": of_club, "public page": parts["public_token"],
        "public page of a match": of_match, "screen": parts["screen_token"], "table": parts["table_token"],
        "phone": house.tokens["phone"], "rulebook": parts["share_token"], "invitation": parts["token"],
    }  # fmt: skip


def present(house: House, place: str, token: str, method: str, rule: str) -> TestResponse:
    """Call an address with a token in a place where a key can stand."""
    browser = browser_of(house.app)
    headers = {"Authorization": f"Bearer {token}"} if place == "as a bearer key" else {}
    if not headers:
        with browser.session_transaction() as session:
            session.update({SESSION_KEYS: [token], SESSION_HAND: token})
    changes = method in ("POST", "PUT", "PATCH", "DELETE")
    if changes:
        headers["X-CSRFToken"] = browser.token("/rules")
    if rule.startswith("/api/"):
        body = BODIES.get(rule, {}) if changes and method != "DELETE" else None
        return browser.open(house.path(rule), method=method, headers=headers, json=body)
    return browser.open(house.path(rule), method=method, headers=headers, data={"words": token} if changes else None)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.promise("security#link-tokens")
def test_the_token_of_a_link_opens_no_door_but_its_own(
    house: House, link_tokens: dict[str, str], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def guessed(**_: object) -> None:
        pytest.fail("a known token is no guess")

    monkeypatch.setattr(rate_limits, "count_wrong_key", guessed)
    private = ("Sunday table", 'data-club="0', "Ada, Bo")
    before, wrong = rows(house.app, house.club_id), []
    for route, words in TABLE.items():
        method, rule = route.split()
        if "token" in rule:  # the address has the right one
            continue
        for kind, token in link_tokens.items():
            if kind == "phone" and place == "in the cookie" and rule.startswith("/hand"):
                continue
            if kind == "evening's table" and rule.startswith(("/table", "/evenings/<evening_id>/me")):
                continue
            answer = present(house, place, token, method, rule)
            as_stranger = words.split()[0] == "in"
            if (answer.status_code not in REFUSED and not as_stranger) or answer.status_code >= 429:
                wrong.append(f"{route}: the token of a {kind} {place} gets {answer.status_code}")
            wrong += [f"{route}: the token of a {kind} {place} reads {word}" for word in private if word in answer.text]
    assert not wrong, "\n".join(wrong)
    after = rows(house.app, house.club_id)
    after["clubs"] = before["clubs"]  # a stranger may found one of their own
    assert after == before


@pytest.mark.parametrize("kind", LINKS)
@pytest.mark.promise("security#link-tokens")
def test_the_token_of_a_link_typed_as_that_of_a_recovery_sheet_lets_nobody_in(
    house: House, link_tokens: dict[str, str], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "count_wrong_key", lambda **_: pytest.fail("a known token is no guess"))
    browser = browser_of(house.app)
    assert "Sunday table" not in browser.submit("/recover", {"words": link_tokens[kind]}, status=422).text
    assert "Sunday table" not in browser.get("/").text
    with browser.session_transaction() as session:
        assert SESSION_KEYS not in session


@pytest.mark.parametrize("kind", [*LINKS, "scorekeeper"])
@pytest.mark.promise("security#link-tokens", "security#wrong-door")
def test_a_token_in_the_address_of_another_door_opens_nothing_and_is_no_guess(
    house: House, link_tokens: dict[str, str], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "count_wrong_key", lambda **_: pytest.fail("a known token is no guess"))
    token = (link_tokens | house.tokens)[kind]
    for door in DOORS:
        answer = house.app.test_client().get(door.format(token))
        assert answer.status_code == (200 if door == LINKS.get(kind) else 404), door
        assert "Sunday table" not in answer.text or door == LINKS.get(kind), door


@pytest.mark.promise("security#link-tokens")
def test_the_key_of_one_match_sees_that_match_and_no_club(house: House) -> None:
    with house.app.app_context():
        session = db.session()
        club = session.get_one(Club, house.club_id)
        match = session.get_one(Match, (club.id, house.parts["match_id"]))
        by = session.scalars(select(Key).where(Key.club_id == club.id, Key.role == "scorekeeper")).one()
        other = matches.start_match(session, club, MatchPlan(("Evelyn", "Florian"), "classic-500"), by).id
        _, house.tokens["sofa"] = access.make_key(session, club, "spectator", "Sofa", match)
        session.commit()
    browser = house.browser("sofa")
    for route, words in TABLE.items():
        method, rule = route.split()
        if method != "GET" or "token" in rule or rule.startswith("/api/"):
            continue
        answer = browser.get(house.path(rule))
        if (answer.mimetype or "").startswith("image/"):
            continue
        assert "Sunday table" not in answer.text, route
        assert other not in answer.text, route
        assert "Evelyn" not in answer.text, route
        if words == KINDS["own-readers"]:
            assert answer.status_code == 403, route
    assert browser.get(f"/matches/{house.parts['match_id']}").status_code == 200
    assert browser.get(f"/matches/{other}").status_code == 404
    page = house.app.test_client().get(
        f"/api/v1/matches/{house.parts['match_id']}/public", headers=house.bearer("sofa")
    )
    assert page.get_json()["on"] is False


@pytest.mark.promise("security#lost-phone")
def test_a_revoked_key_opens_nothing(house: House) -> None:
    keys = house.app.test_client().get("/api/v1/keys", headers=house.bearer("scorekeeper")).get_json()["keys"]
    (spectator,) = [key["id"] for key in keys if key["name"] == "Spectators"]
    house.app.test_client().delete(f"/api/v1/keys/{spectator}", headers=house.bearer("scorekeeper"))
    for route, words in TABLE.items():
        method, rule = route.split()
        if words in {KINDS[kind] for kind in ("readers", "api-readers", "own-readers", "api-own-readers")}:
            assert house.call("spectator", method, rule).status_code == 401, route


@pytest.mark.parametrize(
    ("keys", "words"),
    [((), "scan its QR code"), (("a key that was locked out",), "A scorekeeper can let it in again")],
    ids=["a stranger", "a phone whose key is gone"],
)
def test_a_page_tells_people_how_to_get_in_not_which_header_to_send(
    app: Flask, keys: tuple[str, ...], words: str
) -> None:
    page = browser_of(app, *keys).get("/club", status=401).text
    assert words in page
    assert "Authorization" not in page
