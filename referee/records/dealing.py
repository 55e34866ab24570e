"""Who deals next: the deal goes round the table, also when the table grows or shrinks."""

from __future__ import annotations

from types import MappingProxyType

from referee.records.elimination import Outs
from referee.records.models import Match
from referee.records.seating import Seated, Seating

NOBODY: Outs = MappingProxyType({})


def next_opener(match: Match, seating: Seating, rounds_played: int, outs: Outs = NOBODY) -> Seated | None:
    """Give who deals, or drafts first, in the next round; None when nobody said who began.

    Who is out of the match (`outs`) is passed over from then on. Where the text does not say who deals later rounds,
    that it moves on clockwise is the app's own courtesy.
    """
    begins = match.dealer_seat
    if begins is None:
        return None
    # the next one clockwise begins, should the dealer have left
    here = sorted(seating.here, key=lambda seat: (seat.seat < begins, seat.seat))
    if not outs:
        return here[(rounds_played - match.dealer_after) % len(here)]
    turn = 0
    for number in range(match.dealer_after, rounds_played + 1):
        turn += number > match.dealer_after
        playing = (place for place in range(turn, turn + len(here)) if _plays(here[place % len(here)], outs, number))
        turn = next(playing, turn)
    return here[turn % len(here)]


def _plays(seat: Seated, outs: Outs, rounds_before: int) -> bool:
    """Tell whether somebody was still in the match after so many rounds."""
    return seat.seat not in outs or rounds_before < outs[seat.seat]


def keep_dealer(match: Match, seating: Seating, live: int, outs: Outs = NOBODY) -> None:
    """Keep the next dealer the same when players join or leave."""
    opener = next_opener(match, seating, live, outs)
    if opener is not None:
        match.dealer_seat, match.dealer_after = opener.seat, live
