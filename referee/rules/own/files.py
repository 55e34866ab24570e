"""A table's own rulebook as a TOML file: written for people to edit, read back with the line of every problem."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

from referee.rules.own.rulebook import OwnRulebook, Tidy, keep
from referee.rules.text.problem import Impossible, Path, Problem
from referee.rules.text.words import say

LONGEST_FILE = 100_000
"""Bytes of a file, and of the document of a rulebook."""
MOST_DOTS = 100
"""Dots between two signs that part keys or values: reading ``a.b.c`` takes time with the square of its length."""


def write_file(own: OwnRulebook) -> str:
    """Return a rulebook as TOML, which `read_file` reads."""
    return "\n".join(_lines(own.to_document())) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for key in ("title", "base", "house_rules"):
        yield f"{key} = {_value(document[key])}"
    if "without" in document:
        yield f"without = {_value(document['without'])}"
    for clause, settings in document["changes"].items():
        given = {name: value for name, value in settings.items() if value is not None}
        yield from ("", f"[changes.{clause}]")
        yield from (f"{name} = {_value(value)}" for name, value in given.items())
        if len(given) < len(settings):
            yield f"open = {_value([name for name in settings if name not in given])}"
    for rule in document["clauses"]:
        parts = {"text": rule} if isinstance(rule, str) else rule
        yield from ("", "[[clauses]]")
        yield from (f"{key} = {_value(value)}" for key, value in parts.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_file(text: str, tidy: Tidy = keep) -> OwnRulebook:
    """Return the rulebook that a TOML text holds; raise `Impossible` with every problem and its line."""
    if len(text.encode("utf-8", "surrogatepass")) > LONGEST_FILE:
        raise Impossible([Problem("file", say("own.file-too-long", most=f"{LONGEST_FILE // 1000}"))])
    if any(part.count(".") > MOST_DOTS for part in re.split(r"[=,{}\[\]\n]", text)):
        raise Impossible([Problem("file", say("own.file-too-deep"))])
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise Impossible([Problem("file", say("own.file-too-deep"))]) from None
    except ValueError as error:  # ValueError also for a number of 5,000 digits
        line = re.search(r"\(at line (\d+),", str(error))  # tomllib tells the place in its sentence only
        why = say("own.file-unreadable")
        raise Impossible([Problem("file", say("own.at-line", line=line[1], problem=why) if line else why)]) from None
    try:
        return OwnRulebook.read(_with_open(document), tidy)
    except Impossible as error:
        raise Impossible(_at_lines(error.problems, text)) from None


def _with_open(document: dict[str, Any]) -> dict[str, Any]:
    """Turn ``open = ["target"]`` into null settings, since TOML has no null."""
    changes = document.get("changes")
    if not isinstance(changes, dict):
        return document
    read: dict[str, Any] = {}
    for clause, settings in changes.items():
        left = settings.get("open") if isinstance(settings, dict) else None
        if isinstance(left, list):
            given = {name: value for name, value in settings.items() if name != "open"}
            settings = given | {name: None for name in left if isinstance(name, str)}
        read[clause] = settings
    return document | {"changes": read}


def _at_lines(problems: Iterable[Problem], text: str) -> list[Problem]:
    lines = _lines_of(text)
    placed = []
    for problem in problems:
        ways = (problem.path[:length] for length in range(len(problem.path), 0, -1))
        line = next((lines[way] for way in ways if way in lines), None)
        told = problem.message if line is None else say("own.at-line", line=line, problem=problem.message)
        placed.append(Problem(problem.path, told))
    return placed


_HEADER = re.compile(r"\s*(\[\[?)([^\[\]]{1,200})\]")
_KEY = re.compile(r"\s*([^=#\[]{1,200})=")


def _lines_of(text: str) -> dict[Path, int]:
    """Return the line of each key and table; a part of a value has the line of its key."""
    lines: dict[Path, int] = {}
    table: Path = ()
    counts: dict[Path, int] = {}
    within = False
    for number, line in enumerate(text.splitlines(), 1):
        if not within and (header := _HEADER.match(line)):
            table = _keys(header[2])
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            lines.setdefault(table, number)
        elif not within and (key := _KEY.match(line)):
            lines.setdefault((*table, *_keys(key[1])), number)
        if (line.count('"""') + line.count("'''")) % 2:
            within = not within
    return lines


def _keys(dotted: str) -> Path:
    return tuple(key.strip().strip("\"'") for key in dotted.split("."))
