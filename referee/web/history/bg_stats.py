"""Export a match to the app BG Stats by a link, whose fields are those of the app's public import.

Nothing here is sent by the server: people tap the link.
"""

import json
from typing import Any
from urllib.parse import quote

from referee.records.match.agreements import scale_of
from referee.records.match.dealing import first_player
from referee.records.match.sheets import Sheet
from referee.records.models import EndedBy, Match, MatchStatus, Scale
from referee.web.page import match_wording

ADDRESS = "https://app.bgstatsapp.com/createPlay.html?data="
BGG_ID = 2223
"""Uno at boardgamegeek.com."""
LONGEST_LINK = 8000
"""Characters; the app refuses longer ones."""
LONGEST_COMMENT = 500
MOST_IN_QR = 2300
"""Characters of a link that a phone still reads from a screen as a QR code (version 40 of level L holds 2,953)."""
DAY = 24 * 60
"""Minutes; a match that took longer was not played in one go, so nobody knows how long."""


def link(sheet: Sheet) -> str | None:
    """Return the link that opens the app with a match filled in; None where it goes on, or the link would be too long.

    The players are those who stayed to the end.
    """
    if sheet.match.status != MatchStatus.FINISHED or sheet.match.finished_at is None:
        return None
    for comment in (sheet.match.note[:LONGEST_COMMENT], ""):
        document = json.dumps(_linked(sheet, comment), ensure_ascii=False, separators=(",", ":"))
        address = ADDRESS + quote(document, safe="")
        if len(address) < LONGEST_LINK:
            return address
    return None


def _linked(sheet: Sheet, comment: str) -> dict[str, Any]:
    match, seating = sheet.match, sheet.seating
    lines = {line.player: line for line in sheet.standings}
    first = first_player(match, seating, sheet.terms.rulebook)
    return {
        "sourceName": "Referee",
        "sourcePlayId": match.id,
        "playDate": f"{match.finished_at or match.started_at:%Y-%m-%d %H:%M:%S}",
        "game": {"name": "UNO", "sourceGameId": "uno", "bggId": BGG_ID} | _scoring(sheet),
        "players": [
            {
                "name": seat.name,
                "sourcePlayerId": seat.player_id,
                "startPlayer": seat is first,  # always there, as Android needs it: nobody began where nobody knows who
                "score": lines[seat.name].total,
                "winner": seat.name in sheet.winners,
                "role": "",
            }
            | _rank(seat.name in sheet.winners, lines[seat.name].rank if sheet.terms.wins else None)
            for seat in seating.here
        ],
        "location": match.location,
        "board": match_wording.terms_line(sheet.terms),
        "comments": comment,
    } | _duration(match)


def _scoring(sheet: Sheet) -> dict[str, bool]:
    """Return which total wins; no points where rounds are counted."""
    scale = scale_of(sheet.terms)
    lowest = scale == Scale.LOWEST or sheet.match.ended_by == EndedBy.TIME_LIMIT
    return {"highestWins": not lowest, "noPoints": scale == Scale.ROUNDS}


def _rank(won: bool, rank: int | None) -> dict[str, int]:
    if won:
        return {"rank": 1}
    return {} if rank is None else {"rank": rank}


def _duration(match: Match) -> dict[str, int]:
    minutes = round(((match.finished_at or match.started_at) - match.started_at).total_seconds() / 60)
    return {"durationMin": minutes} if 1 <= minutes <= DAY else {}
