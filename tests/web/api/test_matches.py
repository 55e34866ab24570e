"""Beginning, reading, listing and finishing matches."""

from typing import Any

import pytest

from tests.ground.listening import counted
from tests.web.api.conftest import IN, ClubOfCast, fields


def test_a_match_begins_with_what_was_agreed(club: ClubOfCast) -> None:
    agreed = {
        "dealer": "Bo", "target": 300, "deck": "112-blank", "blank_effect": "Everyone draws one.", "blank_points": 20,
        "custom_rules": ["No phones."], "house_rules": ["stack-draw-two"], "name": "Sunday", "location": "Kitchen",
        "note": "Rain.",
    }  # fmt: skip
    match = club.match(**agreed)
    document = club.document(match)
    expected = agreed | {
        "id": match, "status": "in-progress", "rulebook": "classic-500", "count": "points", "drafter": None,
        "players": ["Ada", "Bo", "Cy", "Di"], "winners": [], "rounds": [], "rulings": [], "amendments": [],
    }  # fmt: skip
    assert {key: document[key] for key in expected} == expected
    assert document["standings"][0] == {"player": "Ada", "total": 0, "rank": 1, "needs": 300} | IN


def test_beginning_answers_with_the_document_that_reading_gives(club: ClubOfCast) -> None:
    plan = {"players": ["Ada", "Bo"], "rulebook": "classic-500"}
    answer = club.write("POST", "/matches", plan, status=201)
    again = club.read("GET", f"/matches/{answer.get_json()['id']}")
    assert again.json == answer.get_json()
    assert again.headers["ETag"] == answer.headers["ETag"]
    assert answer.headers["Location"].endswith(f"/api/v1/matches/{answer.get_json()['id']}")


BAD_PLANS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing": ({"players": None, "rulebook": None}, ["players", "rulebook"]),
    "nobody": ({"players": []}, ["players"]),
    "a thousand players": ({"players": [f"P{n}" for n in range(1000)]}, ["players"]),
    "the same name twice": ({"players": ["Ada", "Bo", "ada"]}, ["players[2]"]),
    "two bad names": ({"players": ["", "Bo", "x" * 1000]}, ["players[0]", "players[2]"]),
    "a number for a name": ({"players": ["Ada", 7]}, ["players[1]"]),
    "an unknown rulebook": ({"rulebook": "mau-mau"}, ["rulebook"]),
    "a house rule twice": ({"house_rules": ["jump-in", "jump-in"]}, ["house_rules[1]"]),
    "a fractional target": ({"target": 250.5}, ["target"]),
    "a target in words": ({"target": "500"}, ["target"]),
    "true for a target": ({"target": True}, ["target"]),
    "a dealer who does not play": ({"dealer": "Eve"}, ["dealer"]),
    "a rule of control characters": ({"custom_rules": ["a\0b"]}, ["custom_rules[0]"]),
    "a long rule": ({"custom_rules": ["x" * 1000]}, ["custom_rules[0]"]),
    "a long note": ({"note": "x" * 3000}, ["note"]),
    "many problems at once": (
        {"players": ["Ada"], "target": 0, "house_rules": ["fly"], "dealer": "Eve", "name": "a\0"},
        ["dealer", "house_rules[0]", "name", "players", "target"],
    ),
}


@pytest.mark.parametrize(("plan", "wrong"), BAD_PLANS.values(), ids=BAD_PLANS.keys())
def test_a_bad_plan_is_refused_and_nothing_is_kept(club: ClubOfCast, plan: dict[str, Any], wrong: list[str]) -> None:
    answer = club.write("POST", "/matches", {"players": ["Ada", "Bo"], "rulebook": "classic-500"} | plan)
    assert fields(answer) == wrong
    assert club.read("GET", "/matches").json == {"matches": [], "next": None}
    assert club.read("GET", "/players").json == {"players": []}


def test_a_match_is_sent_again_only_when_it_changed(club: ClubOfCast) -> None:
    match = club.match()
    first = club.read("GET", f"/matches/{match}")
    known = {"If-None-Match": first.headers["ETag"]}
    same = club.read("GET", f"/matches/{match}", headers=known)
    assert (same.status_code, same.get_data()) == (304, b"")
    assert same.headers["ETag"] == first.headers["ETag"]
    weakened = {"If-None-Match": f"W/{first.headers['ETag']}"}  # as a proxy that compresses sends it
    assert club.read("GET", f"/matches/{match}", headers=weakened).status_code == 304
    club.record(match, 0)
    assert club.read("GET", f"/matches/{match}", headers=known).status_code == 200


def test_matches_are_listed_newest_first_page_by_page(club: ClubOfCast) -> None:
    begun = [club.match(players=["Ada", "Bo"]) for _ in range(53)]
    seen: list[str] = []
    following: str | None = "/matches"
    while following:
        answer = club.read("GET", following.removeprefix("/api/v1")).get_json()
        seen += [match["id"] for match in answer["matches"]]
        following = answer["next"]
    assert sorted(seen) == sorted(begun)
    assert seen == sorted(seen, reverse=True)


def test_matches_are_listed_by_player_rulebook_status_and_year(club: ClubOfCast) -> None:
    with_cy = club.match(players=["Ada", "Cy"])
    duo = club.match(players=["Ada", "Bo"], rulebook="duo-200")
    club.write("POST", f"/matches/{duo}/abandon")
    cy = club.document(with_cy)["seats"][1]["id"]
    year = club.document(duo)["started_at"][:4]

    def found(query: str) -> set[str]:
        return {match["id"] for match in club.read("GET", f"/matches?{query}").get_json()["matches"]}

    assert found(f"player={cy}") == {with_cy}
    assert found("player=Cy") == found("player=cy") == {with_cy}
    assert found("player=Di") == set()
    assert found("rulebook=duo-200") == {duo}
    assert found("status=abandoned") == {duo}
    assert found(f"year={year}&status=in-progress") == {with_cy}
    assert found("year=1999") == set()
    assert found("rulebook=mau-mau") == set()
    assert found("search=%00") == found("search=Ada%00") == set()
    assert found("player=&rulebook=&status=&year=&before=") == {with_cy, duo}


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("year=0", "year"), ("year=99999", "year"), ("year=last", "year"), ("year=2_026", "year"),
        ("status=lost", "status"), ("before=x", "before"), ("nobody=1", "nobody"), ("rulebook=" + "x" * 50, "rulebook"),
        ("player=%00", "player"), ("rulebook=%00", "rulebook"),
    ],
)  # fmt: skip
def test_a_filter_that_means_nothing_is_refused(club: ClubOfCast, query: str, wrong: str) -> None:
    assert fields(club.read("GET", f"/matches?{query}")) == [wrong]


def test_finishing_by_hand_lets_the_leader_win(club: ClubOfCast) -> None:
    match = club.match()
    club.record(match, 0)
    answer = club.write("POST", f"/matches/{match}/finish", status=200)
    ended = [answer.get_json()[key] for key in ("status", "winners", "ended_by")]
    assert ended == ["finished", ["Ada"], "by-hand"]
    listed = club.read("GET", "/matches").get_json()
    assert listed["matches"][0]["winners"] == ["Ada"]
    assert listed["matches"][0]["totals"] == {"Ada": 109, "Bo": 0, "Cy": 0, "Di": 0}


def test_nobody_wins_what_was_not_played(club: ClubOfCast) -> None:
    document = club.write("POST", f"/matches/{club.match()}/finish").get_json()
    assert (document["status"], document["winners"]) == ("finished", [])


def test_an_abandoned_match_has_no_winner_and_takes_no_round(club: ClubOfCast) -> None:
    match = club.match()
    club.record(match, 0)
    assert club.write("POST", f"/matches/{match}/abandon").status_code == 200
    assert (club.document(match)["status"], club.document(match)["winners"]) == ("abandoned", [])
    assert fields(club.record(match, 1)) == ["match"]
    assert club.write("POST", f"/matches/{match}/reopen").status_code == 200
    assert club.record(match, 1).status_code == 201


def test_a_target_reached_ends_the_match_and_one_more_round_decides_anew(club: ClubOfCast) -> None:
    match = club.match(target=100)
    answer = club.record(match, 0)
    assert (answer.get_json()["match"]["status"], answer.get_json()["match"]["winners"]) == ("finished", ["Ada"])
    assert fields(club.record(match, 1)) == ["match"]
    assert club.write("POST", f"/matches/{match}/reopen").status_code == 200
    assert (club.document(match)["status"], club.document(match)["winners"]) == ("in-progress", [])
    answer = club.record(match, 1, went_out="Bo", hands={"Ada": 9, "Cy": 50, "Di": 50})
    assert answer.get_json()["match"]["winners"] == ["Ada", "Bo"]
    assert answer.get_json()["match"]["status"] == "finished"


def test_where_high_loses_the_lowest_total_wins(club: ClubOfCast) -> None:
    match = club.match(players=["Ada", "Bo"], rulebook="duo-200", dealer="Ada")
    assert (club.document(match)["dealer"], club.document(match)["drafter"]) == (None, "Ada")
    for after in range(10):
        entry = {"after": after, "went_out": "Ada", "hands": {"Bo": 20}}
        assert club.write("POST", f"/matches/{match}/rounds", entry).status_code == 201
    document = club.document(match)
    assert (document["status"], document["winners"]) == ("finished", ["Ada"])
    assert document["standings"][0] == {"player": "Ada", "total": 0, "rank": 1, "needs": 200} | IN


def test_time_ends_a_match_for_the_one_with_the_fewest_cards(club: ClubOfCast) -> None:
    match = club.match(rulebook="classic-500", house_rules=["time-limit"])
    club.record(match, 0)
    entry = {"ended": "time-limit", "went_out": None, "hands": {}, "cards_left": {"Ada": 5, "Bo": 2, "Cy": 2, "Di": 7}}
    answer = club.record(match, 1, **entry)
    assert answer.status_code == 201, answer.json
    document = club.document(match)
    assert (document["status"], document["ended_by"]) == ("finished", "time-limit")
    assert document["winners"] == ["Bo", "Cy"]
    assert club.totals(match)["Ada"] == 109


def test_a_rematch_keeps_the_agreement_and_moves_the_deal_on(club: ClubOfCast) -> None:
    match = club.match(dealer="Ada", target=100, house_rules=["jump-in"], custom_rules=["No phones."])
    club.record(match, 0)
    again = club.write("POST", f"/matches/{match}/rematch", status=201).get_json()
    assert again["id"] != match
    assert again["rematch_of"] == match
    assert again["dealer"] == "Bo"
    for agreed in ("players", "rulebook", "house_rules", "target", "custom_rules", "deck"):
        assert again[agreed] == club.document(match)[agreed]
    assert again["rounds"] == []


def test_a_rematch_of_a_match_without_end_has_none_either(club: ClubOfCast) -> None:
    match = club.match()
    club.write("POST", f"/matches/{match}/amendments", {"target": None})
    assert club.write("POST", f"/matches/{match}/rematch", status=201).get_json()["target"] is None


def test_a_match_gets_a_name_a_place_and_a_note(club: ClubOfCast) -> None:
    match = club.match()
    change = {"name": "Christmas", "location": "At Di’s", "note": "Snow\nand <i>punch</i>."}
    assert club.write("PATCH", f"/matches/{match}", change).status_code == 200
    document = club.document(match)
    assert {key: document[key] for key in change} == change
    assert fields(club.write("PATCH", f"/matches/{match}", {"name": "x" * 200, "note": "\0"})) == ["name", "note"]
    assert club.document(match)["name"] == "Christmas"


def test_a_long_match_needs_no_more_queries_than_a_short_one(club: ClubOfCast) -> None:
    match = club.match(target=100_000)

    def asked() -> int:
        with counted(club.read.app) as statements:
            club.document(match)
        return len(statements)

    for after in range(3):
        club.record(match, after)
    short = asked()
    for after in range(3, 40):
        club.record(match, after)
    assert asked() == short <= 8
    assert len(club.document(match)["rounds"]) == 40
