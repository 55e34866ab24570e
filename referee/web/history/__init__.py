"""The History room: matches played before, the story of each, the club's players and their statistics."""
