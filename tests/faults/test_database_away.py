"""When the database cannot be reached or written, the app says so and how long to wait, and goes on when it is back.

How real each fault is: another program does lock the file, bytes of no database do lie in its place, PostgreSQL is
stopped and started. The disk is full by the limit that the kernel sets on the size of a file: SQLite meets a failed
write, though not the error number of a full disk. Read-only is the one that is feigned: by ``PRAGMA query_only`` on
every connection, since tests may run as root, whom the rights of a file do not stop; SQLite itself refuses.
"""

import resource
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event
from werkzeug.test import TestResponse

from referee.web.server.database import db
from tests.conftest import DATABASE, app_on, close
from tests.faults.cluster import Cluster
from tests.faults.evening import SEED, Evening, ServerProcess
from tests.faults.test_crashes import check
from tests.ground.client import Client, browser_of
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
    with ServerProcess(database, tmp_path) as server:
        evening = Evening(server).begin(1)
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
    with ServerProcess(cluster.new_database(), tmp_path) as server:
        evening = Evening(server).begin(2)
        for number in range(2):
            with evening.playing(8, f"{SEED}.{number}"):
                evening.go_on()
                cluster.kill()
                cluster.start()
                evening.go_on()
            evening.settle_the_unknown()
            evening.prove()
        assert evening.statuses <= {201, 409, 503}
        assert check(server.database, tmp_path) == "No problems found.\n"
