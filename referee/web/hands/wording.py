"""What the scorekeeper's page says of the hands that have arrived."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from referee.records.open_rounds import EnteredHand, Gathering
from referee.records.sheets import Sheet
from referee.web.words import say


@dataclass(frozen=True)
class Arrival:
    """One player's line on the scorekeeper's page."""

    player_id: str
    name: str
    out: bool
    worth: int | None
    cards: str
    """how many there are, in words; empty before they arrive"""
    phone: bool


def arrivals_of(sheet: Sheet, gathering: Gathering | None, phones: Collection[int]) -> list[Arrival]:
    """Return a line for each player of the next round; `phones` are the seats that have a phone."""
    hands = gathering.hands if gathering else {}
    return [
        Arrival(
            player_id=seat.player_id,
            name=seat.name,
            out=gathering is not None and gathering.went_out == seat.seat,
            worth=hands[seat.seat].worth(sheet.terms) if seat.seat in hands else None,
            cards=cards_line(hands[seat.seat]) if seat.seat in hands else "",
            phone=seat.seat in phones,
        )
        for seat in sheet.playing
    ]


def cards_line(entered: EnteredHand) -> str:
    """Return how many cards a hand has, in words; a hand typed as a total has no count."""
    if isinstance(entered.hand, int):
        return say("hand.typed")
    return say("hand.cards", n=len(entered.hand)) if entered.hand else say("hand.no-cards")
