"""Deleting matches, players' names and whole clubs: restorable for a while, then gone for good."""
