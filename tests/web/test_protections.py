"""What keeps strangers out beyond keys: nobody is sent elsewhere, floods are slowed down, mistakes tell nothing."""

import base64
import gzip
import json
import re
import threading
from typing import Any

import pytest
from flask import Flask

from referee.records.club import access
from referee.records.models import Club
from referee.web.server.database import db
from referee.web.server.guards import SESSION_KEYS
from tests.conftest import MakeApp
from tests.fuzz.evening import begin
from tests.ground.client import Client, browser_of, find_in
from tests.ground.each import at_once
from tests.ground.house import House
from tests.ground.record import rows
from tests.web.test_invitations import invite
from tests.web.test_routes import CALLERS, TABLE

pytestmark = pytest.mark.usefixtures("database")

ELSEWHERE = "https://evil.example/"
WRITES = [route for route in TABLE if not route.startswith("GET ")]
DISGUISES: dict[str, dict[str, Any]] = {
    "a form": {"data": {"name": "Mallory"}},
    "a form with files": {"data": {"name": "Mallory"}, "content_type": "multipart/form-data"},
    "JSON called text": {"data": b'{"name": "Mallory"}', "content_type": "text/plain"},
    "JSON": {"data": b'{"name": "Mallory"}', "content_type": "application/json"},
    "nothing": {},
}
"""What a page of another site can make a browser send."""
ORIGINS: dict[str, dict[str, str]] = {
    "no origin": {},
    "another origin": {"Origin": "https://evil.example", "Referer": ELSEWHERE, "Sec-Fetch-Site": "cross-site"},
    "a made-up token": {"X-CSRFToken": "ImFiYyI.abc.def"},
    "a key of no club": {"Authorization": "Basic QWRhOkJv"},
}
PUBLIC = ("/", "/rules", "/rules/classic-500", "/disputes", "/disputes/deal?players=4")


@pytest.mark.promise("security#framing")
def test_no_address_sends_anybody_to_another_site(house: House) -> None:
    sent = []
    for route in TABLE:
        method, rule = route.split()
        if rule.startswith("/api/"):
            continue
        browser = house.browser(CALLERS[-1])
        data = dict.fromkeys(("next", "url", "back", "return_to"), ELSEWHERE)
        token = {"csrf_token": browser.token("/rules")} if method == "POST" else {}
        answer = browser.open(
            house.path(rule), method=method, query_string=data, data=data | token, headers={"Referer": ELSEWHERE}
        )
        where = answer.headers.get("Location", "/")
        if not where.startswith("/") or where.startswith(("//", "/\\")):
            sent.append(f"{route} → {where}")
    assert not sent, sent


# -- requests that another site makes in a visitor's name --------------------------------------------------------------


@pytest.mark.parametrize(
    ("disguise", "origin"),
    dict.fromkeys([(each, "another origin") for each in DISGUISES] + [("a form", origin) for origin in ORIGINS]),
)
@pytest.mark.promise("security#forged-request")
def test_no_write_rides_on_a_cookie_alone(house: House, disguise: str, origin: str) -> None:
    before = rows(house.app, house.club_id)
    let_in = []
    for caller in ("scorekeeper", "phone"):
        browser = house.browser(caller)
        browser.get("/rules")  # so that the session has a token that could be sent
        for method, rule in map(str.split, WRITES):
            if caller == "phone" and not rule.startswith("/hand"):  # refused before anyone asks whose cookie it is
                continue
            answer = browser.open(house.path(rule), method=method, headers=ORIGINS[origin], **DISGUISES[disguise])
            if answer.status_code not in (400, 413, 415):
                let_in.append(f"{method} {rule}: {answer.status}")
    assert not let_in, let_in
    assert rows(house.app, house.club_id) == before


@pytest.mark.promise("security#forged-request")
def test_the_token_of_another_browser_is_no_token(house: House) -> None:
    keeper, stranger = house.browser("scorekeeper"), house.browser("stranger")
    stolen = stranger.token("/rules")
    keeper.get("/rules")
    assert keeper.post("/club", data={"name": "Theirs now", "csrf_token": stolen}).status_code == 400
    assert keeper.post("/club", data={"name": "Ours", "csrf_token": keeper.token("/rules")}).status_code == 303


def test_a_page_shows_nothing_from_which_the_key_of_its_club_follows(app: Flask, client: Client) -> None:
    token = client.token("/matches/new")
    shown = json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))
    plan = {"players": ["Ada", "Bo"], "rulebook": "classic-500", "step": "deal", "token": "of-this-form"}
    assert client.post("/matches/new", data=plan | {"csrf_token": token}).status_code == 303
    with client.session_transaction() as held:
        assert held["csrf_token"] == shown
        (ours,) = held[SESSION_KEYS]
    for key in (shown, f"page{shown}"):
        body, once = {"name": "of-this-form"}, {"Idempotency-Key": key}
        answer = app.test_client().post("/api/v1/clubs", json=body, headers=once)
        assert answer.get_json()["scorekeeper_key"] != ours
    assert client.post("/matches/new", data=plan | {"csrf_token": token}).status_code == 303  # the same tap, once more
    with client.session_transaction() as held:
        assert held[SESSION_KEYS] == [ours]


@pytest.mark.promise("security#forged-cookie")
def test_a_cookie_that_we_did_not_sign_opens_nothing(make_app: MakeApp, house: House) -> None:
    forger = browser_of(make_app(SECRET_KEY="a guess"), house.tokens["scorekeeper"])
    cookie = forger.get_cookie("session")
    assert cookie is not None
    for value in (cookie.value, cookie.value[:-1], "", "a.b.c"):
        browser = house.app.test_client()
        browser.set_cookie("session", value)
        assert browser.get("/club").status_code == 401


@pytest.mark.promise("security#forged-cookie")
def test_over_https_no_neighbour_can_set_our_cookie(client: Client) -> None:
    secure = client.get("/rules", base_url="https://localhost").headers["Set-Cookie"]
    assert secure.startswith("__Host-session=")
    assert "Path=/" in secure
    assert "Domain" not in secure
    assert client.get("/rules").headers["Set-Cookie"].startswith("session=")


# -- addresses ---------------------------------------------------------------------------------------------------------


@pytest.mark.promise("security#forged-headers")
def test_a_forged_host_comes_back_to_its_forger_alone(house: House) -> None:
    """What names the host of the request, such as the link of an invitation, is kept by no cache for anyone else."""
    told = []
    for route in TABLE:
        method, rule = route.split()
        for caller in ("stranger", "scorekeeper") if method == "GET" else ():
            answer = house.browser(caller).get(house.path(rule), base_url="http://evil.example")
            said = answer.get_data() + str(answer.headers).encode()
            private = "private" in answer.headers.get("Cache-Control", "") or answer.cache_control.no_store
            if b"evil.example" in said and not private:
                told.append(f"{route}: {caller}")
            assert "evil" not in answer.headers.get("Location", ""), route
    assert not told, told


@pytest.mark.parametrize(("hosts", "warned"), [(None, True), (["uno.example.org"], False)])
@pytest.mark.promise("security#forged-headers")
def test_a_proxy_without_names_of_hosts_is_warned_of(
    make_app: MakeApp, caplog: pytest.LogCaptureFixture, hosts: list[str] | None, warned: bool
) -> None:
    make_app(PROXIES=1, TRUSTED_HOSTS=hosts)
    assert ("TRUSTED_HOSTS" in caplog.text) is warned


@pytest.mark.promise("security#lasting-addresses")
def test_only_pages_of_the_rules_are_for_search_engines(house: House) -> None:
    for route in TABLE:
        method, rule = route.split()
        if method == "GET":
            listed = house.browser("scorekeeper").get(house.path(rule)).headers.get("X-Robots-Tag") != "noindex"
            public = rule == "/" or rule.startswith(("/rules", "/disputes", "/static/"))
            assert listed == (public and not rule.startswith(("/rules/own", "/rules/shared/"))), rule
    for path in PUBLIC:
        assert "X-Robots-Tag" not in house.browser("stranger").get(path).headers


@pytest.mark.promise("security#lasting-addresses")
def test_every_page_with_a_key_in_its_address_keeps_it_from_other_sites(house: House) -> None:
    with_tokens = [route for route in TABLE if "token>" in route and route.startswith("GET ")]
    assert len(with_tokens) == 18
    for route in with_tokens:
        for path in (house.path(route.split()[1]), re.sub(r"\w{26}", "0" * 26, house.path(route.split()[1]))):
            headers = house.browser("stranger").get(path).headers
            assert headers["Referrer-Policy"] in ("same-origin", "no-referrer")
            assert headers["X-Robots-Tag"] == "noindex"
            public = path.startswith("/public/") and path.endswith(".png")  # any site may show it
            kept_out = {"no-store", "max-age=60"} if public else {"private", "no-store"}
            assert kept_out & set(re.split(r", *", headers["Cache-Control"]))


# -- another club's things ---------------------------------------------------------------------------------------------


@pytest.mark.promise("security#foreign-id")
def test_no_id_of_another_club_does_anything_anywhere_in_a_request(app: Flask) -> None:
    ours, theirs = begin(app), begin(app)
    for number, player in enumerate(theirs.seats()):
        name = {"name": f"Hidden{number}"}
        assert theirs.client.patch(f"/api/v1/players/{player}", json=name, headers=theirs.bearer).status_code == 200
    foreign = {"match_id": theirs.match_id, "round_id": theirs.round_id, "player_id": theirs.player_id}
    own = {"match_id": ours.match_id, "round_id": ours.round_id, "player_id": ours.player_id}
    for ids, club, someone in ((own, ours, "Ada"), (foreign, theirs, "Hidden0")):
        night = {"rulebook": "classic-500", "names": [someone]}
        ids["evening_id"] = club.client.post("/api/v1/evenings", json=night, headers=club.bearer).get_json()["id"]
    before = rows(theirs.app, theirs.club_id)
    parts = {"key_id": theirs.key_id(), "ruling_id": "0" * 16, "dispute_id": "deal", "number": "1", "digest": "0" * 12}
    parts |= {"draw": "1", "table": "1"}
    page = ours.client.put("/api/v1/club/public", headers=ours.bearer).get_json()
    parts["public_token"] = page["url"].rpartition("/")[2]
    token = ours.client.token("/rules")
    seen = re.findall(r'name="revision" value="(\d+)"', ours.client.get(f"/matches/{ours.match_id}").text)[0]
    found = []
    for route in TABLE:
        method, rule = route.split()
        for swapped in set(re.findall(r"<(\w+)>", rule)) & foreign.keys():
            values = parts | own | {swapped: foreign[swapped]}
            path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule).format(**values)
            for body in _bodies(rule, theirs.player_id, token, seen):
                answer = ours.client.open(path, method=method, **body)
                if answer.status_code not in (400, 404, 415, 422) or b"Hidden" in answer.get_data():
                    found.append(f"{method} {path}: {answer.status}")
    for method, path, body in _naming(own, foreign):
        headers = ours.bearer | {"If-Match": "*"}
        if path.startswith("/api/"):
            answer = ours.client.open(path, method=method, json=body, headers=headers)
        else:
            answer = ours.client.open(path, method=method, data=body | {"csrf_token": token, "revision": seen})
        if b"Hidden" in answer.get_data() or answer.status_code >= 500:
            found.append(f"{method} {path} {body}: {answer.status}")
        assert answer.status_code in (303, 404, 409, 412, 422), (path, body, answer.status)
    assert not found, "\n".join(found)
    assert rows(theirs.app, theirs.club_id) == before
    assert not {theirs.player_id, theirs.match_id, theirs.round_id} & set(
        re.findall(r"\w{16}", str(rows(ours.app, ours.club_id)))
    )


def _bodies(rule: str, player: str, token: str, seen: str) -> list[dict[str, Any]]:
    if rule.startswith("/api/"):
        entry = {"after": 1, "went_out": "Ada", "hands": {"Bo": ["7"], "Cy": ["7"], "Di": ["7"]}}
        bodies: list[Any] = [None, entry, {"into": player}, {"name": "Eve"}, {"player": "Eve", "total": 0}]
        return [{"json": body, "headers": {"X-CSRFToken": token, "If-Match": "*"}} for body in bodies]
    return [{"data": {"csrf_token": token, "revision": seen, "after": "1", "name": "Eve"}}]


def _naming(own: dict[str, str], foreign: dict[str, str]) -> list[tuple[str, str, dict[str, Any]]]:
    """List requests about our own things that name another club's in their body."""
    match, player = f"/matches/{own['match_id']}", foreign["player_id"]
    hands = {f"hand-{player}": "7", "went_out": player, "after": "1", "sat_out": player, "credited_to": player}
    return [
        ("POST", f"/api/v1/players/{own['player_id']}/merge", {"into": player}),
        ("POST", f"/club/players/{own['player_id']}/merge", {"into": player}),
        ("POST", f"{match}/rounds/new", hands),
        ("POST", f"{match}/rounds/{own['round_id']}", hands),
        ("POST", f"{match}/hands", {"went_out": player}),
        ("POST", f"{match}/players/{player}/leave", {}),
        ("POST", f"{match}/disputes/uno-call/ruling", {"said": "never", "offender": player, "accuser": player}),
        ("POST", f"{match}/rounds/{foreign['round_id']}/restore", {}),
        ("DELETE", f"/api/v1{match}/players/{player}", {}),
        ("DELETE", f"/api/v1{match}/rounds/{foreign['round_id']}", {}),
        ("PUT", f"/api/v1{match}/rounds/{foreign['round_id']}", {"went_out": "Ada", "hands": {"Bo": ["7"]}}),
        ("POST", f"/api/v1{match}/rulings", {"dispute": "deal", "facts": {}, "players": {"dealer": player}}),
    ]


# -- invitations and keys ----------------------------------------------------------------------------------------------


@pytest.mark.promise("security#one-phone")
def test_an_invitation_that_many_take_at_once_lets_one_in(app: Flask) -> None:
    path = invite(app)
    together = threading.Barrier(4)
    statuses: list[int] = []

    def accept() -> None:
        phone = browser_of(app)
        token = phone.token(path)
        together.wait(60)
        statuses.append(phone.post(path, data={"csrf_token": token}).status_code)

    at_once([accept] * 4)
    assert sorted(statuses) == [303, 410, 410, 410]
    with app.app_context():
        club = db.session.scalars(db.select(Club)).one()
        assert [key.name for key in access.list_keys(db.session(), club)].count("Invited phone") == 1


@pytest.mark.promise("security#old-sheet")
def test_nobody_can_call_a_phone_by_the_name_of_the_recovery_sheet(app: Flask, client: Client) -> None:
    path = invite(app)
    for name in ("Recovery sheet", "recovery  SHEET"):
        answer = client.submit(path, {"name": name}, page=path, status=422)
        assert "club’s recovery sheet is called" in answer.text
    assert client.submit(path, {"name": "Bo"}, page=path).status_code == 303


@pytest.mark.promise("security#old-sheet")
def test_a_phone_that_came_back_by_a_sheet_outlives_that_sheet(app: Flask, client: Client) -> None:
    path = invite(app)
    client.submit(path, {}, page=path)
    old = _words_of_new_sheet(client)
    phone = browser_of(app)
    assert phone.submit("/recover", {"words": old.upper()}).status_code == 303
    new = _words_of_new_sheet(phone)
    assert phone.get("/club").status_code == 200, "whoever prints a new sheet must not lock themselves out"
    third = browser_of(app)
    assert third.submit("/recover", {"words": old}).status_code == 422, "the old sheet is void"
    assert third.submit("/recover", {"words": new}).status_code == 303


def _words_of_new_sheet(client: Client) -> str:
    return find_in(r'class="words number">([^<]+)<', client.submit("/club/recovery", {}).text)


@pytest.mark.promise("security#lost-phone")
def test_a_phone_that_leaves_is_locked_out_even_with_a_copy_of_its_cookie(app: Flask, client: Client) -> None:
    path = invite(app)
    client.submit(path, {}, page=path)
    copied = client.get_cookie("session")
    assert copied is not None
    gone = client.submit("/club/leave", {})
    assert (gone.status_code, gone.headers["Clear-Site-Data"]) == (303, '"cache", "storage"')
    assert client.get("/club").status_code == 401
    thief = app.test_client()
    thief.set_cookie("session", copied.value)
    assert thief.get("/club").status_code == 401


def test_the_last_phone_that_may_write_is_told_why_it_cannot_leave(client: Client) -> None:
    fields = {"players": ["Ada", "Bo"], "rulebook": "classic-500", "step": "deal"}
    assert client.submit("/matches/new", fields).status_code == 303
    assert "No other phone can keep score" in client.submit("/club/leave", {}, status=422).text
    assert client.get("/club").status_code == 200


def test_whoever_leaves_one_club_is_still_in_the_other(app: Flask, client: Client) -> None:
    for club in ("Tuesday", "Friday"):
        path = invite(app, club=club)
        client.submit(path, {}, page=path)
    gone = client.submit("/club/leave", {})
    assert "Clear-Site-Data" not in gone.headers, "what is kept for the other club stays"
    assert "Tuesday" in client.get("/club").text


# -- floods and sizes --------------------------------------------------------------------------------------------------


@pytest.mark.promise("security#large-bodies")
def test_a_packed_body_is_not_unpacked_where_none_is_wanted(house: House) -> None:
    bomb = gzip.compress(b'{"name": "' + b"x" * 1_000_000 + b'"}')
    headers = house.bearer("scorekeeper") | {"Content-Encoding": "gzip"}
    house.app.test_client().post(
        "/api/v1/players", data=bomb, content_type="application/json", headers=headers, status=400
    )


@pytest.mark.promise("security#large-bodies")
def test_a_form_of_too_many_parts_is_refused(client: Client) -> None:
    many = {f"players{number}": "x" for number in range(1500)}
    token = client.token()
    answer = client.post("/matches/new", data=many, content_type="multipart/form-data", headers={"X-CSRFToken": token})
    assert answer.status_code == 413
