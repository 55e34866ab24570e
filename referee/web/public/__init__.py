"""Public pages, for anyone with the address: of a match, or of a club's matches, players and records.

They take no key, ask nothing of the browser and write nothing into it. They show names, results and the rules agreed
on; they leave out notes, places, rulings, corrections, and who entered what.
"""
