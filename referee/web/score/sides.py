"""How standings are worded where not everybody plays alone, or to the end: teams, and who is out of the match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.records.agreements import agreements_of
from referee.records.models import Match, MatchStatus
from referee.records.sheets import Sheet
from referee.rules.standings import Standing
from referee.web.words import say


def out_since(standing: Standing) -> str:
    """Say that a player is out of the match, and since which round; empty for one who plays."""
    if not standing.out:
        return ""
    since = standing.out_since
    return say("standing.out-since", round=since) if since else say("standing.out-of-match")


def head_to_head(sheet: Sheet) -> str:
    """Say that two are left of more, who now play for the match; empty otherwise."""
    if sheet.match.status != MatchStatus.IN_PROGRESS or not sheet.outs or len(sheet.playing) != 2:
        return ""
    name, other = (seat.name for seat in sheet.playing)
    return say("standing.head-to-head", name=name, other=other)


def sides_of(match: Match, players: Sequence[str]) -> list[Sequence[str]]:
    """Name who stood together, everybody who ever sat there: teams, or each alone."""
    teams = agreements_of(match)[-1].teams or ()
    seated = {seat: team for team in teams for seat in team}
    sides = [seated.get(seat, (seat,)) for seat in range(len(players))]
    return [[players[seat] for seat in side] for side in dict.fromkeys(map(tuple, sides))]


@dataclass(frozen=True)
class SideLine:
    """One line of a result: a player, or a team with what it has together."""

    rank: int
    names: Sequence[str]
    total: int


def by_sides(standings: Sequence[Standing]) -> list[SideLine]:
    """Give the standings with each team on one line."""
    found: dict[object, SideLine] = {}
    for standing in standings:
        side = standing.player if standing.team is None else standing.team
        total = standing.total if standing.team_total is None else standing.team_total
        names = found[side].names if side in found else ()
        found[side] = SideLine(standing.rank, (*names, standing.player), total)
    return list(found.values())
