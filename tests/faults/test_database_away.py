"""When the database cannot be reached or written, the app says so and how long to wait, and goes on when it is back.

How real each fault is: another program does lock the file, bytes of no database do lie in its place, PostgreSQL is
stopped and started. The disk is full by the limit that the kernel sets on the size of a file: SQLite meets a failed
write, though not the error number of a full disk. Read-only is the one that is feigned: by ``PRAGMA query_only`` on
every connection, since tests may run as root, whom the rights of a file do not stop; SQLite itself refuses.
"""

import os
import resource
import shlex
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
from flask import Flask
from sqlalchemy import event
from werkzeug.test import TestResponse

from referee.web.server.database import db
from tests.conftest import DATABASE, app_on, close
from tests.faults.evening import PATIENCE, Evening, ServerProcess, end
from tests.faults.test_crashes import SEED, check
from tests.faults.test_new_version import play_on
from tests.ground.client import Client, browser_of
from tests.ground.postgresql import KEEPS_WORD, NoPostgreSQL, _runner, running_postgresql
from tests.web.test_score import Sheet

only_sqlite = pytest.mark.skipif(DATABASE != "sqlite", reason="about SQLite")

HANDS = {"Bo": "7 skip wild", "Cy": "3 9", "Di": "draw-two"}


def says_so(answer: TestResponse) -> None:
    """Fail unless an answer says that nothing was saved, and when to try again."""
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert "Nothing is lost" in answer.text


def written(sheet: Sheet) -> TestResponse:
    """Record a round from the page."""
    answer: TestResponse = sheet.record(sheet.fields(**HANDS))
    return answer


@only_sqlite
@pytest.mark.promise("reliability#disk-full")
def test_a_database_that_another_program_locks_is_waited_for_and_then_owned_up_to(
    app: Flask, client: Client, database: str
) -> None:
    sheet = Sheet(client)
    with app.app_context():
        _on_connect("PRAGMA busy_timeout=100")
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        says_so(written(sheet))
        assert client.get(sheet.address).status_code == 200, "who only looks is not held up"
        other.execute("ROLLBACK")
    assert written(sheet).status_code == 303
    assert sheet.totals() == [109, 0, 0, 0]


@only_sqlite
@pytest.mark.promise("reliability#disk-full")
def test_a_database_that_may_not_be_written_still_shows_the_sheet(app: Flask, client: Client) -> None:
    sheet = Sheet(client)
    with app.app_context():
        stop = _on_connect("PRAGMA query_only=ON")
    says_so(written(sheet))
    assert client.get(sheet.address).status_code == 200
    stop()
    assert written(sheet).status_code == 303


def _on_connect(pragma: str) -> Callable[[], None]:
    """Have every new connection begin with a pragma, and begin anew; call the answer to undo it."""
    engine = db.engine

    def run(connection: Any, _record: Any) -> None:
        connection.execute(pragma)

    event.listen(engine, "connect", run)
    engine.dispose()

    def stop() -> None:
        event.remove(engine, "connect", run)
        engine.dispose()

    return stop


@only_sqlite
@pytest.mark.promise("reliability#disk-full")
def test_a_file_put_in_the_place_of_the_database_is_not_taken_for_it(client: Client, database: str) -> None:
    sheet = Sheet(client)
    assert written(sheet).status_code == 303
    file = Path(database.removeprefix("sqlite:///"))
    with client.application.app_context():
        db.session.remove()
        db.engine.dispose()  # the last connection that closes leaves one whole file
    whole = file.read_bytes()
    file.write_bytes(b"This is no database. " * 1000)
    says_so(client.get(sheet.address))
    file.unlink()
    says_so(client.get(sheet.address))  # an empty one has been made in its place by now
    file.write_bytes(whole)
    assert sheet.totals() == [109, 0, 0, 0]


@only_sqlite
@pytest.mark.promise("reliability#disk-full")
def test_a_full_disk_loses_nothing_and_needs_no_restart(database: str, tmp_path: Path) -> None:
    server = ServerProcess(database, tmp_path)
    server.start()
    try:
        evening = Evening(server)
        evening.begin(1)
        assert server.process is not None
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        log = Path(database.removeprefix("sqlite:///") + "-wal")
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (log.stat().st_size + 40_000, hard))
        assert "Nothing is lost" in _record_until_refused(evening)["detail"]
        status, page, _ = server.ask("GET", f"/api/v1/matches/{evening.matches[0]}", None, _key(evening))
        assert status == 200, page
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        assert _record(evening) == (201, None)
        evening.prove()
    finally:
        server.kill()


def _key(evening: Evening) -> dict[str, str]:
    return {"Authorization": f"Bearer {evening.key}"}


def _record(evening: Evening) -> tuple[int, Any]:
    (match,) = evening.matches
    hands = {"Bo": ["7"], "Cy": ["3"], "Di": ["9"]}
    body = {"after": len(evening.acknowledged[match]), "went_out": "Ada", "hands": hands}
    status, answer, headers = evening.ask("POST", f"/matches/{match}/rounds", body)
    if status == 201:
        evening.acknowledged[match].append(answer["round"]["id"])
        return status, None
    return status, (answer, headers)


def _record_until_refused(evening: Evening) -> dict[str, Any]:
    for _ in range(100):
        status, told = _record(evening)
        if told:
            answer, headers = told
            assert status == 503, answer
            assert int(headers["Retry-After"]) > 0
            return dict(answer)
    raise AssertionError("the disk was never full")


# -- PostgreSQL --------------------------------------------------------------------------------------------------------


class Cluster:
    """A PostgreSQL that can be stopped and started again as it was."""

    def __init__(self, address: str) -> None:
        self.home = Path(parse_qs(urlsplit(address.format(database="x")).query)["host"][0])
        self.address = address
        self.process: subprocess.Popen[bytes] | None = None

    def new_database(self) -> str:
        """Make a database and give its address; it goes with the cluster, so nobody has to drop it."""
        admin = self.address.format(database="postgres").replace("+psycopg", "")
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute("CREATE DATABASE evening")
        return self.address.format(database="evening")

    def stop(self) -> None:
        """Stop it at once: every connection breaks."""
        file = self.home / "data" / "postmaster.pid"
        os.kill(int(file.read_text().splitlines()[0]), signal.SIGINT)
        _wait(lambda: not file.exists())

    def kill(self) -> None:
        """Kill it and all that work for it by SIGKILL: nobody can finish anything."""
        file = self.home / "data" / "postmaster.pid"
        number = file.read_text().split()[0]
        workers = Path(f"/proc/{number}/task/{number}/children").read_text().split()
        for one in (number, *workers):
            with suppress(ProcessLookupError):
                os.kill(int(one), signal.SIGKILL)
        _wait(lambda: not any(map(_lives, (number, *workers))))
        if self.process is not None:
            self.process.wait(30)
        for lock in (file, self.home / ".s.PGSQL.5432.lock"):
            lock.unlink()  # where nobody takes note of the death, as in a container, the number seems to be in use

    def started_by(self) -> str:
        """Return the command, which PostgreSQL notes among its data."""
        return (self.home / "data" / "postmaster.opts").read_text()

    def start(self, command: str = "") -> None:
        """Start it by the very command it was started by, which `started_by` gives."""
        words = shlex.split(command or self.started_by())
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(words, cwd=self.home, stdout=log, stderr=log, **_runner())
        _wait(lambda: "ready" in (self.home / "data" / "postmaster.pid").read_text())


def _lives(number: str) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{number}/stat").read_text()
    except FileNotFoundError:
        return False


def _wait(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if done():
                return
        except FileNotFoundError:
            pass
        time.sleep(0.05)
    raise AssertionError("it took too long")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL of this test's own."""
    with ExitStack() as stack:
        try:
            cluster = Cluster(stack.enter_context(running_postgresql(KEEPS_WORD)))
        except NoPostgreSQL as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"no PostgreSQL: {error}")
        yield cluster
    if cluster.process is not None:
        cluster.process.wait(30)


@pytest.mark.promise("reliability#postgresql-restarted")
def test_postgresql_may_be_restarted_under_the_app(cluster: Cluster, tmp_path: Path) -> None:
    app = app_on(cluster.new_database(), tmp_path)
    client = browser_of(app)
    sheet = Sheet(client)
    token = client.token(f"{sheet.address}/rounds/new")
    fields = sheet.fields(**HANDS) | {"csrf_token": token}
    cluster.stop()
    says_so(client.post(f"{sheet.address}/rounds/new", data=fields))
    says_so(client.get(sheet.address))
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").status_code == 200
    assert client.get("/rules").status_code in (200, 503)
    cluster.start()
    assert client.get("/readyz").status_code == 200
    assert client.post(f"{sheet.address}/rounds/new", data=fields).status_code == 303
    assert sheet.totals() == [109, 0, 0, 0]
    close(app)


@pytest.mark.parametrize("status", [304, 200])
@pytest.mark.promise("reliability#postgresql-restarted")
def test_nobody_notices_that_postgresql_was_restarted_between_two_requests(
    cluster: Cluster, tmp_path: Path, status: int
) -> None:
    app = app_on(cluster.new_database(), tmp_path, TESTING=False)
    client = app.test_client()
    keys = client.post("/api/v1/clubs", json={"name": "Sunday table"}).get_json()
    now = f"/live/{keys['spectator_key']}/now"
    seen = client.get(now).headers["ETag"] if status == 304 else '"another"'
    with app.app_context():
        assert db.engine.pool.checkedin() >= 1, "a connection rests in the pool"  # type: ignore[attr-defined]
    cluster.stop()
    cluster.start()
    assert client.get(now, headers={"If-None-Match": seen}).status_code == status
    close(app)


@pytest.mark.promise("reliability#postgresql-killed")
def test_postgresql_may_be_killed_under_writing_phones(cluster: Cluster, tmp_path: Path) -> None:
    server = ServerProcess(cluster.new_database(), tmp_path)
    server.start()
    try:
        evening = Evening(server)
        evening.begin(2)
        for number in range(2):
            stop = threading.Event()
            phones = evening.play(8, stop, f"{SEED}.{number}")
            play_on(evening)
            cluster.kill()
            cluster.start()
            play_on(evening)
            end(phones, stop)
            evening.settle_the_unknown()
            evening.prove()
        assert evening.statuses <= {201, 409, 503}
        assert check(server.database, tmp_path) == "No problems found.\n"
    finally:
        server.kill()
