"""The Rules room: look a rule up, read a rulebook, compare two, learn to play."""
