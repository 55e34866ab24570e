"""Give clubs a language."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007_from_0003"
down_revision = "0006_from_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the language of boards, pictures and public pages."""
    op.add_column("clubs", sa.Column("language", sa.String(8), server_default="en", nullable=False))


def downgrade() -> None:
    """Take it away again."""
    op.drop_column("clubs", "language")
