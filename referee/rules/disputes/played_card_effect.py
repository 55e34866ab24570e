"""What does a card do once it is played, with this many players?"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from referee.rules import settings
from referee.rules.cards import Face
from referee.rules.disputes.base import Dispute, Facts, Outcome, Samples
from referee.rules.disputes.play import KINDS_OF_CARD, leave_extra_cards_open, turn_after, with_two
from referee.rules.facts import PLAYERS, card
from referee.rules.hearing import Hearing
from referee.rules.ruling import Order, Role, Voice, cards_count, sentence

PLAYED = card(
    "played",
    "Which card did {same-player|the player} play?",
    lambda value: f"{{same-player|the player}} played {value.indefinite}.",
)


def next_turn(hearing: Hearing) -> Role:
    """Decide whose turn follows."""
    return turn_after(hearing, hearing.ask(PLAYED))


def draws(hearing: Hearing) -> int:
    """Count the cards the next player draws."""
    played = hearing.ask(PLAYED)
    leave_extra_cards_open(hearing, played)
    if played.face is Face.DRAW_TWO:
        return hearing.read(settings.DRAW_TWO_DRAWS)
    if played.face is Face.WILD_DRAW_FOUR:
        return hearing.read(settings.DRAW_FOUR_DRAWS)
    return 0


def direction_changes(hearing: Hearing) -> bool:
    """Decide whether play turns round; with two, only where the text has no rule of its own for two."""
    played = hearing.ask(PLAYED)
    leave_extra_cards_open(hearing, played)
    if played.face is not Face.REVERSE:
        return False
    for_two = hearing.look(settings.TURNS_DIRECTION.at("reverse-two")) if with_two(hearing) else None
    return hearing.read(settings.TURNS_DIRECTION) if for_two is None else for_two


def orders(outcome: Outcome, facts: Facts) -> Iterable[Order]:
    """Say who draws and who plays next."""
    if outcome["draws"]:
        yield Order(Role.NEXT_PLAYER, "draw", outcome["draws"])
    if outcome["next_turn"] in (Role.SAME_PLAYER, Role.PLAYER_AFTER_NEXT):
        yield Order(Role.NEXT_PLAYER, "lose-turn")
    if outcome["next_turn"] is not None:
        yield Order(outcome["next_turn"], "play-next")


def verdict(outcome: Outcome, facts: Facts) -> str:
    """Say it in one or two words."""
    if outcome["draws"]:
        return f"Draw {outcome['draws']}"
    if outcome["next_turn"] is Role.SAME_PLAYER:
        return "Play again"
    if outcome["direction_changes"]:
        return "Other way"
    return "Skipped" if outcome["next_turn"] is Role.PLAYER_AFTER_NEXT else "Play on"


def summary(outcome: Outcome, facts: Facts, say: Voice) -> str:
    """Say the ruling in sentences to be read aloud."""
    said = []
    if outcome["draws"]:
        said.append(sentence(say(Role.NEXT_PLAYER), "draws", cards_count(outcome["draws"])))
    if outcome["direction_changes"]:
        said.append("Play goes on the other way round.")
    if outcome["next_turn"] is Role.NEXT_PLAYER:
        said.append(sentence("The turn passes to", say(Role.NEXT_PLAYER)))
    else:
        again = "plays again" if outcome["next_turn"] is Role.SAME_PLAYER else "plays next"
        said.append(sentence(say(outcome["next_turn"]), again))
    return " ".join(said)


SAMPLES: Samples = MappingProxyType(
    {
        PLAYED.key: lambda facts: KINDS_OF_CARD,
    }
)


DISPUTE = Dispute(
    id="played-card-effect",
    title="What a card does",
    lead="What does this card do with this many players?",
    facts=(PLAYED, PLAYERS),
    outcome=MappingProxyType({"next_turn": next_turn, "draws": draws, "direction_changes": direction_changes}),
    main=lambda facts: "next_turn",
    orders=orders,
    verdict=verdict,
    summary=summary,
    who="Who played the card",
    parts=MappingProxyType(
        {
            Role.SAME_PLAYER: "the player of the card",
            Role.PREVIOUS_PLAYER: "the player on the other side",
            Role.PLAYER_AFTER_NEXT: "the player after that",
        }
    ),
    samples=SAMPLES,
)
