"""What the template of the sheet shows: the standings, worded, and the words around them."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from flask import url_for

from referee.records.match.history import NIGHT, load_wins_of_night
from referee.records.match.matches import clock_ends
from referee.records.match.sheets import Sheet
from referee.records.models import MatchStatus, now
from referee.rules.books.settings import TIME_LIMIT_WINNER
from referee.rules.scoring.scoring import Standing
from referee.rules.text.words import joined
from referee.web.page import match_wording
from referee.web.page.match_wording import out_since
from referee.web.score.winner import winner_of
from referee.web.server import guards
from referee.web.words import say

MINUTES = 15
"""Minutes the clock of a timed match starts with; the text says that the table agrees on them."""


@dataclass(frozen=True)
class StandingLine:
    """One line of the standings in words: who leads, opens and starts, what is missing, and with whom."""

    player_id: str
    name: str
    marker: str
    """color and shape"""
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


def shown_on(sheet: Sheet, *, writable: bool, by_seat: bool = False) -> dict[str, Any]:
    """Return what ``score/_sheet.html`` shows: the sheet and its words, the standings by rank or `by_seat`."""
    match = sheet.match
    playing = match.status == MatchStatus.IN_PROGRESS
    tie, undecided = match_wording.is_tie(match, sheet.winners), not sheet.winners
    rounds_to_play = sheet.terms.rounds_to_play or 0
    return {
        "sheet": sheet,
        "title": match_wording.title_of(match, sheet.players),
        "terms": match_wording.terms_parts(sheet.terms),
        "tonight": tonight(sheet),
        "open": playing and writable,
        "finished": not playing,
        # what going on is called where a match that ended may not be decided
        "play_on": say("result.one-more") if tie else say("result.play-on") if undecided else "",
        "writable": writable,
        "scene": winner_of(sheet),
        "notice": "" if writable else say("match.watching"),
        "head_to_head": match_wording.head_to_head(sheet),
        "by_seat": by_seat,
        "deal": deal(sheet) if playing and not sheet.round_count else "",
        "draw": say("match.draw-drafter" if sheet.terms.drafted else "match.draw-dealer"),
        "standings": standing_lines(sheet, by_seat=by_seat and playing),
        "more_rounds": len([round for round in sheet.rounds if not round.struck]) < sheet.round_count,
        "record": "sheet.record-of" if sheet.round_count < rounds_to_play else "sheet.record",
        "rounds_to_play": rounds_to_play,
        "timer": _timer(sheet) if playing and sheet.terms.rulebook.find(TIME_LIMIT_WINNER) else None,
        "says": match_wording.sentences_for_phones(),
        "address": url_for("score.sheet", match_id=match.id),
        "story": match_wording.rulings_told(sheet),
    }


def _timer(sheet: Sheet) -> dict[str, object]:
    """Return the minutes of the clock, and when it ends: for scripts in milliseconds, for people by the clock."""
    ends = clock_ends(guards.records(), sheet.match)
    if ends is None:
        return {"minutes": MINUTES, "ends": "", "until": ""}
    until = f"{ends.astimezone(UTC):%H:%M} UTC"
    return {"minutes": MINUTES, "ends": f"{ends.timestamp() * 1000:.0f}", "until": until}


def deal(sheet: Sheet) -> str:
    """Word who deals, or drafts first, in the next round and who plays first, as far as that is known."""
    way = "drafts" if sheet.terms.drafted else "deals"
    if sheet.opener is None:
        return say(f"match.{way}-nobody")
    if sheet.starter is None:
        return say(f"match.{way}-first", name=sheet.opener.name)
    return say(f"match.{way}-and-starts", name=sheet.opener.name, first=sheet.starter)


def tonight(sheet: Sheet) -> str:
    """Word who at this table won how many matches of the night; empty before one of its rematches."""
    if sheet.match.rematch_of is None:
        return ""
    names = {seat.player_id: seat.name for seat in sheet.seating.seats}
    sides = [[names[id] for id in names if id in side] for side in load_wins_of_night(guards.records(), sheet.match)]
    wins = Counter(joined(side) for side in sides if side).most_common()
    tally = ", ".join(f"{side} {n}" for side, n in wins)
    if not tally:
        return ""
    return say("match.tonight" if now() - sheet.match.started_at < NIGHT else "match.that-night", wins=tally)


def standing_lines(sheet: Sheet, *, by_seat: bool = False) -> list[StandingLine]:
    """Word the standings, by rank or by seat."""
    finished = sheet.match.status != MatchStatus.IN_PROGRESS
    seats = {seat.name: seat for seat in sheet.seating.seats}
    opens = {sheet.drafter: say("match.drafts"), sheet.dealer: say("match.deals")}
    played = sheet.last_round
    points = played.points if played else {}
    lines = [
        StandingLine(
            player_id=seats[standing.player].player_id,
            name=standing.player,
            marker=seats[standing.player].marker,
            seat=seats[standing.player].seat,
            total=_total(standing),
            gain=match_wording.signed(gain) if gain and not finished else "",
            along=_along(sheet, standing),
            team=_team(sheet, standing),
            side=" ".join(seats[name].player_id for name in (standing.player, *_mates(sheet, standing))),
            rank=standing.rank if sheet.round_count else None,
            needs="" if finished else match_wording.needs(sheet.terms, standing),
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
    """Return the percent of the way to the target, whole ones only, as the phone's ``along`` does."""
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
    return say("standing.with", names=joined(mates), own=standing.total)
