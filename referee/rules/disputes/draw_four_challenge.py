"""The Wild Draw Four: was it legal, and what becomes of a challenge?

The order of questions is the one the texts share: when the card may be played, who may challenge and
who then sees the hand, what a caught offender draws, what a wrong challenger draws, who plays next.
Everything a text settles differently is a setting of the clause that says so.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from referee.rules.books import settings
from referee.rules.cards.cards import WILD_DRAW_FOUR, Face
from referee.rules.cards.decks import face_named, parse_card
from referee.rules.disputes import draw_four_parts as parts
from referee.rules.disputes.base import Dispute
from referee.rules.disputes.effects import Amount, challenged_faces, disputed_faces, draws_for
from referee.rules.disputes.facts import COLOR_IN_PLAY, PLAYERS, TOP_CARD
from referee.rules.disputes.hearing import Hearing, Silent, Unseen
from referee.rules.disputes.play import (
    any_hand_will_do,
    hand_unseen,
    has_colors,
)
from referee.rules.disputes.ruling import Role

# --- the card -----------------------------------------------------------------------------------

T = TypeVar("T")
USUAL = face_named(WILD_DRAW_FOUR)
STACKED = (settings.STACKS.at("stacking-draw-four"), settings.STACKS_UPWARD)


def laid(hearing: Hearing) -> Face:
    """Return the card that was played; ask only if the box has several that may be challenged."""
    faces = disputed_faces(hearing.rulebook)
    return hearing.ask(parts.PLAYED).face if len(faces) > 1 else next(iter(faces), USUAL)


def _is_free(hearing: Hearing) -> bool:
    """Return whether the card is one that its box lets a player hold or play as they like."""
    return parts.PLAYED.key in hearing.facts and hearing.ask(parts.PLAYED).face not in challenged_faces(
        hearing.rulebook
    )


def draws_of_card(hearing: Hearing) -> Amount:
    """Return how many cards the target draws for it."""
    return draws_for(hearing, laid(hearing))


def _more(amount: Amount, extra: int) -> Amount:
    """Return an amount with so many cards more."""
    if isinstance(amount, int):
        return amount + extra
    return f"{amount}+{extra}" if extra else amount


def on_stack(hearing: Hearing) -> bool:
    """Return whether the Wild Draw Four that was challenged is stacked, or may be; asks where they are stacked."""
    stacks = next((each for each in STACKED if (found := hearing.rulebook.found[each]) and found[0]), None)
    if stacks is None or laid(hearing) != WILD_DRAW_FOUR:
        return False
    return hearing.read(stacks) and hearing.ask(parts.TOTAL) != draws_of_card(hearing)


def _stands_alone(hearing: Hearing) -> None:
    """Raise `Silent` on a challenged stack: no text says what becomes of the cards below."""
    if hearing.decide("on_stack"):
        raise Silent("challenge-stacked")


def draws_when_wrong(hearing: Hearing) -> Amount:
    """Count all cards that a challenging target draws when the challenge fails."""
    _stands_alone(hearing)
    extra = hearing.look(settings.WRONG_CHALLENGE_EXTRA)
    return hearing.read(settings.WRONG_CHALLENGE_DRAWS) if extra is None else _more(draws_of_card(hearing), extra)


def turn_after_card(hearing: Hearing) -> str:
    """Return what becomes of the turn after the card."""
    if laid(hearing) == WILD_DRAW_FOUR:
        return hearing.read(settings.DRAW_FOUR_TURN)
    skips = hearing.read(settings.CARD_SKIPS.at(f"card-{laid(hearing)}"))
    return "target-loses-turn" if skips == 1 else "offender-plays-again"


def arises(hearing: Hearing) -> None:
    """Raise `Silent` in a box with no card that may be challenged, and on a card of it that nobody would."""
    faces = disputed_faces(hearing.rulebook)
    if faces and (parts.PLAYED.key not in hearing.facts or hearing.ask(parts.PLAYED).face in faces):
        return
    barred_by = hearing.rulebook.find(settings.WILD_BARRED_BY)
    if barred_by is not None and not barred_by[0]:
        hearing.cite(settings.WILD_BARRED_BY.question)  # why nobody could challenge it
    raise Silent("challenge-who", "no_challenge")


# --- was it legal? ------------------------------------------------------------------------------


def legal(hearing: Hearing) -> bool:
    """Decide whether the Wild Draw Four might be played from the hand that was left."""
    if _is_free(hearing):
        return not hearing.read(settings.WILD_BARRED_BY)
    told = any(fact.key in hearing.facts for fact in (parts.HAND, *parts.HELD)) or any_hand_will_do(hearing)
    told = told or hearing.decide("is_last_card")
    if not told and not (hearing.ask(parts.CHALLENGED) and not _is_barred_from_challenging(hearing)):
        raise Unseen
    if hearing.read(settings.HELD_COLOR_BARS) and parts.held_color(hearing):
        return False
    if hearing.read(settings.HELD_SYMBOL_BARS) and parts.held_number_or_symbol(hearing):
        return False
    return not (hearing.read(settings.HELD_WILD_BARS) and parts.held_wild(hearing))


# --- the challenge ------------------------------------------------------------------------------


def challenge_allowed(hearing: Hearing) -> bool:
    """Decide whether whoever challenged has the right to; unchallenged, whether the target has it.

    Where no hand makes the card illegal and no clause gives anyone a challenge, there is none.
    """
    if hearing.decide("always_legal"):
        if _is_free(hearing):
            hearing.read(settings.WILD_BARRED_BY)
        else:
            hearing.read(settings.HELD_COLOR_BARS)
        return False
    allowed = hearing.read(settings.CHALLENGERS)
    challenger = _challenger(hearing) if hearing.ask(parts.CHALLENGED) else "target"
    if challenger not in allowed:
        return False
    return not hearing.decide("is_last_card") or hearing.read(settings.LAST_CARD_CHALLENGE)


def _challenger(hearing: Hearing) -> str:
    """Return who challenged; with two players there is only the target."""
    if parts.CHALLENGER.key not in hearing.facts and hearing.rulebook.players == range(2, 3):
        return "target"
    if PLAYERS.key in hearing.facts and hearing.facts[PLAYERS.key] == 2:
        return "target"
    return hearing.ask(parts.CHALLENGER)


def challenge_succeeds(hearing: Hearing) -> bool:
    """Decide whether the challenge succeeds: it was made, by right, against an illegal play."""
    if not hearing.ask(parts.CHALLENGED) or _is_barred_from_challenging(hearing):
        return False
    return not hearing.decide("legal") and bool(hearing.decide("challenge_allowed"))


def _is_barred_from_challenging(hearing: Hearing) -> bool:
    """Return whether the rules bar whoever challenged from it; silent ones bar nobody."""
    return hearing.settled("challenge_allowed") is False


def _challenge_fails(hearing: Hearing) -> bool:
    return (
        hearing.ask(parts.CHALLENGED)
        and bool(hearing.decide("challenge_allowed"))
        and not hearing.decide("challenge_succeeds")
    )


def offender_draws(hearing: Hearing) -> Amount:
    """Count the cards the offender draws: those of a successful challenge, else none."""
    if hearing.decide("challenge_succeeds"):
        _stands_alone(hearing)
        instead = hearing.look(settings.GUILTY_DRAWS_INSTEAD)
        return draws_of_card(hearing) if instead else hearing.read(settings.GUILTY_DRAWS)
    if not hearing.ask(parts.CHALLENGED):
        _stands_unchallenged(hearing)
    return 0


def challenger_draws(hearing: Hearing) -> Amount:
    """Count all cards the challenger draws because of this play."""
    if not hearing.ask(parts.CHALLENGED):
        return 0
    if hearing.decide("challenge_allowed") and _challenger(hearing) == "target":
        drawn: Amount = hearing.decide("target_draws")
        return drawn
    return draws_when_wrong(hearing) if _challenge_fails(hearing) else 0


def effect_stands(hearing: Hearing) -> bool:
    """Decide whether the target must draw for the Wild Draw Four; an effect that no clause names cannot stand."""
    return _card_counts(hearing) and draws_of_card(hearing) != 0


def _card_counts(hearing: Hearing) -> bool:
    """Return whether the card keeps its effect: as last card, after a challenge, or because nobody challenged."""
    if hearing.decide("is_last_card"):
        return hearing.read(settings.LAST_CARD_DRAWS)
    if hearing.ask(parts.CHALLENGED):
        if hearing.decide("challenge_succeeds"):
            _stands_alone(hearing)
            return hearing.read(settings.GUILTY_EFFECT_STANDS)
        return True
    return _stands_unchallenged(hearing)


def _stands_unchallenged(hearing: Hearing) -> bool:
    """Return whether a card that nobody challenged has its effect: by the rules, or because it was legal."""
    if hearing.rulebook.found[settings.UNCHALLENGED_STANDS] is None and hearing.decide("legal"):
        return True
    return hearing.read(settings.UNCHALLENGED_STANDS)


def target_draws(hearing: Hearing) -> Amount:
    """Count all cards the target draws: none, the effect of the card, or what a failed challenge costs."""
    if not hearing.decide("effect_stands"):
        return 0
    if hearing.decide("always_legal"):
        return draws_of_card(hearing)  # who challenged makes no difference
    if hearing.ask(parts.CHALLENGED) and _challenger(hearing) == "target" and _challenge_fails(hearing):
        return draws_when_wrong(hearing)
    return draws_of_card(hearing)


def next_turn(hearing: Hearing) -> Role:
    """Decide whose turn it is once everything is drawn."""
    if hearing.decide("is_last_card"):
        return Role.NOBODY
    if hearing.decide("challenge_succeeds"):
        return Role(hearing.read(settings.GUILTY_NEXT_TURN))
    failed = hearing.ask(parts.CHALLENGED) and not _is_barred_from_challenging(hearing)
    turn = hearing.read(settings.WRONG_CHALLENGE_TURN) if failed else turn_after_card(hearing)
    if turn == "offender-plays-again":
        return Role.OFFENDER
    return Role.OFFENDER if hearing.players(PLAYERS) == 2 else Role.PLAYER_AFTER_NEXT


def hand_shown_to(hearing: Hearing) -> str:
    """Decide who is shown the hand of the Wild Draw Four's player."""
    if not hearing.ask(parts.CHALLENGED) or not hearing.decide("challenge_allowed"):
        return "nobody"
    return hearing.read(settings.HAND_SHOWN_TO)


def may_keep_color(hearing: Hearing) -> bool:
    """Decide whether the color in play may be named again; a challenge, or the box, may leave no color to name."""
    if not has_colors(hearing):
        return False
    if (
        hearing.ask(parts.CHALLENGED)
        and hearing.decide("challenge_succeeds")
        and not hearing.read(settings.GUILTY_COLOR_STANDS)
    ):
        return False
    return hearing.read(settings.MAY_KEEP_COLOR)


OUTCOME: Mapping[str, Callable[[Hearing], Any]] = {
    "legal": legal,
    "challenge_allowed": challenge_allowed,
    "challenge_succeeds": challenge_succeeds,
    "effect_stands": effect_stands,
    "offender_draws": offender_draws,
    "target_draws": target_draws,
    "challenger_draws": challenger_draws,
    "next_turn": next_turn,
    "hand_shown_to": hand_shown_to,
    "may_keep_color": may_keep_color,
}


# --- what is certain although something else is open ---------------------------------------------


def certain_draws(hearing: Hearing) -> Amount:
    """Count the cards the target draws whatever else stays open: at least the card's own, if its effect stands."""
    if hearing.settled("effect_stands") is False:
        return 0
    total: Amount | None = hearing.settled("target_draws")
    return draws_of_card(hearing) if total is None else total


def target_loses_turn(hearing: Hearing) -> bool:
    """Decide whether the target loses the turn; by the card's own effect, where a challenge changes nothing."""
    if hearing.decide("is_last_card") or not hearing.decide("effect_stands"):
        return False
    return hearing.settled("next_turn") is not None or bool(turn_after_card(hearing))


def color_stands(hearing: Hearing) -> bool | str | None:
    """Decide whether the color named with a card that was wrong counts; a box may have no colors."""
    if not hearing.rulebook.deck.colors:
        return "no-color"
    return hearing.look(settings.GUILTY_COLOR_STANDS) if hearing.settled("challenge_succeeds") else None


def hand_shown(hearing: Hearing) -> bool:
    """Decide whether the hand must be shown at all, even if it stays open who may look."""
    if not hearing.ask(parts.CHALLENGED) or not hearing.decide("challenge_allowed"):
        return False
    return hearing.settled("hand_shown_to") is not None or hearing.read(settings.HAND_IS_SHOWN)


def always_legal(hearing: Hearing) -> bool:
    """Return whether no hand makes the card illegal and no clause gives anyone a challenge."""
    if hearing.rulebook.found[settings.CHALLENGERS] is not None:
        return False
    return laid(hearing) not in challenged_faces(hearing.rulebook) or any_hand_will_do(hearing)


FURTHER: Mapping[str, Callable[[Hearing], Any]] = {
    "certain_draws": certain_draws,
    "target_loses_turn": target_loses_turn,
    "hand_shown": hand_shown,
    "color_stands": color_stands,
    "hand_unseen": hand_unseen,
    "laid": laid,
    "is_last_card": parts.is_last_card,
    "on_stack": on_stack,
    "always_legal": always_legal,
}
DISPUTE = Dispute(
    id="draw-four-challenge",
    facts=(parts.PLAYED, parts.CHALLENGED, parts.CHALLENGER, *parts.HELD, COLOR_IN_PLAY, TOP_CARD, parts.TOTAL),
    volunteered=(parts.HAND, parts.LAST_CARD),
    arises=arises,
    outcome=OUTCOME,
    further=FURTHER,
    assumed={parts.TOTAL.key: parts.UNKNOWN},
    main=lambda facts: "legal",
    orders=parts.orders,
    verdict=parts.verdict,
    summary=parts.summary,
    contradictions=parts.contradictions,
    impossible=parts.impossible,
    finds=parts.finds,
    at_table=(parse_card(WILD_DRAW_FOUR),),
    counted_within=(parts.PLAYED.key,),
    called=parts.called,
    parts=frozenset({Role.OFFENDER, Role.TARGET, Role.CHALLENGER, Role.PLAYER_AFTER_NEXT}),
    samples=parts.SAMPLES,
    starts=((), ("hand",), ("last_card",)),
)
