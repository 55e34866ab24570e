"""Requests that may arrive twice and must count once."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
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

# into the table: by the mapped class SQLAlchemy would look through the row first, at every save
_INSERT = insert(Base.metadata.tables[IdempotentAnswer.__tablename__])
_STORED = select(IdempotentAnswer).where(
    IdempotentAnswer.club_id == bindparam("club_id"), IdempotentAnswer.key == bindparam("key")
)


@dataclass(frozen=True)
class StoredAnswer:
    """The answer stored for the first of several equal requests."""

    status: int
    body: bytes


def recall(session: Session, club: Club, key: str, *request_digests: str | Callable[[], str]) -> StoredAnswer | None:
    """Return the answer stored for the same request, which may be digested in several ways; None if it is new.

    Whoever calls this holds the lock of the match, or writes only if nobody has written to the match since, so that
    the same request arriving twice at the same moment comes to the first. Raises `Conflict` when the key came before
    with another body.
    """
    kept = session.scalar(_STORED, {"club_id": club.id, "key": key})
    if kept is None:
        return None
    if all(kept.request_digest != (one if isinstance(one, str) else one()) for one in request_digests):
        raise Conflict(say("match.other-request"))
    return StoredAnswer(kept.status, zlib.decompress(kept.body))


def remember(session: Session, club: Club, key: str, request_digest: str, status: int, body: bytes) -> None:
    """Store the answer to a request, in the transaction that does what was asked.

    Raises `Conflict` when the same key is being used for another match at this very moment.
    """
    row = {"club_id": club.id, "key": key, "request_digest": request_digest, "status": status, "created_at": now()}
    try:
        session.connection().execute(_INSERT, row | {"body": zlib.compress(body, 1)})
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
