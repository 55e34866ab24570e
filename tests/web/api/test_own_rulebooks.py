"""A club's own rulebooks by the JSON interface: saved by version, used wherever an id stands, shared, as a file."""

import json
from typing import Any

import pytest
from flask import Flask

from referee.records.errors import MOST_OWN_RULEBOOKS
from referee.rules.books.settings import KNOCKED_OUT_AT
from referee.rules.own.rulebook import MOST_RULES
from tests.rules.test_own_rulebooks import KITCHEN
from tests.web.api.conftest import Api, ClubOfCast, NewClub, fields

MISSED = {"cards_left": 1, "said": "never", "caught": True, "next_turn_begun": False}


@pytest.fixture
def books(club: ClubOfCast) -> str:
    """The address of the club's own rulebooks."""
    return f"/clubs/{club.id}/rulebooks"


def made(club: ClubOfCast, **parts: Any) -> dict[str, Any]:
    """Make a rulebook of the club's own; return its document."""
    answer = club.write("POST", f"/clubs/{club.id}/rulebooks", KITCHEN | parts, status=201)
    return dict(answer.json)  # type: ignore[arg-type]


def test_a_rulebook_is_made_and_given_as_it_was(club: ClubOfCast, books: str) -> None:
    answer = club.write("POST", books, KITCHEN)
    document = answer.get_json()
    assert {key: document[key] for key in KITCHEN} == KITCHEN
    assert (document["version"], document["problems"]) == (1, [])
    assert set(document["differs"]) == {
        "target", "points-wild", "uno-penalty", "stacking-draw-two", "stack-total", "own-1",
    }  # fmt: skip
    assert document["document"]["id"] == document["id"]
    again = club.read("GET", f"{books}/{document['id']}")
    assert (again.json, again.headers["ETag"]) == (document, answer.headers["ETag"])
    assert club.read("GET", books).get_json()["rulebooks"] == [
        {key: document[key] for key in ("id", "version", "title", "base", "differs", "problems", "changed_at")}
    ]
    known = {"If-None-Match": again.headers["ETag"]}
    assert club.read("GET", f"{books}/{document['id']}", headers=known).status_code == 304


def test_a_match_stays_with_the_version_it_was_agreed_on(club: ClubOfCast, books: str) -> None:
    own = made(club)
    match = club.match(rulebook=own["id"])
    before = club.document(match)
    assert (before["rulebook"], before["rulebook_title"], before["target"]) == (own["id"], "Kitchen rules", 300)
    assert before["house_rules"] == ["stack-draw-two"]
    address = f"{books}/{own['id']}"
    etag = club.read("GET", address).headers["ETag"]
    changed = KITCHEN | {"title": "Kitchen II", "changes": {"target": {"target": 200}}}
    assert club.write("PUT", address, changed).status_code == 428
    answer = club.write("PUT", address, changed, headers={"If-Match": etag})
    assert (answer.get_json()["version"], answer.get_json()["title"]) == (2, "Kitchen II")
    assert club.write("PUT", address, changed, headers={"If-Match": etag}).status_code == 412
    club.record(match, 0, hands={"Bo": ["wild"], "Cy": ["7"], "Di": ["7"]})
    after = club.document(match)
    assert (after["rulebook_digest"], after["target"]) == (before["rulebook_digest"], 300)
    assert club.totals(match)["Ada"] == 54
    assert club.document(club.match(rulebook=own["id"]))["target"] == 200
    newest = {"If-Match": answer.headers["ETag"]}
    assert club.write("DELETE", address, headers=newest).status_code == 204
    assert club.read("GET", address).status_code == 404
    club.record(match, 1)
    assert len(club.document(match)["rounds"]) == 2
    assert fields(club.write("POST", "/matches", {"players": ["Ada", "Bo"], "rulebook": own["id"]})) == ["rulebook"]
    again = club.write("POST", f"/matches/{match}/rematch")
    assert again.get_json()["rulebook_digest"] == before["rulebook_digest"]
    amended = club.write("POST", f"/matches/{match}/amendments", {"house_rules": ["jump-in"]})
    assert (amended.get_json()["house_rules"], amended.get_json()["target"]) == (["jump-in"], 300)


def test_the_id_stands_wherever_a_rulebook_is_named(club: ClubOfCast) -> None:
    own = made(club)["id"]
    case = {"dispute": "uno-call", "rulebook": own, "facts": MISSED}
    ruled = club.read("POST", "/hearings", case).get_json()
    assert ruled["outcome"]["penalty_cards"] == 4
    assert {each["cite"]: each["replaces"]["text"] for each in ruled["steps"] if each["clause"] == "uno-penalty"} == {
        "Your table’s rule": "Whoever is caught draws 2 cards."
    }
    entry = {"rulebook": own, "went_out": "Ada", "hands": {"Bo": ["wild"]}}
    assert club.read("POST", "/score", entry).get_json()["points"]["Ada"] == 40
    found = club.read("GET", f"/rules?q=how+many+points+is+a+wild+worth&rulebook={own}").get_json()
    assert found["results"][0]["text"] == "A Wild is worth 40 points."
    shown = club.read("GET", f"/rulebooks/{own}").get_json()
    assert (shown["target"], shown["card_points"]["wild"]) == (300, 40)
    for path, body in (("/hearings", case), ("/score", entry)):
        assert fields(club.stranger("POST", path, body)) == ["rulebook"]


def test_the_rulebook_of_another_club_is_none_of_ours(club: ClubOfCast, new_club: NewClub) -> None:
    own, other = made(club), new_club("Mondays")
    assert other.write("GET", f"/clubs/{other.id}/rulebooks/{own['id']}").status_code == 404
    assert fields(other.write("POST", "/matches", {"players": ["Ada", "Bo"], "rulebook": own["id"]})) == ["rulebook"]


def test_every_problem_is_said_and_nothing_is_saved(club: ClubOfCast, books: str) -> None:
    wrong = KITCHEN | {"title": "", "changes": {"target": {"target": "x"}, "hue": {}}, "house_rules": ["chess"]}
    refused = club.write("POST", books, wrong)
    assert set(fields(refused)) == {"title", "changes.target.target", "changes.hue", "house_rules[0]"}
    checked = club.stranger("POST", "/rulebooks/check", wrong)
    assert {each["field"] for each in checked.get_json()["problems"]} == set(fields(refused))
    assert fields(club.stranger("POST", "/rulebooks/check", wrong | {"extra": 1})) == ["extra"]
    assert club.stranger("POST", "/rulebooks/check", KITCHEN).json == {"problems": [], "warnings": []}
    asked = club.stranger("POST", "/rulebooks/check", KITCHEN | {"clauses": ["A Wild is worth 45."]}).get_json()
    assert ([each["field"] for each in asked["warnings"]], asked["problems"]) == (["clauses[0]"], [])
    assert club.read("GET", books).json == {"rulebooks": []}
    hidden = club.stranger("POST", "/rulebooks/check", KITCHEN | {"title": "a\u202eb"}).json
    assert [each["field"] for each in hidden["problems"]] == ["title"]  # type: ignore[index]


def test_what_is_too_large_is_refused(club: ClubOfCast, books: str) -> None:
    long = KITCHEN | {"clauses": ["語" * 700] * 50}
    assert fields(club.write("POST", books, long)) == ["clauses"]
    assert club.stranger("POST", "/rulebooks/check", long | {"title": "x" * 70_000}).status_code == 413


def test_a_club_has_room_for_fifty(app: Flask, club: ClubOfCast, books: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.records.club.own_rulebooks.MOST_OWN_RULEBOOKS", 2)
    first = made(club)
    made(club)
    assert fields(club.write("POST", books, KITCHEN)) == ["rulebook"]
    etag = {"If-Match": club.read("GET", f"{books}/{first['id']}").headers["ETag"]}
    club.write("DELETE", f"{books}/{first['id']}", headers=etag)
    made(club)


def test_a_page_reads_none_of_fifty_long_rulebooks_again(club: ClubOfCast, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(MOST_OWN_RULEBOOKS):
        own = made(club, clauses=[f"{place} " + "x" * 900 for place in range(MOST_RULES)])
    assert club.read("GET", f"/rules?rulebook={own['id']}&q=uno").status_code == 200
    monkeypatch.delattr("referee.records.club.own_rulebooks._made_of")
    for path in ("/rulebooks/{id}", "/rules?rulebook={id}&q=uno", f"/clubs/{club.id}/rulebooks"):
        assert club.read("GET", path.format(id=own["id"])).status_code == 200, path


def test_a_file_comes_back_as_the_same_rulebook(club: ClubOfCast, new_club: NewClub, books: str) -> None:
    file = club.read("GET", f"{books}/{made(club)['id']}.toml")
    assert file.mimetype == "application/toml"
    other = new_club("Mondays")
    taken = other.write("POST", f"/clubs/{other.id}/rulebooks", {"toml": file.text}).get_json()
    assert {key: taken[key] for key in KITCHEN} == KITCHEN
    line = file.text.splitlines().index("target = 300") + 1
    wrong = club.stranger("POST", "/rulebooks/check", {"toml": file.text.replace("= 300", "= -3")}).get_json()
    assert wrong["problems"] == [
        {"field": "changes.target.target", "message": f"Line {line}: Give a whole number, 0 or more."}
    ]


def test_a_link_shows_it_until_it_is_closed(app: Flask, club: ClubOfCast, books: str) -> None:
    address = f"{books}/{made(club)['id']}/share"
    link = club.write("POST", address).get_json()["link"]
    assert club.write("POST", address).json == {"link": link}
    path = "/" + link.split("/", 3)[-1]
    assert "A Wild is worth 40 points." in app.test_client().get(path, status=200).text
    assert club.write("DELETE", address).status_code == 204
    assert app.test_client().get(path).status_code == 404


def test_a_link_dies_with_the_key_that_made_it(app: Flask, club: ClubOfCast, books: str) -> None:
    key = club.write("POST", "/keys", {"role": "scorekeeper", "name": "Lost phone"}).get_json()
    lost = Api(app, key["key"])
    path = "/" + lost("POST", f"{books}/{made(club)['id']}/share").get_json()["link"].split("/", 3)[-1]
    assert app.test_client().get(path).status_code == 200
    club.write("DELETE", f"/keys/{key['id']}")
    assert app.test_client().get(path).status_code == 404


BOXES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, int]]] = {
    "flip": ({"points-actions": {"face_points": {"draw-five": 25, "flip": 20}}, "card-draw-five": {"card_draws": 6}},
             {"side": "dark", "hands": {"Bo": ["draw-five"], "Cy": ["teal-flip"], "Di": ["9"]}},
             {"Ada": 25 + 20 + 9, "Bo": 0}),
    "no-mercy": ({KNOCKED_OUT_AT.question: {"knocked_out_at": 20}, "who-scores": {"knock_out_bonus": 100}},
                 {"knocked_out": ["Cy"], "hands": {"Bo": ["7"], "Di": ["5"]}}, {"Ada": 7 + 5 + 100, "Cy": 0}),
    "partners": ({"who-scores": {"partner_hand_counts": True}}, {"hands": {"Bo": ["5"], "Cy": ["9"], "Di": ["skip"]}},
                 {"Ada": 5 + 9 + 20, "Cy": 0}),
    "challenge-500": ({"target": {"target": 50}}, {"hands": {"Bo": ["wild"], "Cy": ["9"], "Di": ["skip"]}},
                      {"Ada": 0, "Bo": 50, "Cy": 9, "Di": 20}),
}  # fmt: skip


def test_a_rulebook_of_any_box_is_the_base(club: ClubOfCast, books: str) -> None:
    for base, (changes, played, points) in BOXES.items():
        own = made(club, base=base, changes=changes, clauses=[], house_rules=[])
        plan: dict[str, Any] = {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": own["id"]}
        priced = {"draw-one": 10, "reverse": 20, "skip": 20, "skip-everyone": 30}
        started = club.write("POST", "/matches", plan | ({"face_points": priced} if base == "flip" else {}))
        assert started.status_code == 201, (base, started.json)
        match = started.get_json()["id"]
        scored = club.write("POST", f"/matches/{match}/rounds", {"after": 0, "went_out": "Ada"} | played)
        assert scored.status_code == 201, (base, scored.json)
        brought = scored.get_json()["round"]["points"]
        assert {name: brought[name] for name in points} == points, base
    out = {each["player"]: each["out"] for each in club.document(match)["standings"]}
    assert out == {"Ada": False, "Bo": True, "Cy": False, "Di": False}
    stacked = made(club, base="flip", changes={"card-draw-five": {"card_draws": 6}}, clauses=[], house_rules=[])
    facts = {"players": 4, "played": "pink-draw-five"}
    case = {"dispute": "played-card-effect", "rulebook": stacked["id"], "facts": facts}
    assert club.read("POST", "/hearings", case).get_json()["outcome"]["draws"] == 6


# --- out of the app and back in ----------------------------------------------------------------------


def test_a_club_takes_its_rulebooks_along(club: ClubOfCast, new_club: NewClub, books: str) -> None:
    own = made(club)
    match = club.match(rulebook=own["id"])
    club.record(match, 0)
    exported = club.read("GET", "/export").data
    other = new_club("Mondays")
    for _ in range(2):
        other.write("POST", "/import", data=exported, content_type="application/json", status=200)
        assert json.loads(other.read("GET", "/export").data) == json.loads(exported) | {"club": {"name": "Mondays"}}
    assert other.read("GET", f"/clubs/{other.id}/rulebooks/{own['id']}").json == own
    assert other.document(match)["rulebook_title"] == "Kitchen rules"
    assert other.record(match, 1).status_code == 201


def test_a_rulebook_changed_by_hand_is_refused_by_its_field(club: ClubOfCast, new_club: NewClub) -> None:
    made(club)
    exported = json.loads(club.read("GET", "/export").data)
    other = new_club("Mondays")
    for part, value, field in (
        ("document", KITCHEN | {"base": "x"}, "own_rulebooks[0].document.base"),
        ("version", 0, "own_rulebooks[0].version"),
        ("id", "Ä", "own_rulebooks[0].id"),
    ):
        broken = exported | {"own_rulebooks": [exported["own_rulebooks"][0] | {part: value}]}
        assert fields(other.write("POST", "/import", broken)) == [field]
    assert other.read("GET", f"/clubs/{other.id}/rulebooks").json == {"rulebooks": []}


# --- house scorings ----------------------------------------------------------------------------------


def test_a_match_of_three_rounds_for_rank_with_a_handicap_in_its_rematch(club: ClubOfCast, new_club: NewClub) -> None:
    scoring = {"awards": "by-rank", "rank_points": [10, 6, 3], "opening_total": 100, "rematch_handicap": 20}
    changes = {"who-scores": scoring, "target": {"target": None, "rounds_to_play": 3}}
    match = club.match(rulebook=made(club, changes=changes)["id"])
    assert club.totals(match) == {"Ada": 100, "Bo": 100, "Cy": 100, "Di": 100}
    for after in range(3):
        club.record(match, after)
    assert club.totals(match) == {"Ada": 130, "Bo": 100, "Cy": 118, "Di": 109}
    document = club.document(match)
    assert (document["status"], document["winners"]) == ("finished", ["Ada"])
    exported = club.read("GET", "/export").data
    assert (
        new_club("Mondays").write("POST", "/import", data=exported, content_type="application/json").status_code == 200
    )
    again = club.write("POST", f"/matches/{match}/rematch").get_json()
    assert club.totals(again["id"]) == {"Ada": 80, "Bo": 100, "Cy": 100, "Di": 100}


def test_points_may_be_lost(club: ClubOfCast) -> None:
    changes = {"who-scores": {"awards": "own-points-off"}, "target": {"target": None}}
    match = club.match(rulebook=made(club, changes=changes)["id"])
    club.record(match, 0)
    assert club.totals(match) == {"Ada": 0, "Bo": -77, "Cy": -12, "Di": -20}
    club.write("POST", f"/matches/{match}/finish")
    assert club.document(match)["winners"] == ["Ada"]
    assert club.read("GET", "/statistics").status_code == 200
