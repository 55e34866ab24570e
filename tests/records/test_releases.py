"""A database that an earlier release made is brought up to date and is whole (see ``releases/README.md``)."""

import gzip
import itertools
import json
import re
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from click.testing import CliRunner
from flask import Flask, url_for
from sqlalchemy import JSON, Boolean, Date, DateTime, Engine, MetaData, create_engine, insert, select, update

from referee import __version__
from referee.paths import MIGRATIONS
from referee.records.transactions import HEAD, works_on
from referee.web.commands.main import main
from referee.web.server.database import UnusableDatabase, tune_sqlite
from tests.conftest import MakeApp
from tests.ground.client import browser_of
from tests.records.test_migrations import alembic, engine  # noqa: F401 - a fixture
from tests.records.test_soundness import faults
from tests.web.api.conftest import Api
from tools.releasing import cutting, played

RELEASES = Path(__file__).parent / "releases"


def test_a_migration_that_was_released_is_never_edited() -> None:
    assert cutting.digests().items() >= cutting.released().items(), "a change of the tables is a migration of its own"


def test_every_release_left_its_database_and_its_migrations() -> None:
    numbers = set(re.findall(r"^## (\d+\.\d+\.\d+) \(", cutting.CHANGELOG.read_text("utf-8"), re.MULTILINE))
    kept = {file.name.removesuffix(".sql.gz") for file in RELEASES.glob("*.sql.gz")}
    assert numbers | {"0.1.0"} == kept == {file.stem for file in RELEASES.glob("*.json")} - {cutting.DIGESTS.stem}
    assert __version__ in kept
    tables = {revision_of(release) for release in kept}
    fixed = {name.split("_make_")[0] for name in cutting.released()}
    assert all(any(name.startswith(table) for name in fixed) for table in tables)


def test_the_matches_of_the_next_release_can_be_played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(played, "RELEASES", tmp_path)
    empty = played.keep()
    first = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    for file in tmp_path.iterdir():
        file.unlink()
    played.keep()
    again = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert again == first, "two cuts of one commit have the same bytes"
    assert sorted(empty) == ["club_imports", "deletions"], "every other table has something to bring"


def test_a_release_is_cut_in_one_step_and_not_twice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    files = {"CHANGELOG": "# Changelog\n\n## Unreleased\n\n### Added\n\n- It.\n", "PLACE": '__version__ = "0.1.0"\n'}
    for name, text in files.items():
        monkeypatch.setattr(cutting, name, tmp_path / name)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(cutting, "__version__", "0.1.0")
    monkeypatch.setattr(cutting, "DIGESTS", tmp_path / "migrations.json")
    (tmp_path / "migrations.json").write_text(json.dumps({"0001_make_the_first_tables.py": "edited"}))
    monkeypatch.setattr(subprocess, "run", lambda *_words, **_options: None)
    with pytest.raises(ValueError, match="edited since"):
        cutting.cut("0.2.0", date(2026, 12, 1))
    (tmp_path / "migrations.json").write_text("{}")
    monkeypatch.setattr(cutting, "untranslated", lambda: ["nl: missing: web.toml, page.home: Home"])
    with pytest.raises(ValueError, match=r"isn't translated: nl: missing: web\.toml"):
        cutting.cut("0.2.0", date(2026, 12, 1))
    monkeypatch.setattr(cutting, "untranslated", list)
    with pytest.raises(ValueError, match="no number after"):
        cutting.cut("0.1.0", date(2026, 12, 1))
    cutting.cut("0.2.0", date(2026, 12, 1))
    assert (tmp_path / "PLACE").read_text() == '__version__ = "0.2.0"\n'
    changes = (tmp_path / "CHANGELOG").read_text()
    assert changes == "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n### Added\n\n- It.\n"
    assert cutting.released() == cutting.digests()
    with pytest.raises(ValueError, match="nothing under"):
        cutting.cut("0.3.0", date(2026, 12, 1))


def revision_of(release: str) -> str:
    """Name the version of the tables that a release had."""
    (row,) = rows_of(release)["alembic_version"]
    return str(row["version_num"])


def rows_of(release: str) -> dict[str, list[dict[str, Any]]]:
    """Read what a release wrote: rows by table, as SQLite keeps them."""
    dump = gzip.decompress((RELEASES / f"{release}.sql.gz").read_bytes()).decode()
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(dump)
        made.row_factory = sqlite3.Row
        tables = [name for (name,) in made.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
        return {table: [dict(row) for row in made.execute(f'SELECT * FROM "{table}"')] for table in tables}


def fill(engine: Engine, rows: Mapping[str, list[dict[str, Any]]]) -> None:  # noqa: F811
    """Write rows into the tables of a database, each with the columns it has and no others."""
    tables = MetaData()
    tables.reflect(engine)
    with engine.begin() as connection:
        for table in tables.sorted_tables:
            values = [{name: _as(table.c[name].type, row[name]) for name in row} for row in rows.get(table.name, [])]
            values.sort(key=lambda row: row.get("merged_into") is not None)  # who was merged comes after into whom
            if values and table.name != "alembic_version":
                connection.execute(insert(table), values)


def _as(kind: object, value: Any) -> Any:
    """Give what the driver takes for what SQLite has kept."""
    if value is None:
        return None
    if isinstance(kind, JSON):
        return json.loads(value)
    if isinstance(kind, DateTime):
        return datetime.fromisoformat(value)
    if isinstance(kind, Date):
        return date.fromisoformat(value)
    return bool(value) if isinstance(kind, Boolean) else value


def everything_in(engine: Engine) -> dict[str, list[Any]]:  # noqa: F811
    """Read all rows, sorted, so that two states can be compared."""
    tables = MetaData()
    tables.reflect(engine)
    with engine.connect() as connection:
        found = {table.name: connection.execute(select(table)).all() for table in tables.sorted_tables}
    return {name: sorted(map(str, rows)) for name, rows in found.items() if name != "alembic_version"}


@pytest.fixture(params=sorted(file.name.removesuffix(".sql.gz") for file in RELEASES.glob("*.sql.gz")))
def release(request: pytest.FixtureRequest) -> str:
    """The number of a release that left a database."""
    return str(request.param)


@pytest.fixture
def told(release: str) -> Any:
    """What the release answered, and the keys it gave out."""
    return json.loads((RELEASES / f"{release}.json").read_text("utf-8"))


@pytest.fixture
def old(release: str, database: str, engine: Engine, tmp_path: Path) -> Iterator[Engine]:  # noqa: F811
    """The database as the release left it: on SQLite the very file, on PostgreSQL its rows in the tables of then."""
    if engine.dialect.name == "postgresql":
        command.upgrade(alembic(engine), revision_of(release))
        fill(engine, rows_of(release))
        yield engine
        return
    engine.dispose()
    file = Path(str(engine.url.database))
    for rest in ("", "-wal", "-shm"):
        Path(f"{file}{rest}").unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as made:
        made.executescript(gzip.decompress((RELEASES / f"{release}.sql.gz").read_bytes()).decode())
    again = create_engine(database)
    tune_sqlite(again)
    yield again
    again.dispose()


@pytest.fixture
def app(
    old: Engine,
    make_app: MakeApp,
    release: str,
    told: Any,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Flask:
    """This program on that database, once its host did as told."""
    if revision_of(release) != HEAD:
        with pytest.raises(UnusableDatabase, match="run db upgrade"):
            make_app()
    monkeypatch.setenv("DATABASE_URL", database)
    monkeypatch.setenv("REFEREE_INSTANCE", str(tmp_path / "instance"))
    done = CliRunner().invoke(main, ["db", "upgrade"])
    assert done.exit_code == 0, done.output
    # the cookie of the release is as old as the release
    return make_app(SECRET_KEY=told["secret_key"], PERMANENT_SESSION_LIFETIME=100 * 365 * 24 * 3600)


@pytest.mark.promise("reliability#earlier-release")
def test_it_is_sound_and_says_what_the_release_said(app: Flask, told: Any) -> None:
    assert faults(app) == []
    read = Api(app, told["spectator_key"])
    for match, before in told["matches"].items():
        now = read("GET", f"/matches/{match}").get_json()
        for name in ("status", "target", "winners"):
            assert now[name] == before[name]
        assert len(now["rounds"]) == before["rounds"]
        for line, line_before in zip(now["standings"], before["standings"], strict=True):
            assert line.items() >= line_before.items()


def test_a_request_sent_before_the_update_counts_once_after_it(app: Flask, told: Any, release: str) -> None:
    once = told["idempotent"]
    before = told["matches"][once["path"].split("/")[2]]["rounds"]
    write = Api(app, told["scorekeeper_key"])
    answer = write("POST", once["path"], once["body"], headers={"Idempotency-Key": once["key"]})
    expected = 409 if release == "0.1.0" else 201  # it stored another digest, longer ago than any answer is kept
    assert answer.status_code == expected
    match = Api(app, told["spectator_key"])("GET", once["path"].removesuffix("/rounds")).get_json()
    assert len(match["rounds"]) == before


@pytest.mark.promise("reliability#earlier-release")
def test_phones_stay_in_and_every_page_opens(app: Flask, told: Any) -> None:
    phone = browser_of(app)
    for name, value in told["cookies"].items():
        phone.set_cookie(name, value)
    known = {"match_id": list(told["matches"]), "player_id": list(told["players"].values())}
    known |= {"board_token": [told["board"]], "table_token": [told["table"]]}
    merged = f"/history/players/{told['players']['Dy']}"
    expected = {merged: 301} | dict.fromkeys(("/hand", "/hand/now", "/table", "/table/now"), 410)  # it took no seat
    opened = set()
    with app.test_request_context():
        for rule in app.url_map.iter_rules():
            if "GET" not in (rule.methods or ()) or rule.endpoint.startswith("api.") or rule.arguments - known.keys():
                continue
            for values in itertools.product(*(known[name] for name in sorted(rule.arguments))):
                page = url_for(rule.endpoint, **dict(zip(sorted(rule.arguments), values, strict=True)))
                assert phone.get(page).status_code == expected.get(page, 200), page
                opened.add(rule.endpoint)
    assert {"score.sheet", "history.match", "players.player", "club.index", "hands.gather", "sharing.board"} <= opened
    for page in told.get("public", ()):
        assert app.test_client().get(page).status_code == 200, page
    assert "Bo&#39;s phone" in phone.get("/club").text


def test_what_was_going_on_goes_on(app: Flask, told: Any) -> None:
    write = Api(app, told["scorekeeper_key"])
    match = told["open_hand"]
    document = write("GET", f"/matches/{match}").get_json()
    entry = {"after": len(document["rounds"]), "went_out": "Ada", "hands": {"Cyrus": ["7"], "Eve": ["wild"]}}
    assert write("POST", f"/matches/{match}/rounds", entry).status_code == 201
    etag = write("GET", f"/matches/{match}").headers["ETag"]
    struck = document["rounds"][0]["id"]
    assert write("DELETE", f"/matches/{match}/rounds/{struck}", headers={"If-Match": etag}).status_code == 200
    assert write("POST", f"/matches/{match}/finish").status_code == 200
    assert write("POST", f"/matches/{match}/rematch").status_code == 201
    assert faults(app) == []


@pytest.mark.promise("reliability#earlier-release")
def test_the_release_can_still_write_on_the_newest_tables_that_support_it(release: str, old: Engine) -> None:
    """Servers of both run at the same time while an update goes round: they know the old columns only."""
    versions = [one.revision for one in ScriptDirectory(str(MIGRATIONS)).walk_revisions()]
    command.upgrade(alembic(old), next(one for one in versions if works_on(one, revision_of(release))))
    tables = MetaData()
    tables.reflect(old)
    before = everything_in(old)
    with old.begin() as connection:
        for table in reversed(tables.sorted_tables):
            if table.name != "alembic_version":
                if "merged_into" in table.c:
                    connection.execute(table.update().values(merged_into=None))
                connection.execute(table.delete())
    fill(old, rows_of(release))
    del before["match_sums"]  # made by the update, and by no earlier release
    after = everything_in(old)
    assert {name: len(after[name]) for name in before} == {name: len(rows) for name, rows in before.items()}


@pytest.mark.promise("reliability#earlier-release")
def test_the_way_back_keeps_every_row(old: Engine, release: str) -> None:
    tables = MetaData()
    tables.reflect(old)
    with old.begin() as connection:  # nothing waits to be restored
        for name in ("deletion_parts", "deletions"):
            if name in tables.tables:
                connection.execute(tables.tables[name].delete())
    before = everything_in(old)
    command.upgrade(alembic(old), HEAD)
    command.downgrade(alembic(old), revision_of(release))
    assert everything_in(old) == before


@pytest.mark.parametrize("release", ["waiting/1.0.0"], indirect=True)
def test_the_way_back_is_refused_while_something_deleted_waits(old: Engine, release: str) -> None:
    command.upgrade(alembic(old), HEAD)
    with pytest.raises(ValueError, match="waits to be restored"):
        command.downgrade(alembic(old), revision_of(release))


@pytest.mark.parametrize("release", ["0.1.0"], indirect=True)
def test_keys_of_the_first_tables_name_who_let_them_in_and_imported_names_are_known(old: Engine, release: str) -> None:
    tables = MetaData()
    tables.reflect(old, only=["keys"])
    keys = tables.tables["keys"]
    with old.begin() as connection:  # as an import makes it: with the id of before, and let in again by mistake
        later = datetime.fromisoformat("2026-11-22")
        connection.execute(update(keys).where(keys.c.name == "Bo's script").values(created_at=later, revoked_at=None))
    command.upgrade(alembic(old), "head")
    tables.clear()
    tables.reflect(old, only=["keys"])
    keys = tables.tables["keys"]
    with old.connect() as connection:
        rows = {row.name: row for row in connection.execute(select(keys).order_by(keys.c.id.desc()))}
    assert rows["Bo's phone"].opened_by == rows["First phone"].id
    assert [name for name, row in rows.items() if row.imported] == ["Bo's script"]


@pytest.mark.parametrize("release", ["1.0.0"], indirect=True)
def test_the_printed_key_of_a_release_is_known_by_a_column(old: Engine, release: str) -> None:
    command.upgrade(alembic(old), HEAD)
    tables = MetaData()
    tables.reflect(old, only=["keys"])
    keys = tables.tables["keys"]
    with old.connect() as connection:
        assert connection.scalars(select(keys.c.name).where(keys.c.recovers)).all() == ["Recovery sheet"]


@pytest.mark.parametrize("release", ["waiting/1.0.0"], indirect=True)
@pytest.mark.parametrize("first", ["match", "players"])
def test_what_waited_in_a_release_is_still_restored(old: Engine, app: Flask, told: Any, first: str) -> None:
    """Whatever is restored first; and a phone locked out since then does not come back with its board."""
    tables = MetaData()
    tables.reflect(old, only=["deletions"])
    with old.begin() as connection:  # it was deleted just now: thirty days are not over
        connection.execute(tables.tables["deletions"].update().values(at=datetime.now(UTC).replace(tzinfo=None)))
    assert faults(app) == []
    stranger = app.test_client()

    def ask(key: str, method: str, path: str) -> Any:
        return stranger.open(f"/api/v1{path}", method=method, headers={"Authorization": f"Bearer {key}"})

    write, cabin = partial(ask, told["scorekeeper_key"]), partial(ask, told["club"]["scorekeeper_key"])
    assert write("GET", f"/matches/{told['gone']}").status_code == 410
    assert write("DELETE", f"/keys/{told['lost_key']}").status_code == 204
    ways = [f"/matches/{told['gone']}", *(f"/players/{told['players'][name]}" for name in ("小明", "Bo"))]
    for way in ways if first == "match" else ways[::-1]:
        assert write("POST", f"{way}/restore").status_code == 200, way
    assert write("GET", "/export").json == told["export"]
    assert write("GET", "/statistics").json == told["statistics"]
    for door in (f"/live/{told['board']}", f"/hand/{told['table']}"):
        assert stranger.get(door).status_code in (404, 410), door
    assert cabin("GET", "/matches").status_code == 410
    assert cabin("POST", f"/clubs/{told['club']['id']}/restore").status_code == 200
    assert cabin("GET", "/export").json == told["club"]["export"]
    assert faults(app) == []


@pytest.mark.parametrize("file", sorted((RELEASES / "exports").glob("*.json.gz")), ids=lambda file: file.name)
def test_a_file_that_a_release_exported_is_imported_whole(make_app: MakeApp, file: Path) -> None:
    app = make_app()
    document = json.loads(gzip.decompress(file.read_bytes()))
    founded = Api(app)("POST", "/clubs", {"name": document["club"]["name"]}).get_json()
    write = Api(app, founded["scorekeeper_key"])
    report = write("POST", "/import", data=file.read_bytes(), content_type="application/gzip").get_json()
    assert report["matches"] == len(document["matches"])
    assert json.loads(write("GET", "/export").data) == document
    assert faults(app) == []
