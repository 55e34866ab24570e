"""Find the few matches that go on or are described without looking through all of a club's."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004_from_0003"
down_revision = "0003"
branch_labels = None
depends_on = None

DESCRIBED = "name <> '' OR location <> '' OR note <> ''"


def upgrade() -> None:
    """Add two indexes, each of a part of the table."""
    described = sa.text(DESCRIBED)
    op.create_index(
        "ix_matches_unsummed",
        "matches",
        ["club_id", "id"],
        sqlite_where=sa.text("summed IS NOT revision"),
        postgresql_where=sa.text("summed IS DISTINCT FROM revision"),
    )
    op.create_index(
        "ix_matches_described", "matches", ["club_id", "id"], sqlite_where=described, postgresql_where=described
    )


def downgrade() -> None:
    """Take them away again."""
    for name in ("ix_matches_described", "ix_matches_unsummed"):
        op.drop_index(name, "matches")
