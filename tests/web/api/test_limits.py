"""What one match and one club may hold, and what is said when it is full."""

import re

import pytest
from flask import Flask
from sqlalchemy import insert, update
from werkzeug.test import TestResponse

from referee.records import errors
from referee.records.match import matches, rounds
from referee.records.models import Match, MatchEvent, Player, Round, Ruling
from referee.records.words import CATALOGUE
from referee.web.server.database import db
from tests.web.api.conftest import ClubOfCast

pytestmark = pytest.mark.usefixtures("database")


def is_full(answer: TestResponse, what: str) -> bool:
    assert answer.status_code == 422, answer.json
    (problem,) = answer.get_json()["errors"]
    sentence = re.sub(r"\{most:,\}", r"[0-9,]+", CATALOGUE.text(f"limits.{what}"))
    return re.fullmatch(sentence, problem["message"]) is not None


@pytest.mark.promise("reliability#limits")
def test_a_match_is_full_at_its_most_rounds_struck_ones_included(app: Flask, club: ClubOfCast) -> None:
    match = club.match()
    assert club.record(match, 0).status_code == 201
    with app.app_context():
        db.session.execute(update(Round).values(place=errors.MOST_ROUNDS - 1))
        db.session.execute(update(Match).values(tally=None))
        db.session.commit()
    assert club.record(match, 1).status_code == 201
    assert is_full(club.record(match, 2), "rounds")
    assert len(club.document(match)["rounds"]) == 2


@pytest.mark.promise("reliability#limits")
def test_a_club_is_full_at_its_most_players_merged_ones_included(app: Flask, club: ClubOfCast) -> None:
    club.match()
    with app.app_context():
        ids = [f"{number:016}" for number in range(errors.MOST_PLAYERS - 4 - 1)]
        rows = [{"club_id": club.id, "id": one, "name": one, "folded_name": one, "active": True} for one in ids]
        db.session.execute(insert(Player), rows)
        db.session.commit()
    assert club.write("POST", "/players", {"name": "Eve"}).status_code == 201
    assert is_full(club.write("POST", "/players", {"name": "Fay"}), "players")
    plan = {"players": ["Ada", "Gil"], "rulebook": "classic-500"}
    assert is_full(club.write("POST", "/matches", plan), "players")
    assert club.write("POST", "/matches", plan | {"players": ["Ada", "Bo"]}).status_code == 201


@pytest.mark.promise("reliability#limits")
def test_a_round_is_changed_so_often_and_no_more_and_the_last_time_is_a_strike(
    club: ClubOfCast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "MOST_VERSIONS", 5)
    match = club.match()
    played = club.record(match, 0).get_json()["round"]["id"]
    path = f"/matches/{match}/rounds/{played}"
    for _ in range(5 - 2):
        again = {"went_out": "Ada", "hands": {"Bo": ["7"], "Cy": [], "Di": []}}
        assert club.write("PUT", path, again, headers={"If-Match": "*"}).status_code == 200
    assert is_full(club.write("PUT", path, again, headers={"If-Match": "*"}), "versions")
    assert club.write("DELETE", path, headers={"If-Match": "*"}).status_code == 200
    assert is_full(club.write("POST", f"{path}/restore", headers={"If-Match": "*"}), "versions")


@pytest.mark.promise("reliability#limits")
def test_amendments_rulings_and_events_of_a_match_have_an_end(app: Flask, club: ClubOfCast) -> None:
    match = club.match()
    ruling = {"dispute": "played-card-effect", "facts": {"players": 4, "played": "red-skip"}}
    assert club.write("POST", f"/matches/{match}/rulings", ruling).status_code == 201
    assert club.write("POST", f"/matches/{match}/amendments", {"target": 300}).status_code == 201
    with app.app_context():
        ruled = db.session.execute(db.select(Ruling.__table__)).one()._asdict()
        more = [ruled | {"id": f"{number:016}"} for number in range(errors.MOST_RULINGS - 1)]
        db.session.execute(insert(Ruling.__table__), more)  # type: ignore[arg-type]
        happened = db.session.execute(db.select(MatchEvent.__table__)).one()._asdict()
        events = [happened | {"id": f"{number:016}"} for number in range(errors.MOST_EVENTS - 12)]
        db.session.execute(insert(MatchEvent.__table__), events)  # type: ignore[arg-type]
        db.session.commit()
    assert is_full(club.write("POST", f"/matches/{match}/rulings", ruling), "rulings")
    joins = {"player": "Eve", "total": 0}
    assert club.write("POST", f"/matches/{match}/players", joins).status_code == 201
    assert is_full(club.write("POST", f"/matches/{match}/players", joins | {"player": "Fay"}), "events")
    assert club.write("POST", f"/matches/{match}/finish").status_code == 200
    assert is_full(club.write("POST", f"/matches/{match}/reopen"), "events")


def test_the_rules_of_a_match_are_changed_so_often_and_no_more(
    club: ClubOfCast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "MOST_AMENDMENTS", 3)
    match = club.match()
    for target in range(3):
        assert club.write("POST", f"/matches/{match}/amendments", {"target": 300 + target}).status_code == 201
    assert is_full(club.write("POST", f"/matches/{match}/amendments", {"target": 999}), "amendments")
