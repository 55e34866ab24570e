"""The deal: how many may play, how many cards each gets, and from which deck."""

from collections.abc import Iterable

from referee.rules.books import settings
from referee.rules.books.rulebook import TABLE_SIZES
from referee.rules.cards.decks import deck_of
from referee.rules.disputes.base import Dispute, Facts, Outcome, Sample
from referee.rules.disputes.facts import PLAYERS
from referee.rules.disputes.hearing import Hearing
from referee.rules.text.words import Line, line


def allowed(hearing: Hearing) -> bool:
    """Decide whether this many may play: by the bounds of the text, else where it provides for that very number."""
    if hearing.look(settings.PLAYERS_MIN) is not None:
        return hearing.ask(PLAYERS) in hearing.rulebook.players
    named = hearing.look(settings.PLAYERS_NAMED)
    if named is not None and hearing.ask(PLAYERS) in named:
        return True
    return hearing.read(settings.PLAYERS_MIN) <= hearing.ask(PLAYERS)


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


def verdict(outcome: Outcome, facts: Facts) -> Line:
    if not outcome["allowed"]:
        return line("verdicts.does-not-fit", n=facts["players"])
    return line("verdicts.cards-each", n=outcome["cards_each"]) if outcome["cards_each"] else line("verdicts.fits")


def summary(outcome: Outcome, facts: Facts) -> Iterable[Line]:
    """Return a sentence on whether this many may play, and what each player gets from which deck."""
    if outcome["allowed"] is False:
        yield line("not-for", n=facts["players"])
        return
    each, deck = outcome["cards_each"], outcome["deck_cards"]
    if each:
        yield line("each", n=each)
        if outcome["drafted"]:
            yield line("drafts")
    if deck is not None:
        yield line("deck", deck=deck)


DISPUTE = Dispute(
    id="deal",
    facts=(PLAYERS,),
    outcome={"allowed": allowed, "cards_each": cards_each, "deck_cards": deck_cards, "drafted": drafted},
    main=lambda facts: "allowed",
    verdict=verdict,
    summary=summary,
    any_players=True,
    samples={
        PLAYERS.key: lambda facts, rulebook: tuple(Sample(players, str(players)) for players in TABLE_SIZES),
    },
)
