"""Behind PgBouncer, each transaction may have another connection to the database."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from tests.conftest import DATABASE, app_on, close
from tests.faults.evening import PATIENCE
from tests.ground.postgresql import _runner, fresh_database, running_postgresql
from tests.ground.redis import listens

TABLES = 16
ROUNDS = 3
PROGRAM = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/bin")


@pytest.fixture
def pooled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run PgBouncer in front of a PostgreSQL, with three connections for all; yield the address of the database."""
    if DATABASE != "postgresql":
        pytest.skip("only a PostgreSQL has a pool in front: REFEREE_TEST_DATABASE=postgresql")
    if PROGRAM is None:
        pytest.skip("no PgBouncer: apt-get install pgbouncer")
    with running_postgresql() as address, fresh_database(address, "pooled") as database:
        url = make_url(database)
        home = Path(str(url.query["host"]))
        options = {
            "unix_socket_dir": home, "listen_port": 6543, "auth_type": "any", "pool_mode": "transaction",
            "default_pool_size": 3, "logfile": home / "pool.log", "pidfile": home / "pool.pid",
            "ignore_startup_parameters": "extra_float_digits",
        }  # fmt: skip
        lines = [f"[databases]\npooled = host={home} dbname=pooled user=postgres", "[pgbouncer]"]
        settings = home / "pool.ini"
        settings.write_text("\n".join([*lines, *(f"{name} = {value}" for name, value in options.items())]) + "\n")
        settings.chmod(0o644)
        pool = subprocess.Popen((PROGRAM, "-q", settings), **_runner())
        try:
            deadline = time.monotonic() + PATIENCE
            while not listens(home / ".s.PGSQL.6543"):
                assert time.monotonic() < deadline, "PgBouncer did not start"
                time.sleep(0.05)
            yield f"postgresql+psycopg://postgres@/pooled?host={home}&port=6543"
        finally:
            pool.terminate()
            pool.wait(30)


def test_sixteen_tables_record_behind_a_pool_of_transactions(pooled: str, tmp_path: Path) -> None:
    app = app_on(pooled, tmp_path)

    def play(_table: int) -> list[int]:
        client: Any = app.test_client()
        with closing(client.post("/api/v1/clubs", json={"name": "Ours"})) as founded:
            bearer = {"Authorization": f"Bearer {founded.get_json()['scorekeeper_key']}"}
        plan = {"players": ["Ada", "Bo"], "rulebook": "classic-500"}
        match = client.post("/api/v1/matches", json=plan, headers=bearer).get_json()["id"]
        statuses = []
        for after in range(ROUNDS):
            entry = {"after": after, "went_out": "Ada", "hands": {"Bo": ["7"]}}
            statuses.append(client.post(f"/api/v1/matches/{match}/rounds", json=entry, headers=bearer).status_code)
            statuses.append(client.get(f"/matches/{match}", headers=bearer).status_code)
        return statuses

    with ThreadPoolExecutor(TABLES) as tables:
        played = list(tables.map(play, range(TABLES)))
    close(app)
    assert played == [[201, 200] * ROUNDS] * TABLES
