"""Clubs, keys and invitations."""

from typing import Any

import pytest
from flask import Flask

from referee.records.deletion.purging import purge
from referee.web.server.database import db
from tests.conftest import MakeApp
from tests.web.api.conftest import Api, ClubOfCast, fields

NAMES: dict[str, Any] = {
    "empty": "", "blanks": "  \u3000 ", "1,000 characters": "A" * 1000, "41 characters": "A" * 41,
    "a line break": "A\nB", "NUL": "A\0B", "half a character": "A\ud800", "turned direction": "A\u202eB",
    "nothing to see": "\u200b\u200d", "a number": 7, "nothing": None, "a list": ["Ada"],
}  # fmt: skip


def test_founding_a_club_shows_its_two_keys_once(club: ClubOfCast) -> None:
    assert club.write.key != club.read.key
    assert club.write("GET", "/keys").status_code == 200
    text = club.write("GET", "/keys").text
    assert str(club.write.key) not in text
    assert str(club.read.key) not in text


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_a_bad_name_founds_no_club(club: ClubOfCast, name: Any) -> None:
    assert fields(club.stranger("POST", "/clubs", {"name": name})) == ["name"]


@pytest.mark.parametrize("name", ["<b>Ada</b>", "Ада", "שרה", "👩‍👩‍👧", "Zoë", 'O\'Brien & "Co"'])
def test_any_readable_name_is_kept_as_it_is(club: ClubOfCast, name: str) -> None:
    assert club.stranger("POST", "/clubs", {"name": name}, status=201).get_json()["name"] == name


def test_a_club_is_founded_once_though_the_request_comes_twice(club: ClubOfCast) -> None:
    once = {"Idempotency-Key": "0b6f1f5e-6b1f-4f5c-9d0e-2f6b7f0f8a11"}
    first = club.stranger("POST", "/clubs", {"name": "Monday table"}, headers=once)
    again = club.stranger("POST", "/clubs", {"name": "Monday table"}, headers=once)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.get_json() == again.json
    other = club.stranger("POST", "/clubs", {"name": "Tuesday table"}, headers=once)
    assert other.get_json()["id"] != first.get_json()["id"]
    assert Api(club.write.app, first.get_json()["scorekeeper_key"])("GET", "/keys").status_code == 200


def test_a_request_that_founded_a_deleted_club_is_told_so_and_founds_no_other(app: Flask) -> None:
    once = {"Idempotency-Key": "0b6f1f5e-6b1f-4f5c-9d0e-2f6b7f0f8a12"}

    def found() -> Any:
        return app.test_client().post("/api/v1/clubs", json={"name": "Monday table"}, headers=once)

    first = found().json
    write = Api(app, first["scorekeeper_key"])
    assert write("DELETE", f"/clubs/{first['id']}").status_code == 200
    waits = found()
    assert (waits.status_code, waits.json["restorable_until"] is None) == (410, False)
    assert write("POST", f"/clubs/{first['id']}/restore").status_code == 200
    assert found().json == first
    assert write("DELETE", f"/clubs/{first['id']}").status_code == 200
    with app.app_context():
        purge(db.engine, at_once=True)
    gone = found()
    assert (gone.status_code, gone.json["restorable_until"]) == (410, None)


def test_a_request_that_founded_a_club_whose_key_is_locked_out_is_told_so(app: Flask, club: ClubOfCast) -> None:
    once = {"Idempotency-Key": "0b6f1f5e-6b1f-4f5c-9d0e-2f6b7f0f8a13"}
    first = club.stranger("POST", "/clubs", {"name": "Monday table"}, headers=once).json
    write = Api(app, first["scorekeeper_key"])  # type: ignore[index]
    other = write("POST", "/keys", {"role": "scorekeeper", "name": "Second"}).json
    mine = next(key["id"] for key in write("GET", "/keys").get_json()["keys"] if key["yours"])
    assert Api(app, other["key"])("DELETE", f"/keys/{mine}").status_code == 204  # type: ignore[index]
    again = club.stranger("POST", "/clubs", {"name": "Monday table"}, headers=once, status=409)
    assert "locked out" in again.get_json()["detail"]


def test_a_key_that_could_be_guessed_founds_no_club(club: ClubOfCast) -> None:
    answer = club.stranger("POST", "/clubs", {"name": "Monday table"}, headers={"Idempotency-Key": "1"})
    assert fields(answer) == ["Idempotency-Key"]


def test_a_host_may_close_the_door_to_new_clubs(make_app: MakeApp) -> None:
    assert Api(make_app(SIGN_UP=False))("POST", "/clubs", {"name": "Sunday table"}).status_code == 403


@pytest.mark.promise("security#flood")
def test_founding_club_after_club_is_slowed_down(make_app: MakeApp) -> None:
    api = Api(make_app(RATELIMIT_ENABLED=True))
    answers = [api("POST", "/clubs", {"name": "Sunday table"}) for _ in range(32)]
    assert answers[0].status_code == 201
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_keys_are_made_named_listed_and_revoked(club: ClubOfCast) -> None:
    made = club.write("POST", "/keys", {"role": "scorekeeper", "name": "Bo’s phone"}, status=201)
    phone = Api(club.write.app, made.get_json()["key"])
    assert phone("POST", "/players", {"name": "Ada"}).status_code == 201
    assert club.write("DELETE", f"/keys/{made.get_json()['id']}").status_code == 204
    assert phone("GET", "/players").status_code == 401
    listed = club.write("GET", "/keys").get_json()
    good = {key["name"]: key["revoked_at"] is None for key in listed["keys"]}
    assert good == {"First phone": True, "Spectators": True, "Bo’s phone": False}
    assert [key["name"] for key in listed["keys"] if key["yours"]] == ["First phone"]


def test_a_key_locks_itself_out(club: ClubOfCast) -> None:
    made = club.write("POST", "/keys", {"role": "scorekeeper", "name": "Bo’s phone"}).get_json()
    phone = Api(club.write.app, made["key"])
    assert phone("DELETE", f"/keys/{made['id']}").status_code == 204
    assert phone("GET", "/players").status_code == 401


@pytest.mark.promise("security#last-key")
def test_the_last_key_that_writes_cannot_be_revoked(club: ClubOfCast) -> None:
    keys = club.write("GET", "/keys").get_json()
    by_role = {key["role"]: key["id"] for key in keys["keys"]}
    assert fields(club.write("DELETE", f"/keys/{by_role['scorekeeper']}")) == ["id"]
    assert club.write("DELETE", f"/keys/{by_role['spectator']}").status_code == 204
    assert club.read("GET", "/players").status_code == 401


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({}, ["name", "role"]),
        ({"role": "queen", "name": ""}, ["name", "role"]),
        ({"role": "hand", "name": "Di"}, ["role"]),
        ({"role": 1, "name": 2}, ["name", "role"]),
    ],
)
def test_a_bad_key_is_refused_with_all_its_problems(club: ClubOfCast, body: dict[str, Any], wrong: list[str]) -> None:
    assert fields(club.write("POST", "/keys", body)) == wrong


def test_an_invitation_is_a_link_with_an_end(club: ClubOfCast) -> None:
    answer = club.write("POST", "/invitations", {"role": "spectator"}, status=201)
    assert answer.get_json()["link"].startswith("http://localhost/join/")
    assert answer.get_json()["expires_at"] > "2026"


@pytest.mark.parametrize("role", ["queen", "hand", "", None, 3])
def test_nobody_is_invited_to_a_role_there_is_not(club: ClubOfCast, role: Any) -> None:
    assert fields(club.write("POST", "/invitations", {"role": role})) == ["role"]
