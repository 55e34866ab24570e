"""The room of a club's own rulebooks: make one from any rulebook, change it, share it."""
