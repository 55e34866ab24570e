"""Find a club's biggest catch without looking through all of its matches."""

from __future__ import annotations

from alembic import op

revision = "0006_from_0003"
down_revision = "0005_from_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_match_sums_catch", "match_sums", ["club_id", "scale", "catch_max", "match_id"])


def downgrade() -> None:
    """Take it away again."""
    op.drop_index("ix_match_sums_catch", "match_sums")
