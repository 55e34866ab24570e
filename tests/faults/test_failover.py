"""When the database's server goes down for good, its standby takes over, and the app follows without a restart."""

import logging
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.faults.cluster import Cluster
from tests.faults.evening import Evening, ServerProcess, wait_until
from tests.faults.test_crashes import check
from tests.ground.postgresql import KEEPS_WORD, running_postgresql

TABLES = 16
ENOUGH = 64
"""Rounds that are recorded before it and after it, four a table."""
REFUSED = 80
"""Rounds that are refused before the second server is promoted, five a table: a person does it, and needs a while."""


@pytest.fixture
def standby(cluster: Cluster) -> Iterator[Path]:
    """A second PostgreSQL, which follows the first; the folder of its socket."""
    with running_postgresql(KEEPS_WORD, standby_of=str(cluster.home)) as address:
        yield Path(address.partition("?host=")[2])


def test_a_standby_takes_over_under_sixteen_tables_and_nothing_acknowledged_is_lost(
    cluster: Cluster, standby: Path, tmp_path: Path
) -> None:
    cluster.new_database()
    with psycopg.connect(f"host={cluster.home} user=postgres dbname=postgres", autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")  # killed, it sends nothing any more
        connection.execute("SELECT pg_reload_conf()")
    address = "postgresql+psycopg://postgres@/evening?host={}&target_session_attrs=read-write"
    with ServerProcess(address.format(f"{cluster.home},{standby}"), tmp_path) as server:
        evening = Evening(server).begin(TABLES)
        with evening.playing(TABLES):
            evening.go_on(ENOUGH)
            cluster.kill()
            stopped, before = time.monotonic(), evening.recorded
            wanted = len(evening.unknown) + REFUSED  # a round answered with 503 is sent again later
            wait_until(lambda: len(evening.unknown) >= wanted)
            bearer = {"Authorization": f"Bearer {evening.key}"}
            assert {server.ask("GET", f"/matches/{one}", headers=bearer)[0] for one in evening.matches} == {503}
            with psycopg.connect(f"host={standby} user=postgres dbname=postgres", autocommit=True) as connection:
                assert connection.execute("SELECT pg_promote()").fetchone() == (True,)
            promoted = time.monotonic()
            wait_until(lambda: evening.recorded > before)
            back = time.monotonic()
            evening.go_on(ENOUGH)
        evening.settle_the_unknown()
        evening.prove()
        assert evening.statuses <= {201, 409, 503}
        assert check(address.format(standby), tmp_path) == "No problems found.\n"
        told = "%d rounds acknowledged before, %d in all; the first %.2f s after the promotion, %.2f s after the stop"
        logging.info(told, before, evening.recorded, back - promoted, back - stopped)
