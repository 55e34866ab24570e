"""The rules of the game: pure, standard library only, no clock and no randomness."""
