"""Correcting, striking and bringing back rounds; who joins, who leaves, what is amended."""

from typing import Any

import pytest

from tests.web.api.conftest import ADA_GOES_OUT, ClubOfCast, fields

BO_GOES_OUT: dict[str, Any] = {"went_out": "Bo", "hands": {"Ada": 20, "Cy": ["3"], "Di": ["1"]}}


@pytest.fixture
def match(club: ClubOfCast) -> str:
    """A match with three rounds, all won by Ada with 109."""
    match = club.match()
    for after in range(3):
        assert club.record(match, after).status_code == 201
    return match


def rounds(club: ClubOfCast, match: str) -> list[str]:
    """Give the ids of the live rounds, in order."""
    return [view["id"] for view in club.document(match)["rounds"]]


def test_a_correction_is_a_new_version(club: ClubOfCast, match: str) -> None:
    second = rounds(club, match)[1]
    answer = club.write("PUT", f"/matches/{match}/rounds/{second}", BO_GOES_OUT, headers=club.etag(match), status=200)
    assert answer.json == club.document(match)
    assert answer.headers["ETag"] == club.etag(match)["If-Match"]
    assert club.totals(match) == {"Ada": 218, "Bo": 24, "Cy": 0, "Di": 0}
    assert [view["version"] for view in club.document(match)["rounds"]] == [1, 2, 1]
    versions = club.read("GET", f"/matches/{match}/rounds/{second}/history").get_json()
    assert [version["went_out"] for version in versions["versions"]] == ["Ada", "Bo"]
    assert [version["points"]["Bo"] for version in versions["versions"]] == [0, 24]
    assert versions["versions"][0]["hands"] == ADA_GOES_OUT["hands"]
    assert {version["entered_by"] for version in versions["versions"]} == {"First phone"}


def test_a_struck_round_counts_no_more_and_comes_back_in_its_place(club: ClubOfCast, match: str) -> None:
    first, second, third = rounds(club, match)
    club.write("PUT", f"/matches/{match}/rounds/{second}", BO_GOES_OUT, headers=club.etag(match))
    assert club.write("DELETE", f"/matches/{match}/rounds/{second}", headers=club.etag(match)).status_code == 200
    assert rounds(club, match) == [first, third]
    assert [view["number"] for view in club.document(match)["rounds"]] == [1, 2]
    assert club.totals(match) == {"Ada": 218, "Bo": 0, "Cy": 0, "Di": 0}
    with_struck = club.document(match, "?struck=1")["rounds"]
    assert [(view["number"], view["struck"]) for view in with_struck] == [(1, False), (None, True), (2, False)]
    assert club.record(match, 2).status_code == 201
    assert club.write("POST", f"/matches/{match}/rounds/{second}/restore", headers=club.etag(match)).status_code == 200
    assert rounds(club, match)[:3] == [first, second, third]
    assert [view["number"] for view in club.document(match)["rounds"]] == [1, 2, 3, 4]
    assert club.totals(match) == {"Ada": 327, "Bo": 24, "Cy": 0, "Di": 0}


def test_striking_twice_changes_nothing_more(club: ClubOfCast, match: str) -> None:
    second = rounds(club, match)[1]
    for _ in range(2):
        assert club.write("DELETE", f"/matches/{match}/rounds/{second}", headers=club.etag(match)).status_code == 200
    history = club.read("GET", f"/matches/{match}/rounds/{second}/history").get_json()
    assert [version["struck"] for version in history["versions"]] == [False, True]


def test_a_struck_round_is_brought_back_before_it_is_corrected(club: ClubOfCast, match: str) -> None:
    second = rounds(club, match)[1]
    club.write("DELETE", f"/matches/{match}/rounds/{second}", headers=club.etag(match))
    answer = club.write("PUT", f"/matches/{match}/rounds/{second}", BO_GOES_OUT, headers=club.etag(match))
    assert fields(answer) == ["round"]


def test_an_impossible_correction_leaves_the_round_as_it_was(club: ClubOfCast, match: str) -> None:
    before = club.document(match)
    wrong = {"went_out": "Bo", "hands": {"Ada": 20, "Bo": ["7"], "Cy": ["joker"]}}
    answer = club.write("PUT", f"/matches/{match}/rounds/{rounds(club, match)[1]}", wrong, headers=club.etag(match))
    assert fields(answer) == ["hands.Bo", "hands.Cy[0]", "hands.Di"]
    assert club.document(match) == before


@pytest.mark.parametrize(
    ("method", "suffix", "body"), [("PUT", "", BO_GOES_OUT), ("DELETE", "", None), ("POST", "/restore", None)]
)
def test_a_change_needs_the_newest_state_seen(
    club: ClubOfCast, match: str, method: str, suffix: str, body: dict[str, Any] | None
) -> None:
    path = f"/matches/{match}/rounds/{rounds(club, match)[1]}{suffix}"
    before = club.document(match)
    old = club.etag(match)
    assert club.write(method, path, body).status_code == 428
    assert club.write(method, path, body, headers={"If-Match": '"something-else"'}).status_code == 412
    assert club.document(match) == before
    club.record(match, 3)
    assert club.write(method, path, body, headers=old).status_code == 412
    weakened = {"If-Match": f"W/{club.etag(match)['If-Match']}"}
    assert club.write(method, path, body, headers=weakened).status_code == 200


def test_a_round_of_another_match_is_not_found(club: ClubOfCast, match: str, other_club: ClubOfCast) -> None:
    other = club.match()
    path = f"/matches/{other}/rounds/{rounds(club, match)[0]}"
    assert club.write("PUT", path, BO_GOES_OUT, headers=club.etag(other)).status_code == 404
    assert club.write("DELETE", path, headers=club.etag(other)).status_code == 404
    assert club.read("GET", f"{path}/history").status_code == 404
    assert other_club.read("GET", f"/matches/{match}/rounds/{rounds(club, match)[0]}/history").status_code == 404


def test_a_correction_may_reopen_a_match_and_another_end_it(club: ClubOfCast) -> None:
    match = club.match(target=300)
    for after in range(3):
        club.record(match, after)
    assert (club.document(match)["status"], club.document(match)["winners"]) == ("finished", ["Ada"])
    third = rounds(club, match)[2]
    club.write("PUT", f"/matches/{match}/rounds/{third}", BO_GOES_OUT, headers=club.etag(match))
    assert (club.document(match)["status"], club.document(match)["winners"]) == ("in-progress", [])
    assert club.document(match)["finished_at"] is None
    club.write("PUT", f"/matches/{match}/rounds/{third}", dict(ADA_GOES_OUT), headers=club.etag(match))
    assert (club.document(match)["status"], club.document(match)["winners"]) == ("finished", ["Ada"])


def test_a_match_finished_by_hand_stays_so_after_a_correction(club: ClubOfCast, match: str) -> None:
    club.write("POST", f"/matches/{match}/finish")
    for played in rounds(club, match):
        club.write("PUT", f"/matches/{match}/rounds/{played}", BO_GOES_OUT, headers=club.etag(match))
    assert (club.document(match)["status"], club.document(match)["winners"]) == ("finished", ["Bo"])


def test_somebody_joins_with_an_agreed_total(club: ClubOfCast, match: str) -> None:
    assert club.write("POST", f"/matches/{match}/players", {"player": "Eve", "total": 60}).status_code == 201
    document = club.document(match)
    assert document["players"] == ["Ada", "Bo", "Cy", "Di", "Eve"]
    assert document["seats"][4] | {"id": ""} == {
        "id": "", "player": "Eve", "name_then": "Eve", "here": True, "opening_total": 60,
        "marker": "red-square",
    }  # fmt: skip
    assert club.totals(match)["Eve"] == 60
    hands = {**ADA_GOES_OUT["hands"], "Eve": ["5"]}
    assert fields(club.record(match, 3)) == ["hands.Eve"]
    assert club.record(match, 3, hands=hands).status_code == 201
    # the rounds before know nothing of Eve
    first = rounds(club, match)[0]
    path = f"/matches/{match}/rounds/{first}"
    refused = club.write("PUT", path, {"went_out": "Ada", "hands": hands}, headers=club.etag(match))
    assert fields(refused) == ["hands.Eve"]
    assert club.write("PUT", path, BO_GOES_OUT, headers=club.etag(match)).status_code == 200


def test_somebody_leaves_and_what_they_scored_stays(club: ClubOfCast, match: str) -> None:
    seats = {seat["player"]: seat["id"] for seat in club.document(match)["seats"]}
    assert club.write("DELETE", f"/matches/{match}/players/{seats['Ada']}").status_code == 200
    document = club.document(match)
    assert document["players"] == ["Bo", "Cy", "Di"]
    assert document["rounds"][0]["points"]["Ada"] == 109
    assert [line["player"] for line in document["standings"]] == ["Bo", "Cy", "Di"]
    assert fields(club.record(match, 3)) == ["went_out"]
    bo = {"went_out": "Bo", "hands": {"Cy": ["3"], "Di": ["1"]}}
    assert club.record(match, 3, **bo).status_code == 201
    club.write("POST", f"/matches/{match}/finish")
    assert club.document(match)["winners"] == ["Bo"]


def test_somebody_who_left_comes_back(club: ClubOfCast, match: str) -> None:
    ada = club.document(match)["seats"][0]["id"]
    club.write("DELETE", f"/matches/{match}/players/{ada}")
    club.record(match, 3, went_out="Bo", hands={"Cy": ["3"], "Di": ["1"]})
    assert club.write("POST", f"/matches/{match}/players", {"player": "Ada", "total": 300}).status_code == 201
    assert club.document(match)["players"] == ["Ada", "Bo", "Cy", "Di"]
    assert club.totals(match) == {"Ada": 300, "Bo": 4, "Cy": 0, "Di": 0}
    # the round played without Ada is corrected without Ada
    fourth = rounds(club, match)[3]
    change = {"went_out": "Cy", "hands": {"Bo": ["9"], "Di": ["1"]}}
    assert club.write("PUT", f"/matches/{match}/rounds/{fourth}", change, headers=club.etag(match)).status_code == 200
    assert club.record(match, 4).status_code == 201
    assert club.totals(match)["Ada"] == 409


@pytest.mark.parametrize(
    ("body", "wrong"),
    [({"player": "Ada", "total": 0}, ["player"]), ({"player": "ada", "total": 0}, ["player"]),
     ({"player": "", "total": -5}, ["player", "total"]), ({"player": "Eve", "total": 10**9}, ["total"]),
     ({"player": "Eve", "total": "much"}, ["total"]), ({"player": "Eve"}, ["total"]), ({}, ["player", "total"])],
)  # fmt: skip
def test_a_bad_joiner_is_refused(club: ClubOfCast, match: str, body: dict[str, Any], wrong: list[str]) -> None:
    assert fields(club.write("POST", f"/matches/{match}/players", body)) == wrong
    assert club.document(match)["players"] == ["Ada", "Bo", "Cy", "Di"]


def test_nobody_joins_a_rulebook_for_two(club: ClubOfCast) -> None:
    match = club.match(players=["Ada", "Bo"], rulebook="duo-200")
    assert fields(club.write("POST", f"/matches/{match}/players", {"player": "Cy", "total": 0})) == ["player"]
    ada = club.document(match)["seats"][0]["id"]
    assert fields(club.write("DELETE", f"/matches/{match}/players/{ada}")) == ["player"]


def test_the_deal_goes_on_when_the_table_grows(club: ClubOfCast) -> None:
    match = club.match(dealer="Ada")
    club.record(match, 0)
    club.record(match, 1)
    assert club.document(match)["dealer"] == "Cy"
    club.write("POST", f"/matches/{match}/players", {"player": "Eve", "total": 0})
    assert club.document(match)["dealer"] == "Cy"
    club.write("DELETE", f"/matches/{match}/players/{club.document(match)['seats'][2]['id']}")
    assert club.document(match)["dealer"] == "Di"


def test_an_amendment_holds_from_the_next_round_on(club: ClubOfCast) -> None:
    match = club.match(rulebook="official")
    club.record(match, 0)
    change = {"house_rules": ["own-points-500"], "target": 200, "custom_rules": ["No phones."], "note": "All agreed."}
    club.write("POST", f"/matches/{match}/amendments", change, status=201)
    document = club.document(match)
    assert document["amendments"][0] | {"at": ""} == change | {"at": "", "from_round": 2}
    assert (document["target"], document["house_rules"]) == (200, ["own-points-500"])
    club.record(match, 1)
    assert [view["points"] for view in club.document(match)["rounds"]] == [
        {"Ada": 109, "Bo": 0, "Cy": 0, "Di": 0},
        {"Ada": 0, "Bo": 77, "Cy": 12, "Di": 20},
    ]
    # a round from before is corrected under what was agreed then
    first = rounds(club, match)[0]
    club.write("PUT", f"/matches/{match}/rounds/{first}", BO_GOES_OUT, headers=club.etag(match))
    assert club.document(match)["rounds"][0]["points"] == {"Ada": 0, "Bo": 24, "Cy": 0, "Di": 0}


def test_an_amendment_may_take_the_target_away_or_leave_it(club: ClubOfCast, match: str) -> None:
    club.write("POST", f"/matches/{match}/amendments", {"custom_rules": ["No phones."]})
    assert (club.document(match)["target"], club.document(match)["custom_rules"]) == (500, ["No phones."])
    club.write("POST", f"/matches/{match}/amendments", {"target": None})
    assert (club.document(match)["target"], club.document(match)["custom_rules"]) == (None, ["No phones."])
    for after in range(3, 8):
        club.record(match, after)
    assert club.document(match)["status"] == "in-progress"


def test_an_amendment_may_change_the_number_of_rounds_and_the_worth_of_cards(club: ClubOfCast) -> None:
    match = club.match(rulebook="official", deck="112-swap", rounds_to_play=9)
    hand = {"went_out": "Ada", "hands": {"Bo": ["wild-swap-hands"], "Cy": ["1"], "Di": ["1"]}}
    club.record(match, 0, **hand)
    assert fields(club.write("POST", f"/matches/{match}/amendments", {"rounds_to_play": 1})) == ["rounds_to_play"]
    change = {"rounds_to_play": 2, "face_points": {"wild-swap-hands": 50}}
    assert club.write("POST", f"/matches/{match}/amendments", change).status_code == 201
    document = club.document(match)
    assert (document["rounds_to_play"], document["amendments"][0]["face_points"]) == (2, {"wild-swap-hands": 50})
    club.record(match, 1, **hand)
    document = club.document(match)
    assert [view["points"]["Ada"] for view in document["rounds"]] == [42, 52]
    assert (document["status"], document["winners"]) == ("finished", ["Ada"])


def test_teams_stay_as_they_are(club: ClubOfCast) -> None:
    match = club.match(rulebook="partners")
    teams = club.document(match)["teams"]
    change = {"teams": [["Ada", "Bo"], ["Cy", "Di"]]}
    assert fields(club.write("POST", f"/matches/{match}/amendments", change)) == ["teams"]
    other: dict[str, Any] = {"rounds_to_play": None, "target": 300}
    assert club.write("POST", f"/matches/{match}/amendments", other).status_code == 201
    assert club.document(match)["teams"] == teams


@pytest.mark.parametrize(
    ("change", "wrong"),
    [({}, ["body"]), ({"target": 0}, ["target"]), ({"house_rules": ["fly"]}, ["house_rules[0]"]),
     ({"house_rules": ["jump-in", "jump-in"], "note": "\0"}, ["house_rules[1]", "note"]),
     ({"custom_rules": "No phones."}, ["custom_rules"]), ({"deck": "112-blank"}, ["deck"])],
)  # fmt: skip
def test_a_bad_amendment_is_refused(club: ClubOfCast, match: str, change: dict[str, Any], wrong: list[str]) -> None:
    assert fields(club.write("POST", f"/matches/{match}/amendments", change)) == wrong
    assert club.document(match)["amendments"] == []


@pytest.mark.parametrize("path", ["players", "amendments"])
def test_a_match_that_is_over_is_not_changed(club: ClubOfCast, match: str, path: str) -> None:
    club.write("POST", f"/matches/{match}/finish")
    body = {"player": "Eve", "total": 0} if path == "players" else {"note": "No more."}
    assert fields(club.write("POST", f"/matches/{match}/{path}", body)) == ["match"]


@pytest.mark.parametrize("read", ["", "?lang=de", "?lang=de&struck=1"])
@pytest.mark.parametrize("written", ["", "?lang=de", "?lang=nl"])
def test_a_match_is_corrected_in_another_language_than_it_was_read_in(
    club: ClubOfCast, read: str, written: str
) -> None:
    match = club.match()
    club.record(match, 0)
    newest = {"If-Match": club.read("GET", f"/matches/{match}{read}").headers["ETag"]}
    path = f"/matches/{match}/rounds/{rounds(club, match)[0]}{written}"
    assert club.write("PUT", path, BO_GOES_OUT, headers=newest).status_code == 200
    assert club.write("PUT", path, BO_GOES_OUT, headers=newest).status_code == 412
