"""Which card a challenge is about, what it makes the next player draw, and what becomes of the turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from referee.rules import settings
from referee.rules.cards import WILD_DRAW_FOUR
from referee.rules.disputes.draw_four_facts import PLAYED
from referee.rules.disputes.effects import Amount, challenged_faces, draws_for
from referee.rules.hearing import Hearing, Silent

T = TypeVar("T")


def laid(hearing: Hearing) -> str:
    """Tell which card it is about, asking where the box has several that may be challenged."""
    faces = challenged_faces(hearing.rulebook)
    return hearing.ask(PLAYED).face if len(faces) > 1 else next(iter(faces), WILD_DRAW_FOUR)


def draws_of_card(hearing: Hearing) -> Amount:
    """Read how many cards the target draws for it."""
    return draws_for(hearing, laid(hearing))


def _more(amount: Amount, extra: int) -> Amount:
    """Add cards to an amount."""
    if isinstance(amount, int):
        return amount + extra
    return f"{amount}+{extra}" if extra else amount


def draws_when_wrong(hearing: Hearing) -> Amount:
    """Count all cards that a challenging target draws when the challenge fails."""
    extra = hearing.look(settings.WRONG_CHALLENGE_EXTRA)
    return hearing.read(settings.WRONG_CHALLENGE_DRAWS) if extra is None else _more(draws_of_card(hearing), extra)


def turn_after_card(hearing: Hearing) -> str:
    """Read what becomes of the turn after the card."""
    if laid(hearing) == WILD_DRAW_FOUR:
        return hearing.read(settings.DRAW_FOUR_TURN)
    skips = hearing.read(settings.CARD_SKIPS.at(f"card-{laid(hearing)}"))
    return "target-loses-turn" if skips == 1 else "offender-plays-again"


def of_a_challenge(decide: Callable[[Hearing], T]) -> Callable[[Hearing], T]:
    """Leave everything open in a box with no card that may be challenged."""

    def decide_if_any(hearing: Hearing) -> T:
        if not challenged_faces(hearing.rulebook):
            barred_by = hearing.rulebook.find(settings.WILD_BARRED_BY)
            if barred_by is not None and not barred_by[0]:
                hearing.cite(settings.WILD_BARRED_BY.question)  # why nobody could challenge it
            raise Silent("challenge-who", "no_challenge")
        return decide(hearing)

    return decide_if_any
