"""The database is made at the first start, tuned, and never changed without being told."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Connection, event, inspect, text
from sqlalchemy.exc import OperationalError

from referee import create_app
from referee.paths import CHECKOUT
from referee.records.models import Base
from referee.records.transactions import BEGIN, HEAD
from referee.web.server.database import MIGRATING, UnusableDatabase, db, save
from tests.conftest import DATABASE, MakeApp
from tests.ground.client import Client
from tests.web.test_score import Sheet

only_sqlite = pytest.mark.skipif(DATABASE != "sqlite", reason="about SQLite")


def start(folder: Path) -> Flask:
    return create_app({"SECRET_KEY": "x", "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder / 'new' / 'referee.db'}"})


def close(app: Flask) -> None:
    with app.app_context():
        db.engine.dispose()


def test_an_empty_database_gets_its_tables_and_version(tmp_path: Path) -> None:
    app = start(tmp_path)
    with app.app_context():
        assert set(inspect(db.engine).get_table_names()) == {*Base.metadata.tables, "alembic_version"}
        assert db.session.scalar(text("SELECT version_num FROM alembic_version")) == HEAD
        db.session.remove()
    close(app)


def rights(folder: Path) -> dict[str, int]:
    """Say who may do what with each file of a folder, and with the folder itself."""
    return {file.name: file.stat().st_mode & 0o777 for file in (folder, *folder.iterdir())}


@pytest.mark.promise("security#private-files")
def test_the_database_and_what_stands_beside_it_are_their_owners_only(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    before = os.umask(0)  # the most generous system there is
    try:
        app = start(tmp_path)
        with app.app_context():
            db.session.execute(text("INSERT INTO clubs (id, name, created_at) VALUES ('a', 'Ada', '2026-11-21 12:00')"))
            db.session.commit()
            assert rights(folder) == {
                "new": 0o700, "referee.db": 0o600, "referee.db-wal": 0o600, "referee.db-shm": 0o600,
                "referee.db.lock": 0o600,
            }  # fmt: skip
            for file in folder.iterdir():
                file.chmod(0o644)  # as earlier releases left them
            close(start(tmp_path))
            assert set(rights(folder).values()) == {0o700, 0o600}
            db.session.remove()
        close(app)
        folder.chmod(0o755)
        close(start(tmp_path))
        assert rights(folder)["new"] == 0o755, "a folder that someone else made is theirs to open"
    finally:
        os.umask(before)


def test_a_second_start_changes_nothing(make_app: MakeApp) -> None:
    with make_app().app_context():
        db.session.execute(text("INSERT INTO clubs (id, name, created_at) VALUES ('a', 'Ada', '2026-11-21 12:00:00')"))
        db.session.commit()
    with make_app().app_context():
        assert db.session.scalar(text("SELECT count(*) FROM clubs")) == 1


def test_several_servers_may_start_at_once(tmp_path: Path) -> None:
    code = "from referee import create_app; create_app()"
    environment = os.environ | {"REFEREE_INSTANCE": str(tmp_path)}
    servers = [subprocess.Popen([sys.executable, "-c", code], cwd=CHECKOUT, env=environment) for _ in range(4)]
    assert [server.wait(60) for server in servers] == [0, 0, 0, 0]


def test_an_old_database_is_refused_with_the_command_that_mends_it(make_app: MakeApp) -> None:
    app = make_app()
    with app.app_context():
        db.session.execute(text("UPDATE alembic_version SET version_num = '0000'"))
        db.session.commit()
    with pytest.raises(UnusableDatabase, match="run db upgrade"):
        make_app()
    make_app(**{MIGRATING: True})


@pytest.mark.parametrize(("version", "refused"), [("9999_from_0001", False), ("9999_from_9998", True), ("9999", True)])
def test_a_database_ahead_of_the_program_is_used_where_it_was_made_to_bear_that(
    make_app: MakeApp, version: str, refused: bool
) -> None:
    app = make_app()
    with app.app_context():
        db.session.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})
        db.session.commit()
    if refused:
        with pytest.raises(UnusableDatabase, match=f"{version}, and this program needs {HEAD}. Install"):
            make_app()
    else:
        assert make_app().test_client().get("/readyz").status_code == 200


@only_sqlite
def test_sqlite_keeps_foreign_keys_and_what_it_acknowledged(app: Flask) -> None:
    with app.app_context():
        names = ("foreign_keys", "journal_mode", "synchronous")
        told = {name: db.session.scalar(text(f"PRAGMA {name}")) for name in names}
    assert told == {"foreign_keys": 1, "journal_mode": "wal", "synchronous": 2}


@only_sqlite
def test_sqlite_counts_the_rows_of_grown_tables_when_it_closes(client: Client, database: str) -> None:
    sheet = Sheet(client)
    assert client.get(sheet.address).status_code == 200
    with client.application.app_context():
        db.session.remove()
        db.engine.dispose()
        counted = db.session.scalars(text("SELECT DISTINCT tbl FROM sqlite_stat1")).all()
        db.session.remove()
    assert "seats" in counted


@only_sqlite
def test_a_request_takes_the_lock_where_it_saves_and_nowhere_else(make_app: MakeApp) -> None:
    app = make_app()
    begun: list[str] = []

    def note() -> str:
        db.session.execute(text("SELECT 1"))
        begun.append("read")
        other = db.engine.execution_options(**{BEGIN: "IMMEDIATE"})
        raw = other.raw_connection()
        try:
            raw.execute("PRAGMA busy_timeout=0")
            raw.execute("BEGIN IMMEDIATE")
            raw.execute("ROLLBACK")
        except Exception as error:
            return str(error)
        finally:
            raw.invalidate()
        return "free"

    app.add_url_rule("/api/v1/note", "note", note, methods=["GET", "POST"])
    app.add_url_rule("/api/v1/saved", "saved", lambda: save(note), methods=["POST"])
    client = app.test_client()
    assert client.get("/api/v1/note").text == "free"
    assert client.post("/api/v1/note").text == "free"
    assert "locked" in client.post("/api/v1/saved").text


def test_a_database_that_goes_away_behind_an_answer_leaves_the_answer(make_app: MakeApp) -> None:
    app = make_app()
    gone = OperationalError("ROLLBACK", {}, Exception("server closed the connection"))

    def fail(_connection: Connection) -> None:
        raise gone

    @app.get("/read")
    def read() -> str:
        db.session.execute(text("SELECT 1"))
        return "read"

    with app.app_context():
        engine = db.engine
    event.listen(engine, "rollback", fail)
    answer = app.test_client().get("/read")
    event.remove(engine, "rollback", fail)
    assert (answer.status_code, answer.text) == (200, "read")
    assert app.test_client().get("/read").status_code == 200
