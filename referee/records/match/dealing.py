"""Who deals next: the deal goes round the table, also when the table grows or shrinks."""

from __future__ import annotations

import secrets
from types import MappingProxyType

from sqlalchemy.orm import Session

from referee.records.match.elimination import Outs
from referee.records.match.results import refuse_unless_in_progress
from referee.records.match.seating import Seated, Seating, load_seating
from referee.records.match.tallies import advance, tally_of
from referee.records.models import Match
from referee.records.words import say
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.values import steps_to_first
from referee.rules.text.problem import Impossible, Problem

NOBODY: Outs = MappingProxyType({})


def next_opener(match: Match, seating: Seating, rounds_played: int, outs: Outs = NOBODY) -> Seated | None:
    """Return who deals, or drafts first, in the next round; None if nobody recorded who began.

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
    """Return whether someone was still in the match after so many rounds."""
    return seat.seat not in outs or rounds_before < outs[seat.seat]


def first_opener(match: Match, seating: Seating) -> Seated | None:
    """Return who dealt, or drafted first, in the first round.

    None when nobody said, and when players came or went between rounds: the record then holds who dealt next only.
    """
    known = match.dealer_seat is not None and match.dealer_after == 0
    return seating.seats[match.dealer_seat or 0] if known else None


def first_player(match: Match, seating: Seating, rulebook: Rulebook) -> Seated | None:
    """Return who played first in the first round; None where the record or the text doesn't say."""
    opener, steps, there = first_opener(match, seating), steps_to_first(rulebook), seating.at(1)
    if opener not in there or steps is None:
        return None
    return there[(there.index(opener) + steps) % len(there)]


def draw_opener(session: Session, match: Match) -> Seated:
    """Draw at random who deals, or drafts first; raises `Impossible` once a round was played.

    Everybody at the table has the same chance, whoever was to deal before.
    """
    refuse_unless_in_progress(match)
    if tally_of(session, match).live:
        raise Impossible([Problem("dealer", say("match.dealer-known"))])
    opener = secrets.choice(load_seating(session, match).here)
    match.dealer_seat, match.dealer_after = opener.seat, 0
    advance(session, match)
    session.flush()
    return opener


def keep_dealer(match: Match, seating: Seating, live: int, outs: Outs = NOBODY) -> None:
    """Keep the next dealer the same when players join or leave."""
    opener = next_opener(match, seating, live, outs)
    if opener is not None:
        match.dealer_seat, match.dealer_after = opener.seat, live
