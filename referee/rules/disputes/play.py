"""What several disputes ask of a play: does the card fit, what may the hand not hold, whose turn follows."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from referee.rules.books import settings
from referee.rules.books.rulebook import number_drawn
from referee.rules.books.settings import OWN_FACES
from referee.rules.cards.cards import DRAW_TWO, REVERSE, SKIP, WILD, WILD_DRAW_FOUR, Card, color_name
from referee.rules.disputes.base import Facts, Outcome, Sample, a_card, example, named
from referee.rules.disputes.effects import has_clause, hits_next, turn_after_own
from referee.rules.disputes.facts import COLOR_IN_PLAY, PLAYERS, TOP_CARD, Fact
from referee.rules.disputes.hearing import Hearing, Silent, Uncolored
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.problem import Problem
from referee.rules.text.words import Line, line

Hand = tuple[Card, ...]
MATCHES_OF = {
    DRAW_TWO: settings.MATCHES.at("draw-two-on"),
    SKIP: settings.MATCHES.at("skip-on"),
}


def kinds_of_card() -> tuple[Sample, ...]:
    """Sample one card of each kind, for walking a hearing."""
    return (
        Sample("red-5", example("a-number")),
        Sample("red-skip", a_card("skip")),
        Sample("red-reverse", a_card("reverse")),
        Sample("red-draw-two", a_card("draw-two")),
        named("wild"),
        named("wild-draw-four"),
        Sample("blank", example("a-blank-or-another-extra-card")),
    )


def kinds_of_face() -> tuple[Sample, ...]:
    """Sample the same without colors, where they decide nothing."""
    number, skip, reverse, draw_two, *others = kinds_of_card()
    bare = (named(kind.value.removeprefix("red-")) for kind in (skip, reverse, draw_two))
    return replace(number, value="5"), *bare, *others


def color_in_play(hearing: Hearing) -> str:
    """Take the color in play from a colored top card, else ask which one was named."""
    if not hearing.given(COLOR_IN_PLAY) and hearing.given(TOP_CARD):
        color = hearing.ask(TOP_CARD).color
        if color is not None:
            return color
    return hearing.ask(COLOR_IN_PLAY)


def holds_color(hand: Hand, color: str) -> bool:
    """Return whether a hand holds a card of this color."""
    return any(card.color == color for card in hand)


def holds_symbol(hand: Hand, top: Card) -> bool:
    """Return whether a hand holds a colored card of the top card's number or symbol."""
    return any(card.face == top.face and card.color is not None for card in hand)


def holds_wild(hand: Hand) -> bool:
    """Return whether a hand holds a wild, blanks and special wilds of the classic box aside."""
    return any(card.face in (WILD, WILD_DRAW_FOUR) or (card.face.is_wild and card.face in OWN_FACES) for card in hand)


def fits(hearing: Hearing, card: Card, told: Fact[Any]) -> bool:
    """Decide whether a colored card fits the top card, by what the text lets it have in common.

    The color is read only where the number or symbol does not decide; `told` is the fact that named the card.
    """
    common = hearing.read(settings.MATCHES)
    if card.face in MATCHES_OF:
        common = hearing.look(MATCHES_OF[card.face]) or common
    top = hearing.ask(TOP_CARD)
    if "symbol" in common and card.face == top.face:
        return True
    if top.face.is_wild and hearing.look(settings.ANY_ON_WILD) and any_color_fits_on(hearing, top.face):
        return True
    if "color" in common and card.is_bare:
        raise Uncolored(told)
    return "color" in common and card.color == color_in_play(hearing)


def any_color_fits_on(hearing: Hearing, wild: str) -> bool:
    """Return whether any color fits on a wild, where a Wild names none; raises `Silent` if no clause says so."""
    return wild == WILD or (wild in OWN_FACES and hearing.read(settings.ANY_ON_WILD.at(f"card-{wild}")))


def wild_fits(hearing: Hearing, hand: Hand) -> bool:
    """Decide whether a Wild may be played from beside this hand."""
    barred_by = hearing.read(settings.WILD_BARRED_BY)
    if "color" in barred_by and holds_color(hand, color_in_play(hearing)):
        return False
    return not ("symbol" in barred_by and holds_symbol(hand, hearing.ask(TOP_CARD)))


def any_hand_will_do(hearing: Hearing) -> bool:
    """Return whether a Wild Draw Four is legal beside any hand, so that nobody needs to look at it."""
    bars = (settings.HELD_COLOR_BARS, settings.HELD_SYMBOL_BARS, settings.HELD_WILD_BARS)
    found = map(hearing.rulebook.found.__getitem__, bars)
    return not any(bar is None or bar[0] for bar in found)


def draw_four_fits(hearing: Hearing, hand: Hand) -> bool:
    """Decide whether a Wild Draw Four may be played from beside this hand."""
    if hearing.read(settings.HELD_COLOR_BARS) and hand and holds_color(hand, color_in_play(hearing)):
        return False
    if hearing.read(settings.HELD_SYMBOL_BARS) and hand and holds_symbol(hand, hearing.ask(TOP_CARD)):
        return False
    return not (hearing.read(settings.HELD_WILD_BARS) and holds_wild(hand))


def turn_after(hearing: Hearing, card: Card) -> Role:
    """Decide whose turn follows a card; `same-player` is the one who played it."""
    if card.face == SKIP:
        return Role(hearing.read(settings.TURN_AFTER.at("skip-two" if with_two(hearing) else "skip")))
    if card.face == REVERSE:
        return Role(hearing.read(settings.TURN_AFTER.at("reverse-two" if with_two(hearing) else "reverse")))
    if card.face == DRAW_TWO:
        hearing.read(settings.DRAW_TWO_TURN)
        return after_lost_turn(hearing)
    if card.face == WILD_DRAW_FOUR:
        if hearing.read(settings.DRAW_FOUR_TURN) == "offender-plays-again":
            return Role.SAME_PLAYER
        return after_lost_turn(hearing)
    if card.face == WILD:
        hearing.cite("wild-effect")
        hearing.cite("wild-when")
        return Role.NEXT_PLAYER
    if has_clause(hearing, card, "turn_after"):
        return turn_after_own(hearing, card.face)
    # No text gives a number card an effect of its own: it is matched, and play passes on.
    hearing.cite("matching")
    return Role.NEXT_PLAYER


def has_colors(hearing: Hearing) -> bool:
    """Return whether the box has colors to name; where it has none, the clause on what a Wild does says so."""
    if not hearing.rulebook.deck.colors:
        with suppress(Silent):
            hearing.cite("wild-effect")
        return False
    return True


def hand_unseen(hearing: Hearing) -> bool:
    """Return whether only the hand, which nobody saw, would say if the play was right."""
    return hearing.is_unseen("legal")


def can_be_stacked_on(hearing: Hearing, face: str) -> bool:
    """Return whether whoever a draw card hits may lay another like it instead of drawing."""
    if hearing.rulebook.value(settings.STACKS_UPWARD, False) and number_drawn(hearing.rulebook, face):
        return hearing.look(settings.STACKS_UPWARD) is True and hits_next(hearing.rulebook, face)
    if face == DRAW_TWO:
        return hearing.look(settings.STACKS.at("stacking-draw-two")) is True
    return face == WILD_DRAW_FOUR and hearing.look(settings.STACKS.at("stacking-draw-four")) is True


def after_lost_turn(hearing: Hearing) -> Role:
    """Return who plays when the next player has lost the turn."""
    return Role.SAME_PLAYER if with_two(hearing) else Role.PLAYER_AFTER_NEXT


def with_two(hearing: Hearing) -> bool:
    """Return whether two play, asking where the rulebook fits other numbers too."""
    return hearing.players(PLAYERS) == 2


def take_back_or_go_on(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Have a play that is not allowed taken back, the turn staying whose it was; else say who plays next."""
    if outcome["legal"] is False:
        yield Order(Role.OFFENDER, "take-back")
    elif outcome["next_turn"] is not None:
        yield Order(outcome["next_turn"], "play-next")


def allowed_or_not(outcome: Outcome, facts: Facts) -> Line:
    return line("verdicts.allowed" if outcome["legal"] else "verdicts.not-allowed")


def color_contradictions(facts: Facts) -> Iterable[Problem]:
    """Find a color in play that a colored top card rules out."""
    top, color = facts.get("top_card"), facts.get("color_in_play")
    if top is not None and top.color is not None and color is not None and top.color != color:
        path = ("facts", "color_in_play")
        yield Problem.said(path, "color-differs", card=top.label, color=color_name(top.color), given=color_name(color))
