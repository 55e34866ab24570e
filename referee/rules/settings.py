"""Every setting that a clause of a rulebook may carry, declared once.

A setting is what code may learn from a clause: a number, a permission, a word of a closed list.
`question` names the clause that carries it (clauses have the ids of the questions they answer), so
that a rulebook without it is silent on that very question. The loader refuses a setting that is not
declared here, and a test refuses one that no code reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Generic, TypeVar

T = TypeVar("T")


class WrongValue(ValueError):
    """A value that a setting cannot take; its message says what would be right."""


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One thing a clause may settle, and how its value is read from TOML."""

    name: str
    parse: Callable[[object], T]
    question: str
    doc: str


def whole(value: object) -> int:
    """Read a whole number, 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise WrongValue("must be a whole number, 0 or more")
    return value


def flag(value: object) -> bool:
    """Read a permission or a yes-or-no."""
    if not isinstance(value, bool):
        raise WrongValue("must be true or false")
    return value


def word(*allowed: str) -> Callable[[object], str]:
    """Read one word of a closed list."""

    def parse(value: object) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise WrongValue(f"must be one of {', '.join(allowed)}")
        return value

    return parse


def words(*allowed: str) -> Callable[[object], tuple[str, ...]]:
    """Read a list of words of a closed list, in the order given."""
    one = word(*allowed)

    def parse(value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            raise WrongValue(f"must be a list of words among {', '.join(allowed)}")
        return tuple(one(item) for item in value)

    return parse


def by_players(value: object) -> Mapping[int, int]:
    """Read a whole number for each number of players, ``{ 2 = 100, 3 = 200 }``."""
    if not isinstance(value, Mapping) or not value or not all(str(key).isdecimal() for key in value):
        raise WrongValue("must be a table of whole numbers by number of players, as in { 2 = 100, 3 = 200 }")
    return MappingProxyType({int(key): whole(item) for key, item in value.items()})


def whole_or_by_players(value: object) -> int | Mapping[int, int]:
    """Read a whole number, or one for each number of players."""
    return by_players(value) if isinstance(value, Mapping) else whole(value)


# --- players and deck ---------------------------------------------------------------------------

PLAYERS_MIN = Setting("players_min", whole, "players", "fewest players")
PLAYERS_MAX = Setting("players_max", whole, "players", "most players")
DECK = Setting("deck", word("108", "112-blank", "112-special"), "deck-size", "the deck in the box")
BOXES = Setting("boxes", whole, "deck-size", "how many decks are shuffled together, one where nothing is said")

# --- the deal and whose turn it is to deal -------------------------------------------------------

CARDS_EACH = Setting("cards_each", whole, "deal", "cards in each hand at the start")
DRAFTED = Setting("drafted", flag, "deal", "hands are drafted, not dealt, so that a round has a drafter and no dealer")
NEXT_STARTER = Setting("next_starter", word("alternates"), "next-starter", "who opens the later rounds")

# --- points, target and the end of a match -------------------------------------------------------

NUMBER_POINTS = Setting("number_points", word("face-value"), "points-numbers", "points of a number card")
ACTION_POINTS = Setting("action_points", whole, "points-actions", "points of a Skip, a Reverse or a Draw Two")
WILD_POINTS = Setting("wild_points", whole, "points-wild", "points of a Wild")
WILD_DRAW_FOUR_POINTS = Setting("wild_draw_four_points", whole, "points-draw-four", "points of a Wild Draw Four")
BLANK_POINTS = Setting("blank_points", whole, "points-special", "points of a blank card")
SHUFFLE_HANDS_POINTS = Setting("shuffle_hands_points", whole, "points-special", "points of a Wild Shuffle Hands")
CUSTOMIZABLE_POINTS = Setting("customizable_points", whole, "points-special", "points of a Wild Customizable")
AWARDS = Setting(
    "awards",
    word("winner-takes", "own-points"),
    "who-scores",
    "whether the one who goes out takes the points of all other hands, or each other player those of the own hand",
)
TARGET = Setting("target", whole_or_by_players, "target", "the total that ends the match")
WINS = Setting("wins", word("highest", "lowest"), "match-winner", "which total wins the match")
TIME_LIMIT_WINNER = Setting(
    "time_limit_winner", word("fewest-cards"), "time-limit", "who wins the match when the agreed time is up"
)
DRAW_PILE_ENDS_ROUND = Setting(
    "draw_pile_ends_round", flag, "end-when-draw-pile-empty", "an empty draw pile ends the round though nobody went out"
)
DRAW_TWO_DRAWS = Setting("draw_two_draws", whole, "draw-two-effect", "cards that a Draw Two makes its target draw")
LAST_CARD_COUNTS = Setting(
    "last_card_counts",
    flag,
    "last-card-draws",
    "cards drawn for a last card that is a Draw Two or Wild Draw Four count in the hand",
)

# --- Wild Draw Four and its challenge -----------------------------------------------------------

HELD_COLOR_BARS = Setting(
    "held_color_bars", flag, "draw-four-when", "a held card of the color in play makes the Wild Draw Four illegal"
)
HELD_SYMBOL_BARS = Setting(
    "held_symbol_bars",
    flag,
    "draw-four-same-symbol",
    "a held card of the same number or symbol makes the Wild Draw Four illegal",
)
HELD_WILD_BARS = Setting(
    "held_wild_bars", flag, "draw-four-other-wild", "another wild card held makes the Wild Draw Four illegal"
)
DRAW_FOUR_DRAWS = Setting("draw_four_draws", whole, "draw-four-effect", "cards the target draws")
DRAW_FOUR_TURN = Setting(
    "draw_four_turn",
    word("target-loses-turn", "offender-plays-again"),
    "draw-four-effect",
    "what becomes of the turn after the Wild Draw Four",
)
MAY_KEEP_COLOR = Setting("may_keep_color", flag, "wild-same-color", "the color in play may be named again")
CHALLENGERS = Setting(
    "challengers", words("target", "other"), "challenge-who", "who may challenge, or catch, the Wild Draw Four"
)
HAND_SHOWN_TO = Setting(
    "hand_shown_to", word("challenger", "everyone"), "challenge-shown", "who sees the challenged hand"
)
GUILTY_DRAWS = Setting("guilty_draws", whole, "challenge-guilty", "cards the offender draws when a challenge succeeds")
GUILTY_EFFECT_STANDS = Setting(
    "guilty_effect_stands", flag, "challenge-guilty", "the target draws although the challenge succeeded"
)
WRONG_CHALLENGE_DRAWS = Setting(
    "wrong_challenge_draws",
    whole,
    "challenge-innocent",
    "all cards a challenging target draws when the challenge fails",
)
GUILTY_NEXT_TURN = Setting(
    "guilty_next_turn",
    word("offender", "target", "player-after-next"),
    "challenge-guilty-after",
    "whose turn follows a successful challenge",
)
UNCHALLENGED_STANDS = Setting(
    "unchallenged_stands", flag, "unchallenged", "an illegal Wild Draw Four that nobody challenges has its effect"
)
LAST_CARD_CHALLENGE = Setting(
    "last_card_challenge", flag, "last-card-challenge", "a Wild Draw Four played as last card may be challenged"
)
LAST_CARD_DRAWS = Setting(
    "last_card_draws",
    flag,
    "last-card-draws",
    "the next player still draws for a last card that is a Draw Two or Wild Draw Four",
)


def declared() -> Mapping[str, Setting[object]]:
    """Collect every setting declared in this module by its name."""
    found = {value.name: value for value in globals().values() if isinstance(value, Setting)}
    return MappingProxyType(found)
