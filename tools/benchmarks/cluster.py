"""Count what tables cost by the guide to two servers: HAProxy, gunicorn twice, PgBouncer and PostgreSQL on one machine.

Each table asks as its phones do, a request every 370 ms in the mean, whether it was answered soon or not. PostgreSQL
waits for the disk, and is otherwise as a new one is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from tests.faults.cluster import Cluster
from tests.faults.test_proxies import NAME
from tests.faults.test_two_servers import Two, running_two
from tests.ground.postgresql import running_postgresql
from tools.benchmarks import wrk
from tools.benchmarks.figures import Figure, in_words
from tools.benchmarks.load import proof, sit_down
from tools.benchmarks.servers import Served, worked

ROUND = 150
"""Seconds that a round takes."""
DURABLE = ("listen_addresses=", "max_connections=100")


def cluster(tables: int, seconds: int, boards: int) -> Iterator[Figure]:
    """Let so many tables play, each with so many phones on its board; print what came of it."""
    wrk.look_for_wrk()
    given = {"REFEREE_RATELIMIT_ENABLED": "false", "REFEREE_SECRET_KEY": "benchmark"}
    pace = ROUND / (100 * (boards + 1) + boards + 6)  # evening.lua has what a round asks for
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="referee-cluster-", ignore_cleanup_errors=True)))
        postgresql = Cluster(stack.enter_context(running_postgresql(DURABLE)))
        two = stack.enter_context(running_two(postgresql, folder, given))
        database = f"postgresql+psycopg://postgres@/referee?host={postgresql.home}"  # who fills it, has to be that user
        sit_down(folder, database, tables)
        environment = {"PACE": f"{pace:.4f}", "BOARDS": str(boards), "SITE": NAME}
        parts = _parts(two, postgresql)
        before, (log, stored) = _worked(parts), _written(postgresql)
        site = Served(two.site.port, parts["HAProxy"][0], "https")
        run = wrk.evening(site, folder, 1, int(seconds / pace) * tables, tables=tables, given=environment)
        after, (more_log, more) = _worked(parts), _written(postgresql)
        sent, rounds = sum(kind.sent for kind in run.kinds.values()), run.kinds["round recorded"].sent
        for part in parts:
            print(f"{part}: {in_words((after[part] - before[part]) / sent)} of processor time a request")
        print(f"a round: {(more_log - log) / rounds:,.0f} bytes of log, {(more - stored) / rounds:,.0f} stored")
        for name, kind in sorted(run.kinds.items(), key=lambda item: -item[1].sent):
            print(f"{name}: {kind.sent:,}; p50 {in_words(kind.within(0.5))}, p99 {in_words(kind.within(0.99))}")
        yield Figure(f"{tables} tables: errors", run.errors.total(), 0, "; ".join(map(str, run.errors.items())), "")
        yield Figure(f"{tables} tables: requests/s", run.rate, inf, f"{sent:,} requests, {rounds:,} rounds", "")
        yield from proof(
            f"{tables} tables", folder, given | {"DATABASE_URL": database, "REFEREE_INSTANCE": str(folder)}
        )


def _worked(parts: Mapping[str, list[int]]) -> dict[str, float]:
    return {part: sum(map(worked, pids)) for part, pids in parts.items()}


def _written(postgresql: Cluster) -> tuple[int, int]:
    """Read how many bytes the write-ahead log and the database have by now."""
    with psycopg.connect(f"host={postgresql.home} user=postgres dbname=referee") as connection:
        found = connection.execute("SELECT pg_current_wal_lsn() - '0/0', pg_database_size('referee')").fetchone()
    assert found is not None
    return int(found[0]), int(found[1])


def _parts(two: Two, postgresql: Cluster) -> Mapping[str, list[int]]:
    """Find the first process of each part."""
    servers = [server.process.pid for server in two.servers.values() if server.process]
    first = int((postgresql.home / "data" / "postmaster.pid").read_text().split()[0])
    return {
        "HAProxy": _named(f"{two.folder}/haproxy.cfg"), "gunicorn": servers,
        "PgBouncer": _named(f"{postgresql.home}/pgbouncer.ini"), "PostgreSQL": [first],
    }  # fmt: skip


def _named(word: str) -> list[int]:
    lines = {file: file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline") if file.exists()}
    return [int(file.parent.name) for file, line in lines.items() if word.encode() in line.split(b"\0")]
