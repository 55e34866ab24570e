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
    goes_on = hearing.read(settings.DRAWS_UNTIL_PLAYABLE)
    if goes_on:
        hearing.cite("draw-until-playable")
    if not hearing.ask(JUST_DRAWN):
        return True
    return goes_on and not hearing.ask(HOLDS_PLAYABLE)


def until_playable(hearing: Hearing) -> bool:
    """Tell whether what must be drawn has no number, because drawing goes on until a card fits."""
    return bool(hearing.decide("must_draw")) and hearing.read(settings.DRAWS_UNTIL_PLAYABLE)


def cards_drawn(hearing: Hearing) -> int | None:
    """Count the cards that must be drawn, where that has a number."""
    if not hearing.decide("must_draw") or hearing.decide("until_playable"):
        return None
    return hearing.read(settings.DRAWS_INSTEAD)


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
        counted = "" if outcome["cards_drawn"] is None else cards_count(outcome["cards_drawn"])
        until = "until a card fits" if outcome["until_playable"] else ""
        return sentence(say(Role.OFFENDER), "need not play, but must draw", counted, until)
    return sentence(say(Role.OFFENDER), "need not play, and the turn passes")


DISPUTE = Dispute(
    id="decline-to-play",
    title="Declining to play",
    lead="May you hold back a card that fits?",
    facts=(HOLDS_PLAYABLE, JUST_DRAWN),
    outcome=MappingProxyType({"legal": legal, "must_draw": must_draw}),
    further=MappingProxyType({"until_playable": until_playable, "cards_drawn": cards_drawn}),
    main=lambda facts: "legal",
    orders=orders,
    verdict=verdict,
    summary=summary,
    who="Whose turn is it",
    parts=MappingProxyType({Role.OFFENDER: "the player"}),
)
