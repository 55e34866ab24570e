"""The room of deleting and restoring: matches, players' names, a whole club."""
