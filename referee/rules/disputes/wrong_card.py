"""A card was laid that does not fit: what happens to the card and to its player?"""

from collections.abc import Iterable
from typing import TypeVar

from referee.rules.books import settings
from referee.rules.books.settings import OWN_FACES, Setting
from referee.rules.cards.cards import Card
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, example, named
from referee.rules.disputes.effects import challenged_faces, drawing_verdict, has_clause
from referee.rules.disputes.facts import COLOR_IN_PLAY, TOP_CARD, card, yes_no
from referee.rules.disputes.hearing import Hearing, Unseen
from referee.rules.disputes.play import any_hand_will_do, color_contradictions, fits, hand_unseen
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.words import Line, line

T = TypeVar("T")

PLAYED = card("played", "wrong-card", or_bare=True)
NOTICED = yes_no("noticed", "wrong-card")


def legal(hearing: Hearing) -> bool:
    """Decide whether the card fitted; of a wild that depends on the hand, nobody can say without it."""
    played: Card = hearing.ask(PLAYED)
    if played.face not in OWN_FACES:
        has_clause(hearing, played)
    if played.face in challenged_faces(hearing.rulebook) and not any_hand_will_do(hearing):
        hearing.cite("draw-four-when")
        raise Unseen
    if played.face.is_wild and hearing.read(settings.WILD_BARRED_BY):
        raise Unseen
    return played.face.is_wild or fits(hearing, played, PLAYED)


def _penalty(hearing: Hearing, part: Setting[T], none: T) -> T:
    """Read a part of the penalty for a card that did not fit: nothing where it fitted or nobody noticed."""
    if hearing.decide("legal"):
        return none
    penalty = hearing.read(part)
    return penalty if hearing.ask(NOTICED) else none


def card_withdrawn(hearing: Hearing) -> bool:
    """Decide whether the card goes back to the hand."""
    return _penalty(hearing, settings.WRONG_CARD_WITHDRAWN, False)


def offender_draws(hearing: Hearing) -> int:
    """Count the cards drawn for it."""
    return _penalty(hearing, settings.WRONG_CARD_DRAWS, 0)


def offender_loses_turn(hearing: Hearing) -> bool:
    """Decide whether it costs the turn."""
    return _penalty(hearing, settings.WRONG_CARD_LOSES_TURN, False)


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Return orders on what becomes of the card and its player."""
    if outcome["card_withdrawn"]:
        yield Order(Role.OFFENDER, "take-back")
    if outcome["offender_draws"]:
        yield Order(Role.OFFENDER, "draw", outcome["offender_draws"])
    if outcome["offender_loses_turn"]:
        yield Order(Role.OFFENDER, "lose-turn")


def verdict(outcome: Outcome, facts: Facts) -> Line:
    if outcome["legal"] is None:
        return line("verdicts.hand-unseen")
    if outcome["offender_draws"]:
        return drawing_verdict(outcome["offender_draws"])
    return line("verdicts.right-card" if outcome["legal"] else "verdicts.wrong-card")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return a sentence on whether the card fits, and what it costs where it does not."""
    draws, back = outcome["offender_draws"], outcome["card_withdrawn"]
    if outcome["legal"] is None:
        if outcome["hand_unseen"]:
            yield line("unseen")
        return
    if outcome["legal"]:
        yield line("fits")
        return
    if facts.get(NOTICED.key) is False and draws == 0:
        yield line("not-noticed")
        return
    yield line("wrong")
    if draws:
        key = "back-draws" if back else "draws"
        yield line(f"{key}-skipped" if outcome["offender_loses_turn"] else key, n=draws)
    elif outcome["offender_loses_turn"]:
        yield line("back-skipped" if back else "skipped")
    elif back:
        yield line("takes-back")
    if outcome["offender_loses_turn"] is False:
        yield line("turn-stays")


DISPUTE = Dispute(
    id="wrong-card",
    facts=(PLAYED, TOP_CARD, COLOR_IN_PLAY, NOTICED),
    outcome={
        "legal": legal,
        "card_withdrawn": card_withdrawn,
        "offender_draws": offender_draws,
        "offender_loses_turn": offender_loses_turn,
    },
    further={"hand_unseen": hand_unseen},
    main=lambda facts: "offender_draws",
    orders=orders,
    verdict=verdict,
    summary=summary,
    contradictions=color_contradictions,
    parts=frozenset({Role.OFFENDER}),
    samples={
        PLAYED.key: lambda facts, rulebook: (
            Sample("red-5", example("a-number")),
            Sample("red-skip", example("an-action-card")),
            named("wild"),
            named("wild-draw-four"),
            Sample("blank", example("a-blank-or-another-extra-card")),
        ),
        TOP_CARD.key: lambda facts, rulebook: (
            Sample("red-9", example("a-card-of-the-same-color")),
            Sample(f"blue-{facts['played'].face}", example("the-same-number-or-symbol-in-another-color")),
            Sample("blue-9", example("a-card-with-nothing-in-common")),
            Sample("wild", example("a-wild")),
        ),
        COLOR_IN_PLAY.key: lambda facts, rulebook: (
            Sample("red", example("the-color-of-the-card")),
            Sample("blue", example("another-color")),
        ),
    },
)
