"""Keep texts that were taken out with a deleted name."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008_from_0003"
down_revision = "0007_from_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of texts that stand apart until their names are restored or purged."""
    op.create_table(
        "removed_texts",
        sa.Column("club_id", sa.String(16), nullable=False),
        sa.Column("place", sa.String(200), nullable=False),
        sa.Column("match_id", sa.String(16)),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("instead", sa.Text, nullable=False),
        sa.Column("waits_for", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name=op.f("fk_removed_texts_club_id_clubs")),
        sa.ForeignKeyConstraint(
            ["club_id", "match_id"],
            ["matches.club_id", "matches.id"],
            name=op.f("fk_removed_texts_club_id_matches"),
        ),
        sa.PrimaryKeyConstraint("club_id", "place", name=op.f("pk_removed_texts")),
    )
    op.create_index("ix_removed_texts_match", "removed_texts", ["club_id", "match_id"])


def downgrade() -> None:
    """Drop the table; refused while a text is in it, which would be lost."""
    table = sa.table("removed_texts", sa.column("club_id"), sa.column("place"))
    apart = op.get_bind().execute(sa.select(table).order_by(table.c.club_id, table.c.place).limit(20)).all()
    if apart:
        places = ", ".join(f"{club_id}: {place}" for club_id, place in apart)
        raise ValueError(
            "Texts with deleted names still wait here, and would be lost. Restore these names in the app, or run "
            f"“referee purge --at-once”, then downgrade again: {places}"
        )
    op.drop_table("removed_texts")
