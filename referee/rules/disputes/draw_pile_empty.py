"""The draw pile is empty: what now?"""

from collections.abc import Iterable

from referee.rules.books import settings
from referee.rules.disputes.base import Dispute, Facts, Outcome
from referee.rules.disputes.facts import yes_no
from referee.rules.disputes.hearing import Hearing, Silent
from referee.rules.disputes.ruling import Order, Role
from referee.rules.text.words import Line, line

CARDS_BENEATH = yes_no("cards_beneath", "draw-pile-empty")


def action(hearing: Hearing) -> str:
    """Decide whether play goes on with the discards, if there are any, or the round ends."""
    found = hearing.read(settings.DRAW_PILE_ACTION)
    if found == "reuse-discards" and not hearing.ask(CARDS_BENEATH):
        hearing.cite("both-piles-empty")
        raise Silent("both-piles-empty")
    return found


def _discards_are_reused(hearing: Hearing) -> None:
    """Leave open what becomes of discards that nobody uses again."""
    if hearing.decide("round_ends"):
        raise Silent("draw-pile-empty")


def keep_top_card(hearing: Hearing) -> bool:
    """Decide whether the top card of the discard pile stays."""
    _discards_are_reused(hearing)
    return hearing.read(settings.KEEP_TOP_CARD)


def shuffle(hearing: Hearing) -> str:
    """Decide whether the discards must be shuffled or may be."""
    _discards_are_reused(hearing)
    return hearing.read(settings.SHUFFLE)


def round_ends(hearing: Hearing) -> bool:
    """Decide whether the round is over."""
    return bool(hearing.decide("action") == "end-round")


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Order what has to be done."""
    if outcome["round_ends"]:
        yield Order(Role.NOBODY, "score-cards")


def verdict(outcome: Outcome, facts: Facts) -> Line:
    return line("verdicts.round-ends" if outcome["round_ends"] else "verdicts.reuse-discards")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line | Order]:
    """Return a sentence on whether the round ends, or what becomes of the discards."""
    if outcome["round_ends"]:
        yield line("round-ends")
        yield from orders(outcome, facts)
    elif outcome["action"] is not None:
        if outcome["launcher"]:
            yield line("refill-launcher")
        if outcome["keep_top_card"]:
            yield line("top-stays")
        if outcome["shuffle"]:
            yield line(f"shuffle-{outcome['shuffle']}")
        elif not outcome["launcher"]:
            yield line("turned-over")
        if outcome["keep_top_card"] is None:
            yield line("rest-top")


DISPUTE = Dispute(
    id="draw-pile-empty",
    facts=(CARDS_BENEATH,),
    assumed={CARDS_BENEATH.key: True},
    outcome={"action": action, "keep_top_card": keep_top_card, "shuffle": shuffle, "round_ends": round_ends},
    further={"launcher": lambda hearing: hearing.rulebook.has_launcher},
    main=lambda facts: "action",
    orders=orders,
    verdict=verdict,
    summary=summary,
)
