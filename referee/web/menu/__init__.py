"""The menu of a match: who joins and leaves, the rules, the dealer, corrected totals, the clock, the end."""
