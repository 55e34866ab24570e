"""May a player choose not to play, and must the player then draw?"""

from collections.abc import Iterable

from referee.rules.books import settings
from referee.rules.disputes.base import Dispute, Facts, Outcome
from referee.rules.disputes.effects import drawing_verdict
from referee.rules.disputes.facts import yes_no
from referee.rules.disputes.hearing import Hearing
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.words import Line, line

HOLDS_PLAYABLE = yes_no("holds_playable", "decline-to-play")
JUST_DRAWN = yes_no("just_drawn", "decline-to-play")


def legal(hearing: Hearing) -> bool:
    """Decide whether the player may simply not play."""
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
    if goes_on and "draw-until-playable" in hearing.rulebook.clauses:
        hearing.cite("draw-until-playable")
    if not hearing.ask(JUST_DRAWN):
        return True
    return goes_on and not hearing.ask(HOLDS_PLAYABLE)


def until_playable(hearing: Hearing) -> bool:
    """Return whether what must be drawn has no number, because drawing goes on until a card fits."""
    return bool(hearing.decide("must_draw")) and hearing.read(settings.DRAWS_UNTIL_PLAYABLE)


def cards_drawn(hearing: Hearing) -> int | None:
    """Count the cards that must be drawn, where that has a number."""
    if not hearing.decide("must_draw") or hearing.decide("until_playable"):
        return None
    return hearing.read(settings.DRAWS_INSTEAD)


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Return orders on what there is to draw."""
    if outcome["must_draw"] and outcome["cards_drawn"] != 0:
        yield Order(Role.OFFENDER, "draw", outcome["cards_drawn"])


def verdict(outcome: Outcome, facts: Facts) -> Line:
    """Return the verdict in one or two words; without a card that fits there is nothing to allow."""
    if facts["holds_playable"]:
        return line("verdicts.allowed" if outcome["legal"] else "verdicts.must-play")
    if outcome["must_draw"] is False or outcome["cards_drawn"] == 0:
        return line("verdicts.turn-passes")
    return line("verdicts.draw-on") if outcome["cards_drawn"] is None else drawing_verdict(outcome["cards_drawn"])


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return a sentence on whether a card must be played, and else what is drawn."""
    if outcome["legal"] is None:
        return
    if not outcome["legal"]:
        yield line("must-play")
    elif outcome["must_draw"] is None:
        yield line("rest-draws")
    elif not facts["holds_playable"]:
        yield from _nothing_fits(outcome, facts)
    elif outcome["must_draw"] and outcome["until_playable"]:
        yield line("need-not-until")
    elif outcome["must_draw"]:
        yield line("need-not-draws") if outcome["cards_drawn"] is None else line("need-not", n=outcome["cards_drawn"])
    else:
        yield line("passes")


def _nothing_fits(outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return what follows where no card can be played."""
    ordered = tuple(orders(outcome, facts))
    if not ordered:
        yield line("nothing-fits-passes")
    elif outcome["cards_drawn"] is None and not outcome["until_playable"]:
        yield line("nothing-fits-draws")
    else:
        yield line("nothing-fits")
        yield from ordered


DISPUTE = Dispute(
    id="decline-to-play",
    facts=(HOLDS_PLAYABLE, JUST_DRAWN),
    outcome={"legal": legal, "must_draw": must_draw},
    further={"until_playable": until_playable, "cards_drawn": cards_drawn},
    main=lambda facts: "legal",
    orders=orders,
    verdict=verdict,
    summary=summary,
    parts=frozenset({Role.OFFENDER}),
)
