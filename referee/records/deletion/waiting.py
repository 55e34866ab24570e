"""What was deleted, and until when it can be restored."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, insert, literal, select
from sqlalchemy.orm import Session, aliased

from referee.records.errors import Deleted
from referee.records.ids import digest_of, read_token
from referee.records.models import (
    DELETED_TOO,
    Club,
    Deletion,
    DeletionKind,
    Evening,
    Key,
    Match,
    Player,
    Season,
    columns_of,
    now,
)

RESTORABLE_FOR = timedelta(days=30)
"""How long what was deleted can be restored; as long as the longest that any answer with a name in it is stored."""
LETTERS = 16
"""Of the digest of a key that is gone these stay, enough to tell whose it was: 64 bits."""


@dataclass(frozen=True)
class Lost:
    """What was deleted, when, until when it can be restored (None if it can't), and what was deleted with it."""

    kind: DeletionKind
    id: str
    at: datetime
    until: datetime | None
    summary: Mapping[str, Any]


def until(at: datetime) -> datetime | None:
    """Return until when something deleted can be restored; None where that is over."""
    last = at + RESTORABLE_FOR
    return last if now() < last else None


def lost(kind: DeletionKind, row: Match | Player | Season | Evening | Club, summary: Mapping[str, Any]) -> Lost:
    """Return what goes with something, or went with it."""
    at = row.deleted_at or now()
    return Lost(kind, row.id, at, until(at), summary)


def count_by(session: Session, column: Any, *where: Any, **values: str) -> dict[str, int]:
    """Count the rows of a column's table by the ids in it; ids without a row are left out."""
    rows = session.execute(select(column, func.count()).where(*where).group_by(column), values)
    return {id: count for id, count in rows}  # noqa: C416 - rows are typed only when unpacked


def refuse_deleted(session: Session, club_id: str, match_id: str) -> None:
    """Raise `Deleted` for a match that was deleted; costs two queries, so ask only where something is missing."""
    asked = select(Match.deleted_at).where(Match.club_id == club_id, Match.id == match_id)
    at = session.scalar(asked.execution_options(**DELETED_TOO))
    if at is not None:
        raise Deleted(DeletionKind.MATCH, match_id, at, until(at))
    gone = session.get(Deletion, (club_id, match_id))
    if gone is not None:
        raise Deleted(DeletionKind(gone.kind), match_id, gone.at, None)


def refuse_nameless(player: Player) -> None:
    """Raise `Deleted` for a player whose name was deleted."""
    if player.deleted_at is not None:
        last = until(player.deleted_at) if player.deleted_name is not None else None
        raise Deleted(DeletionKind.PLAYER, player.id, player.deleted_at, last)


def find_by_token(session: Session, token: str) -> Deleted | None:
    """Return what tells of the match or club with which the key of a token was deleted; None for any other token."""
    plain = read_token(token)
    if plain is None:
        return None
    key = aliased(Deletion)
    gone = select(Deletion).join(key, (key.club_id == Deletion.club_id) & (key.with_id == Deletion.id))
    left = session.scalar(gone.where(key.id == digest_of(plain)[:LETTERS], key.kind == DeletionKind.KEY))
    if left is not None:
        return Deleted(DeletionKind(left.kind), left.id, left.at, None)
    waits = (
        select(Key.club_id, Key.match_id, Club.deleted_at.label("club_at"), Match.deleted_at.label("match_at"))
        .join(Club, Club.id == Key.club_id)
        .outerjoin(Match, (Match.club_id == Key.club_id) & (Match.id == Key.match_id))
        .where(Key.digest == digest_of(plain), Key.revoked_at.is_(None))
    )
    row = session.execute(waits, execution_options=DELETED_TOO).one_or_none()
    if row is None or row.club_at is row.match_at is None:
        return None
    if row.club_at is not None:
        return Deleted(DeletionKind.CLUB, row.club_id, row.club_at, until(row.club_at))
    return Deleted(DeletionKind.MATCH, row.match_id, row.match_at, until(row.match_at))


def refuse_deleted_with(session: Session, token: str) -> None:
    """Raise `Deleted` for the token of a key that went with a match or club."""
    deleted = find_by_token(session, token)
    if deleted is not None:
        raise deleted


def note_gone(session: Session, club_id: str, id: str, kind: DeletionKind, at: datetime, *chosen: Any) -> None:
    """Note that something is gone for good, and of some live keys that they went with it."""
    session.add(Deletion(club_id=club_id, id=id, kind=kind, at=at))
    session.flush()
    digest = func.substr(Key.digest, 1, LETTERS)
    moment = literal(at, columns_of(Deletion).at.type)
    keys = select(Key.club_id, digest, literal(DeletionKind.KEY.value), literal(id), moment)
    keys = keys.where(Key.club_id == club_id, Key.revoked_at.is_(None), *chosen)
    session.execute(insert(Deletion).from_select(["club_id", "id", "kind", "with_id", "at"], keys))
