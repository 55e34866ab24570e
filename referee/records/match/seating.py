"""Who sat where at a match, and when."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import cycle

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from referee.records.match.tallies import Tally, tally_of
from referee.records.models import MARKERS, Match, Player, RoundScore, Seat
from referee.records.names import fold_name
from referee.rules.scoring.round_entry import Table


@dataclass(frozen=True)
class Seated:
    """One player's seat: `stays` are the first and last round of each stay; None while it lasts."""

    seat: int
    player_id: str
    name: str
    name_then: str
    opening_total: int
    stays: tuple[tuple[int, int | None], ...]
    marker: str = MARKERS[0]
    """the color and shape by which the player is known at this match"""

    @property
    def here(self) -> bool:
        """Return whether the player is still in the match."""
        return self.stays[-1][1] is None

    def at(self, place: int) -> bool:
        """Return whether the player sat there when the round of this place was played."""
        return any(first <= place and (last is None or place <= last) for first, last in self.stays)


@dataclass(frozen=True)
class Seating:
    """All chairs of a match, clockwise."""

    seats: tuple[Seated, ...]

    @cached_property
    def here(self) -> tuple[Seated, ...]:
        """Return the seats of those who are still in the match, clockwise."""
        return tuple(seat for seat in self.seats if seat.here)

    def without(self, gone: Container[int]) -> Seating:
        """Return the seating with some seats left by now."""
        return Seating(tuple(replace(seat, stays=((1, 0),)) if seat.seat in gone else seat for seat in self.seats))

    def at(self, place: int) -> tuple[Seated, ...]:
        """Return the seats taken in the round of this place."""
        return tuple(seat for seat in self.seats if seat.at(place))

    def by_name(self, name: str) -> Seated | None:
        """Return a seat by its player's name, letter case aside; None if nobody is called so."""
        folded = fold_name(name.strip())
        return next((seat for seat in self.seats if fold_name(seat.name) == folded), None)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the present names of all players, by seat."""
        return tuple(seat.name for seat in self.seats)

    @cached_property
    def markers(self) -> Mapping[str, str]:
        """Return the color and shape of each player, by name."""
        return {seat.name: seat.marker for seat in self.seats}

    def teams(self, agreed: Iterable[Iterable[int]] | None) -> tuple[tuple[str, ...], ...] | None:
        """Return the names of those who play together, by the seats agreed on; None where everybody plays alone."""
        return None if agreed is None else tuple(tuple(self.names[seat] for seat in team) for team in agreed)


def table_of(seats: Iterable[Seated]) -> Table:
    """Return the names of players by seat."""
    return {seat.seat: seat.name for seat in seats}


def deal_markers(chosen: Sequence[str]) -> list[str]:
    """Return a color and shape for each seat, from what the players chose, empty for nothing.

    The first by seat gets what several chose; whoever chose nothing, or came too late, gets the first that is free.
    """
    free = cycle([marker for marker in MARKERS if marker not in chosen] or MARKERS)
    return [marker if marker and marker not in chosen[:seat] else next(free) for seat, marker in enumerate(chosen)]


_SEATS = (
    select(Seat.seat, Seat.player_id, Player.name, Seat.name_then, Seat.opening_total, Seat.stays, Player.marker)
    .join(Player, (Player.club_id == Seat.club_id) & (Player.id == Seat.player_id))
    .where(Seat.club_id == bindparam("club_id"), Seat.match_id == bindparam("match_id"))
    .order_by(Seat.seat)
)  # built once, since most requests ask it: to build it takes longer than to run it


def load_seating(session: Session, match: Match) -> Seating:
    """Load the chairs of a match, in one query."""
    rows = session.execute(_SEATS, {"club_id": match.club_id, "match_id": match.id}).all()
    markers = deal_markers([row.marker for row in rows])
    return Seating(
        tuple(
            Seated(seat, player_id, name, name_then, opening, tuple((first, last) for first, last in stays), marker)
            for (seat, player_id, name, name_then, opening, stays, _), marker in zip(rows, markers, strict=True)
        )
    )


def load_totals(session: Session, match: Match, seats: Sequence[Seated]) -> dict[int, int]:
    """Return each total by seat: the opening total and all live rounds."""
    return totals_of(tally_of(session, match), seats)


def totals_of(tally: Tally, seats: Sequence[Seated]) -> dict[int, int]:
    """Add the live rounds to the opening totals, by seat."""
    return {seat.seat: seat.opening_total + tally.points.get(seat.seat, 0) for seat in seats}


def load_gains(
    session: Session, match: Match, *, place: int = 0, gained: Mapping[int, int] | None = None
) -> dict[int, dict[int, int]]:
    """Return the points of each live round of a match, by place and seat, in order.

    `place` is that of a round which is not written yet, and `gained` what it brings by seat, None for a struck one.
    """
    rows = session.execute(
        select(RoundScore.place, RoundScore.seat, RoundScore.points)
        .where(RoundScore.club_id == match.club_id, RoundScore.match_id == match.id)
        .order_by(RoundScore.place)
    )
    gains: dict[int, dict[int, int]] = {}
    for at, seat, points in rows:
        gains.setdefault(at, {})[seat] = points
    if place:
        gains.pop(place, None)
        if gained is not None:
            gains = dict(sorted((gains | {place: dict(gained)}).items()))
    return gains


def course_of(seating: Seating, gains: Mapping[int, Mapping[int, int]]) -> list[dict[int, int]]:
    """Return everybody's total by seat: before the first round, then after each live round, of those who sat there.

    `gains` is what live rounds brought, by place, in their order, and seat.
    """
    totals = {seat.seat: seat.opening_total for seat in seating.seats}
    course = [{seat.seat: seat.opening_total for seat in seating.at(1)}]
    for place, gained in gains.items():
        for seat, points in gained.items():
            totals[seat] += points
        course.append({sitting.seat: totals[sitting.seat] for sitting in seating.at(place)})
    return course
