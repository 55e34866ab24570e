"""A match: what is written of it and everything that is read of it."""
