"""What was acknowledged is there, exactly once, whenever the server dies, and however many write at once.

``REFEREE_KILLS=200`` kills it more often than the short form does; ``REFEREE_SEED`` repeats a run, and
``--log-cli-level=INFO`` tells what came of it.
"""

import logging
import os
import random
import sqlite3
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import create_engine, func, select

from referee.records.ids import new_id
from referee.records.models import Base, ClubImport
from referee.web.commands.main import main
from tests.conftest import DATABASE
from tests.faults.evening import PATIENCE, SEED, Evening, ServerProcess, wait_until

KILLS = int(os.environ.get("REFEREE_KILLS", "3"))
CLIENTS = 16
NEW_MATCHES = 10
"""Kills after which new matches are begun: else, after hundreds, reading the long ones would be all that is done."""


def referee(database: str, folder: Path, *words: str) -> str:
    """Run a command of the host, in this process, and return what it says; whatever serves is another."""
    environment = {"REFEREE_INSTANCE": str(folder / "instance"), "DATABASE_URL": database}
    return CliRunner().invoke(main, words, env=environment).output


def check(database: str, folder: Path) -> str:
    """Run ``referee check`` on the database and return what it says."""
    return referee(database, folder, "check")


@pytest.mark.promise("reliability#killed-again", "reliability#killed-server", "reliability#killed-server-postgresql")
def test_a_server_killed_while_sixteen_write_loses_nothing_and_doubles_nothing(
    server: ServerProcess, database: str, tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    evening = Evening(server)
    unanswered = sent_again = 0
    for kill in range(KILLS):
        if kill % NEW_MATCHES == 0:
            evening.begin(4)
        with evening.playing(CLIENTS, f"{SEED}.{kill}"):
            time.sleep(chance.uniform(0.05, 1.5))
            server.kill()
        server.start()
        unanswered += evening.unanswered()
        sent_again += evening.settle_the_unknown()
        evening.prove()
    evening.prove(evening.acknowledged)
    rounds = sum(map(len, evening.acknowledged.values()))
    logging.info("%d kills, %d rounds, each on record once", KILLS, rounds)
    logging.info("%d posts had no answer and were sent again; %d of them were in already", sent_again, unanswered)
    assert rounds > 0
    assert unanswered <= sent_again
    assert evening.statuses <= {0, 201, 409}
    assert check(database, tmp_path) == "No problems found.\n"


@pytest.mark.promise("reliability#forty-rounds")
def test_forty_rounds_posted_by_eight_at_once_are_numbered_without_gap_or_double(server: ServerProcess) -> None:
    evening = Evening(server).begin(1)
    with evening.playing(8, rounds=5):
        wait_until(lambda: len(evening.acknowledged[evening.matches[0]]) == 40)
    assert evening.statuses <= {201, 409}
    evening.prove()


def document_of(server: ServerProcess, key: str, matches: int) -> dict[str, Any]:
    """Give a club's document with one match over and over, as many rounds as are written in several portions."""
    bearer = {"Authorization": f"Bearer {key}"}
    plan = {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": "classic-500", "target": 100_000}
    match = server.ask("POST", "/api/v1/matches", plan, bearer)[1]["id"]
    for after in range(20):
        entry = {"after": after, "went_out": "Ada", "hands": {"Bo": 5, "Cy": 6, "Di": 7}}
        assert server.ask("POST", f"/api/v1/matches/{match}/rounds", entry, bearer)[0] == 201
    document: dict[str, Any] = server.ask("GET", "/api/v1/export", headers=bearer)[1]
    (one,) = document["matches"]
    again = []
    for hours in range(matches):
        at = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
        rounds = [played | {"id": new_id(at)} for played in one["rounds"]]
        again.append(one | {"id": new_id(at), "rounds": rounds})
    return document | {"matches": again}


@pytest.mark.promise("reliability#cut-off-import")
def test_an_import_killed_half_way_is_taken_back_by_whoever_comes_next(
    server: ServerProcess, database: str, tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    first, second = (
        server.ask("POST", "/api/v1/clubs", {"name": name})[1]["scorekeeper_key"] for name in ("One", "Two")
    )
    document, bearer = document_of(server, first, 100), {"Authorization": f"Bearer {second}"}
    few = document | {"matches": document["matches"][:2]}
    assert server.ask("POST", "/api/v1/import", few, bearer)[0] == 200
    before = server.ask("GET", "/api/v1/export", headers=bearer)[1]
    imports = Base.metadata.tables[ClubImport.__tablename__]
    engine = create_engine(database)
    for _ in range(min(KILLS, 20)):
        sending = threading.Thread(target=server.ask, args=("POST", "/api/v1/import", document, bearer))
        sending.start()
        with engine.connect() as connection:
            deadline = time.monotonic() + PATIENCE
            while not connection.scalar(select(func.count()).select_from(imports)) and time.monotonic() < deadline:
                connection.rollback()
                time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.5))
        server.kill()
        sending.join()
        with engine.begin() as connection:  # half a minute later
            late = imports.update().values(at=datetime.now(UTC) - timedelta(minutes=1))
            assert connection.execute(late).rowcount == 1, "it was killed too early, or too late"
        server.start()
        assert server.ask("GET", "/api/v1/export", headers=bearer)[1] == before
        assert check(database, tmp_path) == "No problems found.\n"
    engine.dispose()
    status, report, _ = server.ask("POST", "/api/v1/import", document, bearer)
    assert (status, report["matches"], report["matches_known"]) == (200, 98, 2)


@pytest.mark.skipif(DATABASE != "sqlite", reason="PostgreSQL brings its own backup")
@pytest.mark.promise("backup#backup-beside-the-app", "reliability#backup-beside")
def test_a_backup_made_while_phones_write_is_one_consistent_state(
    server: ServerProcess, database: str, tmp_path: Path
) -> None:
    evening = Evening(server).begin(4)
    copies: dict[Path, set[str]] = {}
    with evening.playing(8):
        for number in range(2):
            time.sleep(0.5)
            file = tmp_path / f"backup-{number}.db"
            copies[file] = {id for ids in evening.acknowledged.values() for id in list(ids)}
            assert str(file) in referee(database, tmp_path, "backup", str(file))
    for file, acknowledged in copies.items():
        assert check(f"sqlite:///{file}", tmp_path) == "No problems found.\n"
        with closing(sqlite3.connect(file)) as kept:
            assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert kept.execute("PRAGMA foreign_key_check").fetchall() == []
            found = {row[0] for row in kept.execute("SELECT id FROM rounds")}
        assert acknowledged <= found, "what was acknowledged before the copy began is in it"
    assert all(copies.values())
