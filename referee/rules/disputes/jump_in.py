"""Jumping in: may a card equal to the top card be played out of turn?"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from referee.rules.books import settings
from referee.rules.cards.cards import DRAW_TWO, Card, Deck
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, a_card, example
from referee.rules.disputes.facts import PLAYERS, TOP_CARD, Fact, WrongAnswer, card
from referee.rules.disputes.hearing import Hearing, Silent, Uncolored
from referee.rules.disputes.play import allowed_or_not, take_back_or_go_on, turn_after
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.problem import Problem
from referee.rules.text.words import Line, line


def _played(deck: Deck | None = None) -> Fact[Card]:
    """Ask for the one card that was played, of a deck where one is given."""
    single = card("played", "jump-in", or_bare=True, deck=deck)

    def read(value: object) -> Card:
        if isinstance(value, Sequence) and not isinstance(value, str):
            if len(value) != 1:
                raise WrongAnswer(Problem.said((), "one-jumps-in", cards=len(value)))
            value = value[0]
        return single.parse(value)

    return replace(single, parse=read, of_deck=_played)


PLAYED = _played()


def legal(hearing: Hearing) -> bool:
    """Decide whether the card may jump in."""
    allowed = hearing.read(settings.JUMP_IN)
    if allowed == "never":
        return False
    top, played = hearing.ask(TOP_CARD), hearing.ask(PLAYED)
    if played.face != top.face:
        return False
    if played.is_bare:
        raise Uncolored(PLAYED)
    if played != top or (allowed == "same-number" and played.face.number is None):
        return False
    if played.color is None:
        raise Silent("jump-in")
    return True


def next_turn(hearing: Hearing) -> Role:
    """Decide whose turn follows: play goes on from who jumped in, else as if nothing had happened."""
    return turn_after(hearing, hearing.ask(PLAYED)) if hearing.decide("legal") else Role.NEXT_PLAYER


def draws(hearing: Hearing) -> int:
    """Count the cards that a Draw Two which jumped in makes the next player draw."""
    if not hearing.decide("legal") or hearing.ask(PLAYED).face != DRAW_TWO:
        return 0
    return hearing.read(settings.DRAW_TWO_DRAWS)


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Return orders on what is taken back, or what the card that jumped in does to the next player and who goes on."""
    if outcome["draws"]:
        yield Order(Role.NEXT_PLAYER, "draw", outcome["draws"])
    if outcome["legal"] and outcome["next_turn"] in (Role.SAME_PLAYER, Role.PLAYER_AFTER_NEXT):
        yield Order(Role.NEXT_PLAYER, "lose-turn")
    yield from take_back_or_go_on(outcome, facts)


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return a sentence on whether the card may jump in, and who goes on."""
    if outcome["legal"] is None:
        return
    yield line("allowed" if outcome["legal"] else "not-allowed")
    if not outcome["legal"]:
        yield Order(Role.OFFENDER, "take-back")
        yield line("goes-on")
    else:
        skipped = outcome["next_turn"] in (Role.SAME_PLAYER, Role.PLAYER_AFTER_NEXT)
        if outcome["draws"]:
            yield line("draws-skipped" if skipped else "draws", n=outcome["draws"])
        elif skipped:
            yield line("skipped")
        if outcome["next_turn"] is Role.PREVIOUS_PLAYER:
            yield line("turns")
        yield line("rest-next") if outcome["next_turn"] is None else Order(outcome["next_turn"], "play-next")


DISPUTE = Dispute(
    id="jump-in",
    facts=(TOP_CARD, PLAYED, PLAYERS),
    outcome={"legal": legal, "next_turn": next_turn},
    further={"draws": draws},
    main=lambda facts: "legal",
    orders=orders,
    verdict=allowed_or_not,
    summary=summary,
    parts=frozenset({Role.OFFENDER, Role.NEXT_PLAYER}),
    samples={
        TOP_CARD.key: lambda facts, rulebook: (
            Sample("red-5", example("a-number")),
            Sample("red-skip", a_card("skip")),
            Sample("red-reverse", a_card("reverse")),
            Sample("red-draw-two", a_card("draw-two")),
            Sample("wild", example("a-wild")),
        ),
        PLAYED.key: lambda facts, rulebook: (
            Sample(str(facts["top_card"]), example("exactly-this-card")),
            Sample("blue-9", example("another-card")),
        ),
    },
)
