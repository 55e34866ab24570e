"""UNO Attack! over JSON: two boxes, values that a table agrees on, and presses on the launcher."""

from __future__ import annotations

from typing import Any

from tests.web.api.conftest import ClubOfCast, NewClub, fields
from tests.web.api.test_own_rulebooks import MISSED

WORTHS = {"hit-one": 20, "wild-attack-attack": 50}
CAST = ["Ada", "Bo", "Cy"]
LATER: dict[str, Any] = {"rulebook": "attack", "deck": "attack-2", "face_points": WORTHS, "players": CAST}
A19 = {"Bo": ["hit-one", "wild-attack-attack", "6"], "Cy": ["discard-all"]}


def test_without_a_deck_it_is_the_first_box_and_nothing_is_open(club: ClubOfCast) -> None:
    match = club.match(rulebook="attack", players=["Ada", "Bo"])
    assert (club.document(match)["deck"], club.document(match)["face_points"]) == ("attack-1", None)
    assert fields(club.record(match, 0, hands={"Bo": ["hit-one"]})) == ["hands.Bo[0]"]
    answer = club.record(match, 0, hands={"Bo": ["trade-hands", "wild-all-hit", "hit-two"]})
    assert answer.get_json()["round"]["points"]["Ada"] == 100


def test_what_no_sheet_says_is_agreed_before_the_match_and_goes_along_with_it(
    club: ClubOfCast, new_club: NewClub
) -> None:
    open_ended = {key: value for key, value in LATER.items() if key != "face_points"}
    assert fields(club.write("POST", "/matches", open_ended)) == [f"face_points.{face}" for face in WORTHS]
    assert fields(club.write("POST", "/matches", open_ended | {"deck": "flip"})) == ["deck"]
    match = club.match(**LATER)
    assert club.record(match, 0, hands=A19).get_json()["round"]["points"]["Ada"] == 106
    again = club.write("POST", f"/matches/{match}/rematch").get_json()
    assert (again["deck"], again["face_points"]) == ("attack-2", WORTHS)
    other = new_club("Elsewhere")
    assert other.write("POST", "/import", club.write("GET", "/export").json).status_code == 200
    moved = other.read("GET", "/matches").get_json()
    brought = [other.document(each["id"]) for each in moved["matches"]]
    agreed = sorted((each["deck"], len(each["rounds"]), *each["face_points"].values()) for each in brought)
    assert agreed == [("attack-2", 0, 20, 50), ("attack-2", 1, 20, 50)]
    totals = {line["player"]: line["total"] for each in brought if each["rounds"] for line in each["standings"]}
    assert totals == {"Ada": 106, "Bo": 0, "Cy": 0}
    told = {"rulebook": "attack", "deck": "attack-2", "face_points": WORTHS, "went_out": "Ada", "hands": A19}
    assert club.stranger("POST", "/score", told).get_json()["points"]["Ada"] == 106


def test_orders_say_how_often_to_press(club: ClubOfCast) -> None:
    asked = {"dispute": "uno-call", "facts": MISSED}
    said = club.stranger("POST", "/hearings", asked | {"rulebook": "attack"}).get_json()
    assert said["orders"] == [{"role": "offender", "action": "press", "cards": None, "times": 2}]
    assert said["outcome"]["penalty_cards"] == 2
    assert "presses the launcher twice" in said["summary"]
    match = club.match(rulebook="attack", players=["Ada", "Bo", "Cy"])
    case = asked | {"players": {"offender": "Bo"}, "accepted": True}
    saved = club.write("POST", f"/matches/{match}/rulings", case)
    assert saved.status_code == 201, saved.json
    assert club.document(match)["rulings"][0]["orders"][0]["times"] == 2


def test_each_box_is_told_with_its_cards(club: ClubOfCast) -> None:
    deck = club.stranger("GET", "/rulebooks/attack").get_json()["deck"]
    assert (deck["id"], deck["cards"], deck["certain"]) == ("attack-1", 112, True)
    assert {face["id"]: face["points"] for face in deck["faces"] if face["kind"] == "wild"} == {
        "wild": 50, "wild-all-hit": 50, "wild-hit-fire": 50,
    }  # fmt: skip
