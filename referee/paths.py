"""Know where the app's own files and the host's files stand.

Templates and static files lie beside the package in a checkout and inside it in a wheel.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parent


def _packed_or_beside(name: str) -> Path:
    packed = PACKAGE / name
    return packed if packed.is_dir() else CHECKOUT / name


TEMPLATES = _packed_or_beside("templates")
STATIC = _packed_or_beside("static")
MIGRATIONS = PACKAGE / "records" / "migrations"


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
