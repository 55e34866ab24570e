"""End demos: nobody opens one whose time is up, and the next who begin something remove it with all that is in it.

A demo is founded in one transaction, so half of one is only what release 1.0.0 left when it was killed meanwhile.
"""

from datetime import timedelta

from sqlalchemy import delete, exists, or_, select
from sqlalchemy.orm import Session

from referee.records.models import DELETED_TOO, Base, Club, ClubImport, now

SWEPT_AT_ONCE = 2
"""Ended demos removed by one request, so that nobody waits for it."""
INTERRUPTED = timedelta(minutes=10)
"""How long after its last portion an import, or the founding of a demo, counts as interrupted."""


def sweep_demos(session: Session) -> int:
    """Remove some of the demos that ended or were never founded whole; return how many."""
    own = exists().where(ClubImport.club_id == Club.id)
    due = (
        select(Club.id)
        .where(Club.ends_at.is_not(None), or_(Club.ends_at <= now(), own.where(ClubImport.founded)))
        .where(~own.where(ClubImport.at > now() - INTERRUPTED))
        .order_by(Club.ends_at)
    )
    swept = session.scalars(due.limit(SWEPT_AT_ONCE).execution_options(**DELETED_TOO)).all()
    for club_id in swept:
        end_demo(session, club_id)
    return len(swept)


def end_demo(session: Session, club_id: str) -> None:
    """Remove a demo; a club that stays is left alone."""
    club = session.get(Club, club_id, execution_options=DELETED_TOO)
    if club is None or club.ends_at is None:
        return
    session.expunge(club)
    for table in reversed(Base.metadata.sorted_tables):
        own = table.c.id if table.name == Club.__tablename__ else table.c.club_id
        session.execute(delete(table).where(own == club_id))
