"""Restore names deleted by a program before 1.1, which put the stand-in into the texts in place of the name.

Such names wait for at most 30 days after the upgrade; the release after 1.1 has no need of this file.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from referee.records.deletion.texts import NAMED_BY_PEOPLE, Column, columns_of
from referee.records.models import Key, Player, Ruling


def names_put_back(
    session: Session, player: Player, name: str, changed: Mapping[str, Column]
) -> Iterator[tuple[Column, Any]]:
    """Yield columns, some `changed` already, with a name in place of its stand-ins: in our own sentences, too."""
    stand_ins, name = (player.name, f"‹{player.name.rpartition(' ')[2]}›"), json.dumps(name, ensure_ascii=False)[1:-1]
    ours = select(Key).where(Key.club_id == player.club_id, Key.role.not_in(NAMED_BY_PEOPLE))
    rulings = select(Ruling).where(Ruling.club_id == player.club_id)
    columns = [*columns_of(session, player.club_id)]
    columns += [Column(f"keys/{one.id}/name", one.match_id, one.name) for one in session.scalars(ours)]
    columns += [Column(f"rulings/{one.id}/ruling", one.match_id, one.ruling) for one in session.scalars(rulings)]
    for column in columns:
        written = restored = json.dumps(changed.get(column.place, column).value, ensure_ascii=False)
        for stand_in in stand_ins:
            first, *rest = restored.split(stand_in)
            # of “Former player 12” the stand-in “Former player 1” is only a part
            restored = first + "".join((stand_in if part[:1].isdigit() else name) + part for part in rest)
        if restored != written:
            yield column, json.loads(restored)
