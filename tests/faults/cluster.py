"""A PostgreSQL that tests of faults may stop, kill and start."""

import os
import shlex
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg

from tests.faults.evening import wait_until
from tests.ground.postgresql import _runner


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
        wait_until(lambda: not file.exists())

    def kill(self) -> None:
        """Kill it and all that work for it by SIGKILL: nobody can finish anything."""
        file = self.home / "data" / "postmaster.pid"
        number = file.read_text().split()[0]
        workers = Path(f"/proc/{number}/task/{number}/children").read_text().split()
        for one in (number, *workers):
            with suppress(ProcessLookupError):
                os.kill(int(one), signal.SIGKILL)
        wait_until(lambda: not any(map(_lives, (number, *workers))))
        if self.process is not None:
            self.process.wait(30)
        for lock in (file, self.home / ".s.PGSQL.5432.lock"):
            lock.unlink()  # where nobody takes note of the death, as in a container, the number seems to be in use

    def started_by(self) -> str:
        """Return the command, which PostgreSQL notes among its data."""
        return (self.home / "data" / "postmaster.opts").read_text()

    def start(self, command: str = "") -> None:
        """Start it by the very command it was started by, which `started_by` gives."""
        file = self.home / "data" / "postmaster.pid"
        words = shlex.split(command or self.started_by())
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(words, cwd=self.home, stdout=log, stderr=log, **_runner())
        wait_until(lambda: file.exists() and "ready" in file.read_text())


def _lives(number: str) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{number}/stat").read_text()
    except FileNotFoundError:
        return False
