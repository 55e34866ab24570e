"""Keep what a club decides where its rules are silent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009_from_0003"
down_revision = "0008_from_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let a ruling be kept as a precedent, and stay without the match it was given at."""
    with op.batch_alter_table("rulings") as rulings:
        rulings.add_column(sa.Column("kept", sa.Boolean(), server_default=sa.false(), nullable=False))
        rulings.alter_column("match_id", existing_type=sa.String(16), nullable=True)
    op.create_index("ix_rulings_kept", "rulings", ["club_id", "kept", "id"])


def downgrade() -> None:
    """Take it away again; refused while a precedent has no match, which would be lost."""
    table = sa.table("rulings", sa.column("club_id"), sa.column("id"), sa.column("match_id"))
    alone = sa.select(table.c.club_id, table.c.id).where(table.c.match_id.is_(None)).limit(20)
    found = op.get_bind().execute(alone).all()
    if found:
        places = ", ".join(f"{club_id}: {id}" for club_id, id in found)
        raise ValueError(
            "Clubs have laws of their own that belong to no match, and would be lost. Forget them in the app, then "
            f"downgrade again: {places}"
        )
    op.drop_index("ix_rulings_kept", "rulings")
    with op.batch_alter_table("rulings") as rulings:
        rulings.alter_column("match_id", existing_type=sa.String(16), nullable=False)
        rulings.drop_column("kept")
