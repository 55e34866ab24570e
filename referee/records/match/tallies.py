"""The totals of a match's live rounds, stored with the match so that the next round need not add them up again.

A tally is good for one state of its match. Whatever changes the match without knowing of tallies, as an older
program does, makes it stale by that; it is then added up anew from the scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.exc import StaleDataError

from referee.records.errors import Moved
from referee.records.models import Base, Club, Match, MatchStatus, Round, RoundScore, RoundVersion, new_nonce

# Statements that every request needs are put together once: that takes longer than the database does.
_HERE = (Round.club_id == bindparam("club_id"), Round.match_id == bindparam("match_id"))
_COUNTED = select(
    func.count().filter(Round.struck.is_(False)),
    func.coalesce(func.max(Round.place).filter(Round.struck.is_(False)), 0),
    func.coalesce(func.max(Round.place), 0),
).where(*_HERE, Round.place != bindparam("but"))
_SUMS = (
    select(RoundScore.seat, func.sum(RoundScore.points))
    .where(
        RoundScore.club_id == bindparam("club_id"),
        RoundScore.match_id == bindparam("match_id"),
        RoundScore.place != bindparam("but"),
    )
    .group_by(RoundScore.seat)
)
_SCORE = (
    select(RoundVersion.score)
    .join(
        Round,
        (Round.club_id == RoundVersion.club_id)
        & (Round.id == RoundVersion.round_id)
        & (Round.version == RoundVersion.version),
    )
    .where(*_HERE, Round.place == bindparam("place"))
)
_CLUBS = Base.metadata.tables[Club.__tablename__]
_CHANGED = update(_CLUBS).where(_CLUBS.c.id == bindparam("of_club")).values(unrated_turn=_CLUBS.c.unrated_turn + 1)


@dataclass(frozen=True)
class Tally:
    """The sums of a match; `points` are by seat, without what players sat down with."""

    live: int
    """live rounds"""
    last_live: int
    """place of the last live round, 0 before the first"""
    last_place: int
    """the last place, struck rounds included, 0 before the first"""
    points: Mapping[int, int]
    winners: tuple[int, ...]
    """seats that won the last live round"""

    def plus(self, place: int, score: Mapping[str, Any]) -> Tally:
        """Return the tally with a live round added, whose place was left out before."""
        points = dict(self.points)
        for seat, brought in score["points"].items():
            points[int(seat)] = points.get(int(seat), 0) + brought
        last = place > self.last_live
        return Tally(
            live=self.live + 1,
            last_live=place if last else self.last_live,
            last_place=max(place, self.last_place),
            points=points,
            winners=tuple(score["winners"]) if last else self.winners,
        )

    def with_struck(self, place: int) -> Tally:
        """Return the tally with a struck round added, whose place was left out before."""
        return Tally(self.live, self.last_live, max(place, self.last_place), self.points, self.winners)

    def to_document(self, state: int) -> dict[str, Any]:
        """Write the tally as JSON values, good for one state of its match."""
        points = {str(seat): points for seat, points in self.points.items()}
        return {"state": state} | vars(self) | {"points": points, "winners": list(self.winners)}


NOTHING = Tally(0, 0, 0, {}, ())
"""That of a match before its first round."""


def tally_of(session: Session, match: Match) -> Tally:
    """Return the tally of a match: the stored one if it is of this state, else added up in three queries."""
    kept = match.tally
    if kept is None or kept["state"] != match.state:
        return add_up(session, match)
    points = {int(seat): points for seat, points in kept["points"].items()}
    return Tally(kept["live"], kept["last_live"], kept["last_place"], points, tuple(kept["winners"]))


def add_up(session: Session, match: Match, *, but: int = 0) -> Tally:
    """Add up the live rounds of a match from their scores, all but that of one place."""
    given = {"club_id": match.club_id, "match_id": match.id}
    live, last_live, last_place = session.execute(_COUNTED, given | {"but": but}).one()
    sums = session.execute(_SUMS, given | {"but": but})
    score = session.scalar(_SCORE, given | {"place": last_live}) if last_live else None
    points = {seat: int(points) for seat, points in sums}
    return Tally(live, last_live, last_place, points, tuple(score["winners"]) if score else ())


def note_change(session: Session, club_id: str) -> None:
    """Count a change of matches that are over, so that what was drawn from them is drawn anew.

    This locks the club, and so comes before any of its matches is written.
    """
    session.connection().execute(_CHANGED, {"of_club": club_id})


def advance_each(session: Session, club_id: str, wanted: ColumnElement[bool]) -> None:
    """Put every match of a club for which a condition holds in a new state; matches already read don't show it."""
    session.execute(
        update(Match)
        .where(Match.club_id == club_id, wanted)
        .values(revision=Match.revision + 1, nonce=new_nonce(), summed=Match.summed + 1)
        .execution_options(synchronize_session=False)
    )


def advance(session: Session, match: Match, tally: Tally | None = None) -> None:
    """Write a match in a new state, with all that was set on it; pass `tally` only if its rounds changed.

    Raises `Moved`, and the transaction is rolled back, if another writer has changed the match since it was read.
    """
    stored, before = match.tally, match.state
    if match.status != MatchStatus.IN_PROGRESS:
        note_change(session, match.club_id)
    match.revision += 1
    match.nonce = new_nonce()
    if match.summed is not None:  # whoever changes what is summed up says so before
        match.summed += 1
    if tally is not None:
        match.tally = tally.to_document(match.state)
    elif stored is not None and stored["state"] == before:
        match.tally = stored | {"state": match.state}
    try:
        session.flush()
    except StaleDataError:
        raise Moved from None
