"""The sheet of a match: standings, rounds, and the words around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import render_template, request, url_for

from referee.records.models import Match, MatchStatus
from referee.records.sheets import RoundView, Sheet, load_sheet
from referee.rules.round_entry import TIME_LIMIT
from referee.rules.settings import TIME_LIMIT_WINNER
from referee.web import guards
from referee.web.score import blueprint, words

ROUNDS_SHOWN = 30
"""Rounds on the page; the rest comes on demand, so that a long match opens as fast as a short one."""
MINUTES = 15
"""Minutes the clock of a timed match starts with; the text says that the table agrees on them."""


@dataclass(frozen=True)
class Line:
    """One line of the standings."""

    player_id: str
    name: str
    total: int
    rank: int | None
    needs: str
    leads: bool
    deals: bool
    left: bool


@dataclass(frozen=True)
class Cell:
    """What a round brought one player; `points` is None for one who was not there."""

    points: int | None
    went_out: bool


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


@dataclass(frozen=True)
class SheetView:
    """Everything the template of the sheet shows."""

    id: str
    title: str
    terms_line: str
    open: bool
    finished: bool
    tie: bool
    result: str
    result_note: str
    notice: str
    standings: Sequence[Line]
    columns: Sequence[Column]
    rounds: Sequence[RoundLine]
    round_count: int
    more_rounds: bool
    next_number: int
    revision: int
    timer: Timer | None


@blueprint.get("/matches/<match_id>")
def sheet(match_id: str) -> str:
    """Show a match; 401, 403, 404."""
    match = guards.get_match(match_id)
    everything = request.args.get("rounds") == "all"
    loaded = load_sheet(guards.records(), match, last=None if everything else ROUNDS_SHOWN, struck=True)
    from referee.web.score.rounds import new_round_view  # the pad lies on the sheet, and its view needs this module

    view = view_of(loaded, writable=may_write())
    form_view = new_round_view(loaded) if view.open else None
    return render_template("score/sheet.html", sheet=view, form_view=form_view)


def may_write() -> bool:
    """Tell whether the key of this request may change things."""
    found = guards.holder()
    return found is not None and found[0].role == "scorekeeper"


def sheet_fragment(match: Match) -> tuple[Sheet, str]:
    """Load the sheet anew and draw the part of it that a save changes."""
    loaded = load_sheet(guards.records(), match, last=ROUNDS_SHOWN, struck=True)
    return loaded, render_template("score/_sheet.html", sheet=view_of(loaded, writable=may_write()))


def address_of(match: Match) -> str:
    """Give the address of a match's sheet."""
    return url_for("score.sheet", match_id=match.id)


def view_of(sheet: Sheet, *, writable: bool) -> SheetView:
    """Word a sheet for people."""
    match = sheet.match
    open_ = match.status == MatchStatus.IN_PROGRESS
    finished = match.status != MatchStatus.IN_PROGRESS
    tie = len(sheet.winners) > 1
    return SheetView(
        id=match.id,
        title=words.title_of(match, sheet.players),
        terms_line=words.terms_line(sheet.terms),
        open=open_ and writable,
        finished=finished,
        tie=tie,
        result=words.result(match, sheet.winners),
        result_note=words.tie_note(sheet.terms) if tie else "",
        notice="" if writable else "You are watching. A scorekeeper writes.",
        standings=_lines(sheet, finished=finished),
        columns=[Column(seat.name) for seat in sheet.seating.seats],
        rounds=[_round_line(round, sheet) for round in reversed(sheet.rounds)],
        round_count=sheet.round_count,
        more_rounds=len([round for round in sheet.rounds if not round.struck]) < sheet.round_count,
        next_number=sheet.round_count + 1,
        revision=match.revision,
        timer=Timer(MINUTES) if open_ and sheet.terms.rulebook.find(TIME_LIMIT_WINNER) else None,
    )


def _lines(sheet: Sheet, *, finished: bool) -> list[Line]:
    ids = {seat.name: seat.player_id for seat in sheet.seating.seats}
    opener = sheet.dealer or sheet.drafter
    lines = [
        Line(
            player_id=ids[standing.player],
            name=standing.player,
            total=standing.total,
            rank=standing.rank,
            needs="" if finished else words.needs(sheet.terms, standing),
            leads=standing.rank == 1 and sheet.round_count > 0 and not finished,
            deals=standing.player == opener and not finished,
            left=False,
        )
        for standing in sheet.standings
    ]
    return sorted(lines, key=lambda line: line.rank or len(lines))


def _round_line(round: RoundView, sheet: Sheet) -> RoundLine:
    return RoundLine(
        id=round.id,
        number=round.number,
        struck=round.struck,
        version=round.version,
        cells=[
            Cell(
                None if seat.name in round.sat_out else round.points.get(seat.name),
                round.went_out == seat.name or (round.ended != TIME_LIMIT and seat.name in round.credited_to and round.went_out is None),
            )
            for seat in sheet.seating.seats
        ],
    )
