"""Delete a club: all that opens it is shut at once, and its rows go when it can no longer be restored."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, exists, func, select, update
from sqlalchemy.orm import Session

from referee.records.access import lock_for
from referee.records.deletion import waiting
from referee.records.errors import NotFound
from referee.records.models import Club, Deletion, DeletionKind, Invitation, Key, KeyRole, Match, Player, Round
from referee.records.tokens import digest_of, read_token


@dataclass(frozen=True)
class ClubLoss:
    """What goes with a club."""

    matches: int
    rounds: int
    players: int
    keys: int
    """phones, scripts and links that open it"""


def club_loss_of(session: Session, club: Club) -> ClubLoss:
    """Count what goes when a club is deleted."""
    counted = (
        (Match, ()),
        (Round, (Round.struck.is_(False),)),
        (Player, (Player.merged_into.is_(None), Player.removed_at.is_(None))),
        (Key, (Key.revoked_at.is_(None),)),
    )
    counts = [
        session.scalar(select(func.count()).select_from(table).where(table.club_id == club.id, *only)) or 0
        for table, only in counted
    ]
    return ClubLoss(*counts)


def delete_club(session: Session, club: Club, by: Key) -> Deletion:
    """Delete a club: every key and invitation is revoked, and nothing else is touched; raises `Conflict`."""
    lock_for(session, club, by)
    loss = club_loss_of(session, club)
    summary = {"name": club.name, "matches": loss.matches, "rounds": loss.rounds, "players": loss.players}
    deletion = waiting.note_deletion(session, club.id, club.id, DeletionKind.CLUB, by, summary)
    waiting.note_keys(session, deletion)
    gone = {"revoked_at": deletion.at, "revoked_with": club.id}
    for table in (Key, Invitation):
        session.execute(update(table).where(table.club_id == club.id, table.revoked_at.is_(None)).values(gone))
    session.expire_all()
    return deletion


def find_restorer(session: Session, token: str) -> Key | None:
    """Find the key of a token that may restore the club which it was deleted with; None for any other."""
    plain = read_token(token)
    if plain is None:
        return None
    went = (Key.revoked_with == Key.club_id, Key.match_id.is_(None), Key.role == KeyRole.SCOREKEEPER)
    return session.scalar(select(Key).where(Key.digest == digest_of(plain), *went))


def restore_club(session: Session, club_id: str) -> Club:
    """Restore a club with all that opened it; raises `NotFound`, and `Deleted` where it is gone."""
    club = session.get(Club, club_id, with_for_update=True)
    deletion = session.get(Deletion, (club_id, club_id))
    if club is None or deletion is None:
        raise NotFound("club")
    if not waiting.is_restorable(deletion):
        raise waiting.error_of(deletion)
    for table in (Key, Invitation):
        went = (table.club_id == club_id, table.revoked_with == club_id)
        session.execute(update(table).where(*went).values(revoked_at=None, revoked_with=None))
    waiting.forget(session, deletion)
    session.expire_all()
    return club


def is_deleted() -> ColumnElement[bool]:
    """Return the condition for clubs that are deleted."""
    return exists(select(Deletion.id).where(Deletion.club_id == Club.id, Deletion.id == Club.id))
