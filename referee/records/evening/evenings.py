"""Evenings of many tables: opened, joined and left at any time, ended, deleted and restored.

Every change puts an evening in a new state, so that of two scorekeepers who change it at once the second sees what the
first has done. What is drawn stands in `drawing`, what its pages show in `floor`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, func, select
from sqlalchemy.orm import Session

from referee.records.club.access import lock_club
from referee.records.club.links import close_link, close_tables, lead_tables, open_tables
from referee.records.club.own_rulebooks import find_rulebook
from referee.records.club.players import remove_unseen, seat_players
from referee.records.deletion.waiting import until
from referee.records.errors import MOST_EVENINGS, MOST_PEOPLE, NotFound, refuse_over
from referee.records.ids import is_id, new_id
from referee.records.match import matches
from referee.records.match.plans import MatchPlan, agree
from referee.records.match.rounds import count_rounds
from referee.records.match.tallies import note_change
from referee.records.models import (
    LISTED,
    Club,
    DrawTable,
    Evening,
    EveningDraw,
    EveningPlayer,
    EveningStatus,
    Key,
    KeyRole,
    Match,
    MatchStatus,
    Player,
    new_nonce,
    now,
)
from referee.records.names import LONGEST_LINE, clean_text
from referee.records.words import say
from referee.rules.books.agreeing import Agreed
from referee.rules.scoring.terms import agreed
from referee.rules.text.problem import Impossible, Problem, attempt

SIZES = range(2, 6)
"""Players at a table."""
Conditions = tuple[ColumnElement[bool], ...]
MOST_LISTED = 50
"""Evenings of a list."""


@dataclass(frozen=True, kw_only=True)
class EveningPlan(Agreed):
    """How an evening is played: how many sit at a table, how often it is drawn, and what each match is agreed on."""

    rulebook: str
    house_rules: tuple[str, ...] = ()
    deck: str | None = None
    open_ended: bool = False
    """no target, even where the text sets one"""
    minutes: int | None = None
    """for which the clock of all tables runs, once it is started; None without one"""
    size: int = 4
    draws: int = 3
    """how often everyone is to be drawn: the next draw leaves room for those after it"""

    def to_document(self) -> dict[str, Any]:
        """Return the plan as it is stored: what differs from the usual."""
        usual = asdict(EveningPlan(rulebook=""))
        return {name: value for name, value in asdict(self).items() if value != usual[name]}

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> EveningPlan:
        """Read a plan as it was stored."""
        return EveningPlan(**{name: _frozen(value) for name, value in document.items()})

    def of_table(self, players: Sequence[str], **more: Any) -> MatchPlan:
        """Return the plan of one match; the first named deals. Former names play on under what stands for them."""
        plan = {"house_rules": self.house_rules, "open_ended": self.open_ended, **agreed(self), **more}
        return MatchPlan(tuple(players), self.rulebook, dealer=players[0], former=True, **plan)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


class Unfinished(StrEnum):
    """What becomes of a table that still plays when the next draw is made, or the evening ends."""

    COUNTED = "counted"
    """its match ends now, and counts as it stands"""
    LEFT_OUT = "left-out"
    """its match is abandoned, and doesn't count"""
    AWAITED = "awaited"
    """its match goes on, as where its phone is offline: its rounds count when they come"""


@dataclass(frozen=True)
class Person:
    """Someone who came on an evening."""

    id: str
    name: str
    guest: bool
    """plays, and is in no table of the evening"""
    from_draw: int
    until_draw: int | None

    @property
    def here(self) -> bool:
        """Return whether the next draw has a seat for this person."""
        return self.until_draw is None


def open_evening(
    session: Session, club: Club, plan: EveningPlan, by: Key, *, name: str = "", names: Iterable[str] = ()
) -> Evening:
    """Open an evening with those who are here; unknown names join the club. Raises `Impossible` with every problem."""
    problems: list[Problem] = []
    if plan.size not in SIZES:
        problems.append(Problem("size", say("evening.size", least=SIZES[0], most=SIZES[-1])))
    if not 1 <= plan.draws <= MOST_DRAWS:
        problems.append(Problem("draws", say("evening.planned", most=MOST_DRAWS)))
    if plan.minutes is not None and not 1 <= plan.minutes <= matches.LONGEST:
        problems.append(Problem("minutes", say("match.minutes", most=matches.LONGEST)))
    title = attempt(problems, lambda: clean_text(name, "name", LONGEST_LINE)) or ""
    seats = plan.of_table([str(seat) for seat in range(max(plan.size, 2))])
    attempt(problems, lambda: agree(find_rulebook(session, club.id, plan.rulebook), seats))
    if problems:
        raise Impossible(problems)
    own = select(func.count()).select_from(Evening).where(Evening.club_id == club.id)
    refuse_over((session.scalar(own) or 0) + 1, MOST_EVENINGS, "name", "evenings")
    evening = Evening(club_id=club.id, id=new_id(), name=title, plan=plan.to_document(), created_by=by.id)
    session.add(evening)
    session.flush()
    arrive(session, club, evening, names)
    return evening


MOST_DRAWS = 20
"""Draws of an evening, its finals included."""


def get_evening(
    session: Session, club_id: str, evening_id: str, *, lock: bool = False, deleted: bool = False
) -> Evening:
    """Look up an evening of the club, and with `lock` lock it against other writers.

    Raises `NotFound`, also for a deleted one unless `deleted`, and then for one that can't be restored any more.
    """
    if not is_id(evening_id):
        raise NotFound("evening")
    chosen = select(Evening).where(Evening.club_id == club_id, Evening.id == evening_id)
    if lock:
        lock_club(session, club_id)
        chosen = chosen.with_for_update().execution_options(populate_existing=True)
    evening = session.scalar(chosen)
    if evening is None or (evening.deleted_at is not None and not (deleted and until(evening.deleted_at))):
        raise NotFound("evening")
    return evening


def of_evening(part: type[EveningPlayer | EveningDraw | DrawTable], evening: Evening) -> Conditions:
    """Return the conditions under which parts belong to an evening."""
    return part.club_id == evening.club_id, part.evening_id == evening.id


def list_evenings(
    session: Session, club: Club, *, most: int = MOST_LISTED, open_only: bool = False
) -> Sequence[Evening]:
    """List the club's evenings, or those that go on, newest first, the last `most` of them."""
    chosen = select(Evening).where(Evening.club_id == club.id, Evening.deleted_at.is_(None))
    chosen = chosen.order_by(Evening.id.desc()).limit(most)
    return session.scalars(chosen.where(Evening.status == EveningStatus.OPEN) if open_only else chosen).all()


def arrive(
    session: Session, club: Club, evening: Evening, names: Iterable[str], *, guest: bool = False
) -> Sequence[EveningPlayer]:
    """Let people in, or back in: the next draw has a seat for them. Who is here already stays as they are.

    Unknown names join the club. Returns who is new. Raises `Impossible` for a bad name, for one given twice, and where
    there is no room.
    """
    refuse_over_evening(evening)
    at, came = now(), [player.id for player in seat_players(session, club, list(names), "names")]
    there = {row.player_id: row for row in _rows(session, evening)}
    refuse_over(len({*there, *came}), MOST_PEOPLE, "names", "people")
    for id in there.keys() & came:
        there[id].until_draw = None
    same = {"from_draw": count_draws(session, evening) + 1, "guest": guest, "let_in_at": at}
    rows = [
        EveningPlayer(club_id=club.id, evening_id=evening.id, player_id=id, **same) for id in came if id not in there
    ]
    session.add_all(rows)
    advance(session, evening)
    return rows


def undo_arrival(session: Session, evening: Evening, at: str) -> None:
    """Take out again whoever was let in at a moment and has had no seat; who joined the club by that leaves it too.

    Raises `Impossible` where that is nobody.
    """
    refuse_over_evening(evening)
    last = count_draws(session, evening)
    came = [row for row in _rows(session, evening) if row.let_in_at.isoformat() == at and row.from_draw > last]
    if not came:
        raise Impossible([Problem("revision", say("evening.not-taken-out"))])
    for row in came:
        session.delete(row)
    advance(session, evening)
    remove_unseen(session, evening.club_id, [row.player_id for row in came], came[0].let_in_at)


def depart(session: Session, evening: Evening, player_id: str) -> None:
    """Let someone leave: the next draw has no seat for them; raises `NotFound`. Where they sit now they stay."""
    refuse_over_evening(evening)
    row = get_person(session, evening, player_id)
    if row.until_draw is None:
        row.until_draw = count_draws(session, evening) + 1
    advance(session, evening)


def count_as_guest(session: Session, evening: Evening, player_id: str, *, guest: bool) -> None:
    """Set whether someone is a guest, who plays and is in no table of the evening; raises `NotFound`."""
    get_person(session, evening, player_id).guest = guest
    advance(session, evening)


def get_person(session: Session, evening: Evening, player_id: str) -> EveningPlayer:
    """Look up who came by their id; raises `NotFound`."""
    row = session.get(EveningPlayer, (evening.club_id, evening.id, player_id)) if is_id(player_id) else None
    if row is None:
        raise NotFound("person")
    return row


def load_people(session: Session, evening: Evening) -> list[Person]:
    """Load everyone who came, by name."""
    rows = session.execute(
        select(Player.id, Player.name, EveningPlayer.guest, EveningPlayer.from_draw, EveningPlayer.until_draw)
        .join(Player, (Player.club_id == EveningPlayer.club_id) & (Player.id == EveningPlayer.player_id))
        .where(*of_evening(EveningPlayer, evening))
        .order_by(Player.folded_name)
    )
    return [Person(*row) for row in rows]


def count_draws(session: Session, evening: Evening) -> int:
    """Return the number of the last draw; 0 before the first."""
    return session.scalar(select(func.max(EveningDraw.draw)).where(*of_evening(EveningDraw, evening))) or 0


def load_tables(session: Session, evening: Evening, draw: int | None = None) -> list[tuple[DrawTable, Match]]:
    """Load the tables of an evening, or of one draw, with their matches, in order; not those whose match is deleted."""
    chosen = (
        select(DrawTable, Match)
        .join(Match, (Match.club_id == DrawTable.club_id) & (Match.id == DrawTable.match_id))
        .where(*of_evening(DrawTable, evening), *(() if draw is None else (DrawTable.draw == draw,)))
        .order_by(DrawTable.draw, DrawTable.table)
        .options(*LISTED)
    )
    return [(table, match) for table, match in session.execute(chosen)]


def seat_phones(session: Session, evening: Evening) -> None:
    """Lead the phones of all tables to the matches of the last draw; called whenever a match comes to a table.

    A table that the last draw doesn't need keeps its match of an earlier one that still goes on.
    """
    goes_on = select(Match.id).where(Match.club_id == evening.club_id, Match.status == MatchStatus.IN_PROGRESS)
    own = (DrawTable.draw == count_draws(session, evening)) | DrawTable.match_id.in_(goes_on)
    rows = session.scalars(select(DrawTable).where(*of_evening(DrawTable, evening), own).order_by(DrawTable.draw))
    lead_tables(session, evening, {row.table: row.match_id for row in rows})


def open_table_links(
    session: Session, club: Club, evening: Evening, tables: Iterable[int], secret: str | bytes, by: Key
) -> None:
    """Make the links to those of these tables that have none; raises `Impossible` after the evening's end."""
    refuse_over_evening(evening)
    open_tables(session, club, evening, tables, secret, by)
    seat_phones(session, evening)


def was_at_table(session: Session, key: Key, match_id: str) -> bool:
    """Return whether a match is, or was, at the table of a phone's key."""
    own = (DrawTable.club_id == key.club_id, DrawTable.evening_id == key.evening_id, DrawTable.table == key.table)
    return session.scalar(select(DrawTable.draw).where(*own, DrawTable.match_id == match_id)) is not None


@dataclass(frozen=True)
class Place:
    """Where a match of an evening is played."""

    evening_id: str
    name: str
    """of the evening; may be empty"""
    started_at: datetime
    table: int
    called_at: datetime | None
    """since when someone there waits for a referee"""
    is_now: bool
    """whether it is of the last draw of an evening that goes on"""


_PLACE = (
    select(
        Evening.id,
        Evening.name,
        Evening.started_at,
        DrawTable.table,
        DrawTable.called_at,
        (Evening.status == EveningStatus.OPEN)
        & (
            DrawTable.draw
            == select(func.max(EveningDraw.draw))
            .where(EveningDraw.club_id == DrawTable.club_id, EveningDraw.evening_id == DrawTable.evening_id)
            .scalar_subquery()
        ),
    )
    .join(Evening, (Evening.club_id == DrawTable.club_id) & (Evening.id == DrawTable.evening_id))
    .where(DrawTable.club_id == bindparam("club_id"), DrawTable.match_id == bindparam("match_id"))
    .where(Evening.deleted_at.is_(None))
)
"""Built once, since every sheet asks it: to build it takes longer than to run it."""


def find_place(session: Session, match: Match) -> Place | None:
    """Find out at which table of an evening a match is played; None for any other match."""
    row = session.execute(_PLACE, {"club_id": match.club_id, "match_id": match.id}).one_or_none()
    return None if row is None else Place(*row)


def call_referee(session: Session, evening: Evening, table: int, *, wanted: bool = True) -> None:
    """Note that someone at a table waits for a referee, or not `wanted` that no one does; raises `NotFound`."""
    last = load_tables(session, evening, count_draws(session, evening))
    called = next((one for one, _ in last if one.table == table), None)
    if called is None:
        raise NotFound("table")
    called.called_at = (called.called_at or now()) if wanted else None
    advance(session, evening)


def start_clocks(session: Session, evening: Evening, by: Key) -> None:
    """Start the clock at each table that plays, for the minutes agreed on; raises `Impossible` without any."""
    minutes = EveningPlan.from_document(evening.plan).minutes
    if minutes is None:
        raise Impossible([Problem("minutes", say("evening.no-clock"))])
    for _, shown in load_tables(session, evening, count_draws(session, evening)):
        match = matches.get_match(session, evening.club_id, shown.id, lock=True)
        if match.status == MatchStatus.IN_PROGRESS:
            matches.start_clock(session, match, minutes, by)


def end_evening(session: Session, evening: Evening, by: Key, unfinished: Mapping[int, Unfinished]) -> None:
    """End an evening, and lock out the phones of its tables; raises `Impossible` as `decide`."""
    if evening.status == EveningStatus.ENDED:
        return
    close_matches(session, evening.club_id, decide(session, evening, unfinished), by)
    evening.status, evening.ended_at = EveningStatus.ENDED, now()
    close_tables(session, evening)
    advance(session, evening)


def turn_evening(session: Session, club_id: str, evening_id: str, *, deleted: bool) -> Evening:
    """Delete an evening, or restore it; one in that state already stays as it is. Raises `NotFound`.

    Its matches stay. The links to its tables and its television close for good. Raises `Impossible` while it goes on.
    """
    evening = get_evening(session, club_id, evening_id, lock=True, deleted=True)
    if deleted != (evening.deleted_at is not None):
        if deleted and evening.status == EveningStatus.OPEN and count_draws(session, evening):
            raise Impossible([Problem("evening", say("evening.end-first"))])
        evening.deleted_at = now() if deleted else None
        close_tables(session, evening)
        close_link(session, evening, KeyRole.BOARD)
        note_change(session, club_id)  # in a season its matches count by their days meanwhile
        advance(session, evening)
    return evening


def drop_evenings(session: Session, club_id: str, ids: Sequence[str]) -> None:
    """Remove evenings for good, with who came and what was drawn; their matches stay."""
    for part in (DrawTable, EveningDraw, EveningPlayer):
        session.execute(delete(part).where(part.club_id == club_id, part.evening_id.in_(ids)))
    session.execute(delete(Evening).where(Evening.club_id == club_id, Evening.id.in_(ids)))


def decide(session: Session, evening: Evening, unfinished: Mapping[int, Unfinished]) -> dict[str, Unfinished]:
    """Return what becomes of the matches of the last draw that still go on, by id.

    `unfinished` says it by the number of the table. Raises `Impossible`, with a problem for each table not in it.
    """
    last = load_tables(session, evening, count_draws(session, evening))
    playing = {table.table: match.id for table, match in last if match.status == MatchStatus.IN_PROGRESS}
    open = [table for table in playing if table not in unfinished]
    if open:
        raise Impossible([Problem(("unfinished", table), say("evening.playing", table=table)) for table in open])
    return {match_id: unfinished[table] for table, match_id in playing.items()}


def close_matches(session: Session, club_id: str, decided: Mapping[str, Unfinished], by: Key) -> None:
    """End matches as was decided, those that have not ended meanwhile; one without a round is abandoned."""
    for match_id in sorted(id for id, what in decided.items() if what != Unfinished.AWAITED):
        match = matches.get_match(session, club_id, match_id, lock=True)
        if match.status == MatchStatus.IN_PROGRESS:
            counts = decided[match_id] == Unfinished.COUNTED and count_rounds(session, match)[0]
            (matches.finish if counts else matches.abandon)(session, match, by)


def refuse_over_evening(evening: Evening) -> None:
    """Raise `Impossible` for an evening that has ended."""
    if evening.status == EveningStatus.ENDED:
        raise Impossible([Problem("evening", say("evening.ended"))])


def advance(session: Session, evening: Evening) -> None:
    """Write an evening in a new state."""
    evening.revision += 1
    evening.nonce = new_nonce()
    session.flush()


def _rows(session: Session, evening: Evening) -> Sequence[EveningPlayer]:
    return session.scalars(select(EveningPlayer).where(*of_evening(EveningPlayer, evening))).all()
