"""Say in a column what is deleted.

Before, the rows of a deleted match were packed away, and the keys of a deleted club revoked. Programs of the second
tables would show what they now find deleted, so they don't work on these.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002_from_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Put what waits to be restored back into the tables, with the moment when it was deleted."""
    for table in ("clubs", "matches"):
        op.add_column(table, sa.Column("deleted_at", sa.DateTime()))
    for table in ("players", "seats"):
        op.add_column(table, sa.Column("deleted_name", sa.String(40)))
    op.execute("ALTER TABLE players RENAME COLUMN removed_at TO deleted_at")
    op.add_column("keys", sa.Column("recovers", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.execute("UPDATE keys SET recovers = true WHERE name = 'Recovery sheet'")  # no phone could have this name
    some = sa.text("deleted_at IS NOT NULL")
    op.create_index(
        "ix_matches_deleted", "matches", ["club_id", "deleted_at", "id"], sqlite_where=some, postgresql_where=some
    )
    _unpack(op.get_bind())
    op.drop_table("deletion_parts")
    op.drop_column("deletions", "by")
    op.drop_column("deletions", "purged")


def downgrade() -> None:
    """Take the columns away again; what is deleted has to be restored or purged before."""
    asked = "SELECT 1 FROM {} WHERE {} IS NOT NULL LIMIT 1"
    waits = [("clubs", "deleted_at"), ("matches", "deleted_at"), ("players", "deleted_name")]
    if any(op.get_bind().scalar(sa.text(asked.format(*each))) for each in waits):
        raise ValueError(
            "something deleted waits to be restored: restore it in the app, or run referee purge --at-once"
        )
    op.add_column("deletions", sa.Column("purged", sa.Boolean(), server_default=sa.true(), nullable=False))
    with op.batch_alter_table("deletions") as batch:
        batch.alter_column("purged", server_default=None)
    op.add_column("deletions", sa.Column("by", sa.String(16)))
    op.create_table(
        "deletion_parts",
        sa.Column("club_id", sa.String(16), nullable=False),
        sa.Column("deletion_id", sa.String(16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("club_id", "deletion_id", "number", name="pk_deletion_parts"),
        sa.ForeignKeyConstraint(
            ["club_id", "deletion_id"],
            ["deletions.club_id", "deletions.id"],
            name="fk_deletion_parts_club_id_club_id",
        ),
    )
    op.drop_index("ix_matches_deleted", "matches")
    op.execute("ALTER TABLE players RENAME COLUMN deleted_at TO removed_at")
    for table, column in (
        *(("seats", "deleted_name"), ("players", "deleted_name")),
        *(("matches", "deleted_at"), ("clubs", "deleted_at"), ("keys", "recovers")),
    ):
        op.drop_column(table, column)


def _unpack(connection: sa.Connection) -> None:
    tables = sa.MetaData()
    tables.reflect(connection)
    deletions = tables.tables["deletions"]
    everything = connection.execute(sa.select(deletions).order_by(deletions.c.club_id, deletions.c.id)).all()
    # keys of a deleted club are live again before those of its deleted matches look at who opened them
    for kind, put_back in (("club", _club), ("match", _match), ("player", _player)):
        for deleted in everything:
            if deleted.kind == kind and (kind == "club" or not deleted.purged):
                put_back(connection, tables.tables, deleted)
    connection.execute(sa.delete(tables.tables["deletion_parts"]))
    waits = [
        (row.club_id, row.id) for row in everything if row.kind == "player" or (not row.purged and row.kind != "key")
    ]
    for club_id, id in waits:
        own = (deletions.c.id == id) | (deletions.c.with_id == id)
        connection.execute(sa.delete(deletions).where(deletions.c.club_id == club_id, own))


def _club(connection: sa.Connection, tables: Any, deleted: Any) -> None:
    clubs = tables["clubs"]
    connection.execute(sa.update(clubs).where(clubs.c.id == deleted.club_id).values(deleted_at=deleted.at))
    for table in (tables["keys"], tables["invitations"]):
        went = (table.c.club_id == deleted.club_id, table.c.revoked_with == deleted.club_id)
        connection.execute(sa.update(table).where(*went).values(revoked_at=None, revoked_with=None))


def _match(connection: sa.Connection, tables: Any, deleted: Any) -> None:
    """Insert the rows of a match; players who were merged meanwhile are who they became, unless two are one now."""
    players = tables["players"]
    merged = (players.c.club_id == deleted.club_id, players.c.merged_into.is_not(None))
    chosen = sa.select(players.c.id, players.c.merged_into).where(*merged)
    became: dict[str, str] = {id: other for id, other in connection.execute(chosen)}  # noqa: C416
    parts = list(_parts(connection, tables, deleted))
    seated = [row["player_id"] for name, rows in parts if name == "seats" for row in rows]
    now = [became.get(id, id) for id in seated]
    if len(set(now)) < len(now):
        became = {}
    for name, rows in parts:
        table = tables[name]
        for row in rows:
            if "player_id" in row:
                row["player_id"] = became.get(row["player_id"], row["player_id"])
            if name == "matches":
                row["deleted_at"] = deleted.at
                if now != seated and row.get("summed") is not None:
                    row["summed"] = -1  # statistics count its rounds, as of any match changed by who adds nothing up
            if name == "keys":
                row |= _locked_out_since(connection, table, row, deleted)
            connection.execute(sa.insert(table), row)


def _parts(connection: sa.Connection, tables: Any, deleted: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the rows of a match by table, in an order in which none refers to a later one."""
    parts = tables["deletion_parts"]
    own = (parts.c.club_id == deleted.club_id, parts.c.deletion_id == deleted.id, parts.c.number > 0)
    for content in connection.scalars(sa.select(parts.c.content).where(*own).order_by(parts.c.number)).all():
        document = json.loads(zlib.decompress(content))
        columns = tables[document["table"]].c
        rows = [{name: value for name, value in row.items() if value is not None} for row in document["rows"]]
        for row in rows:
            for name in row:
                if isinstance(columns[name].type, sa.DateTime):
                    row[name] = datetime.fromisoformat(row[name]).astimezone(UTC).replace(tzinfo=None)
        yield document["table"], rows


def _locked_out_since(connection: sa.Connection, keys: Any, row: dict[str, Any], deleted: Any) -> dict[str, Any]:
    """Return what locks a key out whose opener was locked out while its match was deleted."""
    own = (keys.c.club_id == deleted.club_id, keys.c.id == row.get("opened_by"))
    opener = connection.execute(sa.select(keys).where(*own)).one_or_none()
    if "revoked_at" in row or opener is None or opener.revoked_at is None or opener.revoked_at < deleted.at:
        return {}
    return {"revoked_at": opener.revoked_at, "revoked_with": opener.revoked_with or opener.id}


def _player(connection: sa.Connection, tables: Any, deleted: Any) -> None:
    players, seats, parts = tables["players"], tables["seats"], tables["deletion_parts"]
    own = (parts.c.club_id == deleted.club_id, parts.c.deletion_id == deleted.id, parts.c.number == 0)
    told = json.loads(zlib.decompress(connection.scalars(sa.select(parts.c.content).where(*own)).one()))
    for id, name in {deleted.id: told["name"], **told["merged"]}.items():
        statement = sa.update(players).where(players.c.club_id == deleted.club_id, players.c.id == id)
        connection.execute(statement.values(deleted_name=name))
    me = sa.update(players).where(players.c.club_id == deleted.club_id, players.c.id == deleted.id)
    connection.execute(me.values(active=told["active"]))
    mine = sa.update(seats).where(seats.c.club_id == deleted.club_id, seats.c.player_id == deleted.id)
    connection.execute(mine.values(deleted_name=told["name"]))
    for match_id, name in told["names_then"].items():
        connection.execute(mine.where(seats.c.match_id == match_id).values(deleted_name=name))
