"""How much one match and one club may hold: far more than people play, and little enough that nobody waits for it.

What a page, a document or a sum has to read whole is bounded here. Matches are not: they are read by pages.
"""

from __future__ import annotations

from referee.rules.problem import Impossible, Problem

MOST_PLAYERS = 2_000
"""Names in a club, those merged into another included."""
MOST_ROUNDS = 2_000
"""Rounds of a match, struck ones included: a week at the table."""
MOST_VERSIONS = 100
"""Versions of a round: what was said first, corrections, strikes and restores."""
MOST_AMENDMENTS = 100
"""Changes of rules in one match."""
MOST_RULINGS = 500
"""Rulings saved in one match."""
MOST_EVENTS = 1_000
"""Times that players joined or left a match, or that it was finished, abandoned, reopened or amended."""

MOST_KEYS = 200
"""Keys of a whole club that are not locked out: phones, scripts, its recovery sheet."""
MOST_INVITATIONS = 50
"""Invitations of a club that are open at a time."""

PLAYERS_FULL = f"A club has room for {MOST_PLAYERS:,} names. Rename a player who no longer plays."
ROUNDS_FULL = f"A match has room for {MOST_ROUNDS:,} rounds. Finish it and start a rematch."
VERSIONS_FULL = f"A round can be changed {MOST_VERSIONS - 1} times. Strike it and record it again."
AMENDMENTS_FULL = f"The rules of a match can be changed {MOST_AMENDMENTS} times. Start a rematch to change them again."
RULINGS_FULL = f"A match has room for {MOST_RULINGS} rulings. Start a rematch to save more."
KEYS_FULL = f"A club has room for {MOST_KEYS} phones. Lock out one that no longer comes."
INVITATIONS_FULL = f"A club can have {MOST_INVITATIONS} open invitations. Revoke one, or wait until it runs out."
EVENTS_FULL = f"Players of a match and its state can be changed {MOST_EVENTS:,} times. Start a new match."


def refuse_over(count: int, most: int, field: str, message: str) -> None:
    """Raise `Impossible` for one more than there is room for; `count` says how many there would be."""
    if count > most:
        raise Impossible([Problem(field, message)])
