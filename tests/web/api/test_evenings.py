"""Evenings as programs open, draw and end them: what they answer, what is refused, and who may."""

from collections.abc import Mapping
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.ground.record import faults, rows
from tests.web.api.conftest import Api, ClubOfCast, NewClub, fields

pytestmark = pytest.mark.usefixtures("database")

Document = dict[str, Any]
SIX = ["Ada", "Bo", "Cy", "Di", "Ed", "Flo"]
PLAN: Mapping[str, Any] = {
    "name": "Autumn cup", "rulebook": "classic-500", "rounds_to_play": 1, "size": 3, "draws": 2, "names": SIX,
}  # fmt: skip


def open_evening(club: ClubOfCast, **plan: Any) -> Document:
    found: Document = club.write("POST", "/evenings", {**PLAN, **plan}).get_json()
    assert "id" in found, found
    return found


def send(club: ClubOfCast, evening: Document, path: str, body: Any = None, method: str = "POST") -> TestResponse:
    return club.write(method, f"/evenings/{evening['id']}{path}", body)


def draw(club: ClubOfCast, evening: Document, after: int = 0, **more: Any) -> Document:
    answer = send(club, evening, "/draws", {"after": after, "number": 7, **more})
    assert answer.status_code == 201, answer.json
    found: Document = answer.get_json()
    return found


def play(club: ClubOfCast, evening: Document) -> Document:
    """Play a round at each table, which the first by name wins; return the evening."""
    names = {one["player"]: one["name"] for one in evening["people"]}
    for table in evening["tables"]:
        first, *others = sorted(names[id] for id in table["players"])
        entry = {"after": 0, "went_out": first, "hands": {name: ["1"] for name in others}}
        assert club.write("POST", f"/matches/{table['match']}/rounds", entry).status_code == 201
    found: Document = club.read("GET", f"/evenings/{evening['id']}").get_json()
    return found


def test_an_evening_is_opened_drawn_played_and_ended(app: Flask, club: ClubOfCast) -> None:
    opened = club.write("POST", "/evenings", PLAN)
    assert opened.status_code == 201
    evening = opened.get_json()
    assert opened.headers["Location"].endswith(f"/api/v1/evenings/{evening['id']}")
    assert evening["plan"] == {"rulebook": "classic-500", "rounds_to_play": 1, "size": 3, "draws": 2}
    assert [one["name"] for one in evening["people"]] == SIX
    assert (evening["status"], evening["name"]) == ("open", "Autumn cup")
    drawn = draw(club, evening)
    assert [len(table["players"]) for table in drawn["tables"]] == [3, 3]
    assert drawn["draws"][0]["matches"] == {str(table["table"]): table["match"] for table in drawn["tables"]}
    assert drawn["draws"][0]["input"]["players"] == sorted(one["player"] for one in evening["people"])
    assert {table["status"] for table in drawn["tables"]} == {"in-progress"}
    played = play(club, drawn)
    assert {(table["status"], table["rounds"]) for table in played["tables"]} == {("finished", 1)}
    assert [line["place"] for line in played["standings"]] == [1, 1, 3, 3, 3, 3]
    assert "champions" in played
    assert played["champions"] == []
    second = play(club, draw(club, played, 1))
    assert {again["times"] for again in second["again"]} == {1}
    ended = send(club, evening, "/end", {})
    assert ended.status_code == 200
    assert ended.get_json()["champions"] == [line["name"] for line in second["standings"] if line["place"] == 1]
    assert send(club, evening, "/end", {}).get_json() == ended.get_json()
    (listed,) = club.read("GET", "/evenings").get_json()["evenings"]
    assert (listed["id"], listed["status"]) == (evening["id"], "ended")
    assert faults(app) == []


def test_people_come_and_go_and_a_draw_is_undone(club: ClubOfCast) -> None:
    evening = draw(club, open_evening(club))
    came = send(club, evening, "/people", {"names": ["Zoe"], "guest": True})
    assert came.status_code == 201
    zoe = next(one for one in came.get_json()["people"] if one["name"] == "Zoe")
    assert (zoe["guest"], zoe["from_draw"]) == (True, 2)
    gone = send(club, evening, f"/people/{zoe['player']}", method="DELETE")
    assert gone.status_code == 200
    assert next(one for one in gone.get_json()["people"] if one["name"] == "Zoe")["until_draw"] == 2
    undone = send(club, evening, "/draws/1", method="DELETE")
    assert undone.status_code == 200
    assert (undone.get_json()["draws"], undone.get_json()["tables"]) == ([], [])
    assert club.read("GET", "/matches").get_json()["matches"] == []
    again = draw(club, evening)
    assert [table["players"] for table in again["tables"]] == [table["players"] for table in evening["tables"]]


def test_an_evening_is_deleted_and_restored_and_its_matches_stay(app: Flask, club: ClubOfCast) -> None:
    evening = draw(club, open_evening(club))
    at = f"/evenings/{evening['id']}"
    assert send(club, evening, "", method="DELETE").status_code == 422, "it goes on"
    evening = send(club, evening, "/end", {"unfinished": dict.fromkeys("123", "left-out")}).get_json()
    for _ in range(2):
        assert send(club, evening, "", method="DELETE").status_code == 204
    assert club.read("GET", at).status_code == 404
    assert club.read("GET", "/evenings").get_json() == {"evenings": []}
    assert send(club, evening, "/people", {"names": ["Gus"]}).status_code == 404
    (gone,) = club.write("GET", "/deletions").get_json()["deletions"]
    assert (gone["kind"], gone["id"], gone["lost"]["name"]) == ("evening", evening["id"], "Autumn cup")
    assert "evenings" not in club.write("GET", "/export").get_json()
    matches = {table["match"] for table in evening["tables"]}
    assert {match["id"] for match in club.read("GET", "/matches").get_json()["matches"]} >= matches
    for _ in range(2):
        restored = send(club, evening, "/restore")
        assert restored.status_code == 200
    assert restored.get_json() == evening
    assert faults(app) == []


def test_a_client_that_has_an_evening_gets_304_until_something_changes(club: ClubOfCast) -> None:
    path = f"/evenings/{open_evening(club)['id']}"
    seen = {"If-None-Match": club.read("GET", path).headers["ETag"]}
    assert club.read("GET", path, headers=seen).status_code == 304
    ada = club.read("GET", path).get_json()["people"][0]["player"]
    assert club.write("PATCH", f"/players/{ada}", {"name": "Adele"}).status_code == 200
    assert club.read("GET", path, headers=seen).get_json()["people"][0]["name"] == "Adele"


def test_a_final_is_drawn_and_a_tie_is_asked_about(club: ClubOfCast) -> None:
    evening = play(club, draw(club, open_evening(club)))
    asked = send(club, evening, "/draws", {"after": 1, "final": {"best": 3}})
    assert fields(asked) == ["tie"]
    final = draw(club, evening, 1, final={"best": 3, "carried": True, "tie": "take-all"})
    assert final["draws"][-1]["kind"] == "final"
    assert [len(table["players"]) for table in final["tables"]] == [6]
    played = play(club, final)
    ended = send(club, played, "/end", {}).get_json()
    assert ended["champions"] == ["Ada"]
    other = play(club, draw(club, open_evening(club)))
    decider = draw(club, other, 1, final={"best": 3, "tie": "play-off"})
    assert decider["draws"][-1]["kind"] == "play-off"


def test_tables_that_still_play_are_asked_about(club: ClubOfCast) -> None:
    evening = draw(club, open_evening(club))
    for path, body in (("/draws", {"after": 1}), ("/end", {})):
        assert fields(send(club, evening, path, body)) == ["unfinished[1]", "unfinished[2]"]
    second = draw(club, evening, 1, unfinished={"1": "awaited", "2": "left-out"})
    assert [(table["draw"], table["status"]) for table in second["tables"]] == [
        (2, "in-progress"), (2, "in-progress"), (1, "in-progress"),
    ]  # fmt: skip
    ended = send(club, evening, "/end", {"unfinished": {"1": "counted", "2": "counted"}})
    assert ended.status_code == 200


REPEATED: Mapping[str, tuple[str, Any]] = {
    "open": ("", PLAN),
    "people": ("/{id}/people", {"names": ["Zoe"]}),
    "draws": ("/{id}/draws", {"after": 0}),
}


@pytest.mark.parametrize("what", REPEATED)
def test_a_request_that_is_sent_twice_counts_once(app: Flask, club: ClubOfCast, what: str) -> None:
    path, body = REPEATED[what]
    path = f"/evenings{path}".format(**open_evening(club))
    first = club.write("POST", path, body, headers={"Idempotency-Key": "once"})
    assert first.status_code == 201
    before = rows(app, club.id)
    again = club.write("POST", path, body, headers={"Idempotency-Key": "once"})
    assert (again.status_code, again.get_json()) == (201, first.get_json())
    assert rows(app, club.id) == before
    other = {**body, "names": ["Xi"]} if what != "draws" else {"after": 0, "size": 2}
    assert club.write("POST", path, other, headers={"Idempotency-Key": "once"}).status_code == 409
    assert club.write("POST", path, body, headers={"Idempotency-Key": "a b"}).status_code == 422


WRONG: Mapping[str, tuple[str, str, Any, int, Any]] = {
    "no rulebook": ("POST", "", {}, 422, ["rulebook"]),
    "unknown rulebook": ("POST", "", {"rulebook": "none"}, 422, ["rulebook"]),
    "tables of six": ("POST", "", {"rulebook": "classic-500", "size": 6}, 422, ["size"]),
    "tables of one": ("POST", "", {"rulebook": "classic-500", "size": 1}, 422, ["size"]),
    "no draws": ("POST", "", {"rulebook": "classic-500", "draws": 0}, 422, ["draws"]),
    "a long clock": ("POST", "", {"rulebook": "classic-500", "minutes": 601}, 422, ["minutes"]),
    "no target": ("POST", "", {"rulebook": "classic-500", "target": 0}, 422, ["target"]),
    "an unknown face": ("POST", "", {"rulebook": "classic-500", "face_points": {"x": 1}}, 422, ["face_points.x"]),
    "a name twice": ("POST", "", {"rulebook": "classic-500", "names": ["Ada", "ada"]}, 422, ["names[1]"]),
    "an empty name": ("POST", "/{id}/people", {"names": [" "]}, 422, ["names[0]"]),
    "too many": ("POST", "/{id}/people", {"names": ["x"] * 201}, 422, ["names"]),
    "one too many": ("POST", "/{id}/people", {"names": [f"Child {n}" for n in range(195)]}, 422, ["names"]),
    "unknown fields": ("POST", "/{id}/people", {"names": [], "token": "x"}, 422, ["token"]),
    "nobody": ("DELETE", "/{id}/people/0000000000000000", None, 404, None),
    "no person": ("DELETE", "/{id}/people/x", None, 404, None),
    "a draw unseen": ("POST", "/{id}/draws", {"after": 1}, 409, None),
    "a draw before": ("POST", "/{id}/draws", {"after": -1}, 409, None),
    "a huge number": ("POST", "/{id}/draws", {"after": 0, "number": 1_000_000}, 422, ["number"]),
    "a huge size": ("POST", "/{id}/draws", {"after": 0, "size": 9}, 422, ["size"]),
    "luck": ("POST", "/{id}/draws", {"after": 0, "unfinished": {"1": "luck"}}, 422, ["unfinished.1"]),
    "a final of one": ("POST", "/{id}/draws", {"after": 0, "final": {"best": 1}}, 422, ["best"]),
    "a final too early": ("POST", "/{id}/draws", {"after": 0, "final": {"best": 2}}, 422, ["people"]),
    "no draw": ("DELETE", "/{id}/draws/1", None, 404, None),
    "draw nought": ("DELETE", "/{id}/draws/0", None, 404, None),
    "no number": ("DELETE", "/{id}/draws/x", None, 404, None),
    "a long number": ("DELETE", "/{id}/draws/" + "9" * 30, None, 404, None),
    "no evening": ("GET", "/0000000000000000", None, 404, None),
    "no evening to end": ("POST", "/0000000000000000/end", {}, 404, None),
    "no evening to draw": ("POST", "/0000000000000000/draws", {"after": 0}, 404, None),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_is_refused_by_its_field_and_changes_nothing(app: Flask, club: ClubOfCast, case: str) -> None:
    method, path, body, status, named = WRONG[case]
    evening = open_evening(club)
    before = rows(app, club.id)
    answer = club.write(method, f"/evenings{path}".format(**evening), body)
    assert answer.status_code == status, answer.json
    assert named is None or fields(answer) == named
    assert rows(app, club.id) == before


def test_a_draw_with_rounds_stays_and_an_ended_evening_takes_nothing(club: ClubOfCast) -> None:
    evening = play(club, draw(club, open_evening(club)))
    assert fields(send(club, evening, "/draws/1", method="DELETE")) == ["tables[1]", "tables[2]"]
    assert send(club, evening, "/draws/2", method="DELETE").status_code == 409
    assert send(club, evening, "/end", {}).status_code == 200
    ada = evening["people"][0]["player"]
    for method, path, body in (
        ("POST", "/people", {"names": ["Zoe"]}), ("DELETE", f"/people/{ada}", None),
        ("POST", "/draws", {"after": 1}), ("DELETE", "/draws/1", None),
    ):  # fmt: skip
        assert fields(send(club, evening, path, body, method)) == ["evening"], path


REQUESTS: tuple[tuple[str, str, Any], ...] = (
    ("GET", "/evenings", None), ("POST", "/evenings", dict(PLAN)), ("GET", "/evenings/{id}", None),
    ("POST", "/evenings/{id}/people", {"names": ["Zoe"]}), ("DELETE", "/evenings/{id}/people/{player}", None),
    ("POST", "/evenings/{id}/draws", {"after": 1, "unfinished": {"1": "left-out", "2": "left-out"}}),
    ("DELETE", "/evenings/{id}/draws/1", None), ("POST", "/evenings/{id}/end", {}),
)  # fmt: skip


def test_who_watches_may_look_and_nobody_else_may_anything(app: Flask, club: ClubOfCast, new_club: NewClub) -> None:
    evening = draw(club, open_evening(club))
    parts = {"id": evening["id"], "player": evening["people"][0]["player"]}
    callers: Mapping[str, Api] = {"spectator": club.read, "stranger": club.stranger, "other": new_club("Other").write}
    before = rows(app, club.id)
    for method, path, body in REQUESTS:
        found = {who: call(method, path.format(**parts), body).status_code for who, call in callers.items()}
        own = {"GET": 200, "POST": 201}[method] if "{id}" not in path else 404
        watches = 200 if method == "GET" else 403
        assert found == {"spectator": watches, "stranger": 401, "other": own}, (method, path)
    assert rows(app, club.id) == before
