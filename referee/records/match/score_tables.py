"""Rounds as rows for spreadsheets: one match with its players side by side, or every round of the club.

What a spreadsheet would take for a formula gets a ``'`` before it, also where one that parts cells by semicolons or
tabs would see it, within a cell (https://owasp.org/www-community/attacks/CSV_Injection).
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from referee.records.match.rounds import RoundView
from referee.records.match.sheets import Sheet
from referee.records.models import Club, Match, Player, RoundScore
from referee.records.transactions import stream
from referee.rules.scoring.round_entry import FURTHER

SIGNS = "=+@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212-"
"""What formulas begin with: full-width and small signs are signs too, to East Asian spreadsheets."""
FORMULA = re.compile(rf"""(^|[;|\t\r\n])(?=[\s"']*[{SIGNS}]|[\t\r])""")
"""Where a formula begins at the beginning of a cell, for readers that part cells by whatever sign."""
AT_ONCE = 500
CLUB_COLUMNS = (
    "date", "match", "match name", "rulebook", "round", "player", "points", "hand", "cards left", "went out",
    "last card",
)  # fmt: skip


def match_rows(sheet: Sheet) -> Iterator[Sequence[object]]:
    """Yield a header, then a line for each live round: what each player's points and leftover hand were.

    Columns for what few rounds have (a side, knock-outs, corrections) are there where a round of the match has it.
    """
    names = [seat.name for seat in sheet.seating.seats]
    heads = ("round", "entered at", "ended", "went out", "last card")
    further = [key for key in FURTHER if any(getattr(played, key) for played in sheet.rounds if not played.struck)]
    rest = (key.replace("_", " ") for key in further)
    yield (*heads, *(f"{name}: points" for name in names), *(f"{name}: hand" for name in names), *rest)
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
            *(_further(played, key) for key in further),
        )


def _further(played: RoundView, key: str) -> str:
    """Write what few rounds have into one cell."""
    if key == "adjustments":
        return "; ".join(f"{each['player']}: {each['points']:+} ({each['reason']})" for each in played.adjustments)
    return played.side or "" if key == "side" else ", ".join(played.knocked_out)


def club_rows(session: Session, club: Club) -> Iterator[Sequence[object]]:
    """Yield a header, then a line for each player and live round of the club, oldest match first."""
    yield CLUB_COLUMNS
    chosen = (
        select(
            *(Match.id, Match.started_at, Match.name.label("match_name"), Match.rulebook, Player.name),
            *(RoundScore.place, RoundScore.points, RoundScore.hand, RoundScore.cards_left, RoundScore.went_out),
            RoundScore.last_card,
        )
        .join(Match, (Match.club_id == RoundScore.club_id) & (Match.id == RoundScore.match_id))
        .join(Player, (Player.club_id == RoundScore.club_id) & (Player.id == RoundScore.player_id))
        .where(RoundScore.club_id == club.id)
        .order_by(RoundScore.match_id, RoundScore.place, RoundScore.seat)
    )
    match, place, number = "", 0, 0
    for row in stream(session, chosen, AT_ONCE):
        if (row.id, row.place) != (match, place):
            number = number + 1 if row.id == match else 1
            match, place = row.id, row.place
        yield (
            f"{row.started_at:%Y-%m-%d}",
            row.id,
            row.match_name,
            row.rulebook,
            number,
            row.name,
            row.points,
            row.hand,
            row.cards_left,
            "yes" if row.went_out else "",
            row.last_card,
        )


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
    return FORMULA.sub(r"\1'", cell) if isinstance(cell, str) else cell
