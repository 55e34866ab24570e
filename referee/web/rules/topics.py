"""What the topics are called, which questions are offered first, and the order in which a game is taught."""

from __future__ import annotations

TOPIC_TITLES = {
    "deck": "The deck and the players",
    "deal": "Dealing",
    "who-starts": "Who deals and who starts",
    "start-card": "The first card turned over",
    "playing": "Playing a card",
    "drawing": "Drawing",
    "wild": "Wild",
    "draw-four": "Wild Draw Four",
    "draw-four-challenge": "Challenging a Wild Draw Four",
    "stacking": "Stacking",
    "draw-two": "Draw Two",
    "skip-reverse": "Skip and Reverse",
    "with-two": "With two players",
    "uno-call": "Saying “Uno”",
    "wrong-card": "A wrong card",
    "draw-pile-empty": "The draw pile is empty",
    "last-card": "Going out",
    "scoring": "Points",
    "game-over": "The end of the match",
    "special-cards": "Blank and other extra cards",
    "house-rules": "House rules",
    "conduct": "At the table",
}

ASKED_MOST = (
    "stacking-draw-two", "reverse-two", "draw-four-when", "skip", "uno-penalty", "drawn-card", "last-card-action",
    "challenge-innocent",
)  # fmt: skip
"""Questions offered before anything is typed."""

LESSONS = (
    ("What it is about", ("goal", "players", "deck-size")),
    ("Set up", ("deal", "draft", "draft-discards", "setup-piles", "who-starts", "start-number", "start-action")),
    ("Your turn", ("direction", "matching", "declining", "draw-one", "drawn-card", "after-drawing")),
    ("Action cards", ("draw-two-effect", "stacking-draw-two", "stack-total", "skip", "reverse", "skip-two",
                      "reverse-two", "reverse-run")),
    ("Wild cards", ("wild-effect", "wild-when", "draw-four-effect", "draw-four-color", "draw-four-when",
                    "challenge-who", "challenge-guilty", "challenge-innocent")),
    ("One card left", ("uno-when", "uno-how", "uno-who-catches", "uno-penalty")),
    ("The end of a round", ("round-end", "mercy-rule", "last-card-action", "last-card-draws", "draw-pile-empty")),
    ("Points", ("points-numbers", "points-actions", "points-wild", "points-draw-four", "points-special",
                "who-scores")),
    ("Winning", ("target", "agreed-target", "match-winner", "next-starter")),
)  # fmt: skip
"""A walk through a game for beginners: what each step tells, as far as a rulebook speaks of it."""
