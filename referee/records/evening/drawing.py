"""The draws of an evening: drafted by reading alone, written under the lock, undone until a table has recorded."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from math import ceil
from types import MappingProxyType
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from referee.records.club.links import close_seat, move_links
from referee.records.club.own_rulebooks import find_rulebook
from referee.records.deletion.of_club import turn_match
from referee.records.deletion.texts import Column, carry_over
from referee.records.errors import MOST_CHANGES, Conflict, Moved, NotFound, refuse_over
from referee.records.evening import evenings
from referee.records.evening.draw import VERSION, meetings, plan
from referee.records.evening.evenings import MOST_DRAWS, SIZES, EveningPlan, Unfinished
from referee.records.evening.standing import load_standings
from referee.records.match import matches, tallies
from referee.records.match.plans import CheckedPlan, MatchPlan, agree, check_plan
from referee.records.match.seating import load_seating
from referee.records.models import (
    Club,
    DrawKind,
    DrawTable,
    Evening,
    EveningDraw,
    EveningPlayer,
    Key,
    Match,
    Seat,
    now,
    of_live_match,
)
from referee.records.words import say
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import language

FEWEST = 3
"""People for whom tables are drawn."""
NUMBERS = range(1, 1_000_000)
"""From which a draw may follow: what can be read out and typed."""
FINALISTS = range(2, 11)
"""Players of a final."""
AHEAD = 8
"""Draws at most that the next one leaves room for."""


@dataclass(frozen=True)
class DraftedDraw:
    """A draw that can be written, worked out from one state of its evening."""

    evening_id: str
    state: int
    draw: int
    kind: DrawKind
    number: int
    input: Mapping[str, Any]
    tables: Sequence[tuple[MatchPlan, CheckedPlan]]
    decided: Mapping[str, Unfinished]


def draft_draw(
    session: Session,
    club: Club,
    evening: Evening,
    seen: int,
    number: int | None = None,
    *,
    size: int | None = None,
    unfinished: Mapping[int, Unfinished],
) -> DraftedDraw:
    """Draw tables for everyone who is here, without writing anything.

    `seen` is the number of the last draw that the scorekeeper knows of; raises `Conflict` where someone else has drawn
    since. Raises `Impossible` for too few people, a number or size that can't be, and as `decide`.
    """
    refuse_unseen(session, evening, seen)
    agreed = EveningPlan.from_document(evening.plan)
    agreed = agreed if size is None else replace(agreed, size=size)
    here = {person.id: person.name for person in evenings.load_people(session, evening) if person.here}
    problems = []
    if agreed.size not in SIZES:
        problems.append(Problem("size", say("evening.size", least=SIZES[0], most=SIZES[-1])))
    if len(here) < FEWEST:
        problems.append(Problem("people", say("evening.few", least=FEWEST)))
    if problems:
        raise Impossible(problems)
    decided = evenings.decide(session, evening, unfinished)
    return _draft(session, club, evening, DrawKind.ROUND, agreed, here, seen, number, decided)


def refuse_unseen(session: Session, evening: Evening, seen: int) -> None:
    """Raise `Conflict` where someone has drawn or undone since draw `seen`, and `Impossible` where no draw follows."""
    evenings.refuse_over_evening(evening)
    if evenings.count_draws(session, evening) != seen:
        raise Conflict(say("evening.drawn-meanwhile"))
    refuse_over(seen + 1, MOST_DRAWS, "draw", "draws")


class Tie(StrEnum):
    """What is done about those who are level where the best part from the others."""

    TAKE_ALL = "take-all"
    """all of them are in the final"""
    PLAY_OFF = "play-off"
    """they play a deciding round before"""


def draft_final(
    session: Session,
    club: Club,
    evening: Evening,
    seen: int,
    number: int | None = None,
    *,
    best: int,
    carried: bool,
    tie: Tie | None = None,
) -> DraftedDraw:
    """Draw one table of the `best` so many who are here and no guests, or of those who play off for a place there.

    With `carried` they begin with the totals of the evening, and the target is higher by the highest of these. Raises
    as `draft_draw`, and `Impossible` naming `tie` where some are level and nobody said what is to be done.
    """
    refuse_unseen(session, evening, seen)
    if best not in FINALISTS:
        raise Impossible([Problem("best", say("evening.best", least=FINALISTS[0], most=FINALISTS[-1]))])
    decided = evenings.decide(session, evening, {})
    agreed = EveningPlan.from_document(evening.plan)
    here = {person.id for person in evenings.load_people(session, evening) if person.here}
    there = [line for line in load_standings(session, evening) if line.player_id in here]
    last = there[best].place if best < len(there) and there[best].place == there[best - 1].place else None
    first, level = [line for line in there[:best] if line.place != last], [line for line in there if line.place == last]
    if level and tie is None:
        names = language().join([line.name for line in level])
        raise Impossible([Problem("tie", say("evening.level", names=names, best=best))])
    if level and tie == Tie.PLAY_OFF:
        agreed = replace(agreed, rounds_to_play=1, target=None, open_ended=True)
        kind, lines, totals = DrawKind.PLAY_OFF, level, dict[str, int]()
    else:
        kind, lines = DrawKind.FINAL, [*first, *level]
        totals = {line.name: line.total for line in lines} if carried else {}
    if len(lines) < FINALISTS[0]:
        raise Impossible([Problem("people", say("evening.no-final", least=FINALISTS[0]))])
    if len(lines) > FINALISTS[-1]:
        raise Impossible([Problem("tie", say("evening.crowded", n=len(lines), most=FINALISTS[-1]))])
    if totals:
        table = agreed.of_table([line.name for line in lines])
        target = agree(find_rulebook(session, club.id, agreed.rulebook), table).target
        agreed = replace(agreed, target=None if target is None else target + max(0, *totals.values()))
    agreed = replace(agreed, size=len(lines))
    people = {line.player_id: line.name for line in lines}
    return _draft(session, club, evening, kind, agreed, people, seen, number, decided, totals)


def _draft(
    session: Session,
    club: Club,
    evening: Evening,
    kind: DrawKind,
    agreed: EveningPlan,
    people: Mapping[str, str],
    seen: int,
    number: int | None,
    decided: Mapping[str, Unfinished],
    totals: Mapping[str, int] = MappingProxyType({}),
) -> DraftedDraw:
    """Draw tables for `people`, names by id, who begin with `totals` by name."""
    number = secrets.choice(NUMBERS) if number is None else number
    if number not in NUMBERS:
        raise Impossible([Problem("number", say("evening.number", most=NUMBERS[-1]))])
    met = load_meetings(session, evening, people)
    ahead = max(1, rounds_ahead(agreed, seen)) if kind == DrawKind.ROUND else 1
    drawn = plan(people, agreed.size, ahead, number, met)[0]
    seated = [[people[id] for id in table] for table in drawn.tables]
    plans = [agreed.of_table(table, name=evening.name, opening_totals=totals) for table in seated]
    checked = {len(one.players): check_plan(session, club, one) for one in plans}
    given = input_of(sorted(people), agreed.size, ahead, met)
    tables = [(one, checked[len(one.players)]) for one in plans]
    return DraftedDraw(evening.id, evening.state, seen + 1, kind, number, given, tables, decided)


def write_draw(session: Session, club: Club, drafted: DraftedDraw, by: Key) -> None:
    """Write a draw, and start a match at each of its tables; raises `Moved` if the evening has changed since."""
    evening = evenings.get_evening(session, club.id, drafted.evening_id, lock=True)
    if evening.state != drafted.state:
        raise Moved
    evenings.close_matches(session, club.id, drafted.decided, by)
    own = {"club_id": club.id, "evening_id": evening.id, "draw": drafted.draw}
    session.add(EveningDraw(**own, kind=drafted.kind, number=drafted.number, input=dict(drafted.input), drawn_by=by.id))
    session.flush()
    for table, (agreed, checked) in enumerate(drafted.tables, 1):
        match = _start(session, club, evening, agreed, by, checked)
        session.add(DrawTable(**own, table=table, match_id=match.id))
    session.flush()
    evenings.seat_phones(session, evening)
    evenings.advance(session, evening)


def _start(
    session: Session, club: Club, evening: Evening, agreed: MatchPlan, by: Key, checked: CheckedPlan | None = None
) -> Match:
    """Start the match of a table; what was removed from the evening's texts returns there too."""
    match = matches.start_match(session, club, agreed, by, checked=checked)
    for part, here, there, value in (
        ("name", evening.name, "name", match.name),
        ("plan", evening.plan, "agreements/0", match.agreements[0]),
    ):
        new = Column(f"matches/{match.id}/{there}", match.id, value)
        carry_over(session, club.id, Column(f"evenings/{evening.id}/{part}", None, here), new)
    return match


def input_of(players: Sequence[str], size: int, ahead: int, met: Mapping[frozenset[str], int]) -> dict[str, Any]:
    """Return what goes into a draw besides its number, as it is stored: who had met stands by place among `players`."""
    place = {id: at for at, id in enumerate(players)}
    pairs = sorted([*sorted(place[id] for id in pair), times] for pair, times in met.items())
    return {"version": VERSION, "players": list(players), "size": size, "ahead": ahead, "met": pairs}


def met_before(drawn: EveningDraw, became: Mapping[str, str] = MappingProxyType({})) -> Counter[frozenset[str]]:
    """Return how often each two had met before a draw, by their ids: as it was drawn, or who they `became` since.

    What is stored keeps the ids of people who were merged since, as seats are drawn in the order of ids.
    """
    players = [became.get(id, id) for id in drawn.input["players"]]
    met = Counter[frozenset[str]]()
    for one, other, times in drawn.input["met"]:
        met[frozenset((players[one], players[other]))] += times
    return met


def rounds_ahead(agreed: EveningPlan, drawn: int) -> int:
    """Return how many draws are planned together after so many, the next one included; none once all are drawn."""
    return min(AHEAD, agreed.draws - drawn)


def load_meetings(session: Session, evening: Evening, among: Collection[str] | None = None) -> Counter[frozenset[str]]:
    """Count how often each two have sat at one table of an evening, of all or of those `among` some, by their ids."""
    tables: dict[str, list[str]] = {}
    rows = session.execute(
        select(Seat.match_id, Seat.player_id)
        .join(DrawTable, (DrawTable.club_id == Seat.club_id) & (DrawTable.match_id == Seat.match_id))
        .where(*evenings.of_evening(DrawTable, evening), of_live_match(Seat.match_id)),
        {"club_id": evening.club_id},
    )
    for match_id, player_id in rows:
        if among is None or player_id in among:
            tables.setdefault(match_id, []).append(player_id)
    return meetings(tables.values())


def undo_draw(session: Session, evening: Evening, draw: int) -> None:
    """Undo the last draw, whose number is `draw`: its matches are deleted, and can be restored.

    Raises `Conflict` where someone else has drawn or undone one, and `Impossible` once a table has recorded a round.
    """
    drawn, tables, _ = _last_draw(session, evening)
    if draw != drawn.draw:
        raise Conflict(say("evening.drawn-meanwhile"))
    refuse_recorded(session, tables)
    for _, match in tables:
        turn_match(session, evening.club_id, match.id, deleted=True)
    session.execute(delete(DrawTable).where(*evenings.of_evening(DrawTable, evening), DrawTable.draw == draw))
    session.delete(drawn)
    for column in (EveningPlayer.from_draw, EveningPlayer.until_draw):
        came = (*evenings.of_evening(EveningPlayer, evening), column > draw)
        session.execute(update(EveningPlayer).where(*came).values({column: draw}))
    evenings.seat_phones(session, evening)
    evenings.advance(session, evening)


def refuse_recorded(session: Session, tables: Iterable[tuple[DrawTable, Match]]) -> None:
    """Raise `Impossible` if one of these tables has recorded a round, even one that is struck."""
    recorded = [table.table for table, match in tables if tallies.tally_of(session, match).last_place]
    if recorded:
        raise Impossible([Problem(("tables", table), say("evening.recorded", table=table)) for table in recorded])


# -- changed by hand, before the first round of a table -------------------------------------------------------------


def swap(session: Session, evening: Evening, one: str, other: str) -> None:
    """Let two people change seats between two tables of the last draw, by their ids.

    Raises `NotFound` for one without a seat, and `Impossible` for two at one table, or once a table has recorded.
    """
    drawn, tables, seats = _last_draw(session, evening, one, other)
    places = [seats[one], seats[other]]
    if places[0].match_id == places[1].match_id:
        raise Impossible([Problem("other", say("evening.same-table"))])
    concerned = [(table, match) for table, match in tables if match.id in {place.match_id for place in places}]
    refuse_recorded(session, concerned)
    here, there = ((place.player_id, place.name_then, place.deleted_name) for place in places)
    places[0].player_id, places[0].name_then, places[0].deleted_name = there
    places[1].player_id, places[1].name_then, places[1].deleted_name = here
    for place in places:  # a phone that joined there was the other's
        close_seat(session, evening.club_id, place.match_id, place.seat)
    for _, match in concerned:
        tallies.advance(session, match)
    _note(drawn, "swapped", [one, other])
    evenings.advance(session, evening)


def take_out(session: Session, club: Club, evening: Evening, player_id: str, by: Key) -> None:
    """Take someone who didn't come out of their table, and out of the evening, without drawing anew.

    The match of the table begins anew without them. Raises `NotFound` for one without a seat, and `Impossible` once
    the table has recorded, where too few are left there, and in a final, which is drawn again.
    """
    drawn, tables, seats = _last_draw(session, evening, player_id)
    if drawn.kind != DrawKind.ROUND:
        raise Impossible([Problem("player", say("evening.final-again"))])
    table, match = next(one for one in tables if one[1].id == seats[player_id].match_id)
    staying = [seat.player_id for seat in load_seating(session, match).here if seat.player_id != player_id]
    _begin_anew(session, club, evening, table, match, staying, by)
    evenings.get_person(session, evening, player_id).until_draw = drawn.draw
    _note(drawn, "taken_out", player_id)
    evenings.advance(session, evening)


def sit_down(session: Session, club: Club, evening: Evening, player_id: str, table: int, by: Key) -> None:
    """Let someone who came after the last draw sit down at one of its tables, whose match begins anew with them.

    Raises `NotFound` for a table or person that isn't there, and `Impossible` for one who has a seat, for a full table,
    and once it has recorded.
    """
    drawn, tables, seats = _last_draw(session, evening)
    person = evenings.get_person(session, evening, player_id)
    if player_id in seats:
        raise Impossible([Problem("player", say("evening.seated"))])
    row, match = next((one for one in tables if one[0].table == table), (None, None))
    if row is None or match is None:
        raise NotFound("table")
    there = [seat.player_id for seat in load_seating(session, match).here]
    if len(there) >= SIZES[-1]:
        raise Impossible([Problem("table", say("evening.full", table=table, most=SIZES[-1]))])
    _begin_anew(session, club, evening, row, match, [*there, player_id], by)
    person.from_draw, person.until_draw = min(person.from_draw, drawn.draw), None
    _note(drawn, "joined", [player_id, table])
    evenings.advance(session, evening)


def _last_draw(
    session: Session, evening: Evening, *seated: str
) -> tuple[EveningDraw, list[tuple[DrawTable, Match]], dict[str, Seat]]:
    """Return the last draw, its tables, and who sits there; raises `NotFound` without any, or a seat of `seated`."""
    evenings.refuse_over_evening(evening)
    last_first = select(EveningDraw).where(*evenings.of_evening(EveningDraw, evening)).order_by(EveningDraw.draw.desc())
    drawn = session.scalar(last_first.limit(1))
    if drawn is None:
        raise NotFound("draw")
    tables = evenings.load_tables(session, evening, drawn.draw)
    there = select(Seat).where(Seat.club_id == evening.club_id, Seat.match_id.in_([match.id for _, match in tables]))
    seats = {seat.player_id: seat for seat in session.scalars(there)}
    if not seats.keys() >= {*seated}:
        raise NotFound("seat")
    return drawn, tables, seats


def _begin_anew(
    session: Session, club: Club, evening: Evening, table: DrawTable, match: Match, ids: Sequence[str], by: Key
) -> None:
    """Let a table begin anew with these players: what is agreed on may depend on how many they are."""
    refuse_recorded(session, [(table, match)])
    names = {person.id: person.name for person in evenings.load_people(session, evening)}
    agreed = EveningPlan.from_document(evening.plan).of_table([names[id] for id in ids], name=evening.name)
    new = _start(session, club, evening, agreed, by)
    seats = load_seating(session, match).seats
    move_links(session, match, new, {seat.seat: ids.index(seat.player_id) for seat in seats if seat.player_id in ids})
    ends = matches.clock_ends(session, match)
    if ends is not None and ends > now():
        matches.start_clock(session, new, ceil((ends - now()) / timedelta(minutes=1)), by)
    turn_match(session, club.id, match.id, deleted=True)
    table.match_id = new.id
    session.flush()
    evenings.seat_phones(session, evening)


def _note(drawn: EveningDraw, what: str, whom: object) -> None:
    """Note what was changed by hand, so that what was drawn stays readable."""
    noted = [*drawn.input.get(what, ()), whom]
    refuse_over(len(noted), MOST_CHANGES, "draw", "changes")
    drawn.input = {**drawn.input, what: noted}
