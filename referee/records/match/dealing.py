"""Who plays the next round, and who deals it: the deal goes round the table, also when the table grows or shrinks.

Who is out where reaching the target puts a player out follows from the live rounds and is kept nowhere. Matches that
end at the target pay nothing for it: nothing is read unless the terms eliminate and a total is there.
"""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from sqlalchemy.orm import Session

from referee.records.match.agreements import terms_at
from referee.records.match.results import refuse_unless_in_progress
from referee.records.match.seating import Seated, Seating, load_gains, load_seating, totals_of
from referee.records.match.tallies import Tally, advance, tally_of
from referee.records.models import Match
from referee.records.words import say
from referee.rules.books.rulebook import Rulebook, steps_to_first
from referee.rules.scoring.round_checks import holds_cards
from referee.rules.scoring.round_entry import RoundEntry
from referee.rules.scoring.scoring import out_of_match
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible, Problem

Outs = Mapping[int, int]
"""Seats that are out, with the number of the round that put them out."""


def load_outs(
    session: Session,
    match: Match,
    seating: Seating,
    tally: Tally,
    *,
    terms: Terms | None = None,
    place: int = 0,
    gained: Mapping[int, int] | None = None,
) -> Outs:
    """Load who is out of a match with this tally; pass `terms`, those in force now, to save a query.

    `place` is that of a round which is not written yet, and `gained` what it brings by seat, None for a struck one.
    """
    terms = terms or terms_at(session, match)
    if not terms.eliminates or not out_of_match(terms, totals_of(tally, seating.here)):
        return {}
    return outs_of(terms, seating, load_gains(session, match, place=place, gained=gained))


def current_outs(session: Session, match: Match, seating: Seating) -> Outs:
    """Find who is out of a match as it stands."""
    return load_outs(session, match, seating, tally_of(session, match))


def load_playing(session: Session, match: Match) -> Seating:
    """Load the seats of a match without players who are out: only who plays on can be in a dispute.

    Once a single player is left, those of the whole match are: what is argued about has happened before.
    """
    seating = load_seating(session, match)
    outs = current_outs(session, match, seating)
    playing = seating.without(outs) if outs else seating
    return playing if len(playing.here) > 1 else seating


def outs_of(terms: Terms, seating: Seating, gains: Mapping[int, Mapping[int, int]]) -> Outs:
    """Return who is out after these live rounds' points, by place and seat, and since when."""
    totals = {seat.seat: seat.opening_total for seat in seating.here}
    since = dict.fromkeys(out_of_match(terms, totals), 0)
    for number, gained in enumerate(gains.values(), start=1):
        totals |= {seat: totals[seat] + points for seat, points in gained.items() if seat in totals}
        out = out_of_match(terms, totals)
        for seat in totals:
            if seat not in out:
                since.pop(seat, None)
            else:
                since.setdefault(seat, number)
    return since


def outs_before(session: Session, match: Match, seating: Seating, place: int) -> Outs:
    """Find who was out before the round of a place."""
    terms = terms_at(session, match, place)
    if not terms.eliminates:
        return {}
    gains = load_gains(session, match)
    return outs_of(terms, seating, {at: gained for at, gained in gains.items() if at < place})


def let_sit_out(entry: RoundEntry, outs: Outs, *, but: bool = False) -> RoundEntry:
    """Return an entry in which players who are out sit out; with `but` only if they did not play, for a correction."""
    played = {seat for seat in outs if seat == entry.went_out or (holds_cards(entry, seat) and seat in entry.hands)}
    absent = [seat for seat in outs if seat not in entry.sat_out and not (but and seat in played)]
    if not absent:
        return entry
    hands = {seat: hand for seat, hand in entry.hands.items() if seat not in absent or seat in played}
    return replace(entry, hands=hands, sat_out=tuple(sorted((*entry.sat_out, *absent))))


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
        seats = ((place, here[place % len(here)].seat) for place in range(turn, turn + len(here)))
        turn = next((place for place, seat in seats if seat not in outs or number < outs[seat]), turn)
    return here[turn % len(here)]


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
