"""Count seasons, and evenings of many tables; remember in which time zone a club plays."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010_from_0003"
down_revision = "0009_from_0003"
branch_labels = None
depends_on = None

ID = sa.String(16)
TABLES = ("draw_tables", "draws", "evening_players", "evenings", "seasons")
KEYS = ("table", "evening_id", "season_id")


def _to(table: str, other: str, column: str) -> sa.ForeignKeyConstraint:
    there = [f"{other}.club_id", f"{other}.id"]
    return sa.ForeignKeyConstraint(["club_id", column], there, name=op.f(f"fk_{table}_club_id_{column}"))


def _own(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint("club_id", *columns, name=op.f(f"pk_{table}"))


def _to_club(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name=op.f(f"fk_{table}_club_id_"))


def upgrade() -> None:
    """Add the tables, and what keys say of them."""
    with op.batch_alter_table("clubs") as clubs:
        clubs.add_column(sa.Column("time_zone", sa.String(64), server_default="", nullable=False))
    with op.batch_alter_table("keys") as keys:
        keys.add_column(sa.Column("season_id", ID))
        keys.add_column(sa.Column("evening_id", ID))
        keys.add_column(sa.Column("table", sa.Integer))
    op.create_table(
        "seasons",
        sa.Column("club_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("first_day", sa.Date, nullable=False),
        sa.Column("last_day", sa.Date),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("people", sa.JSON, nullable=False),
        sa.Column("names_until", sa.Date),
        sa.Column("names_deleted_on", sa.Date),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("nonce", sa.Integer, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("created_by", ID),
        sa.Column("deleted_at", sa.DateTime),
        _to_club("seasons"),
        _own("seasons", "id"),
    )
    op.create_table(
        "evenings",
        sa.Column("club_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("plan", sa.JSON, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("nonce", sa.Integer, nullable=False),
        sa.Column("started_at", sa.DateTime, nullable=False),
        sa.Column("ended_at", sa.DateTime),
        sa.Column("created_by", ID),
        sa.Column("deleted_at", sa.DateTime),
        _to_club("evenings"),
        _own("evenings", "id"),
    )
    op.create_index("ix_evenings_status", "evenings", ["club_id", "status", "id"])
    op.create_table(
        "evening_players",
        sa.Column("club_id", ID, nullable=False),
        sa.Column("evening_id", ID, nullable=False),
        sa.Column("player_id", ID, nullable=False),
        sa.Column("from_draw", sa.Integer, nullable=False),
        sa.Column("until_draw", sa.Integer),
        sa.Column("guest", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("let_in_at", sa.DateTime, nullable=False),
        _to("evening_players", "evenings", "evening_id"),
        _to("evening_players", "players", "player_id"),
        _own("evening_players", "evening_id", "player_id"),
    )
    op.create_table(
        "draws",
        sa.Column("club_id", ID, nullable=False),
        sa.Column("evening_id", ID, nullable=False),
        sa.Column("draw", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("input", sa.JSON, nullable=False),
        sa.Column("drawn_at", sa.DateTime, nullable=False),
        sa.Column("drawn_by", ID),
        _to("draws", "evenings", "evening_id"),
        _own("draws", "evening_id", "draw"),
    )
    op.create_table(
        "draw_tables",
        sa.Column("club_id", ID, nullable=False),
        sa.Column("evening_id", ID, nullable=False),
        sa.Column("draw", sa.Integer, nullable=False),
        sa.Column("table", sa.Integer, nullable=False),
        sa.Column("match_id", ID, nullable=False),
        sa.Column("called_at", sa.DateTime),
        sa.ForeignKeyConstraint(
            ["club_id", "evening_id", "draw"],
            ["draws.club_id", "draws.evening_id", "draws.draw"],
            name=op.f("fk_draw_tables_club_id_evening_id"),
        ),
        _to("draw_tables", "matches", "match_id"),
        _own("draw_tables", "evening_id", "draw", "table"),
        sa.UniqueConstraint("club_id", "match_id", name=op.f("uq_draw_tables_club_id")),
    )


def downgrade() -> None:
    """Drop the tables; refused while something is in them, which would be lost."""
    for name in TABLES:
        table = sa.table(name, sa.column("club_id"))
        clubs = op.get_bind().execute(sa.select(table.c.club_id).distinct().limit(20)).scalars().all()
        if clubs:
            raise ValueError(
                "Clubs have seasons or evenings, which would be lost. Export what is to stay, purge these clubs, then "
                f"downgrade again: {', '.join(clubs)} (table {name})"
            )
    for name in TABLES:
        op.drop_table(name)
    with op.batch_alter_table("keys") as held:
        for column in KEYS:
            held.drop_column(column)
    with op.batch_alter_table("clubs") as table_of_clubs:
        table_of_clubs.drop_column("time_zone")
