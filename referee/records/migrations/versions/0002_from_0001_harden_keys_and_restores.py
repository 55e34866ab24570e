"""Harden keys and restores."""

from __future__ import annotations

from datetime import UTC, timedelta

import sqlalchemy as sa
from alembic import op

revision = "0002_from_0001"
down_revision = "0001"
branch_labels = None
depends_on = None

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
AT_ONCE = timedelta(seconds=5)
"""A key's id is made at the moment that the key is; one that came in by an import has the id of long before."""


def upgrade() -> None:
    """Add what the second version of the tables has; programs of the first go on working on them."""
    op.add_column("keys", sa.Column("opened_by", sa.String(16)))
    op.add_column("keys", sa.Column("imported", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("keys", sa.Column("revoked_with", sa.String(16)))
    op.add_column("invitations", sa.Column("revoked_at", sa.DateTime()))
    op.add_column("invitations", sa.Column("revoked_with", sa.String(16)))
    op.add_column("matches", sa.Column("nonce", sa.Integer(), server_default="0", nullable=False))
    op.add_column("clubs", sa.Column("import_id", sa.String(16)))
    op.create_table(
        "club_imports",
        sa.Column("club_id", sa.String(16), nullable=False),
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("made", sa.JSON(), nullable=False),
        sa.Column("founded", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("club_id", name="pk_club_imports"),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_club_imports_club_id_id"),
    )
    op.create_table(
        "own_rulebooks",
        sa.Column("club_id", sa.String(16), nullable=False),
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("nonce", sa.Integer(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=False),
        sa.Column("changed_by", sa.String(16)),
        sa.Column("deleted_at", sa.DateTime()),
        sa.Column("share_id", sa.String(16)),
        sa.Column("share_digest", sa.String(64)),
        sa.Column("shared_by", sa.String(16)),
        sa.PrimaryKeyConstraint("club_id", "id", name="pk_own_rulebooks"),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_own_rulebooks_club_id_id"),
        sa.UniqueConstraint("share_digest", name="uq_own_rulebooks_share_digest"),
    )
    _say_who_let_in()
    _mark_imported()
    op.add_column("matches", sa.Column("tally", sa.JSON(), nullable=True))
    op.add_column("match_results", sa.Column("team", sa.Integer()))
    op.add_column("clubs", sa.Column("unrated_from", sa.String(16)))
    op.add_column("clubs", sa.Column("unrated_turn", sa.Integer(), server_default="0", nullable=False))
    op.add_column("clubs", sa.Column("ends_at", sa.DateTime()))
    op.create_index("ix_clubs_ends_at", "clubs", ["ends_at"])
    op.add_column("players", sa.Column("removed_at", sa.DateTime()))
    _make_deletions()


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("deletion_parts")
    op.drop_table("deletions")
    op.drop_index("ix_clubs_ends_at", "clubs")
    op.drop_table("own_rulebooks")
    op.drop_table("club_imports")
    for table, column in (
        ("players", "removed_at"),
        *(("clubs", "ends_at"), ("clubs", "unrated_turn"), ("clubs", "unrated_from")),
        ("match_results", "team"),
        ("clubs", "import_id"),
        *(("matches", "tally"), ("matches", "nonce")),
        *(("invitations", "revoked_with"), ("invitations", "revoked_at")),
        *(("keys", "revoked_with"), ("keys", "imported"), ("keys", "opened_by")),
    ):
        op.drop_column(table, column)


def _make_deletions() -> None:
    op.create_table(
        "deletions",
        sa.Column("club_id", sa.String(16), nullable=False),
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("with_id", sa.String(16)),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("by", sa.String(16)),
        sa.Column("purged", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("club_id", "id", name="pk_deletions"),
    )
    op.create_index("ix_deletions_id", "deletions", ["id"])
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


def _say_who_let_in() -> None:
    """Name for each key the one that made the invitation it came in by."""
    op.execute(
        "UPDATE keys SET opened_by = (SELECT created_by FROM invitations"
        " WHERE invitations.club_id = keys.club_id AND invitations.used_by = keys.id)"
    )


def _mark_imported() -> None:
    names = ("club_id", "id", "imported")
    keys = sa.table("keys", *(sa.column(name) for name in names), sa.column("created_at", sa.DateTime))
    connection = op.get_bind()
    for club_id, id, created_at in connection.execute(sa.select(keys.c.club_id, keys.c.id, keys.c.created_at)).all():
        if _milliseconds(id) < (created_at - AT_ONCE).replace(tzinfo=UTC).timestamp() * 1000:
            own = (keys.c.club_id == club_id, keys.c.id == id)
            connection.execute(sa.update(keys).where(*own).values(imported=sa.true()))


def _milliseconds(id: str) -> int:
    number = 0
    for letter in id:
        number = number << 5 | max(0, ALPHABET.find(letter))
    return number >> 32
