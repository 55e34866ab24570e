"""Matches of other boxes and other ways to win: recorded, corrected, shown, exported and read in again."""

import csv
import hashlib
import io
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from referee.records.models import IdempotentAnswer
from referee.web.server.database import db
from tests.web.api.conftest import ClubOfCast, NewClub, fields
from tests.web.api.test_own_rulebooks import MISSED

pytestmark = pytest.mark.usefixtures("database")


def rulebook(club: ClubOfCast, changes: dict[str, Any]) -> str:
    """Make a rulebook of the club's own that differs so from the classic one; return its id."""
    document = {"title": "Made for a test", "base": "classic-500", "changes": changes}
    return str(club.write("POST", f"/clubs/{club.id}/rulebooks", document, status=201).get_json()["id"])


def test_the_side_that_shows_at_the_end_is_on_record(club: ClubOfCast) -> None:
    match = club.match(players=["Ada", "Bo", "Cy"], rulebook="flip")
    hands = {"Bo": ["reverse", "flip", "wild"], "Cy": ["teal-1", "teal-1", "purple-9"]}
    assert fields(club.record(match, 0, hands=hands)) == ["side"]
    answer = club.record(match, 0, hands=hands, side="dark")  # F5
    assert answer.status_code == 201, answer.json
    round_ = answer.get_json()["round"]
    assert (round_["points"]["Ada"], round_["side"], "adjustments" in round_) == (91, "dark", False)
    foreign = club.record(match, 1, hands={"Bo": ["draw-two"], "Cy": ["red-7"]}, side="light")
    assert fields(foreign) == ["hands.Bo[0]"]
    assert "not UNO Flip!" in foreign.get_json()["errors"][0]["message"]


def test_a_ruling_on_a_card_of_the_box_is_saved_with_it(club: ClubOfCast) -> None:
    match = club.match(players=["Ada", "Bo", "Cy"], rulebook="all-wild")
    case = {"dispute": "played-card-effect", "facts": {"played": "wild-skip-two"}, "accepted": True}
    case |= {"players": {"same-player": "Ada"}}
    answer = club.write("POST", f"/matches/{match}/rulings", case, status=201)
    assert "The next two players are skipped. Ada plays again." in str(answer.json)


def test_the_last_one_left_of_two_wins_the_match_at_a_thousand(club: ClubOfCast) -> None:
    match = club.match(players=["A", "B"], rulebook="no-mercy", opening_totals={"A": 750})  # N15
    answer = club.record(match, 0, ended="last-one-left", went_out=None, hands={"A": ["9"]}, knocked_out=["B"])
    assert answer.status_code == 201, answer.json
    document = club.document(match)
    ids = {seat["player"]: seat["id"] for seat in document["seats"]}
    assert not club.read("GET", f"/players/{ids['A']}/statistics").get_json()["statistics"]["caught_with"]
    assert club.totals(match) == {"A": 1000, "B": 0}
    assert (document["status"], document["winners"]) == ("finished", ["A"])


def test_what_the_table_adds_or_takes_is_on_record_with_its_reason(club: ClubOfCast) -> None:
    match = club.match()
    peeked = {"player": "bo", "points": -30, "reason": "Peeked"}
    bonus = [peeked, {"player": "Cy", "points": 5, "reason": "Dealt twice"}]
    answer = club.record(match, 0, adjustments=bonus)
    assert answer.get_json()["round"]["points"] == {"Ada": 109, "Bo": -30, "Cy": 5, "Di": 0}
    assert answer.get_json()["round"]["adjustments"][0] == bonus[0] | {"player": "Bo"}
    id = answer.get_json()["round"]["id"]
    entry = {"went_out": "Ada", "hands": {"Bo": 77, "Cy": 12, "Di": 20}, "adjustments": bonus[:1]}
    corrected = club.write("PUT", f"/matches/{match}/rounds/{id}", entry, headers=club.etag(match))
    assert corrected.get_json()["rounds"][0]["points"] == {"Ada": 109, "Bo": -30, "Cy": 0, "Di": 0}
    versions = club.read("GET", f"/matches/{match}/rounds/{id}/history").get_json()["versions"]
    assert [len(version["adjustments"]) for version in versions] == [2, 1]


WRONG = {
    "points no number": ({"player": "Bo", "points": "5", "reason": "x"}, ["adjustments[0].points"]),
    "an invisible reason": ({"player": "Bo", "points": 5, "reason": "\u202e"}, ["adjustments[0].reason"]),
    "all of it": ({"points": 10**9}, ["adjustments[0].player", "adjustments[0].points", "adjustments[0].reason"]),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_a_correction_that_says_nothing_is_refused(club: ClubOfCast, case: tuple[dict[str, Any], list[str]]) -> None:
    assert fields(club.record(club.match(), 0, adjustments=[case[0]])) == case[1]


def test_what_few_rounds_have_is_exported_read_in_again_and_in_tables(club: ClubOfCast, new_club: NewClub) -> None:
    plain = club.match()
    club.record(plain, 0)
    match = club.match(players=["Ada", "Bo", "Cy"], rulebook="no-mercy")
    bonus = [{"player": "Bo", "points": -300, "reason": "Left early"}]
    club.record(match, 0, hands={"Bo": ["3", "8"]}, knocked_out=["Cy"], adjustments=bonus)
    last = club.record(match, 1, ended="last-one-left", went_out=None, hands={}, knocked_out=["Ada", "Bo"])
    assert last.get_json()["round"]["points"] == {"Ada": 0, "Bo": 0, "Cy": 500}  # N17, its fourth round
    exported = club.write("GET", "/export").get_json()
    entries = [one["rounds"][0]["versions"][0]["entry"] for one in exported["matches"]]
    assert set(entries[1]) - set(entries[0]) == {"knocked_out", "adjustments"}
    other = new_club("Elsewhere")
    other.write("POST", "/import", exported, status=200)
    again = other.write("GET", "/export").json
    assert [one["rounds"] for one in again["matches"]] == [one["rounds"] for one in exported["matches"]]  # type: ignore[index]
    lines = list(csv.reader(io.StringIO(club.read("GET", f"/matches/{match}.csv").text)))
    assert (lines[0][-2:], lines[1][-2:]) == (["knocked out", "adjustments"], ["Cy", "Bo: -300 (Left early)"])
    assert lines[2][-2:] == ["Ada, Bo", ""]
    head = club.read("GET", f"/matches/{plain}.csv").text.splitlines()[0]
    assert head.endswith("Di: hand")


def test_a_request_of_before_has_the_same_digest(club: ClubOfCast, app: Flask) -> None:
    """Nothing new in a request changes what it is known by; the keys that phones hold are good for 30 days."""
    match = club.match()
    later: list[dict[str, Any]] = [{}, {"side": None, "knocked_out": [], "adjustments": []}]
    for after, more in enumerate(later):
        entry = {"after": 0, "went_out": "Ada", "hands": {"Bo": 7, "Cy": 5, "Di": 3}} | more
        answer = club.write("POST", f"/matches/{match}/rounds", entry, headers={"Idempotency-Key": "one"})
        assert (answer.status_code, answer.get_json()["round"]["number"]) == (201, 1), after
    said = (
        b'{"after":0,"cards_left":{},"credited_to":null,"ended":"went-out","hands":{"bo":7,"cy":5,"di":3},'
        b'"last_card":null,"sat_out":[],"went_out":"Ada"}'
    )
    with app.app_context():
        kept = db.session.query(IdempotentAnswer).one()
        digest = hashlib.sha256(f"/api/v1/matches/{match}/rounds\n".encode() + said).hexdigest()
        assert kept.request_digest == digest


CAST = ("Ada", "Bo", "Cy", "Di")


def challenge(club: ClubOfCast, target: int = 500) -> str:
    """Begin a match in which so many points put a player out, and Ada deals."""
    return club.match(rulebook="challenge-500", dealer="Ada", target=target)


def own(club: ClubOfCast, match: str, after: int, out: str, **points: int) -> TestResponse:
    """Record a round of a match in which everyone takes their own points; return the answer."""
    return club.write("POST", f"/matches/{match}/rounds", {"after": after, "went_out": out, "hands": points})


def test_who_reaches_the_target_sits_out_until_two_are_left_who_decide_it(club: ClubOfCast) -> None:
    match = challenge(club)
    own(club, match, 0, "Ada", Bo=600, Cy=100, Di=30)
    document = club.document(match)
    assert [(line["player"], line["out"], line["out_since"], line["needs"]) for line in document["standings"]] == [
        ("Ada", False, None, 500),
        ("Di", False, None, 470),
        ("Cy", False, None, 400),
        ("Bo", True, 1, None),
    ]
    assert (document["status"], document["dealer"]) == ("in-progress", "Cy")  # Bo would have dealt
    assert fields(own(club, match, 1, "Ada", Bo=7, Cy=8, Di=9)) == ["hands.Bo"]
    assert fields(own(club, match, 1, "Bo", Ada=7, Cy=8, Di=9)) == ["went_out"]
    answer = own(club, match, 1, "Di", Ada=20, Cy=450)
    assert answer.get_json()["round"]["sat_out"] == ["Bo"]
    assert answer.get_json()["match"] == club.head(match)
    assert club.document(match)["dealer"] == "Di"
    own(club, match, 2, "Ada", Di=480)
    document = club.document(match)
    assert (document["status"], document["ended_by"], document["winners"]) == ("finished", "target", ["Ada"])
    assert [line["out_since"] for line in document["standings"]] == [None, 3, 2, 1]


def test_a_correction_brings_a_player_back_and_another_takes_one_out(club: ClubOfCast) -> None:
    match = challenge(club)
    first = own(club, match, 0, "Ada", Bo=600, Cy=100, Di=30).get_json()["round"]["id"]
    own(club, match, 1, "Cy", Ada=20, Di=40)

    def correct(**points: int) -> list[str]:
        club.write(
            "PUT", f"/matches/{match}/rounds/{first}", {"went_out": "Ada", "hands": points}, headers=club.etag(match)
        )
        return [line["player"] for line in club.document(match)["standings"] if line["out"]]

    assert correct(Bo=60, Cy=100, Di=30) == []
    assert fields(own(club, match, 2, "Ada", Cy=5, Di=5)) == ["hands.Bo"]
    assert correct(Bo=60, Cy=100, Di=490) == ["Di"]
    assert own(club, match, 2, "Ada", Cy=5, Bo=5).status_code == 201
    club.write("DELETE", f"/matches/{match}/rounds/{first}", headers=club.etag(match))
    assert not any(line["out"] for line in club.document(match)["standings"])


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_standings_are_a_function_of_the_live_rounds(club: ClubOfCast, data: st.DataObject) -> None:
    """However rounds were corrected, struck and brought back: the live ones alone say who is out."""
    match = challenge(club, target=300)
    for _ in range(data.draw(st.integers(2, 5))):
        document = club.document(match, "?struck=1")
        if document["rounds"] and data.draw(st.booleans()):
            change(club, match, data.draw(st.sampled_from(document["rounds"])), data)
            continue
        playing = [line["player"] for line in document["standings"] if not line["out"]]
        if document["status"] == "in-progress":
            play(club, match, playing, data)
    document = club.document(match)
    totals = dict.fromkeys(CAST, 0)
    since: dict[str, int | None] = dict.fromkeys(CAST)
    for played in document["rounds"]:
        for name, points in played["points"].items():
            totals[name] += points
            since[name] = (since[name] or played["number"]) if totals[name] >= 300 else None
    lines = {line["player"]: line for line in document["standings"]}
    assert {name: line["total"] for name, line in lines.items()} == totals
    assert {name: line["out_since"] for name, line in lines.items()} == since
    assert all(line["out"] == (line["out_since"] is not None) for line in lines.values())
    over = sum(line["out"] for line in lines.values()) >= len(CAST) - 1
    assert (document["status"] == "finished") == (over and bool(document["rounds"]))
    if document["dealer"]:
        assert over or not lines[document["dealer"]]["out"]


def play(club: ClubOfCast, match: str, playing: list[str], data: st.DataObject) -> None:
    """Record a round of those who are in, some of whom may be put out by it."""
    out, *others = data.draw(st.permutations(playing))
    hands = {name: data.draw(st.sampled_from([5, 120, 310])) for name in others}
    assert own(club, match, len(club.document(match)["rounds"]), out, **hands).status_code == 201


def change(club: ClubOfCast, match: str, played: dict[str, Any], data: st.DataObject) -> None:
    """Correct a round, strike it or bring it back."""
    address = f"/matches/{match}/rounds/{played['id']}"
    etag = club.etag(match)
    if played["struck"]:
        answer = club.write("POST", f"{address}/restore", headers=etag)
    elif data.draw(st.booleans()):
        answer = club.write("DELETE", address, headers=etag)
    else:
        hands = {name: data.draw(st.sampled_from([5, 120, 310])) for name in played["hands"]}
        entry = {"went_out": played["went_out"], "hands": hands, "sat_out": played["sat_out"]}
        answer = club.write("PUT", address, entry, headers=etag)
    assert answer.status_code == 200, answer.json


OPEN: dict[str, Any] = {"deck-size": {"deck": "attack-1"}}


def test_a_match_ends_after_the_rounds_agreed_on(club: ClubOfCast) -> None:
    match = club.match(rounds_to_play=2, target=None)
    assert club.document(match)["rounds_to_play"] == 2
    club.record(match, 0)
    assert club.document(match)["status"] == "in-progress"
    club.record(match, 1)
    document = club.document(match)
    assert (document["status"], document["ended_by"], document["winners"]) == ("finished", "rounds", ["Ada"])
    assert club.document(club.match())["rounds_to_play"] is None
    plan = {"players": ["Ada", "Bo"], "rulebook": "classic-500", "rounds_to_play": 0}
    assert fields(club.write("POST", "/matches", plan)) == ["rounds_to_play"]
    assert club.write("POST", f"/matches/{match}/rematch").get_json()["rounds_to_play"] == 2


def test_partners_sit_opposite_and_share_a_total(club: ClubOfCast) -> None:
    match = club.match(players=["N", "E", "S", "W"], rulebook="partners", target=100)
    assert club.document(match)["teams"] == [["N", "S"], ["E", "W"]]
    answer = club.record(match, 0, went_out="N", hands={"E": 35, "W": 50, "S": 20})  # X3
    assert answer.get_json()["round"]["points"] == {"N": 85, "E": 0, "S": 0, "W": 0}
    lines = {line["player"]: line for line in club.document(match)["standings"]}
    shown = [(name, lines[name]["team"], lines[name]["team_total"], lines[name]["needs"]) for name in "NSEW"]
    assert shown == [("N", 0, 85, 15), ("S", 0, 85, 15), ("E", 1, 0, 100), ("W", 1, 0, 100)]
    assert [lines[name]["rank"] for name in "NSEW"] == [1, 1, 2, 2]
    club.record(match, 1, went_out="S", hands={"E": 10, "W": 5})  # the partner's hand need not be told
    document = club.document(match)
    assert (document["status"], document["winners"]) == ("finished", ["N", "S"])
    assert club.totals(match) == {"N": 85, "S": 15, "E": 0, "W": 0}
    ids = {seat["player"]: seat["id"] for seat in document["seats"]}
    strengths = {name: rating(club, ids[name]) for name in ids}
    assert strengths["N"] == strengths["S"] > strengths["E"] == strengths["W"]
    running = club.match(rulebook="partners")
    assert fields(club.write("POST", f"/matches/{running}/players", {"player": "Eve", "total": 0})) == ["player"]


def test_a_team_that_comes_back_was_as_far_behind_as_both_together(club: ClubOfCast) -> None:
    match = club.match(players=["N", "E", "S", "W"], rulebook="partners", target=100)
    club.record(match, 0, went_out="E", hands={"N": 40, "S": 10})
    club.record(match, 1, went_out="N", hands={"E": 60, "W": 50})
    seats = {seat["player"]: seat["id"] for seat in club.document(match)["seats"]}
    for name in "NS":
        statistics: Any = club.read("GET", f"/players/{seats[name]}/statistics").json
        assert statistics["statistics"]["biggest_rescue"] == {"highest": 50}


def rating(club: ClubOfCast, player: str) -> float:
    """Give the rating of a player."""
    statistics = club.read("GET", f"/players/{player}/statistics").get_json()
    return float(statistics["ratings"][-1]["mu"])


def test_the_hand_of_a_partner_counts_where_the_rules_say_so(club: ClubOfCast) -> None:
    counts = {"who-scores": {"partners": True, "partner_hand_counts": True}}
    match = club.match(players=["N", "E", "S", "W"], rulebook=rulebook(club, counts), teams=[["N", "E"], ["S", "W"]])
    assert club.document(match)["teams"] == [["N", "E"], ["S", "W"]]
    assert fields(club.record(match, 0, went_out="N", hands={"S": 35, "W": 50})) == ["hands.E"]
    answer = club.record(match, 0, went_out="N", hands={"E": 35, "W": 50, "S": 20})
    assert answer.get_json()["round"]["points"]["N"] == 105


@pytest.mark.parametrize(
    ("teams", "field"),
    [
        ([["Ada", "Bo"], ["Cy"]], "teams"),
        ([["Ada", "Bo", "Cy", "Di"]], "teams"),
        ([["Ada", "Bo"], ["Cy", "Bo"]], "teams"),
        ([["Ada", "Bo"], ["Cy", "Eve"]], "teams[1][1]"),
    ],
)
def test_teams_that_cannot_be_are_refused(club: ClubOfCast, teams: list[list[str]], field: str) -> None:
    plan = {"players": CAST, "rulebook": "partners", "teams": teams}
    assert fields(club.write("POST", "/matches", plan)) == [field]
    assert fields(club.write("POST", "/matches", plan | {"rulebook": "classic-500"})) == [field]


def test_what_the_rules_leave_open_is_agreed_on_for_all_cards_at_once(club: ClubOfCast) -> None:
    plan = {"players": CAST, "rulebook": rulebook(club, OPEN)}
    assert fields(club.write("POST", "/matches", plan)) == ["face_points.wild-all-hit", "face_points.wild-hit-fire"]
    worths = {"wild-all-hit": 20, "wild-hit-fire": 50}
    match = club.match(rulebook=plan["rulebook"], face_points=worths)
    assert club.document(match)["face_points"] == worths
    answer = club.record(match, 0, hands={"Bo": ["wild-all-hit", "wild-hit-fire"], "Cy": ["red-3"], "Di": ["red-7"]})
    assert answer.get_json()["round"]["points"]["Ada"] == 80
    wrong = club.write("POST", "/matches", plan | {"face_points": {"wild-all-hit": -1, "joker": 3}})
    assert set(fields(wrong)) == {"face_points.wild-all-hit", "face_points.joker"}


def test_players_start_with_what_the_table_agreed_on(club: ClubOfCast) -> None:
    match = club.match(opening_totals={"bo": 100, "Cy": -20})
    assert club.totals(match) == {"Ada": 0, "Bo": 100, "Cy": -20, "Di": 0}
    plan = {"players": CAST, "rulebook": "classic-500", "opening_totals": {"Eve": 1, "Ada": 500}}
    assert set(fields(club.write("POST", "/matches", plan))) == {"opening_totals.Eve", "opening_totals.Ada"}


def test_what_few_matches_agree_on_is_exported_and_read_in_again(club: ClubOfCast, new_club: NewClub) -> None:
    plain = club.match()
    club.record(plain, 0)
    match = club.match(players=["N", "E", "S", "W"], rulebook="partners", target=80, rounds_to_play=9)
    club.record(match, 0, went_out="N", hands={"E": 35, "W": 50})
    exported = club.write("GET", "/export").get_json()
    first, second = (one["agreements"][0] for one in exported["matches"])
    assert {key: second[key] for key in set(second) - set(first)} == {"teams": [[0, 2], [1, 3]], "rounds_to_play": 9}
    other = new_club("Elsewhere")
    other.write("POST", "/import", exported, status=200)
    again = other.document(match)
    assert {key: again[key] for key in ("teams", "winners", "standings")} == {
        key: club.document(match)[key] for key in ("teams", "winners", "standings")
    }


def test_a_round_of_partners_is_scored_outside_a_match(club: ClubOfCast) -> None:
    said = {"rulebook": "partners", "went_out": "N", "hands": {"E": 35, "W": 50, "S": 20}}
    assert fields(club.write("POST", "/score", said)) == ["teams"]
    answer = club.write("POST", "/score", said | {"teams": [["N", "S"], ["E", "W"]]})
    assert answer.get_json()["points"] == {"N": 85, "E": 0, "S": 0, "W": 0}


def test_disputes_are_between_those_who_play_on(club: ClubOfCast) -> None:
    match = challenge(club, target=100)
    own(club, match, 0, "Ada", Bo=150, Cy=120, Di=30)
    case = {"dispute": "played-card-effect", "facts": {"played": "red-reverse"}, "players": {}, "accepted": True}
    refused = club.write("POST", f"/matches/{match}/rulings", case | {"facts": {"played": "red-reverse", "players": 4}})
    assert fields(refused) == ["facts.players"]
    assert club.write("POST", f"/matches/{match}/rulings", case).status_code == 201


# -- UNO Attack!: a later box and its cards, presses on the launcher ---------------------------------------------------


WORTHS = {"hit-one": 20, "wild-attack-attack": 50}

LATER: dict[str, Any] = {"rulebook": "attack", "deck": "attack-2", "face_points": WORTHS, "players": CAST[:3]}
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
    club.write("POST", f"/matches/{match}/rulings", case, status=201)
    assert club.document(match)["rulings"][0]["orders"][0]["times"] == 2


def test_each_box_is_told_with_its_cards(club: ClubOfCast) -> None:
    deck = club.stranger("GET", "/rulebooks/attack").get_json()["deck"]
    assert (deck["id"], deck["cards"], deck["certain"]) == ("attack-1", 112, True)
    assert {face["id"]: face["points"] for face in deck["faces"] if face["kind"] == "wild"} == {
        "wild": 50, "wild-all-hit": 50, "wild-hit-fire": 50,
    }  # fmt: skip
