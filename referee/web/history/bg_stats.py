"""Export matches to the app BG Stats: one by a link, many by a file.

Nothing here is sent by the server: people tap the link, or open the file. The link's fields are those of the app's
public import; the file's are those of files that the app itself writes, as other programs read them. The file was not
tried in the app itself.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from referee.records.match.agreements import scale_of
from referee.records.match.plays import Play
from referee.records.models import EndedBy, Scale
from referee.web.page import match_wording
from referee.web.words import say

ADDRESS = "https://app.bgstatsapp.com/createPlay.html?data="
BGG_ID = 2223
"""Uno at boardgamegeek.com."""
LONGEST_LINK = 8000
"""Characters; the app refuses longer ones."""
LONGEST_COMMENT = 500
MOST_IN_QR = 2300
"""Characters of a link that a phone still reads from a screen as a QR code (version 40 of level L holds 2,953)."""
MOST_PLAYS = 500
"""Matches in one file, the newest ones; a season has fewer."""
NAMES = uuid.UUID("6f0c7a52-36c4-4f7e-9d0e-2a7a1c1d2c55")
"""What the ids of matches and players are hashed under, so that the same match is the same play in every file."""
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


def file(plays: Sequence[Play]) -> Mapping[str, Any]:
    """Return matches as a document in the app's own format (``.bgsplay``)."""
    names = {player.id: player.name for play in plays for player in play.players}
    players = {id: place for place, id in enumerate(names, start=1)}
    places = _numbered(play.match.location for play in plays if play.match.location)
    games = _numbered(json.dumps(_scoring(play)) for play in plays)
    now = _moment(max(map(_ended, plays))) if plays else ""
    return {
        "games": [
            {"id": place, "uuid": _uuid(f"game {scoring}"), "name": _title(json.loads(scoring)), "bggId": BGG_ID}
            | {"cooperative": False, "usesTeams": False, "modificationDate": now}
            | json.loads(scoring)
            for scoring, place in games.items()
        ],
        "players": [
            {"id": players[id], "uuid": _uuid(id), "name": name, "isAnonymous": False, "modificationDate": now}
            for id, name in names.items()
        ],
        "locations": [
            {"id": place, "uuid": _uuid(f"place {name}"), "name": name, "modificationDate": now}
            for name, place in places.items()
        ],
        "plays": [
            {
                "uuid": _uuid(play.match.id),
                "playDate": _moment(_ended(play)),
                "entryDate": _moment(_ended(play)),
                "modificationDate": _moment(_ended(play)),
                "gameRefId": games[json.dumps(_scoring(play))],
                "board": match_wording.terms_line(play.terms),
                "comments": play.match.note[:LONGEST_COMMENT],
                "rounds": play.rounds,
                "ignored": False,
                "manualWinner": True,
                "usesTeams": False,
                "scoringSetting": 0,
                "playerScores": list(_scores(play, players)),
            }
            | ({"locationRefId": places[play.match.location]} if play.match.location else {})
            | _duration(play)
            for play in plays
        ],
        "userInfo": {"meRefId": 0},
    }


def _scores(play: Play, players: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    for player in play.players:
        yield {
            "playerRefId": players[player.id],
            "score": str(player.total),
            "winner": player.won,
            "startPlayer": player.began,
            "newPlayer": False,
            "seatOrder": player.seat + 1,
        } | _rank(player.won, player.rank)


def _scoring(play: Play) -> dict[str, bool]:
    """Return which total wins; no points where rounds are counted."""
    scale = scale_of(play.terms)
    lowest = scale == Scale.LOWEST or play.match.ended_by == EndedBy.TIME_LIMIT
    return {"highestWins": not lowest, "noPoints": scale == Scale.ROUNDS}


def _title(scoring: Mapping[str, bool]) -> str:
    """Return the name of the game; the app scores all plays of a game alike, so each way of scoring needs its own."""
    if scoring["noPoints"]:
        return say("bg-stats.rounds")
    return "UNO" if scoring["highestWins"] else say("bg-stats.lowest")


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


def _numbered(texts: Iterable[str]) -> dict[str, int]:
    return {text: place for place, text in enumerate(dict.fromkeys(texts), start=1)}


def _uuid(text: str) -> str:
    return str(uuid.uuid5(NAMES, text)).upper()
