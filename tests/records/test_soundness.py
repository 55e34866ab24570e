"""``referee check`` finds nothing in what the app wrote, and names whatever someone spoiled."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import select, text, update

from referee.records.club import access
from referee.records.deletion.purging import purge
from referee.records.models import Base, Club, Key, Player, RoundVersion, Ruling, now
from referee.records.soundness import find_faults
from referee.web.commands.main import main
from referee.web.server.database import db
from tests.ground.each import check_each
from tests.web.api.conftest import ClubOfCast, club, new_club  # noqa: F401 - fixtures

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def evening(club: ClubOfCast) -> ClubOfCast:  # noqa: F811
    """One match finished after three rounds, one of them corrected and one struck; one in progress."""
    finished = club.match(target=150)
    for after in range(2):
        club.record(finished, after)
    rounds = club.document(finished)["rounds"]
    address = f"/matches/{finished}/rounds"
    entry = {"after": 0, "went_out": "Bo", "hands": {"Ada": ["9"], "Cy": ["3"], "Di": ["4"]}}
    club.write("PUT", f"{address}/{rounds[0]['id']}", entry, headers=club.etag(finished))
    club.write("DELETE", f"{address}/{rounds[1]['id']}", headers=club.etag(finished))
    for after in (1, 2):
        club.record(finished, after)
    assert club.document(finished)["status"] == "finished"
    club.record(club.match(), 0)
    return club


def faults(app: Flask, spoil: Callable[[], object] = lambda: None) -> list[str]:
    """List the faults of the database, once something in it is spoiled; that is taken back."""
    with app.app_context():
        spoil()
        db.session.flush()
        found = list(find_faults(db.session()))
        db.session.rollback()
    return found


def names_each(app: Flask, evening: ClubOfCast, spoiled: Sequence[tuple[str, str]]) -> None:
    """Spoil a row of the club by each statement, and fail where no fault has the words beside it."""

    def check(case: tuple[str, str]) -> None:
        statement, named = case
        found = faults(app, lambda: db.session.execute(text(statement)))
        assert any(named in fault and evening.id in fault for fault in found), found

    check_each(spoiled, check, lambda case: case[0])
    assert faults(app) == []


def test_what_the_app_wrote_is_sound(app: Flask, evening: ClubOfCast) -> None:
    assert evening.id
    assert faults(app) == []


SPOILED = (
    ("UPDATE round_scores SET points = points + 1 WHERE place = 1 AND seat = 1", "Bo has"),
    ("UPDATE match_results SET total = 7 WHERE seat = 0", "The result gives Ada 7 points"),
    ("UPDATE match_results SET rank = 3 WHERE seat = 0", "The result ranks Ada 3"),
    ("DELETE FROM match_results WHERE seat = 2", "Cy has no result"),
    ("UPDATE matches SET status = 'in-progress'", "There is a result"),
    ("UPDATE match_sums SET catch_max = 7", "The totals stored for statistics"),
    ("DELETE FROM match_sums", "The totals stored for statistics"),
    ("UPDATE matches SET summed = NULL WHERE status = 'finished'", "The totals stored for statistics"),
    ("UPDATE matches SET revision = revision + 1 WHERE status = 'finished'", "The totals stored for statistics"),
    ("UPDATE match_results SET met = replace(met, '+', '-')", "disagree on who did better"),
    ("UPDATE rounds SET place = place + 10", "not 1 to"),
    ("UPDATE rounds SET struck = NOT struck", "disagree on whether it is struck"),
    ("UPDATE rounds SET version = 9 WHERE place = 1", "not 1 to 9"),
    ("UPDATE keys SET revoked_at = created_at", "No phone can keep score"),
    ("UPDATE keys SET digest = id", "isn’t stored as a SHA-256"),
    ("UPDATE keys SET role = 'king' WHERE role = 'spectator'", "unknown role “king”"),
    ("UPDATE round_versions SET entered_by = '0000000000000000'", "which doesn’t exist"),
)


def test_what_was_spoiled_is_named(app: Flask, evening: ClubOfCast) -> None:
    names_each(app, evening, SPOILED)


NOWHERE = (
    ("UPDATE matches SET rematch_of = '0000000000000000'", "“rematch_of” refers to 0000000000000000"),
    ('UPDATE match_events SET details = \'{"player": "0000000000000000"}\'', "“player” refers to 0000000000000000"),
    ("UPDATE rulings SET rulebook_digest = 'none'", "“rulebook_digest” refers to none"),
    ("UPDATE match_events SET by = '0000000000000000'", "Some match_events were written with key 0000000000000000"),
    ("UPDATE players SET merged_into = (SELECT id FROM players WHERE name = 'Ada') WHERE name = 'Bo'", "Bo has a seat"),
    ("UPDATE players SET merged_into = (SELECT max(id) FROM players)", "was merged into a player who was merged, too"),
    ("UPDATE round_scores SET player_id = (SELECT id FROM players WHERE name = 'Eva') WHERE seat = 1",
     "Bo played this, but it’s stored for another player"),
    ("UPDATE match_results SET player_id = (SELECT id FROM players WHERE name = 'Eva') WHERE seat = 1",
     "Bo played this, but it’s stored for another player"),
    ("UPDATE matches SET dealer_seat = 9", "“dealer_seat” is seat 9, which this match doesn’t have"),
    ("UPDATE rulings SET seats = '{\"offender\": 9}'", "“offender” is seat 9, which this match doesn’t have"),
)  # fmt: skip


def test_what_refers_to_nothing_or_to_someone_else_is_named(app: Flask, evening: ClubOfCast) -> None:
    """As exports from before a merge, purges and files of other programs could leave it."""
    match = evening.match()
    ruling = {"dispute": "played-card-effect", "facts": {"players": 4, "played": "red-skip"}, "accepted": True}
    assert evening.write("POST", f"/matches/{match}/rulings", ruling).status_code == 201
    assert evening.write("POST", f"/matches/{match}/players", {"player": "Fay", "total": 5}).status_code == 201
    assert evening.write("POST", "/players", {"name": "Eva"}).status_code == 201
    names_each(app, evening, NOWHERE)


def test_the_rematch_of_a_purged_match_is_sound(app: Flask, evening: ClubOfCast) -> None:
    match = evening.match()
    assert evening.write("POST", f"/matches/{match}/rematch").status_code == 201
    assert evening.write("DELETE", f"/matches/{match}").status_code == 200
    assert faults(app) == []
    with app.app_context():
        purge(db.engine, at_once=True)
    assert faults(app) == []


def test_who_met_whom_is_sound_after_a_merge_of_players(app: Flask, evening: ClubOfCast) -> None:
    """The ids of three who met are in another order then."""
    assert evening.write("POST", "/players", {"name": "Eva"}).status_code == 201
    people = {one["name"]: one["id"] for one in evening.read("GET", "/players").get_json()["players"]}
    assert evening.write("POST", f"/players/{people['Bo']}/merge", {"into": people["Eva"]}).status_code == 200
    assert faults(app) == []


def test_a_deleted_name_of_someone_merged_is_sound(app: Flask, evening: ClubOfCast) -> None:
    """As release 1.0.0 leaves it, which deleted that name alone."""
    assert evening.write("POST", "/players", {"name": "Eva"}).status_code == 201
    people = {one["name"]: one["id"] for one in evening.read("GET", "/players").get_json()["players"]}
    assert evening.write("POST", f"/players/{people['Eva']}/merge", {"into": people["Bo"]}).status_code == 200

    def spoil() -> None:
        eva = db.session.scalars(select(Player).where(Player.name == "Eva")).one()
        eva.deleted_at, eva.deleted_name, eva.name = now(), "Eva", "Former player 1"

    assert faults(app, spoil) == []


def test_the_command_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_INSTANCE", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    sound = CliRunner().invoke(main, ["check"])
    assert (sound.exit_code, sound.output) == (0, "No problems found.\n")


UNSHOWABLE = (
    ("UPDATE match_events SET id = 'zzzzzzzzzzzzzzzz'", "The id zzzzzzzzzzzzzzzz in match_events"),
    ("UPDATE matches SET started_at = '9021-01-01 00:00:00.000000'", "started_at in matches is 9021-01-01"),
    ("UPDATE players SET created_at = '1021-01-01 00:00:00.000000'", "created_at in players is 1021-01-01"),
    ("UPDATE clubs SET import_id = '0000000000000000'", "A file is being imported, or an import was interrupted"),
)


def test_what_no_page_could_show_is_named(app: Flask, evening: ClubOfCast) -> None:
    assert evening.write("POST", f"/matches/{evening.match()}/finish").status_code == 200
    names_each(app, evening, UNSHOWABLE)


@pytest.mark.promise("security#forged-files")
def test_points_that_the_rules_do_not_give_are_named(app: Flask, evening: ClubOfCast) -> None:
    with app.app_context():
        version = db.session.scalars(select(RoundVersion).where(RoundVersion.version == 1)).first()
        assert version is not None
        version.score = version.score | {"points": {"0": 7, "1": 0, "2": 0, "3": 0}}
        db.session.commit()
    assert any("version 1: Ada gets 7; by the rules it should be 109." in fault for fault in faults(app))


KEYS: Mapping[type[Base], Mapping[str, Sequence[str]]] = {
    RoundVersion: {
        "entry": ["ended", "went_out", "hands", "hands.1", "cards_left", "last_card", "credited_to", "sat_out"],
        "score": ["hands", "points", "points.0", "points.2", "credited_to", "winners"],
    },
    Ruling: {"ruling": ["status", "verdict", "summary", "outcome", "orders", "orders.0.role", "steps", "steps.0.text"]},
}
"""Keys of our JSON, which early releases replaced where a deleted player was called so."""


def test_a_key_that_a_deleted_name_replaced_is_named(app: Flask, evening: ClubOfCast) -> None:
    ruling = {"dispute": "played-card-effect", "facts": {"players": 4, "played": "red-skip"}, "accepted": True}
    match = evening.match()
    evening.record(match, 0)
    assert evening.write("POST", f"/matches/{match}/rulings", ruling).status_code == 201

    def check(case: tuple[type[Base], str, str]) -> None:
        found = faults(app, lambda: replace_key(*case))
        assert any(evening.id in fault and match in fault for fault in found), found

    cases = [(table, column, path) for table, columns in KEYS.items() for column in columns for path in columns[column]]
    check_each(cases, check)
    assert faults(app) == []


def replace_key(table: type[Base], column: str, path: str) -> None:
    """Replace a key in the JSON of the newest row."""
    row = db.session.scalars(select(table).order_by(table.__mapper__.primary_key[1].desc())).first()
    whole = json.loads(json.dumps(getattr(row, column)))
    part, *above = reversed(path.split("."))
    inner = whole
    for step in reversed(above):
        inner = inner[int(step) if isinstance(inner, list) else step]
    inner["Former player 1"] = inner.pop(part)
    setattr(row, column, whole)


@pytest.mark.parametrize(
    ("spoiled", "named"),
    [({"deleted_name": "Bo"}, "The name “Bo” is still marked as deleted"), ({"name": "A\nB"}, "which isn’t allowed")],
)
def test_a_name_that_was_half_restored_is_named(
    app: Flask, evening: ClubOfCast, spoiled: dict[str, str], named: str
) -> None:
    with app.app_context():
        (bo,) = db.session.scalars(select(Player).where(Player.name == "Bo"))
        for name, value in spoiled.items():
            setattr(bo, name, value)
        db.session.commit()
    assert any(named in fault for fault in faults(app))
    assert evening.id


def test_a_name_left_when_that_of_whose_it_became_was_deleted_is_named(app: Flask, evening: ClubOfCast) -> None:
    evening.match(players=["Ada", "Robert"])
    evening.match(players=["Ada", "Marigold"])
    ids = {one["name"]: one["id"] for one in evening.read("GET", "/players").get_json()["players"]}
    assert evening.write("POST", f"/players/{ids['Robert']}/merge", {"into": ids["Marigold"]}).status_code == 200
    assert evening.write("DELETE", f"/players/{ids['Marigold']}").status_code == 200
    assert faults(app) == []
    with app.app_context():
        robert = db.session.get_one(Player, (evening.id, ids["Robert"]))
        robert.name, robert.folded_name, robert.deleted_name = "Robert", "robert", None
        db.session.commit()
    assert any("The name “Robert” is still there" in fault for fault in faults(app))


def test_two_recovery_sheets_are_named(app: Flask, evening: ClubOfCast) -> None:
    with app.app_context():
        club = db.session.get_one(Club, evening.id)
        for _ in range(2):
            access.make_recovery_key(db.session(), club)
        db.session.commit()
        assert list(find_faults(db.session())) == []
        db.session.execute(update(Key).where(Key.recovers).values(revoked_at=None))
        db.session.commit()
    assert any("More than one recovery sheet" in fault for fault in faults(app))
