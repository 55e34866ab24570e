"""The first card turned over: what does it do, and who begins?"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from referee.rules.books import settings
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import OWN_FACES, Setting
from referee.rules.cards.cards import DRAW_TWO, REVERSE, SKIP, WILD, WILD_DRAW_FOUR, Card, Deck, side_name
from referee.rules.disputes.base import Dispute, Facts, Outcome
from referee.rules.disputes.effects import Amount, draw_orders, has_clause
from referee.rules.disputes.facts import PLAYERS, card
from referee.rules.disputes.hearing import Hearing
from referee.rules.disputes.play import kinds_of_face, with_two
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.problem import Problem
from referee.rules.text.words import Line, line

T = TypeVar("T")

TURNED = card("turned_card", "start-card", colored=False)
CLAUSE_OF = {
    SKIP: "start-skip",
    REVERSE: "start-reverse",
    DRAW_TWO: "start-draw-two",
    WILD: "start-wild",
    WILD_DRAW_FOUR: "start-draw-four",
}


def _clause(hearing: Hearing) -> str:
    """Return the clause that speaks of the card turned over, for this number of players."""
    turned: Card = hearing.ask(TURNED)
    by_itself = CLAUSE_OF.get(turned.face) in hearing.rulebook.clauses
    if turned.face.number is None and not by_itself and hearing.look(settings.CARD_RETURNED.at("start-action")):
        return "start-action"
    if turned.face.is_extra and turned.face not in OWN_FACES:
        has_clause(hearing, turned)
    speaks = hearing.rulebook.clauses.keys() & {"start-reverse", "start-reverse-two"}
    if turned.face == REVERSE and (speaks or hearing.given(PLAYERS)) and with_two(hearing):
        return "start-reverse-two"
    if turned.face in OWN_FACES:
        return f"start-card-{turned.face}"
    return CLAUSE_OF.get(turned.face, "start-number")


def _effect(hearing: Hearing, setting: Setting[T], none: T) -> T:
    """Read one effect of the card turned over; what its clause does not name, it does not do."""
    clause = _clause(hearing)
    if clause == "start-number":
        # No text gives a number card an effect; where one is silent on it, there is still nothing to do.
        hearing.cite(clause if clause in hearing.rulebook.clauses else "setup-piles")
        return none
    hearing.cite(clause)
    return hearing.read_effect(setting.at(clause), none) if clause in setting.carriers else none


def card_returned(hearing: Hearing) -> bool:
    """Decide whether the card goes back and another is turned over."""
    return _effect(hearing, settings.CARD_RETURNED, False)


def ignored(hearing: Hearing) -> bool:
    """Return whether the card is left out of account like every action card."""
    return _clause(hearing) == "start-action"


def first_to_play(hearing: Hearing) -> Role:
    """Decide who takes the first turn; nobody on a card that goes back."""
    if hearing.decide("card_returned"):
        return Role.NOBODY
    return Role(hearing.read(settings.FIRST_TO_PLAY.at(_clause(hearing))))


def first_player_draws(hearing: Hearing) -> Amount:
    """Count the cards the first player draws."""
    return _effect(hearing, settings.FIRST_PLAYER_DRAWS, 0)


def everyone_draws(hearing: Hearing) -> bool:
    """Return whether everyone but the dealer draws what the first player does."""
    return _effect(hearing, settings.EVERYONE_DRAWS, False)


def first_player_skipped(hearing: Hearing) -> bool:
    """Decide whether the first player loses the turn."""
    return _effect(hearing, settings.FIRST_PLAYER_SKIPPED, False)


def color_chosen_by(hearing: Hearing) -> Role:
    """Decide who names the first color; a wild that stays, in a box with colors, needs one."""
    if hearing.settled("card_returned"):
        return Role.NOBODY
    turned = hearing.ask(TURNED).face
    if turned.is_wild and turned in OWN_FACES and hearing.rulebook.deck.colors:
        return Role(hearing.read(settings.COLOR_CHOSEN_BY.at(_clause(hearing))))
    return Role(_effect(hearing, settings.COLOR_CHOSEN_BY, Role.NOBODY.value))


def direction(hearing: Hearing) -> str:
    """Decide which way round play begins."""
    clause = _clause(hearing)
    if clause in settings.DIRECTION.carriers:
        turned = hearing.look(settings.DIRECTION.at(clause))
        if turned is not None:
            return turned
    if clause != "start-number":
        hearing.cite(clause)
    return hearing.read(settings.DIRECTION)


def may_play_all_of_color(hearing: Hearing) -> bool:
    """Decide whether the first player may lay all cards of the color."""
    return _effect(hearing, settings.MAY_PLAY_ALL_OF_COLOR, False)


def covers_it(hearing: Hearing) -> bool:
    """Return whether the first player must play a card like the one turned over, or else press the launcher."""
    clause = hearing.rulebook.clauses.get(_clause(hearing))
    alone = clause is not None and clause.settings.keys() == {"first_to_play"}
    return alone and hearing.rulebook.has_launcher and hearing.ask(TURNED).face in OWN_FACES


def impossible(facts: Facts, rulebook: Rulebook, decks: Sequence[Deck]) -> Iterable[Problem]:
    """Find a card of a side on which no round starts."""
    turned, side = facts.get("turned_card"), rulebook.value(settings.START_SIDE, "")
    sides = [deck.sides[side] for deck in decks if side in deck.sides]
    if turned is not None and sides and all(deck.excess([turned]) for deck in sides):
        yield Problem.said(("facts", "turned_card"), "start-side", card=turned.face.label, side=side_name(side))


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Return orders on who does what."""
    if outcome["color_chosen_by"] not in (None, Role.NOBODY):
        yield Order(outcome["color_chosen_by"], "name-color")
    who = Role.EVERYONE_ELSE if outcome["everyone_draws"] else Role.FIRST_PLAYER
    yield from draw_orders(who, outcome["first_player_draws"])
    if outcome["first_player_skipped"]:
        yield Order(Role.FIRST_PLAYER, "lose-turn")
    if outcome["first_to_play"] not in (None, Role.NOBODY):
        yield Order(outcome["first_to_play"], "play-next")


def verdict(outcome: Outcome, facts: Facts) -> Line:
    if outcome["card_returned"]:
        return line("verdicts.turn-another")
    return line("verdicts.skipped" if outcome["first_player_skipped"] else "verdicts.play-on")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return a sentence on what the first card does, who names the color, and who begins."""
    if outcome["card_returned"]:
        yield line("ignored" if outcome["ignored"] else "returned")
        return
    if isinstance(outcome["first_player_draws"], str):
        yield line(f"draws-{outcome['first_player_draws']}{'-skipped' if outcome['first_player_skipped'] else ''}")
    elif outcome["everyone_draws"]:
        yield line("everyone-draws", n=outcome["first_player_draws"])
    elif outcome["first_player_draws"]:
        skipped = "draws-skipped" if outcome["first_player_skipped"] else "draws"
        yield line(skipped, n=outcome["first_player_draws"])
    elif outcome["first_player_skipped"]:
        yield line("skipped")
    if outcome["says"]:
        yield line("covers-it")
    if outcome["color_chosen_by"] is outcome["first_to_play"] is Role.FIRST_PLAYER:
        yield line("names-color-starts")
    else:
        yield from (order for order in orders(outcome, facts) if order.action in ("name-color", "play-next"))
    if outcome["color_chosen_by"] is None and outcome["card_returned"] is False:
        yield line("rest-color" if outcome["first_to_play"] else "open-color-first")
    if outcome["may_play_all_of_color"]:
        yield line("lays-color")
    if outcome["direction"] == "counterclockwise":
        yield line("counterclockwise")


DISPUTE = Dispute(
    id="start-card",
    facts=(TURNED, PLAYERS),
    outcome={
        "first_to_play": first_to_play,
        "first_player_draws": first_player_draws,
        "first_player_skipped": first_player_skipped,
        "color_chosen_by": color_chosen_by,
        "card_returned": card_returned,
        "direction": direction,
        "may_play_all_of_color": may_play_all_of_color,
    },
    further={"ignored": ignored, "everyone_draws": everyone_draws, "says": covers_it},
    main=lambda facts: "first_to_play",
    orders=orders,
    verdict=verdict,
    summary=summary,
    impossible=impossible,
    parts=frozenset({Role.FIRST_PLAYER, Role.PLAYER_AFTER_FIRST, Role.OTHER_PLAYER, Role.DRAFTER, Role.EVERYONE_ELSE}),
    samples={
        TURNED.key: lambda facts, rulebook: kinds_of_face(),
    },
)
