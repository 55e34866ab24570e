"""What leaves the app by hand: the result in words for a messenger or a mail, and the link that BG Stats understands.

Nothing here is sent by the server; people tap and send.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from referee.records.agreements import scale_of
from referee.records.models import EndedBy, Match, MatchStatus, Scale
from referee.records.sheets import Sheet
from referee.web.score import summaries
from referee.web.score.sides import by_sides
from referee.web.server import local_time
from referee.web.words import number, say

BG_STATS = "https://app.bgstatsapp.com/createPlay.html?data="
BGG_ID = 2223
"""Uno at boardgamegeek.com."""
LONGEST_LINK = 8000
"""Characters; the app refuses longer ones."""
LONGEST_COMMENT = 500
MOST_IN_QR = 2300
"""Characters of a link that a phone still reads from a screen as a QR code (version 40 of level L holds 2,953)."""


def result_text(sheet: Sheet) -> str:
    """Tell a match in a few lines of plain text: who won, the standings, the rules, the day."""
    match = sheet.match
    lines = [summaries.title_of(match, sheet.players)]
    lines.append(summaries.result(match, sheet.winners) or say("result.after-rounds", n=sheet.round_count))
    lines.append("")
    lines += [*_ranked(sheet), ""]
    lines.append(summaries.terms_line(sheet.terms))
    lines.append(facts_line(sheet))
    return "\n".join(lines)


def preview_text(sheet: Sheet) -> str:
    """Tell the standings in a line: ``1. Ada: 538 · 2. Bo: 187``."""
    return " · ".join(_ranked(sheet))


def _ranked(sheet: Sheet) -> list[str]:
    sides = by_sides(sheet.standings)
    return [f"{side.rank}. {summaries.joined(side.names)}: {number(side.total)}" for side in sides]


def facts_line(sheet: Sheet) -> str:
    """Say how many rounds, when and where: ``7 rounds · 3 May 2026 · at Bo's``."""
    match = sheet.match
    moment = match.finished_at or match.started_at
    rounds = say("result.rounds", n=sheet.round_count)
    return " · ".join(filter(None, (rounds, local_time.day(moment), match.location)))


def mail_link(subject: str, text: str) -> str:
    """Make the address that opens a mail with this text (RFC 6068)."""
    return f"mailto:?subject={quote(subject, safe='')}&body={quote(text.replace(chr(10), chr(13) + chr(10)), safe='')}"


def bg_stats_link(sheet: Sheet) -> str | None:
    """Make the address that hands a finished match to the app BG Stats; None for one that is not finished.

    The fields are those of its public import by link; keys that Android needs are always there.
    """
    match = sheet.match
    if match.status != MatchStatus.FINISHED or match.finished_at is None:
        return None
    for comment in (match.note[:LONGEST_COMMENT], ""):
        document = json.dumps(_play(sheet, match, comment), ensure_ascii=False, separators=(",", ":"))
        link = BG_STATS + quote(document, safe="")
        if len(link) < LONGEST_LINK:
            return link
    return None


def _play(sheet: Sheet, match: Match, comment: str) -> dict[str, Any]:
    finished = match.finished_at or match.started_at
    minutes = round((finished - match.started_at).total_seconds() / 60)
    play: dict[str, Any] = {
        "sourceName": "Referee",
        "sourcePlayId": match.id,
        "playDate": f"{finished:%Y-%m-%d %H:%M:%S}",
        "game": {
            "name": "UNO",
            "sourceGameId": "uno",
            "bggId": BGG_ID,
            "highestWins": scale_of(sheet.terms) != Scale.LOWEST and match.ended_by != EndedBy.TIME_LIMIT,
            "noPoints": False,
        },
        "players": _players(sheet),
        "location": match.location,
        "board": summaries.terms_line(sheet.terms),
        "comments": comment,
    }
    if 1 <= minutes <= 24 * 60:
        play["durationMin"] = minutes
    return play


def _players(sheet: Sheet) -> Sequence[dict[str, Any]]:
    ids = {seat.name: seat.player_id for seat in sheet.seating.seats}
    return [
        {
            "name": standing.player,
            "sourcePlayerId": ids[standing.player],
            "startPlayer": False,
            "score": standing.total,
            "rank": 1 if standing.player in sheet.winners else standing.rank,
            "winner": standing.player in sheet.winners,
            "role": "",
        }
        for standing in sheet.standings
    ]
