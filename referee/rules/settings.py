"""Every setting that a clause of a rulebook may carry, declared once.

A setting is what code may learn from a clause: a number, a permission, a word of a closed list.
`question` names the clause that carries it (clauses have the ids of the questions they answer), so
that a rulebook without it is silent on that very question. The loader refuses a setting that is not
declared here, and a test refuses one that no code reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Generic, TypeVar

from referee.rules import decks
from referee.rules.words import say

T = TypeVar("T")
OWN_FACES = decks.own_faces()
CARD_CLAUSES = tuple(f"card-{face}" for face in OWN_FACES)
"""The clauses that settle what a face does which another box than the classic one holds, ``card-flip``."""
OWN_START_CLAUSES = tuple(f"start-card-{face}" for face in OWN_FACES)
"""The clauses that say what such a face does as the first card, ``start-card-flip``."""
SIDES = tuple(dict.fromkeys(side for deck in decks.decks().values() for side in deck.sides))
"""The sides that cards may have."""


class WrongValue(ValueError):
    """A value that a setting can't take; the message says what would be right."""

    @classmethod
    def said(cls, key: str, **places: object) -> WrongValue:
        """Return what is wrong, as a sentence of the catalogue, by its key in the table of values."""
        return cls(say(f"values.{key}", **places))


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One thing a clause may settle, and how its value is read from TOML.

    `question` is the id of the clause that carries it; `also` are further clauses that may carry the
    same thing, each for its own case, and `at` reads it there.
    """

    name: str
    parse: Callable[[object], T]
    question: str
    doc: str
    also: tuple[str, ...] = ()

    @property
    def carriers(self) -> frozenset[str]:
        """Return every clause that may carry this setting."""
        return frozenset({self.question, *self.also})

    def at(self, question: str) -> Setting[T]:
        """Return the same setting as another of its clauses carries it."""
        if question not in self.carriers:
            raise ValueError(f"{self.name} is not carried by {question}")
        return replace(self, question=question)


def whole(value: object) -> int:
    """Read a whole number, 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise WrongValue.said("whole")
    return value


def wholes(value: object) -> tuple[int, ...]:
    """Read a list of whole numbers."""
    if not isinstance(value, list | tuple):
        raise WrongValue.said("wholes")
    return tuple(whole(item) for item in value)


def flag(value: object) -> bool:
    """Read a permission or a yes-or-no."""
    if not isinstance(value, bool):
        raise WrongValue.said("flag")
    return value


@dataclass(frozen=True, slots=True)
class Word:
    """Reads one word of a closed list."""

    allowed: tuple[str, ...]

    def __call__(self, value: object) -> str:
        """Read the word; raises `WrongValue`."""
        if not isinstance(value, str) or value not in self.allowed:
            raise WrongValue.said("word", choices=", ".join(self.allowed))
        return value


@dataclass(frozen=True, slots=True)
class Words:
    """Reads a list of words of a closed list, in the order given."""

    allowed: tuple[str, ...]

    def __call__(self, value: object) -> tuple[str, ...]:
        """Read the list; raises `WrongValue`."""
        if not isinstance(value, list | tuple):
            raise WrongValue.said("words", choices=", ".join(self.allowed))
        return tuple(map(Word(self.allowed), value))


@dataclass(frozen=True, slots=True)
class WholeOrWord:
    """Reads a whole number, or one word of a closed list instead."""

    allowed: tuple[str, ...]

    def __call__(self, value: object) -> int | str:
        """Read the number or the word; raises `WrongValue`."""
        if isinstance(value, str) and value in self.allowed:
            return value
        try:
            return whole(value)
        except WrongValue:
            raise WrongValue.said("whole-or-word", choices=", ".join(self.allowed)) from None


@dataclass(frozen=True, slots=True)
class FacePoints:
    """Reads the points of faces by their id, ``{ draw-one = 10 }``; a rulebook names only faces of its deck."""

    def __call__(self, value: object) -> Mapping[str, int]:
        """Read the table; raises `WrongValue`."""
        if not isinstance(value, Mapping) or not value or not all(isinstance(key, str) for key in value):
            raise WrongValue.said("face-points")
        unknown = next((key for key in value if not decks.is_face(key)), None)
        if unknown is not None:
            raise WrongValue.said("face-unknown", face=unknown[:40])
        return MappingProxyType({key: whole(points) for key, points in value.items()})


def word(*allowed: str) -> Word:
    """Read one word of a closed list."""
    return Word(allowed)


def words(*allowed: str) -> Words:
    """Read a list of words of a closed list, in the order given."""
    return Words(allowed)


def by_players(value: object) -> Mapping[int, int]:
    """Read a whole number for each number of players, ``{ 2 = 100, 3 = 200 }``."""
    if not isinstance(value, Mapping) or not value or not all(str(key).isdecimal() for key in value):
        raise WrongValue.said("by-players")
    return MappingProxyType({int(key): whole(item) for key, item in value.items()})


def whole_or_by_players(value: object) -> int | Mapping[int, int]:
    """Read a whole number, or one for each number of players."""
    return by_players(value) if isinstance(value, Mapping) else whole(value)


# --- players and deck ---------------------------------------------------------------------------

PLAYERS_MIN = Setting("players_min", whole, "players", "fewest players")
PLAYERS_MAX = Setting("players_max", whole, "players", "most players")
DECK = Setting("deck", word(*decks.IDS), "deck-size", "the deck in the box")
BOXES = Setting("boxes", whole, "deck-size", "how many decks are shuffled together, one where nothing is said")
PLAYERS_NAMED = Setting(
    "players_named", wholes, "two-player-rest", "numbers of players that a text provides for though it sets no bounds"
)

# --- the deal and whose turn it is to deal -------------------------------------------------------

CARDS_EACH = Setting("cards_each", whole, "deal", "cards in each hand at the start")
DRAFTED = Setting("drafted", flag, "deal", "hands are drafted, not dealt, so that a round has a drafter and no dealer")

# --- points, target and the end of a match -------------------------------------------------------

NUMBER_POINTS = Setting(
    "number_points",
    WholeOrWord(("face-value",)),
    "points-numbers",
    "points of a number card: what is printed on it, or one value for all",
)
ACTION_POINTS = Setting(
    "action_points", whole, "points-actions", "points of a colored card without a number, where it has none of its own"
)
FACE_POINTS = Setting(
    "face_points",
    FacePoints(),
    "points-special",
    "points of single faces by their id, before those of their group",
    also=("points-numbers", "points-actions", "points-wild", "points-draw-four"),
)
WILD_POINTS = Setting("wild_points", whole, "points-wild", "points of a Wild")
WILD_DRAW_FOUR_POINTS = Setting("wild_draw_four_points", whole, "points-draw-four", "points of a Wild Draw Four")
BLANK_POINTS = Setting("blank_points", whole, "points-special", "points of a blank card")
SHUFFLE_HANDS_POINTS = Setting("shuffle_hands_points", whole, "points-special", "points of a Wild Shuffle Hands")
CUSTOMIZABLE_POINTS = Setting("customizable_points", whole, "points-special", "points of a Wild Customizable")
AWARDS = Setting(
    "awards",
    word("winner-takes", "own-points", "own-points-off", "one-point", "by-rank"),
    "who-scores",
    "whether the one who goes out takes the points of all other hands, or one point; or each other player takes, or "
    "loses, those of their own hand; or everyone takes points by rank, the lightest hand first",
)
RANK_POINTS = Setting(
    "rank_points", wholes, "who-scores", "points by rank in a round: of the one who goes out, of the lightest hand, …"
)
TIED_RANKS = Setting(
    "tied_ranks",
    word("better-rank", "lower-rank", "split"),
    "who-scores",
    "what equal hands score where points go by rank: each the points of the better of their ranks, each those of the "
    "lower one, or the sum of their ranks in equal parts, rounded down; the better rank where nothing is said",
)
OPENING_TOTAL = Setting("opening_total", whole, "who-scores", "points with which everyone starts a match")
REMATCH_HANDICAP = Setting(
    "rematch_handicap", whole, "who-scores", "points by which the winner of a match starts its rematch behind"
)
TARGET = Setting("target", whole_or_by_players, "target", "the total that ends the match")
WINS = Setting("wins", word("highest", "lowest"), "match-winner", "which total wins the match")
AT_TARGET = Setting(
    "at_target",
    word("match-ends", "player-is-out"),
    "target",
    "what a total does that reaches the target: it ends the match, or puts its player out until one is left",
)
ROUNDS_TO_PLAY = Setting("rounds_to_play", whole, "target", "rounds after which the match ends")
KNOCKED_OUT_AT = Setting(
    "knocked_out_at", whole, "mercy-rule", "cards in a hand that put its player out of the round, the hand uncounted"
)
KNOCK_OUT_CHECKED = Setting(
    "knock_out_checked",
    word("every-card", "turn-end"),
    "mercy-rule",
    "when a hand is held against that number: at every card, so that no more are drawn, or at the end of a turn",
)
KNOCKED_OUT_HAND = Setting(
    "knocked_out_hand",
    word("set-aside", "discarded"),
    "mercy-rule",
    "where the hand of a player who is out goes: aside, until the discards are shuffled, or to the discards at once",
)
KNOCK_OUT_BONUS = Setting(
    "knock_out_bonus", whole, "who-scores", "points for each player knocked out, to the one who wins the round"
)
LAST_LEFT_WINS = Setting(
    "last_left_wins", flag, "round-end", "a round ends when all others are knocked out, and the one left has won it"
)
PARTNERS = Setting("partners", flag, "who-scores", "partners play against the others, and their points are one total")
PARTNER_HAND_COUNTS = Setting(
    "partner_hand_counts", flag, "who-scores", "what one's own partner holds counts as well as what the opponents hold"
)
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
MAY_BE_BLUFFED = Setting(
    "may_be_bluffed",
    flag,
    "draw-four-when",
    "a Wild Draw Four that a challenge would find wrong may be laid all the same",
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
HAND_IS_SHOWN = Setting(
    "hand_is_shown", flag, "challenge-shown", "the challenged hand is shown, though the text names nobody who sees it"
)
GUILTY_DRAWS = Setting("guilty_draws", whole, "challenge-guilty", "cards the offender draws when a challenge succeeds")
GUILTY_DRAWS_INSTEAD = Setting(
    "guilty_draws_instead",
    flag,
    "challenge-guilty",
    "the offender draws what the card makes the target draw, when a challenge succeeds",
)
GUILTY_EFFECT_STANDS = Setting(
    "guilty_effect_stands", flag, "challenge-guilty", "the target draws although the challenge succeeded"
)
WRONG_CHALLENGE_DRAWS = Setting(
    "wrong_challenge_draws",
    whole,
    "challenge-innocent",
    "all cards a challenging target draws when the challenge fails",
)
WRONG_CHALLENGE_EXTRA = Setting(
    "wrong_challenge_extra",
    whole,
    "challenge-innocent",
    "cards a challenging target draws besides those of the card when the challenge fails",
)
GUILTY_NEXT_TURN = Setting(
    "guilty_next_turn",
    word("offender", "target", "player-after-next"),
    "challenge-guilty-after",
    "whose turn follows a successful challenge",
)
GUILTY_COLOR_STANDS = Setting(
    "guilty_color_stands", flag, "challenge-guilty-after", "the color named stays in play after a successful challenge"
)
WRONG_CHALLENGE_TURN = Setting(
    "wrong_challenge_turn",
    word("target-loses-turn", "offender-plays-again"),
    "challenge-innocent-turn",
    "what becomes of the turn when the challenge fails",
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

# --- playing and drawing ------------------------------------------------------------------------

MATCHES = Setting(
    "matches",
    words("color", "symbol"),
    "matching",
    "what a card may have in common with the top card (a number is its symbol)",
    also=("draw-two-on", "skip-on"),
)
MAY_DECLINE = Setting("may_decline", flag, "declining", "a card that fits may be held back")
DRAWS_UNTIL_PLAYABLE = Setting(
    "draws_until_playable", flag, "draw-one", "drawing goes on until a card fits, instead of ending after one"
)
DRAWS_INSTEAD = Setting("draws_instead", whole, "draw-one", "how many cards are drawn instead of playing one")
DRAW_UNIT = Setting(
    "draw_unit",
    word("cards", "presses"),
    "draw-one",
    "what whoever draws counts: cards, or presses on a launcher that fires any number of them",
)
DRAWN_CARD = Setting(
    "drawn_card",
    word("may-be-played", "must-be-played", "is-kept"),
    "drawn-card",
    "what becomes of a drawn card that fits",
)
OTHER_CARD_AFTER_DRAWING = Setting(
    "other_card_after_drawing", flag, "after-drawing", "after drawing, a card that was in the hand may be played"
)
ANY_ON_WILD = Setting(
    "any_on_wild",
    flag,
    "wild-effect",
    "no color is named with the wild: the next player may lay any color on it",
    also=CARD_CLAUSES,
)
WILD_BARRED_BY = Setting(
    "wild_barred_by",
    words("color", "symbol"),
    "wild-when",
    "what a held card may not have in common with the top card when a Wild is played",
)
CAUGHT_WILD_DRAWS = Setting("caught_wild_draws", whole, "wild-caught", "cards drawn for a Wild played wrongly")
CAUGHT_WILD_STANDS = Setting(
    "caught_wild_stands", flag, "wild-caught", "a Wild played wrongly and caught has its effect"
)
WRONG_CARD_DRAWS = Setting("wrong_card_draws", whole, "wrong-card", "cards drawn for a wrong card that is noticed")
WRONG_CARD_WITHDRAWN = Setting(
    "wrong_card_withdrawn", flag, "wrong-card", "a wrong card that is noticed goes back to the hand"
)
WRONG_CARD_LOSES_TURN = Setting(
    "wrong_card_loses_turn", flag, "wrong-card", "a wrong card that is noticed costs the turn"
)

# --- calling Uno --------------------------------------------------------------------------------

UNO_MOMENTS = Setting(
    "uno_moments",
    words("before-playing", "while-playing", "after-playing"),
    "uno-when",
    "at which moments the call for the last card but one is in time",
)
UNO_UNTIL = Setting(
    "uno_until",
    word("next-turn", "caught"),
    "uno-deadline",
    "what ends the time for calling and for catching: the next player's turn, or only being caught",
)
UNO_LATE_CALL_FREE = Setting(
    "uno_late_call_free", flag, "uno-self-correction", "who calls late, but before being caught, draws nothing"
)
UNO_CAUGHT_BY = Setting(
    "uno_caught_by", word("players", "nobody"), "uno-who-catches", "who must notice a missed call, if anyone"
)
UNO_PENALTY = Setting("uno_penalty", whole, "uno-penalty", "cards drawn for a missed call")
UNO_UNNOTICED_FREE = Setting(
    "uno_unnoticed_free", flag, "uno-unnoticed", "a missed call that nobody notices costs nothing"
)
UNO_FALSE_ACCUSATION = Setting(
    "uno_false_accusation", whole, "uno-false-accusation", "cards drawn by who accuses wrongly"
)
UNO_BY_TAPPING = Setting("uno_by_tapping", flag, "uno-how", "Uno is called by tapping the table, not by the word")

# --- what cards do ------------------------------------------------------------------------------

TURN_AFTER = Setting(
    "turn_after",
    word("next-player", "same-player", "player-after-next", "previous-player"),
    "skip",
    "whose turn follows the card",
    also=("skip-two", "reverse", "reverse-two"),
)
TURNS_DIRECTION = Setting(
    "turns_direction", flag, "reverse", "the card turns the direction of play", also=("reverse-two", *CARD_CLAUSES)
)
DRAW_TWO_TURN = Setting(
    "draw_two_turn", word("target-loses-turn"), "draw-two-effect", "what becomes of the turn after the Draw Two"
)
CARD_DRAWS = Setting(
    "card_draws",
    WholeOrWord(("until-color", "until-fired")),
    CARD_CLAUSES[0],
    "cards that a card of this box makes the next player draw: a number, until the color named comes, or until a "
    "launcher fires",
    also=CARD_CLAUSES[1:],
)
CARD_SKIPS = Setting(
    "card_skips",
    WholeOrWord(("everyone",)),
    CARD_CLAUSES[0],
    "how many players in turn order a card of this box skips",
    also=CARD_CLAUSES[1:],
)
DISCARDS_COLOR = Setting(
    "discards_color",
    flag,
    CARD_CLAUSES[0],
    "whoever plays the card lays down every other card of its color with it",
    also=CARD_CLAUSES[1:],
)
CHOSEN_DRAWS = Setting(
    "chosen_draws",
    flag,
    CARD_CLAUSES[0],
    "whoever plays the card chooses who draws for it",
    also=CARD_CLAUSES[1:],
)
EVERYONE_DRAWS = Setting(
    "everyone_draws",
    flag,
    CARD_CLAUSES[0],
    "every other player draws for the card; as the first card, everyone but the dealer",
    also=(*CARD_CLAUSES[1:], *OWN_START_CLAUSES),
)
DARE_INSTEAD = Setting(
    "dare_instead",
    flag,
    CARD_CLAUSES[0],
    "whoever must draw for the card may do a dare instead, and draws as many for failing it",
    also=CARD_CLAUSES[1:],
)
SWAPS_HANDS = Setting(
    "swaps_hands",
    flag,
    CARD_CLAUSES[0],
    "whoever plays the card must swap hands with a player they choose",
    also=CARD_CLAUSES[1:],
)
CHALLENGEABLE = Setting(
    "challengeable",
    flag,
    CARD_CLAUSES[0],
    "the card may be played only by a hand that a challenge finds right, like a Wild Draw Four",
    also=CARD_CLAUSES[1:],
)
TURNS_OVER = Setting(
    "turns_over",
    flag,
    CARD_CLAUSES[0],
    "the card turns the piles and all hands over to the other side",
    also=CARD_CLAUSES[1:],
)
STACKS_UPWARD = Setting(
    "stacks_upward",
    flag,
    "stacking-mixed",
    "a draw card is answered with one that makes draw as many cards as the last one, or more",
)
STACK_OVER = Setting(
    "stack_over",
    word("last-card", "whole-stack"),
    "stacking-mixed",
    "what a draw card in answer must at least make draw: as many cards as the last one, or as are due in all",
)
STACKS = Setting(
    "stacks",
    flag,
    "stacking-draw-two",
    "the draw card may be answered with one like it (or, mixed, with the other kind)",
    also=("stacking-draw-four", "stacking-mixed"),
)
STACK_ENDS_TURN = Setting("stack_ends_turn", flag, "stack-total", "whoever draws a stack loses the turn")

# --- the first card -----------------------------------------------------------------------------

START_SIDE = Setting("start_side", word(*SIDES), "special-cards", "the side of the cards on which every round starts")
START_CLAUSES = (
    "start-skip", "start-reverse", "start-reverse-two", "start-draw-two", "start-wild", "start-draw-four",
    *OWN_START_CLAUSES,
)  # fmt: skip
FIRST_TO_PLAY = Setting(
    "first_to_play",
    word("first-player", "player-after-first", "other-player", "dealer", "drafter"),
    "start-number",
    "who takes the first turn",
    also=START_CLAUSES,
)
FIRST_PLAYER_DRAWS = Setting(
    "first_player_draws",
    WholeOrWord(("until-fired",)),
    "start-draw-two",
    "cards the first player draws",
    also=("start-draw-four", *OWN_START_CLAUSES),
)
FIRST_PLAYER_SKIPPED = Setting(
    "first_player_skipped", flag, "start-skip", "the first player's turn is skipped", also=START_CLAUSES
)
COLOR_CHOSEN_BY = Setting(
    "color_chosen_by",
    word("first-player", "dealer", "drafter", "other-player"),
    "start-wild",
    "who names the first color",
    also=("start-draw-four", *OWN_START_CLAUSES),
)
CARD_RETURNED = Setting(
    "card_returned",
    flag,
    "start-draw-four",
    "the card goes back, or is not counted, and another is turned over",
    also=("start-wild", "start-action", *OWN_START_CLAUSES),
)
DIRECTION = Setting(
    "direction",
    word("clockwise", "counterclockwise"),
    "direction",
    "which way round play begins",
    also=("start-reverse", "start-reverse-two"),
)
MAY_PLAY_ALL_OF_COLOR = Setting(
    "may_play_all_of_color", flag, "start-reverse-two", "the first player may lay all cards of the color"
)

# --- the end of a round, and the piles ----------------------------------------------------------

TURNS_BEFORE_COUNT = Setting(
    "turns_before_count",
    flag,
    "round-end",
    "a last card that turns everything over does so before the hands are counted",
)
GO_OUT_ON_ACTION = Setting(
    "go_out_on_action",
    flag,
    "last-card-action",
    "the last card may be an action card or a wild",
    also=("no-action-finish", *CARD_CLAUSES),
)
LAST_CARD_SWAPS = Setting(
    "last_card_swaps",
    flag,
    "last-card-action",
    "a last card that swaps hands, or passes them on, still does, so that its player is not out",
)
OVERLOAD_BARS = Setting(
    "overload_bars", flag, "round-end", "a last card that overloads its discard tray does not end the round"
)
DRAW_PILE_ACTION = Setting(
    "draw_pile_action",
    word("reuse-discards", "end-round"),
    "draw-pile-empty",
    "what happens when the draw pile is empty",
)
KEEP_TOP_CARD = Setting("keep_top_card", flag, "draw-pile-empty", "the top card of the discard pile stays")
SHUFFLE = Setting(
    "shuffle",
    word("required", "optional"),
    "draw-pile-empty",
    "whether the discards are shuffled before they are drawn",
)

# --- who starts, and the draft ------------------------------------------------------------------

HIGHEST_CARD = Setting(
    "highest_card",
    word("deals", "plays-first", "drafts"),
    "who-starts",
    "what falls to the one who draws the highest card; the player to the left has the other part",
)
FIRST_SITS = Setting(
    "first_sits", word("left-of-dealer"), "who-starts", "where the first player sits, in a text that picks no dealer"
)
SYMBOL_COUNTS = Setting(
    "symbol_counts", whole, "start-draw-symbols", "what a card without a number counts when players draw for the deal"
)
DRAFT_MUST_KEEP_SECOND = Setting(
    "draft_must_keep_second", flag, "draft", "who throws the first card away must keep the second"
)
DRAFT_DISCARDS = Setting("draft_discards", whole, "draft-discards", "cards in the discard pile after the draft")
RUN_END_ACTS = Setting(
    "run_end_acts", flag, "reverse-run-end", "the other player carries out an action card that ends a Reverse run"
)
RUN_IS_WHOLE = Setting("run_is_whole", flag, "reverse-run", "a Reverse run lays every card of the color or none")

# --- house rules on turns -----------------------------------------------------------------------

JUMP_IN = Setting(
    "jump_in",
    word("never", "same-number", "same-card"),
    "jump-in",
    "which card equal to the top card may be played out of turn: only a number card, or any colored card",
)
PLAY_DOUBLES = Setting("play_doubles", flag, "play-doubles", "two cards alike may be laid in one turn")
SEVEN_ZERO = Setting("seven_zero", flag, "seven-zero", "some numbers move hands")
SWAP_ON = Setting("swap_on", whole, "seven-zero", "the number that swaps two hands")
SWAP_IS_OPTIONAL = Setting(
    "swap_is_optional", flag, "seven-zero", "whoever plays the number that swaps hands may also keep the own one"
)
ROTATE_ON = Setting("rotate_on", whole, "seven-zero", "the number that passes every hand on")


@cache
def declared() -> Mapping[str, Setting[object]]:
    """Collect every setting declared in this module by its name."""
    found = {value.name: value for value in globals().values() if isinstance(value, Setting)}
    return MappingProxyType(found)
