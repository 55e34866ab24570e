"""What this machine has already, and the smallest moves on it."""

from __future__ import annotations

import hashlib
import pwd
import re
import shlex
import shutil
import socket
import subprocess
import tomllib
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
HOSTING = ROOT / "docs" / "hosting"
PYTHON = "/usr/bin/python3"
USER = "referee"
AS_USER: dict[str, Any] = {"user": USER, "group": USER, "extra_groups": []}
OPT = Path("/opt/referee")
CURRENT = OPT / "current"


class Refused(Exception):
    """Why something can't be done, in a line for the host."""


def do(*words: object, **options: Any) -> str:
    """Run a program and return what it printed; raises CalledProcessError."""
    done = subprocess.run(list(map(str, words)), check=True, stdout=-1, stderr=-1, encoding="utf-8", **options)
    return str(done.stdout)


def works(*words: object) -> bool:
    """Run a program whose failure is an answer, too."""
    return not subprocess.run(list(map(str, words)), capture_output=True).returncode


def version() -> str:
    """Return the version of this checkout."""
    (found,) = re.findall(r'^__version__ = "(.+)"', (ROOT / "referee" / "__init__.py").read_text("utf-8"), re.MULTILINE)
    return str(found)


def commit() -> str:
    """Return the commit of this checkout, as git's files say it, since root runs no git in a folder of another."""
    git = ROOT / ".git"
    with suppress(OSError):
        head = (git / "HEAD").read_text().strip().removeprefix("ref: ")
        if not (git / head).is_file():
            packed = re.search(rf"^([0-9a-f]{{40}}) {head}$", (git / "packed-refs").read_text(), re.MULTILINE)
            return packed[1] if packed else ""
        return (git / head).read_text().strip()
    return ""


def digest() -> str:
    """Tell one state of the checkout from another, whatever its version says."""
    found = hashlib.sha256()
    for name in ("pyproject.toml", "docs/hosting", "referee", "static", "templates"):
        for file in sorted((ROOT / name).rglob("*")) if (ROOT / name).is_dir() else [ROOT / name]:
            if file.is_file() and "__pycache__" not in file.parts:
                found.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return found.hexdigest()


def exists(user: str) -> bool:
    """Tell whether the machine knows a user."""
    with suppress(KeyError):
        return bool(pwd.getpwnam(user))
    return False


def by_the_old_guide() -> bool:
    """Tell whether an environment lies in the folder itself, where the guide of 1.0 put it."""
    return (OPT / "bin" / "referee").exists()


def shown(unit: str, name: str) -> str:
    """Return what systemd knows of a unit, its drop-ins included."""
    return subprocess.run(["systemctl", "show", unit, "--value", "-p", name], capture_output=True, text=True).stdout


def environment() -> dict[str, str]:
    """Return the variables of the service: its file's, its unit's, its drop-ins'."""
    given = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "REFEREE_INSTANCE": "/var/lib/referee"}
    with suppress(OSError):
        given |= dict(re.findall(r"^(\w+)=[\"']?(.*?)[\"']?$", Path("/etc/referee.env").read_text(), re.MULTILINE))
    return given | dict(word.split("=", 1) for word in shlex.split(shown("referee", "Environment")) if "=" in word)


def instance() -> Path:
    """Return the folder of database, key and settings."""
    return Path(environment()["REFEREE_INSTANCE"])


def settings() -> dict[str, Any]:
    """Return what config.toml says."""
    with suppress(OSError):
        return tomllib.loads((instance() / "config.toml").read_text("utf-8"))
    return {}


def database() -> Path | None:
    """Return the file of the database; None where it is PostgreSQL's."""
    given = environment()
    url = given.get("REFEREE_DATABASE_URL") or given.get("DATABASE_URL") or settings().get("database_url", "")
    if "postgres" in url:
        return None
    return instance() / (re.sub(r"^sqlite:///", "", url) or "referee.db")


def port() -> int:
    """Return the port the service listens on."""
    started = re.search(r"(?:--port[ =]|--bind[ =]\S*:)(\d+)", shown("referee", "ExecStart"))
    return int(started[1] if started else environment().get("REFEREE_PORT") or settings().get("port", 8000))


def backups() -> Path:
    """Return the folder of the nightly backups."""
    found = re.findall(r"BACKUPS=(\S+)", shown("referee-nightly", "Environment"))
    return Path(found[-1] if found else "/var/backups/referee")


def nearest(folder: Path) -> Path:
    """Return the folder, or the one above it that is there."""
    return next(each for each in (folder, *folder.parents) if each.exists())


def on_one_disk(folder: Path) -> bool:
    """Tell whether backups lie on the database's own disk."""
    return database() is not None and nearest(folder).stat().st_dev == nearest(instance()).stat().st_dev


def names() -> list[str]:
    """Return this machine's names at home: NAME.local where avahi runs, and its address."""
    avahi = works("systemctl", "is-active", "avahi-daemon")
    found = [f"{socket.gethostname().split('.')[0]}.local"] if avahi else []
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # for documentation; nothing is sent, the system only picks a route
        found.append(probe.getsockname()[0])
    return found or ["127.0.0.1"]


def same(file: Path, text: str) -> bool:
    """Tell whether a file is there and says this."""
    return file.exists() and file.read_text() == text


def make_folder(folder: Path) -> None:
    """Make a folder for the service alone; raises Refused where it can't write there."""
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(PermissionError):  # a stick may know no owners
        shutil.chown(folder, USER, USER)
        folder.chmod(0o700)
    if subprocess.run(["test", "-w", folder], **AS_USER).returncode:
        raise Refused(f"The user {USER} may not write to {folder}.")
