"""Everyone taps their own hand: a round stands open, each phone enters one seat's leftovers, a scorekeeper records it.

An open round belongs to a place. As soon as a round is recorded there, by whatever way, it is over:
nobody has to close it.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from referee.records.match.results import refuse_unless_in_progress
from referee.records.match.rounds import count_rounds
from referee.records.match.seating import Seating
from referee.records.models import Key, Match, MatchStatus, OpenHand, OpenRound, Round, now
from referee.records.words import say
from referee.rules.cards.decks import parse_card
from referee.rules.scoring.round_entry import Hand, RoundEntry
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible, Problem

_of_match = (Round.club_id == bindparam("club_id"), Round.match_id == bindparam("match_id"))
_next_place = select(func.coalesce(func.max(Round.place), 0) + 1).where(*_of_match).scalar_subquery()
_live = select(func.count()).where(*_of_match, Round.struck.is_(False)).scalar_subquery()
_GATHERED = (
    select(OpenRound, OpenHand, _live.label("live"))
    .outerjoin(
        OpenHand,
        (OpenHand.club_id == OpenRound.club_id)
        & (OpenHand.match_id == OpenRound.match_id)
        & (OpenHand.place == OpenRound.place),
    )
    .where(
        OpenRound.club_id == bindparam("club_id"),
        OpenRound.match_id == bindparam("match_id"),
        OpenRound.place == _next_place,
        OpenRound.closed_at.is_(None),
    )
)


@dataclass(frozen=True)
class EnteredHand:
    """What one phone entered: cards, or a total."""

    hand: Hand
    entered_at: datetime

    @property
    def text(self) -> str:
        """Write the hand as the round form takes it."""
        return f"={self.hand}" if isinstance(self.hand, int) else " ".join(str(card) for card in self.hand)

    def worth(self, terms: Terms) -> int:
        """Add up what the hand counts; a card of no known worth counts nothing here."""
        if isinstance(self.hand, int):
            return self.hand
        points = terms.card_points
        return sum(points.get(card.face, 0) for card in self.hand)


@dataclass(frozen=True)
class Gathering:
    """An open round as it stands: its number, who went out, and the hands that are in, by seat."""

    place: int
    number: int
    went_out: int | None
    hands: Mapping[int, EnteredHand]
    opened_at: datetime

    @property
    def state(self) -> str:
        """Return a token for this state that changes with every entry, even if the clock is set back."""
        hands = [(seat, hand.text, hand.entered_at) for seat, hand in sorted(self.hands.items())]
        entered = f"{self.place} {self.went_out} {self.opened_at} {hands}"
        return hashlib.sha256(entered.encode()).hexdigest()[:16]


def gather(session: Session, match: Match) -> Gathering | None:
    """Look at the round that stands open, in one query; None when there is none."""
    if match.status != MatchStatus.IN_PROGRESS:
        return None
    rows = session.execute(_GATHERED, {"club_id": match.club_id, "match_id": match.id}).all()
    if not rows:
        return None
    opened, live = rows[0].OpenRound, rows[0].live
    hands = {
        row.OpenHand.seat: EnteredHand(_read(row.OpenHand.cards), row.OpenHand.entered_at)
        for row in rows
        if row.OpenHand is not None and row.OpenHand.seat != opened.went_out_seat
    }
    return Gathering(opened.place, live + 1, opened.went_out_seat, hands, opened.opened_at)


def hold(session: Session, match: Match) -> None:
    """Lock the open round, so that no phone changes a hand of it until this transaction ends."""
    session.execute(
        select(OpenRound.place)
        .where(OpenRound.club_id == match.club_id, OpenRound.match_id == match.id, OpenRound.closed_at.is_(None))
        .with_for_update()
    )


def open_round(session: Session, match: Match, went_out: int | None, by: Key) -> None:
    """Ask every phone for the hand of the next round; asked again, change who went out.

    Whoever calls this holds the lock of the match. Raises `Impossible` when the match is over.
    """
    refuse_unless_in_progress(match)
    _, last_place = count_rounds(session, match)
    opened = session.get(OpenRound, (match.club_id, match.id, last_place + 1))
    if opened is None:
        opened = OpenRound(club_id=match.club_id, match_id=match.id, place=last_place + 1, opened_by=by.id)
        session.add(opened)
    opened.went_out_seat, opened.opened_at, opened.closed_at = went_out, now(), None
    session.flush()


def close_round(session: Session, match: Match) -> None:
    """Stop asking; the hands that are in stay, should the round be opened again."""
    opened = _opened(session, match)
    if opened is not None:
        opened.closed_at = now()
        session.flush()


def enter_hand(session: Session, match: Match, terms: Terms, hand: Hand, by: Key) -> None:
    """Enter the hand of the seat that a phone's key is for, or enter it anew.

    Raises `Impossible` when no round is open, when this seat went out, or when no box holds such a hand.
    """
    opened = _locked(session, match)
    if opened.went_out_seat == by.seat:
        raise Impossible([Problem("hand", say("gather.out"))])
    if not isinstance(hand, int):
        for face in {card.face for card in hand}:
            count, most = sum(card.face == face for card in hand), terms.full_deck.face_count(face)
            if count > most:
                raise Impossible([Problem("hand", say("gather.box", card=face.label, n=most, count=count))])
    row = session.get(OpenHand, (match.club_id, match.id, opened.place, by.seat))
    if row is None:
        row = OpenHand(club_id=match.club_id, match_id=match.id, place=opened.place, seat=by.seat or 0)
        session.add(row)
    row.cards = [hand] if isinstance(hand, int) else [str(card) for card in hand]
    row.entered_at, row.entered_by = now(), by.id
    session.flush()


def record_out(session: Session, match: Match, by: Key) -> None:
    """Store that this phone's player went out; raises `Impossible` when another player did."""
    opened = _locked(session, match)
    if opened.went_out_seat not in (None, by.seat):
        raise Impossible([Problem("hand", say("gather.other-out"))])
    opened.went_out_seat, opened.opened_at = by.seat, now()
    session.flush()


def entry_of(
    gathering: Gathering, seating: Seating, *, side: str | None = None, knocked_out: Collection[int] = ()
) -> RoundEntry:
    """Return what was gathered as an entry that can be scored; a hand whose player left meanwhile counts no more."""
    here = {seat.seat for seat in seating.here}
    hands = {seat: entered.hand for seat, entered in gathering.hands.items() if seat in here}
    out = tuple(sorted(here.intersection(knocked_out)))
    return RoundEntry(went_out=gathering.went_out, hands=hands, side=side, knocked_out=out)


def _opened(session: Session, match: Match, *, lock: bool = False) -> OpenRound | None:
    place = count_rounds(session, match)[1] + 1
    opened = session.get(OpenRound, (match.club_id, match.id, place), with_for_update=lock, populate_existing=lock)
    running = match.status == MatchStatus.IN_PROGRESS
    return opened if opened is not None and opened.closed_at is None and running else None


def _locked(session: Session, match: Match) -> OpenRound:
    """Find the open round and let nobody else change it meanwhile; raises `Impossible` when there is none."""
    opened = _opened(session, match, lock=True)
    if opened is None:
        raise Impossible([Problem("hand", say("gather.closed"))])
    return opened


def _read(cards: list[Any]) -> Hand:
    if len(cards) == 1 and isinstance(cards[0], int):
        return cards[0]
    return tuple(parse_card(card) for card in cards)
