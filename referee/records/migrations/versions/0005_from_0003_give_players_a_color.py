"""Give players a color and a shape."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005_from_0003"
down_revision = "0004_from_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the color and shape that a player chose; empty for nothing."""
    op.add_column("players", sa.Column("marker", sa.String(16), server_default="", nullable=False))


def downgrade() -> None:
    """Take it away again."""
    op.drop_column("players", "marker")
