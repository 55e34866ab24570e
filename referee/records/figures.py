"""What statistics are made of: sums and results of each player, by four queries whatever the club's age.

Rounds count as soon as they are recorded, whatever became of their match; struck rounds do not.
Matches count once they are finished. A round belongs to a table size by how many took part in it, a
match by how many sat there to the end; a year begins and ends in UTC, by when the match began.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Select, case, func, select
from sqlalchemy.orm import Session

from referee.records.ids import first_id_of, moment_of
from referee.records.models import Finding, Match, MatchResult, RoundScore, Ruling, Scale, Seat
from referee.rules.problem import Impossible, Problem
from referee.rules.rulebook import TABLE_SIZES
from referee.rules.ruling import Role

Q = TypeVar("Q", bound=Select[Any])
YEARS = range(1970, 9999)


@dataclass(frozen=True)
class Filter:
    """Which rounds and matches to count; None leaves a thing open. Raises `Impossible` for what nothing can meet."""

    rulebook: str | None = None
    year: int | None = None
    players: int | None = None

    def __post_init__(self) -> None:
        problems = []
        if self.year is not None and self.year not in YEARS:
            problems.append(Problem("year", "A year is a number from 1970 on, such as 2026."))
        if self.players is not None and self.players not in TABLE_SIZES:
            problems.append(Problem("players", f"A table has {TABLE_SIZES[0]} to {TABLE_SIZES[-1]} players."))
        if problems:
            raise Impossible(problems)

    def of(self, query: Q, table: type[RoundScore] | type[MatchResult], club_id: str) -> Q:
        """Narrow a query over rounds or results to what counts."""
        query = query.where(table.club_id == club_id)
        if self.rulebook is not None:
            under = select(Match.id).where(Match.club_id == club_id, Match.rulebook == self.rulebook)
            query = query.where(table.match_id.in_(under))
        if self.year is not None:
            first, last = ids_of_year(self.year)
            query = query.where(table.match_id >= first, table.match_id < last)
        if self.players is not None:
            query = query.where(table.players == self.players)
        return query


def ids_of_year(year: int) -> tuple[str, str]:
    """Give the first id that a match begun in a year can have, and the first of the year after; ValueError outside."""
    return first_id_of(datetime(year, 1, 1, tzinfo=UTC)), first_id_of(datetime(year + 1, 1, 1, tzinfo=UTC))


class RoundSum(NamedTuple):
    """Rounds of one player that are alike in scale, table size and last card, added up."""

    scale: Scale
    players: int
    last_card: str | None
    rounds: int
    went_out: int
    hands: int
    """rounds in which somebody else went out and this player's hand is known"""
    hand_sum: int
    hand_max: int
    catches: int
    """rounds in which this player went out and the others' hands are known"""
    catch_sum: int
    catch_max: int


class Result(NamedTuple):
    """How one finished match ended for one player."""

    match_id: str
    scale: Scale
    players: int
    winners: int
    won: bool
    rank: int | None
    total: int
    behind: int | None
    mu: float | None
    sigma: float | None

    @property
    def decided(self) -> bool:
        """Tell whether the match had a winner and this player stayed to the end of it."""
        return self.winners > 0 and self.rank is not None

    @property
    def alone(self) -> bool:
        """Tell whether this player won and nobody else did."""
        return self.won and self.winners == 1

    @property
    def shared(self) -> bool:
        """Tell whether this player won together with others."""
        return self.won and self.winners > 1


class Meeting(NamedTuple):
    """All decided matches of two players together, as one of them sees it."""

    opponent: str
    """the other's id"""
    together: int
    beat: int
    beaten: int

    @property
    def level(self) -> int:
        """Count the matches in which they came off alike."""
        return self.together - self.beat - self.beaten


@dataclass
class Figures:
    """Everything that is counted of one player; results in the order in which the matches began."""

    player_id: str
    rounds: list[RoundSum] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    meetings: list[Meeting] = field(default_factory=list)
    findings: Counter[tuple[Role, Finding]] = field(default_factory=Counter)


def load_figures(session: Session, club_id: str, chosen: Filter, player_id: str | None = None) -> dict[str, Figures]:
    """Load the figures of one player, or of all the club's players, by id; those who never played are left out."""
    found: dict[str, Figures] = {}

    def of(player: str) -> Figures:
        if player not in found:
            found[player] = Figures(player)
        return found[player]

    for player, *sums in session.execute(_round_sums(club_id, chosen, player_id)):
        of(player).rounds.append(RoundSum(Scale(sums[0]), *sums[1:]))
    for player, match_id, scale, *rest in session.execute(_results(club_id, chosen, player_id)):
        of(player).results.append(Result(match_id, Scale(scale), *rest))
    for player, *meeting in session.execute(_meetings(club_id, chosen, player_id)):
        of(player).meetings.append(Meeting(*meeting))
    for player, role, finding in _findings(session, club_id, chosen, player_id):
        of(player).findings[role, finding] += 1
    return found


def _round_sums(club_id: str, chosen: Filter, player_id: str | None) -> Select[Any]:
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
    query = select(*columns).group_by(RoundScore.player_id, *alike)
    return _of_player(chosen.of(query, RoundScore, club_id), RoundScore, player_id)


def _results(club_id: str, chosen: Filter, player_id: str | None) -> Select[Any]:
    columns = [getattr(MatchResult, name) for name in Result._fields]
    query = select(MatchResult.player_id, *columns).order_by(MatchResult.match_id)
    return _of_player(chosen.of(query, MatchResult, club_id), MatchResult, player_id)


def _meetings(club_id: str, chosen: Filter, player_id: str | None) -> Select[Any]:
    """Count who came off better, of each two who sat at a decided match to its end.

    Winners stand before all others, also where the cards left decided and not the totals.
    """
    columns = ("player_id", "match_id", "seat", "won", "rank")
    chosen_results = chosen.of(select(*(getattr(MatchResult, name) for name in columns)), MatchResult, club_id)
    decided = chosen_results.where(MatchResult.winners > 0, MatchResult.rank.is_not(None))
    # made once and then walked through: SQLite would look for a year's matches again for every row
    mine = _of_player(decided, MatchResult, player_id).cte("mine").prefix_with("MATERIALIZED")
    other = MatchResult
    ahead = (mine.c.won & ~other.won) | ((mine.c.won == other.won) & (mine.c.rank < other.rank))
    behind = (other.won & ~mine.c.won) | ((mine.c.won == other.won) & (mine.c.rank > other.rank))
    counts: list[Any] = [
        mine.c.player_id,
        other.player_id,
        func.count(),
        func.sum(case((ahead, 1), else_=0)),
        func.sum(case((behind, 1), else_=0)),
    ]
    return (
        select(*counts)
        .join(mine, (other.club_id == club_id) & (other.match_id == mine.c.match_id) & (other.seat != mine.c.seat))
        .where(other.rank.is_not(None))
        .group_by(mine.c.player_id, other.player_id)
    )


def _findings(
    session: Session, club_id: str, chosen: Filter, player_id: str | None
) -> Sequence[tuple[str, Role, Finding]]:
    """List who had which part in the rulings that count; those the table did not accept do not."""
    query = (
        select(Ruling.finding, Ruling.seats, Ruling.facts, Seat.seat, Seat.player_id)
        .join(Seat, (Seat.club_id == Ruling.club_id) & (Seat.match_id == Ruling.match_id))
        .where(
            Ruling.club_id == club_id, Ruling.finding.is_not(None), Ruling.accepted.is_distinct_from(False)
        )
    )
    if chosen != Filter():
        finished = chosen.of(select(MatchResult.match_id), MatchResult, club_id)
        query = query.where(Ruling.match_id.in_(finished))
    return [
        (player, Role(role), Finding(finding))
        for finding, seats, facts, seat, player in session.execute(_of_player(query, Seat, player_id))
        for role, sat in _parts(Finding(finding), seats, facts).items()
        if sat == seat
    ]


def _parts(finding: Finding, seats: Mapping[str, int], facts: Mapping[str, Any]) -> Mapping[str, int]:
    """Say who had which part: unless somebody else challenged, it was the one who should have drawn."""
    challenged = finding in (Finding.CHALLENGE_WON, Finding.CHALLENGE_LOST)
    if challenged and Role.TARGET in seats and facts.get("challenger") != "other":
        return {Role.CHALLENGER: seats[Role.TARGET], **seats}
    return seats


def _of_player(query: Q, table: type[RoundScore] | type[MatchResult] | type[Seat], player_id: str | None) -> Q:
    return query if player_id is None else query.where(table.player_id == player_id)


@dataclass(frozen=True)
class Choices:
    """What a club's statistics and history can be filtered by: rulebooks by id, years newest first."""

    rulebooks: tuple[str, ...]
    years: tuple[int, ...]


def load_choices(session: Session, club_id: str) -> Choices:
    """Find out under which rulebooks and in which years a club has played."""
    rows = session.execute(
        select(Match.rulebook, func.min(Match.id), func.max(Match.id))
        .where(Match.club_id == club_id)
        .group_by(Match.rulebook)
    ).all()
    first = min((moment_of(row[1]).year for row in rows), default=0)
    last = max((moment_of(row[2]).year for row in rows), default=-1)
    return Choices(tuple(row[0] for row in rows), tuple(range(last, first - 1, -1)))
