"""What the pages of an evening show: its tables, who sits where, who waits, and how everyone stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from sqlalchemy import select
from sqlalchemy.orm import Session

from referee.records.club.players import load_merged
from referee.records.evening.drawing import met_before
from referee.records.evening.evenings import EveningPlan, Person, load_people, load_tables, of_evening
from referee.records.ids import digest_of
from referee.records.match.history import Lead, load_leads
from referee.records.match.matches import load_clocks
from referee.records.models import DrawTable, Evening, EveningDraw, Match, MatchStatus, Player, Seat


@dataclass(frozen=True)
class FloorTable:
    """One table of a draw, and how its match goes."""

    draw: int
    table: int
    match: Match
    seats: Mapping[str, str]
    """names of those who sit there by id, clockwise; the first deals"""
    lead: Lead
    clock_ends: datetime | None
    called_at: datetime | None
    """since when someone there waits for a referee"""

    @property
    def playing(self) -> bool:
        """Return whether its match goes on."""
        return self.match.status == MatchStatus.IN_PROGRESS


@dataclass(frozen=True)
class Again:
    """Two who meet again, and how often they have met before."""

    one: str
    other: str
    times: int


@dataclass(frozen=True)
class Floor:
    """An evening at one moment."""

    evening: Evening
    plan: EveningPlan
    people: Sequence[Person]
    """everyone who came, by name"""
    draws: Sequence[EveningDraw]
    tables: Sequence[FloorTable]
    """those of the last draw"""
    awaited: Sequence[FloorTable]
    """those of earlier draws whose matches still go on"""
    again: Sequence[Again]
    """who meet again in the last draw, by name"""

    @property
    def here(self) -> Sequence[Person]:
        """Return those for whom the next draw has a seat."""
        return [person for person in self.people if person.here]

    @property
    def without_seat(self) -> Sequence[Person]:
        """Return those who are here and sit at no table until the next draw."""
        seated = {id for table in self.tables for id in table.seats}
        return [person for person in self.here if person.id not in seated]

    @property
    def waits_for(self) -> Sequence[FloorTable]:
        """Return the tables that the next draw waits for."""
        return [table for table in self.tables if table.playing]

    def seat_of(self, player_id: str) -> FloorTable | None:
        """Return the table of the last draw at which someone sits; None for who sits at none."""
        return next((table for table in self.tables if player_id in table.seats), None)


def load_floor(session: Session, evening: Evening) -> Floor:
    """Load an evening with its tables, in a number of queries that doesn't grow with them."""
    chosen = select(EveningDraw).where(*of_evening(EveningDraw, evening)).order_by(EveningDraw.draw)
    draws = session.scalars(chosen).all()
    last = draws[-1].draw if draws else 0
    shown = [
        (table, match)
        for table, match in load_tables(session, evening)
        if table.draw == last or match.status == MatchStatus.IN_PROGRESS
    ]
    matches = [match for _, match in shown]
    leads, seats, clocks = load_leads(session, matches), _load_seats(session, matches), load_clocks(session, matches)
    tables = [
        FloorTable(
            table.draw, table.table, match, seats[match.id], leads[match.id], clocks.get(match.id), table.called_at
        )
        for table, match in shown
    ]
    now = [table for table in tables if table.draw == last]
    met = met_before(draws[-1], load_merged(session, evening.club_id)) if draws else {}
    return Floor(
        evening=evening,
        plan=EveningPlan.from_document(evening.plan),
        people=load_people(session, evening),
        draws=draws,
        tables=now,
        awaited=[table for table in tables if table.draw != last],
        again=[
            Again(table.seats[one], table.seats[other], met[pair])
            for table in now
            for one, other in combinations(table.seats, 2)
            if (pair := frozenset((one, other))) in met
        ],
    )


def _load_seats(session: Session, matches: Sequence[Match]) -> dict[str, dict[str, str]]:
    """Load the names of who sits at some matches, by id, clockwise."""
    seats: dict[str, dict[str, str]] = {match.id: {} for match in matches}
    if matches:
        rows = session.execute(
            select(Seat.match_id, Player.id, Player.name, Seat.stays)
            .join(Player, (Player.club_id == Seat.club_id) & (Player.id == Seat.player_id))
            .where(Seat.club_id == matches[0].club_id, Seat.match_id.in_(seats))
            .order_by(Seat.match_id, Seat.seat)
        )
        for match_id, player_id, name, stays in rows:
            if stays[-1][1] is None:
                seats[match_id][player_id] = name
    return seats


def state_of_floor(session: Session, evening: Evening) -> str:
    """Return what names the floor's present state: it changes with the evening, and with each match of it."""
    states = session.execute(
        select(Match.id, Match.revision, Match.nonce)
        .join(DrawTable, (Match.club_id == DrawTable.club_id) & (Match.id == DrawTable.match_id))
        .where(*of_evening(DrawTable, evening))
        .order_by(Match.id)
    )
    return digest_of(repr([evening.state, *map(tuple, states)]))
