"""The players of a club side by side, and the statistics of each."""
