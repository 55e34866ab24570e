"""Every setting that a clause of a rulebook may carry, declared once.

A setting is what code may learn from a clause: a number, a permission, a word of a closed list.
`question` names the clause that carries it (clauses have the ids of the questions they answer), so
that a rulebook without it is silent on that very question. The loader refuses a setting that is not
declared here, and a test refuses one that no code reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Generic, TypeVar

from referee.rules.cards import decks
from referee.rules.text.words import say

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
    parse: Callable[[object], T] = field(hash=False)
    question: str
    also: tuple[str, ...] = field(default=(), hash=False)

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


class _ClosedList:
    def __init__(self, *allowed: str) -> None:
        self.allowed = allowed


class Word(_ClosedList):
    """Reads one word of a closed list; raises `WrongValue`, as all readers do."""

    def __call__(self, value: object) -> str:
        if not isinstance(value, str) or value not in self.allowed:
            raise WrongValue.said("word", choices=", ".join(self.allowed))
        return value


class Words(_ClosedList):
    """Reads a list of words of a closed list, in the order given."""

    def __call__(self, value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            raise WrongValue.said("words", choices=", ".join(self.allowed))
        return tuple(map(Word(*self.allowed), value))


class WholeOrWord(_ClosedList):
    """Reads a whole number, or one word of a closed list instead."""

    def __call__(self, value: object) -> int | str:
        if isinstance(value, str) and value in self.allowed:
            return value
        try:
            return whole(value)
        except WrongValue:
            raise WrongValue.said("whole-or-word", choices=", ".join(self.allowed)) from None


def by_face(value: object) -> Mapping[str, int]:
    """Read the points of faces by their id, ``{ draw-one = 10 }``; a rulebook names only faces of its deck."""
    if not isinstance(value, Mapping) or not value or not all(isinstance(key, str) for key in value):
        raise WrongValue.said("face-points")
    unknown = next((key for key in value if not decks.is_face(key)), None)
    if unknown is not None:
        raise WrongValue.said("face-unknown", face=unknown[:40])
    return MappingProxyType({key: whole(points) for key, points in value.items()})


def by_players(value: object) -> Mapping[int, int]:
    """Read a whole number for each number of players, ``{ 2 = 100, 3 = 200 }``."""
    if not isinstance(value, Mapping) or not value or not all(str(key).isdecimal() for key in value):
        raise WrongValue.said("by-players")
    return MappingProxyType({int(key): whole(item) for key, item in value.items()})


def whole_or_by_players(value: object) -> int | Mapping[int, int]:
    """Read a whole number, or one for each number of players."""
    return by_players(value) if isinstance(value, Mapping) else whole(value)


# --- players and deck ---------------------------------------------------------------------------

PLAYERS_MIN = Setting("players_min", whole, "players")
PLAYERS_MAX = Setting("players_max", whole, "players")
DECK = Setting("deck", Word(*decks.IDS), "deck-size")
BOXES = Setting("boxes", whole, "deck-size")
PLAYERS_NAMED = Setting("players_named", wholes, "two-player-rest")

# --- the deal and whose turn it is to deal -------------------------------------------------------

CARDS_EACH = Setting("cards_each", whole, "deal")
DRAFTED = Setting("drafted", flag, "deal")

# --- points, target and the end of a match -------------------------------------------------------

NUMBER_POINTS = Setting("number_points", WholeOrWord("face-value"), "points-numbers")
ACTION_POINTS = Setting("action_points", whole, "points-actions")
FACE_POINTS = Setting(
    "face_points",
    by_face,
    "points-special",
    also=("points-numbers", "points-actions", "points-wild", "points-draw-four"),
)
WILD_POINTS = Setting("wild_points", whole, "points-wild")
WILD_DRAW_FOUR_POINTS = Setting("wild_draw_four_points", whole, "points-draw-four")
BLANK_POINTS = Setting("blank_points", whole, "points-special")
SHUFFLE_HANDS_POINTS = Setting("shuffle_hands_points", whole, "points-special")
CUSTOMIZABLE_POINTS = Setting("customizable_points", whole, "points-special")
AWARDS = Setting("awards", Word("winner-takes", "own-points", "own-points-off", "one-point", "by-rank"), "who-scores")
RANK_POINTS = Setting("rank_points", wholes, "who-scores")
TIED_RANKS = Setting("tied_ranks", Word("better-rank", "lower-rank", "split"), "who-scores")
OPENING_TOTAL = Setting("opening_total", whole, "who-scores")
REMATCH_HANDICAP = Setting("rematch_handicap", whole, "who-scores")
TARGET = Setting("target", whole_or_by_players, "target")
WINS = Setting("wins", Word("highest", "lowest"), "match-winner")
AT_TARGET = Setting("at_target", Word("match-ends", "player-is-out"), "target")
ROUNDS_TO_PLAY = Setting("rounds_to_play", whole, "target")
KNOCKED_OUT_AT = Setting("knocked_out_at", whole, "mercy-rule")
KNOCK_OUT_CHECKED = Setting("knock_out_checked", Word("every-card", "turn-end"), "mercy-rule")
KNOCKED_OUT_HAND = Setting("knocked_out_hand", Word("set-aside", "discarded"), "mercy-rule")
KNOCK_OUT_BONUS = Setting("knock_out_bonus", whole, "who-scores")
LAST_LEFT_WINS = Setting("last_left_wins", flag, "round-end")
PARTNERS = Setting("partners", flag, "who-scores")
PARTNER_HAND_COUNTS = Setting("partner_hand_counts", flag, "who-scores")
TIME_LIMIT_WINNER = Setting("time_limit_winner", Word("fewest-cards"), "time-limit")
DRAW_PILE_ENDS_ROUND = Setting("draw_pile_ends_round", flag, "end-when-draw-pile-empty")
DRAW_TWO_DRAWS = Setting("draw_two_draws", whole, "draw-two-effect")
LAST_CARD_COUNTS = Setting("last_card_counts", flag, "last-card-draws")

# --- Wild Draw Four and its challenge -----------------------------------------------------------

HELD_COLOR_BARS = Setting("held_color_bars", flag, "draw-four-when")
HELD_SYMBOL_BARS = Setting("held_symbol_bars", flag, "draw-four-same-symbol")
HELD_WILD_BARS = Setting("held_wild_bars", flag, "draw-four-other-wild")
MAY_BE_BLUFFED = Setting("may_be_bluffed", flag, "draw-four-when")
DRAW_FOUR_DRAWS = Setting("draw_four_draws", whole, "draw-four-effect")
DRAW_FOUR_TURN = Setting("draw_four_turn", Word("target-loses-turn", "offender-plays-again"), "draw-four-effect")
MAY_KEEP_COLOR = Setting("may_keep_color", flag, "wild-same-color")
CHALLENGERS = Setting("challengers", Words("target", "other"), "challenge-who")
HAND_SHOWN_TO = Setting("hand_shown_to", Word("challenger", "everyone"), "challenge-shown")
HAND_IS_SHOWN = Setting("hand_is_shown", flag, "challenge-shown")
GUILTY_DRAWS = Setting("guilty_draws", whole, "challenge-guilty")
GUILTY_DRAWS_INSTEAD = Setting("guilty_draws_instead", flag, "challenge-guilty")
GUILTY_EFFECT_STANDS = Setting("guilty_effect_stands", flag, "challenge-guilty")
WRONG_CHALLENGE_DRAWS = Setting("wrong_challenge_draws", whole, "challenge-innocent")
WRONG_CHALLENGE_EXTRA = Setting("wrong_challenge_extra", whole, "challenge-innocent")
GUILTY_NEXT_TURN = Setting(
    "guilty_next_turn", Word("offender", "target", "player-after-next"), "challenge-guilty-after"
)
GUILTY_COLOR_STANDS = Setting("guilty_color_stands", flag, "challenge-guilty-after")
WRONG_CHALLENGE_TURN = Setting(
    "wrong_challenge_turn", Word("target-loses-turn", "offender-plays-again"), "challenge-innocent-turn"
)
UNCHALLENGED_STANDS = Setting("unchallenged_stands", flag, "unchallenged")
LAST_CARD_CHALLENGE = Setting("last_card_challenge", flag, "last-card-challenge")
LAST_CARD_DRAWS = Setting("last_card_draws", flag, "last-card-draws")

# --- playing and drawing ------------------------------------------------------------------------

MATCHES = Setting("matches", Words("color", "symbol"), "matching", also=("draw-two-on", "skip-on"))
MAY_DECLINE = Setting("may_decline", flag, "declining")
DRAWS_UNTIL_PLAYABLE = Setting("draws_until_playable", flag, "draw-one")
DRAWS_INSTEAD = Setting("draws_instead", whole, "draw-one")
DRAW_UNIT = Setting("draw_unit", Word("cards", "presses"), "draw-one")
DRAWN_CARD = Setting("drawn_card", Word("may-be-played", "must-be-played", "is-kept"), "drawn-card")
OTHER_CARD_AFTER_DRAWING = Setting("other_card_after_drawing", flag, "after-drawing")
ANY_ON_WILD = Setting("any_on_wild", flag, "wild-effect", also=CARD_CLAUSES)
WILD_BARRED_BY = Setting("wild_barred_by", Words("color", "symbol"), "wild-when")
CAUGHT_WILD_DRAWS = Setting("caught_wild_draws", whole, "wild-caught")
CAUGHT_WILD_STANDS = Setting("caught_wild_stands", flag, "wild-caught")
WRONG_CARD_DRAWS = Setting("wrong_card_draws", whole, "wrong-card")
WRONG_CARD_WITHDRAWN = Setting("wrong_card_withdrawn", flag, "wrong-card")
WRONG_CARD_LOSES_TURN = Setting("wrong_card_loses_turn", flag, "wrong-card")

# --- calling Uno --------------------------------------------------------------------------------

UNO_MOMENTS = Setting("uno_moments", Words("before-playing", "while-playing", "after-playing"), "uno-when")
UNO_UNTIL = Setting("uno_until", Word("next-turn", "caught"), "uno-deadline")
UNO_LATE_CALL_FREE = Setting("uno_late_call_free", flag, "uno-self-correction")
UNO_CAUGHT_BY = Setting("uno_caught_by", Word("players", "nobody"), "uno-who-catches")
UNO_PENALTY = Setting("uno_penalty", whole, "uno-penalty")
UNO_UNNOTICED_FREE = Setting("uno_unnoticed_free", flag, "uno-unnoticed")
UNO_FALSE_ACCUSATION = Setting("uno_false_accusation", whole, "uno-false-accusation")
UNO_EARLY_COUNTS = Setting("uno_early_counts", flag, "uno-early")
UNO_BY_TAPPING = Setting("uno_by_tapping", flag, "uno-how")

# --- what cards do ------------------------------------------------------------------------------

TURN_AFTER = Setting(
    "turn_after",
    Word("next-player", "same-player", "player-after-next", "previous-player"),
    "skip",
    also=("skip-two", "reverse", "reverse-two"),
)
TURNS_DIRECTION = Setting("turns_direction", flag, "reverse", also=("reverse-two", *CARD_CLAUSES))
DRAW_TWO_TURN = Setting("draw_two_turn", Word("target-loses-turn"), "draw-two-effect")
CARD_DRAWS = Setting("card_draws", WholeOrWord("until-color", "until-fired"), CARD_CLAUSES[0], also=CARD_CLAUSES[1:])
CARD_SKIPS = Setting("card_skips", WholeOrWord("everyone"), CARD_CLAUSES[0], also=CARD_CLAUSES[1:])
DISCARDS_COLOR = Setting("discards_color", flag, CARD_CLAUSES[0], also=CARD_CLAUSES[1:])
CHOSEN_DRAWS = Setting("chosen_draws", flag, CARD_CLAUSES[0], also=CARD_CLAUSES[1:])
EVERYONE_DRAWS = Setting("everyone_draws", flag, CARD_CLAUSES[0], also=(*CARD_CLAUSES[1:], *OWN_START_CLAUSES))
DARE_INSTEAD = Setting("dare_instead", flag, CARD_CLAUSES[0], also=CARD_CLAUSES[1:])
SWAPS_HANDS = Setting("swaps_hands", flag, CARD_CLAUSES[0], also=CARD_CLAUSES[1:])
CHALLENGEABLE = Setting("challengeable", flag, CARD_CLAUSES[0], also=CARD_CLAUSES[1:])
TURNS_OVER = Setting("turns_over", flag, CARD_CLAUSES[0], also=CARD_CLAUSES[1:])
STACKS_UPWARD = Setting("stacks_upward", flag, "stacking-mixed")
STACK_OVER = Setting("stack_over", Word("last-card", "whole-stack"), "stacking-mixed")
STACKING = ("stacking-draw-two", "stacking-draw-four", "stacking-mixed")
"""The clauses on a draw card laid on a draw card."""
STACKS = Setting("stacks", flag, STACKING[0], also=(*STACKING[1:], "skip", "reverse"))
STACK_ENDS_TURN = Setting("stack_ends_turn", flag, "stack-total")

# --- the first card -----------------------------------------------------------------------------

START_SIDE = Setting("start_side", Word(*SIDES), "special-cards")
START_CLAUSES = (
    "start-skip", "start-reverse", "start-reverse-two", "start-draw-two", "start-wild", "start-draw-four",
    *OWN_START_CLAUSES,
)  # fmt: skip
FIRST_TO_PLAY = Setting(
    "first_to_play",
    Word("first-player", "player-after-first", "other-player", "dealer", "drafter"),
    "start-number",
    also=START_CLAUSES,
)
FIRST_PLAYER_DRAWS = Setting(
    "first_player_draws", WholeOrWord("until-fired"), "start-draw-two", also=("start-draw-four", *OWN_START_CLAUSES)
)
FIRST_PLAYER_SKIPPED = Setting("first_player_skipped", flag, "start-skip", also=START_CLAUSES)
COLOR_CHOSEN_BY = Setting(
    "color_chosen_by",
    Word("first-player", "dealer", "drafter", "other-player"),
    "start-wild",
    also=("start-draw-four", *OWN_START_CLAUSES),
)
CARD_RETURNED = Setting(
    "card_returned", flag, "start-draw-four", also=("start-wild", "start-action", *OWN_START_CLAUSES)
)
DIRECTION = Setting(
    "direction", Word("clockwise", "counterclockwise"), "direction", also=("start-reverse", "start-reverse-two")
)
MAY_PLAY_ALL_OF_COLOR = Setting("may_play_all_of_color", flag, "start-reverse-two")

# --- the end of a round, and the piles ----------------------------------------------------------

TURNS_BEFORE_COUNT = Setting("turns_before_count", flag, "round-end")
GO_OUT_ON_ACTION = Setting("go_out_on_action", flag, "last-card-action", also=("no-action-finish", *CARD_CLAUSES))
GO_OUT_ON_WILD = Setting("go_out_on_wild", flag, "no-wild-finish")
COLOR_NAMED_BY = Setting("color_named_by", Word("player", "next-player"), "draw-four-color", also=CARD_CLAUSES)
MOVES_HANDS = Setting("moves_hands", flag, "card-wild-shuffle-hands", also=("card-wild-swap-hands",))
LAST_CARD_SWAPS = Setting("last_card_swaps", flag, "last-card-action")
OVERLOAD_BARS = Setting("overload_bars", flag, "round-end")
DRAW_PILE_ACTION = Setting("draw_pile_action", Word("reuse-discards", "end-round"), "draw-pile-empty")
KEEP_TOP_CARD = Setting("keep_top_card", flag, "draw-pile-empty")
SHUFFLE = Setting("shuffle", Word("required", "optional"), "draw-pile-empty")

# --- who starts, and the draft ------------------------------------------------------------------

HIGHEST_CARD = Setting("highest_card", Word("deals", "plays-first", "drafts"), "who-starts")
FIRST_SITS = Setting("first_sits", Word("left-of-dealer"), "who-starts")
SYMBOL_COUNTS = Setting("symbol_counts", whole, "start-draw-symbols")
DRAFT_MUST_KEEP_SECOND = Setting("draft_must_keep_second", flag, "draft")
DRAFT_DISCARDS = Setting("draft_discards", whole, "draft-discards")
RUN_END_ACTS = Setting("run_end_acts", flag, "reverse-run-end")
RUN_IS_WHOLE = Setting("run_is_whole", flag, "reverse-run")

# --- house rules on turns -----------------------------------------------------------------------

JUMP_IN = Setting("jump_in", Word("never", "same-number", "same-card"), "jump-in")
PLAY_DOUBLES = Setting("play_doubles", flag, "play-doubles")
DOUBLES_ANY_COLOR = Setting("doubles_any_color", flag, "play-doubles")
SEVEN_ZERO = Setting("seven_zero", flag, "seven-zero")
SWAP_ON = Setting("swap_on", whole, "seven-zero")
SWAP_IS_OPTIONAL = Setting("swap_is_optional", flag, "seven-zero")
ROTATE_ON = Setting("rotate_on", whole, "seven-zero")
HANDS_OPEN = Setting("hands_open", flag, "open-hands")

# --- something else happened --------------------------------------------------------------------

_MOVED_ON = ("took-back", "draw-then-stack", "forgot-draw", "forgot-skip", "drew-wrong-number")
PUT_RIGHT = Setting(
    "put_right", Word("always", "at-once", "not"), "out-of-turn", also=(*_MOVED_ON, "misdeal", "card-shown")
)
MISTAKE_DRAWS = Setting("mistake_draws", whole, "out-of-turn", also=(*_MOVED_ON, "misdeal", "card-shown", "peeked"))
MISTAKE_TURN = Setting("mistake_turn", Word("turn-holder", "next-player"), "out-of-turn", also=_MOVED_ON)
LATE_COLOR = Setting("late_color", Word("offender", "next-player", "old-color"), "naming-deadline")
SAME_TIME_COUNTS = Setting("same_time_counts", flag, "both-said-uno")
HAND_LEFT = Setting("hand_left", Word("shuffled-in", "set-aside"), "player-leaves")
NEWCOMER = Setting("newcomer", Word("dealt", "waits"), "player-joins")
NEXT_DEALER = Setting("next_dealer", Word("first-player", "other-player", "dealer", "winner", "loser"), "next-starter")


@cache
def declared() -> Mapping[str, Setting[object]]:
    """Collect every setting declared in this module by its name."""
    settings = {value.name: value for value in globals().values() if isinstance(value, Setting)}
    return MappingProxyType(settings)
