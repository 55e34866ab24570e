"""Requests that may arrive twice and must count once."""

import zlib
from datetime import timedelta

from sqlalchemy import bindparam, delete, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from referee.records.errors import Conflict
from referee.records.models import Base, Club, IdempotentAnswer, now
from referee.records.words import say

KEPT = timedelta(days=30)
"""How long answers are stored: a phone may come back from a journey with rounds to send."""
FORGOTTEN_AT_ONCE = 500
STATUS = 201
"""What the column needs, though nothing reads it anymore."""

# into the table: by the mapped class SQLAlchemy would look through the row first, at every save
_INSERT = insert(Base.metadata.tables[IdempotentAnswer.__tablename__])
_STORED = select(IdempotentAnswer).where(
    IdempotentAnswer.club_id == bindparam("club_id"), IdempotentAnswer.key == bindparam("key")
)


def recall(session: Session, club_id: str, key: str, digest: str) -> str | None:
    """Return the id of what the same request made when it came before, perhaps empty; None if it is new.

    Whoever calls this holds the lock of the match, or writes only if nobody has written to the match since, so that
    the same request arriving twice at the same moment comes to the first. Raises `Conflict` when the key came before
    with another body, which has another digest.
    """
    kept = session.scalar(_STORED, {"club_id": club_id, "key": key})
    if kept is None:
        return None
    if kept.request_digest != digest:
        raise Conflict(say("match.other-request"))
    return zlib.decompress(kept.body).decode()


def remember(session: Session, club_id: str, key: str, digest: str, made: str) -> None:
    """Store what a request made, in the transaction that does what was asked.

    Raises `Conflict` when the same key is being used for another match at this very moment.
    """
    row = {"club_id": club_id, "key": key, "request_digest": digest, "status": STATUS, "created_at": now()}
    try:
        session.connection().execute(_INSERT, row | {"body": zlib.compress(made.encode(), 1)})
    except IntegrityError:
        raise Conflict(say("match.other-match")) from None


def forget_old_answers(session: Session, club: Club) -> None:
    """Delete some of the club's expired answers, few enough that nobody waits for it."""
    old = select(IdempotentAnswer.key).where(
        IdempotentAnswer.club_id == club.id, IdempotentAnswer.created_at < now() - KEPT
    )
    session.execute(
        delete(IdempotentAnswer)
        .where(IdempotentAnswer.club_id == club.id, IdempotentAnswer.key.in_(old.limit(FORGOTTEN_AT_ONCE)))
        .execution_options(synchronize_session=False)
    )
