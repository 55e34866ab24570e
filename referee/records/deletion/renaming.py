"""Call a player by another name in all that was written down: the tables, and matches that wait to be restored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Select, Table, Text, bindparam, cast, select, update
from sqlalchemy.orm import Session

from referee.records.deletion.names import without_names
from referee.records.deletion.parts import pack, unpack
from referee.records.errors import Moved
from referee.records.models import DETAILS, Base, Deletion, DeletionKind, DeletionPart, Match, Seat, new_nonce

TEXTS: Mapping[str, tuple[str, ...]] = {
    "seats": ("name_then",),
    "matches": (*DETAILS, "agreements"),
    "match_events": ("details",),
    "rulings": ("ruling", "facts", "table_decided"),
    "round_versions": ("entry",),
    "keys": ("name",),
}
"""Columns in which a player may be named, by table."""
_TABLES = Base.metadata.tables
_PARTS = _TABLES[DeletionPart.__tablename__]
_REASON = '%"reason"%'
"""What is entered for a round names nobody but in the reason of a correction."""


@dataclass(frozen=True)
class Names:
    """What a player is called so far, at any match and at some, and by what name from now on."""

    everywhere: frozenset[str]
    at: Mapping[str, frozenset[str]]
    new: str
    names_then: Mapping[str, str]
    """what the player is to be called at some of the matches where they sat, in place of `new`"""

    def changed(self, table: Table, row: Mapping[str, Any], match_id: str | None, player_id: str) -> dict[str, Any]:
        """Give the values of a row that become others."""
        if table.name == Seat.__tablename__:
            name = self.names_then.get(row["match_id"], self.new)
            return {"name_then": name} if row["player_id"] == player_id and row["name_then"] != name else {}
        names = self.everywhere | self.at.get(match_id or "", frozenset())
        found = {}
        for column in TEXTS.get(table.name, ()):
            old = row[column]
            new = without_names(old, names, self.new) if old else old
            longest = getattr(table.c[column].type, "length", None)
            if new != old:
                found[column] = new[:longest].strip() if longest and isinstance(new, str) else new
        return found


@dataclass(frozen=True)
class Renaming:
    """All that is to change, and the state in which it was read."""

    values: Sequence[tuple[str, str, tuple[Any, ...], Any]]
    """table, column, primary key and new value"""
    states: Mapping[str, tuple[int, int]]
    """revision and nonce of each match that is touched"""
    parts: Mapping[tuple[str, int], bytes]
    """new parts of deleted matches, by match and number"""
    deleted: frozenset[str]
    """the deleted matches of the club"""


def draft_renaming(session: Session, club_id: str, player_id: str, names: Names) -> Renaming:
    """Find everything in which a player is named, without writing anything."""
    values = []
    touched = set(session.scalars(select(Seat.match_id).where(Seat.club_id == club_id, Seat.player_id == player_id)))
    for table, row, match_id in _rows(session, club_id):
        changed = names.changed(table, row, match_id, player_id)
        values += [(table.name, column, _key(table, row), new) for column, new in changed.items()]
        if changed and match_id is not None:
            touched.add(match_id)
    states = session.execute(select(Match.id, Match.revision, Match.nonce).where(Match.club_id == club_id))
    deleted = _deleted(session, club_id)
    return Renaming(
        sorted(values, key=itemgetter(0, 1)),
        {id: (revision, nonce) for id, revision, nonce in states if id in touched},
        dict(_renamed_parts(session, club_id, player_id, deleted, names)),
        deleted,
    )


def write_renaming(session: Session, club_id: str, drafted: Renaming) -> None:
    """Change what was drafted; raises `Moved` when something has changed since. The club is locked."""
    states = select(Match.id, Match.revision, Match.nonce).where(Match.club_id == club_id)
    locked = session.execute(states.order_by(Match.id).with_for_update()) if drafted.states else ()
    found = {id: (revision, nonce) for id, revision, nonce in locked if id in drafted.states}
    if found != drafted.states or _deleted(session, club_id) != drafted.deleted:
        raise Moved
    connection = session.connection()
    for (name, column), some in groupby(drafted.values, key=itemgetter(0, 1)):
        table = _TABLES[name]
        own = [one == bindparam(f"key_{at}") for at, one in enumerate(table.primary_key)]
        given = [{f"key_{at}": part for at, part in enumerate(key)} | {"new": new} for _, _, key, new in some]
        connection.execute(update(table).where(*own).values({column: bindparam("new")}), given)
    for (match_id, number), content in drafted.parts.items():
        own = [_PARTS.c.club_id == club_id, _PARTS.c.deletion_id == match_id, _PARTS.c.number == number]
        connection.execute(update(_PARTS).where(*own).values(content=content))
    _touch(session, club_id, drafted.states)
    session.expire_all()


def _touch(session: Session, club_id: str, match_ids: Iterable[str]) -> None:
    """Make every reader of these matches see that they changed."""
    table = _TABLES[Match.__tablename__]
    own = update(table).where(table.c.club_id == club_id, table.c.id == bindparam("match"))
    given = [{"match": id, "drawn": new_nonce()} for id in match_ids]
    if given:
        values = {"revision": table.c.revision + 1, "nonce": bindparam("drawn"), "summed": table.c.summed + 1}
        session.connection().execute(own.values(values), given)


def _rows(session: Session, club_id: str) -> Iterator[tuple[Table, Mapping[str, Any], str | None]]:
    """Give the rows of a club that may name somebody, each with its match."""
    for name, columns in TEXTS.items():
        table = _TABLES[name]
        wanted = {*table.primary_key, *(table.c[column] for column in columns)}
        wanted |= {table.c[column] for column in ("match_id", "player_id") if column in table.c}
        chosen: Select[Any] = select(*sorted(wanted, key=lambda column: column.name)).where(table.c.club_id == club_id)
        if name == "round_versions":
            rounds = _TABLES["rounds"]
            same = (rounds.c.club_id == table.c.club_id) & (rounds.c.id == table.c.round_id)
            chosen = chosen.join(rounds, same).add_columns(rounds.c.match_id)
            chosen = chosen.where(cast(table.c.entry, Text).like(_REASON))
        for row in session.connection().execute(chosen).mappings():
            yield table, dict(row), row["id"] if name == "matches" else row["match_id"]


def _renamed_parts(
    session: Session, club_id: str, player_id: str, deleted: Iterable[str], names: Names
) -> Iterator[tuple[tuple[str, int], bytes]]:
    for match_id in sorted(deleted):
        own = (_PARTS.c.club_id == club_id, _PARTS.c.deletion_id == match_id, _PARTS.c.number > 0)
        for number, content in session.connection().execute(select(_PARTS.c.number, _PARTS.c.content).where(*own)):
            table, rows = unpack(content)
            if table.name not in TEXTS:
                continue
            changed = [names.changed(table, row, match_id, player_id) for row in rows]
            if any(changed):
                put = [row | new for row, new in zip(rows, changed, strict=True)]
                yield (match_id, number), pack(table.name, put)


def _deleted(session: Session, club_id: str) -> frozenset[str]:
    own = (Deletion.club_id == club_id, Deletion.kind == DeletionKind.MATCH, Deletion.purged.is_(False))
    return frozenset(session.scalars(select(Deletion.id).where(*own)))


def _key(table: Table, row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[column.name] for column in table.primary_key)
