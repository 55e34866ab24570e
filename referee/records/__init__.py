"""What a club did: its players, matches, rounds and keys, kept in a database (SQLAlchemy, no Flask)."""
