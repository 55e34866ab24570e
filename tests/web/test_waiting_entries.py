"""What waited on a phone: counted once, and held against what its writer had seen of just that."""

from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from referee.records.models import Match, Player, Round, RoundVersion, Ruling, Seat
from referee.web.server.database import db
from tests.ground.client import Client
from tests.ground.record import faults
from tests.web.test_matches_taken_along import NEW_MATCH, record, start

pytestmark = pytest.mark.usefixtures("database")

SCRIPT = {"X-Fragment": "1"}


def test_a_strike_that_waited_counts_once_and_sees_who_changed_the_round(app: Flask) -> None:
    phone = Client(app)
    match = start(phone)
    record(app, phone, match)
    with app.test_request_context():
        here = f"/matches/{match}/rounds/{db.session.scalars(select(Round.id)).one()}"

    def turn(to: str, version: int, key: str) -> int:
        return phone.submit(f"{here}/{to}", {"version": version, "idempotency_key": key}, headers=SCRIPT).status_code

    def versions() -> int:
        with app.test_request_context():
            return db.session.scalars(select(Round.version)).one()

    assert turn("strike", 1, "one") == 200
    assert turn("strike", 1, "one") == 200  # its answer was lost
    assert turn("strike", 1, "of another phone") == 200  # which struck it too
    assert versions() == 2
    assert turn("restore", 1, "late") == 412
    assert turn("restore", 2, "two") == 200
    assert turn("strike", 1, "one") == 200  # and it stays restored
    assert versions() == 3


def test_an_end_that_waited_counts_once_and_sees_other_rounds(app: Flask) -> None:
    phone = Client(app)
    match = start(phone)
    record(app, phone, match)

    def turn(to: str, **fields: Any) -> int:
        return phone.submit(f"/matches/{match}/{to}", fields, headers=SCRIPT).status_code

    assert turn("finish", after=0, idempotency_key="early") == 412
    assert turn("finish", after=1, idempotency_key="end") == 200
    assert turn("reopen", after=1, idempotency_key="on") == 200
    assert turn("finish", after=1, idempotency_key="end") == 200  # the same tap: the match goes on
    assert "Record round 2" in phone.get(f"/matches/{match}").text


def test_a_rematch_that_waited_begins_once_and_says_who_sits_there(app: Flask) -> None:
    phone = Client(app)
    match = start(phone)
    record(app, phone, match)
    begun = [
        phone.submit(f"/matches/{match}/rematch", {"idempotency_key": "again"}, headers=SCRIPT).get_json()["begun"]
        for _ in range(2)
    ]
    assert begun[0] == begun[1]
    assert begun[0]["match"] != match
    assert len(begun[0]["seats"]) == 2
    assert phone.submit(f"/matches/{begun[0]['match']}/finish", {}).status_code == 303
    again = phone.submit(f"/matches/{match}/rematch", {"idempotency_key": "again"}, headers=SCRIPT)
    assert again.get_json()["begun"] == begun[0]  # also once it is over


def players_of(app: Flask, match: str) -> list[tuple[str, str]]:
    """Return id and name of each player of a match, by seat."""
    with app.test_request_context():
        found = select(Player.id, Player.name).join(Seat, Seat.player_id == Player.id).where(Seat.match_id == match)
        return [(id, name) for id, name in db.session.execute(found.order_by(Seat.seat))]


def test_what_waited_is_taken_by_seat_when_a_name_of_it_was_deleted(app: Flask) -> None:
    """A round, a correction, a rematch and a match that began on the phone, as releases since 1.0.0 send them."""
    phone = Client(app)
    match = start(phone)
    (ada, _), (bo, _) = players_of(app, match)
    record(app, phone, match)
    assert phone.submit(f"/club/players/{bo}/delete", {}).status_code == 303

    def send(path: str, **fields: Any) -> Any:
        return phone.submit(path, fields, page="/rules", headers=SCRIPT)

    def hand(points: int) -> dict[str, int]:
        return {f"hand-{bo}": points}

    assert (
        send(f"/matches/{match}/rounds/new", after=1, went_out=ada, idempotency_key="two", **hand(7)).status_code == 200
    )
    with app.test_request_context():
        first = db.session.scalars(select(Round.id).where(Round.place == 1)).one()
    fixed = send(f"/matches/{match}/rounds/{first}", version=1, went_out=ada, idempotency_key="fix", **hand(9))
    assert fixed.status_code == 200
    assert send(f"/matches/{match}/finish", after=2, idempotency_key="end").status_code == 200
    again = send(f"/matches/{match}/rematch", idempotency_key="again").get_json()["begun"]
    assert again["seats"] == [ada, bo]
    plan = {**NEW_MATCH, "players": ["Ada", "bo", "Cy"], "dealer": "2", "token": "phone"}
    begun = phone.submit("/matches/new", plan, page="/rules", headers=SCRIPT).get_json()["begun"]
    assert begun["seats"][:2] == [ada, bo]
    assert [name for _, name in players_of(app, begun["match"])] == ["Ada", "Former player 1", "Cy"]
    added = send(
        f"/matches/{begun['match']}/rounds/new", after=0, went_out=bo, idempotency_key="x", **{f"hand-{ada}": 5}
    )
    assert added.status_code == 200

    typed = phone.submit("/matches/new", {**plan, "token": "typed"}, page="/rules", status=303)
    assert players_of(app, typed.location.rpartition("/")[2])[1][1] == "bo", "whoever is typed today is someone new"


def test_a_match_begun_on_a_phone_knows_a_name_that_was_merged_and_then_deleted(app: Flask) -> None:
    phone = Client(app)
    (ada, _), (bo, _) = players_of(app, start(phone))
    plan = {**NEW_MATCH, "players": ["Ada", "Marigold"]}
    other = phone.submit("/matches/new", plan, page="/matches/new").location.rpartition("/")[2]
    marigold = players_of(app, other)[1][0]
    assert phone.submit(f"/club/players/{marigold}/merge", {"into": bo}).status_code == 303
    assert phone.submit(f"/club/players/{bo}/delete", {}).status_code == 303
    waited = {**plan, "custom_rules": "Marigold deals", "token": "begun"}
    begun = phone.submit("/matches/new", waited, page="/rules", headers=SCRIPT).get_json()["begun"]
    assert begun["seats"] == [ada, bo]
    with app.test_request_context():
        agreed = db.session.scalars(select(Match).where(Match.id == begun["match"])).one().agreements
    assert agreed[0]["custom_rules"] == ["(text with a deleted name)"]


def test_a_match_or_rematch_sent_again_after_a_name_in_it_was_deleted_begins_no_other(app: Flask) -> None:
    phone = Client(app)
    waited = {**NEW_MATCH, "players": ["Ada", "Marigold"], "token": "begun"}
    begun = phone.submit("/matches/new", waited, page="/rules", headers=SCRIPT).get_json()["begun"]
    match = begun["match"]
    phone.submit(f"/matches/{match}/finish", {"version": 1, "after": 0}, page="/rules", headers=SCRIPT)
    rematch = {"idempotency_key": "again"}
    again = phone.submit(f"/matches/{match}/rematch", rematch, page="/rules", headers=SCRIPT).get_json()["begun"]
    assert phone.submit(f"/club/players/{begun['seats'][1]}/delete", {}).status_code == 303
    assert phone.submit("/matches/new", waited, page="/rules", headers=SCRIPT).get_json()["begun"] == begun
    sent = phone.submit(f"/matches/{match}/rematch", rematch, page="/rules", headers=SCRIPT)
    assert sent.get_json()["begun"] == again
    with app.test_request_context():
        assert set(db.session.scalars(select(Match.id))) == {match, again["match"]}


@pytest.mark.promise("deleting#late-phones")
def test_a_waiting_text_with_a_name_that_was_deleted_is_taken_out(app: Flask) -> None:
    """Reasons, what a table decided, and the texts of a match that began on the phone: from any release's phone.

    They stand apart, as texts that were there before, and return with the name.
    """
    phone = Client(app)
    plan = {**NEW_MATCH, "players": ["Ada", "Marigold", "Cy"]}
    match = phone.submit("/matches/new", plan, page="/matches/new").location.rpartition("/")[2]
    (ada, _), (gone, _), (cy, _) = players_of(app, match)
    assert phone.submit(f"/club/players/{gone}/delete", {}).status_code == 303
    removed = "(text with a deleted name)"

    def send(path: str, **fields: Any) -> Any:
        return phone.submit(path, fields, page="/rules", headers=SCRIPT)

    reasons = {f"adjust-{ada}": -5, f"reason-{ada}": "Marigold saw it", f"adjust-{cy}": 5, f"reason-{cy}": "Marigolds"}
    played = {"after": 0, "went_out": ada, f"hand-{gone}": 7, f"hand-{cy}": 9}
    assert send(f"/matches/{match}/rounds/new", **played, **reasons, idempotency_key="one").status_code == 200
    with app.test_request_context():
        (round,) = db.session.scalars(select(Round.id))
        (entry,) = db.session.scalars(select(RoundVersion.entry))
    assert [one["reason"] for one in entry["adjustments"]] == [removed, "Marigolds"]
    played |= {f"hand-{cy}": 8, "version": 1, f"adjust-{ada}": -5, f"reason-{ada}": "MARIGOLD, again"}
    assert send(f"/matches/{match}/rounds/{round}", **played, idempotency_key="fix").status_code == 200
    ruling = {"played": "red-skip", "names": "no", "table_decided": "Marigold starts", "once": "ruled"}
    assert send(f"/matches/{match}/disputes/played-card-effect/ruling", **ruling).status_code == 200
    begun = {"name": "Marigold’s night", "custom_rules": "No looking\nMarigold deals", "token": "begun"}
    assert phone.submit("/matches/new", plan | begun, page="/rules", headers=SCRIPT).status_code == 200
    with app.test_request_context():
        latest = db.session.scalars(select(RoundVersion.entry).where(RoundVersion.version == 2)).one()
        decided = db.session.scalars(select(Ruling.table_decided)).one()
        newest = db.session.scalars(select(Match).where(Match.id != match)).one()
    assert [one["reason"] for one in latest["adjustments"]] == [removed]
    assert decided == newest.name == removed
    assert newest.agreements[0]["custom_rules"] == ["No looking", removed]
    assert faults(app) == []
    assert phone.submit(f"/club/players/{gone}/restore", {}, page="/rules").status_code == 303
    with app.test_request_context():
        versions = db.session.scalars(select(RoundVersion.entry).order_by(RoundVersion.version)).all()
        assert [one["adjustments"][0]["reason"] for one in versions] == ["Marigold saw it", "MARIGOLD, again"]
        assert db.session.scalars(select(Ruling.table_decided)).one() == "Marigold starts"
        newest = db.session.scalars(select(Match).where(Match.id != match)).one()
        assert (newest.name, newest.agreements[0]["custom_rules"][1]) == ("Marigold’s night", "Marigold deals")


@pytest.mark.promise("deleting#late-phones")
def test_a_waiting_draw_with_a_name_that_was_deleted_is_of_the_stand_in_and_returns_with_the_name(app: Flask) -> None:
    phone = Client(app)
    plan = {**NEW_MATCH, "players": ["Ada", "Marigold", "Cy"]}
    match = phone.submit("/matches/new", plan, page="/matches/new").location.rpartition("/")[2]
    gone = players_of(app, match)[1][0]
    drawn = {"drawn": "Ada:5,marigold:9,Cy:7", "once": "drawn"}
    assert phone.submit(f"/club/players/{gone}/delete", {}).status_code == 303
    sent = phone.submit(f"/matches/{match}/disputes/who-starts/ruling", drawn, page="/rules", headers=SCRIPT)
    assert sent.status_code == 200

    def told() -> str:
        with app.test_request_context():
            ruling = db.session.scalars(select(Ruling)).one()
            return f"{ruling.facts} {ruling.ruling}"

    assert "arigold" not in told()
    assert "'player': 'Former player 1'" in told()
    assert faults(app) == []
    assert phone.submit(f"/club/players/{gone}/restore", {}, page="/rules").status_code == 303
    assert "'player': 'marigold'" in told()
    assert "Former" not in told()
    assert faults(app) == []
