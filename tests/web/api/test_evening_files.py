"""Evenings in a club's file, and what becomes of them when people are merged, renamed or deleted, and matches are."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import delete, func, select, update

from referee.records.club import players
from referee.records.deletion import purging
from referee.records.errors import MOST_PEOPLE
from referee.records.evening.drawing import met_before, swap
from referee.records.evening.evenings import MOST_DRAWS, arrive, depart, end_evening
from referee.records.evening.floor import load_floor, state_of_floor
from referee.records.evening.standing import load_standings
from referee.records.ids import new_id
from referee.records.models import (
    Base,
    Club,
    ClubImport,
    DrawTable,
    Evening,
    EveningDraw,
    EveningPlayer,
    Key,
    KeyRole,
    Player,
    now,
)
from referee.records.transfer.document import MOST_TABLES
from referee.records.transfer.writing import take_back
from referee.web.server.database import db
from tests.ground.evenings import begin_evening, draw_tables, play_tables
from tests.ground.record import faults
from tests.web.api.conftest import ClubOfCast, NewClub, fields

pytestmark = pytest.mark.usefixtures("database")

Document = dict[str, Any]
NAMES = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida")
OF_EVENINGS = (Evening, EveningPlayer, EveningDraw, DrawTable)


@pytest.fixture
def evening(app: Flask, club: ClubOfCast) -> str:
    """The id of an evening with two draws, the second going on, of nine people, a guest and one who left."""
    with app.app_context():
        session = db.session()
        row = session.get_one(Club, club.id)
        by = _by(club.id)
        made = begin_evening(
            session, row, by, NAMES, draws=2, custom_rules=("Gus deals twice",), face_points=(("7", 7),)
        )
        first = draw_tables(session, made, by)
        people = {person.name: person.id for person in load_floor(session, made).people}
        there = [list(table.seats) for table in load_floor(session, made).tables]
        swap(session, made, there[0][0], there[1][0])
        play_tables(session, made, by)
        arrive(session, row, made, ["Zoe"], guest=True)
        depart(session, made, people["Cy"])
        second = draw_tables(session, made, by, 8)
        token = Key(club_id=club.id, id=new_id(), role=KeyRole.TABLE, name="Table 1", digest="0" * 64)
        token.evening_id, token.table, token.match_id = made.id, 1, second[0]
        session.add(token)
        session.commit()
        assert len(first) == 3
        return made.id


def _by(club_id: str) -> Key:
    return db.session.scalars(select(Key).where(Key.club_id == club_id, Key.role == KeyRole.SCOREKEEPER)).one()


def exported(club: ClubOfCast) -> Document:
    found: Document = club.read("GET", "/export", status=200).get_json()
    return found


def take_in(club: ClubOfCast, document: Document) -> Any:
    return club.write("POST", "/import", document)


def count(app: Flask, club: ClubOfCast) -> list[int]:
    """Count the rows of the club's evenings, by table."""
    with app.app_context():
        own = [select(func.count()).select_from(one).where(one.club_id == club.id) for one in OF_EVENINGS]
        found = [db.session.scalar(chosen) or 0 for chosen in own]
        db.session.rollback()
        return found


def change(app: Flask, club: ClubOfCast, evening: str, act: Callable[[Evening], Any]) -> Any:
    """Do something with an evening, and commit."""
    with app.app_context():
        done = act(db.session.get_one(Evening, (club.id, evening)))
        db.session.commit()
        return done


def test_an_evening_goes_into_a_file_and_comes_in_as_it_was(
    app: Flask, club: ClubOfCast, evening: str, new_club: NewClub
) -> None:
    document = exported(club)
    (said,) = document["evenings"]
    people = {player["name"]: player["id"] for player in document["players"]}
    came = {one["player"]: one for one in said["people"]}
    assert said["id"] == evening
    assert said["plan"] == {
        "rulebook": "classic-500", "rounds_to_play": 1, "size": 3, "draws": 2, "custom_rules": ["Gus deals twice"],
        "face_points": [["7", 7]],
    }  # fmt: skip
    assert came[people["Zoe"]] == {"player": people["Zoe"], "from_draw": 2, "guest": True}
    assert came[people["Cy"]] == {"player": people["Cy"], "from_draw": 1, "until_draw": 2}
    assert [one["number"] for one in said["draws"]] == [7, 8]
    matches = [table["match"] for drawn in said["draws"] for table in drawn["tables"]]
    assert sorted(matches) == sorted(match["id"] for match in document["matches"])
    assert "0" * 64 not in str(document)
    assert "Table 1" not in str(document), "keys are in no file"
    other = new_club("Other")
    before = count(app, club)
    assert take_in(other, document).status_code == 200
    assert exported(other)["evenings"] == document["evenings"]
    assert count(app, other) == before
    for one in (club, other):
        assert take_in(one, document).status_code == 200
        assert count(app, one) == before, "who knows it gets nothing new"
    assert faults(app) == []


def test_a_club_without_evenings_has_none_in_its_file(club: ClubOfCast) -> None:
    club.match()
    assert "evenings" not in exported(club)


def at(document: Document, path: str) -> tuple[Any, Any]:
    """Find a place of the first evening: what holds it, and its key there."""
    *above, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    holder = document["evenings"][0]
    for part in above:
        holder = holder[part]
    return holder, last


NOBODY = "0" * 16
WRONG: Mapping[str, tuple[str, Any, str]] = {
    "no name": ("name", " x", "name"),
    "a status": ("status", "ended", "ended_at"),
    "a key": ("token", "x", "token"),
    "a person": ("people.0.player", NOBODY, "people[0].player"),
    "twice": ("people.1", None, "people[1].player"),
    "before": ("people.0.until_draw", 0, "people[0].until_draw"),
    "early": ("people.0", {"player": "", "from_draw": 3, "until_draw": 2}, "people[0].until_draw"),
    "size": ("plan.size", 6, "plan.size"),
    "draws": ("plan.draws", 21, "plan.draws"),
    "count": ("plan.count", "luck", "plan.count"),
    "rules": ("plan.custom_rules", ["x"] * 21, "plan.custom_rules"),
    "teams": ("plan.teams", [["Ada"]], "plan.teams"),
    "kind": ("draws.0.kind", "lot", "draws[0].kind"),
    "number": ("draws.0.number", 0, "draws[0].number"),
    "seat": ("draws.1.input.met", [[0, 9, 1]], "draws[1].input.met[0]"),
    "drawn": ("draws.0.input.players", [NOBODY, NOBODY], "draws[0].input"),
    "swapped": ("draws.0.input.swapped", [[NOBODY, NOBODY]], "draws[0].input"),
    "match": ("draws.0.tables.0.match", NOBODY, "draws[0].tables[0].match"),
    "same match": ("draws.0.tables.1.match", None, "draws[0].tables[1].match"),
    "same table": ("draws.0.tables.1.table", 1, "draws[0].tables"),
    "table": ("draws.0.tables.0.table", 101, "draws[0].tables[0].table"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_file_with_an_evening_that_cannot_be_is_refused(club: ClubOfCast, evening: str, case: str) -> None:
    document = exported(club)
    path, value, field = WRONG[case]
    holder, last = at(document, path)
    if value is None:
        value = document["evenings"][0]["draws"][0]["tables"][0]["match"] if case == "same match" else holder[0]
    if case == "early":
        value = value | {"player": holder[0]["player"]}
    holder[last] = value
    answer = take_in(club, document)
    assert answer.status_code == 422
    assert f"evenings[0].{field}" in fields(answer)
    assert evening


@pytest.mark.parametrize(
    ("path", "most"),
    [("people", MOST_PEOPLE), ("draws", MOST_DRAWS), ("draws.0.tables", MOST_TABLES)],
)
def test_lists_of_an_evening_have_a_maximum(club: ClubOfCast, evening: str, path: str, most: int) -> None:
    document = exported(club)
    holder, last = at(document, path)
    holder[last] = [holder[last][0]] * (most + 1)
    answer = take_in(club, document)
    assert answer.status_code == 422
    assert any(field.startswith("evenings[0].") and str(most) in str(answer.json) for field in fields(answer))
    assert evening


def test_a_match_that_has_a_table_in_the_club_gets_no_other(app: Flask, club: ClubOfCast, evening: str) -> None:
    document = exported(club)
    forged = copy.deepcopy(document)
    forged["evenings"][0]["id"] = NOBODY[:-1] + "1"
    assert take_in(club, forged).status_code == 200
    new = next(one for one in exported(club)["evenings"] if one["id"] != evening)
    assert [drawn["tables"] for drawn in new["draws"]] == [[], []]
    assert faults(app) == []


def test_what_an_interrupted_import_brought_is_taken_back(
    app: Flask, club: ClubOfCast, evening: str, new_club: NewClub
) -> None:
    document, other = exported(club), new_club("Other")
    assert evening
    assert take_in(other, document).status_code == 200
    made = {name: [one["id"] for one in document[name]] for name in ("players", "matches", "evenings")}
    made["rulebooks"] = [one["digest"] for one in document["rulebooks"]]
    with app.app_context():
        db.session.add(ClubImport(club_id=other.id, id=NOBODY, at=now(), made=made, founded=False))
        db.session.execute(update(Club).where(Club.id == other.id).values(import_id=NOBODY))
        db.session.commit()
        take_back(db.engine, other.id, NOBODY)
    assert count(app, other) == [0, 0, 0, 0]
    assert exported(other)["players"] == []


# -- people ------------------------------------------------------------------------------------------------------------


def test_a_merged_player_was_there_and_the_draw_can_be_drawn_again(app: Flask, club: ClubOfCast, evening: str) -> None:
    def merge(row: Evening) -> None:
        session, own = db.session(), db.session.get_one(Club, club.id)
        people = {person.name: person.id for person in load_floor(session, row).people}
        drawn = session.scalars(select(EveningDraw).order_by(EveningDraw.draw)).all()[-1]
        given, met = dict(drawn.input), met_before(drawn)
        new = players.add_player(session, own, "Adam")
        state = state_of_floor(session, row)
        players.merge_players(session, own, session.get_one(Player, (club.id, people["Ada"])), new)
        floor = load_floor(session, row)
        assert {person.id for person in floor.people if person.name == "Adam"} == {new.id}
        assert state_of_floor(session, row) != state
        assert drawn.input == given, "it follows from the order of ids"
        became = {people["Ada"]: new.id}
        assert sum(met_before(drawn, became).values()) == sum(met.values())
        assert any(new.id in pair for pair in met_before(drawn, became))
        again = {frozenset((one.one, one.other)) for one in floor.again}
        seats = [set(table.seats.values()) for table in floor.tables]
        assert all(any(pair <= table for table in seats) for pair in again)

    change(app, club, evening, merge)
    assert faults(app) == []
    document = exported(club)
    assert take_in(club, document).status_code == 200


@pytest.mark.parametrize("known", [True, False])
def test_two_who_came_are_one_person_after_a_merge(
    app: Flask, club: ClubOfCast, evening: str, new_club: NewClub, known: bool
) -> None:
    """In the club itself, and where the file of before comes into a copy that had merged them."""

    def come(row: Evening) -> tuple[str, str]:
        session, own = db.session(), db.session.get_one(Club, club.id)
        arrive(session, own, row, ["Zora"])
        people = {person.name: person.id for person in load_floor(session, row).people}
        return people["Cy"], people["Zora"]

    cy, zora = change(app, club, evening, come)
    here, before = club, exported(club)
    if not known:
        here = new_club("Copy")
        assert take_in(here, before | {"evenings": []}).status_code == 200
    assert here.write("POST", f"/players/{cy}/merge", {"into": zora}).status_code == 200
    assert take_in(here, before).status_code == 200
    (said,) = exported(here)["evenings"]
    assert len(said["people"]) == 10
    assert next(one for one in said["people"] if one["player"] == zora) == {"player": zora, "from_draw": 1}
    assert faults(app) == []


def test_a_deleted_name_is_in_no_evening_and_returns(app: Flask, club: ClubOfCast, evening: str) -> None:
    def look(row: Evening) -> tuple[str, str, str]:
        people = [person.name for person in load_floor(db.session(), row).people]
        return ", ".join(people), str(row.plan), state_of_floor(db.session(), row)

    before, whole = change(app, club, evening, look), exported(club)
    gus = next(one["id"] for one in whole["players"] if one["name"] == "Gus")
    (text,) = club.write("GET", f"/players/{gus}/deletion").get_json()["texts"][:1]
    assert text["words"] == "Gus deals twice"
    assert club.write("DELETE", f"/players/{gus}").status_code == 200
    people, plan, state = change(app, club, evening, look)
    assert "Gus" not in people + plan
    assert "Former player 1" in people
    assert state != before[2]
    assert "Gus" not in str(exported(club)["evenings"])
    assert faults(app) == []
    assert take_in(club, whole).status_code == 200
    assert "Gus" not in str(exported(club)["evenings"])
    assert club.write("POST", f"/players/{gus}/restore").status_code == 200
    assert change(app, club, evening, look)[:2] == before[:2]
    assert exported(club)["evenings"] == whole["evenings"]


def test_texts_without_a_deleted_name_return_at_the_tables_drawn_meanwhile(
    app: Flask, club: ClubOfCast, evening: str
) -> None:
    assert club.write("POST", f"/evenings/{evening}/end", {"unfinished": {str(n): "left-out" for n in (1, 2, 3)}})
    plan = {"rulebook": "classic-500", "name": "With Gus", "custom_rules": ["Snacks", "Gus deals twice"], "draws": 1}
    opened = club.write("POST", "/evenings", plan | {"names": ["Ada", "Bo", "Cy", "Di"]}).get_json()
    gus = next(one["id"] for one in exported(club)["players"] if one["name"] == "Gus")
    assert club.write("DELETE", f"/players/{gus}").status_code == 200
    drawn = club.write("POST", f"/evenings/{opened['id']}/draws", {"after": 0}).get_json()
    match = drawn["tables"][0]["match"]
    taken = "(text with a deleted name)"
    assert (club.document(match)["name"], club.document(match)["custom_rules"]) == (taken, ["Snacks", taken])
    assert faults(app) == []
    assert club.write("POST", f"/players/{gus}/restore").status_code == 200
    found = club.document(match)
    assert (found["name"], found["custom_rules"]) == ("With Gus", ["Snacks", "Gus deals twice"])
    assert faults(app) == []


def test_a_file_brings_no_deleted_name_back_with_its_evenings(
    app: Flask, club: ClubOfCast, evening: str, new_club: NewClub
) -> None:
    whole, copied = exported(club), new_club("Copy")
    assert take_in(copied, whole | {"evenings": []}).status_code == 200
    gus = next(one["id"] for one in whole["players"] if one["name"] == "Gus")
    assert copied.write("DELETE", f"/players/{gus}").status_code == 200
    assert take_in(copied, whole).status_code == 200
    (said,) = exported(copied)["evenings"]
    assert said["plan"]["custom_rules"] == ["(text with a deleted name)"]
    assert copied.write("POST", f"/players/{gus}/restore").status_code == 200
    assert exported(copied)["evenings"] == whole["evenings"]
    assert faults(app) == []
    assert evening


# -- matches and clubs -------------------------------------------------------------------------------------------------


def test_a_deleted_match_leaves_its_table_and_a_purged_one_takes_it_along(
    app: Flask, club: ClubOfCast, evening: str
) -> None:
    def look(row: Evening) -> tuple[int, int]:
        session = db.session()
        return len(load_floor(session, row).tables), len(load_standings(session, row))

    whole = exported(club)
    first, second = (drawn["tables"][0]["match"] for drawn in whole["evenings"][0]["draws"])
    assert change(app, club, evening, look) == (3, 9)
    for match in (first, second):
        assert club.write("DELETE", f"/matches/{match}", headers={"If-Match": "*"}).status_code == 200
    assert change(app, club, evening, look) == (2, 6)
    without = exported(club)["evenings"][0]
    assert [len(drawn["tables"]) for drawn in without["draws"]] == [2, 2]
    assert take_in(club, whole).status_code == 200
    assert club.write("POST", f"/matches/{first}/restore").status_code == 200
    assert change(app, club, evening, look) == (2, 9)
    rows = count(app, club)
    with app.app_context():
        purging.purge(db.engine, at_once=True)
        key = db.session.scalars(select(Key).where(Key.club_id == club.id, Key.role == KeyRole.TABLE)).one()
        assert (key.match_id, key.revoked_at) == (None, None), "its phone waits for the next draw"
        db.session.rollback()
    assert count(app, club) == [*rows[:3], rows[3] - 1]
    assert faults(app) == []


def test_nothing_of_an_evening_is_left_of_a_purged_club(app: Flask, club: ClubOfCast, evening: str) -> None:
    assert all(count(app, club))
    assert club.write("DELETE", f"/clubs/{club.id}").status_code == 200
    with app.app_context():
        purging.purge(db.engine, at_once=True)
        for table in Base.metadata.sorted_tables:
            if "evening_id" in table.c or table.name == "evenings":
                left = select(func.count()).select_from(table).where(table.c.club_id == club.id)
                assert db.session.scalar(left) == 0, table.name
        db.session.rollback()
    assert evening


def test_an_evening_that_was_deleted_closes_its_links_and_is_purged_after_thirty_days(
    app: Flask, club: ClubOfCast, evening: str
) -> None:
    unfinished = {"unfinished": dict.fromkeys("123", "left-out")}
    assert club.write("POST", f"/evenings/{evening}/end", unfinished).status_code == 200
    whole = exported(club)
    assert club.write("DELETE", f"/evenings/{evening}").status_code == 204
    assert faults(app) == []
    assert take_in(club, whole).status_code == 200
    assert "evenings" not in exported(club), "a file brings it no more"
    with app.app_context():
        assert not db.session.scalars(select(Key).where(Key.evening_id == evening, Key.revoked_at.is_(None))).all()
        db.session.rollback()
        assert not purging.purge(db.engine)
        assert purging.find_due(db.engine, at_once=True).evenings == 1
        assert purging.purge(db.engine, at_once=True).evenings == 1
    assert count(app, club) == [0, 0, 0, 0]
    assert len(exported(club)["matches"]) == len(whole["matches"])
    assert faults(app) == []


# -- what is unsound ---------------------------------------------------------------------------------------------------


def _end(row: Evening) -> None:
    tables = {table.table: "left-out" for table in load_floor(db.session(), row).waits_for}
    end_evening(db.session(), row, _by(row.club_id), tables)  # type: ignore[arg-type]


def _spoil_input(row: Evening) -> None:
    drawn = db.session.scalars(select(EveningDraw).where(EveningDraw.draw == 1)).one()
    drawn.input = drawn.input | {"players": [NOBODY, *drawn.input["players"][1:]]}
    assert row


def _spoil_met(row: Evening) -> None:
    drawn = db.session.scalars(select(EveningDraw).where(EveningDraw.draw == 2)).one()
    drawn.input = drawn.input | {"met": [[0, 90, 1]]}
    assert row


def _spoil_plan(row: Evening) -> None:
    row.plan = row.plan | {"luck": 1}


def _spoil_key(row: Evening) -> None:
    _end(row)
    db.session.execute(update(Key).where(Key.role == KeyRole.TABLE).values(revoked_at=None))


def _lose_evening_of_key(row: Evening) -> None:
    db.session.execute(update(Key).where(Key.role == KeyRole.TABLE).values(evening_id=NOBODY))
    assert row


def _lose_draw(row: Evening) -> None:
    for table in (DrawTable, EveningDraw):
        db.session.execute(delete(table).where(table.draw == 1))
    assert row


def _merge_by_hand(row: Evening) -> None:
    ada, bo = (db.session.scalars(select(Player).where(Player.name == name)).one() for name in ("Ada", "Bo"))
    ada.merged_into = bo.id
    assert row


def _end_by_hand(row: Evening) -> None:
    row.status = "ended"


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (_spoil_input, f"“input.players” refers to {NOBODY}"),
        (_spoil_met, "The stored data can’t be read"),
        (_spoil_plan, "The stored data can’t be read"),
        (_spoil_key, "still opens a table of evening"),
        (_lose_evening_of_key, f"“evening_id” refers to {NOBODY}"),
        (_lose_draw, "The draws are numbered [2], not 1 to 1"),
        (_merge_by_hand, "was merged into another player"),
        (_end_by_hand, "doesn’t match its status, ended"),
    ],
)
def test_check_names_what_an_evening_cannot_have(
    app: Flask, club: ClubOfCast, evening: str, spoil: Callable[[Evening], None], named: str
) -> None:
    assert faults(app) == []
    change(app, club, evening, spoil)
    found = faults(app)
    assert any(named in fault and club.id in fault for fault in found), found


def test_an_evening_that_has_ended_is_sound(app: Flask, club: ClubOfCast, evening: str) -> None:
    change(app, club, evening, _end)
    assert faults(app) == []
    document = exported(club)
    assert document["evenings"][0]["status"] == "ended"
    assert take_in(club, document).status_code == 200


def test_a_season_of_everyone_deletes_on_its_day_the_names_of_those_who_only_came(
    app: Flask, club: ClubOfCast, evening: str
) -> None:
    assert club.write("POST", "/players", {"name": "Zed"}).status_code == 201
    said = {"name": "Camp", "first_day": "2020-01-01", "names_until": "2020-01-01"}
    assert club.write("POST", "/seasons", said).status_code == 201
    with app.app_context():
        came = begin_evening(db.session(), db.session.get_one(Club, club.id), _by(club.id), ["Xi"])
        db.session.commit()
        assert purging.find_due(db.engine).names == purging.purge(db.engine).names == 11
        assert purging.purge(db.engine).names == 0
        db.session.rollback()
    assert [one["name"] for one in club.read("GET", "/players").get_json()["players"]] == ["Zed"]
    assert came.id != evening
