"""Who is out of a match in which reaching the target puts a player out: a function of its live rounds, kept nowhere.

Matches that end at the target pay nothing for it: nothing is read unless the terms eliminate and a total is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy.orm import Session

from referee.records.match.agreements import terms_at
from referee.records.match.seating import Seating, load_gains, load_seating, totals_of
from referee.records.match.tallies import Tally, tally_of
from referee.records.models import Match
from referee.rules.scoring.round_checks import holds_cards
from referee.rules.scoring.round_entry import RoundEntry
from referee.rules.scoring.standings import out_of_match
from referee.rules.scoring.terms import Terms

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
