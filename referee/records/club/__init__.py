"""A club: its keys and who may come in, its links, players and own rulebooks."""
