"""The Rules room: look a rule up, read a rulebook, compare two, learn to play."""

from __future__ import annotations

from referee.web.rules import beside, own, reading, searching
from referee.web.rules.room import blueprint

__all__ = ["beside", "blueprint", "own", "reading", "searching"]
