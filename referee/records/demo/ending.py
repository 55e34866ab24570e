"""End demos: nobody opens one whose time is up, and the next who begin something remove it with all that is in it."""

from __future__ import annotations

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from referee.records.models import Base, Club, now

SWEPT_AT_ONCE = 2
"""Ended demos removed by one request, so that nobody waits for it."""


def sweep_demos(session: Session) -> None:
    """Remove some of the demos that ended, with all that is in them."""
    ended = select(Club.id).where(Club.ends_at <= now(), Club.import_id.is_(None)).order_by(Club.ends_at)
    for club_id in session.scalars(ended.limit(SWEPT_AT_ONCE)).all():
        end_demo(session, club_id)


def end_demo(session: Session, club_id: str) -> None:
    """Remove a demo; a club that stays is left alone."""
    club = session.get(Club, club_id)
    if club is None or club.ends_at is None:
        return
    session.expunge(club)
    for table in reversed(Base.metadata.sorted_tables):
        own = table.c.id if table.name == Club.__tablename__ else table.c.club_id
        session.execute(delete(table).where(own == club_id))
