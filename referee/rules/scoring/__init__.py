"""What a table agrees on, what a round as entered is worth, and how the match stands after it."""
