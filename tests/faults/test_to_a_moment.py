"""pgBackRest, by the guide's files and lines: PostgreSQL goes back to a moment, and the app goes on from there."""

import os
import re
import shlex
import shutil
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from referee.paths import CHECKOUT
from tests.faults.cluster import Cluster
from tests.faults.evening import Evening, ServerProcess, wait_until
from tests.faults.recipes import recipe
from tests.faults.test_crashes import check
from tests.ground.postgresql import KEEPS_WORD, _runner, running_postgresql
from tests.test_proxies_and_units import needs

GUIDE = (CHECKOUT / "docs" / "pages" / "host" / "backup.md").read_text("utf-8")
PROGRAMS = Path("/usr/lib/postgresql/15/bin")
"""Debian's: the pgBackRest of Debian 12 knows no newer one."""


def pgbackrest(act: str, **places: str) -> None:
    """Run the guide's line that does this, as whoever runs PostgreSQL; whatever it says is told when it fails."""
    (line,) = re.findall(rf"^sudo -u postgres (pgbackrest .*{act})$", GUIDE, re.MULTILINE)
    words = [places.get(word.partition("=")[0].lstrip("-"), word) for word in shlex.split(line)]
    answer = subprocess.run(words, cwd="/", capture_output=True, text=True, check=False, **_runner())
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.promise("backup#to-a-moment")
def test_postgresql_goes_back_to_the_second_before_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("pgbackrest", by_ci=False)
    if not PROGRAMS.exists():
        pytest.skip("PostgreSQL 15 is not installed: apt-get install postgresql")
    archive = re.findall(r"^(\w+) = '?(.*?)'?$", recipe("archive.conf", {}), re.MULTILINE)
    settings = (*KEEPS_WORD, *(f"{name}={value}" for name, value in archive))
    with ExitStack() as stack:
        folder = Path(f"/var/tmp/referee-pgbackrest-{os.getpid()}")
        folder.mkdir()
        stack.callback(shutil.rmtree, folder)
        monkeypatch.setenv("PGBACKREST_CONFIG", str(folder / "pgbackrest.conf"))  # PostgreSQL archives by it, too
        monkeypatch.setenv("PGBACKREST_LOCK_PATH", str(folder))
        cluster = Cluster(stack.enter_context(running_postgresql(settings, programs=PROGRAMS)))
        monkeypatch.setenv("PGBACKREST_PG1_SOCKET_PATH", str(cluster.home))
        monkeypatch.setenv("PGBACKREST_PG1_USER", "postgres")
        places = {"/var/lib/pgbackrest": str(folder), "/var/lib/postgresql/15/main": str(cluster.home / "data")}
        (folder / "pgbackrest.conf").write_text(recipe("pgbackrest.conf", places))
        if runner := _runner():
            os.chown(folder, runner["user"], runner["group"])
        server = stack.enter_context(ServerProcess(cluster.new_database(), tmp_path))
        evening = Evening(server).begin(4)
        record(evening)
        for act in ("stanza-create", "check", "backup"):
            pgbackrest(act)
        backed_up = time.time()
        record(evening)
        wait_until(lambda: time.time() > backed_up + 2)  # pgBackRest knows the end of a backup by the second
        before = {match: list(rounds) for match, rounds in evening.acknowledged.items()}
        with psycopg.connect(f"host={cluster.home} user=postgres dbname=postgres", autocommit=True) as connection:
            (moment,) = connection.execute("SELECT clock_timestamp()::text").fetchone() or ("",)
            record(evening)
            connection.execute("SELECT pg_switch_wal()")

        started_by = cluster.started_by()
        cluster.stop()
        pgbackrest("restore", target=f"--target={moment}")
        cluster.start(started_by)
        wait_until(lambda: server.ask("GET", "/readyz")[0] == 200)
        evening.acknowledged, later = before, evening.acknowledged
        evening.prove()
        assert sum(map(len, later.values())) > sum(map(len, before.values())), "there was something to go back from"
        evening.seen = dict.fromkeys(evening.seen, 0)
        record(evening)
        evening.prove()
        assert check(server.database, tmp_path) == "No problems found.\n"
    assert cluster.process is not None
    cluster.process.wait(30)


def record(evening: Evening) -> None:
    """Let phones play for a while."""
    with evening.playing(4):
        evening.go_on()
    evening.settle_the_unknown()
