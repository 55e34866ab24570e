"""The deal: how many may play, how many cards each gets, and from which deck."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from referee.rules import settings
from referee.rules.cards import deck_of
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample, Samples
from referee.rules.facts import PLAYERS
from referee.rules.hearing import Hearing
from referee.rules.rulebook import TABLE_SIZES
from referee.rules.ruling import Order, Voice


def allowed(hearing: Hearing) -> bool:
    """Decide whether this many may play."""
    hearing.read(settings.PLAYERS_MIN)
    return hearing.ask(PLAYERS) in hearing.rulebook.players


def cards_each(hearing: Hearing) -> int:
    """Count the cards of each hand at the start."""
    return hearing.read(settings.CARDS_EACH)


def deck_cards(hearing: Hearing) -> int:
    """Count the cards of the deck, of all decks shuffled together."""
    boxes = hearing.look(settings.BOXES)
    return deck_of(hearing.read(settings.DECK), boxes or 1).size


def drafted(hearing: Hearing) -> bool:
    """Decide whether the players draft their hands instead of being dealt them."""
    return hearing.read_effect(settings.DRAFTED, False)


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Order nothing: the deal is no penalty."""
    return ()


def verdict(outcome: Outcome, facts: Facts) -> str:
    """Say it in one or two words."""
    return "Fits" if outcome["allowed"] else "Does not fit"


def summary(outcome: Outcome, facts: Facts, say: Voice) -> str:
    """Say the ruling in a sentence to be read aloud."""
    if not outcome["allowed"]:
        return f"This rulebook is not for {facts['players']} players."
    return each_gets(outcome)


def each_gets(outcome: Outcome) -> str:
    """Say how many cards each player has at the start."""
    how = "drafts" if outcome["drafted"] else "gets"
    return f"Each player {how} {outcome['cards_each']} of the {outcome['deck_cards']} cards."


SAMPLES: Samples = MappingProxyType(
    {
        PLAYERS.key: lambda facts: tuple(Sample(players, str(players)) for players in TABLE_SIZES),
    }
)


DISPUTE = Dispute(
    id="deal",
    title="The deal",
    lead="How many cards does each player get?",
    facts=(PLAYERS,),
    outcome=MappingProxyType(
        {"allowed": allowed, "cards_each": cards_each, "deck_cards": deck_cards, "drafted": drafted}
    ),
    main=lambda facts: "allowed",
    orders=orders,
    verdict=verdict,
    summary=summary,
    besides=each_gets,
    any_players=True,
    samples=SAMPLES,
)
