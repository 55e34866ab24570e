"""Who deals next: the deal goes round the table, also when the table grows or shrinks."""

from __future__ import annotations

from referee.records.models import Match
from referee.records.seating import Seated, Seating


def next_opener(match: Match, seating: Seating, rounds_played: int) -> Seated | None:
    """Give who deals, or drafts first, in the next round; None when nobody said who began.

    Where the text does not say who deals later rounds, that it moves on clockwise is the app's own courtesy.
    """
    begins = match.dealer_seat
    if begins is None:
        return None
    # the next one clockwise begins, should the dealer have left
    here = sorted(seating.here, key=lambda seat: (seat.seat < begins, seat.seat))
    return here[(rounds_played - match.dealer_after) % len(here)]


def keep_dealer(match: Match, seating: Seating, live: int) -> None:
    """Keep the next dealer the same when players join or leave."""
    opener = next_opener(match, seating, live)
    if opener is not None:
        match.dealer_seat, match.dealer_after = opener.seat, live
