"""Evenings of many tables: the floor, the phones of its tables, the television, and each player's own page."""
