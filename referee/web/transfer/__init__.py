"""Import and export: a club's file, its rounds as CSV, scores from paper, and everything about one player."""
