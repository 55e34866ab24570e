"""The matches of a club, and the story of each."""
