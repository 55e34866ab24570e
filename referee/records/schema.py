"""Name the version of the tables, and tell which programs can work on which tables.

A version is the id of a migration: its number and, where programs of earlier versions go on working after it, the
number of the earliest that do. ``0007_from_0005`` is the seventh; programs that know the fifth or sixth work on it too.
"""

from __future__ import annotations

import re

HEAD = "0002_from_0001"
"""What this program knows. A test holds it against the newest migration."""

_VERSION = re.compile(r"(?P<number>\d{4})(?:_from_(?P<earliest>\d{4}))?")


def number_of(version: str) -> int:
    """Read the number of a version; raises ValueError for what is none."""
    return _read(version)[0]


def works_on(tables: str, known: str = HEAD) -> bool:
    """Tell whether a program that knows one version can work on tables of another."""
    if tables == known:
        return True
    try:
        number, earliest = _read(tables)
        return earliest <= number_of(known) < number
    except ValueError:
        return False


def is_newer(tables: str, known: str = HEAD) -> bool:
    """Tell whether tables are of a later version than a program knows; of no version we can read, they are not."""
    try:
        return number_of(tables) > number_of(known)
    except ValueError:
        return False


def _read(version: str) -> tuple[int, int]:
    found = _VERSION.fullmatch(version)
    if not found:
        raise ValueError(f"not a version: {version!r}; write 0007 or 0007_from_0005")
    number = int(found["number"])
    return number, int(found["earliest"] or number)
