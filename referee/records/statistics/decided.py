"""What a finished match decided: its course, and what was a first or a best in the club when it ended.

Two queries, whatever the length of the match. They read what the club has played before, so they are asked for a match
that is over, and never again and again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Select, String, bindparam, func, select, union_all
from sqlalchemy.orm import Session

from referee.records.match.seating import Seating, course_of, load_gains
from referee.records.models import Base, Match, MatchResult, MatchSum, RoundScore, columns_of, of_live_match
from referee.records.statistics.definitions import matches_played
from referee.records.statistics.figures import AHEAD, BEHIND, Ending, Figures, ended
from referee.rules.scoring.scoring import by_sides
from referee.rules.scoring.terms import Terms, partners_of

NameCourse = Sequence[Mapping[tuple[str, ...], int]]


class Catch(NamedTuple):
    """What the others held when someone went out."""

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
    rival: str | None = None
    """who came second"""
    beat: int = 0
    beaten: int = 0
    """how often the one winner was ahead of that rival in matches that had a winner, and how often behind"""


def course_by_names(terms: Terms, seating: Seating, course: Sequence[Mapping[int, int]]) -> NameCourse:
    """Return a course, which goes by seat, with the names of each side as its keys."""
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
    before = session.execute(_BEFORE, given | {"winner": alone, "rival": ids.get(rival or "", "")}).one()
    best = max(catches, key=lambda hand: hand.points, default=None)
    played = Figures(alone, endings=before.endings or "")
    won = played.endings.endswith(Ending.WON)
    return Decided(
        course=course,
        record_catch=best if best and best.points > (before.most_caught or best.points) else None,
        record_rescue=before.behind if won and _beats(before.behind, before.most_behind) else None,
        **(_of_winner(played, before) if won else {}),
        rival=rival if won else None,
    )


def _beats(value: int | None, before: int | None) -> bool:
    return value is not None and before is not None and value > before


def _of_winner(played: Figures, row: Any) -> dict[str, Any]:
    """Count what one player's results say, up to the match that was won."""
    *earlier, run = [length for ending, length in played.runs if ending == Ending.WON]
    return {
        "run": run,
        "longest_run": run > max(earlier, default=0) > 0,
        "first_of": matches_played(played) if played.endings.count(Ending.WON) == 1 else 0,
        "beat": row.beat,
        "beaten": row.beaten,
    }


_score, _result, _sum, _match = map(columns_of, (RoundScore, MatchResult, MatchSum, Match))
_SCORE_TABLE = Base.metadata.tables[RoundScore.__tablename__]
_SCORES = (
    select(_score.place, _score.seat, _score.points, _score.catch, _score.scale)
    .where(_score.club_id == bindparam("club_id"), _score.match_id == bindparam("match_id"))
    .order_by(_score.place)
)


def _before() -> Select[Any]:
    """Build the statement for the club's bests before a match, beside the results of its winner up to it."""
    of_club: BindParameter[str] = bindparam("club_id")
    this: BindParameter[str] = bindparam("match_id")
    # of the matches that go on, the rounds themselves (see `referee.records.statistics.figures`)
    open_ones = (_match.deleted_at.is_(None), _match.summed.is_distinct_from(_match.revision))
    few = select(_match.club_id, _match.id).where(_match.club_id == of_club, *open_ones, _match.id < this).cte("few")
    few = few.prefix_with("MATERIALIZED")
    stored = select(func.max(_sum.catch_max).label("most")).where(
        *(_sum.club_id == of_club, _sum.scale == bindparam("scale"), _sum.match_id < this, of_live_match(_sum.match_id))
    )
    of_match = (_score.club_id == few.c.club_id) & (_score.match_id == few.c.id)
    played = select(func.max(_score.catch)).join_from(few, _SCORE_TABLE, of_match)
    either = union_all(stored, played.where(_score.scale == bindparam("scale"))).subquery()
    behind = select(func.max(_result.behind)).where(
        *(_result.club_id == of_club, _result.scale == bindparam("scale"), _result.won),
        *(_result.match_id < this, of_live_match(_result.match_id)),
    )
    own = (MatchResult.club_id == of_club, MatchResult.player_id == bindparam("winner"))
    columns = (MatchResult.match_id, MatchResult.met, MatchResult.behind)
    listed = select(*columns, ended(MatchResult).label("ending"))
    listed = listed.where(*own, MatchResult.match_id <= this, of_live_match(MatchResult.match_id))
    mine = listed.order_by(MatchResult.match_id).subquery()
    met = {
        how: func.count().filter(mine.c.met.contains(bindparam("rival", type_=String).concat(how)))
        for how in (AHEAD, BEHIND)
    }
    return select(
        select(func.max(either.c.most)).scalar_subquery().label("most_caught"),
        behind.scalar_subquery().label("most_behind"),
        func.aggregate_strings(mine.c.ending, "").label("endings"),
        *(met[AHEAD].label("beat"), met[BEHIND].label("beaten")),
        func.max(mine.c.behind).filter(mine.c.match_id == this).label("behind"),
    )


_BEFORE = _before()
