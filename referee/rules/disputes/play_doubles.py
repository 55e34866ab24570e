"""Doubles: may cards alike be laid in one turn?"""

from collections.abc import Iterable

from referee.rules.books import settings
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, example
from referee.rules.disputes.effects import numbers_that_move
from referee.rules.disputes.facts import COLOR_IN_PLAY, TOP_CARD, cards
from referee.rules.disputes.hearing import Hearing, Silent, Uncolored
from referee.rules.disputes.play import allowed_or_not, color_contradictions, fits, take_back_or_go_on
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.problem import Problem
from referee.rules.text.words import Line, line

PLAYED = cards("played", "play-doubles", or_bare=True)


def legal(hearing: Hearing) -> bool:
    """Decide whether they may be laid: two alike that fit, or any number of one number of which one fits."""
    if not hearing.read(settings.PLAY_DOUBLES):
        return False
    played = hearing.ask(PLAYED)
    if any(card.face != played[0].face for card in played) or played[0].face.number is None:
        return False
    any_color = hearing.look(settings.DOUBLES_ANY_COLOR) is True
    if len(played) > 2 and not any_color:
        return False
    if any(card.is_bare for card in played):
        raise Uncolored(PLAYED)
    if any_color:
        return any(fits(hearing, card, PLAYED) for card in played)
    return played[0] == played[1] and fits(hearing, played[0], PLAYED)


def next_turn(hearing: Hearing) -> Role:
    """Decide whose turn follows; after wrong cards no text says which cards go back and who goes on."""
    if not hearing.decide("legal"):
        raise Silent("wrong-card")
    return Role.NEXT_PLAYER


def moves_hands(hearing: Hearing) -> bool:
    """Return whether the number moves hands; no text says whether each card does so."""
    return bool(hearing.decide("legal")) and hearing.ask(PLAYED)[0].face.number in numbers_that_move(hearing.rulebook)


def contradictions(facts: Facts) -> Iterable[Problem]:
    """Find one card alone, and a color that the top card rules out."""
    yield from color_contradictions(facts)
    if "played" in facts and len(facts["played"]) < 2:
        yield Problem.said(("facts", "played"), "double-is-two", cards=len(facts["played"]))


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return a sentence on whether the cards may be laid, and who goes on."""
    if outcome["legal"] is not None:
        yield line("allowed" if outcome["legal"] else "not-allowed")
        yield from take_back_or_go_on(outcome, facts)
    if outcome.get("moves_hands"):
        yield line("play-doubles.moves-hands")


DISPUTE = Dispute(
    id="play-doubles",
    facts=(PLAYED, TOP_CARD, COLOR_IN_PLAY),
    outcome={"legal": legal, "next_turn": next_turn},
    main=lambda facts: "legal",
    orders=take_back_or_go_on,
    verdict=allowed_or_not,
    summary=summary,
    contradictions=contradictions,
    parts=frozenset({Role.OFFENDER}),
    further={"moves_hands": moves_hands},
    samples={
        PLAYED.key: lambda facts, rulebook: (
            Sample(["red-5", "red-5"], example("the-same-number-and-color")),
            Sample(["red-7", "red-7"], example("two-sevens")),
            Sample(["red-5", "blue-5"], example("the-same-number-two-colors")),
            Sample(["red-5", "blue-5", "green-5"], example("the-same-number-three-colors")),
            Sample(["red-skip", "red-skip"], example("the-same-action-card-and-color")),
        ),
        TOP_CARD.key: lambda facts, rulebook: (
            Sample("red-9", example("a-card-of-the-same-color")),
            Sample("blue-5", example("the-same-number-in-another-color")),
            Sample("blue-9", example("a-card-with-nothing-in-common")),
            Sample("wild", example("a-wild")),
        ),
        COLOR_IN_PLAY.key: lambda facts, rulebook: (
            Sample("red", example("the-color-of-the-cards")),
            Sample("blue", example("another-color")),
        ),
    },
)
