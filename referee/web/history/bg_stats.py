"""Export a match to the app BG Stats by a link, whose fields are those of the app's public import.

Nothing here is sent by the server: people tap the link.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from urllib.parse import quote

from referee.records.match.agreements import scale_of
from referee.records.match.plays import Play
from referee.records.models import EndedBy, Scale
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


def link(play: Play) -> str | None:
    """Return the link that opens the app with a match filled in; None where it would be too long."""
    for comment in (play.match.note[:LONGEST_COMMENT], ""):
        document = json.dumps(_linked(play, comment), ensure_ascii=False, separators=(",", ":"))
        address = ADDRESS + quote(document, safe="")
        if len(address) < LONGEST_LINK:
            return address
    return None


def _linked(play: Play, comment: str) -> dict[str, Any]:
    return {
        "sourceName": "Referee",
        "sourcePlayId": play.match.id,
        "playDate": _moment(_ended(play)),
        "game": {"name": "UNO", "sourceGameId": "uno", "bggId": BGG_ID} | _scoring(play),
        "players": [
            {
                "name": player.name,
                "sourcePlayerId": player.id,
                "startPlayer": player.began,  # always there, as Android needs it: nobody began where nobody knows who
                "score": player.total,
                "winner": player.won,
                "role": "",
            }
            | _rank(player.won, player.rank)
            for player in play.players
        ],
        "location": play.match.location,
        "board": match_wording.terms_line(play.terms),
        "comments": comment,
    } | _duration(play)


def _scoring(play: Play) -> dict[str, bool]:
    """Return which total wins; no points where rounds are counted."""
    scale = scale_of(play.terms)
    lowest = scale == Scale.LOWEST or play.match.ended_by == EndedBy.TIME_LIMIT
    return {"highestWins": not lowest, "noPoints": scale == Scale.ROUNDS}


def _rank(won: bool, rank: int | None) -> dict[str, int]:
    if won:
        return {"rank": 1}
    return {} if rank is None else {"rank": rank}


def _duration(play: Play) -> dict[str, int]:
    minutes = round((_ended(play) - play.match.started_at).total_seconds() / 60)
    return {"durationMin": minutes} if 1 <= minutes <= DAY else {}


def _ended(play: Play) -> datetime:
    return play.match.finished_at or play.match.started_at


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"
