"""Who deals next: the deal goes round the table, also when the table grows or shrinks."""

from __future__ import annotations

from referee.records.models import Match
from referee.records.seating import Seating
from referee.rules.standings import Opening, opening
from referee.rules.terms import Terms


def next_opening(match: Match, terms: Terms, seating: Seating, rounds_played: int) -> Opening | None:
    """Say who deals (or drafts) the next round, and why; None when nobody said who began."""
    begins = match.dealer_seat
    if begins is None:
        return None
    here = sorted(seating.here, key=lambda seat: (seat.seat < begins, seat.seat))
    first = here[0].name  # the next one clockwise, should the dealer have left
    return opening(terms, [seat.name for seat in here], first, rounds_played - match.dealer_after)


def keep_dealer(match: Match, terms: Terms, seating: Seating, live: int) -> None:
    """Let whoever deals next deal next also after the table grows or shrinks."""
    next_one = next_opening(match, terms, seating, live)
    seat = next_one and seating.by_name(next_one.dealer or next_one.drafter or "")
    if seat:
        match.dealer_seat, match.dealer_after = seat.seat, live
