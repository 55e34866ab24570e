"""Other Uno boxes, which no rulebook here covers, and the words that show a question is about one."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "boxes.toml"


@dataclass(frozen=True, slots=True)
class Box:
    """A box by its id, with the title it has in a sentence and one sentence about it."""

    id: str
    title: str
    about: str
    tells: tuple[str, ...]
    """Words that only this box uses."""
    asked: tuple[str, ...]
    """How people ask about it in words that also stand elsewhere."""

    @property
    def notice(self) -> str:
        """Say that this box is not known, in one sentence."""
        return f"That sounds like {self.title}, which Referee doesn’t know yet."


@cache
def boxes() -> Mapping[str, Box]:
    """Read all boxes by id, once."""
    listed = tomllib.loads(FILE.read_text("utf-8"))["boxes"]
    return {
        each["id"]: Box(each["id"], each["title"], each["about"], tuple(each["tells"]), tuple(each["asked"]))
        for each in listed
    }
