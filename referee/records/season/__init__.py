"""Seasons: who is ahead over many evenings, counted anew from the matches whenever one that is over changes."""
