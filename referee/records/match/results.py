"""How a match stands: over or not, and when it is, who won; written in the transaction that made it so.

What that is gets worked out by reading alone (`work_out`), so that nothing but writing (`put_down`) is left to do
while others wait.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert
from sqlalchemy.orm import Session

from referee.records.club.access import lock_club
from referee.records.match.agreements import scale_of, terms_at
from referee.records.match.history import note_rematches
from referee.records.match.seating import Seated, Seating, course_of, load_gains, totals_of
from referee.records.match.tallies import Tally, add_up, advance, note_change
from referee.records.models import EndedBy, Match, MatchResult, MatchStatus, now
from referee.records.statistics.figures import add_meetings, keep_sums, load_sums, put_sums
from referee.records.statistics.ratings import rate_soon
from referee.records.words import say
from referee.rules.scoring.scoring import Outcome, furthest_behind, outcome, ranks, side_totals, sides, team_of
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible, Problem


@dataclass(frozen=True)
class Settlement:
    """How a match is to stand, and its results when it is over."""

    status: str
    ended_by: str | None
    finished_at: datetime | None
    winners: tuple[int, ...] = ()
    """their seats"""
    results: tuple[dict[str, Any], ...] = ()
    """rows of `MatchResult`, not rated yet"""
    sums: tuple[dict[str, Any], ...] = ()
    """rows of `MatchSum`, of a match that is over"""


def settle(session: Session, match: Match, seating: Seating, *, by_hand: bool = False, rate: bool = True) -> None:
    """Finish or reopen a match by its rounds, after any change; store its results when it is over.

    A match that was once finished by hand stays so, one that was abandoned stays abandoned. Without
    `rate` the players' ratings are left to the caller, who settles many matches and rates them once.
    """
    session.flush()
    tally = add_up(session, match)
    put_down(session, match, tally, work_out(session, match, seating, tally, by_hand=by_hand), rate=rate)


def work_out(
    session: Session,
    match: Match,
    seating: Seating,
    tally: Tally,
    *,
    by_hand: bool = False,
    place: int = 0,
    gained: Mapping[int, int] | None = None,
    scores: Sequence[Mapping[str, Any]] = (),
) -> Settlement:
    """Compute how the match stands with this tally, without writing.

    `place` is that of a round which is not written yet, `gained` what it brings by seat, None for a struck one, and
    `scores` its rows of `RoundScore`.
    """
    if match.status == MatchStatus.ABANDONED:
        sums = load_sums(session, match, but=place, scores=scores)
        return Settlement(match.status, match.ended_by, match.finished_at, sums=sums)
    terms = terms_at(session, match)
    end = _end(seating, terms, tally, by_hand=by_hand or match.ended_by == EndedBy.BY_HAND)
    if end is None:
        return Settlement(MatchStatus.IN_PROGRESS, None, None)
    gains = load_gains(session, match, place=place, gained=gained)
    course = [dict(side_totals(terms, table)) for table in course_of(seating, gains)]
    totals = totals_of(tally, seating.seats)
    lines = result_lines(
        terms, seating.seats, totals, end.winners, lambda seat: furthest_behind(course, terms.leads, seat)
    )
    of_match = {"club_id": match.club_id, "match_id": match.id}
    return Settlement(
        MatchStatus.FINISHED,
        end.ending,
        match.finished_at or now(),
        end.winners,
        tuple(of_match | line for line in add_meetings(lines)),
        load_sums(session, match, but=place, scores=scores),
    )


def put_down(session: Session, match: Match, tally: Tally, settlement: Settlement, *, rate: bool = True) -> None:
    """Write how a match stands, replacing how it stood, and lock it until the transaction ends.

    Raises `Moved`, having written nothing, when the match has changed since it was read.
    """
    was_finished, was_summed = match.status == MatchStatus.FINISHED, match.summed is not None
    if was_finished or settlement.results:
        lock_club(session, match.club_id)  # before the match, as everywhere
    match.status, match.ended_by, match.finished_at = settlement.status, settlement.ended_by, settlement.finished_at
    match.summed = None if settlement.status == MatchStatus.IN_PROGRESS else match.revision
    advance(session, match, tally)
    if was_finished:
        _forget_results(session, match)
    if was_summed or settlement.sums:
        put_sums(session, match, settlement.sums)
    if settlement.results:
        session.execute(insert(MatchResult), settlement.results)
    if rate and (was_finished or settlement.results):
        rate_soon(session, match.club_id, match.id)
        note_rematches(session, match)


def resume(session: Session, match: Match) -> None:
    """Put a match in progress; its results, if it had any, no longer hold."""
    if match.status == MatchStatus.FINISHED:
        _forget_results(session, match)
        rate_soon(session, match.club_id, match.id)
        note_rematches(session, match)
    match.status, match.ended_by, match.finished_at = MatchStatus.IN_PROGRESS, None, None
    keep_sums(session, match)


def _end(seating: Seating, terms: Terms, tally: Tally, *, by_hand: bool) -> Outcome | None:
    if not tally.live:  # nobody can win what was not played
        return Outcome("by-hand", ()) if by_hand else None
    totals = totals_of(tally, seating.here)
    return outcome(terms, totals, rounds=tally.live, fewest_cards=tally.winners, by_hand=by_hand)


def result_lines(
    terms: Terms,
    seats: Sequence[Seated],
    totals: Mapping[int, int],
    winners: Sequence[int],
    behind: Callable[[int], int],
) -> list[dict[str, Any]]:
    """Return the result of each player: rank and total, who won (all who tied), and how far `behind` each seat was."""
    here = [seat for seat in seats if seat.here]
    ranked = ranks(terms, {seat.seat: totals[seat.seat] for seat in here})
    return [
        {
            "seat": seat.seat,
            "player_id": seat.player_id,
            "total": totals[seat.seat],
            "rank": ranked.get(seat.seat),
            "won": seat.here and seat.seat in winners,
            "players": len(here),
            "winners": len(sides(terms, winners)),
            "behind": behind(seat.seat) if seat.here else None,
            "scale": scale_of(terms),
            "team": team_of(terms, seat.seat),
        }
        for seat in seats
    ]


def _forget_results(session: Session, match: Match) -> None:
    note_change(session, match.club_id)  # also where it goes on, and changes no match that is over by that
    session.execute(delete(MatchResult).where(MatchResult.club_id == match.club_id, MatchResult.match_id == match.id))


def refuse_unless_in_progress(match: Match) -> None:
    """Raise `Impossible` for a match that is over."""
    if match.status != MatchStatus.IN_PROGRESS:
        raise Impossible([Problem("match", say(f"match.{match.status}"))])
