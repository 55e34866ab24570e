"""Read scores from paper: a table with a date and each player's points, one line for each round.

    date,match,Ada,Bo,Cy
    2019-12-24,,0,35,77
    2019-12-24,,112,0,0

Lines of one date (and one match name, if there is that column) are one match. An empty cell means that the player
sat out, or did not play that day.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import groupby

from referee.records.models import now
from referee.records.names import LONGEST_LINE, clean_name, clean_text, fold_name
from referee.records.words import say
from referee.rules.problem import Impossible, Problem
from referee.rules.totals import HIGHEST_TOTAL

MOST_LINES = 20_000
MOST_COLUMNS = 60
MOST_PROBLEMS = 30
FIRST_YEAR = 1970
_DAY_FIRST = re.compile(r"(\d{1,2})([.-])(\d{1,2})\2(\d{4})")


@dataclass(frozen=True)
class PaperMatch:
    """One match on paper; `rounds` are points by name, None for who sat out."""

    line: int
    day: date
    name: str
    players: tuple[str, ...]
    rounds: tuple[Mapping[str, int | None], ...]

    @property
    def totals(self) -> dict[str, int]:
        """Add up each player's points."""
        return {player: sum(round.get(player) or 0 for round in self.rounds) for player in self.players}


@dataclass(frozen=True)
class Paper:
    """The matches read, and the problems, each with its line as ``line 7``."""

    matches: tuple[PaperMatch, ...]
    problems: tuple[Problem, ...]


@dataclass
class _Line:
    number: int
    day: date
    name: str
    points: dict[str, int | None] = field(default_factory=dict)


def decode_table(data: bytes) -> str:
    """Decode a file: UTF-8, UTF-16 as spreadsheets write it, or else Windows-1252.

    Raises `Impossible` for a file that isn't text.
    """
    encodings = ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\x00" not in text:
            return text
    raise Impossible([Problem("file", say("paper.no-text"))])


def read_paper(text: str) -> Paper:
    """Read a table of rounds; never raises."""
    problems: list[Problem] = []
    first_line = text.lstrip("\ufeff").partition("\n")[0]
    delimiter = max(",;\t", key=first_line.count)
    try:
        rows = list(csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        return Paper((), (Problem("table", say("paper.no-table", reason=error)),))
    if len(rows) > MOST_LINES:
        return Paper((), (Problem("table", say("paper.lines", n=len(rows), most=MOST_LINES)),))
    heads = [cell.strip() for cell in rows[0]] if rows else []
    columns = _columns(heads, problems)
    if columns is None:
        return Paper((), tuple(problems))
    lines = []
    for number, row in enumerate(rows[1:], start=2):
        if any(cell.strip() for cell in row) and len(problems) < MOST_PROBLEMS:
            line = _line(number, row, heads, columns, problems)
            if line is not None:
                lines.append(line)
    if not lines and not problems:
        problems.append(Problem("table", say("paper.no-rounds")))
    return Paper(tuple(_matches(lines, problems)), tuple(problems[:MOST_PROBLEMS]))


def _columns(heads: Sequence[str], problems: list[Problem]) -> range | None:
    """Find the columns of players; adds the problems of the header."""
    if not heads or heads[0].casefold() not in ("date", "datum", "day"):
        problems.append(Problem("line 1", say("paper.heads")))
        return None
    first = 2 if len(heads) > 1 and heads[1].casefold() in ("match", "game") else 1
    players = list(heads[first:])
    while players and not players[-1]:
        players.pop()
    if len(players) < 2 or len(heads) > MOST_COLUMNS:
        problems.append(Problem("line 1", say("paper.players", most=MOST_COLUMNS - 2)))
        return None
    seen: set[str] = set()
    for place, name in enumerate(players):
        try:
            clean_name(name)
        except Impossible as error:
            wrong = say("paper.column", number=first + place + 1, problem=error.problems[0].message)
            problems.append(Problem("line 1", wrong))
        if fold_name(name) in seen:
            problems.append(Problem("line 1", say("paper.two-columns", name=name[:40])))
        seen.add(fold_name(name))
    return None if problems else range(first, first + len(players))


def _line(
    number: int, row: Sequence[str], heads: Sequence[str], columns: range, problems: list[Problem]
) -> _Line | None:
    before = len(problems)
    where = f"line {number}"
    day = _day(row[0].strip(), where, problems)
    name = row[1].strip() if columns.start == 2 and len(row) > 1 else ""
    try:
        clean_text(name, where, LONGEST_LINE)
    except Impossible as error:
        problems += error.problems
    if any(cell.strip() for cell in row[columns.stop :]):
        problems.append(Problem(where, say("paper.cells", n=len(row), columns=columns.stop)))
    points: dict[str, int | None] = {}
    for column in columns:
        cell = row[column].strip().removeprefix("'") if column < len(row) else ""
        if cell and (not cell.isascii() or not cell.isdecimal() or int(cell[:9]) > HIGHEST_TOTAL or len(cell) > 9):
            wrong = say("paper.points", name=heads[column], cell=cell[:20], most=HIGHEST_TOTAL)
            problems.append(Problem(where, wrong))
        else:
            points[clean_name(heads[column])] = int(cell) if cell else None
    return _Line(number, day, name, points) if len(problems) == before and day is not None else None


def _day(text: str, where: str, problems: list[Problem]) -> date | None:
    found = _DAY_FIRST.fullmatch(text)
    try:
        day = date(int(found[4]), int(found[3]), int(found[1])) if found else date.fromisoformat(text)
    except ValueError:
        problems.append(Problem(where, say("paper.date", text=text[:20])))
        return None
    if day > now().date() + timedelta(days=1):
        problems.append(Problem(where, say("import.future", day=day)))
    elif day.year < FIRST_YEAR:
        problems.append(Problem(where, say("paper.early", day=day, year=FIRST_YEAR)))
    return day


def _matches(lines: Sequence[_Line], problems: list[Problem]) -> Sequence[PaperMatch]:
    found = []
    for (day, name), group in groupby(lines, key=lambda line: (line.day, line.name)):
        own = list(group)
        players = tuple(player for player in own[0].points if any(line.points.get(player) is not None for line in own))
        if len(players) < 2:
            problems.append(Problem(f"line {own[0].number}", say("paper.match")))
            continue
        rounds = tuple({player: line.points.get(player) for player in players} for line in own)
        found.append(PaperMatch(own[0].number, day, name, players, rounds))
    return found
