"""How a match stands: over or not, and when it is, who won; written in the transaction that made it so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session

from referee.records.agreements import agreements_of, scale_of, terms_of
from referee.records.models import EndedBy, Match, MatchResult, MatchStatus, Round, RoundVersion, now
from referee.records.ratings import rate_from
from referee.records.seating import Seating, load_course, load_totals
from referee.rules.course import furthest_behind
from referee.rules.standings import Outcome, outcome, standings
from referee.rules.terms import Terms

_LAST_SCORE = (
    select(RoundVersion.score)
    .join(
        Round,
        (Round.club_id == RoundVersion.club_id)
        & (Round.id == RoundVersion.round_id)
        & (Round.version == RoundVersion.version),
    )
    .where(Round.club_id == bindparam("club_id"), Round.match_id == bindparam("match_id"), Round.struck.is_(False))
    .order_by(Round.place.desc())
    .limit(1)
)


def settle(
    session: Session,
    match: Match,
    seating: Seating,
    *,
    by_hand: bool = False,
    rate: bool = True,
    last_score: Mapping[str, Any] | None = None,
) -> None:
    """See anew whether the match is over, after anything was written; note its results when it is.

    A match that was once finished by hand stays so, one that was abandoned stays abandoned. Without
    `rate` the players' ratings are left to the caller, who settles many matches and rates them once.
    `last_score` is the score of the last live round, where the caller has just written it.
    """
    match.revision += 1
    if match.status != MatchStatus.ABANDONED:
        terms = terms_of(session, match, agreements_of(match)[-1])
        with session.no_autoflush:  # scores are written at once: what else is new goes out together, in the end
            by_seat = load_totals(session, match, seating.seats)
        last = last_score or session.scalar(_LAST_SCORE, {"club_id": match.club_id, "match_id": match.id})
        end = _end(seating, terms, by_seat, last, by_hand=by_hand or match.ended_by == EndedBy.BY_HAND)
        if end is None:
            resume(session, match)
        else:
            _conclude(session, match, seating, terms, by_seat, end, rate=rate)
    session.flush()


def resume(session: Session, match: Match) -> None:
    """Put a match in progress; its results, if it had any, no longer hold."""
    if match.status == MatchStatus.FINISHED:
        _forget_results(session, match)
        rate_from(session, match.club_id, match.id)
    match.status, match.ended_by, match.finished_at = MatchStatus.IN_PROGRESS, None, None


def _end(
    seating: Seating, terms: Terms, by_seat: dict[int, int], last: Mapping[str, Any] | None, *, by_hand: bool
) -> Outcome | None:
    if last is None:  # nobody can win what was not played
        return Outcome("by-hand", (), False, ()) if by_hand else None
    totals = {seat.name: by_seat[seat.seat] for seat in seating.here}
    fewest_cards = [seating.name_of(seat) for seat in last["winners"]]
    return outcome(terms, totals, fewest_cards=fewest_cards, by_hand=by_hand)


def _conclude(
    session: Session,
    match: Match,
    seating: Seating,
    terms: Terms,
    by_seat: dict[int, int],
    end: Outcome,
    *,
    rate: bool,
) -> None:
    """Finish a match and write its results: rank and total of each player, and who won (all who tied)."""
    if match.status == MatchStatus.FINISHED:
        _forget_results(session, match)
    match.status, match.ended_by = MatchStatus.FINISHED, end.ending
    match.finished_at = match.finished_at or now()
    totals = {seat.name: by_seat[seat.seat] for seat in seating.here}
    ranks = {standing.player: standing.rank for standing in standings(terms, totals)} if terms.wins else {}
    course = load_course(session, match, seating)
    session.add_all(
        MatchResult(
            club_id=match.club_id,
            match_id=match.id,
            seat=seat.seat,
            player_id=seat.player_id,
            total=by_seat[seat.seat],
            rank=ranks.get(seat.name) if seat.here else None,
            won=seat.here and seat.name in end.winners,
            players=len(seating.here),
            winners=len(end.winners),
            behind=furthest_behind(course, terms.leads, seat.seat) if seat.here else None,
            scale=scale_of(terms),
        )
        for seat in seating.seats
    )
    if rate:
        rate_from(session, match.club_id, match.id)


def _forget_results(session: Session, match: Match) -> None:
    session.execute(delete(MatchResult).where(MatchResult.club_id == match.club_id, MatchResult.match_id == match.id))
