"""Boxes and ways to play of the Uno family, and the words that show a question is about one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from referee.rules import RULES_FOLDER
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.text.toml_files import read_toml
from referee.rules.text.words import cached_by_language, say, translated

FILE = RULES_FOLDER / "boxes.toml"


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
    deck: str | None = None
    """The deck that it is scored with where it has no rulebook of its own."""

    @property
    def notice(self) -> str:
        """Return a sentence on a question about this box, and whether the app has its rulebook or deck."""
        if self.known:
            return say("other-boxes.known", box=self.title)
        return say("other-boxes.counted" if self.deck else "other-boxes.unknown", box=self.title)

    @property
    def known(self) -> bool:
        """Return whether there is a rulebook of this box; it has the id of the box."""
        return self.id in rulebooks()


def box_of_rulebook(rulebook: Rulebook | None) -> str | None:
    """Return the id of the box that a rulebook is for, or is based on; None for one of the classic box."""
    if rulebook is None:
        return None
    home = rulebook.base or rulebook.id
    return home if home in boxes() else None


@cached_by_language
def boxes() -> Mapping[str, Box]:
    """Read all boxes by id, once."""
    listed = read_toml(FILE)["boxes"]
    return {
        each["id"]: Box(
            each["id"],
            translated("boxes", f"boxes.{each['id']}.title", each["title"]),
            translated("boxes", f"boxes.{each['id']}.about", each["about"]),
            tuple(each["tells"]),
            tuple(each["asked"]),
            each.get("deck"),
        )
        for each in listed
    }


@cached_by_language
def _of_the_classic_box() -> Mapping[str, Rulebook]:
    return MappingProxyType({id: book for id, book in rulebooks().items() if box_of_rulebook(book) is None})


def searched(rulebook: Rulebook | None) -> Mapping[str, Rulebook]:
    """Return the published rulebooks that a look-up searches: those of the classic box.

    The one in force leads; under another box it is the only one, as no other text speaks of those cards.
    """
    books = _of_the_classic_box()
    if rulebook is None:
        return books
    others = {id: book for id, book in books.items() if book.deck.box == rulebook.deck.box}
    return {rulebook.id: rulebook, **{id: others[id] for id in others if id != rulebook.id}}
