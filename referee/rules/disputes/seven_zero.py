"""Seven-zero: does this card move hands?"""

from collections.abc import Iterable

from referee.rules.books import settings
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, example, named
from referee.rules.disputes.effects import hands_moved, has_numbers, swap_faces, swaps_hands
from referee.rules.disputes.facts import PLAYERS, card
from referee.rules.disputes.hearing import Hearing, Silent
from referee.rules.disputes.play import turn_after
from referee.rules.disputes.ruling import Order, Role
from referee.rules.disputes.wording import Heading
from referee.rules.text.words import Line, line, say

PLAYED = card("played", "seven-zero", colored=False)


def arises(hearing: Hearing) -> None:
    """Raise `Silent` in a box that has neither numbers nor a card of its own that swaps hands."""
    if not swap_faces(hearing.rulebook) and not has_numbers(hearing.rulebook):
        raise Silent("seven-zero", "no_seven_zero")


def hands(hearing: Hearing) -> str:
    """Decide whether two hands are swapped, all are passed on, or all stay.

    Where a box has a card of its own that swaps hands, and no rule on numbers, no other card moves any.
    """
    swapping = swap_faces(hearing.rulebook)
    if swapping and swaps_hands(hearing, hearing.ask(PLAYED).face):
        return "swap"
    if swapping and hearing.rulebook.find(settings.SEVEN_ZERO) is None:
        hearing.cite(f"card-{swapping[0]}")
        return "stay"
    if not hearing.read(settings.SEVEN_ZERO):
        return "stay"
    return hands_moved(hearing, hearing.ask(PLAYED).face)


def may_keep(hearing: Hearing) -> bool:
    """Return whether the swap is the choice of whoever laid the card."""
    return hearing.decide("hands") == "swap" and hearing.look(settings.SWAP_IS_OPTIONAL) is True


def without_numbers(hearing: Hearing) -> bool:
    """Return whether the box has neither a 7 nor a 0, nor any other number."""
    return not has_numbers(hearing.rulebook)


def called(rulebook: Rulebook) -> Heading | None:
    """Return the dispute by what it is about in a box without numbers."""
    if has_numbers(rulebook):
        return None
    return Heading(say("headings.no-numbers-title"), say("headings.no-numbers-lead"), say("headings.no-numbers-who"))


def between_two(hearing: Hearing) -> bool:
    """Return whether there is only one player to swap with."""
    return DISPUTE.is_between_two(hearing.facts, hearing.rulebook)


def next_turn(hearing: Hearing) -> Role:
    """Decide whose turn follows, which moving hands does not change."""
    hearing.decide("hands")
    return turn_after(hearing, hearing.ask(PLAYED))


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Return orders on who plays next."""
    if outcome["next_turn"] is not None:
        yield Order(outcome["next_turn"], "play-next")


def verdict(outcome: Outcome, facts: Facts) -> Line:
    return line(f"verdicts.hands-{'may-swap' if outcome['may_keep'] else outcome['hands']}")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return a sentence on what becomes of the hands."""
    if outcome["hands"] is not None:
        key = "may-swap" if outcome["may_keep"] else outcome["hands"]
        if key == "stay" and outcome["without_numbers"]:
            key = "stay-no-numbers"
        yield line(f"{key}-between-two" if outcome["between_two"] and key.endswith("swap") else key)


DISPUTE = Dispute(
    id="seven-zero",
    arises=arises,
    facts=(PLAYED, PLAYERS),
    outcome={"hands": hands, "next_turn": next_turn},
    further={"may_keep": may_keep, "between_two": between_two, "without_numbers": without_numbers},
    main=lambda facts: "hands",
    orders=orders,
    verdict=verdict,
    summary=summary,
    called=called,
    parts=frozenset({Role.SAME_PLAYER, Role.NEXT_PLAYER}),
    samples={
        PLAYED.key: lambda facts, rulebook: (
            named("7"),
            named("0"),
            Sample("5", example("another-number")),
            named("skip"),
            named("wild"),
            *(named(face) for face in swap_faces(rulebook)),
        ),
    },
)
