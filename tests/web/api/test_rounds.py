"""Recording rounds: once, in order, and only what cards can give."""

import json
import uuid
import zlib
from typing import Any

import pytest
from flask import Flask

from referee.records.models import IdempotentAnswer
from referee.web.server.database import db
from tests.ground.each import at_once
from tests.ground.server import Server
from tests.web.api.conftest import ADA_GOES_OUT, IN, ClubOfCast, fields


def test_a_round_is_recorded_with_what_follows_from_it(club: ClubOfCast) -> None:
    match = club.match()
    answer = club.record(match, 0)
    assert answer.status_code == 201
    view = answer.get_json()["round"]
    assert (view["number"], view["hands"], view["entered_by"]) == (1, ADA_GOES_OUT["hands"], "First phone")
    assert view["worth"] == {"Bo": 77, "Cy": 12, "Di": 20}
    assert view["points"] == {"Ada": 109, "Bo": 0, "Cy": 0, "Di": 0}
    assert answer.get_json()["standings"][0] == {"player": "Ada", "total": 109, "rank": 1, "needs": 391} | IN
    assert answer.get_json()["match"] == club.head(match)
    assert answer.headers["ETag"] == club.etag(match)["If-Match"]


def test_all_rounds_come_with_the_answer_where_they_are_asked_for(club: ClubOfCast) -> None:
    match = club.match()
    path, once = f"/matches/{match}/rounds?rounds=all", {"Idempotency-Key": "tap"}
    club.record(match, 0)
    struck = club.record(match, 1).get_json()["round"]["id"]
    assert club.write("DELETE", f"/matches/{match}/rounds/{struck}", headers={"If-Match": "*"}).status_code == 200
    for _ in range(2):
        answer = club.write("POST", path, {"after": 1} | dict(ADA_GOES_OUT), headers=once)
        assert answer.get_json()["match"] == club.document(match)
        assert [one["number"] for one in answer.get_json()["match"]["rounds"]] == [1, 2]
    assert fields(club.write("POST", path.replace("all", "some"), {"after": 2} | dict(ADA_GOES_OUT))) == ["rounds"]


def test_names_are_known_in_any_letters_and_a_typed_sum_is_understood(club: ClubOfCast) -> None:
    match, hands = club.match(), {"bo": ["wild"], " Cy ": "20+20+50", "di": 0}
    assert club.record(match, 0, went_out="ADA", hands=hands, cards_left={"Di": 1}).status_code == 201
    assert club.document(match)["rounds"][0]["hands"] == {"Bo": ["wild"], "Cy": 90, "Di": 0}


BAD_ROUNDS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no count of rounds seen": ({"after": None}, ["after"]),
    "a negative count": ({"after": -1}, ["after"]),
    "nobody went out": ({"went_out": None}, ["hands.Ada", "went_out"]),
    "no such card": ({"hands": {"Bo": ["7", "red-17"], "Cy": [], "Di": ["joker"]}}, ["hands.Bo[1]", "hands.Di[0]"]),
    "a number for a card": ({"hands": {"Bo": [7], "Cy": [], "Di": []}}, ["hands.Bo[0]"]),
    "negative points": ({"hands": {"Bo": -20, "Cy": [], "Di": []}}, ["hands.Bo"]),
    "fractional points": ({"hands": {"Bo": 2.5, "Cy": [], "Di": []}}, ["hands.Bo"]),
    "endless points": ({"hands": {"Bo": 10**40, "Cy": [], "Di": []}, "after": 10**20}, ["after", "hands.Bo"]),
    "true for points": ({"hands": {"Bo": True, "Cy": [], "Di": []}}, ["hands.Bo"]),
    "a list of hands": ({"hands": [["7"]]}, ["hands", "hands.Bo", "hands.Cy", "hands.Di"]),
    "cards left below zero": ({"hands": {"Bo": 20, "Cy": [], "Di": []}, "cards_left": {"Bo": -1}}, ["cards_left.Bo"]),
    "an unknown field": ({"comment": "well played"}, ["comment"]),
}


@pytest.mark.parametrize(("entry", "wrong"), BAD_ROUNDS.values(), ids=BAD_ROUNDS.keys())
def test_an_impossible_round_is_refused_and_nothing_is_written(
    club: ClubOfCast, entry: dict[str, Any], wrong: list[str]
) -> None:
    match = club.match()
    before = club.etag(match)
    assert fields(club.record(match, **{"after": 0} | entry)) == wrong
    assert club.etag(match) == before
    assert club.document(match)["rounds"] == []


def test_a_count_below_nothing_is_told_what_would_do(club: ClubOfCast) -> None:
    answer = club.record(club.match(), -1)
    assert answer.get_json()["errors"] == [{"field": "after", "message": "This must be a whole number, 0 or more."}]


def test_the_count_of_rounds_seen_must_be_given(club: ClubOfCast) -> None:
    assert fields(club.write("POST", f"/matches/{club.match()}/rounds", dict(ADA_GOES_OUT))) == ["after"]


@pytest.mark.parametrize("seen", [0, 2, 10**12])
def test_whoever_has_not_seen_the_newest_round_is_shown_it(club: ClubOfCast, seen: int) -> None:
    match = club.match()
    club.record(match, 0)
    answer = club.record(match, seen, went_out="Bo", hands={"Ada": 5, "Cy": 5, "Di": 5})
    assert answer.status_code == 409
    assert answer.mimetype == "application/problem+json"
    assert answer.get_json()["match"] == club.document(match)
    assert len(answer.get_json()["match"]["rounds"]) == 1


def test_the_same_request_sent_again_gets_its_round_and_the_match_as_it_is_by_then(club: ClubOfCast) -> None:
    match = club.match()
    once = {"Idempotency-Key": str(uuid.uuid4())}
    path, body = f"/matches/{match}/rounds", {"after": 0} | dict(ADA_GOES_OUT)
    first = club.write("POST", path, body, headers=once)
    at_once = club.write("POST", path, body, headers=once)
    assert (at_once.status_code, at_once.json) == (201, first.get_json())
    assert at_once.headers["ETag"] == first.headers["ETag"]
    club.record(match, 1)
    played, newest = f"{path}/{first.get_json()['round']['id']}", {"If-Match": "*"}
    other = {"went_out": "Bo", "hands": {"Ada": ["9"], "Cy": [], "Di": []}}
    assert club.write("PUT", played, other, headers=newest).status_code == 200
    later = club.write("POST", path, body, headers=once)
    assert later.json == {
        "round": club.document(match)["rounds"][0],
        "standings": club.document(match)["standings"],
        "match": club.head(match),
    }
    assert later.headers["ETag"] == club.etag(match)["If-Match"]
    assert club.write("DELETE", played, headers=newest).status_code == 200
    struck = club.write("POST", path, body, headers=once)
    assert (struck.get_json()["round"]["struck"], struck.get_json()["round"]["number"]) == (True, None)
    assert len(club.document(match, "?struck=1")["rounds"]) == 2


def test_a_request_that_1_0_0_answered_counts_once(club: ClubOfCast, app: Flask) -> None:
    """It stored what its answer was made of, or the answer itself where that was brief; releases before, all of it."""
    match = club.match()
    path, body, once = f"/matches/{match}/rounds", {"after": 0} | dict(ADA_GOES_OUT), {"Idempotency-Key": "tap"}
    first = club.write("POST", path, body, headers=once).get_json()
    club.record(match, 1)
    head = first["match"] | {"rounds": None, "rulings": None}
    drawn = {"place": 1, "struck": [], "versions": {}, "rulings": 0, "head": head}
    brief = {"round": first["round"], "standings": first["standings"]}
    for stored in ({"recorded": drawn, "etag": "x"}, {"recorded": None, "answer": brief, "etag": "x"}, first):
        with app.app_context():
            kept = zlib.compress(json.dumps(stored).encode(), 1)
            db.session.execute(db.update(IdempotentAnswer).values(body=kept))
            db.session.commit()
        again = club.write("POST", path, body, headers=once)
        assert (again.status_code, again.get_json()["round"]) == (201, first["round"])
        assert again.get_json()["match"] == club.head(match)
    assert len(club.document(match)["rounds"]) == 2


@pytest.mark.parametrize(
    "other", [{"went_out": "Bo", "hands": {"Ada": 5, "Cy": 5, "Di": 5}}, {"after": 1}], ids=["entry", "after"]
)
def test_the_same_key_with_another_body_is_refused(club: ClubOfCast, other: dict[str, Any]) -> None:
    match = club.match()
    once = {"Idempotency-Key": "tap"}
    body = {"after": 0} | dict(ADA_GOES_OUT)
    assert club.write("POST", f"/matches/{match}/rounds", body, headers=once).status_code == 201
    assert club.write("POST", f"/matches/{match}/rounds", body | other, headers=once).status_code == 409
    assert len(club.document(match)["rounds"]) == 1


def test_a_refused_round_may_be_mended_under_the_same_key(club: ClubOfCast) -> None:
    match = club.match()
    once = {"Idempotency-Key": "tap"}
    body = {"after": 0} | dict(ADA_GOES_OUT)
    assert club.write("POST", f"/matches/{match}/rounds", body | {"went_out": "Eve"}, headers=once).status_code == 422
    assert club.write("POST", f"/matches/{match}/rounds", body, headers=once).status_code == 201


def test_two_clubs_may_use_the_same_key(club: ClubOfCast, other_club: ClubOfCast) -> None:
    for each in (club, other_club):
        match = each.match()
        body = {"after": 0} | dict(ADA_GOES_OUT)
        each.write("POST", f"/matches/{match}/rounds", body, headers={"Idempotency-Key": "tap"}, status=201)


@pytest.mark.parametrize("key", ["", " ", "two words", "x" * 201, "é"])
def test_a_key_is_plain_characters(club: ClubOfCast, key: str) -> None:
    match = club.match()
    body = {"after": 0} | dict(ADA_GOES_OUT)
    answer = club.write("POST", f"/matches/{match}/rounds", body, headers={"Idempotency-Key": key})
    assert fields(answer) == ["Idempotency-Key"]


def test_a_player_may_sit_a_round_out(club: ClubOfCast) -> None:
    match = club.match()
    assert club.record(match, 0, hands={"Bo": ["7"], "Cy": ["9"]}, sat_out=["Di"]).status_code == 201
    assert club.document(match)["rounds"][0]["sat_out"] == ["Di"]
    assert club.totals(match) == {"Ada": 16, "Bo": 0, "Cy": 0, "Di": 0}


def test_the_table_says_who_is_credited_when_nobody_went_out(club: ClubOfCast) -> None:
    match = club.match(house_rules=["end-when-draw-pile-empty"])
    hands = {"Ada": ["1"], "Bo": ["2"], "Cy": ["3"], "Di": ["4"]}
    entry = {"ended": "draw-pile-empty", "went_out": None, "hands": hands}
    assert club.record(match, 0, **entry).status_code == 201
    assert club.totals(match) == {"Ada": 0, "Bo": 0, "Cy": 0, "Di": 0}
    assert club.record(match, 1, **entry, credited_to=["Bo"]).status_code == 201
    assert club.totals(match) == {"Ada": 0, "Bo": 8, "Cy": 0, "Di": 0}
    assert club.document(match)["rounds"][1]["credited_to"] == ["Bo"]


def test_the_same_tap_sent_eight_times_at_once_counts_once(server: Server, club: ClubOfCast) -> None:
    match = club.match()
    found: list[bytes] = []

    def tap() -> None:
        body = {"after": 0} | dict(ADA_GOES_OUT)
        answer = club.write("POST", f"/matches/{match}/rounds", body, headers={"Idempotency-Key": "tap"})
        found.append(answer.get_data() if answer.status_code == 201 else b"")

    at_once([tap] * 8)
    assert len(found) == 8
    assert len(set(found)) == 1
    assert found[0]
    assert len(club.document(match)["rounds"]) == 1
