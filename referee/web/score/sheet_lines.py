"""The lines of a sheet, drawn once for as long as nothing in them changes."""

from __future__ import annotations

import sys

from flask import current_app
from markupsafe import Markup

from referee.records.cache import Cache
from referee.records.round_views import RoundView
from referee.records.sheets import Sheet
from referee.web.score.sheet_presenter import SheetView, StandingLine, round_line

RowState = tuple[str, int, bool, int | None]
"""A round with its version, whether it is struck, and its number: what its line follows from."""
ROWS: Cache[dict[RowState, Markup]] = Cache(
    "rows", 600_000, share=4, size=lambda _state, rows: 1_000 + sum(map(sys.getsizeof, rows.values())) + 500 * len(rows)
)
"""Lines of the grid of a match: a version of a round stays as it is, only its number may change, and the names."""


LINES: Cache[dict[StandingLine, Markup]] = Cache(
    "standing lines",
    300_000,
    size=lambda _state, lines: 1_000 + sum(map(sys.getsizeof, lines.values())) + 1_500 * len(lines),
)
"""Lines of the standings of a match: where the winner takes all points, most are as they were a round before."""


def lines_of(view: SheetView) -> list[Markup]:
    """Draw the lines of the standings."""
    state = (view.address, view.open, view.finished)
    known = LINES.find(state) or {}
    macro = current_app.jinja_env.get_template("score/_standing.html").module.standing_line  # type: ignore[attr-defined]
    lines = {
        line: known.get(line) or macro(line, view.open, view.finished, view.address) for line in view.standings
    }
    LINES.put(state, lines)
    return list(lines.values())


def rows_of(sheet: Sheet, here: str) -> list[Markup]:
    """Draw the lines of the grid, newest first; `here` is the address of the sheet."""
    names = tuple(seat.name for seat in sheet.seating.seats)

    def draw(round: RoundView) -> Markup:
        template = current_app.jinja_env.get_template("score/_rounds.html")
        row: Markup = template.module.round_row(round_line(round, sheet), here)  # type: ignore[attr-defined]
        return row

    known = ROWS.find((here, names)) or {}
    rows: dict[RowState, Markup] = {}
    for round in reversed(sheet.rounds):
        state = (round.id, round.version, round.struck, round.number)
        rows[state] = known.get(state) or draw(round)
    if not rows.keys() <= known.keys():
        ROWS.put((here, names), rows)
    return list(rows.values())
