"""Seasons: the table of one, its records, the sheet for the door, and the form that makes one."""
