"""Figures of the app, each a ratio with the raw times it is made of, from one run: ``python3 -m tools.benchmarks``."""
