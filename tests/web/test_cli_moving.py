"""`referee move` takes everything to another database, of either engine, or nothing at all."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Connection, create_engine, make_url, select, update
from sqlalchemy.exc import OperationalError

from referee.records.club.access import create_club
from referee.records.demo.sample import found_demo
from referee.records.models import Base, Club, Key, KeyRole, Player
from referee.records.season import seasons
from referee.records.season.seasons import SeasonDraft
from referee.web.commands import moving
from referee.web.server.database import db
from tests.conftest import app_on, close
from tests.ground.evenings import begin_evening, draw_tables
from tests.web.test_cli_transfer import Run, club, fails_in_one_line, run

__all__ = ["club", "run"]
pytestmark = pytest.mark.database
NO_ADDRESS = {"nonsense": "our database", "engine": "mysql://a@b/c", "no file": "sqlite://"}


@pytest.fixture
def token(app: Flask) -> str:
    """The token of a club with matches, a season and an evening of tables, beside another club."""
    with app.app_context():
        demo = found_demo(db.engine, until=datetime(2026, 11, 1, tzinfo=UTC))
        create_club(db.session(), "Monday")
        club = db.session.scalars(select(Club).where(Club.id == demo.club_id)).one()
        by = db.session.scalars(select(Key).where(Key.club_id == club.id, Key.role == KeyRole.SCOREKEEPER)).first()
        assert by
        seasons.create(db.session(), club, SeasonDraft("Winter", date(2026, 1, 1)), by)
        draw_tables(db.session(), begin_evening(db.session(), club, by, ["Xi", "Yo", "Zoe"]), by)
        db.session.commit()
    close(app)
    return demo.token


@pytest.fixture
def closed(app: Flask, club: str) -> None:
    """A club with a match, and nobody who has the database open."""
    close(app)


def rows_of(address: str) -> Mapping[str, Sequence[str]]:
    """Read every row of every table, as text, in an order of its own."""
    engine = create_engine(address)
    with engine.connect() as connection:
        rows = {
            table.name: sorted(str(dict(row)) for row in connection.execute(select(table)).mappings())
            for table in Base.metadata.sorted_tables
        }
    engine.dispose()
    return rows


def test_everything_goes_along_there_and_back(
    run: Run,
    token: str,
    database: str,
    new_database: Callable[[ExitStack, Path], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = f"sqlite:///{tmp_path}/new folder/referee.db"
    before = rows_of(database)
    assert len(before["rounds"]) > 100
    assert all(before[one] for one in ("seasons", "evenings", "evening_players", "draws", "draw_tables"))
    assert "compared and checked" in run("move", there).output
    assert rows_of(there) == before == rows_of(database)
    app = app_on(there, tmp_path / "instance")
    matches = app.test_client().get("/api/v1/matches", headers={"Authorization": f"Bearer {token}"})
    assert matches.status_code == 200, "keys go on"
    close(app)
    (tmp_path / "back").mkdir()
    with ExitStack() as stack:
        back = new_database(stack, tmp_path / "back")
        monkeypatch.setenv("DATABASE_URL", there)
        said = run("move", back).output
        assert rows_of(back) == before
    assert "Now set DATABASE_URL to" in said


def test_a_move_that_is_interrupted_begins_again(
    run: Run, closed: None, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = f"sqlite:///{tmp_path}/new.db"

    def interrupted(*_: object) -> tuple[int, int]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(moving, "_digest", interrupted)
        run("move", there, fails=True)
    assert not any(rows_of(there).values())
    run("move", there)
    assert rows_of(there) == rows_of(database)


def test_a_server_that_still_runs_has_nothing_moved_away_from_it(
    run: Run, app: Flask, club: str, tmp_path: Path
) -> None:
    there = f"sqlite:///{tmp_path}/new.db"
    fails_in_one_line(run("move", there, fails=True), "is in use")
    close(app)
    run("move", there)


def test_who_comes_during_a_move_writes_nothing_that_would_be_lost(
    run: Run, closed: None, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not database.startswith("postgresql"):
        pytest.skip("a file of SQLite is held alone")
    there, copy = f"sqlite:///{tmp_path}/new.db", moving._copy
    engine = create_engine(database)
    with ExitStack() as stack:

        def copied(source: Connection, target: Connection) -> int:
            fails_in_one_line(run("move", f"sqlite:///{tmp_path}/second.db", fails=True), "is in use")
            server = stack.enter_context(engine.connect())
            assert server.scalar(select(Club.name))
            server.exec_driver_sql("SET LOCAL lock_timeout = '200ms'")
            with pytest.raises(OperationalError, match="lock timeout"):
                server.execute(update(Club).values(name="Written during the move"))
            server.rollback()
            return copy(source, target)

        with monkeypatch.context() as patched:
            patched.setattr(moving, "_copy", copied)
            fails_in_one_line(run("move", there, fails=True), "is in use")
        assert not any(rows_of(there).values())
    engine.dispose()
    run("move", there)
    assert rows_of(there) == rows_of(database)


def test_what_differs_afterwards_was_not_moved(
    run: Run, closed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, digests = f"sqlite:///{tmp_path}/new.db", iter(range(1000))
    monkeypatch.setattr(moving, "_digest", lambda *_: (0, next(digests)))
    fails_in_one_line(run("move", there, fails=True), "the table clubs differs. Nothing was moved.")
    assert not any(rows_of(there).values())


def test_the_settings_name_the_new_database_and_keep_their_other_lines(
    run: Run, closed: None, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL")
    settings = tmp_path / "instance" / "config.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(f'# of our club\nport = 8001\ndatabase_url = "{database}" # there\n', "utf-8")
    settings.chmod(0o640)
    there = f"sqlite:///{tmp_path}/new.db"
    monkeypatch.chdir(tmp_path)
    assert f"{settings} names the new database" in run("move", "sqlite:///new.db").output
    assert settings.read_text("utf-8") == f'# of our club\nport = 8001\ndatabase_url = "{there}" # there\n'
    assert settings.stat().st_mode & 0o777 == 0o640, "who read it before reads it now"
    assert f'"{database}"' in settings.with_name("config.toml.before").read_text("utf-8")
    assert tomllib.loads(settings.read_text("utf-8")) == {"port": 8001, "database_url": there}
    assert "No problems found" in run("check").output


@pytest.mark.parametrize("wrong", ["same", "taken", "nonsense", "engine", "no file", "away", "open", "older"])
def test_what_cannot_be_moved_is_one_line(run: Run, closed: None, database: str, tmp_path: Path, wrong: str) -> None:
    other = tmp_path / "other.db"
    there, said = f"sqlite:///{other}", ""
    if wrong == "same":
        there = database
        said = "There is nothing to move" if database.startswith("sqlite") else "is in use|nothing to move"
    elif wrong == "taken":
        run("move", there)
        said = "isn’t empty"
    elif wrong in NO_ADDRESS:
        there, said = NO_ADDRESS[wrong], "isn’t the address of a database"
    elif wrong == "away":
        there, said = "postgresql://a@127.0.0.1:1/b", "Can’t open the database"
    elif wrong == "open":
        opened = app_on(there, tmp_path / "instance")
        said = "is in use"
    else:
        close(app_on(there, tmp_path / "instance"))
        engine = create_engine(there)
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")
        engine.dispose()
        said = "have version 0001"
    result = run("move", there, fails=True)
    assert result.output.count("\n") == 1
    assert any(one in result.output for one in said.split("|"))
    if wrong == "open":
        close(opened)


def test_a_text_that_postgresql_refuses_is_named_before_anything_is_written(
    run: Run,
    closed: None,
    database: str,
    new_database: Callable[[ExitStack, Path], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if make_url(database).get_backend_name() != "postgresql":
        pytest.skip("about PostgreSQL")
    there = f"sqlite:///{tmp_path}/new.db"
    run("move", there)
    engine = create_engine(there)
    with engine.begin() as connection:
        names = connection.scalars(select(Player.name).order_by(Player.name)).all()
        for name, wrong in zip(names[:2], ("Ada\0", "x" * 50), strict=True):
            connection.execute(update(Player).where(Player.name == name).values(name=wrong))
    engine.dispose()
    monkeypatch.setenv("DATABASE_URL", there)
    (tmp_path / "back").mkdir()
    with ExitStack() as stack:
        back = new_database(stack, tmp_path / "back")
        refused = run("move", back, fails=True).output
        assert refused.count("doesn’t take the text in players.name, row ") == 2
        assert not any(rows_of(back).values())
