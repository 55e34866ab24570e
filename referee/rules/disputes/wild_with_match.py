"""A Wild played although another card fitted: is that allowed, and what if it is caught?"""

from collections.abc import Iterable

from referee.rules.books import settings
from referee.rules.cards.cards import WILD
from referee.rules.cards.decks import parse_card
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, example
from referee.rules.disputes.effects import drawing_verdict
from referee.rules.disputes.facts import COLOR_IN_PLAY, TOP_CARD, cards, yes_no
from referee.rules.disputes.hearing import Hearing, Unseen
from referee.rules.disputes.play import color_contradictions, hand_unseen, has_colors, wild_fits
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.words import Line, line

CAUGHT = yes_no("caught", "wild-with-match")
HAND = cards("hand", "wild-with-match")


def legal(hearing: Hearing) -> bool:
    """Decide whether the Wild might be played from beside the hand that was left."""
    if not hearing.read(settings.WILD_BARRED_BY):
        return True
    if not hearing.given(HAND) and not hearing.ask(CAUGHT):
        raise Unseen
    return wild_fits(hearing, hearing.ask(HAND))


def _caught_wrong(hearing: Hearing) -> bool:
    """Return whether a Wild played wrongly was caught; where every Wild is right, nobody is asked."""
    if not hearing.read(settings.WILD_BARRED_BY):
        return False
    return hearing.ask(CAUGHT) and not hearing.decide("legal")


def offender_draws(hearing: Hearing) -> int:
    """Count the cards drawn for being caught."""
    return hearing.read(settings.CAUGHT_WILD_DRAWS) if _caught_wrong(hearing) else 0


def effect_stands(hearing: Hearing) -> bool:
    """Decide whether the color that was named holds."""
    return hearing.read(settings.CAUGHT_WILD_STANDS) if _caught_wrong(hearing) else True


def may_keep_color(hearing: Hearing) -> bool:
    """Decide whether the color in play may be named again; a Wild without effect names none, nor one without colors."""
    if not has_colors(hearing):
        return False
    return bool(hearing.decide("effect_stands")) and hearing.read(settings.MAY_KEEP_COLOR)


def names_color(hearing: Hearing) -> bool:
    """Return whether the text says that a Wild names a color, and the box has any."""
    named = "wild-effect" in hearing.rulebook.clauses and bool(hearing.rulebook.deck.colors)
    return named and not hearing.look(settings.ANY_ON_WILD)


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Return orders on who draws and who names the color."""
    if outcome["effect_stands"] and outcome["names_color"]:
        yield Order(Role.OFFENDER, "name-color")
    if outcome["offender_draws"]:
        yield Order(Role.OFFENDER, "draw", outcome["offender_draws"])


def verdict(outcome: Outcome, facts: Facts) -> Line:
    if outcome["legal"] is None:
        return line("verdicts.hand-unseen")
    if outcome["offender_draws"]:
        return drawing_verdict(outcome["offender_draws"])
    return line("verdicts.legal" if outcome["legal"] else "verdicts.illegal")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return a sentence on whether the Wild was right, and what being caught costs."""
    legal, stands, draws = outcome["legal"], outcome["effect_stands"], outcome["offender_draws"]
    if legal is None:
        if outcome["hand_unseen"]:
            yield line("unseen")
    elif legal:
        yield line("legal")
        if outcome["names_color"]:
            yield line("color-stands")
    elif facts.get(CAUGHT.key) is False:
        yield from (line("illegal"), line("not-caught"))
    else:
        yield line("illegal")
        if stands is not None:
            yield line("color-stands" if stands else "void")
        if draws is None:
            yield line("rest-draws")
        elif draws:
            yield line("draws", n=draws)


DISPUTE = Dispute(
    id="wild-with-match",
    facts=(CAUGHT, HAND, TOP_CARD, COLOR_IN_PLAY),
    outcome={
        "legal": legal,
        "offender_draws": offender_draws,
        "effect_stands": effect_stands,
        "may_keep_color": may_keep_color,
    },
    further={"hand_unseen": hand_unseen, "names_color": names_color},
    main=lambda facts: "legal",
    orders=orders,
    verdict=verdict,
    summary=summary,
    contradictions=color_contradictions,
    at_table=(parse_card(WILD),),
    parts=frozenset({Role.OFFENDER}),
    samples={
        HAND.key: lambda facts, rulebook: (
            Sample(["red-1"], example("a-card-of-the-color-in-play")),
            Sample(["blue-5"], example("a-card-of-the-same-number-or-symbol")),
            Sample(["blue-9"], example("neither")),
        ),
    },
    starts=((), ("hand",)),
)
