"""A phone that is locked out stays out, with what it opened, and comes back with exactly that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import update
from werkzeug.test import TestResponse

from referee.records.club import access
from referee.records.errors import MOST_INVITATIONS, MOST_KEYS, Conflict
from referee.records.models import Club, Invitation, Key, now
from referee.web.server.database import db
from referee.web.server.guards import SESSION_KEYS
from referee.web.sharing.wording import here_only
from tests.ground.client import Client, browser_of

PLAN = {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": "classic-500"}


@dataclass
class Phone:
    """Someone's phone: a browser, and its key as programs show it."""

    app: Flask
    token: str

    def __post_init__(self) -> None:
        self.browser = browser_of(self.app, self.token)

    def api(self, method: str, path: str, body: Any = None) -> TestResponse:
        headers = {"Authorization": f"Bearer {self.token}"}
        return self.app.test_client().open(f"/api/v1{path}", method=method, json=body, headers=headers)

    def post(self, path: str, body: Any = None) -> dict[str, Any]:
        answer = self.api("POST", path, body)
        assert answer.status_code == 201, answer.json
        return dict(answer.get_json())

    def invite(self, role: str = "scorekeeper") -> str:
        """Make an invitation; give its path."""
        return "/join/" + str(self.post("/invitations", {"role": role})["link"]).rpartition("/")[2]

    def let_in(self, name: str) -> Phone:
        """Let another phone in by an invitation."""
        path = self.invite()
        browser = browser_of(self.app)
        assert browser.submit(path, {"name": name}).status_code == 303
        with browser.session_transaction() as session:
            return Phone(self.app, session[SESSION_KEYS][0])

    @property
    def id(self) -> str:
        return str(next(key["id"] for key in self.list_keys() if key["yours"]))

    def list_keys(self) -> list[dict[str, Any]]:
        return list(self.api("GET", "/keys").get_json()["keys"])

    def is_in(self) -> bool:
        """Tell whether the key works, for a program and for a browser."""
        found = {self.api("GET", "/players").status_code, self.browser.get("/club").status_code}
        assert len(found) == 1
        return found == {200}

    def lock_out(self, other: str, keep: Sequence[str] = ()) -> str:
        """Lock a key out on the club's page as the page has it, boxes of `keep` left empty; give what it says."""
        form = re.search(rf'action="/club/keys/{other}/revoke".*?</form>', self.page(), re.DOTALL)
        assert form
        shown = re.findall(r'name="shown" value="(\w+)"', form[0])
        assert shown == re.findall(r'name="with" value="(\w+)" checked', form[0])
        chosen = {"shown": shown, "with": [id for id in shown if id not in keep]}
        assert self.browser.submit(f"/club/keys/{other}/revoke", chosen, page="/rules").status_code == 303
        return said(self.page())

    def undo(self, other: str) -> str:
        assert self.browser.submit(f"/club/keys/{other}/readmit", {}, page="/rules").status_code == 303
        return said(self.page())

    def page(self) -> str:
        return self.browser.get("/club").text


def said(page: str) -> str:
    found = re.search(r'class="toast">\s*<p>(.*?)</p>', page)
    return found[1] if found else ""


def status(app: Flask, path: str) -> int:
    return app.test_client().get(path).status_code


@pytest.fixture
def ada(app: Flask) -> Phone:
    """The phone that founded the club."""
    founded = app.test_client().post("/api/v1/clubs", json={"name": "Sunday table"})
    return Phone(app, founded.get_json()["scorekeeper_key"])


@dataclass
class Doors:
    """All by which a phone can let someone in."""

    invitation: str
    board: str
    table: str
    seat: Client
    sheet: str
    second: Phone
    thirds_invitation: str
    program: Phone

    def open(self, app: Flask) -> list[bool]:
        """Tell of each whether it is open."""
        words = browser_of(app)
        recovered = words.submit("/recover", {"words": self.sheet}, page="/recover").status_code
        return [
            status(app, self.invitation) == 200, status(app, self.board) == 200, status(app, self.table) == 200,
            self.seat.get("/hand").status_code == 200, recovered == 303, self.second.is_in(),
            status(app, self.thirds_invitation) == 200, self.program.is_in(),
        ]  # fmt: skip


def open_doors(phone: Phone) -> Doors:
    """Open on a phone whatever lets someone in."""
    match = f"/matches/{phone.post('/matches', PLAN)['id']}"
    phone.browser.submit(f"{match}/board", {}, page="/rules")
    (board,) = re.findall(r"/live/\w{26}", phone.browser.get(f"{match}/invite").text)[:1]
    phone.browser.submit(f"{match}/hands/link", {}, page="/rules")
    (table,) = re.findall(r"/hand/\w{26}", phone.browser.get(f"{match}/hands").text)[:1]
    seat = browser_of(phone.app)
    assert seat.submit(table, {"seat": "1"}, page="/rules").status_code == 303
    printed = phone.browser.submit("/club/recovery", {}, page="/rules").text
    sheet = re.findall(r'class="words number">([^<]+)<', printed)[0]
    program = Phone(phone.app, phone.post("/keys", {"role": "scorekeeper", "name": "Script"})["key"])
    second = phone.let_in("Second phone")
    return Doors(phone.invite(), board, table, seat, sheet, second, second.invite("spectator"), program)


@pytest.mark.promise("security#what-a-phone-opened")
def test_a_phone_locked_out_takes_along_what_it_opened_and_undo_brings_back_just_that(app: Flask, ada: Phone) -> None:
    own = ada.invite()
    eve = ada.let_in("Eve")
    doors = open_doors(eve)
    eves_tablet = eve.let_in("Tablet")
    assert ada.lock_out(eves_tablet.id) == "Tablet is locked out."
    assert doors.open(app) == [True] * 8  # and one more phone came in by the sheet
    found = eve.id

    told = ada.lock_out(found)
    listed = "4 phones, 3 match links, and 2 invitations"
    assert told == f"Eve is locked out, along with {listed}. Make a new recovery sheet."
    assert not eve.is_in()
    assert doors.open(app) == [False] * 8
    assert status(app, own) == 200
    assert "revoked" in app.test_client().get(doors.invitation).text
    assert {key["name"] for key in ada.list_keys() if key["revoked_with"] == found} >= {"Second phone", "Script"}

    ada.undo(found)
    assert eve.is_in()
    assert doors.open(app) == [True] * 8
    assert not eves_tablet.is_in(), "it was locked out by itself"
    assert not [key for key in ada.list_keys() if key["revoked_with"]]


@pytest.mark.promise("security#what-a-phone-opened")
def test_who_locks_out_stays_and_so_does_what_the_page_was_told_to_keep(app: Flask, ada: Phone) -> None:
    bo, cy = ada.let_in("Bo"), ada.let_in("Cy")
    bos_child, cys_child = bo.let_in("Bo's tablet"), cy.let_in("Cy's tablet")
    di = ada.let_in("Di")
    founder = ada.id
    assert "let in by Cy" in bo.page()
    told = bo.lock_out(founder, keep=[cy.id])
    assert told == "First phone is locked out, along with Cy&#39;s tablet and Di."
    everyone = (ada, bo, bos_child, cy, cys_child, di)
    assert [phone.is_in() for phone in everyone] == [False, True, True, True, False, False]
    assert bo.undo(founder) == "First phone is back in, along with Cy&#39;s tablet and Di."
    assert all(phone.is_in() for phone in everyone)
    bo.lock_out(founder, keep=[cy.id, cys_child.id])
    assert [phone.is_in() for phone in everyone] == [False, True, True, True, True, False]
    bo.undo(founder)
    late = di.let_in("Late")
    assert bo.browser.submit(f"/club/keys/{di.id}/revoke", {"shown": "0" * 16}, page="/rules").status_code == 303
    assert not late.is_in(), "a phone let in after the page was drawn had no box to keep it"


def test_who_leaves_takes_along_only_the_own_open_invitations(app: Flask, ada: Phone) -> None:
    bo = ada.let_in("Bo")
    doors = open_doors(ada)
    assert ada.browser.submit("/club/leave", {}, page="/rules").status_code == 303
    assert doors.open(app) == [False, True, True, True, True, True, True, True]
    assert bo.is_in()


def test_programs_lock_out_a_key_with_what_it_opened(app: Flask, ada: Phone) -> None:
    doors = open_doors(bo := ada.let_in("Bo"))
    assert ada.api("DELETE", f"/keys/{bo.id}").status_code == 204
    assert doors.open(app) == [False] * 8


def test_a_recovery_sheet_that_a_newer_one_replaced_stays_void_and_a_seat_has_one_phone(app: Flask, ada: Phone) -> None:
    eve = ada.let_in("Eve")
    doors = open_doors(eve)
    found = eve.id
    ada.lock_out(found)
    newer = ada.browser.submit("/club/recovery", {}, page="/rules").text
    ada.undo(found)
    assert doors.open(app) == [True, True, True, True, False, True, True, True]
    words = re.findall(r'class="words number">([^<]+)<', newer)[0]
    browser = browser_of(app)
    assert browser.submit("/recover", {"words": words}, page="/recover").status_code == 303


@pytest.mark.promise("security#seen-invitation")
def test_the_club_page_lists_open_invitations_and_revokes_them(app: Flask, ada: Phone) -> None:
    bo = ada.let_in("Bo")
    path = bo.invite("spectator")
    page = ada.page()
    (row,) = re.findall(r'<form class="list-row"[^>]*/club/invitations/.*?</form>', page, re.DOTALL)
    assert re.search(r"To watch.*Made by <bdi>Bo</bdi>; works until \w+ \d+, \d+, \d+:\d\d [AP]M UTC", row, re.DOTALL)
    (revoke,) = re.findall(r'action="([^"]+)"', row)
    assert ada.browser.submit(revoke, {}, page="/rules").status_code == 303
    page = ada.page()
    assert said(page) == "Invitation revoked."
    assert "Open invitations" not in page
    assert "This invitation was revoked." in app.test_client().get(path, status=410).text


def test_an_invitation_shows_a_code_only_where_a_phone_can_follow_it(ada: Phone, monkeypatch: Any) -> None:
    here = ada.browser.submit("/club/invitations", {"role": "spectator"}).text
    assert 'class="qr"' not in here, "this is localhost"
    assert here.index('data-copy="invited"') < here.index("python3 run --lan"), "the link comes first"
    assert re.findall(r'<b>([^<]+)</b> <span class="tag">new<', here) == ["To watch"]
    monkeypatch.setattr("referee.web.sharing.wording.here_only", lambda link: False)
    there = ada.browser.submit("/club/invitations", {"role": "spectator"}).text
    assert 'class="qr"' in there
    assert "--lan" not in there
    addresses = ("http://127.0.0.1:8000/join/x", "http://[::1]:8000", "http://localhost", "http://192.168.1.20:8000/x")
    assert [here_only(address) for address in addresses] == [True, True, True, False]


@pytest.mark.promise("security#seen-invitation")
def test_programs_list_open_invitations_and_revoke_them(app: Flask, ada: Phone) -> None:
    made = [ada.post("/invitations", {"role": role}) for role in ("scorekeeper", "spectator")]
    used = browser_of(app)
    paths = ["/join/" + one["link"].rpartition("/")[2] for one in made]
    listed = ada.api("GET", "/invitations").get_json()["invitations"]
    assert listed == [{name: value for name, value in one.items() if name != "link"} for one in made]
    assert {one["created_by"] for one in listed} == {ada.id}
    assert used.submit(paths[0], {"name": ""}).status_code == 303
    with app.app_context():
        access.invite(db.session(), db.session.get_one(Club, club_of(ada)), "spectator")
        db.session.execute(update(Invitation).where(Invitation.created_by.is_(None)).values(expires_at=now()))
        db.session.commit()
    assert [one["id"] for one in ada.api("GET", "/invitations").get_json()["invitations"]] == [made[1]["id"]]
    assert ada.api("DELETE", f"/invitations/{made[0]['id']}").status_code == 409
    assert ada.api("DELETE", f"/invitations/{made[1]['id']}").status_code == 204
    assert ada.api("DELETE", f"/invitations/{made[1]['id']}").status_code == 204, "sent twice, done once"
    assert status(app, paths[1]) == 410
    assert ada.api("DELETE", f"/invitations/{'0' * 16}").status_code == 404
    assert ada.api("GET", "/invitations").get_json() == {"invitations": []}


@pytest.mark.promise("security#last-key")
def test_an_imported_name_is_no_key_that_works(app: Flask, ada: Phone) -> None:
    match = ada.post("/matches", PLAN)
    entry = {"after": 0, "went_out": "Ada", "hands": {"Bo": ["7"], "Cy": ["7"], "Di": ["7"]}}
    ada.post(f"/matches/{match['id']}/rounds", entry)
    founded = app.test_client().post("/api/v1/clubs", json={"name": "Empty"})
    other = Phone(app, founded.get_json()["scorekeeper_key"])
    assert other.api("POST", "/import", ada.api("GET", "/export").get_json()).status_code == 200
    (writer,) = [key["id"] for key in other.list_keys() if key["imported"]]
    page = other.page()
    assert "no one has its key" in page
    assert f"/club/keys/{writer}/readmit" not in page
    refused = other.browser.submit(f"/club/keys/{writer}/readmit", {}, page="/rules", status=422)
    assert "no one has its key" in refused.text
    with app.app_context():  # as programs of before let it in
        db.session.execute(update(Key).where(Key.id == writer, Key.imported).values(revoked_at=None))
        db.session.commit()
    said = "No other phone can keep score"
    assert said in re.findall(r'action="/club/leave".*?</form>', other.page(), re.DOTALL)[0]
    left = other.browser.submit("/club/leave", {}, page="/rules", status=422)
    assert said in re.findall(r'action="/club/leave".*?</form>', left.text, re.DOTALL)[0]
    deleted = other.api("DELETE", f"/keys/{other.id}")
    assert deleted.status_code == 422
    assert [problem["field"] for problem in deleted.get_json()["errors"]] == ["id"]
    assert other.is_in()


@pytest.mark.promise("security#what-a-phone-opened")
def test_who_was_locked_out_a_moment_ago_lets_nobody_in(app: Flask, ada: Phone) -> None:
    eve = ada.let_in("Eve")
    path = eve.invite()
    with app.app_context():
        session = db.session()
        found = access.find_key(session, eve.token)
        assert found
        key, club = found
        session.commit()
        ada.lock_out(key.id)
        for opens in (
            lambda: access.invite(session, club, "scorekeeper", key),
            lambda: access.make_key(session, club, "scorekeeper", "Next", by=key),
            lambda: access.make_recovery_key(session, club, key),
            lambda: access.lock_out(session, club, access.get_key(session, club, ada.id), key),
            lambda: access.let_in_again(session, club, key, key),
        ):
            with pytest.raises(Conflict):
                opens()
    visitor = browser_of(app)
    assert visitor.submit(path, {"name": "Next"}).status_code == 410


def test_a_club_has_so_many_keys_and_open_invitations_and_says_so(app: Flask, ada: Phone) -> None:
    club, by = club_of(ada), ada.id
    with app.app_context():
        for number in range(MOST_KEYS):
            db.session.add(Key(club_id=club, id=f"{number:016}", role="spectator", name="x", digest=f"{number:064}"))
        for number in range(MOST_INVITATIONS):
            row = {"club_id": club, "id": f"{number:016}", "role": "spectator", "digest": f"{number:064}"}
            db.session.add(Invitation(**row, created_by=by, expires_at=now() + timedelta(days=1)))
        db.session.commit()
    for path, body, field in (
        ("/keys", {"role": "spectator", "name": "One more"}, "name"),
        ("/invitations", {"role": "spectator"}, "role"),
    ):
        answer = ada.api("POST", path, body)
        assert answer.status_code == 422
        assert [problem["field"] for problem in answer.get_json()["errors"]] == [field]


def club_of(phone: Phone) -> str:
    with phone.app.app_context():
        found = access.find_key(db.session(), phone.token)
        assert found
        return found[1].id
