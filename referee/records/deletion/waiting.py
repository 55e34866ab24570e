"""What was deleted, and until when it can be restored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, delete, func, insert, literal, select
from sqlalchemy.orm import Session, aliased

from referee.records.deletion.parts import read_summary, summary_part
from referee.records.errors import Deleted
from referee.records.models import Base, Deletion, DeletionKind, DeletionPart, Key, Player, now
from referee.records.tokens import digest_of, read_token

RESTORABLE_FOR = timedelta(days=30)
"""How long what was deleted can be restored; as long as the longest that any answer with a name in it is stored."""
LETTERS = 16
"""Of the digest of a key that is gone these stay, enough to tell whose it was: 64 bits."""
_DELETIONS = Base.metadata.tables[Deletion.__tablename__]


def until(deletion: Deletion) -> datetime:
    """Return until when something deleted can be restored."""
    return deletion.at + RESTORABLE_FOR


def is_restorable(deletion: Deletion) -> bool:
    """Return whether something deleted can still be restored."""
    return not deletion.purged and now() < until(deletion)


def error_of(deletion: Deletion) -> Deleted:
    """Make the error that tells of something deleted."""
    return Deleted(
        DeletionKind(deletion.kind),
        deletion.id,
        deletion.at,
        until(deletion) if is_restorable(deletion) else None,
    )


def refuse_deleted(session: Session, club_id: str, id: str) -> None:
    """Raise `Deleted` for what was deleted from a club; costs a query, so ask only where something is missing."""
    found = session.get(Deletion, (club_id, id))
    if found is not None and found.kind != DeletionKind.KEY:
        raise error_of(found)


def find_by_token(session: Session, token: str) -> Deletion | None:
    """Find the match or club with which the key of a token was deleted; None for any other token."""
    plain = read_token(token)
    if plain is None:
        return None
    key = aliased(Deletion)
    gone = select(Deletion).join(key, (key.club_id == Deletion.club_id) & (key.with_id == Deletion.id))
    return session.scalar(gone.where(key.id == digest_of(plain)[:LETTERS], key.kind == DeletionKind.KEY))


def refuse_deleted_with(session: Session, token: str) -> None:
    """Raise `Deleted` for the token of a key that went with a match or club."""
    found = find_by_token(session, token)
    if found is not None:
        raise error_of(found)


def note_deletion(
    session: Session, club_id: str, id: str, kind: DeletionKind, by: Key | None, summary: dict[str, Any]
) -> Deletion:
    """Note that something is deleted, and what it was."""
    deletion = Deletion(club_id=club_id, id=id, kind=kind, by=by.id if by else None)
    session.add(deletion)
    session.flush()
    session.add(DeletionPart(club_id=club_id, deletion_id=id, number=0, content=summary_part(summary)))
    session.flush()
    return deletion


def note_keys(session: Session, deletion: Deletion, *chosen: Any) -> None:
    """Remember of some live keys that they went with something deleted."""
    columns = (Key.club_id, func.substr(Key.digest, 1, LETTERS), literal(DeletionKind.KEY.value), literal(deletion.id))
    gone: Select[Any] = select(*columns, literal(deletion.at, _DELETIONS.c.at.type), literal(False)).where(
        Key.club_id == deletion.club_id, Key.revoked_at.is_(None), *chosen
    )
    session.execute(insert(_DELETIONS).from_select(("club_id", "id", "kind", "with_id", "at", "purged"), gone))


def forget(session: Session, deletion: Deletion) -> None:
    """Remove the note of something deleted, since it is restored."""
    here = Deletion.club_id == deletion.club_id
    session.execute(drop_parts(deletion))
    session.execute(delete(Deletion).where(here, Deletion.with_id == deletion.id))
    session.execute(delete(Deletion).where(here, Deletion.id == deletion.id))
    session.expunge(deletion)


def drop_parts(deletion: Deletion) -> Any:
    """Return the statement that deletes the parts of something deleted."""
    own = (DeletionPart.club_id == deletion.club_id, DeletionPart.deletion_id == deletion.id)
    return delete(DeletionPart).where(*own)


def summary_of(session: Session, deletion: Deletion) -> dict[str, Any]:
    """Return what something deleted was, in few words; nothing once it is purged."""
    content = session.scalar(
        select(DeletionPart.content).where(
            DeletionPart.club_id == deletion.club_id, DeletionPart.deletion_id == deletion.id, DeletionPart.number == 0
        )
    )
    return _told(session, deletion.club_id, [read_summary(content) if content is not None else {}])[0]


def _told(session: Session, club_id: str, summaries: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Add the players' present names to summaries: one has their ids alone, so that no deleted name is in it."""
    ids = {id for summary in summaries for id in summary.get("player_ids", ())}
    chosen = select(Player.id, Player.name).where(Player.club_id == club_id, Player.id.in_(ids))
    names = {id: name for id, name in session.execute(chosen)} if ids else {}  # noqa: C416
    for summary in summaries:
        if (people := summary.pop("player_ids", None)) is not None:
            summary["players"] = [names.get(id, "") for id in people]
    return summaries


def list_restorable(session: Session, club_id: str) -> Sequence[tuple[Deletion, dict[str, Any]]]:
    """List what a club can restore, with what it was, the latest first."""
    first = (DeletionPart.club_id == Deletion.club_id) & (DeletionPart.deletion_id == Deletion.id)
    rows = session.execute(
        select(Deletion, DeletionPart.content)
        .join(DeletionPart, first & (DeletionPart.number == 0))
        .where(Deletion.club_id == club_id, Deletion.purged.is_(False), Deletion.at > now() - RESTORABLE_FOR)
        .where(Deletion.kind.in_((DeletionKind.MATCH, DeletionKind.PLAYER)))
        .order_by(Deletion.at.desc(), Deletion.id)
        .limit(MOST_LISTED)
    )
    found = [(deletion, read_summary(content)) for deletion, content in rows]
    _told(session, club_id, [summary for _, summary in found])
    return found


MOST_LISTED = 100
"""Of what a club deleted; whoever deleted more finds the rest at its old address."""
