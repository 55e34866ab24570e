"""What a finished match decided: its course, and what was a first or a best in the club when it ended.

Two queries, whatever the length of the match. They read what the club has played before, so they are asked for a match
that is over, and never again and again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple

from sqlalchemy import Select, and_, bindparam, func, literal, select, union_all
from sqlalchemy.orm import Session, aliased

from referee.records.models import Base, Match, MatchResult, MatchSum, RoundScore, columns_of, of_live_match
from referee.records.seating import Seating, course_of, load_gains
from referee.records.statistics.ratings import START_MU
from referee.rules.standings import by_sides
from referee.rules.terms import Terms, partners_of

MOST_MATCHES = 3_000
"""Matches of the club that are looked at, the latest ones; where there are more, nobody looks for firsts and bests."""
NameCourse = Sequence[Mapping[tuple[str, ...], int]]


class Catch(NamedTuple):
    """What the others held when somebody went out."""

    name: str
    points: int
    round: int


@dataclass(frozen=True)
class Decided:
    """What a match decided, as the club stood when it began; everything but the course may be missing."""

    course: NameCourse = ()
    """the totals before the first round and after each, by the names of each side"""
    record_catch: Catch | None = None
    """the biggest catch of the club so far, if it was made in this match"""
    record_rescue: int | None = None
    """the most that a winner of the club ever trailed by, if it was here"""
    run: int = 0
    """how many matches in a row the one winner has won with this one"""
    longest_run: bool = False
    """the run is longer than any that this player had before"""
    first_of: int = 0
    """how many matches the one winner has played, if this is the first they won"""
    rating: tuple[float, float] | None = None
    """the one winner's rating before and after"""
    rival: str | None = None
    """who came second"""
    beat: int = 0
    beaten: int = 0
    """how often the one winner was ahead of that rival in matches that had a winner, and how often behind"""


def course_by_names(terms: Terms, seating: Seating, course: Sequence[Mapping[int, int]]) -> NameCourse:
    """Give a course, which goes by seat, by the names of each side."""
    return [
        {
            tuple(seating.names[mate] for mate in partners_of(terms, seat)): total
            for seat, total in by_sides(terms, table).items()
        }
        for table in course
    ]


def load_course(session: Session, match: Match, terms: Terms, seating: Seating) -> NameCourse:
    """Load the course of a match by the names of each side."""
    return course_by_names(terms, seating, course_of(seating, load_gains(session, match)))


def load_decided(
    session: Session, match: Match, terms: Terms, seating: Seating, winners: Sequence[str], rival: str | None
) -> Decided:
    """Find out what a finished match decided; `winners` and `rival`, the one player who came second, are names."""
    gains: dict[int, dict[int, int]] = {}
    catches: list[Catch] = []
    given = {"club_id": match.club_id, "match_id": match.id}
    for place, seat, points, catch, scale in session.execute(_SCORES, given):
        gains.setdefault(place, {})[seat] = points
        given["scale"] = scale
        if catch:
            catches.append(Catch(seating.names[seat], catch, len(gains)))
    course = course_by_names(terms, seating, course_of(seating, gains))
    if not gains:
        return Decided(course)
    ids = {seat.name: seat.player_id for seat in seating.seats}
    alone = ids[winners[0]] if len(winners) == 1 else ""
    rows = session.execute(_BEFORE, given | {"winner": alone, "rival": ids.get(rival or "", "")}).all()
    best = max(catches, key=lambda one: one.points, default=None)
    before, all_seen = rows[0], rows[0].unseen is None
    results = [row for row in rows if row.match_id is not None]
    own = next((row for row in results if row.match_id == match.id), None)
    return Decided(
        course=course,
        record_catch=best if best and all_seen and best.points > (before.most_caught or best.points) else None,
        record_rescue=own.behind if own and own.won and all_seen and _beats(own.behind, before.most_behind) else None,
        **(_of_winner(results, all_seen) if own and own.won else {}),
        rival=rival if own and own.won else None,
    )


def _beats(value: int | None, before: int | None) -> bool:
    return value is not None and before is not None and value > before


def _of_winner(results: Sequence[Any], all_seen: bool) -> dict[str, Any]:
    """Count what one player's results say, the newest first: that is the match that was won."""
    alone = [row.won and row.winners == 1 for row in results if row.winners]
    runs = list(_runs(alone))
    rated = [row.mu for row in results if row.mu is not None]
    mine, before = results[0].mu, rated[1] if len(rated) > 1 else START_MU if all_seen else None
    return {
        "run": runs[0],
        "longest_run": all_seen and runs[0] > max(runs[1:], default=0) > 0,
        "first_of": len(alone) if sum(alone) == 1 and all_seen else 0,
        "rating": None if None in (before, mine) else (before, mine),
        "beat": sum(_ahead(row) for row in results) if all_seen else 0,
        "beaten": sum(_behind(row) for row in results) if all_seen else 0,
    }


def _runs(alone: Sequence[bool]) -> Iterator[int]:
    """Count the wins in a row, the newest run first."""
    left = list(alone)
    while left:
        run = len(list(takewhile(bool, left)))
        yield run
        left = left[run + 1 :]


def _ahead(row: Any) -> bool:
    return _met(row) and (row.won, -row.rank) > (row.rival_won, -row.rival_rank)


def _behind(row: Any) -> bool:
    return _met(row) and (row.won, -row.rank) < (row.rival_won, -row.rival_rank)


def _met(row: Any) -> bool:
    return bool(row.winners) and row.rank is not None and row.rival_rank is not None


_score, _result, _sum, _match = map(columns_of, (RoundScore, MatchResult, MatchSum, Match))
_SCORE_TABLE = Base.metadata.tables[RoundScore.__tablename__]
_SCORES = (
    select(_score.place, _score.seat, _score.points, _score.catch, _score.scale)
    .where(_score.club_id == bindparam("club_id"), _score.match_id == bindparam("match_id"))
    .order_by(_score.place)
)


def _before() -> Select[Any]:
    """Build the statement for the club's bests before a match, beside the results of its winner up to it."""
    mine, other = aliased(MatchResult), aliased(MatchResult)
    # of the matches that go on, the rounds themselves (see `referee.records.statistics.sums`)
    live = (_match.club_id == bindparam("club_id"), _match.deleted_at.is_(None))
    open_ones = (*live, _match.summed.is_distinct_from(_match.revision))
    few = select(_match.club_id, _match.id).where(*open_ones, _match.id < bindparam("match_id")).cte("few")
    few = few.prefix_with("MATERIALIZED")
    earlier = select(_match.id).where(_match.club_id == bindparam("club_id"), _match.id < bindparam("match_id"))
    unseen = earlier.order_by(_match.id.desc()).offset(MOST_MATCHES).limit(1).scalar_subquery()
    first = func.coalesce(unseen, "")
    stored = select(func.max(_sum.catch_max).label("most")).where(
        _sum.club_id == bindparam("club_id"),
        _sum.match_id > first,
        _sum.match_id < bindparam("match_id"),
        _sum.scale == bindparam("scale"),
        of_live_match(_sum.match_id),
    )
    of_match = (_score.club_id == few.c.club_id) & (_score.match_id == few.c.id)
    played = select(func.max(_score.catch)).join_from(few, _SCORE_TABLE, of_match)
    either = union_all(stored, played.where(_score.scale == bindparam("scale"))).subquery()
    caught = select(func.max(either.c.most))
    behind = select(func.max(_result.behind)).where(
        _result.club_id == bindparam("club_id"),
        _result.match_id > first,
        _result.match_id < bindparam("match_id"),
        _result.scale == bindparam("scale"),
        _result.won,
        of_live_match(_result.match_id),
    )
    one = select(literal(1).label("one")).subquery()
    own = and_(
        mine.club_id == bindparam("club_id"),
        mine.player_id == bindparam("winner"),
        mine.match_id > first,
        mine.match_id <= bindparam("match_id"),
        of_live_match(mine.match_id),
    )
    same = and_(
        other.club_id == bindparam("club_id"),
        other.player_id == bindparam("rival"),
        other.match_id == mine.match_id,
    )
    return (
        select(
            caught.scalar_subquery().label("most_caught"),
            behind.scalar_subquery().label("most_behind"),
            unseen.label("unseen"),
            *(mine.match_id, mine.won, mine.winners, mine.rank, mine.behind, mine.mu),
            *(other.won.label("rival_won"), other.rank.label("rival_rank")),
        )
        .select_from(one)
        .outerjoin(mine, own)
        .outerjoin(other, same)
        .order_by(mine.match_id.desc())
    )


_BEFORE = _before()
