"""The Score sheet of a match: its standings, rounds and story, and the winner's scene."""
