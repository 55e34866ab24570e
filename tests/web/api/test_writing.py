"""How requests write: nothing is read, checked or drawn while others have to wait, and a long match costs no more."""

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import insert, update

from referee.records.errors import MOST_ROUNDS
from referee.records.ids import new_id
from referee.records.match import matches, plans, rounds, rulings
from referee.records.match.tallies import add_up, tally_of
from referee.records.models import IdempotentAnswer, Match, Round, RoundScore, RoundVersion
from referee.web.api import round_resource, shapes
from referee.web.server.database import TRIES, db
from tests.conftest import DATABASE
from tests.ground.listening import listening
from tests.web.api.conftest import ADA_GOES_OUT, ClubOfCast

pytestmark = pytest.mark.usefixtures("database")


@contextmanager
def asked(app: Flask) -> Iterator[list[str]]:
    """Collect what the database is asked, beginnings and ends of transactions too."""
    said: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        said.append(" ".join(statement.split()))

    def commit(_connection: Any) -> None:
        said.append("COMMIT")

    with listening(app, "before_cursor_execute", note), listening(app, "commit", commit):
        yield said


def under_the_lock(said: list[str]) -> list[str]:
    """Give what was asked between taking SQLite's write lock and the end of that transaction."""
    inside, found = False, []
    for statement in said:
        if statement == "BEGIN IMMEDIATE":
            inside = True
        elif statement in ("COMMIT", "ROLLBACK"):
            inside = False
        elif inside:
            found.append(statement)
    return found


def lengthen(app: Flask, match: str, rounds: int) -> None:
    """Give a match of one round so many, all like the first and worth a point, so that they reach no target."""
    with app.app_context():
        session = db.session()
        first = session.scalars(db.select(Round).where(Round.match_id == match)).one()
        version = session.execute(db.select(RoundVersion.__table__).filter_by(round_id=first.id)).one()._asdict()
        scores = [
            row._asdict()
            for row in session.execute(db.select(RoundScore.__table__).where(RoundScore.match_id == match))
        ]
        own = {"club_id": first.club_id, "match_id": match}
        places = range(2, rounds + 1)
        ids = {place: new_id() for place in places}
        session.execute(insert(Round), [own | {"id": ids[place], "place": place} for place in places])
        session.execute(insert(RoundVersion), [version | {"round_id": ids[place]} for place in places])
        brought = [score | {"place": place, "points": 1} for place in places for score in scores]
        session.execute(insert(RoundScore), brought)
        session.execute(update(Match).where(Match.id == match).values(revision=Match.revision + 1, tally=None))
        session.commit()


@pytest.mark.skipif(DATABASE != "sqlite", reason="only SQLite has one lock for all clubs")
def test_under_the_lock_a_round_is_written_and_nothing_else(app: Flask, club: ClubOfCast) -> None:
    match = club.match(target=10_000)
    first = club.record(match, 0)
    assert first.status_code == 201
    played = first.get_json()["round"]["id"]
    path = f"/matches/{match}/rounds"
    body = {"after": 1} | dict(ADA_GOES_OUT)
    newest = {"If-Match": "*"}
    for method, to, json, headers, status in (
        ("POST", path, body, {"Idempotency-Key": "tap"}, 201),
        ("PUT", f"{path}/{played}", dict(ADA_GOES_OUT), newest, 200),
        ("DELETE", f"{path}/{played}", None, newest, 200),
        ("POST", f"{path}/{played}/restore", None, newest, 200),
    ):
        with asked(app) as said:
            assert club.write(method, to, json, headers=headers).status_code == status
        key, *written = under_the_lock(said)
        assert key.startswith("SELECT keys.id FROM keys")
        assert len(written) >= 3
        assert {statement.split()[0] for statement in written} <= {"UPDATE", "INSERT", "DELETE"}, written


@pytest.mark.skipif(DATABASE != "sqlite", reason="only SQLite has one lock for all clubs")
def test_the_round_that_ends_a_match_reads_ratings_under_the_lock_and_no_rounds(app: Flask, club: ClubOfCast) -> None:
    match = club.match(target=100)
    with asked(app) as said:
        assert club.record(match, 0).get_json()["match"]["status"] == "finished"
    key, *read = [statement for statement in under_the_lock(said) if statement.startswith("SELECT")]
    assert key.startswith("SELECT keys.id FROM keys")
    assert 0 < len(read) <= 4
    assert not any("round" in statement.partition(" FROM ")[2] for statement in read), read


def test_a_round_costs_the_same_in_a_short_match_and_in_a_full_one(app: Flask, club: ClubOfCast) -> None:
    costs = []
    for length in (10, MOST_ROUNDS - 3):
        match = club.match(target=100_000)
        assert club.record(match, 0).status_code == 201
        lengthen(app, match, length)
        body = {"after": length} | dict(ADA_GOES_OUT)
        path = f"/matches/{match}/rounds"
        assert club.write("POST", path, body).status_code == 201  # adds up what it finds
        for at, headers in enumerate(({}, {"Prefer": "return=minimal"}), 1):
            with asked(app) as said:
                once = {"Idempotency-Key": f"{match}{at}"}
                answer = club.write("POST", path, body | {"after": length + at}, headers=once | headers)
            assert answer.status_code == 201
            assert ("match" in answer.json, answer.headers.get("Preference-Applied")) == (  # type: ignore[operator]
                (False, "return=minimal") if headers else (True, None)
            )
            assert answer.get_json()["round"]["number"] == length + 1 + at
            assert not any("sum(" in statement or "count(" in statement for statement in said)
            costs.append((len(said), len(answer.get_data()) // 100))
        with app.app_context():
            kept = db.session.scalars(db.select(IdempotentAnswer.body).where(IdempotentAnswer.key == f"{match}1")).one()
            costs.append((len(zlib.decompress(kept)), 0))
    assert costs[:3] == costs[3:]


def test_the_same_hands_in_another_order_are_the_same_round(club: ClubOfCast) -> None:
    match = club.match()
    once = {"Idempotency-Key": "tap"}
    body = {"after": 0, "went_out": "Ada", "hands": {"Bo": ["7", "skip"], "Cy": ["3"], "Di": []}}
    first = club.write("POST", f"/matches/{match}/rounds", body, headers=once, status=201)
    turned = {"hands": {"Di": [], "cy": ["3"], "Bo": ["skip", "7"]}, "went_out": "Ada", "after": 0}
    assert club.write("POST", f"/matches/{match}/rounds", turned, headers=once).json == first.json
    for other in ({"Bo": ["7"], "Cy": ["3", "skip"], "Di": []}, {"Bo": ["7", "7", "skip"], "Cy": ["3"], "Di": []}):
        assert club.write("POST", f"/matches/{match}/rounds", body | {"hands": other}, headers=once).status_code == 409


def test_a_tally_that_another_program_left_behind_is_not_believed(app: Flask, club: ClubOfCast) -> None:
    match = club.match(target=100_000)
    assert club.record(match, 0).status_code == 201
    with app.app_context():
        found = db.session.get_one(Match, (club.id, match))
        assert tally_of(db.session(), found) == add_up(db.session(), found)
        assert found.tally is not None
        wrong = found.tally | {"points": {"0": 999}}
        db.session.execute(update(Match).values(tally=wrong, revision=Match.revision + 1))
        db.session.commit()
    assert club.totals(match)["Ada"] == 109
    assert club.record(match, 1).status_code == 201
    assert club.totals(match)["Ada"] == 218


@pytest.mark.skipif(DATABASE != "sqlite", reason="the other writer comes by SQLite's own module")
def test_a_key_that_is_locked_out_while_a_request_is_worked_out_writes_nothing(
    app: Flask, club: ClubOfCast, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = club.match()
    drafted = rounds.draft_round

    def locked_out_meanwhile(*given: Any, **options: Any) -> Any:
        draft = drafted(*given, **options)
        with sqlite3.connect(database_of(app)) as other:
            other.execute("UPDATE keys SET revoked_at = '2026-01-01 00:00:00' WHERE role = 'scorekeeper'")
        other.close()
        return draft

    monkeypatch.setattr(rounds, "draft_round", locked_out_meanwhile)
    assert club.record(match, 0).status_code == 401
    assert club.document(match)["rounds"] == []


@pytest.mark.skipif(DATABASE != "sqlite", reason="the other writer comes by SQLite's own module")
def test_a_round_is_scored_anew_when_the_match_moved_meanwhile(
    app: Flask, club: ClubOfCast, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = club.match()
    drafted, drafts = rounds.draft_round, []

    def moved_meanwhile(*given: Any, **options: Any) -> Any:
        drafts.append(drafted(*given, **options))
        if len(drafts) < 20 and not is_locked(app):
            with sqlite3.connect(database_of(app)) as other:
                other.execute("UPDATE matches SET revision = revision + 1")
            other.close()
        return drafts[-1]

    monkeypatch.setattr(rounds, "draft_round", moved_meanwhile)
    answer = club.record(match, 0)
    assert answer.status_code == 201
    assert len(drafts) == TRIES + 1, "in the end the lock is taken first"
    assert answer.get_json()["match"] == club.head(match)


def database_of(app: Flask) -> str:
    with app.app_context():
        return str(db.engine.url.database)


def is_locked(app: Flask) -> bool:
    """Tell whether someone holds SQLite's write lock."""
    other = sqlite3.connect(database_of(app), timeout=0, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
        return False
    except sqlite3.OperationalError:
        return True
    finally:
        other.close()


@pytest.mark.skipif(DATABASE != "sqlite", reason="only SQLite has one lock for all clubs")
def test_nothing_is_agreed_heard_or_scored_under_the_lock(
    app: Flask, club: ClubOfCast, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked: list[tuple[str, bool]] = []

    def watch(module: Any, name: str) -> None:
        really = getattr(module, name)

        def watched(*given: Any, **options: Any) -> Any:
            worked.append((name, is_locked(app)))
            return really(*given, **options)

        monkeypatch.setattr(module, name, watched)

    watch(plans, "agree")
    watch(matches, "agree")
    watch(rulings, "rule")
    watch(rounds, "score_round")
    watch(shapes, "respond")
    watch(round_resource, "respond")
    match = club.match()
    path = f"/matches/{match}"
    assert club.record(match, 0).status_code == 201
    ruling = {"dispute": "played-card-effect", "facts": {"players": 4, "played": "red-skip"}}
    assert club.write("POST", f"{path}/rulings", ruling).status_code == 201
    assert club.write("POST", f"{path}/amendments", {"target": 300}).status_code == 201
    assert club.write("POST", f"{path}/finish").status_code == 200
    assert {name for name, _ in worked} == {"agree", "rule", "score_round", "respond"}
    assert [name for name, locked in worked if locked] == []
