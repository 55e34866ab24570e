"""The rules of the game: pure, standard library only, no clock and no randomness."""

from pathlib import Path

RULES_FOLDER = Path(__file__).resolve().parent
"""Where rulebooks, decks, sentences and what training taught the look-up stand, as files."""
