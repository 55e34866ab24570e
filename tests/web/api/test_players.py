"""The persons of a club."""

import json
from typing import Any

import pytest
from flask import Flask

from referee.records.deletion import purging
from referee.records.ids import new_id
from referee.records.match.seating import deal_markers
from referee.records.models import MARKER_COLORS, MARKER_SHAPES, MARKERS, Player
from referee.web.server.database import db
from tests.web.api.conftest import ClubOfCast, NewClub, fields
from tests.web.api.test_clubs import NAMES


def add(club: ClubOfCast, name: str) -> str:
    """Add a player and return the id."""
    return str(club.write("POST", "/players", {"name": name}, status=201).get_json()["id"])


def listed(club: ClubOfCast) -> dict[str, bool]:
    """List names, and whether each still plays."""
    return {player["name"]: player["active"] for player in club.read("GET", "/players").get_json()["players"]}


def test_players_are_listed_by_name(club: ClubOfCast) -> None:
    for name in ("Di", "ada", "Bo"):
        add(club, name)
    assert list(listed(club)) == ["ada", "Bo", "Di"]


def test_a_name_is_composed_and_trimmed(club: ClubOfCast) -> None:
    add(club, "  Zoe\u0308   van  Dam ")
    assert list(listed(club)) == ["Zo\u00eb van Dam"]


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_a_bad_name_adds_nobody(club: ClubOfCast, name: Any) -> None:
    assert fields(club.write("POST", "/players", {"name": name})) == ["name"]
    assert listed(club) == {}


LOOK_THE_SAME = (
    "Ada", "ADA", " ada ", "Ａda", "A\u200dda", "Ada\u2060", "\u3164ADA", "A\u034fd\ufe0fa", "\u200eＡＤＡ",
)  # fmt: skip
"""Names that look the same as Ada: in other letters, in full width, with characters that nobody sees."""


@pytest.mark.parametrize("name", LOOK_THE_SAME)
def test_a_name_is_taken_once_in_a_club(club: ClubOfCast, other_club: ClubOfCast, name: str) -> None:
    add(club, "Ada")
    assert fields(club.write("POST", "/players", {"name": name})) == ["name"]
    add(other_club, name)


@pytest.mark.parametrize("name", LOOK_THE_SAME)
def test_a_name_that_looks_the_same_is_the_same_player(club: ClubOfCast, name: str) -> None:
    ada = add(club, "Ada")
    match = club.write("POST", "/matches", {"players": [name, "Bo"], "rulebook": "classic-500"}).get_json()
    assert match["seats"][0]["id"] == ada
    both = {"players": ["Ada", "Bo", name], "rulebook": "classic-500"}
    assert fields(club.write("POST", "/matches", both)) == ["players[2]"]
    stranger = {"players": ["Bo", "Eva", name.replace("a", "e")], "rulebook": "classic-500"}
    assert club.write("POST", "/matches", stranger).status_code == 201


def test_players_who_look_the_same_since_an_older_release_stay_two(app: Flask, club: ClubOfCast) -> None:
    alike = ("Ada", "Ａda", "A\u200dda")
    with app.app_context():
        for name in alike:
            db.session.add(Player(club_id=club.id, id=new_id(), name=name, folded_name=name.casefold()))
        db.session.commit()
    match = club.match(players=alike)
    assert club.document(match)["players"] == list(alike)
    entry = {"after": 0, "went_out": alike[2], "hands": {alike[0]: 5, alike[1]: 7}}
    assert club.write("POST", f"/matches/{match}/rounds", entry).status_code == 201
    assert [one["hands"] for one in club.document(match)["rounds"]] == [entry["hands"]]
    assert fields(club.write("POST", "/players", {"name": "ＡＤＡ"})) == ["name"]
    assert list(listed(club)) == sorted(alike, key=str.casefold)


def test_a_player_is_renamed_also_in_old_matches(club: ClubOfCast) -> None:
    match = club.match()
    assert club.record(match, 0).status_code == 201
    bo = next(seat["id"] for seat in club.document(match)["seats"] if seat["player"] == "Bo")
    before = club.etag(match)
    assert club.write("PATCH", f"/players/{bo}", {"name": "Bobby"}).json == {"id": bo, "name": "Bobby", "active": True}
    document = club.document(match)
    assert document["players"] == ["Ada", "Bobby", "Cy", "Di"]
    assert document["rounds"][0]["hands"]["Bobby"] == ["7", "skip", "wild"]
    assert document["seats"][1]["name_then"] == "Bo"
    assert club.etag(match) != before


def test_a_player_may_take_the_same_name_in_other_letters(club: ClubOfCast) -> None:
    ada = add(club, "ada")
    assert club.write("PATCH", f"/players/{ada}", {"name": "Ada"}).status_code == 200
    assert listed(club) == {"Ada": True}


def test_a_player_is_set_inactive_and_comes_back(club: ClubOfCast) -> None:
    ada = add(club, "Ada")
    assert club.write("PATCH", f"/players/{ada}", {"active": False}).status_code == 200
    assert listed(club) == {"Ada": False}
    assert club.write("PATCH", f"/players/{ada}", {"active": True}).status_code == 200
    assert listed(club) == {"Ada": True}


@pytest.mark.parametrize(
    ("chosen", "dealt"),
    [
        (["", "", "", "", ""], ["red-circle", "blue-square", "green-triangle", "yellow-diamond", "red-square"]),
        (["", "yellow-circle", ""], ["red-circle", "yellow-circle", "blue-square"]),
        (["", "red-circle", ""], ["blue-square", "red-circle", "green-triangle"]),
        (["green-square", "green-square", ""], ["green-square", "red-circle", "blue-square"]),
    ],
    ids=["nobody chose", "one chose", "the first free was chosen", "two chose the same"],
)
def test_everybody_at_a_match_has_a_color_and_shape(chosen: list[str], dealt: list[str]) -> None:
    assert deal_markers(chosen) == dealt


def test_no_two_of_the_most_players_look_alike() -> None:
    assert len({*MARKERS}) == len(MARKERS) == len(MARKER_COLORS) * len(MARKER_SHAPES)
    assert len({*deal_markers([""] * 16)}) == 16
    assert len({*deal_markers([*MARKERS, ""])}) == 16, "more have sat at one match than there are"


def markers(club: ClubOfCast, match: str) -> dict[str, str]:
    """List the colors and shapes of a match by name."""
    return {seat["player"]: seat["marker"] for seat in club.document(match)["seats"]}


def test_a_chosen_color_is_the_same_at_every_match_and_in_every_file(club: ClubOfCast, new_club: NewClub) -> None:
    match = club.match()
    bo = next(seat["id"] for seat in club.document(match)["seats"] if seat["player"] == "Bo")
    before = club.etag(match)
    changed = club.write("PATCH", f"/players/{bo}", {"marker": "red-circle"})
    assert changed.json == {"id": bo, "name": "Bo", "active": True, "marker": "red-circle"}
    assert club.etag(match) != before
    at_match = {"Ada": "blue-square", "Bo": "red-circle", "Cy": "green-triangle", "Di": "yellow-diamond"}
    assert markers(club, match) == at_match

    export = club.read("GET", "/export")
    assert [one.get("marker") for one in json.loads(export.data)["players"] if one["name"] != "Bo"] == [None] * 3
    assert json.loads(club.read("GET", f"/players/{bo}/export").data)["player"]["marker"] == "red-circle"
    other = new_club("Another")
    assert other.write("POST", "/import", data=export.data, content_type="application/json").status_code == 200
    assert markers(other, match) == at_match
    wrong = export.data.replace(b"red-circle", b"red-hexagon")
    answer = new_club("A third").write("POST", "/import", data=wrong, content_type="application/json", status=422)
    assert "marker" in fields(answer)[0]

    assert club.write("PATCH", f"/players/{bo}", {"marker": ""}).json == {"id": bo, "name": "Bo", "active": True}
    assert markers(club, match)["Ada"] == "red-circle"


def test_a_color_stays_with_a_person_under_two_names_and_goes_with_a_deleted_one(club: ClubOfCast, app: Flask) -> None:
    match = club.match(players=["Ada", "Bo"])
    _, bo = (seat["id"] for seat in club.document(match)["seats"])
    for name, marker, kept in (("Bobby", "green-square", "green-square"), ("Bob", "blue-circle", "green-square")):
        other = add(club, name)
        assert club.write("PATCH", f"/players/{other}", {"marker": marker}).status_code == 200
        club.write("POST", f"/players/{other}/merge", {"into": bo})
        assert markers(club, match) == {"Ada": "red-circle", "Bo": kept}

    assert club.write("DELETE", f"/players/{bo}").status_code == 200
    assert [*markers(club, match).values()] == ["red-circle", "green-square"]
    assert club.write("POST", f"/players/{bo}/restore").status_code == 200
    assert markers(club, match)["Bo"] == "green-square"
    assert club.write("DELETE", f"/players/{bo}").status_code == 200
    with app.app_context():
        assert purging.purge(db.engine, at_once=True).players  # those that other tests left in this database too
    assert [*markers(club, match).values()] == ["red-circle", "blue-square"]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"name": "Bo"}, ["name"]), ({"name": ""}, ["name"]), ({"active": 1}, ["active"]), ({"id": "x"}, ["id"]),
        ({"marker": "red-hexagon"}, ["marker"]), ({"marker": "x" * 1000}, ["marker"]),
    ],
)  # fmt: skip
def test_a_bad_change_changes_nothing(club: ClubOfCast, change: dict[str, Any], wrong: list[str]) -> None:
    ada = add(club, "Ada")
    add(club, "Bo")
    assert fields(club.write("PATCH", f"/players/{ada}", change)) == wrong
    assert listed(club) == {"Ada": True, "Bo": True}


def test_two_names_turn_out_to_be_one_person(club: ClubOfCast) -> None:
    first = club.match()
    second = club.match(players=["Ada", "Bobby"])
    assert club.write("POST", f"/matches/{second}/rounds", {"after": 0, "went_out": "Bobby", "hands": {"Ada": 20}})
    seats = {seat["player"]: seat["id"] for match in (first, second) for seat in club.document(match)["seats"]}
    answer = club.write("POST", f"/players/{seats['Bobby']}/merge", {"into": seats["Bo"]})
    assert answer.json == {"id": seats["Bo"], "name": "Bo", "active": True}
    assert list(listed(club)) == ["Ada", "Bo", "Cy", "Di"]
    assert club.document(second)["players"] == ["Ada", "Bo"]
    assert club.document(second)["seats"][1]["name_then"] == "Bobby"
    assert club.totals(second) == {"Bo": 20, "Ada": 0}
    # the old name still leads to the person
    assert club.document(club.match(players=["Ada", "bobby"]))["players"] == ["Ada", "Bo"]
    assert fields(club.write("POST", "/players", {"name": "Bobby"})) == ["name"]


def test_the_player_another_turns_out_to_be_may_be_named(club: ClubOfCast) -> None:
    bobby, bo = add(club, "Bobby"), add(club, "Bo")
    answer = club.write("POST", f"/players/{bobby}/merge", {"into": "bo"})
    assert answer.json == {"id": bo, "name": "Bo", "active": True}
    assert fields(club.write("POST", f"/players/{bo}/merge", {"into": "Zoe"})) == ["into"]
    assert fields(club.write("POST", f"/players/{bo}/merge", {"into": "\x00"})) == ["into"]


def test_two_who_sat_at_one_table_are_two_persons(club: ClubOfCast) -> None:
    seats = {seat["player"]: seat["id"] for seat in club.document(club.match())["seats"]}
    assert fields(club.write("POST", f"/players/{seats['Bo']}/merge", {"into": seats["Ada"]})) == ["into"]


def test_a_merge_needs_two_players_of_this_club(club: ClubOfCast, other_club: ClubOfCast) -> None:
    ada, stranger = add(club, "Ada"), add(other_club, "Bo")
    assert fields(club.write("POST", f"/players/{ada}/merge", {"into": stranger})) == ["into"]
    assert fields(club.write("POST", f"/players/{ada}/merge", {"into": ada})) == ["into"]
    assert club.write("POST", f"/players/{stranger}/merge", {"into": ada}).status_code == 404
    assert club.write("PATCH", f"/players/{stranger}", {"active": False}).status_code == 404
    assert listed(other_club) == {"Bo": True}
