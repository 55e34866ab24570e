"""Restore names deleted by a program before 1.1, which put the stand-in into the texts in place of the name.

Such names wait for at most 30 days after the upgrade; the release after 1.1 has no need of this file.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from referee.records.deletion.changes import Changes
from referee.records.deletion.texts import NAMED_BY_PEOPLE, Column, columns_of, texts_at
from referee.records.models import Key, Player, Ruling

RULING = ("/summary", "/lead", "/steps/*/text")
"""Our own sentences with names in them; they were replaced in, too."""


def put_names_back(session: Session, player: Player, name: str, changes: Changes) -> None:
    """Put a name in place of its stand-in, and of the short one, wherever they stand."""
    stand_ins = player.name, f"‹{player.name.rpartition(' ')[2]}›"
    for column, place, text in _texts(session, player.club_id):
        restored = text
        for stand_in in stand_ins:
            first, *rest = restored.split(stand_in)
            # of “Former player 12” the stand-in “Former player 1” is only a part
            restored = first + "".join((stand_in if part[:1].isdigit() else name) + part for part in rest)
        if restored != text:
            changes.put(column, place, restored)


def _texts(session: Session, club_id: str) -> Iterator[tuple[Column, str, str]]:
    for column in columns_of(session, club_id):
        yield from ((column, place, text) for place, text, _ in column.texts)
    ours = (Key.club_id == club_id, Key.role.not_in(NAMED_BY_PEOPLE))
    for key in session.scalars(select(Key).where(*ours)):
        column = Column("keys.name", (key.id,), key.match_id, key.name)
        yield column, column.place, key.name
    for ruling in session.scalars(select(Ruling).where(Ruling.club_id == club_id)):
        column = Column("rulings.ruling", (ruling.id,), ruling.match_id, ruling.ruling)
        for pattern in RULING:
            yield from ((column, column.place + path, text) for path, text in texts_at(column.value, pattern))
