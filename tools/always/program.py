"""The program in versions: made beside the one that runs, tried on a copy of the database, switched to, and back."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.always import machine
from tools.always.machine import AS_USER, CURRENT, HOSTING, OPT, PYTHON, ROOT, USER, Refused, do, works

WAY_BACK = OPT / "back.json"
UNPACKED = shutil.ignore_patterns(".*", "instance", "build", "tests", "node_modules", "__pycache__")
COPY = """
import os, sqlite3, sys
os.umask(0o077)
sqlite3.connect(sys.argv[1]).backup(sqlite3.connect(sys.argv[2]))
"""
"""Whatever version the tables have: a program refuses those it doesn't know."""
DIGEST = """
import hashlib, sqlite3, sys
found = hashlib.sha256()
for line in sqlite3.connect(sys.argv[1]).iterdump():
    if "sqlite_stat" not in line:
        found.update(line.encode())
print(found.hexdigest())
"""
"""Of all that is in a database, to see whether anything was saved since."""


def folder_of_checkout() -> Path:
    """Return where this checkout's program is, or will be: two states of one version lie side by side."""
    known, plain = machine.digest(), OPT / machine.version()
    complete = plain / "complete"
    return OPT / f"{plain.name}+{known[:8]}" if complete.exists() and complete.read_text() != known else plain


def make(folder: Path) -> None:
    """Make an environment of its own from a copy of the checkout's files; a half one is removed."""
    shutil.rmtree(folder, ignore_errors=True)
    python = folder / "bin" / "python"
    quietly = ("--quiet", "--no-cache-dir", "--no-input", "--disable-pip-version-check")
    try:
        do(PYTHON, "-m", "venv", "--without-pip", folder)
        if CURRENT.exists():
            begin_with(CURRENT.resolve(), folder)
        lock = HOSTING / "requirements.lock"
        needless = machine.same(CURRENT / "hosting" / lock.name, lock.read_text())
        if not works(python, "-c", "import pip"):  # the first one here, or this Python isn't that of before
            needless = False
            do(python, "-m", "ensurepip")
        with TemporaryDirectory(dir=OPT) as scratch:
            source = shutil.copytree(ROOT, Path(scratch) / "source", symlinks=True, ignore=UNPACKED)
            if found := machine.commit():
                (source / "referee" / "COMMIT").write_text(found)
            pip = (python, "-m", "pip", "install", *quietly)
            try:
                if not needless:
                    do(*pip, "--require-hashes", "--requirement", lock)
                do(*pip, "--no-deps", "--no-build-isolation", "--force-reinstall", source)
            except subprocess.CalledProcessError:  # a Python younger than the lock
                print("  The locked versions can't be had here; taking the newest instead.")
                do(*pip, f"{source}[server,postgres]")
        shutil.copytree(HOSTING, folder / "hosting")
        (folder / "complete").write_text(machine.digest())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def begin_with(old: Path, folder: Path) -> None:
    """Take along what the program of before has installed, as links, so that pip brings only what differs."""
    shutil.copytree(old / "lib", folder / "lib", symlinks=True, copy_function=os.link, dirs_exist_ok=True)
    for script in (old / "bin").iterdir():
        new = folder / "bin" / script.name
        if not new.exists() and not script.is_symlink():
            new.write_text(script.read_text().replace(f"{old}/bin/", f"{folder}/bin/"))
            new.chmod(0o755)


def point(folder: Path) -> None:
    """Let `current` name another program, in one move."""
    new = OPT / ".current"
    new.unlink(missing_ok=True)
    new.symlink_to(folder.relative_to(OPT))
    new.replace(CURRENT)


def run(folder: Path, name: str, *words: object, **env: str) -> str:
    """Run what one version has in `bin`, as the service's user, on its database; raises CalledProcessError."""
    return do(folder / "bin" / name, *words, env=machine.environment() | env, **AS_USER)


def as_user(code: str, *words: object) -> str:
    """Run a few lines of Python as the service's user, so that no file of SQLite's becomes root's."""
    return do(PYTHON, "-c", code, *words, **AS_USER).strip()


def wait_until_ready(at: int, alive: Callable[[], bool] = lambda: True, host: str = "") -> None:
    """Wait until a server answers that it is ready; raises Refused."""
    host = host or str(machine.settings().get("host", "127.0.0.1")).replace("0.0.0.0", "127.0.0.1")
    named = (machine.settings().get("trusted_hosts") or [host])[0]
    until = time.monotonic() + 60
    while alive() and time.monotonic() < until:
        with suppress(OSError):
            ask = urllib.request.Request(f"http://{host}:{at}/readyz", headers={"Host": named.lstrip(".")})
            with urllib.request.urlopen(ask, timeout=5) as answer:
                if answer.status == 200:
                    return
        time.sleep(0.2)
    raise Refused(f"It didn't answer at port {at}: journalctl --unit referee tells more.")


def try_on_copy(new: Path, file: Path) -> None:
    """Let a program upgrade a copy of the database and answer on it; raises Refused, CalledProcessError."""
    copy = machine.instance() / "trial"
    shutil.rmtree(copy, ignore_errors=True)
    machine.make_folder(copy)
    try:
        as_user(COPY, file, copy / "referee.db")
        with suppress(FileNotFoundError):
            shutil.copy(machine.instance() / "config.toml", copy)
            shutil.chown(copy / "config.toml", USER, USER)
        there = {"REFEREE_INSTANCE": str(copy), "DATABASE_URL": f"sqlite:///{copy}/referee.db"}
        run(new, "referee", "db", "upgrade", **there)
        with closing(socket.create_server(("127.0.0.1", 0))) as probe:
            free = probe.getsockname()[1]
        words = [str(new / "bin" / "referee"), "serve", "--host", "127.0.0.1", "--port", str(free)]
        with subprocess.Popen(words, env=machine.environment() | there, stdout=subprocess.DEVNULL, **AS_USER) as server:
            try:
                wait_until_ready(free, lambda: server.poll() is None, "127.0.0.1")
            finally:
                server.terminate()
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def switch(new: Path) -> None:
    """Try a program on a copy, then stop, back up, upgrade and start; if that fails, go back."""
    old, file = CURRENT.resolve() if CURRENT.exists() else None, machine.database()
    if old == new:
        do("systemctl", "enable", "referee")
        do("systemctl", "restart", "referee")
        wait_until_ready(machine.port())
        return
    data = file is None or file.exists()
    if file is None:
        print("  On PostgreSQL no copy is tried: make one by pg_dump first, as backup.md says.")
    elif data:
        try_on_copy(new, file)
    saved = machine.instance() / f"before-{new.name}.db"
    way = {"from": os.path.relpath(old, OPT) if old else "", "to": new.name, "backup": str(saved), "content": None}
    do("systemctl", "stop", "referee")
    WAY_BACK.write_text(json.dumps(way))
    try:
        if file and data:
            as_user(COPY, file, saved)
        if data:
            print("  " + run(new, "referee", "db", "upgrade").strip().replace("\n", "\n  "))
            WAY_BACK.write_text(json.dumps(way | {"content": file and as_user(DIGEST, file)}))
        point(new)
        do("systemctl", "enable", "--now", "referee")
        wait_until_ready(machine.port(), lambda: works("systemctl", "is-active", "referee"))
    except (OSError, Refused, subprocess.CalledProcessError):
        if old:
            print(go_back())
        raise
    for folder in OPT.iterdir():
        if (folder / "complete").exists() and folder not in (new, old, CURRENT):
            shutil.rmtree(folder)


def go_back() -> str:
    """Run the program of before, on the new tables where it opens them; raises Refused rather than lose anything."""
    way = json.loads(WAY_BACK.read_text()) if WAY_BACK.exists() else {}
    if not way.get("from"):
        raise Refused("There is no program of before to go back to.")
    old, new, file = OPT / way["from"], OPT / way["to"], machine.database()
    do("systemctl", "stop", "referee")
    try:
        how = "on the tables as they are; nothing is lost."
        try:
            run(old, "python", "-c", "import referee; referee.create_app()")
        except subprocess.CalledProcessError as error:
            if not file or way["content"] not in (None, as_user(DIGEST, file)):
                raise Refused(
                    f"It can't work on these tables, and something was saved since: {new.name} stays."
                ) from error
            run(new, "referee", "restore", way["backup"], "--yes")
            how = "on the backup of before; nothing had been saved since."
        point(old)
    finally:
        do("systemctl", "start", "referee")
        wait_until_ready(machine.port())
    WAY_BACK.unlink()
    return f"The program of before runs again, {how}"
