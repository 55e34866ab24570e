"""Load the figures of players, in four queries whatever the club's age.

What the rounds of a match that is over brought, and who came off better in it, was added up when it ended
(`referee.records.statistics.sums`); only what goes on, or was changed by a program that knows of no sums, is counted
from its rounds. The statements are put together once for each set of things that narrow them (a year, a player, …):
that takes longer than finding a small club's figures.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import CompoundSelect, Select, bindparam, case, func, null, or_, select, type_coerce, union_all
from sqlalchemy.orm import Session
from sqlalchemy.types import NullType

from referee.records.models import (
    Match,
    MatchResult,
    MatchStatus,
    MatchSum,
    RoundScore,
    Ruling,
    Scale,
    Seat,
    of_live_match,
)
from referee.records.statistics.figures import Ending, Figures, Filter, Meeting, PlayerResult
from referee.records.statistics.sums import AHEAD, BEHIND, LEVEL, RoundSum, read_cards, sums_of_rounds
from referee.rules.disputes import Finding
from referee.rules.ruling import Role

Q = TypeVar("Q", bound=Select[Any])
Counted = type[RoundScore] | type[MatchResult] | type[MatchSum]
_SCALES = {str(scale): scale for scale in Scale}
_ENDINGS = {str(ending): ending for ending in Ending}
_ENDED = case(
    (MatchResult.won & (MatchResult.winners == 1), Ending.WON.value),
    (MatchResult.won, Ending.SHARED.value),
    (MatchResult.winners == 0, Ending.UNDECIDED.value),
    (MatchResult.rank.is_not(None), Ending.LOST.value),
    else_=Ending.LEFT.value,
)
"""How a match ended for a player."""
_UNSUMMED = (
    Match.club_id == bindparam("club_id"),
    Match.summed.is_distinct_from(Match.revision),
    Match.deleted_at.is_(None),
)
_ELSEWHERE = or_(Match.status != MatchStatus.IN_PROGRESS, Match.summed.is_not(None))
_OPEN = select(func.count(), func.count().filter(_ELSEWHERE)).where(*_UNSUMMED)
"""Count the matches without good sums, and those of them that have stale ones or should have some."""
GOING_ON, STALE = "going on", "stale"
"""Of what kinds there are such matches."""


def load_figures(session: Session, club_id: str, chosen: Filter, player_id: str | None = None) -> dict[str, Figures]:
    """Load the figures of one player, or of all the club's players, by id; those who never played are left out."""
    found: dict[str, Figures] = {}

    def of(player: str) -> Figures:
        if player not in found:
            found[player] = Figures(player)
        return found[player]

    values = chosen.values(club_id, player_id)
    going_on, stale = session.execute(_OPEN, values).one()
    given = frozenset((*values, *[GOING_ON][:going_on], *[STALE][:stale]))
    # rounds and results of every scale are read, so that a page can offer the others without asking once more
    of_any_scale = given - {"scale"}
    connection = session.connection()  # no row below is an object of the session
    for player, scale, *sums, cards, card in connection.execute(_round_sums(of_any_scale), values).all():
        of(player).scales.add(_SCALES[scale])
        if chosen.scale in (None, scale):
            last_cards = read_cards(cards) if card is None else {card: sums[2]}
            of(player).rounds.append(RoundSum._make((_SCALES[scale], *map(int, sums), last_cards)))
    meetings: dict[str, Counter[str]] = defaultdict(Counter)
    for player, results in _by_player(session.execute(_results(of_any_scale), values)):
        figures = of(player)
        figures.scales |= {_SCALES[scale] for scale in {result[2] for result in results}}
        results = [result for result in results if chosen.scale in (None, result[2])]
        figures.results = [
            PlayerResult(match_id, _SCALES[scale], players, _ENDINGS[ending], behind, mu, sigma)
            for _, match_id, scale, players, ending, behind, mu, sigma, _ in results
        ]
        meetings[player].update(" ".join([result[-1] for result in results if result[-1] is not None]).split())
    if stale:
        for player, opponent, together, beat, beaten in connection.execute(_meetings(given), values).all():
            counts = {AHEAD: beat, BEHIND: beaten, LEVEL: together - beat - beaten}
            meetings[player].update({opponent + how: count for how, count in counts.items()})
    for player, counted in meetings.items():
        of(player).meetings = _met(counted)
    for finding, seats, facts, seat, player in connection.execute(_findings(frozenset(values)), values).all():
        for role, sat in _parts(Finding(finding), seats, facts).items():
            if sat == seat:
                of(player).findings[Role(role), Finding(finding)] += 1
    return found


def _met(counted: Mapping[str, int]) -> list[Meeting]:
    """Return a player's meetings with each opponent, in the order of the opponents' ids."""
    opponents = sorted({each[:-1] for each in counted})
    beat, level, beaten = ([counted.get(each + how, 0) for each in opponents] for how in (AHEAD, LEVEL, BEHIND))
    together = map(sum, zip(beat, level, beaten, strict=True))
    return list(map(Meeting, opponents, together, beat, beaten))


def _narrowed(query: Q, table: Counted, given: frozenset[str]) -> Q:
    """Narrow a query over rounds or results to what counts."""
    if table is not RoundScore:
        query = query.where(table.club_id == bindparam("club_id"), of_live_match(table.match_id))
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


def _of_player(query: Q, table: Counted | type[Seat], given: frozenset[str]) -> Q:
    if "player_id" not in given:
        return query
    # the few rounds that are asked for are found by their match, not by the player, who has many
    player = func.coalesce(table.player_id, "") if table is RoundScore else table.player_id
    return query.where(player == bindparam("player_id"))


def _unsummed() -> Select[Any]:
    return select(Match.id).where(*_UNSUMMED)


@cache
def _round_sums(given: frozenset[str]) -> Select[Any] | CompoundSelect[Any]:
    """Add up the sums of matches, and the rounds of those without."""
    alike = (MatchSum.player_id, MatchSum.scale, MatchSum.players)
    stored = select(
        *alike,
        *(func.sum(getattr(MatchSum, name)) for name in ("rounds", "went_out", "hands", "hand_sum")),
        func.max(MatchSum.hand_max),
        *(func.sum(getattr(MatchSum, name)) for name in ("catches", "catch_sum")),
        func.max(MatchSum.catch_max),
        func.aggregate_strings(MatchSum.last_cards, " "),
        null(),
    ).group_by(*alike)
    stored = _narrowed(stored, MatchSum, given)
    if STALE in given:
        stored = stored.where(MatchSum.match_id.not_in(_unsummed()))
    if GOING_ON not in given:
        return stored
    kinds = (RoundScore.player_id, RoundScore.scale, RoundScore.players)
    played = select(*kinds, *sums_of_rounds(), null(), RoundScore.last_card).group_by(*kinds, RoundScore.last_card)
    # listed first: SQLite would go through all rounds of the club, had it another way to these few matches' rounds
    few = select(Match.club_id, Match.id).where(*_UNSUMMED).cte("few").prefix_with("MATERIALIZED")
    of_match = (RoundScore.club_id == few.c.club_id) & (RoundScore.match_id == few.c.id)
    return union_all(stored, _narrowed(played.select_from(few).join(RoundScore, of_match), RoundScore, given))


@cache
def _results(given: frozenset[str]) -> Select[Any]:
    """List results, in the order in which the matches began: of whom, `PlayerResult`, whom they met."""
    columns = [getattr(MatchResult, name) for name in PlayerResult._fields if name != "ending"]
    columns[-2:] = [type_coerce(rating, NullType()) for rating in columns[-2:]]  # numbers as every driver gives them
    columns.insert(PlayerResult._fields.index("ending"), _ENDED)
    good = case((MatchResult.match_id.in_(_unsummed()), null()), else_=MatchResult.met)
    met = good if STALE in given else MatchResult.met
    chosen = select(MatchResult.player_id, *columns, met).order_by(MatchResult.match_id)
    return _narrowed(chosen, MatchResult, given)


def _by_player(rows: Iterable[Sequence[Any]]) -> Iterable[tuple[str, list[Sequence[Any]]]]:
    """Group rows by whose they are, in their order."""
    found: dict[str, list[Sequence[Any]]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(row)
    return found.items()


@cache
def _meetings(given: frozenset[str]) -> Select[Any]:
    """Count who came off better, of each two who sat at a decided match to its end, in matches without good sums.

    Winners stand before all others, also where the cards left decided and not the totals.
    """
    columns = ("player_id", "match_id", "seat", "won", "rank")
    chosen_results = _narrowed(select(*(getattr(MatchResult, name) for name in columns)), MatchResult, given)
    decided = chosen_results.where(
        MatchResult.winners > 0, MatchResult.rank.is_not(None), MatchResult.match_id.in_(_unsummed())
    )
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
            of_live_match(Ruling.match_id),
            Ruling.finding.is_not(None),
            Ruling.accepted.is_distinct_from(False),
        )
    )
    narrowing = given - {"club_id", "player_id"}
    if narrowing:
        query = query.where(Ruling.match_id.in_(_narrowed(select(MatchResult.match_id), MatchResult, narrowing)))
    return _of_player(query, Seat, given)


def _parts(finding: Finding, seats: Mapping[str, int], facts: Mapping[str, Any]) -> Mapping[str, int]:
    """Return the seat of each role; the target challenged unless the facts name someone else."""
    challenged = finding in (Finding.CHALLENGE_WON, Finding.CHALLENGE_LOST)
    if challenged and Role.TARGET in seats and facts.get("challenger") != "other":
        return {Role.CHALLENGER: seats[Role.TARGET], **seats}
    return seats
