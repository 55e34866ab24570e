"""Rows of any table as JSON, so that they can be taken out of it and put back."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, Table, insert, select

from referee.records.models import Base, Match, Round, RoundVersion, UtcDateTime

ROWS = 500
"""Rows of one part, so that no part is large however long the match."""
_MATCHES, _ROUNDS, _VERSIONS = (Base.metadata.tables[one.__tablename__] for one in (Match, Round, RoundVersion))
OF_MATCH: tuple[Table, ...] = tuple(
    table for table in Base.metadata.sorted_tables if table in (_MATCHES, _VERSIONS) or "match_id" in table.c
)
"""Every table with rows that belong to a match, in an order in which none refers to a later one."""
LARGE: frozenset[Table] = frozenset({_ROUNDS, _VERSIONS, Base.metadata.tables["round_scores"]})
"""Tables that only grow with rounds: their rows change together with the state of their match."""


def of_match(table: Table, club_id: str, match_id: str) -> Any:
    """Return the condition for the rows of a table that belong to a match."""
    if table is _MATCHES:
        return (table.c.club_id == club_id) & (table.c.id == match_id)
    if table is _VERSIONS:
        rounds = select(_ROUNDS.c.id).where(_ROUNDS.c.club_id == club_id, _ROUNDS.c.match_id == match_id)
        return (table.c.club_id == club_id) & table.c.round_id.in_(rounds)
    return (table.c.club_id == club_id) & (table.c.match_id == match_id)


def packed(connection: Connection, table: Table, club_id: str, match_id: str) -> Iterator[tuple[int, bytes]]:
    """Yield the rows of a table that belong to a match, as numbered parts."""
    first = (OF_MATCH.index(table) + 1) * 10_000
    chosen: Select[Any] = select(table).where(of_match(table, club_id, match_id)).order_by(*table.primary_key)
    for count, rows in enumerate(connection.execute(chosen).mappings().partitions(ROWS)):
        yield first + count, pack(table.name, [dict(row) for row in rows])


def pack(table: str, rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Write rows of one table as a part."""
    return _squeezed({"table": table, "rows": rows})


def unpack(content: bytes) -> tuple[Table, list[dict[str, Any]]]:
    """Read a part; columns that have gone since are left out."""
    document = json.loads(zlib.decompress(content))
    table = Base.metadata.tables[document["table"]]
    moments = [column.name for column in table.c if isinstance(column.type, UtcDateTime)]
    rows = [{name: value for name, value in row.items() if name in table.c} for row in document["rows"]]
    for row in rows:
        for name in moments:
            if row.get(name) is not None:
                row[name] = datetime.fromisoformat(row[name])
    return table, rows


def put_back(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that were unpacked."""
    if rows:
        connection.execute(insert(table), rows)


def summary_part(summary: Mapping[str, Any]) -> bytes:
    """Write what something deleted was, in few words, as its first part."""
    return _squeezed(summary)


def read_summary(content: bytes) -> dict[str, Any]:
    """Read the first part of something deleted."""
    summary: dict[str, Any] = json.loads(zlib.decompress(content))
    return summary


def _squeezed(document: Mapping[str, Any]) -> bytes:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), default=lambda moment: moment.isoformat())
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 6)
