"""Import scores from paper: a table with a date and each player's points, one line for each round.

    date,match,Ada,Bo,Cy
    2019-12-24,,0,35,77
    2019-12-24,,112,0,0

Lines of one date (and one match name, if there is that column) are one match. An empty cell means that the player
sat out, or did not play that day. Only points are imported, since paper has no cards. Match ids are made from the
content, so that the same lines are imported only once.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from referee.records.club.own_rulebooks import available
from referee.records.errors import MOST_PLAYERS, MOST_ROUNDS, too_many
from referee.records.ids import id_of, new_id
from referee.records.models import DETAILS, EndedBy, MatchStatus, Player, now
from referee.records.names import LONGEST_LINE, clean_name, clean_text, fold_name, likeness
from referee.records.transfer import document as parts
from referee.records.transfer.checking import fields_of, seats_of
from referee.records.transfer.importing import Plan, import_planned
from referee.records.transfer.references import ExistingRows, load_known
from referee.records.transfer.rescoring import AgreedTerms, Course, Result
from referee.records.words import say
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import HIGHEST_TOTAL
from referee.rules.scoring.round_entry import WENT_OUT
from referee.rules.scoring.terms import Terms, agreed
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import languages, speaking

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


class _Line(NamedTuple):
    number: int
    day: date
    name: str
    points: dict[str, int | None]


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
    except csv.Error:
        return Paper((), (Problem("table", say("paper.no-table")),))
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
    if not heads or heads[0].casefold() not in _heads()[0]:
        problems.append(Problem("line 1", say("paper.heads")))
        return None
    first = 2 if len(heads) > 1 and heads[1].casefold() in _heads()[1] else 1
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


@cache
def _heads() -> tuple[set[str], set[str]]:
    """Return what every language calls the columns of dates and of matches."""
    days, matches = {"day"}, {"game"}
    for code in languages():
        with speaking(code):
            days.add(say("table.date").casefold())
            matches.add(say("table.of-match").casefold())
    return days, matches


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
    match = _DAY_FIRST.fullmatch(text)
    try:
        day = date(int(match[4]), int(match[3]), int(match[1])) if match else date.fromisoformat(text)
    except ValueError:
        problems.append(Problem(where, say("paper.date", text=text[:20])))
        return None
    if day > now().date() + timedelta(days=1):
        problems.append(Problem(where, say("import.future", day=day)))
    elif day.year < FIRST_YEAR:
        problems.append(Problem(where, say("paper.early", day=day, year=FIRST_YEAR)))
    return day


def _matches(lines: Sequence[_Line], problems: list[Problem]) -> Sequence[PaperMatch]:
    matches = []
    for (day, name), group in groupby(lines, key=lambda line: (line.day, line.name)):
        own = list(group)
        players = tuple(player for player in own[0].points if any(line.points.get(player) is not None for line in own))
        if len(players) < 2:
            problems.append(Problem(f"line {own[0].number}", say("paper.match")))
            continue
        rounds = tuple({player: line.points.get(player) for player in players} for line in own)
        matches.append(PaperMatch(own[0].number, day, name, players, rounds))
    return matches


# -- into a club ------------------------------------------------------------------------------------------------------


def plan_paper(
    session: Session, club_id: str, paper: Paper, rulebook: str, by: str, known: ExistingRows | None = None
) -> Plan:
    """Compute what of a paper is new to a club; `by` is the id of the importing key. Raises `Impossible`."""
    known = known or load_known(session, club_id)
    problems = list(paper.problems)
    book = available(session, club_id).get(rulebook)
    if book is None:
        problems.append(Problem("rulebook", say("choose.known", choices=", ".join(rulebooks()))))
    if problems or book is None:
        raise Impossible(problems)
    writing = _Writing(session, club_id, by)
    there, gone = 0, 0
    ids = set(known.matches)
    for match, moment in zip(paper.matches, _moments(paper.matches), strict=True):
        said = [match.day.isoformat(), match.name, rulebook, match.players, [dict(round) for round in match.rounds]]
        id = id_of(moment, json.dumps(said, ensure_ascii=False).encode())
        there, gone = there + (id in ids), gone + (id in known.deleted)
        if id in ids or id in known.deleted:
            continue
        ids.add(id)
        try:
            writing.match(match, book, id, moment)
        except Impossible as error:
            problems += [Problem(f"line {match.line}", problem.message) for problem in error.problems]
            if len(problems) >= MOST_PROBLEMS:
                break
    if len(writing.by_fold) > MOST_PLAYERS:
        problems.append(too_many("players", MOST_PLAYERS, "table"))
    if problems:
        raise Impossible(problems)
    texts = {digest: book.to_document() for digest, book in writing.terms.rulebooks.items()}
    return Plan(
        players=writing.players,
        rulebooks={digest: text for digest, text in texts.items() if digest not in known.rulebooks},
        matches=sorted(writing.matches, key=lambda match: match.id),
        results=writing.results,
        names={person.id: person.name for person in writing.by_fold.values()},
        terms=writing.terms,
        known=there,
        deleted=gone,
    )


def import_paper(engine: Engine, club_id: str, paper: Paper, rulebook: str, by: str) -> Plan:
    """Import the matches of a paper, all or nothing, and return them; raises `Impossible` and `Busy`."""
    return import_planned(
        engine, club_id, lambda session, known: plan_paper(session, club_id, paper, rulebook, by, known)
    )


def _moments(matches: Sequence[PaperMatch]) -> list[datetime]:
    """Return a moment of its day for each match: noon, and a minute later for each further one."""
    seen: Counter[date] = Counter()
    moments = []
    for match in matches:
        noon = datetime.combine(match.day, time(12), UTC)
        moments.append(min(noon, now()) + timedelta(minutes=seen[match.day]))
        seen[match.day] += 1
    return moments


@dataclass
class _Writing:
    """Turns the matches of a paper into parts of a club's document."""

    session: Session
    club_id: str
    by: str
    by_fold: dict[str, parts.PlayerPart] = field(init=False)
    """the club's players by folded name, and by its likeness; a merged name leads to the player it became"""
    players: list[parts.PlayerPart] = field(default_factory=list)
    agreed: dict[int, Terms] = field(default_factory=dict)
    """by number of players"""
    matches: list[parts.MatchPart] = field(default_factory=list)
    results: dict[str, Result] = field(default_factory=dict)
    terms: AgreedTerms = field(default_factory=AgreedTerms)

    def __post_init__(self) -> None:
        columns = select(Player.id, Player.name, Player.folded_name, Player.merged_into)
        rows = self.session.execute(columns.where(Player.club_id == self.club_id)).all()
        people = {row.id: parts.PlayerPart(row.id, row.name, True, None, now()) for row in rows}
        named = {row.folded_name: people[row.merged_into or row.id] for row in rows}
        self.by_fold = {likeness(name): person for name, person in named.items()} | named

    def match(self, paper: PaperMatch, book: Rulebook, id: str, moment: datetime) -> None:
        """Add a match; raises `Impossible`."""
        people = [self._person(name) for name in paper.players]
        twice = next((person for place, person in enumerate(people) if person in people[:place]), None)
        if twice is not None:
            raise Impossible([Problem("players", say("paper.merged", name=twice.name))])
        if len(paper.rounds) > MOST_ROUNDS:
            raise Impossible([too_many("rounds", MOST_ROUNDS, "rounds")])
        if len(people) not in self.agreed:  # the same for each number of players
            self.agreed[len(people)] = Terms.agree(book, players=len(people))
        terms = self.agreed[len(people)]
        self.terms.rulebooks[terms.rulebook.digest] = terms.rulebook
        agreement = agreement_part(terms, self.by)
        seat_of = {name: seat for seat, name in enumerate(paper.players)}
        match = parts.MatchPart(
            id=id,
            status=MatchStatus.FINISHED,
            ended_by=EndedBy.BY_HAND,
            agreements=[agreement],
            dealer_seat=None,
            dealer_after=0,
            **(dict.fromkeys(DETAILS, "") | {"name": paper.name}),
            rematch_of=None,
            started_at=moment,
            finished_at=moment,
            created_by=self.by,
            seats=[parts.SeatPart(person.id, person.name, 0, [(1, None)]) for person in people],
            rounds=[],
            events=[],
            rulings=[],
            removed_texts=[],
        )
        seats = seats_of(match, {person.id: person.name for person in people})
        course = Course(seats)
        for place, points in enumerate(paper.rounds, start=1):
            entry, score = _said(terms, {seat_of[name]: worth for name, worth in points.items()})
            match.rounds.append(
                parts.RoundPart(new_id(moment), place, [parts.VersionPart(False, entry, score, moment, self.by)])
            )
            course.add(seats, fields_of(entry), fields_of(score), terms)
        end = course.end(terms, by_hand=True)
        assert end is not None  # by hand every match ends
        self.results[id] = end
        self.matches.append(replace(match, ended_by=EndedBy(end.ended_by)))

    def _person(self, name: str) -> parts.PlayerPart:
        known = self.by_fold.get(fold_name(name)) or self.by_fold.get(likeness(name))
        if known is None:
            known = self.by_fold[likeness(name)] = parts.PlayerPart(new_id(), name, True, None, now())
            self.players.append(known)
        return known


def agreement_part(terms: Terms, by: str | None) -> parts.AgreementPart:
    """Return what a table agreed on just now, before its first round."""
    return parts.AgreementPart(
        from_place=1,
        rulebook=terms.rulebook.id,
        digest=terms.rulebook.digest,
        house_rules=list(terms.rulebook.in_force),
        note="",
        at=now(),
        by=by,
        **agreed(terms)
        | {"custom_rules": list(terms.custom_rules)}
        | {"face_points": dict(terms.face_points) if terms.face_points else None},
    )


def _said(terms: Terms, points: Mapping[int, int | None]) -> tuple[parts.EntryPart, parts.ScorePart]:
    """Make a round from its points; who went out follows where only one player can have."""
    takes = terms.credits_one
    here = {seat: worth for seat, worth in points.items() if worth is not None}
    candidates = [seat for seat, worth in here.items() if (worth > 0) == takes]
    entry = parts.EntryPart(
        ended=WENT_OUT,
        went_out=candidates[0] if len(candidates) == 1 else None,
        hands={},
        cards_left={},
        last_card=None,
        credited_to=None,
        sat_out=[seat for seat in points if seat not in here],
    )
    score = parts.ScorePart(
        hands={},
        points={str(seat): worth for seat, worth in here.items()},
        credited_to=[seat for seat, worth in here.items() if worth > 0] if takes else [],
        winners=[],
    )
    return entry, score
