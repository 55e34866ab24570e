"""A club out of the app and back in: the same, once, whole or not at all; and nobody else's."""

import copy
import csv
import gzip
import io
import json
import re
import tracemalloc
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select

from referee.records import models
from referee.records.deletion.purging import purge
from referee.records.ids import new_id
from referee.records.match import sheets
from referee.records.models import Base
from referee.web.server.database import db
from tests.conftest import MakeApp
from tests.ground.client import browser_of
from tests.ground.each import check_each
from tests.ground.record import faults, rows
from tests.web.api.conftest import Api, ClubOfCast, NewClub, fields
from tests.web.api.test_any_history import dangling

pytestmark = pytest.mark.usefixtures("database")

Document = dict[str, Any]
CHALLENGE = {"challenged": True, "held_color": False, "challenger": "target"}


@pytest.fixture
def played(club: ClubOfCast) -> ClubOfCast:
    """A club with a history: rounds, a correction, a strike, a ruling, someone joined and left, a rematch, a merge."""
    match = club.match(dealer="Ada", target=300, house_rules=["stack-draw-two"], name="Christmas")
    for after in range(2):
        assert club.record(match, after).status_code == 201
    rounds = [one["id"] for one in club.document(match)["rounds"]]
    entry = {"went_out": "Bo", "hands": {"Ada": ["wild"], "Cy": 20, "Di": ["blue-7", "skip"]}}
    assert club.write("PUT", f"/matches/{match}/rounds/{rounds[0]}", entry, headers=club.etag(match)).status_code == 200
    assert club.write("DELETE", f"/matches/{match}/rounds/{rounds[1]}", headers=club.etag(match)).status_code == 200
    assert club.write("POST", f"/matches/{match}/players", {"player": "Eva", "total": 10}).status_code == 201
    eva = next(seat["id"] for seat in club.document(match)["seats"] if seat["player"] == "Eva")
    assert club.record(match, 1, hands={"Bo": 20, "Cy": 20, "Di": 20, "Eva": 20}).status_code == 201
    assert club.write("DELETE", f"/matches/{match}/players/{eva}").status_code == 200
    amendment = {"target": 250, "note": "It is late."}
    assert club.write("POST", f"/matches/{match}/amendments", amendment).status_code == 201
    ruling = {"dispute": "draw-four-challenge", "facts": CHALLENGE, "players": {"offender": "Ada"}, "accepted": True}
    assert club.write("POST", f"/matches/{match}/rulings", ruling).status_code == 201
    for after in (2, 3):
        assert club.record(match, after).status_code == 201
    assert club.document(match)["status"] == "finished"
    assert club.write("POST", f"/matches/{match}/rematch").status_code == 201
    by_hand = club.match(players=["Bo", "Cy"], rulebook="two-player")
    assert club.write("POST", f"/matches/{by_hand}/rounds", {"after": 0, "went_out": "Bo", "hands": {"Cy": 20}})
    assert club.write("POST", f"/matches/{by_hand}/finish").status_code == 200
    given_up = club.match(players=["Robert", "Cy"], rulebook="duo-200")
    assert club.write("POST", f"/matches/{given_up}/abandon").status_code == 200
    people = {one["name"]: one["id"] for one in club.read("GET", "/players").get_json()["players"]}
    merged = club.write("POST", f"/players/{people['Robert']}/merge", {"into": people["Di"]})
    assert merged.status_code in (200, 204), merged.json
    return club


def export(club: ClubOfCast) -> Document:
    found: Document = json.loads(club.read("GET", "/export", status=200).data)
    return found


def bring(club: ClubOfCast, document: Any) -> Any:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return club.write("POST", "/import", data=data, content_type="application/json")


COUNTS = (
    "players", "matches", "seats", "rounds", "round_versions", "round_scores", "match_results", "match_sums",
    "match_events", "rulings", "rulebook_texts",
)  # fmt: skip
"""Tables of what counts in a club."""


def state(app: Flask, club: str) -> dict[str, list[str]]:
    """Read everything of a club that counts, as the tables hold it; keys and times of reading aside."""
    found = rows(app, club, without=("club_id", "revision", "nonce", "tally", "summed"))
    return {name: found[name] for name in COUNTS}


def test_teams_players_who_are_out_and_worths_of_an_edition_come_back(club: ClubOfCast, new_club: NewClub) -> None:
    swap = {"wild-swap-hands": 50, "wild-customizable": 50}
    match = club.match(rulebook="partners", deck="112-swap", face_points=swap, target=200)
    hands = {"Bo": ["wild-swap-hands", "wild-customizable", "wild-customizable", "5"], "Di": ["1"], "Cy": ["9"]}
    club.record(match, 0, hands=hands)
    assert club.write("POST", f"/matches/{match}/amendments", {"face_points": swap | {"wild-swap-hands": 40}}).json
    club.record(match, 1, hands=hands)
    assert club.document(match)["winners"] == ["Ada", "Cy"]
    challenge = club.match(rulebook="challenge-500", target=60)
    club.record(challenge, 0)
    other = new_club("Sunday table")
    assert bring(other, club.read("GET", "/export").data).status_code == 200
    for id in (match, challenge):
        assert other.document(id) == club.document(id)
    assert [line["total"] for line in club.document(match)["standings"]] == [302, 0, 0, 0]
    assert [line["player"] for line in club.document(challenge)["standings"] if line["out"]] == ["Bo"]


def test_a_club_comes_back_as_it_was_and_gives_the_same_document_again(
    app: Flask, played: ClubOfCast, new_club: NewClub
) -> None:
    text = played.read("GET", "/export").data
    other = new_club("Sunday table")
    answer = bring(other, text)
    assert answer.status_code == 200, answer.json
    assert answer.json == {
        "players": 6, "players_known": 0, "matches": 4, "matches_known": 0, "matches_deleted": 0, "rounds": 6,
        "rulings": 1, "matches_refused": 0, "problems": [],
    }  # fmt: skip
    assert other.read("GET", "/export").data == text
    before, after = state(app, played.id), state(app, other.id)
    assert before == after
    assert all(before.values())


def test_an_import_never_renames_the_club_it_goes_into(played: ClubOfCast, new_club: NewClub) -> None:
    other = new_club("Cabin")
    assert bring(other, export(played)).status_code == 200
    assert export(other)["club"]["name"] == "Cabin"


def test_the_same_document_twice_brings_nothing_twice(app: Flask, played: ClubOfCast) -> None:
    before = state(app, played.id)
    answer = bring(played, export(played))
    assert answer.json["matches"] == answer.json["players"] == answer.json["rounds"] == 0
    assert answer.json["matches_known"] == 4
    assert state(app, played.id) == before


def test_only_what_is_new_comes_into_a_club_that_went_on(played: ClubOfCast, new_club: NewClub) -> None:
    other = new_club("Empty")
    assert bring(other, export(played)).status_code == 200
    match = played.match(players=["Ada", "Fay"])
    played.record(match, 0, hands={"Fay": 20})
    answer = bring(other, export(played))
    assert (answer.json["matches"], answer.json["players"], answer.json["rounds"]) == (1, 1, 1)
    assert other.totals(match) == {"Ada": 20, "Fay": 0}


def test_ratings_come_out_the_same_when_an_old_match_comes_in_late(
    app: Flask, played: ClubOfCast, new_club: NewClub
) -> None:
    document = export(played)
    other = new_club("Empty")
    first, rest = document["matches"][0], document["matches"][1:]
    for match in rest:
        match["rematch_of"] = None
    assert bring(other, document | {"matches": rest}).status_code == 200
    assert bring(other, document | {"matches": [first, *rest]}).status_code == 200
    assert state(app, other.id)["match_results"] == state(app, played.id)["match_results"]


def test_an_export_names_only_what_is_in_it(played: ClubOfCast, new_club: NewClub) -> None:
    first = export(played)["matches"][0]["id"]
    assert played.write("DELETE", f"/matches/{first}").status_code == 200
    document = export(played)
    assert list(dangling(document)) == []
    assert [match["rematch_of"] for match in document["matches"]] == [None] * 3
    for club in (played, new_club("Empty")):
        assert bring(club, document).status_code == 200


def refer_to_nothing(document: Document) -> None:
    match, nothing = document["matches"][0], "0" * 16
    match |= {"created_by": nothing, "rematch_of": nothing}
    match["agreements"][0]["by"] = match["rounds"][0]["versions"][0]["entered_by"] = nothing
    match["events"][0] |= {"by": nothing, "details": match["events"][0]["details"] | {"player": nothing}}
    merged_into = {player["merged_into"] for player in document["players"]}
    survivor = next(player for player in document["players"] if player["id"] in merged_into)
    match["rulings"][0]["given_by"] = survivor["merged_into"] = nothing


def test_what_a_document_refers_to_in_vain_is_none(app: Flask, played: ClubOfCast, new_club: NewClub) -> None:
    """As exports of release 1.0.0 have it of deleted matches, and files of other programs of anything."""
    document = export(played)
    refer_to_nothing(document)
    assert len(list(dangling(document))) == 8
    other = new_club("Empty")
    answer = bring(other, document)
    assert answer.status_code == 200, answer.json
    assert list(dangling(export(other))) == []
    assert faults(app) == []


def test_who_a_document_says_agreed_is_a_writer_of_the_next_export(played: ClubOfCast, new_club: NewClub) -> None:
    document = export(played)
    document["writers"].append({"id": new_id(), "name": "Bo’s script"})
    document["matches"][0]["agreements"][0]["by"] = document["writers"][-1]["id"]
    other = new_club("Empty")
    assert bring(other, document).status_code == 200
    assert bring(other, export(other)).status_code == 200
    assert list(dangling(export(other))) == []


def test_a_ruling_that_says_less_than_ours_is_shown_all_the_same(played: ClubOfCast, new_club: NewClub) -> None:
    document = export(played)
    (ruling,) = document["matches"][0]["rulings"]
    for name in ("rulebook", "language", "lead", "missing", "silent_on", "unseen"):
        del ruling["ruling"][name]
    other = new_club("Empty")
    assert bring(other, document).status_code == 200
    page = browser_of(other.write.app, other.write.key or "")
    for path in ("/", f"/matches/{document['matches'][0]['id']}/rulings/{ruling['id']}"):
        assert ruling["ruling"]["summary"].split(".")[0] in page.get(path).text


def elsewhere(match: Document, **changed: Any) -> Document:
    """Return a match as if it had been played in a copy of the club."""
    other = copy.deepcopy(match) | {"id": new_id(), "rematch_of": None, "events": [], "rulings": []} | changed
    for played in other["rounds"]:
        played["id"] = new_id()
    return other


def test_a_file_from_before_a_merge_seats_whom_the_player_became(app: Flask, club: ClubOfCast) -> None:
    """Where both played in one match that match is refused by name; the rest comes in."""
    match = club.match(players=["Ada", "Robert"], target=60)
    club.record(match, 0, hands={"Robert": 70})
    everyone = club.match(players=["Ada", "Bo", "Robert"], target=60)
    club.record(everyone, 0, hands={"Robert": 70, "Bo": 5})
    club.write("DELETE", f"/matches/{everyone}")
    club.match(players=["Bo", "Cy"])
    document = export(club)
    club.write("POST", f"/matches/{everyone}/restore")
    both = next(one for one in export(club)["matches"] if one["id"] == everyone)
    club.write("DELETE", f"/matches/{everyone}")
    with app.app_context():
        purge(db.engine, at_once=True)
    people = {one["name"]: one["id"] for one in document["players"]}
    assert club.write("POST", f"/players/{people['Robert']}/merge", {"into": people["Bo"]}).status_code == 200
    new = [elsewhere(document["matches"][0]), elsewhere(both)]
    answer = bring(club, document | {"matches": [*document["matches"], *new]})
    assert answer.status_code == 200, answer.json
    assert (answer.json["matches"], answer.json["matches_known"], answer.json["matches_refused"]) == (1, 2, 1)
    (problem,) = answer.json["problems"]
    assert problem["field"] == "matches[3]"
    assert "Bo and Robert" in problem["message"]
    assert club.totals(new[0]["id"]) == {"Ada": 70, "Bo": 0}
    assert club.read("GET", f"/matches/{new[1]['id']}").status_code == 404
    assert faults(app) == []


def test_a_stand_in_whose_number_is_taken_gets_the_next_one(app: Flask, club: ClubOfCast, new_club: NewClub) -> None:
    club.match(players=["Ada", "Bo"])
    other = new_club("Copy")
    assert bring(other, export(club)).status_code == 200
    for copied, name in ((club, "Cy"), (other, "Di")):
        match = copied.match(players=["Ada", name])
        copied.record(match, 0, hands={name: 20})
        people = {one["name"]: one["id"] for one in copied.read("GET", "/players").get_json()["players"]}
        assert copied.write("DELETE", f"/players/{people[name]}").status_code == 200
    answer = bring(club, export(other))
    assert (answer.status_code, answer.json["matches"]) == (200, 1), answer.json
    (known, brought) = [one for one in export(club)["players"] if "removed_at" in one]
    assert (known["name"], brought["name"]) == ("Former player 1", "Former player 2")
    assert club.totals(match) == {"Ada": 20, "Former player 2": 0}
    seats = next(one for one in export(club)["matches"] if one["id"] == match)["seats"]
    assert [seat["name_then"] for seat in seats] == ["Ada", "Former player 2"]
    assert faults(app) == []


def test_a_phone_that_the_club_does_not_know_comes_in_after_a_name_was_deleted(club: ClubOfCast) -> None:
    club.match(players=["Ada", "Robert"], custom_rules=["No phones", "Robert deals"])
    document = export(club)
    robert = next(one["id"] for one in document["players"] if one["name"] == "Robert")
    assert club.write("DELETE", f"/players/{robert}").status_code == 200
    phone = {"id": new_id(), "name": "Robert’s phone"}
    match = elsewhere(document["matches"][0], created_by=phone["id"])
    document |= {"writers": [*document["writers"], phone], "matches": [*document["matches"], match]}
    answer = bring(club, document)
    assert (answer.status_code, answer.json["matches"]) == (200, 1), answer.json
    assert "Robert" not in str(export(club))


def test_an_export_points_to_the_texts_that_were_taken_out_and_an_import_takes_them_as_gaps(
    app: Flask, club: ClubOfCast, new_club: NewClub
) -> None:
    match = club.match(
        players=["Ada", "Marigold"], note="Marigold was late", custom_rules=["No phones", "Marigold deals"]
    )
    club.record(
        match, 0, hands={"Marigold": 20}, adjustments=[{"player": "Ada", "points": 1, "reason": "for Marigold"}]
    )
    assert club.write("POST", f"/matches/{match}/amendments", {"note": "Marigold asked"}).status_code == 201
    case = {"dispute": "played-card-effect", "facts": {"played": "red-skip"}, "table_decided": "Marigold decides"}
    assert club.write("POST", f"/matches/{match}/rulings", case | {"accepted": False}).status_code == 201
    (people, before) = (club.read("GET", "/players").get_json()["players"], export(club))
    assert "removed_texts" not in str(before)
    marigold = next(one["id"] for one in people if one["name"] == "Marigold")
    assert club.write("DELETE", f"/players/{marigold}").status_code == 200
    document = export(club)
    (exported,) = document["matches"]
    assert set(exported["removed_texts"]) == {
        "/note", "/agreements/0/custom_rules/1", "/agreements/1/custom_rules/1", "/agreements/1/note",
        "/rounds/0/versions/0/entry/adjustments/0/reason", "/events/0/details/note", "/rulings/0/table_decided",
    }  # fmt: skip
    for pointer in exported["removed_texts"]:
        there: Any = exported
        for part in pointer.split("/")[1:]:
            there = there[int(part)] if isinstance(there, list) else there[part]
        assert there == "(text with a deleted name)"
    copy = new_club("Copy")
    assert bring(copy, document).status_code == 200
    assert copy.document(match)["removed_texts"] == club.document(match)["removed_texts"]
    assert export(copy)["matches"] == document["matches"]
    assert faults(app) == []


def test_another_clubs_document_comes_only_into_an_empty_club(played: ClubOfCast, other_club: ClubOfCast) -> None:
    other_club.match(players=["Xan", "Yve"])
    assert fields(bring(other_club, export(played))) == ["players"]
    assert len(other_club.read("GET", "/matches").get_json()["matches"]) == 1


@pytest.mark.promise("backup#export-without-keys", "security#hashed-keys")
def test_no_key_leaves_with_the_export(app: Flask, played: ClubOfCast) -> None:
    text = played.read("GET", "/export").text
    assert (played.write.key or "?") not in text
    with app.app_context():
        digests = db.session.scalars(select(models.Key.digest)).all()
    assert digests
    assert not [digest for digest in digests if digest in text]


def test_who_wrote_a_round_is_still_known_but_that_key_opens_nothing(played: ClubOfCast, new_club: NewClub) -> None:
    other = new_club("Empty")
    bring(other, export(played))
    match = export(other)["matches"][0]
    history = other.read("GET", f"/matches/{match['id']}/rounds/{match['rounds'][0]['id']}/history").json
    assert history["versions"][0]["entered_by"] == "First phone"  # type: ignore[index]
    assert played.write("GET", f"/matches/{match['id']}").status_code == 200
    revoked = [key for key in other.write("GET", "/keys").get_json()["keys"] if key["revoked_at"]]
    assert len(revoked) == 1


# -- bad documents -----------------------------------------------------------------------------------------------------


MATCH, ROUND, RULING = "matches[0]", "matches[0].rounds[0]", "matches[0].rulings[0].ruling"
GONE = object()
SPOILED: tuple[tuple[str, Any, str], ...] = (
    ("version", 99, "version"),
    ("format", "something else", "format"),
    ("players", GONE, "players"),
    ("players", lambda players: players * 20_000, "players"),
    ("players[0].name", "\u202eadA", "players[0].name"),
    (f"{MATCH}.surprise", 1, f"{MATCH}.surprise"),
    (f"{MATCH}.seats[0].player", "0" * 16, f"{MATCH}.seats[0].player"),
    (f"{MATCH}.agreements[0].digest", "0" * 64, f"{MATCH}.agreements[0].digest"),
    (f"{MATCH}.agreements[0].deck", "flip", f"{MATCH}.agreements[0].deck"),
    ("rulebooks[0].document.clauses[0].text", "Ada always wins.", "rulebooks[0]"),
    *((f"{MATCH}.started_at", f"{at}-01-01T00:00:00+00:00", f"{MATCH}.started_at") for at in ("2999", "0000", "0001")),
    (f"{MATCH}.started_at", "2026-01-01T00:00:00", f"{MATCH}.started_at"),
    (f"{ROUND}.versions[0].entry.hands", {"1": ["brown-7"]}, f"{ROUND}.versions[0].entry.hands.1[0]"),
    (f"{ROUND}.versions[0].score.points.9", 5, f"{ROUND}.versions[0].score"),
    (f"{ROUND}.versions[1].score.points.0", 10**12, f"{ROUND}.versions[1].score.points.0"),
    ("matches", lambda matches: [*matches, matches[0]], "matches[4].id"),
    (f"{MATCH}.rounds", lambda rounds: [*rounds, rounds[0]], f"{MATCH}.rounds[5].id"),
    ("players", lambda players: [players[0], players[1] | {"name": players[0]["name"].upper()}, *players[2:]],
     "players[1].name"),
    ("matches[1]", lambda one: one | {"status": "finished", "ended_by": "target", "finished_at": one["started_at"]},
     "matches[1].status"),
    (f"{RULING}.outcome.legal", 10**30, f"{RULING}.outcome.legal"),
    (f"{RULING}.orders[0].role", "king", f"{RULING}.orders[0].role"),
    (f"{RULING}.orders[0].cards", GONE, f"{RULING}.orders[0].cards"),
    (f"{RULING}.steps[0].clause", GONE, f"{RULING}.steps[0].clause"),
    (f"{RULING}.missing", 1, f"{RULING}.missing"),
)  # fmt: skip
"""Where a document is spoiled, what stands there then or is made of what stood there, and the field that is refused."""


def spoil(document: Document, place: str, value: Any) -> None:
    """Change what stands at a place of a document."""
    *way, last = [name or int(index) for name, index in re.findall(r"(\w+)\b(?!\])|\[(\d+)\]", place)]
    holder: Any = document
    for part in way:
        holder = holder[part]
    if value is GONE:
        del holder[last]
    else:
        holder[last] = value(holder[last]) if callable(value) else value


def test_a_broken_document_is_refused_by_field_and_nothing_of_it_stays(
    app: Flask, played: ClubOfCast, new_club: NewClub
) -> None:
    whole = export(played)
    empty = new_club("Empty")

    def check(way: tuple[str, Any, str]) -> None:
        place, value, field = way
        document = copy.deepcopy(whole)
        spoil(document, place, value)
        refused = fields(bring(empty, document))
        assert field in refused
        assert len(refused) <= 51

    check_each(SPOILED, check)
    with app.app_context():
        for table in Base.metadata.sorted_tables:
            if "club_id" in table.c and table.name != "keys":
                count = select(func.count()).select_from(table).where(table.c.club_id == empty.id)
                assert db.session.scalar(count) == 0, table.name
    assert bring(empty, whole).status_code == 200, "as it was before, it comes in"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 422),
        (b"null", 422),
        (b'{"format": "referee-club"', 400),
        (b"\xff\xfe{}", 400),
        (b"PK\x03\x04....", 400),
        (b"\x1f\x8b", 400),
        (b"\x1f\x8bnot packed", 400),
        (gzip.compress(b"{}")[:-4], 400),
        (gzip.compress(b" " * 200_000_000), 413),
        (b"[" * 100_000, 400),
        (b'{"format":"referee-club","version":1,"club":{"name":"a\\u0000b"}}', 422),
        (b'{"format":"referee-club","version":1e999}', 422),
    ],
    ids=[
        "nothing", "half", "a list", "null", "cut off", "UTF-16", "a ZIP", "gzip's beginning", "no gzip",
        "half a gzip", "a zip bomb", "too deep", "a NUL", "infinity",
    ],
)  # fmt: skip
def test_what_is_no_document_is_said_to_be_none(club: ClubOfCast, data: bytes, status: int) -> None:
    answer = bring(club, data)
    assert answer.status_code == status, answer.json
    assert answer.mimetype == "application/problem+json"


def test_a_packed_document_comes_in_too(played: ClubOfCast, new_club: NewClub) -> None:
    packed = gzip.compress(played.read("GET", "/export").data)
    empty = new_club("Empty")
    assert empty.write("POST", "/import", data=packed, content_type="application/gzip").status_code == 200
    assert empty.write("POST", "/import", data=packed, content_type="text/csv").status_code == 415


@pytest.mark.parametrize(
    ("code", "said"),
    [("en", "From character 13 on, this isn’t valid JSON."), ("de", "Ab Zeichen 13 ist das kein gültiges JSON.")],
)
def test_what_is_no_json_is_refused_in_the_readers_language_alone(club: ClubOfCast, code: str, said: str) -> None:
    answer = club.write("POST", f"/import?lang={code}", data=b'{"format": 1', content_type="application/json")
    assert (answer.status_code, answer.get_json()["detail"]) == (400, said)


@pytest.mark.promise("security#large-bodies")
def test_a_document_that_is_too_large_is_413(make_app: MakeApp) -> None:
    app = make_app(MAX_IMPORT_LENGTH=1000)
    keys = Api(app)("POST", "/clubs", {"name": "Small"}).json
    answer = Api(app, keys["scorekeeper_key"])(  # type: ignore[index]
        "POST", "/import", data=b" " * 1001, content_type="application/json"
    )
    assert answer.status_code == 413


def test_importing_again_and_again_is_slowed_down(make_app: MakeApp, club: ClubOfCast) -> None:
    api = Api(make_app(RATELIMIT_ENABLED=True), club.write.key)
    statuses = [api("POST", "/import", data=b"{", content_type="application/json").status_code for _ in range(21)]
    assert statuses == [400] * 20 + [429]


# -- CSV ---------------------------------------------------------------------------------------------------------------


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_match_as_csv_has_a_line_a_live_round_and_players_side_by_side(club: ClubOfCast) -> None:
    match = club.match()
    club.record(match, 0)
    club.record(match, 1)
    first = club.document(match)["rounds"][0]["id"]
    club.write("DELETE", f"/matches/{match}/rounds/{first}", headers=club.etag(match))
    answer = club.read("GET", f"/matches/{match}.csv")
    assert answer.mimetype == "text/csv"
    (line,) = table(answer.text)
    assert line["round"] == "1"
    assert line["went out"] == "Ada"
    assert [line[f"{name}: points"] for name in ("Ada", "Bo", "Cy", "Di")] == ["109", "0", "0", "0"]
    assert line["Bo: hand"] == "7 skip wild"


def test_all_rounds_as_csv_have_a_line_a_player_and_round(club: ClubOfCast) -> None:
    for players in (["Ada", "Bo"], ["Cy", "Ada"]):
        match = club.match(players=players)
        for after in range(3):
            club.record(match, after, hands={(set(players) - {"Ada"}).pop(): 20})
    lines = table(club.read("GET", "/rounds.csv").text)
    assert len(lines) == 12
    assert [line["round"] for line in lines[::2]] == ["1", "2", "3"] * 2
    assert sum(int(line["points"]) for line in lines) == 120


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.promise("security#formula")
def test_no_cell_is_a_formula(club: ClubOfCast, delimiter: str) -> None:
    """Neither to a spreadsheet that parts cells by commas nor to one that parts them by semicolons."""
    names = ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1d2\uff0b2", "\uff20SUM", "a;=1+1", 'a;"=1+1"', "a; \uff0b1", "−1"]
    match = club.match(players=names, name="=cmd()", rulebook="official")
    hands = dict.fromkeys(names[1:], 1)
    assert club.record(match, 0, went_out=names[0], hands=hands).status_code == 201
    for path in (f"/matches/{match}.csv", "/rounds.csv", "/statistics.csv"):
        text = club.read("GET", path).text
        cells = [cell for row in csv.reader(io.StringIO(text), delimiter=delimiter) for cell in row]
        signs = tuple('=+-@\uff1d\uff0b\uff0d\uff20−"')
        assert not [cell for cell in cells if cell.strip().startswith(signs)]
        assert "'=1+1" in text
        assert "a;'=1+1" in text


def test_rounds_are_numbered_over_the_edges_of_the_portions_they_are_read_by(
    club: ClubOfCast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets, "AT_ONCE", 3)
    wanted = []
    for live in (2, 5, 1):
        match = club.match()
        ids = [club.record(match, after).get_json()["round"]["id"] for after in range(live)]
        path = f"/matches/{match}/rounds/{ids[0]}"
        assert club.write("DELETE", path, headers={"If-Match": "*"}).status_code == 200
        wanted += [str(number) for number in range(1, live) for _ in range(4)]
    assert [line["round"] for line in table(club.read("GET", "/rounds.csv").text)] == wanted


def test_the_form_is_described_to_machines(club: ClubOfCast) -> None:
    schema = club.stranger("GET", "/export/schema").json
    assert schema["properties"]["version"]  # type: ignore[index]
    assert set(schema["required"]) == set(export(club))  # type: ignore[index]


def test_however_many_rounds_an_export_keeps_few_in_memory(played: ClubOfCast, new_club: NewClub) -> None:
    document = export(played)
    match = document["matches"][0]
    began = datetime(2020, 1, 1, tzinfo=UTC)
    many = []
    for number in range(80):
        at = began + timedelta(hours=number)
        again = copy.deepcopy(match) | {"id": new_id(at), "events": [], "rulings": []}
        for one in again["rounds"]:
            one["id"] = new_id(at)
        many.append(again)
    peaks = []
    for count in (20, 80):
        large = new_club(f"{count} matches")
        assert bring(large, document | {"matches": many[:count]}).status_code == 200
        answer = large.read("GET", "/export", buffered=False)
        tracemalloc.start()
        size = sum(len(piece) for piece in answer.iter_encoded())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert size > count * 1000
    assert peaks[1] < 1.5 * peaks[0] + 200_000, peaks
