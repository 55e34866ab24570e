"""Keep files to their owner: in them are people's names and scores, and what signs the cookies."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

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
