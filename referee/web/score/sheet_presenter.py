"""What the template of the sheet shows: standings, rounds, and the words around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC

from flask import url_for

from referee.records.clock import clock_ends
from referee.records.models import MatchStatus
from referee.records.round_views import RoundView
from referee.records.sheets import Sheet
from referee.rules.settings import TIME_LIMIT_WINNER
from referee.rules.standings import Standing
from referee.web.score import summaries
from referee.web.score.announcing import sentences_for_phones
from referee.web.score.rulings import StoryLine, rulings_told
from referee.web.score.sides import head_to_head, out_since
from referee.web.score.winner import WinnerView, winner_of
from referee.web.server import guards
from referee.web.words import say

MINUTES = 15
"""Minutes the clock of a timed match starts with; the text says that the table agrees on them."""


@dataclass(frozen=True)
class StandingLine:
    """One line of the standings."""

    player_id: str
    name: str
    seat: int
    """the place at the table, clockwise from 0"""
    total: int
    gain: str
    """what the last round brought, with its sign; empty for nothing"""
    along: int | None
    """percent of the way to the target; None where nobody counts it"""
    rank: int | None
    needs: str
    """names the sentence for the points still `missing`; empty where nobody counts them"""
    missing: int | None
    leads: bool
    opens: str
    starts: bool
    """plays first in the next round, as far as the text says who does"""
    team: str
    """with whom the player plays, and the own part of their total; empty for one who plays alone"""
    side: str
    """the ids of those whose total it is, in one text"""
    out: str
    """that the player is out of the match, and since when; empty for one who plays"""


@dataclass(frozen=True)
class Cell:
    """What a round brought one player; `points` is None for one who was not there."""

    points: int | None
    won: str
    """how the player won the round: ``went-out``, ``last-left``, or not at all"""


@dataclass(frozen=True)
class RoundLine:
    """One line of the grid."""

    id: str
    number: int | None
    struck: bool
    version: int
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Column:
    """One column of the grid."""

    name: str


@dataclass(frozen=True)
class Timer:
    """The clock of a match with a time limit."""

    minutes: int
    ends: str = ""
    """when the time is up, in milliseconds as scripts count them; empty while no clock runs"""
    until: str = ""
    """the same for people without a script"""


@dataclass(frozen=True)
class SheetView:
    """Everything the template of the sheet shows."""

    id: str
    title: str
    terms: Sequence[str]
    open: bool
    finished: bool
    play_on: str
    """what going on is called where a match that ended may not be decided; empty where one has won"""
    writable: bool
    scene: WinnerView | None
    """how it ended; None while it is played"""
    notice: str
    head_to_head: str
    eliminates: bool
    """a total that reaches the target puts its player out"""
    leads: str
    """which total leads, the ``highest`` or the ``lowest``"""
    by_seat: bool
    """the standings are in the order of the seats, not of the ranks"""
    deal: str
    """who opens the first round and who plays first, in a sentence; empty once a round was played"""
    draw: str
    """what drawing by lot who opens is called"""
    standings: Sequence[StandingLine]
    columns: Sequence[Column]
    round_count: int
    more_rounds: bool
    next_number: int
    record: str
    """names the sentence for recording the next round"""
    rounds_to_play: int
    """0 where their number is open"""
    revision: int
    timer: Timer | None
    says: Mapping[str, str]
    """attributes by which a phone says what happened before the answer does"""
    address: str
    story: Sequence[StoryLine] = ()


def view_of(sheet: Sheet, *, writable: bool, by_seat: bool = False) -> SheetView:
    """Word a sheet for people, the standings by rank or `by_seat`."""
    match = sheet.match
    open_ = match.status == MatchStatus.IN_PROGRESS
    finished = match.status != MatchStatus.IN_PROGRESS
    tie, undecided = summaries.is_tie(match, sheet.winners), not sheet.winners
    return SheetView(
        id=match.id,
        title=summaries.title_of(match, sheet.players),
        terms=summaries.terms_parts(sheet.terms),
        open=open_ and writable,
        finished=finished,
        play_on=say("result.one-more") if tie else say("result.play-on") if undecided else "",
        writable=writable,
        scene=winner_of(sheet),
        head_to_head=head_to_head(sheet),
        eliminates=sheet.terms.eliminates,
        leads=sheet.terms.leads,
        by_seat=by_seat,
        deal=deal(sheet) if open_ and not sheet.round_count else "",
        draw=say("match.draw-drafter" if sheet.terms.drafted else "match.draw-dealer"),
        notice="" if writable else say("match.watching"),
        standings=_lines(sheet, finished=finished, by_seat=by_seat and not finished),
        columns=[Column(seat.name) for seat in sheet.seating.seats],
        round_count=sheet.round_count,
        more_rounds=len([round for round in sheet.rounds if not round.struck]) < sheet.round_count,
        next_number=sheet.round_count + 1,
        record="sheet.record-of" if sheet.round_count < (sheet.terms.rounds_to_play or 0) else "sheet.record",
        rounds_to_play=sheet.terms.rounds_to_play or 0,
        revision=match.state,
        timer=_timer(sheet) if open_ and sheet.terms.rulebook.find(TIME_LIMIT_WINNER) else None,
        says=sentences_for_phones(),
        address=url_for("score.sheet", match_id=match.id),
        story=rulings_told(sheet),
    )


def _timer(sheet: Sheet) -> Timer:
    ends = clock_ends(guards.records(), sheet.match)
    if ends is None:
        return Timer(MINUTES)
    return Timer(MINUTES, f"{ends.timestamp() * 1000:.0f}", f"{ends.astimezone(UTC):%H:%M} UTC")


def deal(sheet: Sheet) -> str:
    """Say who deals, or drafts first, in the next round and who plays first, as far as anybody said."""
    way = "drafts" if sheet.terms.drafted else "deals"
    if sheet.opener is None:
        return say(f"match.{way}-nobody")
    if sheet.starter is None:
        return say(f"match.{way}-first", name=sheet.opener.name)
    return say(f"match.{way}-and-starts", name=sheet.opener.name, first=sheet.starter)


def _lines(sheet: Sheet, *, finished: bool, by_seat: bool) -> list[StandingLine]:
    ids = {seat.name: seat.player_id for seat in sheet.seating.seats}
    seats = {seat.name: seat.seat for seat in sheet.seating.seats}
    opens = {sheet.drafter: say("match.drafts"), sheet.dealer: say("match.deals")}
    played = sheet.last_round
    points = played.points if played else {}
    lines = [
        StandingLine(
            player_id=ids[standing.player],
            name=standing.player,
            seat=seats[standing.player],
            total=_total(standing),
            gain=summaries.signed(gain) if gain and not finished else "",
            along=_along(sheet, standing),
            team=_team(sheet, standing),
            side=" ".join(ids[name] for name in (standing.player, *_mates(sheet, standing))),
            rank=standing.rank if sheet.round_count else None,
            needs="" if finished else summaries.needs(sheet.terms, standing),
            missing=standing.needs,
            leads=standing.rank == 1 and sheet.round_count > 0 and not finished,
            opens="" if finished else opens.get(standing.player, ""),
            starts=not finished and sheet.starter == standing.player,
            out=out_since(standing),
        )
        for standing in sheet.standings
        for gain in (sum(points.get(name, 0) for name in (standing.player, *_mates(sheet, standing))),)
    ]
    return sorted(lines, key=lambda line: line.seat if by_seat else line.rank or len(lines))


def _total(standing: Standing) -> int:
    return standing.total if standing.team_total is None else standing.team_total


def _along(sheet: Sheet, standing: Standing) -> int | None:
    """Give the percent of the way to the target, whole ones only, as the phone's ``along`` does."""
    target = sheet.terms.target
    if target is None or standing.needs is None or sheet.match.status != MatchStatus.IN_PROGRESS:
        return None
    return max(0, min(100, 100 * _total(standing) // target))


def _mates(sheet: Sheet, standing: Standing) -> list[str]:
    if standing.team is None:
        return []
    return [other.player for other in sheet.standings if other.team == standing.team and other is not standing]


def _team(sheet: Sheet, standing: Standing) -> str:
    if standing.team is None:
        return ""
    mates = _mates(sheet, standing)
    return say("standing.with", names=summaries.joined(mates), own=standing.total)


def round_line(round: RoundView, sheet: Sheet) -> RoundLine:
    """Give one line of the grid."""
    return RoundLine(
        id=round.id,
        number=round.number,
        struck=round.struck,
        version=round.version,
        cells=[
            Cell(
                None if seat.name in round.sat_out else round.points.get(seat.name),
                "" if round.winner != seat.name else "went-out" if round.went_out else "last-left",
            )
            for seat in sheet.seating.seats
        ],
    )
