"""Figures of the app, each a ratio with the raw times it is made of, all from one run: ``python3 -m benchmarks``."""
