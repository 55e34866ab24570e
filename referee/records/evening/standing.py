"""How everyone stands on an evening: points by place, then matches won, then totals, then what was decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from referee.records.evening.evenings import Person, load_people, of_evening
from referee.records.models import DrawKind, DrawTable, Evening, EveningDraw, MatchResult, Player, Scale, of_live_match
from referee.records.season.points import match_points


@dataclass(frozen=True)
class EveningStanding:
    """One line of an evening's table."""

    place: int
    """1 is best, ties share it"""
    player_id: str
    name: str
    points: float
    """sum of the points of each match by place: 100 for the first, 0 for the last"""
    won: int
    """matches"""
    total: int
    """of all matches"""
    matches: int
    """finished ones"""


def load_standings(session: Session, evening: Evening, came: Sequence[Person] | None = None) -> list[EveningStanding]:
    """Rank everyone but guests by the points of their finished matches, then by those won, then by totals, best first.

    A deciding match parts those who are level by all of these; a final counts for itself. `came` are the evening's
    people, where they have been loaded.
    """
    came = load_people(session, evening) if came is None else came
    people = {person.id: person for person in came if not person.guest}
    rows = session.execute(
        select(MatchResult, EveningDraw.kind)
        .join(DrawTable, (DrawTable.club_id == MatchResult.club_id) & (DrawTable.match_id == MatchResult.match_id))
        .join(
            EveningDraw,
            (EveningDraw.club_id == DrawTable.club_id)
            & (EveningDraw.evening_id == DrawTable.evening_id)
            & (EveningDraw.draw == DrawTable.draw),
        )
        .where(*of_evening(DrawTable, evening), EveningDraw.kind != DrawKind.FINAL)
        .where(of_live_match(MatchResult.match_id))
        .order_by(MatchResult.match_id, MatchResult.seat),
        {"club_id": evening.club_id},
    )
    sums = {id: _Sums() for id in people}
    for _, lines in groupby(rows, key=lambda row: row.MatchResult.match_id):
        ended = [(row.MatchResult, row.kind) for row in lines]
        points = match_points([result for result, _ in ended])
        for result, kind in ended:
            if result.player_id in sums:
                sums[result.player_id].add(result, kind, points.get(result.player_id, 0.0))
    played = sorted((one.order, people[id].name, id) for id, one in sums.items() if one.matches)
    orders = [order for order, _, _ in played]
    return [
        EveningStanding(orders.index(order) + 1, id, name, one.points, one.won, one.total, one.matches)
        for order, name, id in played
        for one in [sums[id]]
    ]


@dataclass
class _Sums:
    points: float = 0.0
    won: int = 0
    total: int = 0
    better: int = 0
    """the total, so that more is better"""
    matches: int = 0
    decider: int = 99
    """place in a deciding match; the last one for who played none"""

    def add(self, result: MatchResult, kind: str, points: float) -> None:
        if kind == DrawKind.PLAY_OFF:
            self.decider = result.rank or result.players + 1
            return
        self.points += points
        self.won += result.won
        self.total += result.total
        self.better += -result.total if result.scale == Scale.LOWEST else result.total
        self.matches += 1

    @property
    def order(self) -> tuple[float, ...]:
        return -round(self.points, 6), -self.won, -self.better, self.decider


def load_champions(session: Session, evening: Evening, lines: Sequence[EveningStanding]) -> list[str]:
    """Return the names of who won the evening: its final, and without one whoever is first of its `lines`."""
    finals = (*of_evening(EveningDraw, evening), EveningDraw.kind == DrawKind.FINAL)
    won = (
        select(Player.name)
        .join(MatchResult, (MatchResult.club_id == Player.club_id) & (MatchResult.player_id == Player.id))
        .join(DrawTable, (DrawTable.club_id == MatchResult.club_id) & (DrawTable.match_id == MatchResult.match_id))
        .where(*of_evening(DrawTable, evening), MatchResult.won, of_live_match(MatchResult.match_id))
        .where(DrawTable.draw == select(func.max(EveningDraw.draw)).where(*finals).scalar_subquery())
        .order_by(Player.folded_name)
    )
    return list(session.scalars(won, {"club_id": evening.club_id})) or [line.name for line in lines if line.place == 1]
