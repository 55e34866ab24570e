"""Reading the TOML files of the rules, each fault named with its file, place and key."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, order=True, slots=True)
class Fault:
    """One thing wrong in a rulebook file: where, and what would be right."""

    file: str
    clause: str
    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}, {self.clause or 'top level'}, {self.key}: {self.message}"


class BrokenRulebook(ValueError):
    """A rulebook or house rule file that cannot be used, with all its faults."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


def ids_of(folder: Path, first: Iterable[str], besides: str = "") -> tuple[str, ...]:
    """Return the names of a folder's TOML files without `besides`, those named `first` before the others."""
    there = sorted(path.stem for path in folder.glob("*.toml") if path.stem != besides)
    return tuple(dict.fromkeys((*first, *there)))


def read_toml(path: Path) -> dict[str, Any]:
    """Read one of the files of the rules; raises ValueError where it is no TOML."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


class Reader:
    """Reads the tables of one file, collecting every fault with its file, clause and key."""

    def __init__(self, path: Path) -> None:
        self.file = path.name
        self.faults: list[Fault] = []
        try:
            self.document = read_toml(path)
        except (ValueError, RecursionError) as error:  # ValueError also for a number of 5,000 digits
            raise BrokenRulebook([Fault(self.file, "", "", f"is not readable as TOML: {error}")]) from None

    def fault(self, clause: str, key: str, message: str) -> None:
        """Note what is wrong, and where."""
        self.faults.append(Fault(self.file, clause, key, message))

    def text(self, table: Mapping[str, Any], key: str, clause: str, *, required: bool = True) -> str:
        """Read a text, its outer blanks aside; empty where there is none."""
        value = table.get(key, "")
        if not isinstance(value, str):
            self.fault(clause, key, "must be a text in quotation marks")
            return ""
        if required and not value.strip():
            self.fault(clause, key, "is missing")
        return value.strip()

    def texts(self, table: Mapping[str, Any], key: str, clause: str, what: str) -> tuple[str, ...]:
        """Read a list of texts, which may be missing; `what` says what it must be a list of."""
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fault(clause, key, f"must be a list of {what}")
            return ()
        return tuple(value)

    def known_keys(self, table: Mapping[str, Any], allowed: frozenset[str], clause: str) -> None:
        """Refuse keys that nobody would read."""
        for key in table.keys() - allowed:
            self.fault(clause, key, f"is not a key here; possible are {', '.join(sorted(allowed))}")

    def tables(self, table: Mapping[str, Any], key: str, clause: str) -> Iterator[Mapping[str, Any]]:
        """Read a list of tables."""
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.fault(clause, key, f"must be tables, each under [[{key}]]")
            return
        yield from value

    def finish(self) -> None:
        """Raise `BrokenRulebook` when anything was wrong."""
        if self.faults:
            raise BrokenRulebook(self.faults)
