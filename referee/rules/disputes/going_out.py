"""Going out: may this be the last card, and does it still make anyone draw?"""

from collections.abc import Iterable

from referee.rules.books import settings
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import OWN_FACES
from referee.rules.cards.cards import Face
from referee.rules.disputes import effects
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, example, named
from referee.rules.disputes.facts import card, yes_no
from referee.rules.disputes.hearing import Hearing
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.words import Line, line

LAST = card("last_card", "going-out", colored=False)


OVERLOADS = yes_no("overloads", "going-out")


def overloads(hearing: Hearing) -> bool:
    """Return whether the card overloaded its tray, in a box where that keeps the round going."""
    return hearing.look(settings.OVERLOAD_BARS) is True and hearing.ask(OVERLOADS)


def legal(hearing: Hearing) -> bool:
    """Decide whether a player may go out on this card."""
    barred_by_agreement = hearing.look(settings.GO_OUT_ON_ACTION.at("no-action-finish")) is False
    face = hearing.ask(LAST).face
    if hearing.decide("overloads"):
        return False
    of_card = hearing.look(settings.GO_OUT_ON_ACTION.at(f"card-{face}")) if face in OWN_FACES else None
    on_action = hearing.look(settings.GO_OUT_ON_ACTION) if of_card is None else of_card
    if face.number is not None:
        hearing.cite("goal")
        if face.number in effects.numbers_that_move(hearing.rulebook):
            hearing.read(settings.SEVEN_ZERO)
            return not _still_swaps(hearing)
        return True
    if barred_by_agreement or (face.is_wild and hearing.look(settings.GO_OUT_ON_WILD) is False):
        return False
    if on_action is None:
        on_action = hearing.read(settings.GO_OUT_ON_ACTION)
    if on_action and effects.moves_hands(hearing, face):
        hearing.cite(f"card-{face}")
        return not _still_swaps(hearing)
    if on_action and face not in OWN_FACES:
        effects.has_clause(hearing, hearing.ask(LAST))  # a blank or a wild that the table writes on may do anything
    return on_action


def _still_swaps(hearing: Hearing) -> bool:
    """Return whether a last card that moves hands still does; raises `Silent` where the text doesn't say."""
    return hearing.read(settings.LAST_CARD_SWAPS)


def swapped(hearing: Hearing) -> bool:
    """Return whether hands move for the last card, so that its player holds cards again."""
    face = hearing.ask(LAST).face
    moves = face.number in effects.numbers_that_move(hearing.rulebook) or effects.moves_hands(hearing, face)
    barred = face in OWN_FACES and hearing.look(settings.GO_OUT_ON_ACTION.at(f"card-{face}")) is False
    by_agreement = face.number is None and hearing.look(settings.GO_OUT_ON_ACTION.at("no-action-finish")) is False
    by_agreement |= face.is_wild and hearing.look(settings.GO_OUT_ON_WILD) is False
    return moves and not barred and not by_agreement and hearing.look(settings.LAST_CARD_SWAPS) is True


def _draw_card(hearing: Hearing) -> bool:
    """Return whether the card makes someone draw, if it may be the last one at all."""
    face = hearing.ask(LAST).face
    if face not in effects.draw_faces(hearing.rulebook):
        hearing.cite("goal")
        return False
    return hearing.settled("legal") is not False


def next_player_draws(hearing: Hearing) -> effects.Amount:
    """Count the cards the next player still draws for it."""
    if not _draw_card(hearing) or not hearing.read(settings.LAST_CARD_DRAWS):
        return 0
    return effects.draws_for(hearing, hearing.ask(LAST).face)


def drawn_cards_count(hearing: Hearing) -> bool:
    """Decide whether cards drawn for it count as points."""
    return _draw_card(hearing) and hearing.read(settings.LAST_CARD_COUNTS)


def everyone_draws(hearing: Hearing) -> bool:
    """Return whether every other player draws for it, and not the next alone."""
    face = hearing.ask(LAST).face
    return face in OWN_FACES and hearing.look(settings.EVERYONE_DRAWS.at(f"card-{face}")) is True


def turns_before_count(hearing: Hearing) -> bool | None:
    """Return whether everything turns over before the hands count; None for a card that turns nothing over.

    Raises `Silent` where the card does and the text doesn't say.
    """
    if not effects.turns_over(hearing, hearing.ask(LAST).face):
        return None
    return hearing.read(settings.TURNS_BEFORE_COUNT)


def everything_turns(hearing: Hearing) -> bool:
    """Return whether the card turns the piles and all hands over."""
    return effects.turns_over(hearing, hearing.ask(LAST).face)


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Order what still has to be done."""
    if outcome["overloads"] or outcome["swapped"]:
        return
    if outcome["legal"] is False:
        yield Order(Role.OFFENDER, "take-back")
        return
    who = Role.EVERYONE_ELSE if outcome["everyone_draws"] else Role.NEXT_PLAYER
    yield from effects.draw_orders(who, outcome["next_player_draws"])
    if outcome["legal"]:
        yield Order(Role.NOBODY, "score-cards")


def verdict(outcome: Outcome, facts: Facts) -> Line:
    """Return the verdict in one or two words."""
    if outcome["overloads"] or outcome["swapped"]:
        return line("verdicts.not-out")
    return line("verdicts.round-won" if outcome["legal"] else "verdicts.not-allowed")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return a sentence on whether the round is over, and whether anyone still draws."""
    if outcome["overloads"]:
        yield line("overloaded")
        return
    if outcome["swapped"]:
        yield line("swapped")
        return
    if outcome["legal"] is False:
        yield line("not-allowed")
        return
    if outcome["legal"]:
        yield line("allowed")
    if outcome["next_player_draws"]:
        yield from (order for order in orders(outcome, facts) if order.action != "score-cards")
        if outcome["drawn_cards_count"]:
            yield line("counts", n=outcome["next_player_draws"])
    elif outcome["next_player_draws"] is None and outcome["legal"]:
        yield line("rest-draws")
    if outcome["legal"] and outcome["everything_turns"]:
        turned = {True: "turned-first", False: "turned-not", None: "rest-turned"}
        yield line(turned[outcome["turns_before_count"]], card=facts["last_card"].face.label)


def _spoken_of(rulebook: Rulebook) -> Iterable[Face]:
    """List the faces of this box alone that matter as the last card: by their clause, or by what they do."""
    acting = {*effects.draw_faces(rulebook), *effects.swap_faces(rulebook)}
    for face in effects.faces_of(rulebook):
        if face in OWN_FACES:
            own = (settings.GO_OUT_ON_ACTION.at(f"card-{face}"), settings.TURNS_OVER.at(f"card-{face}"))
            if face in acting or any(rulebook.find(setting) for setting in own):
                yield face


DISPUTE = Dispute(
    id="going-out",
    facts=(LAST, OVERLOADS),
    outcome={"legal": legal, "next_player_draws": next_player_draws, "drawn_cards_count": drawn_cards_count},
    further={
        "overloads": overloads,
        "swapped": swapped,
        "everyone_draws": everyone_draws,
        "turns_before_count": turns_before_count,
        "everything_turns": everything_turns,
    },
    main=lambda facts: "legal",
    orders=orders,
    verdict=verdict,
    summary=summary,
    parts=frozenset({Role.OFFENDER, Role.NEXT_PLAYER, Role.EVERYONE_ELSE}),
    samples={
        LAST.key: lambda facts, rulebook: (
            Sample("5", example("a-number")),
            Sample("skip", example("a-skip-or-a-reverse")),
            named("draw-two"),
            named("wild"),
            named("wild-draw-four"),
            *(named(face) for face in _spoken_of(rulebook)),
        ),
    },
)
