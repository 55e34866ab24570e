"""Rounds as rows for spreadsheets: one match with its players side by side, or every round of the club.

Cells that a spreadsheet would take for a formula get a ``'`` before them
(https://owasp.org/www-community/attacks/CSV_Injection).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from referee.records.models import Club, Match, Player, Round, RoundScore
from referee.records.sheets import Sheet

FORMULA = ("=", "+", "-", "@", "\t", "\r")
AT_ONCE = 500
CLUB_COLUMNS = (
    "date", "match", "match name", "rulebook", "round", "player", "points", "hand", "cards left", "went out",
    "last card",
)  # fmt: skip


def match_rows(sheet: Sheet) -> Iterator[Sequence[object]]:
    """Give a header, then a line for each live round: what each player's points and leftover hand were."""
    names = [seat.name for seat in sheet.seating.seats]
    heads = ("round", "entered at", "ended", "went out", "last card")
    yield (*heads, *(f"{name}: points" for name in names), *(f"{name}: hand" for name in names))
    for played in sheet.rounds:
        if played.struck:
            continue
        hands = (played.hands.get(name) for name in names)
        yield (
            played.number,
            played.entered_at.isoformat(timespec="seconds"),
            played.ended,
            played.went_out,
            played.last_card,
            *(played.points.get(name) for name in names),
            *(" ".join(hand) if isinstance(hand, list) else hand for hand in hands),
        )


def club_rows(session: Session, club: Club) -> Iterator[Sequence[object]]:
    """Give a header, then a line for each player and live round of the club, oldest match first, a few at a time."""
    yield CLUB_COLUMNS
    after = ("", 0, -1)
    while True:
        page = session.execute(
            select(
                Match.id,
                Match.started_at,
                Match.name.label("match_name"),
                Match.rulebook,
                RoundScore.place,
                RoundScore.seat,
                Player.name,
                RoundScore.points,
                RoundScore.hand,
                RoundScore.cards_left,
                RoundScore.went_out,
                RoundScore.last_card,
            )
            .join(Match, (Match.club_id == RoundScore.club_id) & (Match.id == RoundScore.match_id))
            .join(Player, (Player.club_id == RoundScore.club_id) & (Player.id == RoundScore.player_id))
            .where(RoundScore.club_id == club.id, _later(after))
            .order_by(RoundScore.match_id, RoundScore.place, RoundScore.seat)
            .limit(AT_ONCE)
        ).all()
        numbers = _numbers(session, club, sorted({row.id for row in page}))
        for row in page:
            yield (
                f"{row.started_at:%Y-%m-%d}",
                row.id,
                row.match_name,
                row.rulebook,
                numbers[row.id, row.place],
                row.name,
                row.points,
                row.hand,
                row.cards_left,
                "yes" if row.went_out else "",
                row.last_card,
            )
        if len(page) < AT_ONCE:
            return
        after = (page[-1].id, page[-1].place, page[-1].seat)
        session.expunge_all()


def to_csv(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Write rows as CSV (RFC 4180), in pieces."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for row in rows:
        writer.writerow([_safe(cell) for cell in row])
        if buffer.tell() > 16_000:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _safe(cell: object) -> object:
    if cell is None:
        return ""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _later(after: tuple[str, int, int]) -> ColumnElement[bool]:
    match, place, seat = after
    same_match = RoundScore.match_id == match
    return (
        (RoundScore.match_id > match)
        | (same_match & (RoundScore.place > place))
        | (same_match & (RoundScore.place == place) & (RoundScore.seat > seat))
    )


def _numbers(session: Session, club: Club, matches: Sequence[str]) -> dict[tuple[str, int], int]:
    """Number the live rounds of some matches as players see them."""
    places = session.execute(
        select(Round.match_id, Round.place)
        .where(Round.club_id == club.id, Round.match_id.in_(matches), Round.struck.is_(False))
        .order_by(Round.match_id, Round.place)
    )
    numbers: dict[tuple[str, int], int] = {}
    current, number = "", 0
    for match, place in places:
        current, number = match, number + 1 if match == current else 1
        numbers[match, place] = number
    return numbers
