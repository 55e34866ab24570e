"""Find the figures of players, by four queries whatever the club's age.

The statements are put together once for each set of things that narrow them (a year, a player, …): that takes longer
than finding a small club's figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Select, bindparam, func, select
from sqlalchemy.orm import Session

from referee.records.models import Match, MatchResult, RoundScore, Ruling, Scale, Seat
from referee.records.statistics.figures import Figures, Filter, Meeting, PlayerResult, RoundSum
from referee.rules.disputes import Finding
from referee.rules.ruling import Role

Q = TypeVar("Q", bound=Select[Any])
_SCALES = {str(scale): scale for scale in Scale}


def load_figures(session: Session, club_id: str, chosen: Filter, player_id: str | None = None) -> dict[str, Figures]:
    """Load the figures of one player, or of all the club's players, by id; those who never played are left out."""
    found: dict[str, Figures] = {}

    def of(player: str) -> Figures:
        if player not in found:
            found[player] = Figures(player)
        return found[player]

    values = chosen.values(club_id, player_id)
    given = frozenset(values)
    session.flush()
    connection = session.connection()  # no row below is an object of the session
    # rounds and results of every scale are read, so that a page can offer the others without asking once more
    of_any_scale = given - {"scale"}
    for player, scale, *sums in connection.execute(_round_sums(of_any_scale), values).all():
        of(player).scales.add(_SCALES[scale])
        if chosen.scale in (None, scale):
            of(player).rounds.append(RoundSum(_SCALES[scale], *sums))
    for player, match_id, scale, *rest in connection.execute(_results(of_any_scale), values).all():
        of(player).scales.add(_SCALES[scale])
        if chosen.scale in (None, scale):
            of(player).results.append(PlayerResult(match_id, _SCALES[scale], *rest))
    for player, *meeting in connection.execute(_meetings(given), values).all():
        of(player).meetings.append(Meeting(*meeting))
    for finding, seats, facts, seat, player in connection.execute(_findings(given), values).all():
        for role, sat in _parts(Finding(finding), seats, facts).items():
            if sat == seat:
                of(player).findings[Role(role), Finding(finding)] += 1
    return found


def _narrowed(query: Q, table: type[RoundScore] | type[MatchResult], given: frozenset[str]) -> Q:
    """Narrow a query over rounds or results to what counts."""
    query = query.where(table.club_id == bindparam("club_id"))
    if "rulebook" in given:
        under = select(Match.id).where(Match.club_id == bindparam("club_id"), Match.rulebook == bindparam("rulebook"))
        query = query.where(table.match_id.in_(under))
    if "first" in given:
        query = query.where(table.match_id >= bindparam("first"), table.match_id < bindparam("after"))
    if "players" in given:
        query = query.where(table.players == bindparam("players"))
    if "scale" in given:
        query = query.where(table.scale == bindparam("scale"))
    return _of_player(query, table, given)


def _of_player(query: Q, table: type[RoundScore] | type[MatchResult] | type[Seat], given: frozenset[str]) -> Q:
    return query.where(table.player_id == bindparam("player_id")) if "player_id" in given else query


@cache
def _round_sums(given: frozenset[str]) -> Select[Any]:
    alike = (RoundScore.scale, RoundScore.players, RoundScore.last_card)
    caught = RoundScore.went_out.is_(False)
    columns: list[Any] = [
        RoundScore.player_id,
        *alike,
        func.count(),
        func.count().filter(RoundScore.went_out),
        func.count(RoundScore.hand).filter(caught),
        func.coalesce(func.sum(RoundScore.hand).filter(caught), 0),
        func.coalesce(func.max(RoundScore.hand).filter(caught), 0),
        func.count(RoundScore.catch),
        func.coalesce(func.sum(RoundScore.catch), 0),
        func.coalesce(func.max(RoundScore.catch), 0),
    ]
    return _narrowed(select(*columns).group_by(RoundScore.player_id, *alike), RoundScore, given)


@cache
def _results(given: frozenset[str]) -> Select[Any]:
    columns = [getattr(MatchResult, name) for name in PlayerResult._fields]
    return _narrowed(select(MatchResult.player_id, *columns).order_by(MatchResult.match_id), MatchResult, given)


@cache
def _meetings(given: frozenset[str]) -> Select[Any]:
    """Count who came off better, of each two who sat at a decided match to its end.

    Winners stand before all others, also where the cards left decided and not the totals.
    """
    columns = ("player_id", "match_id", "seat", "won", "rank")
    chosen_results = _narrowed(select(*(getattr(MatchResult, name) for name in columns)), MatchResult, given)
    decided = chosen_results.where(MatchResult.winners > 0, MatchResult.rank.is_not(None))
    # made once and then walked through: SQLite would look for a year's matches again for every row
    mine = decided.cte("mine").prefix_with("MATERIALIZED")
    other = MatchResult
    ahead = (mine.c.won & ~other.won) | ((mine.c.won == other.won) & (mine.c.rank < other.rank))
    behind = (other.won & ~mine.c.won) | ((mine.c.won == other.won) & (mine.c.rank > other.rank))
    return (
        select(
            mine.c.player_id,
            other.player_id,
            func.count(),
            func.count().filter(ahead),
            func.count().filter(behind),
        )
        .join(
            mine,
            (other.club_id == bindparam("club_id")) & (other.match_id == mine.c.match_id) & (other.seat != mine.c.seat),
        )
        .where(other.rank.is_not(None))
        .group_by(mine.c.player_id, other.player_id)
    )


@cache
def _findings(given: frozenset[str]) -> Select[Any]:
    """List the rulings that count with everybody's seat; those the table did not accept do not."""
    query = (
        select(Ruling.finding, Ruling.seats, Ruling.facts, Seat.seat, Seat.player_id)
        .join(Seat, (Seat.club_id == Ruling.club_id) & (Seat.match_id == Ruling.match_id))
        .where(
            Ruling.club_id == bindparam("club_id"),
            Ruling.finding.is_not(None),
            Ruling.accepted.is_distinct_from(False),
        )
    )
    narrowing = given - {"club_id", "player_id"}
    if narrowing:
        query = query.where(Ruling.match_id.in_(_narrowed(select(MatchResult.match_id), MatchResult, narrowing)))
    return _of_player(query, Seat, given)


def _parts(finding: Finding, seats: Mapping[str, int], facts: Mapping[str, Any]) -> Mapping[str, int]:
    """Give who had which role: unless somebody else did, the player who would have drawn challenged."""
    challenged = finding in (Finding.CHALLENGE_WON, Finding.CHALLENGE_LOST)
    if challenged and Role.TARGET in seats and facts.get("challenger") != "other":
        return {Role.CHALLENGER: seats[Role.TARGET], **seats}
    return seats
