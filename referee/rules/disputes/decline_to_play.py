"""May a player choose not to play, and must the player then draw?"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from referee.rules import settings
from referee.rules.disputes.base import Dispute, Facts, Outcome
from referee.rules.facts import yes_no
from referee.rules.hearing import Hearing
from referee.rules.ruling import Order, Role, Voice, cards_count, sentence

HOLDS_PLAYABLE = yes_no(
    "holds_playable",
    "Does {offender} hold a card that fits?",
    yes="{offender} holds a card that fits.",
    no="{offender} holds no card that fits.",
)
JUST_DRAWN = yes_no(
    "just_drawn",
    "Has {offender} drawn in this turn already?",
    yes="{offender} has drawn in this turn.",
    no="{offender} has not drawn in this turn.",
)


def legal(hearing: Hearing) -> bool:
    """Decide whether the player may leave it at not playing."""
    if not hearing.ask(HOLDS_PLAYABLE):
        hearing.cite("draw-one")
        return True
    if hearing.ask(JUST_DRAWN):
        return hearing.read(settings.DRAWN_CARD) != "must-be-played"
    return hearing.read(settings.MAY_DECLINE)


def must_draw(hearing: Hearing) -> bool:
    """Decide whether the player must draw for it (once more, where drawing goes on until a card fits)."""
    if not hearing.decide("legal"):
        return False
    until_playable = hearing.read(settings.DRAWS_UNTIL_PLAYABLE)
    if until_playable:
        hearing.cite("draw-until-playable")
    if not hearing.ask(JUST_DRAWN):
        return True
    return until_playable and not hearing.ask(HOLDS_PLAYABLE)


def cards_drawn(hearing: Hearing) -> int | None:
    """Count the cards to draw; drawing until a card fits has no number."""
    if not hearing.decide("must_draw"):
        return 0
    return None if hearing.read(settings.DRAWS_UNTIL_PLAYABLE) else hearing.read(settings.DRAWS_INSTEAD)


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Say what there is to draw."""
    if outcome["must_draw"]:
        yield Order(Role.OFFENDER, "draw", outcome["cards_drawn"])


def verdict(outcome: Outcome, facts: Facts) -> str:
    """Say it in one word."""
    return "Allowed" if outcome["legal"] else "Must play"


def summary(outcome: Outcome, facts: Facts, say: Voice) -> str:
    """Say the ruling in a sentence to be read aloud."""
    if not outcome["legal"]:
        return sentence(say(Role.OFFENDER), "must play a card that fits")
    if outcome["must_draw"]:
        counted = "until a card fits" if outcome["cards_drawn"] is None else cards_count(outcome["cards_drawn"])
        return sentence(say(Role.OFFENDER), "need not play, but must draw", counted)
    return sentence(say(Role.OFFENDER), "need not play, and the turn passes")


DISPUTE = Dispute(
    id="decline-to-play",
    title="Declining to play",
    lead="May you hold back a card that fits?",
    facts=(HOLDS_PLAYABLE, JUST_DRAWN),
    outcome=MappingProxyType({"legal": legal, "must_draw": must_draw}),
    further=MappingProxyType({"cards_drawn": cards_drawn}),
    main=lambda facts: "legal",
    orders=orders,
    verdict=verdict,
    summary=summary,
    who="Whose turn is it",
    parts=MappingProxyType({Role.OFFENDER: "the player"}),
)
