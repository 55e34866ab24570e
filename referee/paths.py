"""Know where the app's own files and the host's files stand, and keep those with people's names to their owner.

Templates and static files lie beside the package in a checkout and inside it in a wheel.
"""

import os
import re
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parent


def _packed_or_beside(name: str) -> Path:
    packed = PACKAGE / name
    return packed if packed.is_dir() else CHECKOUT / name


TEMPLATES = _packed_or_beside("templates")
STATIC = _packed_or_beside("static")
MIGRATIONS = PACKAGE / "records" / "migrations"


@cache
def commit() -> str:
    """Return the commit that this program was made of, in twelve digits; “unknown” where nothing says it.

    A package, an image and an archive carry it in a file; a checkout asks git.
    """
    with suppress(OSError):
        if found := re.match(r"[0-9a-f]{12}", (PACKAGE / "COMMIT").read_text("ascii")):
            return found[0]
    if (CHECKOUT / ".git").exists():
        with suppress(OSError, subprocess.SubprocessError):
            command = ("git", "-C", str(CHECKOUT), "rev-parse", "--short=12", "HEAD")
            return subprocess.run(command, capture_output=True, text=True, check=True, timeout=5).stdout.strip()
    return "unknown"


def own_command() -> str:
    """Return what is typed before a command's words: a checkout has its script, an installation a program."""
    return "python3 run" if (CHECKOUT / "run").is_file() else "referee"


def default_instance() -> Path:
    """Return the folder for database, settings and secret key when the host sets none.

    A checkout keeps them in its own ``instance/``. An installed package keeps them in the user's data folder:
    inside the environment, where Flask would put them, they would vanish with it.
    """
    if (CHECKOUT / "pyproject.toml").is_file():
        return CHECKOUT / "instance"
    return _user_data() / "referee"


def _user_data() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


BESIDE = ("", "-wal", "-shm")
"""Endings of the files that make up a database of SQLite; it gives new ones the rights of the first."""


def make_private_folder(folder: Path) -> None:
    """Create a folder, if there is none, that only its owner can enter."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def make_private(file: Path) -> None:
    """Create an empty file that only its owner can read, or remove everybody else's rights to an existing one.

    Raises OSError where that cannot be.
    """
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        mode = file.stat().st_mode & 0o777
        if mode & 0o077:
            file.chmod(mode & 0o700)


def make_database_private(file: Path) -> None:
    """Create an SQLite file that only its owner can read, or protect an existing one and the files beside it.

    Where that cannot be, as with the file of someone else, it stays as it is: SQLite says what is wrong, if anything.
    """
    for ending in BESIDE:
        part = file.with_name(file.name + ending)
        with suppress(OSError):
            if not ending or part.exists():
                make_private(part)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk, so that a file just put there survives a power cut."""
    with suppress(OSError):  # not every system can
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
