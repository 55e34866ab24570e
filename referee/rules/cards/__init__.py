"""Cards, the decks they come in, and what their numbers add up to."""
