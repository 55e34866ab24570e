"""Rulebooks: read from their files, with every setting a clause may carry, and each in the language spoken."""
