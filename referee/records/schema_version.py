"""The version of the tables, and which programs can work on which tables.

A version is the id of a migration: its number and, where programs of earlier versions go on working after it, the
number of the earliest that do. ``0007_from_0005`` is the seventh; programs that know the fifth or sixth work on it too.
"""

from __future__ import annotations

import re
from pathlib import Path

_VERSION = re.compile(r"(?P<number>\d{4})(?:_from_(?P<earliest>\d{4}))?")


def _newest() -> str:
    """Return the id of the newest migration, with which the name of its file begins."""
    files = (Path(__file__).parent / "migrations" / "versions").glob("*.py")
    return max(revision.group() for file in files if (revision := _VERSION.match(file.name)))


HEAD = _newest()
"""The version this program knows."""


def number_of(version: str) -> int:
    """Return the number of a version; raises ValueError for a text that is none."""
    return _read(version)[0]


def works_on(tables: str, known: str = HEAD) -> bool:
    """Return whether a program that knows one version can work on tables of another."""
    if tables == known:
        return True
    try:
        number, earliest = _read(tables)
        return earliest <= number_of(known) < number
    except ValueError:
        return False


def is_newer(tables: str, known: str = HEAD) -> bool:
    """Return whether tables are of a later version than a program knows; False for a version we can't read."""
    try:
        return number_of(tables) > number_of(known)
    except ValueError:
        return False


def _read(version: str) -> tuple[int, int]:
    parts = _VERSION.fullmatch(version)
    if not parts:
        raise ValueError(f"not a version: {version!r}; write 0007 or 0007_from_0005")
    number = int(parts["number"])
    return number, int(parts["earliest"] or number)
